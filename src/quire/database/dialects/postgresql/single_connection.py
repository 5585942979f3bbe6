"""A single connection to PostgreSQL, for inspection or bulk loads."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import asyncpg

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.dialects.postgresql.errors import DRIVER_ERRORS, translate
from quire.database.program import Program
from quire.errors import ServiceUnavailableError

T = TypeVar("T")

_LOCKED = "Somebody else has locked a table of the database, and does not let it go in time"


class SingleConnection:
    """A connection that one program after the other uses (a `Looking`, and a `Filling`)."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def run(self, program: Program[T]) -> T:
        """Run a program that only reads. Raises what the server would raise."""
        try:
            return await self._connection.run(program)
        except asyncpg.LockNotAvailableError as error:
            raise ServiceUnavailableError(_LOCKED) from error
        except DRIVER_ERRORS as error:
            raise translate(error) from error

    async def write(self, program: Program[T]) -> T:
        """Run a program in one transaction: all of it is kept, or nothing."""
        async with self._transaction():
            return await self._connection.run(program)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[None]:
        try:
            async with self._connection.transaction():
                yield
        except DRIVER_ERRORS as error:
            raise translate(error) from error
