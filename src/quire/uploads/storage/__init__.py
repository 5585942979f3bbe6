"""Storage backends: one interface, one module per backend."""

from collections.abc import AsyncIterator, Collection
from datetime import timedelta
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from quire.errors import AppError, OutOfSpaceError, StorageError

_FULL = frozenset({ENOSPC, EDQUOT, EFBIG})


class StoredObject(Struct, frozen=True, kw_only=True):
    """Something that is kept: its key, its size in bytes, when it was put there (epoch ms)."""

    key: str
    size: int
    changed_at: int


class Storage(Protocol):
    """A place for files by key; a key is a plain file name.

    All methods raise StorageError (503) when the place cannot be reached, and OutOfSpaceError (507)
    when it is full.
    """

    @property
    def provider(self) -> str:
        """The name that rows have the place under."""

    def url(self, key: str) -> str:
        """Return the address of a file."""

    async def put(self, key: str, source: Path, *, type_: str) -> None:
        """Keep a file, durably and whole, in place of what was there; ``source`` may be moved."""

    async def version(self, key: str) -> str | None:
        """Return what tells a file from what it was before, ``None`` where it is not there."""

    async def fetch(self, key: str, target: Path) -> bool:
        """Copy a file out; tells whether it was there."""

    async def remove(self, keys: Collection[str]) -> None:
        """Forget files; that one is not there is no fault."""

    async def link(self, key: str, lifetime: timedelta) -> str | None:
        """Return an address outside that has a file for a while; ``None`` where there is none."""

    def listed(self) -> AsyncIterator[StoredObject]:
        """Iterate over all that is kept."""


def storage_problem(error: OSError) -> AppError:
    """Return what to answer when files cannot be written or read here."""
    return OutOfSpaceError() if error.errno in _FULL else StorageError()
