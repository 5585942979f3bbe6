"""Records which statements are costly, so that their pages are read in two steps."""

import time
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from quire.database.connection import Database, WouldBlockError
from quire.database.lru import BoundedCache
from quire.database.program import Statement

_KINDS = 2000
_SECONDS = 60
"""How long an answer of the database is gone by: tables grow, and indexes are added to them."""


class _Kind(NamedTuple):
    """What costs about the same: a statement, how deep it goes, by powers of two, and a locale."""

    sql: str
    depth: int
    locale: Hashable


class _Told(NamedTuple):
    """What the database has said, and until when that is gone by."""

    is_costly: bool
    until: float


async def ask_database(database: Database, statement: Statement) -> bool | None:
    """Return what the database itself says, ``None`` when it cannot tell now."""
    return await database.is_costly(statement)


class StatementCosts:
    """Remembers which statements are costly. It is for the event loop alone."""

    def __init__(
        self,
        ask: Callable[[Database, Statement], Awaitable[bool | None]] = ask_database,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``ask`` tells whether a statement is costly, ``now`` the time in seconds."""
        self._ask = ask
        self._now = now
        self._told: BoundedCache[_Kind, _Told] = BoundedCache(_KINDS)

    async def is_costly(
        self, database: Database, statement: Statement, depth: int, locale: Hashable = None
    ) -> bool:
        """Tell whether a database has to look at many rows to find those of a statement.

        ``depth`` is how many rows lie before them, ``locale`` that of the rows: there may be many
        of one and few of another. Raises what the database raises.
        """
        kind = _Kind(statement.sql, depth.bit_length(), locale)
        now = self._now()
        is_costly = self._known(kind, now)
        if is_costly is None:
            is_costly = await self._ask(database, statement)
            if is_costly is None:  # it may know the next time
                return False
            self._told[kind] = _Told(is_costly, now + _SECONDS)
        return is_costly

    def is_costly_now(self, statement: Statement, depth: int, locale: Hashable = None) -> bool:
        """Tell what `is_costly` tells. Raises WouldBlockError when the database has to be asked."""
        kind = _Kind(statement.sql, depth.bit_length(), locale)
        is_costly = self._known(kind, self._now())
        if is_costly is None:
            raise WouldBlockError
        return is_costly

    def _known(self, kind: _Kind, now: float) -> bool | None:
        told = self._told.get(kind)
        return None if told is None or told.until < now else told.is_costly
