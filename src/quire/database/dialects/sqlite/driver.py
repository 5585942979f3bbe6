"""The SQLite driver on apsw: reads in the event loop, one writer thread.

Reads run in the calling thread, because handing a short statement to another thread costs more than
running it. A read that exceeds its limit is interrupted and repeated on a reader thread; its kind
is remembered, so that it starts there the next time. Writes run one after the other on one
connection (``BEGIN IMMEDIATE``).
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TypeVar

import apsw

from quire.database.dialects.sqlite.changed_tables import OwnCommits, WriteTracker
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.dialects.sqlite.errors import translate
from quire.database.dialects.sqlite.file_handles import (
    OpenedFiles,
    SqliteOptions,
    closed_on_error,
    open_connection,
    open_error,
    require_writable,
)
from quire.database.dialects.sqlite.snapshots import Snapshots
from quire.database.dialects.sqlite.wal_index import WalIndex, is_log_long
from quire.database.interface import PoolStatistics, WouldBlockError
from quire.database.program import (
    LONG_COMPUTATION,
    Program,
    Resume,
    Rows,
    Statement,
    Value,
    loop_callback,
    run_program,
)
from quire.database.retry_guard import note_commit
from quire.database.versioned_cache import ContentVersions
from quire.errors import (
    AppError,
    DatabaseBusyError,
    DatabaseOpenError,
    ServiceUnavailableError,
)

T = TypeVar("T")

TOO_BUSY = "Too many writes are waiting"
TOO_MANY_READS = "Too many slow reads are waiting"
TOO_LONG = "Reading this takes longer than the server allows"
_GUARD_STEPS = 1000
"""How many steps of SQLite's virtual machine lie between two checks of the clock."""
_TIMEOUT_STEPS = 1_000_000
"""The same on the reader thread, which needs the interpreter lock for a check."""
_MAX_SLOW_KEYS = 2000
_COSTLY_CHECKS = 20
"""How many checks of the clock make a statement costly: about a millisecond.

Steps are counted instead of time, which depends on other load.
"""
_PROBE_COMMENT = "/* what it costs */"
"""Begins a statement that is run only to measure its cost, so that traces show its purpose."""
_STATE_KEY = "at"
"""Distinguishes reads of a known state from other reads of the same kind: their costs differ."""
_NO_DEADLINE = float("inf")
_WAL_RETRY_SECONDS = 0.02
"""Seconds between two attempts to switch to write-ahead logging."""
_LOOP_BUSY_MS = 20
"""How long the event loop may wait for a lock, in milliseconds; then the reader thread waits."""


class _TooLongError(Exception):
    """A read took longer than its thread allows."""


def _enable_wal(connection: apsw.Connection, options: SqliteOptions) -> None:
    """Switch to write-ahead logging as soon as nobody else uses the file.

    SQLite itself does not wait if others try the same. Raises DatabaseLockedError.
    """
    deadline = time.monotonic() + options.busy_timeout_ms / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except apsw.Error as error:
            if not isinstance(error, apsw.BusyError) or time.monotonic() >= deadline:
                raise open_error(options.path, error) from error
        else:
            return
        time.sleep(_WAL_RETRY_SECONDS)


def _begin(begin: Callable[[Resume], None], resumed: Future[None]) -> None:
    """Call the function of a waiting program, which continues when the future is done."""
    try:
        begin(partial(resumed.set_result, None))
    except Exception as error:  # noqa: BLE001 - it is raised in the program
        resumed.set_exception(error)


class _Reader:
    """A connection that only reads, used by one thread at a time.

    It reads within snapshots: from `begin` to `end` every statement sees the same state.
    """

    def __init__(
        self, options: SqliteOptions, *, busy_timeout_ms: int, in_event_loop: bool
    ) -> None:
        self._in_event_loop = in_event_loop
        # With a mutex SQLite would lock it for every value of every row; one thread uses this
        # connection at a time.
        self._connection = open_connection(options, readonly=False, mutex=False)
        self._connection.set_busy_timeout(busy_timeout_ms)
        for pragma in ("query_only = ON", "cache_size = -16384", "mmap_size = 268435456"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()
        # One cursor for all statements: creating one costs as much as a short statement. Executing
        # a statement ends the previous one, even if its rows were not all fetched.
        self._execute = self._connection.cursor().execute
        self._data_version: int | None = None
        """The number of the last snapshot."""
        self._deadline = _NO_DEADLINE
        self._stopped = False
        self._remaining_checks: int | None = None
        """How many more checks of the clock a measured statement may take."""

    def wal_index(self) -> WalIndex | None:
        """Open the WAL-index of the file, ``None`` when it has none."""
        if self._execute("PRAGMA journal_mode").fetchall() != [("wal",)]:
            return None
        try:
            return WalIndex(self._connection.filename)
        except OSError:
            return None

    def guard(self, steps: int) -> None:
        """Interrupt statements of this reader past their deadline; sets how often it is checked."""
        self._connection.set_progress_handler(self._is_past_deadline, steps)

    def _is_past_deadline(self) -> bool:
        if self._remaining_checks is not None:
            self._remaining_checks -= 1
        if time.perf_counter() < self._deadline and (
            self._remaining_checks is None or self._remaining_checks >= 0
        ):
            return False
        self._stopped = True
        return True

    def begin(self) -> int:
        """Begin a snapshot; return a number that changes with each commit of others.

        SQLite parses the schema with the first statement that needs it, and forgets it when the
        statement is interrupted. Where that takes longer than a read may, no read would ever have
        the schema, so it is parsed here, without deadline.
        """
        execute = self._execute
        execute("BEGIN")
        try:
            version: int = execute("PRAGMA data_version").fetchall()[0][0]  # type: ignore[assignment]  # a counter
            if version != self._data_version:
                execute("PRAGMA page_count").fetchall()  # any pragma that needs the schema
                self._data_version = version
        except apsw.Error:
            self.end()
            raise
        return version

    def end(self) -> None:
        """End the snapshot, if there is one."""
        if not self._connection.in_transaction:
            return
        try:
            self._execute("COMMIT")
        except apsw.Error:
            # The error is that of the previous statement, which has ended by this.
            if self._connection.in_transaction:
                self._execute("ROLLBACK")

    def run(self, program: Program[T], seconds: float) -> T:
        """Run a program within the snapshot.

        Raises _TooLongError when it exceeds ``seconds`` or, in the event loop, when it announces a
        long computation.
        """
        self._deadline = time.perf_counter() + seconds
        execute = self._execute
        try:
            sql, values, max_rows = next(program)
            while True:
                if sql is LONG_COMPUTATION.sql and self._in_event_loop:
                    raise _TooLongError
                cursor = execute(sql, values)
                rows = cursor.fetchall() if max_rows is None else list(islice(cursor, max_rows))
                sql, values, max_rows = program.send(rows)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]  # the program's own result
        except apsw.InterruptError:
            if self._stopped:
                self._stopped = False
                raise _TooLongError from None
            raise
        finally:
            self._deadline = _NO_DEADLINE

    def exceeds(self, statement: Statement, checks: int, seconds: float) -> bool | None:
        """Tell whether a statement exceeds a number of clock checks, or ``seconds``.

        ``None`` means that the time passed without this thread running: it waited for the processor
        or the disk, which says nothing about the statement.
        """

        def program() -> Program[None]:
            yield Statement(f"{_PROBE_COMMENT} {statement.sql}", statement.values)

        self._remaining_checks = checks
        start = time.thread_time()
        try:
            self.run(program(), seconds)
        except _TooLongError:
            return self._remaining_checks < 0 or time.thread_time() - start >= seconds or None
        finally:
            self._remaining_checks = None
        return False

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class _Writer:
    """The connection that writes, used from the writer thread only."""

    def __init__(self, options: SqliteOptions) -> None:
        self.files = OpenedFiles(options.path)
        self._connection = open_connection(options, readonly=False)
        with closed_on_error(self._connection):
            require_writable(self._connection, options.path)
            if options.journal_mode == "wal":
                _enable_wal(self._connection, options)
            self._connection.execute("PRAGMA synchronous = FULL")
            self.files.add_log(self._connection)
        self._written = WriteTracker(self._connection)
        self._index: WalIndex | None = None
        self._commits: OwnCommits | None = None

    def note_commits(self, index: WalIndex) -> OwnCommits:
        """Record commits from now on; call this before anything is written."""
        self._index = index
        self._commits = OwnCommits(index)
        # An automatic checkpoint is a hook that runs between the visible commit and its record, and
        # would delay the record. `_shorten_log` makes checkpoints afterwards.
        self._connection.wal_autocheckpoint(0)
        return self._commits

    def run(self, program: Program[T], loop: asyncio.AbstractEventLoop) -> T:
        """Run a program in one transaction: all of it is committed, or nothing.

        It may wait for the event loop, so this must be another thread.
        """
        execute, commits = self._connection.execute, self._commits
        try:
            execute("BEGIN IMMEDIATE")
            self.files.require_in_place()
            state = None if commits is None else commits.state()
            self._written.begin()
            result = run_program(program, lambda statement: self._rows(statement, loop))
            if commits is None:
                execute("COMMIT")
            else:
                with commits.committing(state, self._written.tables()):
                    execute("COMMIT")
        except apsw.Error as error:
            raise translate(error) from error
        finally:
            if self._connection.in_transaction:
                execute("ROLLBACK")
        self._shorten_log()
        return result

    def _shorten_log(self) -> None:
        """Checkpoint a long write-ahead log, as far as no reader needs it.

        Committed rows are durable already; the next commit tries again.
        """
        head = None if self._index is None else self._index.look()
        if head is not None and is_log_long(head):
            with suppress(apsw.Error):
                self._connection.wal_checkpoint()

    def _rows(self, statement: Statement, loop: asyncio.AbstractEventLoop) -> Rows:
        begin = loop_callback(statement.sql, statement.values)
        if begin is not None:
            resumed: Future[None] = Future()
            loop.call_soon_threadsafe(_begin, begin, resumed)
            resumed.result()
            return []
        cursor = self._written.execute(statement.sql, statement.values)
        return (
            cursor.fetchall()
            if statement.max_rows is None
            else list(islice(cursor, statement.max_rows))
        )

    def close(self) -> None:
        """Close the file; the last connection checkpoints the write-ahead log."""
        self._connection.close()


class _Queue:
    """Counts the operations that wait for a thread with one connection.

    `enter` and `leave` are called in the event loop and on the thread.
    """

    def __init__(self) -> None:
        self.present = 0
        """How many are waiting or running."""
        self.refused = 0
        self._waits = 0
        self._wait_seconds = 0.0

    def enter(self) -> float:
        """Start to wait; return the time."""
        if self.present:
            self._waits += 1
        self.present += 1
        return time.monotonic()

    def leave(self, entered: float) -> float:
        """Note that an operation that entered at a given time runs now; return the time."""
        now = time.monotonic()
        self._wait_seconds += now - entered
        return now

    def statistics(self, name: str) -> PoolStatistics:
        """Return the state of the queue, by a name for it."""
        return PoolStatistics(
            name=name,
            size=1,
            in_use=min(1, self.present),
            waiting=max(0, self.present - 1),
            waits=self._waits,
            wait_seconds=self._wait_seconds,
            refused=self.refused,
        )


class SqliteDatabase:
    """A SQLite file with its readers and its writer.

    Create it inside the event loop that will read from it.
    """

    def __init__(self, options: SqliteOptions) -> None:
        """Open the file. Raises DatabaseOpenError when it cannot be opened as it is."""
        self.dialect = SqliteDialect()
        self._options = options
        self._guard_seconds = options.guard_ms / 1000
        self._writer = _Writer(options)
        with closed_on_error(self._writer):
            self._reader = _Reader(options, busy_timeout_ms=_LOOP_BUSY_MS, in_event_loop=True)
        self._reader.guard(_GUARD_STEPS)
        self._wal_index = self._reader.wal_index()
        index = self._wal_index
        commits = None if index is None else self._writer.note_commits(index)
        self._snapshots = Snapshots(self._reader, self._wal_index, commits)
        self._slow_reader: _Reader | None = None
        self._slow: dict[Hashable, None] = {}
        self._setting: Statement | None = None
        self._slow_reads = _Queue()
        self._writes = _Queue()
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix="quire-write")
        self._read_thread = ThreadPoolExecutor(1, thread_name_prefix="quire-read")

    @property
    def versions(self) -> ContentVersions:
        """See `Database.versions`."""
        return self._snapshots.versions

    def version(self) -> int | None:
        """Return a token of the content: as long as it is the same, nothing was written.

        A read in the same callback of the event loop sees the content that the token stands for.
        """
        return self._snapshots.version()

    async def present_version(self) -> int | None:
        """Return `version`: no query is needed."""
        return self.version()

    def follow(self, setting: Statement) -> None:
        """See `Database.follow`: the version never needs a query here."""
        self._setting = setting

    async def followed(self) -> Value:
        """Read the value that is followed."""
        setting = self._setting
        return None if setting is None else await self.read(lambda: _first_value(setting))

    async def read(
        self,
        make: Callable[[], Program[T]],
        *,
        snapshot: bool = False,
        key: Hashable = None,
    ) -> T:
        """Run a program that only reads; ``make`` gives a fresh one each time it is called.

        All of its statements see the same state, whether ``snapshot`` asks for it or not. ``key``
        identifies its kind (its plan), so that slow kinds are sent to the reader thread at once.
        """
        del snapshot  # this costs nothing more here
        return await self._read(make, key)

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        """Run a program that only reads, on the content that a token stands for.

        ``None`` means that there has been a commit since, or that there is one before the program
        has run on the reader thread. States only follow one another, so the rows are those of the
        token if it is the present one before and after. Raises as `read` does.
        """
        # A read that is slow in any state may be fast in a known one.
        state_key = None if key is None else (_STATE_KEY, key)
        try:
            return self.read_now(make, key=key, version=version)
        except WouldBlockError:
            if self.version() != version:
                return None
        try:
            result = await self._read_on_thread(make, state_key)
        except AppError:  # the result may be that of a later state
            if self.version() == version:
                raise
            return None
        return result if self.version() == version else None

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        """Run a program that only reads in the event loop; see `Database.read_now`.

        Slow programs are run on the reader thread the next time.
        """
        current_version = self.version()
        if version is not None and key is not None:
            key = (_STATE_KEY, key)
        if current_version is None or version not in {None, current_version} or key in self._slow:
            raise WouldBlockError
        try:
            return self._reader.run(make(), self._guard_seconds)
        except (_TooLongError, apsw.BusyError):
            self._remember_slow(key)
            raise WouldBlockError from None
        except apsw.Error as error:
            # What went wrong may have ended the transaction.
            self._snapshots.end()
            raise translate(error) from error

    async def is_costly(self, statement: Statement) -> bool | None:
        """Measure the statement for a moment, within the event loop."""
        if self.version() is None:
            return None
        try:
            return self._reader.exceeds(statement, _COSTLY_CHECKS, self._guard_seconds)
        except apsw.BusyError:
            return None
        except apsw.Error as error:
            # What went wrong may have ended the transaction.
            self._snapshots.end()
            raise translate(error) from error

    async def _read(self, make: Callable[[], Program[T]], key: Hashable) -> T:
        with suppress(WouldBlockError):
            return self.read_now(make, key=key)
        return await self._read_on_thread(make, key)

    async def _read_on_thread(self, make: Callable[[], Program[T]], key: Hashable) -> T:
        result, seconds = await self._read_slowly(make())
        if seconds < self._guard_seconds:
            # It was slow only once: pages were read from the disk, or the machine was busy.
            self._slow.pop(key, None)
        return result

    def _remember_slow(self, key: Hashable) -> None:
        if key is None:
            return
        if len(self._slow) >= _MAX_SLOW_KEYS:
            del self._slow[next(iter(self._slow))]
        self._slow[key] = None

    async def _read_slowly(self, program: Program[T]) -> tuple[T, float]:
        """Run a program on the reader thread; returns its result and its work.

        Work is processor time in seconds: time in the queue, or waiting for the interpreter lock,
        would make every read look slow as soon as a few run together. Raises DatabaseBusyError when
        too many reads are queued, or for too long.
        """
        if self._slow_reads.present >= self._options.read_queue:
            self._slow_reads.refused += 1
            raise DatabaseBusyError(TOO_MANY_READS)
        loop = asyncio.get_running_loop()
        deadline = time.monotonic() + self._options.queue_timeout_ms / 1000
        enter_time = self._slow_reads.enter()
        try:
            return await loop.run_in_executor(
                self._read_thread, self._run_on_read_thread, program, deadline, enter_time
            )
        finally:
            self._slow_reads.present -= 1

    def _run_on_read_thread(
        self, program: Program[T], deadline: float, enter_time: float
    ) -> tuple[T, float]:
        if self._slow_reads.leave(enter_time) > deadline:
            self._slow_reads.refused += 1
            raise DatabaseBusyError(TOO_MANY_READS)
        reader = self._slow_reader or self._open_slow_reader()
        try:
            reader.begin()
            start = time.thread_time()
            result = reader.run(program, self._options.timeout_ms / 1000)
            return result, time.thread_time() - start
        except _TooLongError:
            raise ServiceUnavailableError(TOO_LONG) from None
        except apsw.Error as error:
            raise translate(error) from error
        finally:
            reader.end()

    def _open_slow_reader(self) -> _Reader:
        # Another file or log of the same name is not what the other connections read.
        self._writer.files.require_in_place()
        try:
            reader = _Reader(
                self._options,
                busy_timeout_ms=self._options.busy_timeout_ms,
                in_event_loop=False,
            )
        except DatabaseOpenError as error:
            # The file has been open all the time, so this is a temporary lock.
            raise ServiceUnavailableError from error
        reader.guard(_TIMEOUT_STEPS)
        self._slow_reader = reader
        return reader

    async def write(self, program: Program[T]) -> T:
        """Run a program that writes, in one durable transaction, after earlier writes.

        Raises DatabaseBusyError when it waited too long: the caller has most likely gone.
        """
        loop = asyncio.get_running_loop()
        deadline = time.monotonic() + self._options.queue_timeout_ms / 1000
        enter_time = self._writes.enter()
        try:
            result = await loop.run_in_executor(
                self._write_thread, self._run_on_write_thread, program, deadline, enter_time, loop
            )
        finally:
            self._writes.present -= 1
        note_commit()
        return result

    def _run_on_write_thread(
        self,
        program: Program[T],
        deadline: float,
        enter_time: float,
        loop: asyncio.AbstractEventLoop,
    ) -> T:
        if self._writes.leave(enter_time) > deadline:
            self._writes.refused += 1
            raise DatabaseBusyError(TOO_BUSY)
        return self._writer.run(program, loop)

    def pools(self) -> tuple[PoolStatistics, ...]:
        """See `Database.pools`: the thread for slow reads, and the writer thread.

        Reads in the event loop do not wait.
        """
        return self._slow_reads.statistics("read"), self._writes.statistics("write")

    def is_in_place(self) -> bool:
        """Tell whether the files are still those that were opened."""
        return self._writer.files.are_in_place()

    def forget_statements(self) -> None:
        """Forget which reads were slow; SQLite itself notices when tables have changed."""
        self._slow.clear()

    async def close(self) -> None:
        """Finish the running write and close the file."""
        # On another thread, because the running write may wait for a coroutine of this event loop.
        await asyncio.to_thread(self._write_thread.shutdown)
        self._read_thread.shutdown()
        self._snapshots.close()
        if self._slow_reader is not None:
            self._slow_reader.close()
        self._reader.close()
        self._writer.close()
        if self._wal_index is not None:
            self._wal_index.close()


def _first_value(statement: Statement) -> Program[Value]:
    rows = yield statement
    return rows[0][0] if rows else None
