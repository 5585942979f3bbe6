"""What is worth finding in two steps: pages for which a database has to look at many rows."""

import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from quire.database.cache import BoundedCache
from quire.database.connection import Database
from quire.database.program import Statement

_KINDS = 2000
_SECONDS = 60
"""How long an answer of the database is gone by: tables grow, and indexes are added to them."""


class _Kind(NamedTuple):
    """What costs about the same: a statement, and how deep it goes, by powers of two."""

    sql: str
    depth: int


class _Told(NamedTuple):
    """What the database has said, and until when that is gone by."""

    is_costly: bool
    until: float


async def ask_database(database: Database, statement: Statement) -> bool:
    """Return what the database itself says."""
    return await database.is_costly(statement)


class Costs:
    """Remembers which statements are costly. It is for the event loop alone."""

    def __init__(
        self,
        ask: Callable[[Database, Statement], Awaitable[bool]] = ask_database,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``ask`` tells whether a statement is costly, ``now`` the time in seconds."""
        self._ask = ask
        self._now = now
        self._told: BoundedCache[_Kind, _Told] = BoundedCache(_KINDS)

    async def is_costly(self, database: Database, statement: Statement, depth: int) -> bool:
        """Tell whether a database has to look at many rows to find those of a statement.

        ``depth`` is how many rows lie before them. Raises what the database raises.
        """
        kind = _Kind(statement.sql, depth.bit_length())
        told = self._told.get(kind)
        now = self._now()
        if told is None or told.until < now:
            told = _Told(await self._ask(database, statement), now + _SECONDS)
            self._told[kind] = told
        return told.is_costly
