"""The schema recorded in a database, in Quire's form and in Strapi's."""

import json
from typing import Any

import pytest

from quire.database.compile.writes import Writes
from quire.database.migration.migrate import (
    ConsentNeededError,
    MigrationRequest,
    migrate_to,
    plan_migration_to,
)
from quire.database.migration.schema_pair import Renames
from quire.database.migration.schema_record import OUR_RECORD, THEIR_RECORD, recorded_schema
from quire.schema.load import LoadOptions
from quire.schema.model import Schema
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    NOTE,
    NOW,
    QUOTE,
    STRING,
    TAG,
    TAGS,
    MigratedDatabase,
    component,
    content_type,
    schema_of,
)

PLAIN = schema_of(content_type(NOTE, {"title": STRING}))
WIDER = schema_of(content_type(NOTE, {"title": STRING, "size": {"type": "integer"}}))


def goal(schema: Schema, *, may_lose: bool = False) -> MigrationRequest:
    return MigrationRequest(
        schema=schema, options=LoadOptions(), renames=Renames(), may_lose=may_lose
    )


def setting(context: MigratedDatabase, key: str) -> dict[str, Any]:
    sql = "SELECT value FROM strapi_core_store_settings WHERE key = ?"
    [(text,)] = context.store.execute(sql, (key,))
    found: dict[str, Any] = json.loads(text)
    return found


def described(schema: Schema) -> str:
    """What the reference writes of content types when it starts."""
    automatic = {"createdAt": {"type": "datetime"}, "locale": {"type": "string"}}
    record = {
        uid: {
            **type_.raw,
            "attributes": {**dict(type_.raw["attributes"]), **automatic},  # type: ignore[call-overload]
            "uid": uid,
            "__schema__": dict(type_.raw),
        }
        for uid, type_ in schema.content_types.items()
        if type_.is_api
    }
    return json.dumps({**record, "admin::user": {"uid": "admin::user"}})


def started_by_the_reference(context: MigratedDatabase) -> MigratedDatabase:
    context.insert(
        "strapi_core_store_settings",
        key=THEIR_RECORD,
        value=described(context.schema),
        type="object",
    )
    record_tables_as_the_reference(context)
    return context


def record_tables_as_the_reference(context: MigratedDatabase) -> None:
    cast = "::json" if context.store.dialect.name == "postgresql" else ""
    context.store.execute(
        f"INSERT INTO strapi_database_schema (schema, hash) VALUES ('{{}}'{cast}, 'x')"
    )


def test_nothing_is_known_of_a_database_that_nobody_has_written_to(
    make_context: MakeContext,
) -> None:
    context = make_context(PLAIN)
    assert context.store.run(recorded_schema(Writes(context.store.dialect))) is None


def test_without_a_record_only_what_is_missing_is_made(make_context: MakeContext) -> None:
    context = make_context(WIDER)
    later = schema_of(content_type(NOTE, {"headline": STRING}))
    planned = context.store.run(plan_migration_to(context.store.kind, goal(later)))
    assert [str(step) for step in planned.plan.steps] == ["add the column headline to notes"]


def test_what_was_migrated_is_remembered(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.store.run(migrate_to(context.store.kind, goal(WIDER), now=NOW))
    assert setting(context, OUR_RECORD)["version"] == WIDER.version
    planned = context.store.run(plan_migration_to(context.store.kind, goal(PLAIN)))
    assert [str(step) for step in planned.plan.steps] == [
        "drop the column size of notes with 0 values"
    ]


def test_a_loss_is_refused_without_consent(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.store.run(migrate_to(context.store.kind, goal(WIDER), now=NOW))
    context.entry("notes", "a", title="one", size=3)
    with pytest.raises(ConsentNeededError, match="drop the column size of notes with 1 value"):
        context.store.run(migrate_to(context.store.kind, goal(PLAIN), now=NOW))
    assert context.column("notes", "size") == [3]
    context.store.run(migrate_to(context.store.kind, goal(PLAIN, may_lose=True), now=NOW))
    assert context.surplus() == []


def test_the_record_of_the_reference_counts_for_content_types(make_context: MakeContext) -> None:
    context = started_by_the_reference(make_context(WIDER))
    planned = context.store.run(plan_migration_to(context.store.kind, goal(PLAIN)))
    assert [str(step) for step in planned.plan.steps] == [
        "drop the column size of notes with 0 values"
    ]


def test_the_record_of_the_reference_is_kept_true(make_context: MakeContext) -> None:
    context = started_by_the_reference(make_context(PLAIN))
    drafted = schema_of(content_type(NOTE, {"title": STRING}, drafts=True))
    context.store.run(migrate_to(context.store.kind, goal(drafted), now=NOW))
    record = setting(context, THEIR_RECORD)
    assert record[NOTE]["options"] == {"draftAndPublish": True}
    assert record[NOTE]["__schema__"]["options"] == {"draftAndPublish": True}
    assert record[NOTE]["attributes"]["createdAt"] == {"type": "datetime"}
    assert record["admin::user"] == {"uid": "admin::user"}
    assert context.count("strapi_database_schema") == 0


def test_components_that_the_reference_has_changed_are_taken_as_they_are(
    make_context: MakeContext,
) -> None:
    """Its record has content types only: ours of the component names a table that is gone."""
    zone = {"quotes": {"type": "dynamiczone", "components": [QUOTE]}}
    linked = component(QUOTE, {"text": STRING, "tags": {**TAGS, "relation": "oneToMany"}})
    context = make_context(schema_of(content_type(NOTE, zone), linked))
    started_by_the_reference(context)
    context.store.run(migrate_to(context.store.kind, goal(context.schema), now=NOW))
    assert context.count("strapi_database_schema") == 0
    note = context.entry("notes", "a")
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    context.store.execute("DROP TABLE components_parts_quotes_tags_lnk")
    record_tables_as_the_reference(context)
    changed = schema_of(content_type(NOTE, {"title": STRING}))
    context.store.run(migrate_to(context.store.kind, goal(changed, may_lose=True), now=NOW))
    assert context.count("components_parts_quotes") == 0


def test_attributes_of_components_that_the_reference_has_not_removed_are_dropped(
    make_context: MakeContext,
) -> None:
    """Also after a start of it with the former files."""
    zone = {"quotes": {"type": "dynamiczone", "components": [QUOTE]}}
    credited = component(QUOTE, {"text": STRING, "author": STRING})
    context = make_context(schema_of(content_type(NOTE, zone), credited))
    started_by_the_reference(context)
    context.store.run(migrate_to(context.store.kind, goal(context.schema), now=NOW))
    record_tables_as_the_reference(context)
    changed = schema_of(content_type(NOTE, zone))
    context.store.run(migrate_to(context.store.kind, goal(changed, may_lose=True), now=NOW))
    tables = context.store.run(context.store.kind.inspector.tables())
    assert "author" not in tables["components_parts_quotes"].columns


def test_a_removed_type_leaves_the_record_of_the_reference(make_context: MakeContext) -> None:
    context = started_by_the_reference(make_context(PLAIN))
    context.store.run(migrate_to(context.store.kind, goal(schema_of()), now=NOW))
    record = setting(context, THEIR_RECORD)
    assert NOTE not in record
    assert TAG in record
