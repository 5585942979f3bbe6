"""The PostgreSQL driver on asyncpg: a pool for reads, one connection for writes.

A writer holds a lock of the database until its transaction ends, in every process. So writes run
one after the other, as with SQLite, and what a write has checked (whether a value is taken, where a
list ends) still holds when it commits. Reads wait for nobody.

A read of several statements has to see one state of the database in all of them. Usually there is
no commit while it runs, and then a transaction would cost two needless round trips. So it runs
without one, and then compares content versions (`PostgresContentVersion`), in a query that
concurrent reads share; if they differ, the read is repeated in a transaction.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from typing import Generic, NamedTuple, TypeVar

import asyncpg
import orjson
import structlog
from msgspec.structs import replace

from quire.database.dialects.postgresql.changed_tables import written_program
from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.content_version import (
    PostgresContentVersion,
    Snapshot,
    position_program,
    snapshot_program,
)
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.dialects.postgresql.errors import (
    DRIVER_ERRORS,
    is_disconnection,
    is_passing,
    translate,
)
from quire.database.dialects.postgresql.log_position import (
    NO_MARK,
    LogPosition,
    mark_program,
)
from quire.database.dialects.postgresql.pool import Pool
from quire.database.dialects.postgresql.replicas import Replica, Replicas
from quire.database.dialects.postgresql.watchdog import ConnectionWatchdog
from quire.database.interface import PoolStatistics, WouldBlockError
from quire.database.program import Program, Statement, Value
from quire.database.replica_reads import may_read_replica
from quire.database.retry_guard import note_commit
from quire.database.versioned_cache import ContentVersions
from quire.errors import (
    AppError,
    DatabaseOpenError,
    ServiceUnavailableError,
    StaleSchemaError,
    UncertainOutcomeError,
    os_error_reason,
)

T = TypeVar("T")

_log = structlog.get_logger("quire.database")

_WRITERS = 0x7175697265  # "quire"
_BEGIN_WRITE = f"BEGIN; SELECT pg_advisory_xact_lock({_WRITERS})"
_ENDING_SECONDS = 5
_COSTLY = 300
"""The planner's cost of a costly statement: that of reading so many pages sequentially."""
_WARY_READS = 32
"""How many reads use a transaction from the start after a commit during an earlier one."""
_SEPARATE_PRESENCE = 3
"""From so many connections on, one is reserved for the content version."""
_LOST_SECONDS = 1.0
"""Seconds between two attempts to reach the lost server, while replicas are read."""
_BEGIN_READ = "BEGIN READ ONLY"
_BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


async def connect(options: PostgresOptions) -> PostgresDatabase:
    """Connect to a database. Raises DatabaseOpenError when that fails."""
    database = PostgresDatabase(options)
    try:
        await database.read(_empty_program)
    except AppError as error:
        await database.close()
        cause = error.__cause__
        reason = os_error_reason(cause) if isinstance(cause, OSError) else cause
        raise DatabaseOpenError(f"The database cannot be reached: {reason}") from error
    return database


def _empty_program() -> Program[None]:
    """Run no statement, to see whether the server responds."""
    yield Statement("SELECT 1")


class _ReadResult(NamedTuple, Generic[T]):
    """The result of a program, which may be ``None``."""

    result: T


class PostgresDatabase:
    """A PostgreSQL database with the connections of this process."""

    def __init__(self, options: PostgresOptions, reader: PostgresConnection | None = None) -> None:
        """``reader`` is a connection with the settings of `read_session`, to be used for reads.

        Without it, nothing is connected yet; use :func:`connect` to check the connection.
        """
        self.dialect = PostgresDialect(options.clock)
        # Values must not be separated from the statement that they are prepared with.
        self._begin_read = _BEGIN_READ if options.pooler else None
        self._ending: set[asyncio.Future[None]] = set()
        """Tasks that continue although nobody waits for them any more."""
        # Slow reads may use all other connections: cached responses need none. It is opened when
        # that happens.
        own_connection = options.connections >= _SEPARATE_PRESENCE
        readers = options.connections - (2 if own_connection else 1)
        self._readers = _read_pool(options, size=max(1, readers))
        if reader is not None:
            self._readers.add(reader)
        self._asking = _read_pool(options, size=1) if own_connection else self._readers
        self._content_version = PostgresContentVersion(self._ask_snapshot)
        self._wary = 0
        """How many of the next reads use a transaction from the start."""
        self._writers = _pool(options, size=1, lock_timeout=str(options.lock_timeout_ms))
        self._primary_watchdog = _watchdog(options)
        self._replicas = _replicas(options, size=max(1, readers))
        self._position: LogPosition | None = None
        """The position in the log that a replica must have reached to be read from."""
        self._mark = NO_MARK
        """The mark of the server's log: replicas that show it have followed this server."""
        self._marking: asyncio.Task[None] | None = None
        """Writes a mark to the log of a server that has none yet."""
        self._finding: asyncio.Task[None] | None = None
        """Retries the lost server while replicas are read instead."""

    @property
    def versions(self) -> ContentVersions:
        """See `Database.versions`."""
        return self._content_version.versions

    def version(self) -> int | None:
        """Return nothing: commits of others are only known by a query."""
        return None

    async def present_version(self) -> int | None:
        """Return the token of the present content: see `PostgresContentVersion`."""
        return await self._content_version.token()

    async def _ask_snapshot(self, setting: Statement | None) -> Snapshot:
        if not self._replicas:
            return await self._ask(lambda: snapshot_program(setting))
        return await self._ask_snapshot_or_replica(setting)

    async def _ask_snapshot_or_replica(self, setting: Statement | None) -> Snapshot:
        """Ask the server; while it is lost, a replica, which cannot tell the version."""
        lost: ServiceUnavailableError | None = None
        if self._finding is None:
            try:
                return await self._ask_server(setting)
            except ServiceUnavailableError as error:
                if not _was_lost(error):
                    raise
                lost = error
                self._finding = asyncio.ensure_future(self._find_server())
        for _ in range(len(self._replicas)):
            replica = await self._replicas.with_all(self._mark)
            if replica is None:
                break
            with suppress(ServiceUnavailableError):
                snapshot = await self._read_at_replica(replica, lambda: snapshot_program(setting))
                return snapshot._replace(text=None)
        if lost is not None:
            raise lost
        return await self._ask_server(setting)  # it may be back

    async def _ask_server(self, setting: Statement | None) -> Snapshot:
        snapshot = await self._ask(lambda: snapshot_program(setting, with_position=True))
        self._record_position(snapshot.position)
        return snapshot

    async def _ask(self, make: Callable[[], Program[T]]) -> T:
        """Read in the pool for reads, or in that of the version while all connections are lent."""
        if not self._readers.has_idle and self._asking is not self._readers:
            try:
                return await self._read_again(self._asking, make)
            except ServiceUnavailableError as error:
                if not isinstance(error.__cause__, asyncpg.TooManyConnectionsError):
                    raise
        return await self._read_again(self._readers, make)

    async def _find_server(self) -> None:
        """Retry the lost server until it responds."""
        while True:
            await asyncio.sleep(_LOST_SECONDS)
            try:
                await self._read_again(self._asking, _empty_program)
            except AppError:
                continue
            # It may be another server, whose log has not come as far as that of the lost one.
            self._position = None
            self._finding = None
            return

    async def _replica(self) -> Replica | None:
        """Return a replica to read from, ``None`` if the server itself must be read."""
        if not self._replicas or not may_read_replica():
            return None
        if self._finding is not None:
            return await self._replicas.with_all(self._mark)
        return await self._replicas.ready_for(self._position)

    def _record_position(self, position: LogPosition | None) -> None:
        """Record a position of the log that this process has seen.

        No replica is read as long as it is not known which ones follow this server.
        """
        if position is None:
            return
        if not self._mark.is_of(position):
            self._position = None
            self._begin_marking()
            return
        position = position._replace(mark=self._mark)
        self._position = max(position, self._position or position)

    def _begin_marking(self) -> None:
        """Begin to mark the log of the server, unless that is under way."""
        if self._marking is None or self._marking.done():
            # The request that was the occasion for this has not made the commit: see `note_commit`.
            work = self._mark_log()
            self._marking = asyncio.get_running_loop().create_task(work, context=Context())

    async def _mark_log(self) -> None:
        try:
            self._mark = await self.write(mark_program())
        except AppError as error:
            _log.warning("replicas are not read yet", reason=repr(error.__cause__ or error))
            await asyncio.sleep(_LOST_SECONDS)  # then the next position begins another attempt

    async def _read_at_replica(
        self, replica: Replica, make: Callable[[], Program[T]], *, snapshot: bool = False
    ) -> T:
        """Read from a replica; one that fails is not used for a while."""
        try:
            return await self._read(replica.pool, make, snapshot=snapshot)
        except ServiceUnavailableError as error:
            _pause_if_lost(replica, error)
            raise

    def follow(self, setting: Statement) -> None:
        """See `Database.follow`."""
        self._content_version.follow(setting)

    async def followed(self) -> Value:
        """Return the value read with the last version, which is queried if there is none."""
        return await self._content_version.followed()

    async def read(
        self,
        make: Callable[[], Program[T]],
        *,
        snapshot: bool = False,
        key: Hashable = None,
    ) -> T:
        """Run a program that only reads; ``make`` gives a fresh one each time it is called.

        With ``snapshot`` all of its statements see the same state. A lost connection is replaced
        once, after that to a replica another one is read, and a read during which tables changed
        is repeated once.
        """
        del key  # slow statements do not block others
        for _ in range(len(self._replicas)):
            replica = await self._replica()
            if replica is None:
                break
            try:
                return await self._read_at_replica(replica, make, snapshot=snapshot)
            except StaleSchemaError:
                break
            except ServiceUnavailableError as error:
                if not _was_lost(error):  # replicas also end reads that keep them from following
                    break
        return await self._read_again(self._readers, make, snapshot=snapshot)

    async def _read_again(
        self, pool: Pool, make: Callable[[], Program[T]], *, snapshot: bool = False
    ) -> T:
        """Read with a connection of a pool, and once more after a transient error."""
        try:
            return await self._read(pool, make, snapshot=snapshot)
        except ServiceUnavailableError as error:
            if _was_lost(error):
                self._content_version.forget()
                pool.renew()
            elif is_passing(error.__cause__):
                pool.forget_statements()
            else:
                raise
        return await self._read(pool, make, snapshot=snapshot)

    async def _read(self, pool: Pool, make: Callable[[], Program[T]], *, snapshot: bool) -> T:
        if not snapshot:
            return await self._run(pool, make(), self._begin_read)
        state = self._calm_state()
        if self._wary:
            self._wary -= 1
        if state is not None:
            read_result = await self._run_at(state, make(), pool)
            if read_result is not None:
                return read_result.result
        return await self._run(pool, make(), _BEGIN_SNAPSHOT)

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """Run a program that only reads, on the content that a token stands for.

        ``None`` means that there has been a commit since, or that commits were too frequent to try,
        or that a connection was lost or tables have changed, which `read` handles. Raises what the
        program raises about that content.
        """
        del key
        if self._calm_state() != version:
            return None
        replica = await self._replica()
        pool = self._readers if replica is None else replica.pool
        try:
            read_result = await self._run_at(version, make(), pool)
        except (ServiceUnavailableError, StaleSchemaError) as error:
            if replica is not None:
                _pause_if_lost(replica, error)
            return None
        return None if read_result is None else read_result.result

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        """Raise WouldBlockError: every read waits for the server."""
        del make, key, version
        raise WouldBlockError

    async def is_costly(self, statement: Statement) -> bool | None:
        """Ask the planner."""

        def explain() -> Program[str]:
            rows = yield Statement(f"EXPLAIN (FORMAT JSON) {statement.sql}", statement.values)
            return str(rows[0][0])

        (explanation,) = orjson.loads(await self.read(explain))
        return bool(explanation["Plan"]["Total Cost"] >= _COSTLY)

    def _calm_state(self) -> int | None:
        """Return the last known state, if no commit is expected during a read."""
        if self._wary or self._begin_read is not None:
            return None
        return self._content_version.known

    async def _run_at(self, state: int, program: Program[T], pool: Pool) -> _ReadResult[T] | None:
        """Run a program without a transaction; ``None`` if it may have seen several states."""
        try:
            result = await self._run(pool, program, None)
        except (ServiceUnavailableError, StaleSchemaError):
            raise
        except AppError:  # the rows may come from two inconsistent states
            if await self._content_version.token() == state:
                raise
        else:
            if await self._content_version.token() == state:
                return _ReadResult(result)
        self._wary = _WARY_READS
        return None

    async def _run(self, pool: Pool, program: Program[T], begin: str | None) -> T:
        """Run a program that reads, in a transaction that begins with a statement, or in none."""
        async with self._connection(pool) as connection:
            if begin is None:
                return await connection.run(program)
            await connection.execute(begin)
            result = await connection.run(program)
            await connection.execute("COMMIT")
            return result

    async def write(self, program: Program[T]) -> T:
        """Run a program that writes, in one durable transaction, after earlier writes.

        Raises ServiceUnavailableError when it waited too long, or lost against another transaction:
        nothing was written then, and it may be retried. UncertainOutcomeError says that the
        connection was lost during the commit.
        """
        async with self._connection(self._writers) as connection:
            await connection.execute(_BEGIN_WRITE)
            result = await connection.run(program)
            transaction = await connection.run(written_program())
            if transaction is not None:
                self._content_version.note_commit(transaction)
            await _commit(connection)
            note_commit()
            if self._replicas:
                await self._see_commit(connection)
            return result

    async def _see_commit(self, connection: PostgresConnection) -> None:
        """Find the log position that a replica must reach to show what was just committed."""
        self._position = None  # until it is known, no replica is read
        try:
            position = await connection.run(position_program())
        except DRIVER_ERRORS:
            return  # the next version has the position
        self._record_position(position)

    def pools(self) -> tuple[PoolStatistics, ...]:
        """See `Database.pools`: for reads, for writes, for the content version."""
        statistics = [self._readers.statistics("read"), self._writers.statistics("write")]
        if self._asking is not self._readers:
            statistics.append(self._asking.statistics("version"))
        return (*statistics, *self._replicas.statistics())

    def is_in_place(self) -> None:
        """See `Database.is_in_place`; the server is responsible for its files."""

    def forget_statements(self) -> None:
        """Forget what was prepared for tables whose structure has changed."""
        for pool in self._pools():
            pool.forget_statements()
        self._replicas.forget_statements()

    @asynccontextmanager
    async def _connection(self, pool: Pool) -> AsyncIterator[PostgresConnection]:
        """Lend a connection; errors are translated and leave no open transaction."""
        try:
            connection = await pool.acquire()
        except DRIVER_ERRORS as error:
            raise translate(error) from error
        watchdog = self._replicas.watchdog_of(pool) or self._primary_watchdog
        watchdog.begin(connection)
        try:
            yield connection
        except DRIVER_ERRORS as error:
            if is_disconnection(error):
                connection.terminate()
            await _end(pool, connection)
            raise translate(error) from error
        except Exception:
            await _end(pool, connection)
            raise
        except BaseException:  # the waiting task was cancelled
            end_task = asyncio.ensure_future(_end(pool, connection))
            self._ending.add(end_task)
            end_task.add_done_callback(self._ending.discard)
            raise
        finally:
            watchdog.end(connection)
        pool.release(connection)

    async def close(self) -> None:
        """Finish running work and close all connections."""
        tasks = [task for task in (self._finding, self._marking) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for pool in self._pools():
            await pool.close()
        await self._replicas.close()
        await self._primary_watchdog.close()

    def _pools(self) -> list[Pool]:
        is_shared = self._asking is self._readers
        return [self._readers, self._writers, *(() if is_shared else (self._asking,))]


def _watchdog(options: PostgresOptions) -> ConnectionWatchdog:
    """Make a watchdog that closes connections after at most one and a half connect timeouts."""
    seconds = options.connect_timeout_ms / 1000 / 4
    return ConnectionWatchdog(lambda: open_connection(options), seconds=seconds)


def _replicas(options: PostgresOptions, *, size: int) -> Replicas:
    replicas = []
    for number, dsn in enumerate(options.replicas, start=1):
        replica_options = replace(options, dsn=dsn)
        name = f"replica {number}"
        read_pool = _read_pool(replica_options, size=size)
        position_pool = _read_pool(replica_options, size=1)
        replicas.append(Replica(name, read_pool, position_pool, _watchdog(replica_options)))
    return Replicas(replicas, options.replica_wait_ms / 1000)


def read_session(options: PostgresOptions) -> dict[str, str]:
    """Return the server settings of connections that read."""
    return {"statement_timeout": str(options.timeout_ms)}


def _read_pool(options: PostgresOptions, *, size: int) -> Pool:
    return _pool(options, size=size, **read_session(options))


def _pool(options: PostgresOptions, *, size: int, **session: str) -> Pool:
    return Pool(
        lambda: open_connection(options, **session),
        size=size,
        queue_seconds=options.queue_timeout_ms / 1000,
    )


async def _commit(connection: PostgresConnection) -> None:
    """Commit; once this is sent, it cannot be cancelled."""
    try:
        await connection.execute("COMMIT")
    except Exception as error:
        if is_disconnection(error):
            raise UncertainOutcomeError from error
        raise


async def _end(pool: Pool, connection: PostgresConnection) -> None:
    """Return a connection, and roll back its open transaction."""
    try:
        if not connection.is_closed() and connection.is_in_transaction():
            await connection.execute("ROLLBACK", timeout=_ENDING_SECONDS)
    except Exception:  # noqa: BLE001 - the server rolls back what its client has left
        connection.terminate()
    except BaseException:  # the waiting task was cancelled: the next one must not find it open
        connection.terminate()
        raise
    finally:
        pool.release(connection)


def _pause_if_lost(replica: Replica, error: AppError) -> None:
    """Suspend a replica that a connection was lost to."""
    if _was_lost(error):
        replica.pool.renew()
        replica.pause()


def _was_lost(error: AppError) -> bool:
    cause = error.__cause__
    return isinstance(cause, Exception) and is_disconnection(cause)
