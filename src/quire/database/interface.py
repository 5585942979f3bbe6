"""The interface of a database: reading and writing with programs."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Protocol, TypeVar

from msgspec import Struct

from quire.database.dialect import Dialect
from quire.database.program import Program, Statement, Value
from quire.database.versioned_cache import ContentVersions

T = TypeVar("T")


class WouldBlockError(Exception):
    """A call that must not wait would have to wait for the database.

    It had no effect. Repeat it in a form that may wait.
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
    """The connections of one kind: how many there are, and how requests for one ended.

    ``waits`` counts the operations that had to wait, ``wait_seconds`` is their total waiting time,
    and ``refused`` counts those that got no connection in time.
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
        """The SQL dialect of this database."""

    @property
    def versions(self) -> ContentVersions:
        """Which tables differ between the content versions that were returned."""

    def version(self) -> int | None:
        """Return a token of the content that changes with every commit of any process.

        ``None`` means that the database must be asked: use `present_version`.
        """

    async def present_version(self) -> int | None:
        """Return the token of the present content, and ask the database if needed.

        ``None`` means that it cannot be known; then nothing may be read from a cache. Raises
        ServiceUnavailableError when the database does not respond.
        """

    def follow(self, setting: Statement) -> None:
        """Read the first value of a statement whenever the version is asked for.

        Only the last statement that was given is followed.
        """

    async def followed(self) -> Value:
        """Return the value that is followed, as of the last returned version or a later one.

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

        With ``snapshot`` all of its statements see the same state. ``key`` identifies programs of
        one kind (one plan), so that slow kinds are recognized.
        """

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """Run a program that only reads, on the content that a token stands for.

        ``None`` means that this content is not available, usually because there has been a commit
        since: then call `read`. A program that may return ``None`` itself cannot be distinguished
        from that. ``key`` is as with `read`.
        """

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        """Run a program that only reads, in the calling thread, and return its result.

        It reads the content of the present `version`; with ``version``, only that one. ``key`` is
        as with `read`. Raises WouldBlockError when it would have to wait, when the program takes
        long, or when the version is another one; else what `read` raises.
        """

    async def is_costly(self, statement: Statement) -> bool | None:
        """Tell whether a statement has to examine many rows to find its own.

        Many means some thousands, whose ids are found more quickly. ``None`` means that it cannot
        be known now, because the machine or the database is busy. Raises what `read` raises.
        """

    async def write(self, program: Program[T]) -> T:
        """Run a program in one transaction: when this returns, all of it is durable."""

    def pools(self) -> tuple[PoolStatistics, ...]:
        """Return the state of the connections, by what they are for."""

    def is_in_place(self) -> bool | None:
        """Tell whether the files of the database are still those that were opened.

        ``False`` means that they were moved, replaced or deleted: then writes are refused. ``None``
        means that the database is not a file on this machine.
        """

    def forget_statements(self) -> None:
        """Forget what was prepared or found out for tables that have changed since."""

    async def close(self) -> None:
        """Finish running work and close all connections."""


class DatabaseWrapper:
    """A database that passes every call on to another one; subclasses change some of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Every request asks for it: that must not take longer for each wrapper.
        self.version: Callable[[], int | None] = database.version
        """See `Database.version`."""

    @property
    def dialect(self) -> Dialect:
        """See `Database.dialect`."""
        return self._database.dialect

    @property
    def versions(self) -> ContentVersions:
        """See `Database.versions`."""
        return self._database.versions

    async def present_version(self) -> int | None:
        """See `Database.present_version`."""
        return await self._database.present_version()

    def follow(self, setting: Statement) -> None:
        """See `Database.follow`."""
        self._database.follow(setting)

    async def followed(self) -> Value:
        """See `Database.followed`."""
        return await self._database.followed()

    async def read(
        self, make: Callable[[], Program[T]], *, snapshot: bool = False, key: Hashable = None
    ) -> T:
        """See `Database.read`."""
        return await self._database.read(make, snapshot=snapshot, key=key)

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """See `Database.read_at`."""
        return await self._database.read_at(version, make, key=key)

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        """See `Database.read_now`."""
        return self._database.read_now(make, key=key, version=version)

    async def is_costly(self, statement: Statement) -> bool | None:
        """See `Database.is_costly`."""
        return await self._database.is_costly(statement)

    async def write(self, program: Program[T]) -> T:
        """See `Database.write`."""
        return await self._database.write(program)

    def pools(self) -> tuple[PoolStatistics, ...]:
        """See `Database.pools`."""
        return self._database.pools()

    def is_in_place(self) -> bool | None:
        """See `Database.is_in_place`."""
        return self._database.is_in_place()

    def forget_statements(self) -> None:
        """See `Database.forget_statements`."""
        self._database.forget_statements()

    async def close(self) -> None:
        """See `Database.close`."""
        await self._database.close()
