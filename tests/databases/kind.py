"""The interface of a kind of database for tests."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from quire.schema.model import Schema

if TYPE_CHECKING:
    from tests.databases.store import Store

Row = tuple[Any, ...]

COUNTED_CALLS = "calls"
"""The file in which servers of a project count calls that are limited (``server.calls_file``)."""


class Rows(Protocol):
    """Direct access to the rows of a database, without the tested code."""

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run a statement with ``?`` for its values, whatever the kind; returns its rows."""

    def tables(self) -> list[str]:
        """Name all tables, in order."""

    def references(self, table: str) -> Mapping[str, str]:
        """Return the tables that the foreign keys of a table lead to, by column."""

    def unwatched(self) -> AbstractContextManager[None]:
        """Let foreign keys lead nowhere for a while."""

    def damage(self) -> Iterator[str]:
        """Say what is wrong with the database as such, and which foreign keys lead nowhere."""

    def close(self) -> None:
        """Let go of the database."""


class RowSnapshot(Protocol):
    """The rows that a database had at some time."""

    def restore(self) -> None:
        """Let all tables have these rows again, and new tables none, while servers are running.

        They see it as a change by another program.
        """

    def close(self) -> None:
        """Let go of the database."""


class Kind(Protocol):
    """A kind of database, and where projects of tests have theirs."""

    @property
    def name(self) -> str:
        """Its name in the ids of tests."""

    def settle(self, project: Path) -> None:
        """Let a project, which has no database yet, have an empty one of this kind."""

    def recorded(self, folder: Path) -> Path:
        """Lay out the recorded project in a folder, with its rows; returns the folder."""

    def cipher(self, project: Path) -> None:
        """Take the database of a project, which nobody has open, for what `copy` copies."""

    def copy(self, project: Path, folder: Path) -> Path:
        """Copy a project and its sealed database to a folder that is not there yet; returns it.

        The calls that were counted in the project are left behind.
        """

    def borrow(self, project: Path) -> AbstractContextManager[Mapping[str, object]]:
        """Copy the sealed database alone, for a while; gives the settings that lead to it."""

    def snapshot(self, settings: Mapping[str, object]) -> RowSnapshot:
        """Remember the rows of a borrowed database."""

    def spare(self, folder: Path) -> str:
        """Return the address of a database that is empty, or not there yet, for ``quire copy``.

        Whatever has to be in a folder is in this one.
        """

    def point(self, project: Path, address: str) -> None:
        """Let a project have the database of an address."""

    def open(self, project: Path) -> Rows:
        """Open the database of a project."""

    def store(self, schema: Schema) -> "Store":
        """Make a database with the tables of a schema, for programs that a test runs itself."""

    def recorded_store(self, project: Path) -> "Store":
        """Make one that has the rows of the recorded project."""

    def store_of(self, project: Path) -> "Store":
        """Look into the database of a project by programs; what they change is kept."""

    def release(self, project: Path) -> None:
        """Let go of what a project has outside of its folder."""


@contextmanager
def opened(kind: Kind, project: Path) -> Iterator[Rows]:
    """Open the database of a project for a while."""
    rows = kind.open(project)
    try:
        yield rows
    finally:
        rows.close()
