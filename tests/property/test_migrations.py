"""Migrations between random small schemas create the right tables and keep values."""

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quire.database.compile.writes import Writes
from quire.database.migration.migrate import MigrationRequest, migrate_to, plan_migration_to
from quire.database.migration.schema_pair import Renames
from quire.database.migration.schema_record import record_schema
from quire.schema.load import LoadOptions
from quire.schema.model import Schema
from tests.databases.kind import Kind
from tests.unit.database.migration.migrated_database import (
    MEDIA,
    NOTE,
    NOW,
    QUOTES,
    STRING,
    TAGS,
    MigratedDatabase,
    content_type,
    schema_of,
)

FORMS: Mapping[str, Mapping[str, object]] = {
    "string": STRING,
    "unique": {"type": "string", "unique": True},
    "text": {"type": "text"},
    "integer": {"type": "integer"},
    "decimal": {"type": "decimal"},
    "boolean": {"type": "boolean"},
    "datetime": {"type": "datetime"},
    "json": {"type": "json"},
    "tags": TAGS,
    "tag": {**TAGS, "relation": "manyToOne"},
    "note": {"type": "relation", "relation": "oneToOne", "target": NOTE},
    "quotes": QUOTES,
    "media": MEDIA,
    "zone": {"type": "dynamiczone", "components": ["parts.quote"]},
}
"""Attributes of many kinds; those with a column come first."""

_TEXTS = frozenset({"string", "unique", "text"})
"""Forms in which a text stays what it is."""

names = st.sampled_from("abcd")
models = st.fixed_dictionaries(
    {
        "forms": st.dictionaries(
            st.sampled_from("abcd"), st.sampled_from(sorted(FORMS)), max_size=3
        ),
        "drafts": st.booleans(),
        "localized": st.booleans(),
    }
)


def schema_from(drawn: Mapping[str, Any], renames: Renames) -> Schema:
    """Make the schema that was drawn, with the renamed attribute under its later name."""
    attributes = {name: FORMS[form] for name, form in drawn["forms"].items()}
    attributes |= dict.fromkeys(renames.attributes.get(NOTE, {}), STRING)
    made = content_type(NOTE, attributes, drafts=drawn["drafts"], localized=drawn["localized"])
    return schema_of(made)


def follow(
    context: MigratedDatabase, schema: Schema, renames: Renames
) -> tuple[MigratedDatabase, bool]:
    """Migrate a database by what it says of itself; returns whether a loss was announced.

    Afterwards it has all that the schema wants and nothing else, and needs nothing any more.
    """
    store = context.store
    request = MigrationRequest(schema=schema, options=LoadOptions(), renames=renames, may_lose=True)
    with store.transaction():
        planned = store.run(migrate_to(store.kind, request, now=NOW))
    arrived = MigratedDatabase(store=store, schema=schema)
    assert [*map(str, arrived.lacks()), *arrived.surplus(), *arrived.problems()] == []
    assert store.run(plan_migration_to(store.kind, request)).plan.steps == ()
    return arrived, bool(planned.plan.losses)


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=models, others=st.lists(models, min_size=1, max_size=2), is_renamed=st.booleans())
def test_any_schema_can_become_any_other_one(
    kind: Kind, first: Mapping[str, Any], others: list[Mapping[str, Any]], *, is_renamed: bool
) -> None:
    schema = schema_from(first, Renames())
    store = kind.store(schema)
    try:
        context = MigratedDatabase(store=store, schema=schema)
        context.bring_up()
        store.run(record_schema(Writes(store.dialect), schema, Renames()))
        texts = {
            name: f"text of {name}" for name, form in first["forms"].items() if form == "string"
        }
        for live in [False, True] if first["drafts"] else [True]:
            locale = "en" if first["localized"] else None
            id_ = context.entry("notes", "a", live=live, locale=locale)
            for name, text in texts.items():
                store.execute(f"UPDATE notes SET {name} = ? WHERE id = ?", (text, id_))
        for number, drawn in enumerate(others):
            renames = Renames()
            kept = {n: text for n, text in texts.items() if drawn["forms"].get(n) in _TEXTS}
            gone = sorted(texts.keys() - drawn["forms"].keys())
            if is_renamed and gone:
                renames = Renames(attributes={NOTE: {"xy"[number]: gone[0]}})
                kept["xy"[number]] = texts[gone[0]]
            context, is_announced = follow(context, schema_from(drawn, renames), renames)
            assert is_announced or sorted(kept.values()) == sorted(texts.values())
            for name, text in kept.items():
                assert set(context.column("notes", name)) == {text}
            texts = kept
    finally:
        store.close()
