"""Where files are kept and worked on: the part of the media library that no schema changes."""

import asyncio
from weakref import WeakValueDictionary

from msgspec import Struct, field

from quire.uploads.links import SignedLinks
from quire.uploads.storage import Storage
from quire.uploads.workshop import Workshop


class Premises(Struct, frozen=True, kw_only=True):
    """One for each server, shared by all that work on files.

    ``links`` are what private files are told by; without it files are for everybody.
    """

    storage: Storage
    workshop: Workshop
    links: SignedLinks | None = None
    _busy: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def lock(self, file_id: int) -> asyncio.Lock:
        """Return the lock of a file, for whoever changes its bytes."""
        return self._busy.setdefault(file_id, asyncio.Lock())

    def close(self) -> None:
        """Let work that is under way finish, and take no more."""
        self.workshop.close()
