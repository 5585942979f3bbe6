"""Storage backends: one interface, one module per backend."""

from collections.abc import AsyncIterator, Collection
from datetime import timedelta
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from quire.errors import AppError, OutOfSpaceError, StorageError

_FULL = frozenset({ENOSPC, EDQUOT, EFBIG})


class UnlistedStorageError(StorageError):
    """The storage does not list its files."""


class StoredObject(Struct, frozen=True, kw_only=True):
    """A stored object: its key, its size in bytes, its time (epoch ms)."""

    key: str
    size: int
    changed_at: int


class Storage(Protocol):
    """Stores files by key; a key is a plain file name.

    All methods raise StorageError (503) when the storage cannot be reached, and OutOfSpaceError
    (507) when it is full.
    """

    @property
    def provider(self) -> str:
        """The name of the storage in rows."""

    def url(self, key: str) -> str:
        """Return the URL of a file."""

    async def put(self, key: str, source: Path, *, type_: str) -> None:
        """Store a file durably and atomically, replacing a former one; ``source`` may be moved."""

    async def version(self, key: str) -> str | None:
        """Return an identifier of the present content of a file, ``None`` if it does not exist."""

    async def fetch(self, key: str, target: Path) -> bool:
        """Copy a file out; tells whether it existed."""

    async def remove(self, keys: Collection[str]) -> None:
        """Delete files; missing ones are ignored."""

    async def link(self, key: str, lifetime: timedelta) -> str | None:
        """Return an external URL that is valid for a while; ``None`` if there is none."""

    def listed(self) -> AsyncIterator[StoredObject]:
        """Iterate over all stored objects."""


def storage_problem(error: OSError) -> AppError:
    """Return the error to raise when files cannot be written or read."""
    return OutOfSpaceError() if error.errno in _FULL else StorageError()
