"""Files in a local folder, with the names that Strapi uses."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Collection
from datetime import timedelta
from errno import EXDEV
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from quire.errors import StorageError
from quire.uploads.storage import StoredObject, storage_problem

T = TypeVar("T")

LOCAL = "local"


class LocalStorage:
    """A folder. Files are written to it atomically and durably."""

    provider = LOCAL

    def __init__(self, folder: Path, *, base: str) -> None:
        """``folder`` is created with the first file; URLs begin with ``base``."""
        self._folder = folder
        self._base = base.rstrip("/")

    def url(self, key: str) -> str:
        """Return the URL of a file."""
        return f"{self._base}/{key}"

    async def put(self, key: str, source: Path, *, type_: str) -> None:
        """Move a file into the folder."""
        del type_  # its type is derived from the name when it is served
        await _run_in_thread(lambda: _move_file(source, self._path(key)))

    async def version(self, key: str) -> str | None:
        """Return the time and size of a file."""
        return await _run_in_thread(lambda: _version(self._path(key)))

    async def fetch(self, key: str, target: Path) -> bool:
        """Copy a file out of the folder."""
        return await _run_in_thread(lambda: _copied(self._path(key), target))

    async def remove(self, keys: Collection[str]) -> None:
        """Delete files."""
        await _run_in_thread(lambda: _delete([self._path(key) for key in keys]))

    async def link(self, key: str, lifetime: timedelta) -> str | None:
        """Return nothing: files are served from the folder."""
        del key, lifetime
        return None

    async def listed(self) -> AsyncIterator[StoredObject]:
        """Iterate over the files of the folder, without hidden ones."""
        for file in await _run_in_thread(lambda: _entries(self._folder)):
            yield file

    def _path(self, key: str) -> Path:
        if not key or key.startswith(".") or "/" in key or "\\" in key or "\0" in key:
            raise StorageError
        return self._folder / key


async def _run_in_thread(act: Callable[[], T]) -> T:
    """Call a function on a thread, and translate its errors."""
    try:
        return await asyncio.to_thread(act)
    except OSError as error:
        raise storage_problem(error) from error


def _move_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    flush(source)
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != EXDEV:
            raise
        _copy_across_file_systems(source, target)
    flush(target.parent)


def _copy_across_file_systems(source: Path, target: Path) -> None:
    """Copy next to the target first, since files cannot be moved between file systems.

    The rename is atomic: no reader sees a part of the file.
    """
    temporary_file = target.parent / f".{token_hex(8)}.incoming"
    try:
        shutil.copyfile(source, temporary_file)
        flush(temporary_file)
        temporary_file.replace(target)
    finally:
        temporary_file.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Write a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _version(path: Path) -> str | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return f"{status.st_mtime_ns}-{status.st_size}"


def _copied(source: Path, target: Path) -> bool:
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        return False
    return True


def _delete(paths: Collection[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _entries(folder: Path) -> list[StoredObject]:
    if not folder.is_dir():
        return []
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                status = entry.stat()
                moment = int(status.st_mtime_ns // 1_000_000)
                files.append(StoredObject(key=entry.name, size=status.st_size, changed_at=moment))
    return files
