"""A database whose operations are observed: for metrics, traces and timings in development.

A server without observers does not use this wrapper.
"""

from collections.abc import Callable, Hashable
from time import perf_counter
from typing import Literal, Protocol, TypeVar

from quire.database.interface import Database, DatabaseWrapper
from quire.database.program import Program, Statement

T = TypeVar("T")

Operation = Literal["read", "write", "version"]
"""The kinds of operations: a read, a write transaction, a query of the content version."""


Record = Callable[[float], object]
"""Records the seconds that an operation took, also if it has failed."""


def _ignoring_recorder(_: Operation) -> Record:
    return _ignore


def _ignore(_: float) -> None:
    """Record nothing."""


class ProgramObserver(Protocol):
    """Returns what makes the programs that are run instead of others, with the same results."""

    def observe(self, make: Callable[[], Program[T]], /) -> Callable[[], Program[T]]:
        """Return what makes the programs; ``make`` itself if there is nothing to observe."""


class ObservedDatabase(DatabaseWrapper):
    """A database whose operations are timed, and whose programs may be replaced.

    ``recorder`` returns what records operations of a kind, ``None`` if they are not timed;
    ``observer`` returns what observes the programs of the present request or job, ``None`` if
    nothing does. `read_now` is only timed: requests and jobs that are observed do not use it.
    """

    def __init__(
        self,
        database: Database,
        recorder: Callable[[Operation], Record] | None,
        observer: Callable[[], ProgramObserver | None],
    ) -> None:
        super().__init__(database)
        self._observer = observer
        make_record = recorder or _ignoring_recorder
        self._record_read = record_read = make_record("read")
        self._record_write = make_record("write")
        self._record_version = make_record("version")
        if recorder is None:
            self.read_now = database.read_now  # type: ignore[method-assign]  # saves a call
            return
        read_now = database.read_now

        # Not a method: most requests have one such read, and look up nothing for it.
        def timed_read_now(
            make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
        ) -> T:
            start = perf_counter()
            result = read_now(make, key=key, version=version)
            record_read(perf_counter() - start)
            return result

        self.read_now = timed_read_now  # type: ignore[method-assign]

    async def present_version(self) -> int | None:
        """See `Database.present_version`."""
        start = perf_counter()
        try:
            return await self._database.present_version()
        finally:
            self._record_version(perf_counter() - start)

    async def read(
        self,
        make: Callable[[], Program[T]],
        *,
        snapshot: bool = False,
        key: Hashable = None,
    ) -> T:
        """See `Database.read`."""
        start = perf_counter()
        observer = self._observer()
        if observer is not None:
            make = observer.observe(make)
        try:
            return await self._database.read(make, snapshot=snapshot, key=key)
        finally:
            self._record_read(perf_counter() - start)

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """See `Database.read_at`."""
        start = perf_counter()
        observer = self._observer()
        if observer is not None:
            make = observer.observe(make)
        try:
            return await self._database.read_at(version, make, key=key)
        finally:
            self._record_read(perf_counter() - start)

    async def is_costly(self, statement: Statement) -> bool | None:
        """See `Database.is_costly`."""
        start = perf_counter()
        try:
            return await self._database.is_costly(statement)
        finally:
            self._record_read(perf_counter() - start)

    async def write(self, program: Program[T]) -> T:
        """See `Database.write`."""
        start = perf_counter()
        observer = self._observer()
        if observer is not None:
            program = observer.observe(lambda: program)()
        try:
            return await self._database.write(program)
        finally:
            self._record_write(perf_counter() - start)
