"""Whether anybody has committed anything: a token for the present content of a database.

A snapshot of PostgreSQL is told apart by the transactions that were under way when it was taken:
the first one that may have been, the one that comes next, and the list of those between
(``pg_current_snapshot``). Whatever is committed by anybody, in whatever program, leaves that list
or moves its end. So two snapshots that read alike show the same rows, and nothing has to be
announced. A standby lists nothing between the ends, and there the content is never known.

The question costs a round trip. One is under way at a time; whoever comes meanwhile shares the next
one, because the answer to that on its way may be older than what the newcomer knows of.
"""

import asyncio
from collections.abc import Awaitable, Callable

from quire.database.program import Program, Statement

_QUESTION = "SELECT pg_current_snapshot()::text, pg_is_in_recovery()"


def snapshot_program() -> Program[str | None]:
    """Return what tells the present snapshot from others, ``None`` where nothing does."""
    rows = yield Statement(_QUESTION)
    text, is_standby = rows[0]
    return None if is_standby else str(text)


class Presence:
    """Numbers the states of a database; ``ask`` runs `snapshot_program`."""

    def __init__(self, ask: Callable[[], Awaitable[str | None]]) -> None:
        self._ask = ask
        self.known: int | None = None
        """The token of the last answer: that of the present state if nobody has committed since."""
        self._snapshot: str | None = None
        self._number = 0
        self._asking = False
        self._waiting: list[asyncio.Future[int | None]] = []
        self._serving: asyncio.Task[None] | None = None

    async def token(self) -> int | None:
        """Return the number of the present state; whatever has it shows the same rows.

        ``None`` means that no state can be told from another. Raises what ``ask`` raises.
        """
        if self._asking:
            turn: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            return await turn
        self._asking = True
        try:
            return self._numbered(await self._ask())
        except Exception as error:
            _refuse(self._next(), error)
            raise
        finally:
            self._go_on()

    def _numbered(self, snapshot: str | None) -> int | None:
        if snapshot is not None and snapshot != self._snapshot:
            self._snapshot = snapshot
            self._number += 1
        self.known = None if snapshot is None else self._number
        return self.known

    def _go_on(self) -> None:
        """Ask for those who came meanwhile."""
        if self._waiting:
            self._serving = asyncio.ensure_future(self._serve())
        else:
            self._asking = False

    def _next(self) -> list[asyncio.Future[int | None]]:
        """Return those who came meanwhile; they are looked after by the caller."""
        turns, self._waiting = self._waiting, []
        return turns

    async def _serve(self) -> None:
        turns = self._next()
        try:
            token = self._numbered(await self._ask())
        except Exception as error:  # noqa: BLE001 - it is raised to those who asked
            _refuse([*turns, *self._next()], error)
        else:
            for turn in turns:
                if not turn.done():
                    turn.set_result(token)
        finally:
            self._go_on()


def _refuse(turns: list[asyncio.Future[int | None]], error: Exception) -> None:
    """Tell why nothing is known; whoever waited for the next answer shall not wait for another."""
    for turn in turns:
        if not turn.done():
            turn.set_exception(error)
