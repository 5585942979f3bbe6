"""Renames: once, repeated, and on databases without a schema record."""

import pytest

from quire.database.migration.migrate import MigrationRequest, migrate_to, plan_migration_to
from quire.database.migration.schema_diff import MigrationConflictError
from quire.database.migration.schema_pair import Renames
from quire.schema.load import LoadOptions
from quire.schema.model import Schema
from quire.schema.source_files import SchemaFile
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    NOTE,
    NOW,
    STRING,
    MigratedDatabase,
    component,
    content_type,
    schema_of,
)
from tests.unit.database.migration.test_schema_record import started_by_the_reference

MEMO = "api::memo.memo"
REMARK = "parts.remark"
SAYING = "parts.saying"
TITLED = schema_of(content_type(NOTE, {"title": STRING}))
HEADED = schema_of(content_type(NOTE, {"headline": STRING}))
HEADLINE = Renames(attributes={NOTE: {"headline": "title"}})


def goal(schema: Schema, renames: Renames) -> MigrationRequest:
    return MigrationRequest(schema=schema, options=LoadOptions(), renames=renames, may_lose=True)


def move(context: MigratedDatabase, schema: Schema, renames: Renames) -> MigratedDatabase:
    """Migrate a database by what it says of itself."""
    context.store.run(migrate_to(context.store.kind, goal(schema, renames), now=NOW))
    return MigratedDatabase(store=context.store, schema=schema)


def start(make_context: MakeContext, schema: Schema) -> MigratedDatabase:
    context = make_context(schema)
    return move(context, schema, Renames())


def test_a_renaming_that_is_told_twice_is_done_once(make_context: MakeContext) -> None:
    context = start(make_context, TITLED)
    context.entry("notes", "a", title="one")
    context = move(context, HEADED, HEADLINE)
    assert (
        context.store.run(plan_migration_to(context.store.kind, goal(HEADED, HEADLINE))).plan.steps
        == ()
    )
    wider = schema_of(content_type(NOTE, {"headline": STRING, "size": {"type": "integer"}}))
    context = move(context, wider, HEADLINE)
    assert context.column("notes", "headline") == ["one"]


def test_names_that_were_exchanged_are_not_exchanged_back(make_context: MakeContext) -> None:
    both = schema_of(content_type(NOTE, {"one": STRING, "two": {"type": "text"}}))
    later = schema_of(content_type(NOTE, {"two": STRING, "one": {"type": "text"}}))
    exchanged = Renames(attributes={NOTE: {"one": "two", "two": "one"}})
    context = start(make_context, both)
    context.entry("notes", "a", one="first", two="second")
    for _ in range(2):
        context = move(context, later, exchanged)
        assert context.column("notes", "two") == ["first"]


@pytest.mark.parametrize(
    ("renames", "problem"),
    [
        (Renames(attributes={NOTE: {"headline": "subject"}}), f"there is no {NOTE}.subject"),
        (Renames(attributes={NOTE: {"subject": "title"}}), f"the files have no {NOTE}.subject"),
        (Renames(attributes={MEMO: {"headline": "title"}}), "the files have no such type"),
        (Renames(models={NOTE: MEMO, MEMO: NOTE}), f"the files have no {MEMO}"),
        (
            Renames(attributes={NOTE: {"headline": "title", "subject": "title"}}),
            f"{NOTE}.title cannot become headline and subject",
        ),
    ],
)
def test_a_renaming_of_what_is_not_there_is_refused(
    make_context: MakeContext, renames: Renames, problem: str
) -> None:
    context = start(make_context, TITLED)
    with pytest.raises(MigrationConflictError, match=problem):
        context.store.run(plan_migration_to(context.store.kind, goal(HEADED, renames)))


def test_attributes_of_a_renamed_type_go_by_its_former_uid_too(make_context: MakeContext) -> None:
    context = start(make_context, TITLED)
    context.entry("notes", "a", title="one")
    later = schema_of(content_type(MEMO, {"headline": STRING}))
    renames = Renames(models={MEMO: NOTE}, attributes={NOTE: {"headline": "title"}})
    assert move(context, later, renames).column("memos", "headline") == ["one"]


def test_attributes_may_be_named_under_both_uids_of_a_renamed_type(
    make_context: MakeContext,
) -> None:
    context = start(make_context, schema_of(content_type(NOTE, {"title": STRING, "text": STRING})))
    context.entry("notes", "a", title="one", text="two")
    later = schema_of(content_type(MEMO, {"headline": STRING, "body": STRING}))
    renames = Renames(
        models={MEMO: NOTE}, attributes={NOTE: {"headline": "title"}, MEMO: {"body": "text"}}
    )
    context = move(context, later, renames)
    assert context.column("memos", "headline") == ["one"]
    assert context.column("memos", "body") == ["two"]


@pytest.mark.parametrize(
    "names", [({"headline": "title"}, {"body": "title"}), ({"body": "title"}, {"body": "text"})]
)
def test_names_under_both_uids_of_a_renamed_type_are_one_list(
    make_context: MakeContext, names: tuple[dict[str, str], dict[str, str]]
) -> None:
    context = start(make_context, schema_of(content_type(NOTE, {"title": STRING, "text": STRING})))
    later = schema_of(content_type(MEMO, {"headline": STRING, "body": STRING}))
    renames = Renames(models={MEMO: NOTE}, attributes=dict(zip((NOTE, MEMO), names, strict=True)))
    with pytest.raises(MigrationConflictError, match="and"):
        move(context, later, renames)


def test_components_are_renamed_where_only_the_reference_was_before(
    make_context: MakeContext,
) -> None:
    """It writes down its content types alone."""
    raw = component(REMARK, {"text": STRING}).raw
    remarks = {"remark": {"type": "component", "component": REMARK}}
    before = schema_of(content_type(NOTE, remarks), SchemaFile(REMARK, "remark.json", raw))
    context = started_by_the_reference(make_context(before))
    note = context.entry("notes", "a")
    remark = context.insert("components_parts_remarks", text="said")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=remark, component_type=REMARK, field="remark"
    )
    said = SchemaFile(SAYING, "saying.json", {**raw, "attributes": {"words": STRING}})
    sayings = {"remark": {"type": "component", "component": SAYING}}
    renames = Renames(models={SAYING: REMARK}, attributes={SAYING: {"words": "text"}})
    context = move(context, schema_of(content_type(NOTE, sayings), said), renames)
    assert context.column("notes_cmps", "component_type") == [SAYING]
    assert context.column("components_parts_remarks", "words") == ["said"]
