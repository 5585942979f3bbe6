"""A database of content that a test damages by plain SQL, examines and repairs."""

from collections.abc import Sequence
from typing import Any

import apsw

from quire.database.bookkeeping import CURRENT_MIGRATIONS
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.dialects.sqlite.offline import foreign_keys_program
from quire.database.integrity.components import component_rules
from quire.database.integrity.examine import examine_program, repair_program
from quire.database.integrity.findings import Finding, Kind
from quire.database.integrity.layout import Layout
from quire.database.integrity.morphs import morph_rules
from quire.database.mapping import map_tables
from quire.schema.model import Schema
from tests.unit.database.running import found_in, new_database, run, tables_of

Told = tuple[Kind, str, list[int]]
"""Kind, table and ids of a finding."""


class Content:
    """A database and its schema. Foreign keys are not watched over while a test damages it."""

    def __init__(self, connection: apsw.Connection, schema: Schema) -> None:
        self.connection = connection
        self.schema = schema
        self.tables = map_tables(schema)
        self._layout: Layout | None = None
        connection.execute("PRAGMA foreign_keys = ON")

    def damage(self, *statements: str) -> None:
        """Run statements that no server would run."""
        self._layout = None
        self.connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            self.connection.execute(statement)
        self.connection.execute("PRAGMA foreign_keys = ON")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql).fetchall()

    def ids(self, sql: str) -> list[int]:
        """The first column of a query, in order of value."""
        return sorted(row[0] for row in self.rows(sql))

    @property
    def layout(self) -> Layout:
        if self._layout is None:
            found = found_in(self.connection)
            dialect = SqliteDialect()
            self._layout = Layout(
                schema=self.schema, tables=self.tables, found=found, dialect=dialect
            )
        return self._layout

    def findings(self) -> list[Finding]:
        return run(self.connection, examine_program(self.layout))

    def told(self) -> list[Told]:
        return told(self.findings())

    def repair(self, *, duplicates: bool = False) -> list[Told]:
        """Repair as the server's writer does, foreign keys watched over."""
        return told(run(self.connection, repair_program(self.layout, duplicates=duplicates)))

    def repair_components(self) -> None:
        """Delete components of no content, and the links of what was deleted."""
        layout = self.layout
        for rule in (*component_rules(layout), *morph_rules(layout)):
            run(self.connection, rule.repair())

    def assert_sound(self) -> None:
        """Neither the rules nor the database itself find anything."""
        assert self.findings() == []
        assert run(self.connection, foreign_keys_program()) == []


def new_content(schema: Schema, *statements: str) -> Content:
    """A new database with the tables of a schema and the rows of these statements alone."""
    content = Content(new_database(tables_of(schema)[1]), schema)
    names = ", ".join(f"('{name}')" for name in CURRENT_MIGRATIONS)
    content.damage(f"INSERT INTO strapi_migrations_internal (name) VALUES {names}", *statements)
    return content


def told(findings: Sequence[Finding]) -> list[Told]:
    return [(finding.kind, finding.table, list(finding.ids)) for finding in findings]
