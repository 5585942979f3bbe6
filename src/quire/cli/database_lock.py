"""Waits for exclusive write access to a database that other processes use."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from quire.cli.terminal import print_message
from quire.database.connection import Database
from quire.database.open import require_project_database
from quire.database.program import Program
from quire.database.target import DatabaseTarget
from quire.errors import (
    DatabaseLockedError,
    QuireError,
    ServiceUnavailableError,
    UncertainOutcomeError,
)

T = TypeVar("T")

_PAUSE_SECONDS = 0.2


class DatabaseLockTimeoutError(QuireError):
    """It was never our turn, or nobody knows whether it was."""


class DatabaseLock:
    """Opens a database and writes to it once others let it; waits no longer than it was told."""

    def __init__(self, *, seconds: float) -> None:
        """Begin to wait, inside an event loop."""
        self._loop = asyncio.get_running_loop()
        self._latest = self._loop.time() + seconds
        self._is_told = False

    async def open(self, target: DatabaseTarget) -> Database:
        """Open a database. Raises TurnError when others keep it locked, and DatabaseOpenError."""
        while True:
            try:
                await require_project_database(target)
                return await target.open()
            except DatabaseLockedError as error:
                await self._wait(error)

    async def write(self, database: Database, make: Callable[[], Program[T]]) -> T:
        """Run a program in one transaction; ``make`` gives a fresh one for each attempt.

        Raises TurnError when it comes to nothing, or when the connection is lost in the moment of
        the commit.
        """
        while True:
            try:
                return await database.write(make())
            except UncertainOutcomeError as error:
                message = (
                    "The connection was lost at the very end: whether this was done is not known. "
                    "`quire migrate` tells what there is left to do."
                )
                raise DatabaseLockTimeoutError(message) from error
            except ServiceUnavailableError as error:
                await self._wait(error)

    async def _wait(self, error: QuireError) -> None:
        reason = str(error.__cause__ or error)
        if self._loop.time() >= self._latest:
            message = (
                f"The database cannot be changed now ({reason}). "
                "Nothing was changed; try again, or wait longer with --wait."
            )
            raise DatabaseLockTimeoutError(message) from error
        if not self._is_told:
            print_message(f"The database cannot be changed now ({reason}); waiting.")
            self._is_told = True
        await asyncio.sleep(_PAUSE_SECONDS)
