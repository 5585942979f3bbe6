"""A database target: where a database is, of which kind, and how it is opened or created.

There is one `DatabaseTarget` for each database that a project can name. Shared code opens, looks
into and makes databases through it, and never asks for the name of its kind.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct

from quire.database.connection import Database
from quire.database.dialect import Dialect
from quire.database.integrity.findings import Damage
from quire.database.program import Program
from quire.database.statistics import Statistics
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import Inspector
from quire.database.tables.metadata import ColumnTypes

T = TypeVar("T")


class Counters(Protocol):
    """The ids that a database has given to new rows, those of deleted rows included."""

    def read(self) -> Program[Mapping[str, int]]:
        """Return the highest id that each table has given, where it is known."""

    def raise_to(self, table: str, highest: int) -> Program[None]:
        """Let the next id of a table be higher than this, and than those of its rows."""


class DatabaseKind(Struct, frozen=True, kw_only=True):
    """What all databases of one kind have in common.

    ``damage`` looks for damage of the files themselves and returns a line for each; ``lost`` lets
    the database look for rows whose foreign keys lead nowhere, but for tables already told of.
    """

    dialect: Callable[[], Dialect]
    column_types: ColumnTypes
    ddl: DdlWriter
    inspector: Inspector
    counters: Counters
    statistics: Statistics
    damage: Callable[[], Program[tuple[str, ...]]]
    lost: Callable[[Collection[str]], Program[list[Damage]]]


class InspectionConnection(Protocol):
    """A database that is only looked into."""

    async def run(self, program: Program[T]) -> T:
        """Run a program that only reads."""


class BulkLoadConnection(InspectionConnection, Protocol):
    """A database that is filled with rows that may come in any order."""

    async def write(self, program: Program[T]) -> T:
        """Run a program in one transaction: all of it is kept, or nothing."""


class DatabaseTarget(Protocol):
    """One database, there or not."""

    @property
    def kind(self) -> DatabaseKind:
        """What it has in common with others."""

    @property
    def place(self) -> str:
        """Where it is, for people; without passwords."""

    async def has_tables(self) -> bool:
        """Whether there is a database with anything in it.

        Raises DatabaseOpenError when there is something that is none.
        """

    def look(self) -> AbstractAsyncContextManager[InspectionConnection]:
        """Look into the database without changing it.

        Raises DatabaseOpenError when there is none, or when it cannot be opened as it is.
        """

    async def open(self) -> Database:
        """Open the database for serving, inside the event loop that will use it.

        Raises DatabaseOpenError when it cannot be opened as it is.
        """

    async def open_checked(
        self, make: Callable[[], Program[T]], require: Callable[[T], None]
    ) -> Database:
        """Look into the database as `look` does, and open it if ``require`` accepts the result.

        Raises what ``require`` raises, and what `look` and `open` raise.
        """

    def fill(self) -> AbstractAsyncContextManager[BulkLoadConnection]:
        """Open the database, or an empty one where there is none, to fill it with rows.

        Foreign keys that are there are not watched over, or not yet there. Raises DatabaseOpenError
        when it cannot be opened as it is.
        """

    def new(self) -> AbstractAsyncContextManager[Database]:
        """Open an empty database that becomes the one of this room when the block ends well.

        Ends it in any other way, nothing is left. For use when `has_tables` has said no.
        """

    @property
    def dump_name(self) -> str:
        """The name of the files that `dump` writes, which says of what kind they are."""

    async def dump(self, path: Path) -> None:
        """Write the whole database, as it is in one moment, to a new file; others may write on.

        Raises DatabaseOpenError, and ConfigurationError where a program is missing.
        """

    async def restore(self, path: Path) -> None:
        """Put what `dump` has written in the place of whatever the database holds.

        All of it is restored or nothing is changed. Raises DatabaseLockedError while a server has
        the database open, DatabaseOpenError for a file that is damaged, and ConfigurationError
        where a program is missing.
        """
