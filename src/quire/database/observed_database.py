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


class DatabaseObserver(Protocol):
    """Receives the operations of a database."""

    def observe(self, program: Program[T]) -> Program[T]:
        """Return the program to run instead of another one, with the same result."""

    def add(self, operation: Operation, seconds: float) -> None:
        """Record an operation that has ended, also if it has failed."""


class ObservedDatabase(DatabaseWrapper):
    """A database that notifies an observer of its operations."""

    def __init__(self, database: Database, observer: DatabaseObserver) -> None:
        super().__init__(database)
        self._observer = observer

    async def present_version(self) -> int | None:
        """See `Database.present_version`."""
        started = perf_counter()
        try:
            return await self._database.present_version()
        finally:
            self._observer.add("version", perf_counter() - started)

    async def read(
        self,
        make: Callable[[], Program[T]],
        *,
        snapshot: bool = False,
        key: Hashable = None,
    ) -> T:
        """See `Database.read`."""
        observer = self._observer
        started = perf_counter()
        try:
            return await self._database.read(
                lambda: observer.observe(make()), snapshot=snapshot, key=key
            )
        finally:
            observer.add("read", perf_counter() - started)

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """See `Database.read_at`."""
        observer = self._observer
        started = perf_counter()
        try:
            return await self._database.read_at(version, lambda: observer.observe(make()), key=key)
        finally:
            observer.add("read", perf_counter() - started)

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        """See `Database.read_now`; one that would have to wait is recorded elsewhere."""
        observer = self._observer
        started = perf_counter()
        result = self._database.read_now(lambda: observer.observe(make()), key=key, version=version)
        observer.add("read", perf_counter() - started)
        return result

    async def is_costly(self, statement: Statement) -> bool | None:
        """See `Database.is_costly`."""
        started = perf_counter()
        try:
            return await self._database.is_costly(statement)
        finally:
            self._observer.add("read", perf_counter() - started)

    async def write(self, program: Program[T]) -> T:
        """See `Database.write`."""
        started = perf_counter()
        try:
            return await self._database.write(self._observer.observe(program))
        finally:
            self._observer.add("write", perf_counter() - started)
