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


class ObserveProgram(Protocol):
    """Makes the program that is run instead of another one, with the same result."""

    def __call__(self, program: Program[T]) -> Program[T]:
        """Return the program."""


class ObservedDatabase(DatabaseWrapper):
    """A database whose operations are recorded.

    ``recorder`` returns what records operations of a kind. ``observe`` changes the programs that
    are run; without it, operations are timed as a whole.
    """

    def __init__(
        self,
        database: Database,
        recorder: Callable[[Operation], Record],
        observe: ObserveProgram | None = None,
    ) -> None:
        super().__init__(database)
        self._record_read = recorder("read")
        self._record_write = recorder("write")
        self._record_version = recorder("version")
        self._observe = observe

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
        try:
            return await self._database.read(self._wrap_program(make), snapshot=snapshot, key=key)
        finally:
            self._record_read(perf_counter() - start)

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """See `Database.read_at`."""
        start = perf_counter()
        try:
            return await self._database.read_at(version, self._wrap_program(make), key=key)
        finally:
            self._record_read(perf_counter() - start)

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        """See `Database.read_now`; one that would have to wait is recorded elsewhere."""
        if self._observe is not None:
            make = self._wrap_program(make)
        start = perf_counter()
        result = self._database.read_now(make, key=key, version=version)
        self._record_read(perf_counter() - start)
        return result

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
        try:
            observe = self._observe
            return await self._database.write(program if observe is None else observe(program))
        finally:
            self._record_write(perf_counter() - start)

    def _wrap_program(self, make: Callable[[], Program[T]]) -> Callable[[], Program[T]]:
        observe = self._observe
        return make if observe is None else lambda: observe(make())
