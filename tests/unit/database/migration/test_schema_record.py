"""A database says what schema its tables are for, in our words and in the reference's."""

import json
from typing import Any

import pytest

from quire.database.compile.writes import Writes
from quire.database.migration.migrate import (
    ConsentNeededError,
    MigrationGoal,
    migrate_towards,
    plan_towards,
)
from quire.database.migration.schema_pair import Renames
from quire.database.migration.schema_record import OUR_RECORD, THEIR_RECORD, recorded_schema
from quire.schema.load import LoadOptions
from quire.schema.model import Schema
from tests.unit.database.migration.conftest import MakeGround
from tests.unit.database.migration.ground import (
    NOTE,
    NOW,
    STRING,
    TAG,
    Ground,
    content_type,
    schema_of,
)

PLAIN = schema_of(content_type(NOTE, {"title": STRING}))
WIDER = schema_of(content_type(NOTE, {"title": STRING, "size": {"type": "integer"}}))


def goal(schema: Schema, *, may_lose: bool = False) -> MigrationGoal:
    return MigrationGoal(schema=schema, options=LoadOptions(), renames=Renames(), may_lose=may_lose)


def setting(ground: Ground, key: str) -> dict[str, Any]:
    sql = "SELECT value FROM strapi_core_store_settings WHERE key = ?"
    [(text,)] = ground.store.execute(sql, (key,))
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


def started_by_the_reference(ground: Ground) -> Ground:
    ground.insert(
        "strapi_core_store_settings",
        key=THEIR_RECORD,
        value=described(ground.schema),
        type="object",
    )
    cast = "::json" if ground.store.dialect.name == "postgresql" else ""
    ground.store.execute(
        f"INSERT INTO strapi_database_schema (schema, hash) VALUES ('{{}}'{cast}, 'x')"
    )
    return ground


def test_nothing_is_known_of_a_database_that_nobody_has_written_to(make_ground: MakeGround) -> None:
    ground = make_ground(PLAIN)
    assert ground.store.run(recorded_schema(Writes(ground.store.dialect))) is None


def test_without_a_record_only_what_is_missing_is_made(make_ground: MakeGround) -> None:
    ground = make_ground(WIDER)
    later = schema_of(content_type(NOTE, {"headline": STRING}))
    planned = ground.store.run(plan_towards(ground.store.kind, goal(later)))
    assert [str(step) for step in planned.plan.steps] == ["add the column headline to notes"]


def test_what_was_migrated_is_remembered(make_ground: MakeGround) -> None:
    ground = make_ground(PLAIN)
    ground.store.run(migrate_towards(ground.store.kind, goal(WIDER), now=NOW))
    assert setting(ground, OUR_RECORD)["version"] == WIDER.version
    planned = ground.store.run(plan_towards(ground.store.kind, goal(PLAIN)))
    assert [str(step) for step in planned.plan.steps] == [
        "drop the column size of notes with 0 values"
    ]


def test_a_loss_is_refused_without_consent(make_ground: MakeGround) -> None:
    ground = make_ground(PLAIN)
    ground.store.run(migrate_towards(ground.store.kind, goal(WIDER), now=NOW))
    ground.entry("notes", "a", title="one", size=3)
    with pytest.raises(ConsentNeededError, match="drop the column size of notes with 1 value"):
        ground.store.run(migrate_towards(ground.store.kind, goal(PLAIN), now=NOW))
    assert ground.column("notes", "size") == [3]
    ground.store.run(migrate_towards(ground.store.kind, goal(PLAIN, may_lose=True), now=NOW))
    assert ground.surplus() == []


def test_the_record_of_the_reference_counts_for_content_types(make_ground: MakeGround) -> None:
    ground = started_by_the_reference(make_ground(WIDER))
    planned = ground.store.run(plan_towards(ground.store.kind, goal(PLAIN)))
    assert [str(step) for step in planned.plan.steps] == [
        "drop the column size of notes with 0 values"
    ]


def test_the_record_of_the_reference_is_kept_true(make_ground: MakeGround) -> None:
    ground = started_by_the_reference(make_ground(PLAIN))
    drafted = schema_of(content_type(NOTE, {"title": STRING}, drafts=True))
    ground.store.run(migrate_towards(ground.store.kind, goal(drafted), now=NOW))
    record = setting(ground, THEIR_RECORD)
    assert record[NOTE]["options"] == {"draftAndPublish": True}
    assert record[NOTE]["__schema__"]["options"] == {"draftAndPublish": True}
    assert record[NOTE]["attributes"]["createdAt"] == {"type": "datetime"}
    assert record["admin::user"] == {"uid": "admin::user"}
    assert ground.count("strapi_database_schema") == 0


def test_a_removed_type_leaves_the_record_of_the_reference(make_ground: MakeGround) -> None:
    ground = started_by_the_reference(make_ground(PLAIN))
    ground.store.run(migrate_towards(ground.store.kind, goal(schema_of()), now=NOW))
    record = setting(ground, THEIR_RECORD)
    assert NOTE not in record
    assert TAG in record
