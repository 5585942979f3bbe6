"""Settings follow renames: permissions, row rules, view configuration."""

import json
from typing import Any

from quire.database.compile.writes import Writes
from quire.database.migration.schema_pair import Renames
from quire.database.stores.core_store import read_setting, view_key, write_setting
from quire.database.stores.revisions import REVISIONS
from quire.database.stores.saved_views import SAVED_VIEWS
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    NOTE,
    QUOTE,
    STRING,
    TAG,
    TAGS,
    MigratedDatabase,
    component,
    content_type,
    schema_of,
)

MEMO = "api::memo.memo"
RULES = "quire_row_rules"
ONE_QUOTE = {"type": "component", "component": QUOTE}
BEFORE = schema_of(content_type(NOTE, {"title": STRING, "tags": TAGS, "quote": ONE_QUOTE}))
AFTER = schema_of(
    content_type(NOTE, {"headline": STRING, "labels": TAGS, "saying": ONE_QUOTE}),
    content_type(TAG, {"word": STRING}),
    component(QUOTE, {"words": STRING}),
)
RENAMES = Renames(
    attributes={
        NOTE: {"headline": "title", "labels": "tags", "saying": "quote"},
        TAG: {"word": "name"},
        QUOTE: {"words": "text"},
    }
)


def write(context: MigratedDatabase, key: str, value: object) -> None:
    context.store.run(write_setting(Writes(context.store.dialect), key, value))


def read(context: MigratedDatabase, key: str) -> Any:  # noqa: ANN401 - JSON
    return context.store.run(read_setting(Writes(context.store.dialect), key))


def view(main: str, label: str, relation: str, target: str, part: str) -> dict[str, Any]:
    """The stored view of notes."""
    return {
        "settings": {"mainField": main, "defaultSortBy": main, "defaultSortOrder": "ASC"},
        "metadatas": {
            "id": {"edit": {}, "list": {"label": "id"}},
            main: {"edit": {"label": "What it is"}, "list": {"label": label, "sortable": True}},
            relation: {"edit": {"mainField": target}, "list": {"label": relation}},
        },
        "layouts": {
            "list": ["id", main, relation],
            "edit": [[{"name": main, "size": 6}, {"name": relation, "size": 6}], [{"name": part}]],
        },
    }


def test_views_of_lists_and_forms_show_renamed_attributes_as_they_were_shown(
    make_context: MakeContext,
) -> None:
    """A label that somebody has written stays; one that was the name is the later name."""
    context = make_context(BEFORE)
    write(context, view_key(NOTE), view("title", "title", "tags", "name", "quote"))
    write(context, view_key(QUOTE), {"settings": {"mainField": "text"}})
    context = context.migrate(AFTER, RENAMES)
    assert read(context, view_key(NOTE)) == view("headline", "headline", "labels", "word", "saying")
    assert read(context, view_key(QUOTE)) == {"settings": {"mainField": "words"}}


def test_permissions_name_fields_within_components_by_their_later_names(
    make_context: MakeContext,
) -> None:
    context = make_context(BEFORE)
    fields = ["title", "quote.text", "tags", "gone.text"]
    held = context.store.dialect.encode_json({"fields": fields, "locales": ["en"]})
    context.entry("admin_permissions", "p", action="read", subject=NOTE, properties=held)
    context = context.migrate(AFTER, RENAMES)
    [stored] = context.column("admin_permissions", "properties")
    later = ["headline", "saying.words", "labels", "gone.text"]
    assert json.loads(stored) == {"fields": later, "locales": ["en"]}


def test_a_row_rule_narrows_the_same_rows_under_later_names(make_context: MakeContext) -> None:
    """Under a name that is gone it would narrow nothing, or open nothing."""
    context = make_context(BEFORE)
    rule = {"$or": [{"tags": {"name": {"$eq": "a"}}}, {"title": "b"}, {"quote": {"text": "c"}}]}
    write(context, RULES, {"role": {f"{NOTE}.find": rule, f"{TAG}.find": {"name": "a"}}})
    context = context.migrate(AFTER, RENAMES)
    later = {
        "$or": [{"labels": {"word": {"$eq": "a"}}}, {"headline": "b"}, {"saying": {"words": "c"}}]
    }
    rules = {f"{NOTE}.find": later, f"{TAG}.find": {"word": "a"}}
    assert read(context, RULES) == {"role": rules}


def test_row_rules_saved_views_and_revisions_go_with_a_renamed_type(
    make_context: MakeContext,
) -> None:
    context = make_context(schema_of(content_type(NOTE, {"title": STRING})))
    for table in (SAVED_VIEWS.name, REVISIONS.name):
        context.store.execute(f"CREATE TABLE {table} (id integer PRIMARY KEY, uid text)")
        context.insert(table, id=1, uid=NOTE)
    write(context, RULES, {"role": {f"{NOTE}.find": {"title": "a"}}})
    write(context, view_key(NOTE), {"uid": NOTE, "settings": {"mainField": "title"}})
    later = schema_of(content_type(MEMO, {"title": STRING}))
    context = context.migrate(later, Renames(models={MEMO: NOTE}))
    assert read(context, RULES) == {"role": {f"{MEMO}.find": {"title": "a"}}}
    assert read(context, view_key(MEMO)) == {"uid": MEMO, "settings": {"mainField": "title"}}
    assert read(context, view_key(NOTE)) is None
    for table in (SAVED_VIEWS.name, REVISIONS.name):
        assert context.column(table, "uid") == [MEMO]
        context.store.execute(f"DROP TABLE {table}")


def test_what_is_said_of_two_types_is_exchanged_with_their_names(make_context: MakeContext) -> None:
    schema = schema_of(content_type(NOTE, {"title": STRING}), content_type(MEMO, {"title": STRING}))
    context = make_context(schema)
    context.entry("up_permissions", "n", action=f"{NOTE}.find")
    context.entry("up_permissions", "m", action=f"{MEMO}.delete")
    write(context, view_key(NOTE), {"settings": {"pageSize": 10}})
    write(context, view_key(MEMO), {"settings": {"pageSize": 20}})
    context = context.migrate(schema, Renames(models={MEMO: NOTE, NOTE: MEMO}))
    assert context.column("up_permissions", "action") == [f"{MEMO}.find", f"{NOTE}.delete"]
    assert read(context, view_key(NOTE)) == {"settings": {"pageSize": 20}}
    assert read(context, view_key(MEMO)) == {"settings": {"pageSize": 10}}
