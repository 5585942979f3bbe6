"""A database that is migrated between two small schemas, and inspected."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.database.integrity.check import examine_program
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.migration.apply import MigrationTarget, migrate, plan_migration
from quire.database.migration.plan import RequestedMigration
from quire.database.migration.schema_pair import Renames, schema_tables
from quire.database.migration.steps import Plan
from quire.database.tables.metadata import build_metadata
from quire.database.tables.missing_structure import MissingItem, compare
from quire.database.tables.system_tables import CURRENT_MIGRATIONS
from quire.database.tables.table_map import map_tables
from quire.schema.load import build_schema
from quire.schema.model import Schema
from quire.schema.source_files import SchemaFile
from tests.databases.store import Store

NOW = 1_800_000_000_000
NOTE = "api::note.note"
TAG = "api::tag.tag"
QUOTE = "parts.quote"

Attributes = Mapping[str, Mapping[str, object]]

STRING: Mapping[str, object] = {"type": "string"}
QUOTES: Mapping[str, object] = {"type": "component", "component": QUOTE, "repeatable": True}
MEDIA: Mapping[str, object] = {"type": "media", "multiple": True}
TAGS: Mapping[str, object] = {"type": "relation", "relation": "manyToMany", "target": TAG}


def content_type(
    uid: str, attributes: Attributes, *, drafts: bool = False, localized: bool = False
) -> SchemaFile:
    """Describe a collection type as its file does."""
    name = uid.rpartition(".")[2]
    raw = {
        "kind": "collectionType",
        "collectionName": f"{name}s".replace("-", "_"),
        "info": {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()},
        "options": {"draftAndPublish": drafts},
        "pluginOptions": {"i18n": {"localized": True}} if localized else {},
        "attributes": attributes,
    }
    return SchemaFile(uid, f"src/api/{name}/content-types/{name}/schema.json", raw)


def component(uid: str, attributes: Attributes) -> SchemaFile:
    """Describe a component as its file does."""
    category, _, name = uid.partition(".")
    raw = {
        "collectionName": f"components_{category}_{name}s",
        "info": {"displayName": name.title()},
        "attributes": attributes,
    }
    return SchemaFile(uid, f"src/components/{category}/{name}.json", raw)


def schema_of(*sources: SchemaFile) -> Schema:
    """Make a schema of these models and those that are always there."""
    tag = content_type(TAG, {"name": STRING})
    quote = component(QUOTE, {"text": STRING})
    present = {source.uid for source in sources}
    others = [source for source in (tag, quote) if source.uid not in present]
    return build_schema([*sources, *others])


class MigratedDatabase(Struct, frozen=True, kw_only=True):
    """A database and what its tables are for."""

    store: Store
    schema: Schema

    def bring_up(self) -> None:
        """Write the metadata of every database."""
        for name in CURRENT_MIGRATIONS:
            self.insert("strapi_migrations_internal", name=name)
        self.insert(
            "strapi_core_store_settings",
            key="plugin_i18n_default_locale",
            value='"en"',
            type="string",
        )
        self.entry("i18n_locale", "english", code="en", name="English")

    def plan(self, later: Schema, renames: Renames | None = None) -> Plan:
        """Plan a migration without doing anything."""
        return self.store.run(plan_migration(self._place(), self._change(later, renames))).plan

    def migrate(self, later: Schema, renames: Renames | None = None) -> "MigratedDatabase":
        """Migrate the database; afterwards it has to be sound and all that is wanted."""
        planned = self.store.run(plan_migration(self._place(), self._change(later, renames)))
        with self.store.transaction():
            self.store.run(migrate(self._place(), planned, title="a change", now=NOW))
        arrived = MigratedDatabase(store=self.store, schema=later)
        wrong = [*map(str, arrived.lacks()), *arrived.surplus(), *arrived.problems()]
        assert not wrong, wrong
        return arrived

    def insert(self, table: str, **values: object) -> int:
        """Insert a row; returns its id."""
        columns = ", ".join(f'"{name}"' for name in values)
        places = ", ".join("?" for _ in values)
        sql = f'INSERT INTO "{table}" ({columns}) VALUES ({places}) RETURNING id'
        [(id_,)] = self.store.execute(sql, tuple(values.values()))
        return int(id_)

    def entry(self, table: str, document: str, *, live: bool = True, **values: object) -> int:
        """Insert a row of a document."""
        id_ = self.insert(table, document_id=document, **values)
        moment = self.store.moment(NOW)
        stamps = f"created_at = {moment}, updated_at = {moment}"
        published = f", published_at = {moment}" if live else ""
        self.store.execute(f'UPDATE "{table}" SET {stamps}{published} WHERE id = {id_}')
        return id_

    def column(self, table: str, name: str) -> Sequence[Any]:
        """Return the values of a column, in the order of ids."""
        return [
            value for (value,) in self.store.execute(f'SELECT "{name}" FROM "{table}" ORDER BY id')
        ]

    def count(self, table: str) -> int:
        """Count the rows of a table."""
        [(count,)] = self.store.execute(f'SELECT count(*) FROM "{table}"')
        return int(count)

    def tables(self) -> frozenset[str]:
        """Name the tables."""
        return self.store.run(self.store.kind.inspector.table_names())

    def lacks(self) -> list[MissingItem]:
        """List what the database lacks."""
        kind = self.store.kind
        wanted = build_metadata(self.schema, map_tables(self.schema), kind.column_types)
        found = self.store.run(kind.inspector.tables())
        return compare(wanted, found, kind.ddl)

    def surplus(self) -> list[str]:
        """List tables and columns that the schema does not want, but those archived."""
        kind = self.store.kind
        wanted = build_metadata(self.schema, map_tables(self.schema), kind.column_types).tables
        found = self.store.run(kind.inspector.tables())
        surplus = [name for name in found if name not in wanted and not name.startswith("quire_")]
        for name, table in wanted.items():
            surplus += [f"{name}.{c}" for c in found[name].columns if c not in table.c]
        return surplus

    def problems(self) -> list[str]:
        """List what `quire check` would say of the rows."""
        layout = ExaminedTables(
            schema=self.schema,
            tables=map_tables(self.schema),
            existing_tables=self.store.run(self.store.kind.inspector.tables()),
            dialect=self.store.dialect,
        )
        return [str(one) for one in self.store.run(examine_program(layout))]

    def _place(self) -> MigrationTarget:
        return MigrationTarget(kind=self.store.kind, dialect=self.store.dialect)

    def _change(self, later: Schema, renames: Renames | None) -> RequestedMigration:
        types = self.store.kind.column_types
        return RequestedMigration(
            before=schema_tables(self.schema, types),
            after=schema_tables(later, types),
            renames=renames or Renames(),
            default_locale="en",
        )
