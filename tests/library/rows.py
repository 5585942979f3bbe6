"""Rows of the library: documents, their versions, links, files and components."""

from collections.abc import Mapping
from typing import Any

import apsw
from sqlalchemy import MetaData

from quire.database.dialects.sqlite.target import SQLITE
from quire.database.tables.ddl import create_program
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ORDER,
    BackColumnEdge,
    ColumnEdge,
    ComponentEdge,
    LinkEdge,
    MorphBackColumnEdge,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
    TableMap,
    map_tables,
)
from quire.schema.model import FILE_UID, Schema
from tests.databases.store import Store
from tests.library.model import BOOK, library_schema
from tests.library.row_inserts import RowInserts, row_inserts

NOW = 1_700_000_000_000

_known_inserts: dict[tuple[str, str], RowInserts] = {}
"""Ways to insert rows by dialect and version of a schema: describing all tables takes a while."""


class LibraryRows:
    """Writes rows into a database, as another program would have.

    ``schema`` is that of the library unless a test brings its own.
    """

    def __init__(self, database: Store, schema: Schema | None = None) -> None:
        """The tables must be there."""
        self.database = database
        self.schema = schema or library_schema()
        self.tables: TableMap = map_tables(self.schema)
        key = (database.dialect.name, self.schema.version)
        if key not in _known_inserts:
            _known_inserts[key] = row_inserts(self.schema, self.tables, database.kind)
        self._inserts = _known_inserts[key]
        self._documents = 0

    def insert(self, table: str, row: Mapping[str, object]) -> int:
        """Insert a row by columns; returns its id."""
        return self.database.run(self._inserts.insert(table, row))

    def add(
        self,
        uid: str,
        *,
        document: str | None = None,
        locale: str | None = "en",
        published: bool = True,
        at: int = NOW,
        **values: object,
    ) -> int:
        """Add an entry with the values of its attributes; returns the row's id.

        Moments are epoch milliseconds. Types that know no drafts have a published time always.
        """
        model = self.schema.content_types[uid]
        if document is None:
            self._documents += 1
            document = f"document{self._documents:016d}"
        given = {
            "documentId": document,
            "createdAt": at,
            "updatedAt": at,
            "publishedAt": at if published or not model.draft_and_publish else None,
            "locale": locale if model.localized else None,
            **values,
        }
        return self.insert(self.tables[uid].name, self._columns(uid, given))

    def _columns(self, uid: str, values: Mapping[str, object]) -> dict[str, object]:
        columns = self.tables[uid].columns
        return {columns[name]: value for name, value in values.items()}

    def component(
        self,
        uid: str,
        attribute: str,
        entry: int,
        component: str,
        *,
        order: float | None = 1,
        **values: object,
    ) -> int:
        """Add a component to an entry (or to another component); returns the component's id."""
        edge = self.tables[uid].edges[attribute]
        assert isinstance(edge, ComponentEdge)
        assert component in edge.components
        added = self.insert(self.tables[component].name, self._columns(component, values))
        link = {
            COMPONENT_ENTITY: entry,
            COMPONENT_ID: added,
            COMPONENT_TYPE: component,
            FIELD: attribute,
            ORDER: order,
        }
        self.insert(edge.table, link)
        return added

    def file(self, name: str = "a.png", **values: object) -> int:
        """Add a file of the media library; returns its id."""
        stored: dict[str, Any] = {
            "name": name,
            "hash": name,
            "mime": "image/png",
            "size": 1.5,
            "url": f"/uploads/{name}",
            "provider": "local",
            "folderPath": "/",
        }
        return self.add(FILE_UID, **{**stored, **values})

    def link(
        self,
        uid: str,
        attribute: str,
        source_id: int,
        *target_ids: int,
        target: str | None = None,
        field: str | None = None,
    ) -> None:
        """Link an entry to others, in this order.

        Where their type may be any, ``target`` is their type, and ``field`` the name under which
        they know the entry.
        """
        edge = self.tables[uid].edges[attribute]
        for position, other in enumerate(target_ids, start=1):
            match edge:
                case LinkEdge():
                    self._link(edge, source_id, other, position)
                case ColumnEdge(column=column):
                    self._update(uid, source_id, {column: other})
                case BackColumnEdge(column=column):
                    self._update(edge.target, other, {column: source_id})
                case MorphTargetEdge():
                    row = {
                        edge.target_column: other,
                        edge.source_id_column: source_id,
                        edge.source_type_column: edge.type_value,
                    }
                    self.insert(edge.table, {**row, FIELD: edge.field, ORDER: position})
                case MorphListEdge():
                    row = {
                        edge.source_column: source_id,
                        edge.target_id_column: other,
                        edge.target_type_column: str(target),
                    }
                    self.insert(edge.table, {**row, FIELD: field, ORDER: position})
                case MorphColumnEdge():
                    row = {edge.id_column: other, edge.type_column: str(target)}
                    self._update(uid, source_id, row)
                case MorphBackColumnEdge():
                    row = {edge.id_column: source_id, edge.type_column: edge.type_value}
                    self._update(edge.target, other, row)
                case _:
                    raise AssertionError(f"{uid}.{attribute} is not linked by itself")

    def _link(self, edge: LinkEdge, source_id: int, target_id: int, position: int) -> None:
        row: dict[str, object] = {edge.source_column: source_id, edge.target_column: target_id}
        if edge.order is not None:
            row[edge.order] = position
        if edge.inverse_order is not None:
            row[edge.inverse_order] = self._next(edge.table, edge.target_column, target_id)
        self.insert(edge.table, row)

    def _next(self, table: str, column: str, value: int) -> int:
        sql = f'SELECT count(*) FROM "{table}" WHERE "{column}" = ?'
        return int(self.database.execute(sql, (value,))[0][0]) + 1

    def _update(self, uid: str, row: int, values: Mapping[str, object]) -> None:
        assignments = ", ".join(f'"{column}" = ?' for column in values)
        sql = f'UPDATE "{self.tables[uid].name}" SET {assignments} WHERE id = ?'
        self.database.execute(sql, (*values.values(), row))

    def book(self, title: str | None = None) -> int:
        """Add a published book in English; returns the row's id."""
        return self.add(BOOK, title=title)


def library_metadata(schema: Schema | None = None) -> MetaData:
    """Describe the tables of the library, or of another schema."""
    schema = schema or library_schema()
    return build_metadata(schema, map_tables(schema), SQLITE.column_types)


def new_connection(path: str = ":memory:", schema: Schema | None = None) -> apsw.Connection:
    """Make the tables in a new database and stay connected to it."""
    connection = apsw.Connection(path)
    with connection:
        program = create_program(library_metadata(schema), SQLITE.ddl)
        for statement in program:
            connection.execute(statement.sql)
    return connection
