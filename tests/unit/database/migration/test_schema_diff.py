"""Tables and columns follow the schema, and rows keep their values."""

import pytest

from quire.database.migration.schema_diff import MigrationConflictError
from quire.database.migration.schema_pair import Renames
from quire.database.migration.steps import (
    AddColumn,
    ConvertColumn,
    CreateTable,
    DropColumn,
    DropTable,
    RenameColumn,
)
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    MEDIA,
    NOTE,
    QUOTE,
    QUOTES,
    STRING,
    TAG,
    TAGS,
    component,
    content_type,
    schema_of,
)

MEMO = "api::memo.memo"
PLAIN = schema_of(content_type(NOTE, {"title": STRING}))


def test_the_same_schema_needs_nothing(make_context: MakeContext) -> None:
    plan = make_context(PLAIN).plan(PLAIN)
    assert plan.steps == ()
    assert plan.notices == ()


def test_a_new_attribute_is_a_new_column(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="kept")
    later = schema_of(content_type(NOTE, {"title": STRING, "size": {"type": "integer"}}))
    assert context.plan(later).steps == (AddColumn(table="notes", column="size"),)
    context = context.migrate(later)
    assert context.column("notes", "title") == ["kept"]
    assert context.column("notes", "size") == [None]


def test_new_models_and_what_they_lead_to_are_new_tables(make_context: MakeContext) -> None:
    context = make_context(schema_of())
    later = schema_of(content_type(NOTE, {"title": STRING, "quotes": QUOTES, "tags": TAGS}))
    created = {step.table for step in context.plan(later).steps if isinstance(step, CreateTable)}
    assert created == {"notes", "notes_cmps", "notes_tags_lnk"}
    context.migrate(later)


def test_a_removed_attribute_is_announced_with_its_values(make_context: MakeContext) -> None:
    context = make_context(schema_of(content_type(NOTE, {"title": STRING, "text": STRING})))
    context.entry("notes", "a", title="one", text="gone")
    context.entry("notes", "b", title="two")
    plan = context.plan(PLAIN)
    assert plan.steps == (DropColumn(table="notes", column="text", rows=1),)
    assert plan.losses == plan.steps
    assert context.migrate(PLAIN).column("notes", "title") == ["one", "two"]


def test_a_renamed_attribute_keeps_its_values(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="kept")
    later = schema_of(content_type(NOTE, {"headline": STRING}))
    renames = Renames(attributes={NOTE: {"headline": "title"}})
    plan = context.plan(later, renames)
    assert plan.steps == (RenameColumn(table="notes", before="title", after="headline"),)
    assert plan.losses == ()
    assert context.migrate(later, renames).column("notes", "headline") == ["kept"]


def test_two_attributes_can_swap_their_names(make_context: MakeContext) -> None:
    schema = schema_of(content_type(NOTE, {"one": STRING, "two": STRING}))
    context = make_context(schema)
    context.entry("notes", "a", one="1", two="2")
    renames = Renames(attributes={NOTE: {"one": "two", "two": "one"}})
    context = context.migrate(schema, renames)
    assert context.column("notes", "one") == ["2"]
    assert context.column("notes", "two") == ["1"]


def test_a_removed_type_takes_its_tables_with_it(make_context: MakeContext) -> None:
    context = make_context(schema_of(content_type(NOTE, {"title": STRING, "tags": TAGS})))
    note = context.entry("notes", "a", title="gone")
    tag = context.entry("tags", "t", name="kept")
    context.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    dropped = [step for step in context.plan(schema_of()).steps if isinstance(step, DropTable)]
    assert {(step.table, step.rows) for step in dropped} == {("notes", 1), ("notes_tags_lnk", 1)}
    context = context.migrate(schema_of())
    assert not {"notes", "notes_tags_lnk"} & context.tables()
    assert context.column("tags", "name") == ["kept"]


def test_a_renamed_type_keeps_rows_links_and_media(make_context: MakeContext) -> None:
    attributes = {"title": STRING, "tags": TAGS, "quotes": QUOTES, "pictures": MEDIA}
    context = make_context(schema_of(content_type(NOTE, attributes)))
    note = context.entry("notes", "a", title="kept")
    tag = context.entry("tags", "t", name="tag")
    context.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    file = context.entry("files", "f", name="file", hash="h", mime="image/png", size=1, url="/f")
    context.insert(
        "files_related_mph",
        file_id=file,
        related_id=note,
        related_type=NOTE,
        field="pictures",
        order=1,
    )
    context.entry("up_permissions", "p", action=f"{NOTE}.find")
    later = schema_of(content_type("api::memo.memo", attributes))
    renames = Renames(models={"api::memo.memo": NOTE})
    assert context.plan(later, renames).losses == ()
    context = context.migrate(later, renames)
    assert context.column("memos", "title") == ["kept"]
    assert context.column("memos_tags_lnk", "memo_id") == [note]
    assert context.column("memos_cmps", "cmp_id") == [quote]
    assert context.column("files_related_mph", "related_type") == ["api::memo.memo"]
    assert context.column("up_permissions", "action") == ["api::memo.memo.find"]


def test_two_types_can_swap_their_names(make_context: MakeContext) -> None:
    memo = "api::memo.memo"
    schema = schema_of(content_type(NOTE, {"title": STRING}), content_type(memo, {"title": STRING}))
    context = make_context(schema)
    context.entry("notes", "a", title="note")
    context.entry("memos", "b", title="memo")
    context = context.migrate(schema, Renames(models={memo: NOTE, NOTE: memo}))
    assert context.column("notes", "title") == ["memo"]
    assert context.column("memos", "title") == ["note"]


def test_a_renamed_component_is_named_so_by_its_entries(make_context: MakeContext) -> None:
    context = make_context(schema_of(content_type(NOTE, {"quotes": QUOTES})))
    note = context.entry("notes", "a")
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    said = "parts.said"
    later = schema_of(
        content_type(NOTE, {"quotes": {**QUOTES, "component": said}}),
        component(said, {"text": STRING}),
    )
    context = context.migrate(later, Renames(models={said: QUOTE}))
    assert context.column("components_parts_saids", "text") == ["quoted"]
    assert context.column("notes_cmps", "component_type") == [said]


def test_removed_components_and_media_leave_nothing_behind(make_context: MakeContext) -> None:
    attributes = {"title": STRING, "quotes": QUOTES, "pictures": MEDIA}
    context = make_context(schema_of(content_type(NOTE, attributes)))
    note = context.entry("notes", "a", title="kept")
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    file = context.entry("files", "f", name="file", hash="h", mime="image/png", size=1, url="/f")
    context.insert(
        "files_related_mph",
        file_id=file,
        related_id=note,
        related_type=NOTE,
        field="pictures",
        order=1,
    )
    context = context.migrate(PLAIN)
    assert context.count("components_parts_quotes") == 0
    assert context.count("files_related_mph") == 0
    assert context.count("files") == 1


def test_a_renamed_field_of_components_and_media_keeps_them(make_context: MakeContext) -> None:
    context = make_context(schema_of(content_type(NOTE, {"quotes": QUOTES})))
    note = context.entry("notes", "a")
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    later = schema_of(content_type(NOTE, {"sayings": QUOTES}))
    context = context.migrate(later, Renames(attributes={NOTE: {"sayings": "quotes"}}))
    assert context.column("notes_cmps", "field") == ["sayings"]


def test_links_stay_when_a_relation_becomes_to_one(make_context: MakeContext) -> None:
    context = make_context(schema_of(content_type(NOTE, {"tags": TAGS})))
    note = context.entry("notes", "a")
    tag = context.entry("tags", "t", name="tag")
    context.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    later = schema_of(content_type(NOTE, {"tags": {**TAGS, "relation": "manyToOne"}}))
    context = context.migrate(later)
    assert context.column("notes_tags_lnk", "tag_id") == [tag]


def test_a_relation_to_another_type_begins_anew(make_context: MakeContext) -> None:
    context = make_context(schema_of(content_type(NOTE, {"tags": TAGS})))
    note = context.entry("notes", "a")
    tag = context.entry("tags", "t", name="tag")
    context.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    later = schema_of(content_type(NOTE, {"tags": {**TAGS, "target": NOTE}}))
    assert [str(step) for step in context.plan(later).losses] == [
        "drop the table notes_tags_lnk with 1 row"
    ]
    assert context.migrate(later).count("notes_tags_lnk") == 0


@pytest.mark.parametrize("added", [False, True])
def test_a_relation_without_a_table_goes_with_its_column(
    make_context: MakeContext, *, added: bool
) -> None:
    """Rows can be written afterwards, though the type that it leads to is gone."""
    relation = {"type": "relation", "relation": "manyToOne", "useJoinTable": False}
    attributes = {"title": STRING, "memo": {**relation, "target": MEMO}}
    memo = content_type(MEMO, {"title": STRING})
    first = {"title": STRING} if added else attributes
    context = make_context(schema_of(content_type(NOTE, first), memo))
    context = context.migrate(schema_of(content_type(NOTE, attributes), memo))
    context.entry("notes", "a", title="one", memo_id=context.entry("memos", "m", title="memo"))
    elsewhere = {**attributes, "memo": {**relation, "target": TAG}}
    context = context.migrate(schema_of(content_type(NOTE, elsewhere), memo))
    assert context.column("notes", "memo_id") == [None]
    context = context.migrate(schema_of(content_type(NOTE, attributes), memo))
    context = context.migrate(PLAIN)
    context.entry("notes", "b", title="two")
    context.store.execute("UPDATE notes SET title = 'three'")
    assert context.column("notes", "title") == ["three", "three"]


@pytest.mark.parametrize(
    ("later", "values", "arrived", "unfit"),
    [
        ("integer", ["12", " 7 ", "word", None], [12, 7, None, None], 1),
        ("boolean", ["true", "0", "maybe"], [1, 0, None], 1),
        ("date", ["2026-02-03", "2026-02-03T10:00:00Z", "3.2."], ["2026-02-03"] * 2 + [None], 1),
        ("text", ["a", "b"], ["a", "b"], 0),
    ],
)
def test_values_are_converted_where_they_can_be(
    make_context: MakeContext,
    later: str,
    values: list[str],
    arrived: list[object],
    unfit: int,
) -> None:
    context = make_context(PLAIN)
    for place, value in enumerate(values):
        context.entry("notes", f"d{place}", title=value)
    schema = schema_of(content_type(NOTE, {"title": {"type": later}}))
    plan = context.plan(schema)
    conversions = [step for step in plan.steps if isinstance(step, ConvertColumn)]
    assert [step.unfit for step in conversions] == [unfit]
    assert bool(plan.losses) == bool(unfit)
    assert context.migrate(schema).column("notes", "title") == arrived


def test_a_renamed_attribute_may_change_its_type_too(make_context: MakeContext) -> None:
    """Names may even be exchanged meanwhile."""
    schema = schema_of(content_type(NOTE, {"title": STRING, "size": {"type": "integer"}}))
    context = make_context(schema)
    context.entry("notes", "a", title="12", size=13)
    context = context.migrate(
        schema, Renames(attributes={NOTE: {"title": "size", "size": "title"}})
    )
    assert context.column("notes", "title") == ["13"]
    assert context.column("notes", "size") == [12]


def test_a_password_is_never_made_of_a_text_nor_a_text_of_a_password(
    make_context: MakeContext,
) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="plain")
    later = schema_of(content_type(NOTE, {"title": {"type": "password"}}))
    assert len(context.plan(later).losses) == 1
    context = context.migrate(later)
    assert context.column("notes", "title") == [None]


def test_what_nobody_knows_is_left_alone(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.store.execute("CREATE TABLE of_somebody_else (id integer)")
    context.store.execute("ALTER TABLE notes ADD COLUMN of_somebody_else integer")
    later = schema_of(content_type(NOTE, {"title": STRING, "size": {"type": "integer"}}))
    assert context.plan(later).steps == (AddColumn(table="notes", column="size"),)


def test_what_is_there_already_is_not_made_again(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.store.execute("ALTER TABLE notes ADD COLUMN size integer")
    later = schema_of(content_type(NOTE, {"title": STRING, "size": {"type": "integer"}}))
    assert context.plan(later).steps == ()


def test_a_name_that_is_taken_is_a_conflict(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.store.execute("ALTER TABLE notes ADD COLUMN headline integer")
    later = schema_of(content_type(NOTE, {"headline": STRING}))
    with pytest.raises(MigrationConflictError, match="notes has a column headline already"):
        context.plan(later, Renames(attributes={NOTE: {"headline": "title"}}))


def test_tables_of_the_schema_are_unchanged_for_other_types(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.entry("tags", "t", name="kept")
    context = context.migrate(schema_of(content_type(NOTE, {})))
    assert context.column("tags", "name") == ["kept"]
    assert TAG in context.schema.content_types
