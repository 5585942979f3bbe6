"""A database target: where a database is, of which kind, and how it is opened or created.

There is one `DatabaseTarget` for each database that a project can name. Shared code opens, inspects
and creates databases through it, and never checks the name of its kind.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct

from quire.database.dialect import Dialect
from quire.database.integrity.findings import Damage
from quire.database.interface import Database
from quire.database.planner_statistics import Statistics
from quire.database.program import Program
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import Inspector
from quire.database.tables.metadata import ColumnTypes

T = TypeVar("T")


class Counters(Protocol):
    """The highest ids that a database has assigned, those of deleted rows included."""

    def read(self) -> Program[Mapping[str, int]]:
        """Return the highest assigned id of each table, if known."""

    def raise_to(self, table: str, highest: int) -> Program[None]:
        """Set the next id of a table above this one, and above those of its rows."""


class DatabaseKind(Struct, frozen=True, kw_only=True):
    """The properties of one kind of database.

    ``damage`` checks the files themselves for damage and returns a line for each;
    ``broken_references`` lets the database find rows with broken foreign keys, except in tables
    that were reported already.
    """

    dialect: Callable[[], Dialect]
    column_types: ColumnTypes
    ddl: DdlWriter
    inspector: Inspector
    counters: Counters
    statistics: Statistics
    damage: Callable[[], Program[tuple[str, ...]]]
    broken_references: Callable[[Collection[str]], Program[list[Damage]]]


class InspectionConnection(Protocol):
    """A read-only connection for inspection."""

    async def run(self, program: Program[T]) -> T:
        """Run a program that only reads."""


class BulkLoadConnection(InspectionConnection, Protocol):
    """A connection for writing rows in any order."""

    async def write(self, program: Program[T]) -> T:
        """Run a program in one transaction: all of it is committed, or nothing."""


class DatabaseTarget(Protocol):
    """One database, which need not exist."""

    @property
    def kind(self) -> DatabaseKind:
        """The kind of database."""

    @property
    def place(self) -> str:
        """A description of its address for people, without passwords."""

    async def has_tables(self) -> bool:
        """Whether there is a database with any table in it.

        Raises DatabaseOpenError when it is something else than a database.
        """

    def look(self) -> AbstractAsyncContextManager[InspectionConnection]:
        """Open a read-only connection.

        Raises DatabaseOpenError when it does not exist, or cannot be opened as it is.
        """

    async def open(self) -> Database:
        """Open the database for serving, inside the event loop that will use it.

        Raises DatabaseOpenError when it cannot be opened as it is.
        """

    async def open_checked(
        self, make: Callable[[], Program[T]], require: Callable[[T], None]
    ) -> Database:
        """Inspect the database as `look` does, and open it if ``require`` accepts the result.

        Raises what ``require``, `look` and `open` raise.
        """

    def fill(self) -> AbstractAsyncContextManager[BulkLoadConnection]:
        """Open the database, or create an empty one, to write rows in any order.

        Existing foreign keys are not checked. Raises DatabaseOpenError when it cannot be opened as
        it is.
        """

    def new(self) -> AbstractAsyncContextManager[Database]:
        """Create an empty database that takes the place of this one when the block succeeds.

        If the block fails, nothing is left behind. Use it when `has_tables` is false.
        """

    @property
    def dump_name(self) -> str:
        """The name of the files that `dump` writes, which shows their kind."""

    async def dump(self, path: Path) -> None:
        """Write a consistent copy of the whole database to a new file, while others may write.

        Raises DatabaseOpenError, and ConfigurationError if a program is missing.
        """

    async def restore(self, path: Path) -> None:
        """Replace the content of the database by a file of `dump`.

        All of it is restored or nothing is changed. Raises DatabaseLockedError while a server has
        the database open, DatabaseOpenError for a file that is damaged, and ConfigurationError if a
        program is missing.
        """
