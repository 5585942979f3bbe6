"""The interface of a database: reading and writing with programs."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Protocol, TypeVar

from msgspec import Struct

from quire.database.content_versions import ContentVersions
from quire.database.dialect import Dialect
from quire.database.program import Program, Statement, Value

T = TypeVar("T")


class WouldBlockError(Exception):
    """Raised by what must not wait, when its result cannot be had without waiting.

    Nothing has been done then; the same has to be called and awaited so that it may wait.
    """


def run_now(awaitable: Awaitable[T]) -> T:
    """Run a coroutine that must not wait, without an event loop, and return its result.

    Raises WouldBlockError when it waits after all.
    """
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as end:
        result: T = end.value
        return result
    steps.close()
    raise WouldBlockError


class PoolStatistics(Struct, frozen=True, kw_only=True):
    """The present state of the connections of one kind, and what became of those who wanted one.

    ``waits`` counts the operations that have had to wait, ``wait_seconds`` for how long in all, and
    ``refused`` those that got no connection in time.
    """

    name: str
    size: int
    in_use: int
    waiting: int
    waits: int
    wait_seconds: float
    refused: int


class Database(Protocol):
    """Runs programs: reads anywhere, writes in one transaction each."""

    @property
    def dialect(self) -> Dialect:
        """How this database answers the questions of SQL."""

    @property
    def versions(self) -> ContentVersions:
        """What the versions that were told differ in."""

    def version(self) -> int | None:
        """Return a token of the content that changes with every commit of anybody.

        ``None`` means that it is not known without asking: then `present_version` may know it.
        """

    async def present_version(self) -> int | None:
        """Return the token of the content as it is now, and ask for it where that is needed.

        ``None`` means that it cannot be known; then nothing may be taken from a cache. Raises
        ServiceUnavailableError when nobody answers.
        """

    def follow(self, setting: Statement) -> None:
        """Ask for the first value of a statement whenever the version has to be asked for.

        Only one statement is followed, the one that was given last.
        """

    async def followed(self) -> Value:
        """Return the value that is followed, as of the version that was told last or a later one.

        ``None`` means that there is no row. Raises what `read` raises.
        """

    async def read(
        self,
        make: Callable[[], Program[T]],
        *,
        snapshot: bool = False,
        key: Hashable = None,
    ) -> T:
        """Run a program that only reads; ``make`` gives a fresh one each time it is called.

        With ``snapshot`` all of its statements see the same state. ``key`` tells programs of one
        kind (one plan) from others, so that slow kinds can be treated as such.
        """

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """Run a program that only reads, on the state of the content that a token stands for.

        ``None`` means that this cannot be had, most likely because somebody has committed since:
        then `read` has to do. So a program that itself returns ``None`` tells nothing. ``key`` is
        as with `read`.
        """

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        """Run a program that only reads, in the calling thread, and return its result.

        It reads the content that `version` stands for; with ``version``, of that one alone.
        ``key`` is as with `read`. Raises WouldBlockError when the database has to be waited for,
        when the program takes long, or when there is another version; else what `read` raises.
        """

    async def is_costly(self, statement: Statement) -> bool | None:
        """Tell whether many rows have to be looked at to find those of a statement.

        That is at least some thousands, whose ids are found more quickly. ``None`` means that it
        cannot be told now, because the machine or the database is busy. Raises what `read` raises.
        """

    async def write(self, program: Program[T]) -> T:
        """Run a program in one transaction: all of it is durable when this returns, or nothing."""

    def pools(self) -> tuple[PoolStatistics, ...]:
        """Return the state of the connections, by what they are for."""

    def is_in_place(self) -> bool | None:
        """Tell whether the files of the database are still those that were opened.

        ``False`` means that they were moved, replaced or deleted: then writes are refused. ``None``
        means that the database is no file of this machine.
        """

    def forget_statements(self) -> None:
        """Forget what was prepared or found out for tables that have changed since."""

    async def close(self) -> None:
        """Finish what is under way and let go."""
