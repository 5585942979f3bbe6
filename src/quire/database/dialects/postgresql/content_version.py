"""Derives a content version from snapshots of PostgreSQL.

A snapshot of PostgreSQL is told apart by the transactions that were under way when it was taken:
the first one that may have been, the one that comes next, and the list of those between
(``pg_current_snapshot``). Whatever is committed by anybody, in whatever program, leaves that list
or moves its end. So two snapshots that read alike show the same rows, and nothing has to be
announced. Where only transactions of this process were finished between two of them, they differ in
the tables that these have written (`OwnTransactions`). A standby lists nothing between the ends,
and there the content is never known.

The question costs a round trip. One is under way at a time; whoever comes meanwhile shares the next
one, because the answer to that on its way may be older than what the newcomer knows of.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from quire.database.content_versions import ContentVersions
from quire.database.dialects.postgresql.own_transactions import OwnTransaction, OwnTransactions
from quire.database.program import Program, Statement, Value

_QUESTION = "SELECT pg_current_snapshot()::text, pg_is_in_recovery()"


_POSITION = (
    "CASE WHEN pg_is_in_recovery() THEN NULL"
    " ELSE pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint END"
)
"""Whatever a snapshot shows was written to the log before this position."""


class Snapshot(NamedTuple):
    """What tells a snapshot from others, ``None`` where nothing does, and a value in it.

    ``position`` is one in the log of the server, which a replica that shows as much has reached;
    ``None`` where it was not asked for or cannot be told.
    """

    text: str | None
    value: Value = None
    position: int | None = None


def snapshot_program(
    setting: Statement | None = None, *, with_position: bool = False
) -> Program[Snapshot]:
    """Return the present snapshot with the first value of a statement, if there is one."""
    position = _POSITION if with_position else "NULL"
    if setting is None:
        statement = Statement(f"{_QUESTION}, {position}, NULL")
    else:
        statement = setting._replace(sql=f"{_QUESTION}, {position}, ({setting.sql})")
    ((text, is_standby, found, value),) = yield statement
    return Snapshot(None if is_standby else str(text), value, None if found is None else int(found))


def position_program() -> Program[int | None]:
    """Return the present position in the log of the server."""
    ((found,),) = yield Statement(f"SELECT {_POSITION}")
    return None if found is None else int(found)


class PostgresContentVersion:
    """Numbers the states of a database; ``ask`` runs `snapshot_program`.

    With each state comes the value of one statement that is followed: to read it whenever the state
    is another one would be a second round trip for each commit.
    """

    def __init__(self, ask: Callable[[Statement | None], Awaitable[Snapshot]]) -> None:
        self._ask = ask
        self.versions = ContentVersions()
        self._own = OwnTransactions()
        self._setting: Statement | None = None
        self._value: Value = None
        self._is_value_known = False
        self.known: int | None = None
        """The token of the last answer: that of the present state if nobody has committed since."""
        self._snapshot: str | None = None
        self._asking = False
        self._waiting: list[asyncio.Future[int | None]] = []
        self._serving: asyncio.Task[None] | None = None

    def follow(self, setting: Statement) -> None:
        """Ask for the first value of a statement as well from now on."""
        if setting != self._setting:
            self._setting, self._is_value_known = setting, False

    def note_commit(self, transaction: OwnTransaction) -> None:
        """Note a transaction of this process that is about to be committed."""
        self._own.add(transaction)

    def forget(self) -> None:
        """Take the next snapshot for another one, whatever it reads.

        The server was lost. Another one may have taken its place, which gives the numbers of
        transactions that were lost with it to others.
        """
        self._snapshot = self.known = None

    async def followed(self) -> Value:
        """Return the value that came with the last answer. Raises what ``ask`` raises."""
        while not self._is_value_known:
            await self.token()
        return self._value

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
            return await self._next_number()
        except Exception as error:
            _refuse(self._next(), error)
            raise
        finally:
            self._go_on()

    async def _next_number(self) -> int | None:
        setting = self._setting
        snapshot = await self._ask(setting)
        if setting is self._setting:
            self._value, self._is_value_known = snapshot.value, True
        if snapshot.text is not None and snapshot.text != self._snapshot:
            former, self._snapshot = self._snapshot, snapshot.text
            self.versions.advance(self._own.between(former, snapshot.text))
        self.known = None if snapshot.text is None else self.versions.current
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
            token = await self._next_number()
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
