"""A database on which a test runs programs itself, without a server."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from quire.database.dialect import Dialect
from quire.database.program import Program
from quire.database.tables.ddl import create_program
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import map_tables
from quire.database.target import DatabaseKind
from quire.schema.model import Schema
from tests.databases.kind import Row

T = TypeVar("T")


_creating: dict[tuple[str, str], Sequence[str]] = {}


def creating(kind: DatabaseKind, schema: Schema) -> Sequence[str]:
    """Return the statements that make the tables of a schema; describing them takes a while."""
    key = (kind.dialect().name, schema.version)
    if key not in _creating:
        metadata = build_metadata(schema, map_tables(schema), kind.column_types)
        _creating[key] = [made.sql for made in create_program(metadata, kind.ddl)]
    return _creating[key]


class Store(Protocol):
    """A database with the tables of a schema, for one test alone.

    Values come as the driver of this kind of database gives them; see `Dialect.decode_value`.
    """

    @property
    def kind(self) -> DatabaseKind:
        """What the product knows of such databases."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of such databases."""

    def run(self, program: Program[T]) -> T:
        """Run a program to its end."""

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run a statement with ``?`` for its values, whatever the kind; returns its rows."""

    def records(self, sql: str) -> list[dict[str, Any]]:
        """Run a query; returns its rows by the names of columns."""

    def moment(self, milliseconds: int) -> str:
        """Format a datetime for SQL."""

    def transaction(self) -> AbstractContextManager[None]:
        """Undo what is done within when it fails; may stand in another one."""

    def unwatched(self) -> AbstractContextManager[None]:
        """Let foreign keys lead nowhere for a while."""

    def close(self) -> None:
        """Let go of the database."""
