"""Opens SQLite database files and their ``-shm`` files; no other module does.

POSIX drops all locks that a process holds on a file as soon as the process closes any descriptor of
that file. SQLite therefore delays closing its own descriptors while it holds locks, but only within
one copy of its library. A plain ``open`` and ``close`` of the database file, or a second copy of
SQLite in the process (Python's ``sqlite3`` besides apsw), drops the locks of a running server. The
next program that closes the database then considers itself the last one: it deletes the write-ahead
log that the server continues to write, and every write that the server acknowledges afterwards is
lost.

So a process opens these files only here: the database file and its ``-wal`` through apsw, the
``-shm`` through a descriptor that stays open. ``stat``, ``rename`` and ``unlink`` are harmless.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import apsw
import structlog
from msgspec import Struct

from quire.errors import DatabaseLockedError, DatabaseOpenError, ServiceUnavailableError

_log = structlog.get_logger("quire.database")

_STATEMENT_CACHE = 512
_SHM_BYTES = 32_768
"""The size of the ``-shm`` file, without which SQLite opens no database with a log."""

_retired_shm: set[int] = set()
"""Descriptors of ``-shm`` files that are no longer used but cannot be closed yet."""


class Closable(Protocol):
    """An object with a connection to a database file."""

    def close(self) -> None:
        """Close the connection."""


class SqliteOptions(Struct, frozen=True, kw_only=True):
    """How a SQLite file is opened.

    ``journal_mode`` is ``wal`` or ``keep``; ``guard_ms`` is how long a read may hold the event
    loop, in milliseconds; ``timeout_ms`` how long it may take at all; ``busy_timeout_ms`` how long
    to wait for another writer, ``queue_timeout_ms`` how long a write or a slow read may wait for
    those of the same process before it. No more than ``read_queue`` slow reads run or wait.
    """

    path: Path
    journal_mode: str = "wal"
    guard_ms: float = 5.0
    timeout_ms: float = 30_000
    busy_timeout_ms: int = 5000
    queue_timeout_ms: int = 15_000
    read_queue: int = 100


def open_connection(
    options: SqliteOptions, *, readonly: bool, mutex: bool = True
) -> apsw.Connection:
    """Open a connection to an existing database file.

    Without the ``mutex`` no two threads may use the connection at the same time. Raises
    DatabaseOpenError when there is no such file or when it cannot be opened as it is.
    """
    flags = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE
    if not mutex:
        flags |= apsw.SQLITE_OPEN_NOMUTEX
    if not options.path.is_file():
        message = (
            f"There is no database at {options.path}; `quire new` makes one in the project, "
            "`quire import` fills it from an archive."
        )
        raise DatabaseOpenError(message)
    try:
        connection = apsw.Connection(
            str(options.path), flags=flags, statementcachesize=_STATEMENT_CACHE
        )
        with closed_on_error(connection):
            connection.set_busy_timeout(options.busy_timeout_ms)
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except apsw.Error as error:
        raise open_error(options.path, error) from error
    return connection


def require_writable(connection: apsw.Connection, path: Path) -> None:
    """Raise DatabaseOpenError when SQLite has opened a file for reading only, as it may do."""
    if connection.readonly("main"):
        raise DatabaseOpenError(f"{path} cannot be written: it or its file system is read-only")


def copy_database_file(source: SqliteOptions, target: Path) -> None:
    """Copy a database to a new file, while others may write. Raises DatabaseOpenError."""
    source_connection = open_connection(source, readonly=False)
    try:
        try:
            target_connection = apsw.Connection(str(target))
        except apsw.Error as error:
            raise open_error(target, error) from error
        try:
            with target_connection.backup("main", source_connection, "main") as backup:
                # In one step: with several, each write of others would restart it.
                while not backup.done:
                    backup.step(-1)
        finally:
            target_connection.close()
    except apsw.FullError as error:
        raise DatabaseOpenError(f"{target} cannot be written: {error}") from error
    except apsw.Error as error:
        raise open_error(source.path, error) from error
    finally:
        source_connection.close()


def require_unused(options: SqliteOptions) -> None:
    """Raise DatabaseLockedError when another process has a database file open."""
    connection = open_connection(options, readonly=False)
    try:
        # Before the first read: then SQLite needs the whole file exclusively.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE; ROLLBACK")
    except apsw.Error as error:
        raise open_error(options.path, error) from error
    finally:
        connection.close()


@contextmanager
def closed_on_error(opened: Closable) -> Iterator[None]:
    """Close what was opened when the block raises, instead of whenever it is garbage-collected."""
    try:
        yield
    except BaseException:
        opened.close()
        raise


def open_error(path: Path, error: apsw.Error) -> DatabaseOpenError:
    """Return the error to raise when SQLite refuses to open a file."""
    match error:
        case apsw.NotADBError():
            return DatabaseOpenError(f"{path} is not a SQLite database")
        case apsw.BusyError() | apsw.LockedError():
            return DatabaseLockedError(f"{path} is locked by another program")
        case apsw.CorruptError():
            return DatabaseOpenError(f"{path} is damaged: {error}")
        case _:
            return DatabaseOpenError(f"{path} cannot be opened: {_access_problem(path) or error}")


def _access_problem(path: Path) -> str | None:
    """Return why SQLite cannot open a file or create those next to it, if that can be seen."""
    folder = path.parent
    try:
        if not folder.is_dir():
            return f"there is no folder {folder}"
        if not os.access(folder, os.W_OK):
            return f"this process cannot write to the folder {folder}"
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            return "this process cannot read and write it"
        if shutil.disk_usage(folder).free < _SHM_BYTES:
            return "there is no space left on its device"
    except OSError:
        return None
    return None


def create_empty_file(path: Path) -> None:
    """Create an empty database file, and its folder; leave an existing file untouched.

    Only its owner and its group may read it, since it has hashes of passwords.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o640)


class OpenedFiles:
    """The database file and its ``-wal`` as they were opened, recognized by device and inode.

    A server whose files were moved, replaced or deleted goes on writing to files that nobody finds
    again. Looking costs one ``stat`` for each file.
    """

    def __init__(self, path: Path) -> None:
        """Remember the database file; call this before it is opened."""
        self._path = path
        self._files = {path: _identity(path)}
        self._is_reported = False

    def add_log(self, connection: apsw.Connection) -> None:
        """Remember the write-ahead log of an open connection, if it has one.

        Raises DatabaseOpenError when the log cannot be read, or when the database file was replaced
        while it was opened.
        """
        try:
            if connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]:
                # The first read creates the log.
                connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
                log = Path(connection.filename_wal)
                self._files[log] = _identity(log)
        except apsw.Error as error:
            raise open_error(self._path, error) from error
        if not self.are_in_place():
            raise DatabaseOpenError(f"{self._path} was replaced while it was opened")

    def are_in_place(self) -> bool:
        """Tell whether the paths still name the files that were opened; opens nothing."""
        return all(_identity(path) == identity for path, identity in self._files.items())

    def require_in_place(self) -> None:
        """Raise ServiceUnavailableError unless the paths name the files that were opened."""
        if self.are_in_place():
            self._is_reported = False
            return
        message = f"{self._path} or its -wal was moved, replaced or deleted"
        if not self._is_reported:
            _log.error("writes are refused until the files are back", reason=message)
            self._is_reported = True
        raise ServiceUnavailableError from DatabaseOpenError(message)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def open_shm(database: str) -> int:
    """Return a read-only descriptor of the ``-shm`` file of a connected database in WAL mode.

    ``database`` is the file name as SQLite reports it: absolute, without symbolic links. Raises
    OSError when there is no such file.
    """
    return os.open(f"{database}-shm", os.O_RDONLY | os.O_CLOEXEC)


def close_shm(descriptor: int) -> None:
    """Close a descriptor of `open_shm`, once the connections of its database are closed.

    As long as the file exists, other connections of this process may hold locks on it. The
    descriptor is then closed by a later call, after SQLite has removed the file, or never.
    """
    _retired_shm.add(descriptor)
    for closable in [candidate for candidate in _retired_shm if os.fstat(candidate).st_nlink == 0]:
        _retired_shm.remove(closable)
        os.close(closable)
