"""What is told to have another name now: once, twice, and of databases that know little."""

import pytest

from quire.database.migration.migrate import MigrationGoal, migrate_towards, plan_towards
from quire.database.migration.schema_diff import MigrationConflictError
from quire.database.migration.schema_pair import Renames
from quire.schema.load import LoadOptions
from quire.schema.model import Schema
from quire.schema.sources import SchemaFile
from tests.unit.database.migration.conftest import MakeGround
from tests.unit.database.migration.ground import (
    NOTE,
    NOW,
    STRING,
    Ground,
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


def goal(schema: Schema, renames: Renames) -> MigrationGoal:
    return MigrationGoal(schema=schema, options=LoadOptions(), renames=renames, may_lose=True)


def move(ground: Ground, schema: Schema, renames: Renames) -> Ground:
    """Migrate a database by what it says of itself."""
    ground.store.run(migrate_towards(ground.store.kind, goal(schema, renames), now=NOW))
    return Ground(store=ground.store, schema=schema)


def start(make_ground: MakeGround, schema: Schema) -> Ground:
    ground = make_ground(schema)
    return move(ground, schema, Renames())


def test_a_renaming_that_is_told_twice_is_done_once(make_ground: MakeGround) -> None:
    ground = start(make_ground, TITLED)
    ground.entry("notes", "a", title="one")
    ground = move(ground, HEADED, HEADLINE)
    assert (
        ground.store.run(plan_towards(ground.store.kind, goal(HEADED, HEADLINE))).plan.steps == ()
    )
    wider = schema_of(content_type(NOTE, {"headline": STRING, "size": {"type": "integer"}}))
    ground = move(ground, wider, HEADLINE)
    assert ground.column("notes", "headline") == ["one"]


def test_names_that_were_exchanged_are_not_exchanged_back(make_ground: MakeGround) -> None:
    both = schema_of(content_type(NOTE, {"one": STRING, "two": {"type": "text"}}))
    later = schema_of(content_type(NOTE, {"two": STRING, "one": {"type": "text"}}))
    exchanged = Renames(attributes={NOTE: {"one": "two", "two": "one"}})
    ground = start(make_ground, both)
    ground.entry("notes", "a", one="first", two="second")
    for _ in range(2):
        ground = move(ground, later, exchanged)
        assert ground.column("notes", "two") == ["first"]


@pytest.mark.parametrize(
    ("renames", "fault"),
    [
        (Renames(attributes={NOTE: {"headline": "subject"}}), f"there is no {NOTE}.subject"),
        (Renames(attributes={NOTE: {"subject": "title"}}), f"the files have no {NOTE}.subject"),
        (Renames(attributes={MEMO: {"headline": "title"}}), "the files have no such type"),
        (Renames(models={NOTE: MEMO, MEMO: NOTE}), f"the files have no {MEMO}"),
    ],
)
def test_a_renaming_of_what_is_not_there_is_refused(
    make_ground: MakeGround, renames: Renames, fault: str
) -> None:
    ground = start(make_ground, TITLED)
    with pytest.raises(MigrationConflictError, match=fault):
        ground.store.run(plan_towards(ground.store.kind, goal(HEADED, renames)))


def test_attributes_of_a_renamed_type_go_by_its_former_uid_too(make_ground: MakeGround) -> None:
    ground = start(make_ground, TITLED)
    ground.entry("notes", "a", title="one")
    later = schema_of(content_type(MEMO, {"headline": STRING}))
    renames = Renames(models={MEMO: NOTE}, attributes={NOTE: {"headline": "title"}})
    assert move(ground, later, renames).column("memos", "headline") == ["one"]


def test_components_are_renamed_where_only_the_reference_was_before(
    make_ground: MakeGround,
) -> None:
    """It writes down its content types alone."""
    raw = component(REMARK, {"text": STRING}).raw
    remarks = {"remark": {"type": "component", "component": REMARK}}
    before = schema_of(content_type(NOTE, remarks), SchemaFile(REMARK, "remark.json", raw))
    ground = started_by_the_reference(make_ground(before))
    note = ground.entry("notes", "a")
    remark = ground.insert("components_parts_remarks", text="said")
    ground.insert(
        "notes_cmps", entity_id=note, cmp_id=remark, component_type=REMARK, field="remark"
    )
    said = SchemaFile(SAYING, "saying.json", {**raw, "attributes": {"words": STRING}})
    sayings = {"remark": {"type": "component", "component": SAYING}}
    renames = Renames(models={SAYING: REMARK}, attributes={SAYING: {"words": "text"}})
    ground = move(ground, schema_of(content_type(NOTE, sayings), said), renames)
    assert ground.column("notes_cmps", "component_type") == [SAYING]
    assert ground.column("components_parts_remarks", "words") == ["said"]
