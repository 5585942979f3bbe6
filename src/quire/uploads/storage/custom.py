"""Files in a storage backend of a project's Python code."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection
from datetime import timedelta
from inspect import signature
from pathlib import Path
from typing import TypeVar

import structlog

from quire.errors import AppError, StorageError
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.storage_backends import (
    ByteRange,
    CustomStorageBackend,
    FileMeta,
    StorageBackend,
)
from quire.uploads.storage import StoredObject, UnlistedStorageError, storage_problem

T = TypeVar("T")

_CHUNK_BYTES = 1 << 20
_log = structlog.get_logger("quire.extensions")


class CustomStorage:
    """A storage backend of a project; exceptions are logged and lead to 503."""

    def __init__(self, custom: CustomStorageBackend, *, base: str) -> None:
        """Raises what the class raises. ``base`` is the start of all addresses."""
        self.provider = custom.name
        self._custom = custom
        self._backend = custom.backend()
        self._base = base.rstrip("/")

    def url(self, key: str) -> str:
        """Return the URL of a file."""
        return f"{self._base}/{key}"

    async def put(self, key: str, source: Path, *, type_: str) -> None:
        """Store a file."""
        size = (await asyncio.to_thread(source.stat)).st_size
        meta = FileMeta(type=type_, size=size)
        await self._await_backend(self._backend.put(key, _pieces(source), meta))

    async def version(self, key: str) -> str | None:
        """Return the version of a file."""
        return await self._await_backend(self._backend.version(key))

    async def fetch(self, key: str, target: Path) -> bool:
        """Copy a file to ``target``."""
        try:
            await self._await_backend(self._copy(key, target))
        except FileNotFoundError:
            return False
        return True

    async def size(self, key: str) -> int | None:
        """Return the size of a file of which a part can be read; ``None`` if that is impossible."""
        reads_parts = "part" in signature(self._backend.open).parameters
        if not reads_parts or type(self._backend).size is StorageBackend.size:
            return None
        return await self._await_backend(self._backend.size(key))

    async def part(self, key: str, part: ByteRange) -> AsyncIterator[bytes]:
        """Iterate over a part of a file of which `size` knows the size."""
        pieces = aiter(self._backend.open(key, part=part))
        while True:
            try:
                piece = await self._await_backend(anext(pieces))
            except StopAsyncIteration:
                return
            yield piece

    async def remove(self, keys: Collection[str]) -> None:
        """Delete files."""
        for key in keys:
            await self._await_backend(self._backend.delete(key))

    async def link(self, key: str, lifetime: timedelta) -> str | None:
        """Return an address outside of this server."""
        return await self._await_backend(self._backend.url(key, expires=lifetime))

    async def listed(self) -> AsyncIterator[StoredObject]:
        """Iterate over all files.

        Raises UnlistedStorageError for a backend that does not list them.
        """
        if type(self._backend).list is StorageBackend.list:
            message = f'the storage backend "{self.provider}" has no method list'
            raise UnlistedStorageError(message)
        files = aiter(self._backend.list())
        while True:
            try:
                file = await self._await_backend(anext(files))
            except StopAsyncIteration:
                return
            moment = int(file.stored_at.timestamp() * 1000)
            yield StoredObject(key=file.key, size=file.size, changed_at=moment)

    async def _copy(self, key: str, target: Path) -> None:
        file = await asyncio.to_thread(target.open, "wb")
        try:
            async for piece in self._backend.open(key):
                await asyncio.to_thread(file.write, piece)
        finally:
            await asyncio.to_thread(file.close)

    async def _await_backend(self, work: Awaitable[T]) -> T:
        """Await a method. Raises FileNotFoundError as it is, and StorageErrors for all else."""
        try:
            return await work
        except (FileNotFoundError, AppError, StopAsyncIteration):
            raise
        except CODE_ERRORS as error:
            _log.exception(
                "a storage backend failed", backend=self.provider, place=self._custom.place
            )
            raise (
                storage_problem(error) if isinstance(error, OSError) else StorageError()
            ) from error


async def _pieces(source: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(source.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield piece
    finally:
        await asyncio.to_thread(file.close)
