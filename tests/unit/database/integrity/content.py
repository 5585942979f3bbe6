"""A database that a test damages by plain SQL, checks and repairs."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

from quire.database.integrity.check import examine_program, repair_program
from quire.database.integrity.components import component_rules
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.integrity.findings import Damage, DamageKind
from quire.database.integrity.morph_links import morph_rules
from quire.database.tables.system_tables import CURRENT_MIGRATIONS
from quire.database.tables.table_map import map_tables
from quire.schema.model import Schema
from tests.databases.store import Store

_MOMENT = re.compile(r"\b\d{13}\b")
_INTO = re.compile(r"INSERT INTO (\w+)")

Found = tuple[DamageKind, str, list[int]]
"""Kind, table and ids of a finding."""


class Content:
    """A database and its schema. Foreign keys are not watched over while a test damages it."""

    def __init__(self, store: Store, schema: Schema) -> None:
        self.store = store
        self.schema = schema
        self.tables = map_tables(schema)
        self._layout: ExaminedTables | None = None

    def damage(self, *statements: str) -> None:
        """Run statements that no server would run.

        Moments in them are epoch milliseconds, thirteen digits.
        """
        self._layout = None
        with self.store.unwatched():
            for statement in statements:
                self.store.execute(_MOMENT.sub(self._moment, statement))
                self._count_rows(statement)

    def _count_rows(self, statement: str) -> None:
        """Let the next id of a table be none that a statement has given a row."""
        if named := _INTO.match(statement):
            self.store.run(self.store.kind.counters.raise_to(named[1], 0))

    def drop_index(self, name: str, table: str) -> None:
        """Take away an index, which keeps damage out."""
        self.damage(self.store.kind.ddl.drop_index(name, table))

    def drop_table(self, name: str) -> None:
        """Take away a table, whatever refers to it."""
        self.damage(self.store.kind.ddl.drop_table(name))

    def _moment(self, found: re.Match[str]) -> str:
        return self.store.moment(int(found[0]))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.store.execute(sql)

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables."""
        return {
            table: self.rows(f'SELECT * FROM "{table}" ORDER BY id')
            for table in self.layout.existing_tables
        }

    def ids(self, sql: str) -> list[int]:
        """The first column of a query, in order of value."""
        return sorted(row[0] for row in self.rows(sql))

    @property
    def layout(self) -> ExaminedTables:
        if self._layout is None:
            found = self.store.run(self.store.kind.inspector.tables())
            self._layout = ExaminedTables(
                schema=self.schema,
                tables=self.tables,
                existing_tables=found,
                dialect=self.store.dialect,
            )
        return self._layout

    def findings(self) -> list[Damage]:
        return self.store.run(examine_program(self.layout))

    def report(self) -> list[Found]:
        return described(self.findings())

    def repair(self, *, duplicates: bool = False) -> list[Found]:
        """Repair as the server's writer does, foreign keys watched over."""
        return described(self.store.run(repair_program(self.layout, duplicates=duplicates)))

    def repair_components(self) -> None:
        """Delete components of no content, and the links of what was deleted."""
        layout = self.layout
        for rule in (*component_rules(layout), *morph_rules(layout)):
            self.store.run(rule.repair())

    def assert_sound(self) -> None:
        """Neither the rules nor the database itself find anything."""
        assert self.findings() == []
        assert self.store.run(self.store.kind.broken_references(())) == []


class NewContent(Protocol):
    """Makes a new database, with the tables of a schema and the rows of these statements alone."""

    def __call__(self, schema: Schema, *statements: str) -> Content: ...


def filled(content: Content, *statements: str) -> Content:
    """Add rows to the tables of a new database."""
    names = ", ".join(f"('{name}')" for name in CURRENT_MIGRATIONS)
    content.damage(f"INSERT INTO strapi_migrations_internal (name) VALUES {names}", *statements)
    return content


def described(findings: Sequence[Damage]) -> list[Found]:
    return [(finding.kind, finding.table, list(finding.ids)) for finding in findings]
