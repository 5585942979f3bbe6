"""Derives a content version from snapshots of PostgreSQL.

A snapshot of PostgreSQL is identified by the transactions that were running when it was taken: the
oldest one, the next number, and the list of those between (``pg_current_snapshot``). Every commit
of any program leaves that list or moves its end. So two snapshots with the same text show the same
rows, and no commit has to be announced. Where only transactions of this process were finished
between two of them, they differ in the tables that these have written (`OwnTransactions`). A
standby lists nothing between the ends, so its content version is never known.

The query costs a round trip. One runs at a time; callers that arrive meanwhile share the next one,
because the result of the running one may be older than the state that they know of.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from quire.database.dialects.postgresql.changed_tables import OwnTransaction, OwnTransactions
from quire.database.dialects.postgresql.log_position import (
    PRIMARY_POSITION,
    LogPosition,
    read_position,
)
from quire.database.program import Program, Statement, Value
from quire.database.versioned_cache import ContentVersions

_CURRENT_SNAPSHOT = "SELECT pg_current_snapshot()::text, pg_is_in_recovery()"


class Snapshot(NamedTuple):
    """The text of a snapshot, ``None`` if it identifies none, and a value in it.

    ``position`` is a position in the log of the server; a replica that has reached it shows as
    much, because everything that a snapshot shows was written to the log before. ``None`` if it was
    not requested or cannot be determined.
    """

    text: str | None
    value: Value = None
    position: LogPosition | None = None


def snapshot_program(
    setting: Statement | None = None, *, with_position: bool = False
) -> Program[Snapshot]:
    """Return the present snapshot with the first value of a statement, if there is one."""
    position_sql = PRIMARY_POSITION if with_position else "NULL, NULL, NULL"
    if setting is None:
        statement = Statement(f"{_CURRENT_SNAPSHOT}, {position_sql}, NULL")
    else:
        statement = setting._replace(sql=f"{_CURRENT_SNAPSHOT}, {position_sql}, ({setting.sql})")
    ((text, is_standby, *position, value),) = yield statement
    return Snapshot(None if is_standby else str(text), value, read_position(*position))


def position_program() -> Program[LogPosition | None]:
    """Return the present position in the log of the server."""
    (position,) = yield Statement(f"SELECT {PRIMARY_POSITION}")
    return read_position(*position)


class PostgresContentVersion:
    """Numbers the states of a database; ``ask`` runs `snapshot_program`.

    One statement can be followed: its value is read with each snapshot, to save the second round
    trip after each commit.
    """

    def __init__(self, ask: Callable[[Statement | None], Awaitable[Snapshot]]) -> None:
        self._ask = ask
        self.versions = ContentVersions()
        self._own = OwnTransactions()
        self._setting: Statement | None = None
        self._value: Value = None
        self._is_value_known = False
        self.known: int | None = None
        """The last token: that of the present state if there has been no commit since."""
        self._snapshot: str | None = None
        self._asking = False
        self._waiting: list[asyncio.Future[int | None]] = []
        self._serving: asyncio.Task[None] | None = None

    def follow(self, setting: Statement) -> None:
        """Read the first value of a statement with each snapshot from now on."""
        if setting != self._setting:
            self._setting, self._is_value_known = setting, False

    def note_commit(self, transaction: OwnTransaction) -> None:
        """Note a transaction of this process that is about to be committed."""
        self._own.add(transaction)

    def forget(self) -> None:
        """Treat the next snapshot as a new one, whatever its text.

        The server was lost. Another one may have taken its place, which reuses the numbers of lost
        transactions.
        """
        self._snapshot = self.known = None

    async def followed(self) -> Value:
        """Return the value that was read with the last snapshot. Raises what ``ask`` raises."""
        while not self._is_value_known:
            await self.token()
        return self._value

    async def token(self) -> int | None:
        """Return the number of the present state; equal numbers mean equal rows.

        ``None`` means that states cannot be distinguished. Raises what ``ask`` raises.
        """
        if self._asking:
            turn: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            return await turn
        self._asking = True
        try:
            return await self._next_number()
        except Exception as error:
            _refuse(self._next_waiters(), error)
            raise
        finally:
            self._serve_waiting()

    async def _next_number(self) -> int | None:
        setting = self._setting
        snapshot = await self._ask(setting)
        if setting is self._setting:
            self._value, self._is_value_known = snapshot.value, True
        if snapshot.text is not None and snapshot.text != self._snapshot:
            previous, self._snapshot = self._snapshot, snapshot.text
            self.versions.advance(self._own.changed_tables(previous, snapshot.text))
        self.known = None if snapshot.text is None else self.versions.current
        return self.known

    def _serve_waiting(self) -> None:
        """Ask for the callers that arrived meanwhile."""
        if self._waiting:
            self._serving = asyncio.ensure_future(self._serve())
        else:
            self._asking = False

    def _next_waiters(self) -> list[asyncio.Future[int | None]]:
        """Return the waiting callers, to which the caller of this method passes the result."""
        turns, self._waiting = self._waiting, []
        return turns

    async def _serve(self) -> None:
        turns = self._next_waiters()
        try:
            token = await self._next_number()
        except Exception as error:  # noqa: BLE001 - it is raised to those who asked
            _refuse([*turns, *self._next_waiters()], error)
        else:
            for turn in turns:
                if not turn.done():
                    turn.set_result(token)
        finally:
            self._serve_waiting()


def _refuse(turns: list[asyncio.Future[int | None]], error: Exception) -> None:
    """Raise the error to all waiting callers, so that none waits for another query."""
    for turn in turns:
        if not turn.done():
            turn.set_exception(error)
