"""Replaces the content of a file, with recovery after an interruption.

A file keeps its URL when its bytes are replaced, so for a time some bytes are new while its row
describes the old ones. The old bytes are saved, with a record of the replacement. A process that
later finds such a record, because its writer crashed, makes bytes and row consistent again.

The lock is one of the operating system: it ends with the process that holds it. Where several
machines may use one database, a lease in the database excludes the others, too.
"""

import asyncio
import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from secrets import token_hex

import msgspec
import structlog
from msgspec import Struct

from quire.database.stores.files import FileRow
from quire.database.stores.leases import Leases
from quire.errors import QuireError, ServiceUnavailableError
from quire.uploads.processing import PreparedFile
from quire.uploads.storage import Storage, storage_problem
from quire.uploads.storage.local import flush

_log = structlog.get_logger("quire.uploads")
_JOURNAL = "note.json"
_LOCK = ".lock"
_LEASE = "upload {}"
_LOOK_AGAIN_SECONDS = 0.05
MACHINE = ".machine"
"""The file with the id of the machine; it is created once and stays."""

WAIT_SECONDS = 30.0
BUSY = "The file is being replaced by somebody else"


class ReplacementRecord(Struct, frozen=True, kw_only=True):
    """A running replacement: the former row, and which bytes exist before and after it.

    ``saved`` are files next to the record, by key, and ``types`` their types; ``added`` are keys
    that did not exist before.
    """

    before: str
    saved: Mapping[str, str]
    added: tuple[str, ...]
    types: Mapping[str, str]


class Replacements:
    """The running replacements of this machine, in their own folder."""

    def __init__(self, folder: Path, storage: Storage, leases: Leases | None = None) -> None:
        """``leases`` are for several machines with a shared storage."""
        self._folder = folder
        self._storage = storage
        self._leases = leases

    async def _machine_lease(self, name: str, wait: float) -> AbstractAsyncContextManager[None]:
        """Exclude other machines; processes of this one are excluded by the lock on the file."""
        if self._leases is None:
            return nullcontext()
        machine = await asyncio.to_thread(_machine, self._folder.parent)
        return self._leases.hold(name, wait=wait, machine=machine)

    @asynccontextmanager
    async def locked(self, file_id: int, *, wait: float = WAIT_SECONDS) -> AsyncIterator[Path]:
        """Lock a file against other replacements; yields the folder for its saved bytes.

        Raises ServiceUnavailableError when it takes longer than ``wait`` seconds.
        """
        lock = await self._acquire_lock(file_id, wait)
        name = _LEASE.format(file_id)
        try:
            async with await self._machine_lease(name, wait):
                yield self._folder / str(file_id)
        finally:
            await asyncio.shield(asyncio.to_thread(_release_lock, lock, self._lock_path(file_id)))

    async def begin(
        self, record_folder: Path, file_row: FileRow, prepared: PreparedFile
    ) -> ReplacementRecord:
        """Save the present files, and write a durable record of the replacement.

        The record is written last, and flushed: without it nothing has been replaced yet. Raises
        StorageError and OutOfSpaceError; then there is no record.
        """
        saved: dict[str, str] = {}
        try:
            await asyncio.to_thread(record_folder.mkdir, parents=True, exist_ok=True)
            for number, key in enumerate(file_row.keys):
                if await self._storage.fetch(key, record_folder / f"saved-{number}"):
                    saved[key] = f"saved-{number}"
            types = {piece.key: piece.type for piece in prepared.pieces}
            record = ReplacementRecord(
                before=state_of(file_row),
                saved=saved,
                added=tuple(key for key in types if key not in saved),
                types={key: types.get(key, file_row.mime) for key in saved},
            )
            await asyncio.to_thread(_write_record, record_folder, record)
        except BaseException as error:
            await asyncio.shield(self.end(record_folder))
            if isinstance(error, OSError):
                raise storage_problem(error) from error
            raise
        return record

    async def undo(
        self, record_folder: Path, record: ReplacementRecord, *, is_deleted: bool
    ) -> None:
        """Restore the former bytes, or remove those of a file that was deleted meanwhile.

        If that fails, the record is left for the next attempt.
        """
        try:
            if is_deleted:
                await self._remove_files(record)
            else:
                await self._restore_files(record_folder, record)
        except QuireError:
            _log.warning(
                "a replaced file does not fit its row", file=record_folder.name, exc_info=True
            )
        else:
            await asyncio.to_thread(_delete_record, record_folder)

    async def settle(self, record_folder: Path, row: FileRow | None) -> None:
        """Make bytes and row consistent again after an interrupted replacement, if there was one.

        If the row was changed, the new bytes are kept; else the old ones are restored. Without a
        row all are removed. Raises StorageError or OutOfSpaceError, and can be retried then.
        """
        record = await asyncio.to_thread(_read_record, record_folder)
        if record is not None:
            if row is None:
                await self._remove_files(record)
            elif state_of(row) == record.before:
                await self._restore_files(record_folder, record)
            else:
                await self._storage.remove([key for key in record.saved if key not in row.keys])
        await self.end(record_folder)

    async def end(self, record_folder: Path) -> None:
        """Delete the record, with the saved files."""
        await asyncio.to_thread(_delete_record, record_folder)

    async def unfinished(self) -> list[int]:
        """Return the files with a record, or with an unfinished one."""
        return await asyncio.to_thread(_recovery_folders, self._folder)

    async def _remove_files(self, record: ReplacementRecord) -> None:
        await self._storage.remove([*record.saved, *record.added])

    async def _restore_files(self, record_folder: Path, record: ReplacementRecord) -> None:
        await self._storage.remove(record.added)
        for key, name in record.saved.items():
            copy = record_folder / f"{name}.again"  # the storage may move it
            try:
                await asyncio.to_thread(shutil.copyfile, record_folder / name, copy)
            except OSError as error:
                raise storage_problem(error) from error
            await self._storage.put(key, copy, type_=record.types[key])

    async def _acquire_lock(self, file_id: int, wait: float) -> int:
        path = self._lock_path(file_id)
        loop = asyncio.get_running_loop()
        end = loop.time() + wait
        while True:
            try:
                lock = await asyncio.to_thread(_try_to_lock, path)
            except OSError as error:
                raise storage_problem(error) from error
            if lock is not None:
                return lock
            if loop.time() >= end:
                raise ServiceUnavailableError(BUSY)
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)

    def _lock_path(self, file_id: int) -> Path:
        return self._folder / f"{file_id}{_LOCK}"


def state_of(row: FileRow) -> str:
    """Return the state of a row that changes when its bytes are replaced."""
    facts = (row.mime, row.size, row.width, row.height, dict(row.formats))
    return msgspec.json.encode(facts, order="deterministic").decode()


def _write_record(record_folder: Path, record: ReplacementRecord) -> None:
    for name in record.saved.values():
        flush(record_folder / name)
    new_file = record_folder / f"{_JOURNAL}.new"
    new_file.write_bytes(msgspec.json.encode(record))
    flush(new_file)
    new_file.replace(record_folder / _JOURNAL)
    flush(record_folder)


def _read_record(record_folder: Path) -> ReplacementRecord | None:
    """Return the record; ``None`` if the replacement had not begun when the process was lost."""
    try:
        return msgspec.json.decode((record_folder / _JOURNAL).read_bytes(), type=ReplacementRecord)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _delete_record(record_folder: Path) -> None:
    with suppress(OSError):
        (record_folder / _JOURNAL).unlink()  # first of all: the rest means nothing without it
    shutil.rmtree(record_folder, ignore_errors=True)


def _recovery_folders(folder: Path) -> list[int]:
    """Return the files that have a folder or, after a crash, a lock that nobody holds."""
    if not folder.is_dir():
        return []
    names = {path.name.removesuffix(_LOCK) for path in folder.iterdir()}
    return sorted(int(name) for name in names if name.isdecimal())


def _try_to_lock(path: Path) -> int | None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        return None  # the folder was just deleted
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.stat().st_ino == os.fstat(lock).st_ino:
            return lock
    except (BlockingIOError, FileNotFoundError):
        pass  # another process holds the lock, or has just released and deleted it
    os.close(lock)
    return None


def _release_lock(lock: int, path: Path) -> None:
    with suppress(OSError):
        path.unlink()
    os.close(lock)
    with suppress(OSError):
        path.parent.rmdir()  # if nothing else is running


def _machine(folder: Path) -> str:
    """Return an identifier of this machine, or of those that share its folder and locks."""
    path = folder / MACHINE
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        fresh = path.with_name(f"{MACHINE}.{token_hex(8)}")
        fresh.write_text(token_hex(8), encoding="ascii")
        try:
            os.link(fresh, path)
        finally:
            fresh.unlink()
    return path.read_text(encoding="ascii")
