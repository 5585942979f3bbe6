"""Storage backends of a project's Python code: the class to derive from, and checked backends."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.marks import add_mark


class FileMeta(Struct, frozen=True, kw_only=True):
    """The media type and the size in bytes of a file that is stored."""

    type: str
    size: int


class StoredFile(Struct, frozen=True, kw_only=True):
    """A file in a storage: its key, its size in bytes, and when it was stored, with a time zone."""

    key: str
    size: int
    stored_at: datetime


class ByteRange(Struct, frozen=True, kw_only=True):
    """A part of a file: its first and its last byte, counted from 0."""

    start: int
    end: int


class StorageBackend(ABC):
    """A storage of uploaded files by key; a key is a plain file name.

    The class is instantiated without arguments, once for each process; its methods may be called
    at the same time. Any exception but FileNotFoundError is a 503, OSError for a full disk a 507.
    """

    @abstractmethod
    async def put(self, key: str, content: AsyncIterator[bytes], meta: FileMeta) -> None:
        """Store a file durably, in place of one with the same key; never a part of it alone."""

    @abstractmethod
    def open(self, key: str, part: ByteRange | None = None) -> AsyncIterator[bytes]:
        """Iterate over the content of a file, or over a part of it.

        A ``part`` is only read if there is a method `size`. Raises FileNotFoundError where there is
        no such file.
        """

    @abstractmethod
    async def delete(self, key: str) -> None:
        """Delete a file; that there is none is no error."""

    @abstractmethod
    async def version(self, key: str) -> str | None:
        """Return a text that differs when a file was replaced; ``None`` where there is none."""

    async def size(self, key: str) -> int | None:
        """Return the size of a file in bytes, ``None`` where there is none; optional.

        With it, requests for a part of a file read only that part.
        """
        raise NotImplementedError

    async def url(self, key: str, *, expires: timedelta) -> str | None:
        """Return an address from which anybody may download a file for a while.

        ``None``, the default, has Quire send the file itself.
        """
        del key, expires
        return None

    def list(self) -> AsyncIterator[StoredFile]:
        """Iterate over all files, for ``quire check --uploads``; optional."""
        raise NotImplementedError


B = TypeVar("B", bound=type[StorageBackend])


class StorageBackendMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    name: Any

    phase = "storage_backend"


def storage_backend(name: str) -> Callable[[B], B]:
    """Store uploaded files by a class: a `StorageBackend`, used with ``uploads.storage = name``.

    Files have the name as their provider in the database.
    """
    mark = StorageBackendMark(name=name)
    return lambda decorated: add_mark(decorated, mark)


class CustomStorageBackend(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked storage backend."""

    backend: type[StorageBackend]
