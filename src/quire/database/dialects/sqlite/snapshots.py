"""Snapshots that reads in the event loop share.

Beginning and ending a snapshot costs more than many statements: it takes locks that processes
share. So a snapshot is reused while the WAL-index shows no commit since it began. Each read checks
the index itself: between two callbacks of the event loop, another process may commit, and a request
of a client that knows of this commit may arrive.
"""

import asyncio
from typing import Protocol

import apsw

from quire.database.dialects.sqlite.changed_tables import OwnCommits
from quire.database.dialects.sqlite.wal_index import WalIndex, is_log_long, state_of
from quire.database.versioned_cache import ContentVersions

LONGEST_S = 0.05
"""Maximum age of a snapshot, in seconds.

Checkpoints that wait for readers (such as ``wal_checkpoint(TRUNCATE)`` of another program) wait no
longer, and an idle server holds none.
"""


_TRIES = 3
"""How often a snapshot is begun again to get one in a known state, while others commit."""


class SnapshotReader(Protocol):
    """A reader that has snapshots."""

    def begin(self) -> int:
        """Begin a snapshot; return a number that changes with each commit of others."""

    def end(self) -> None:
        """End the snapshot, if there is one."""


class Snapshots:
    """The snapshots of one reader of the event loop.

    Without an index (not in WAL mode), each check begins a new snapshot. None is older than
    ``longest`` seconds. ``commits`` are those of this process.
    """

    def __init__(
        self,
        reader: SnapshotReader,
        index: WalIndex | None,
        commits: OwnCommits | None,
        *,
        longest: float = LONGEST_S,
    ) -> None:
        self._reader = reader
        self._index = index
        self._commits = commits
        self._longest = longest
        self.versions = ContentVersions()
        self._data_version: int | None = None
        """The data version of the reader in the last content version."""
        self._state: bytes | None = None
        """The state of the index in the last content version."""
        self._is_open = False
        self._lasts = False
        """Whether the snapshot is kept beyond the callback in which it began."""
        self._head: bytes | None = None
        """The head of the index before the snapshot began."""
        self._timer: asyncio.TimerHandle | None = None

    def version(self) -> int | None:
        """Return a number that is the same until there is a commit, ``None`` if not available now.

        Until the present callback of the event loop ends, or this is called again, the reader sees
        the content that the number stands for.
        """
        head, index = self._head, self._index
        # There is an `index` whenever there is a head.
        if head is None or index is None or not index.is_still(head):
            try:
                self._begin()
            except apsw.Error:
                return None
        return self.versions.current

    def _begin(self) -> None:
        data_version, head, state = self._begin_in_state()
        if data_version != self._data_version:
            self._data_version = data_version
            previous_state, self._state = self._state, state
            commits = self._commits
            changed_tables = (
                None if commits is None else commits.changed_tables(previous_state, state)
            )
            self.versions.advance(changed_tables)
        elif self._state is None:
            self._state = state
        self._head = head
        # SQLite can restart a log only while nobody reads from it.
        self._lasts = head is not None and not is_log_long(head)
        loop = asyncio.get_running_loop()
        if not self._lasts:
            loop.call_soon(self._end_round)
        elif self._timer is None:
            self._timer = loop.call_later(self._longest, self._end_in_time)

    def _begin_in_state(self) -> tuple[int, bytes | None, bytes | None]:
        """Begin a snapshot; return its number, the head before it, and its state if known.

        The state is known if it is the same before and after, so that there was no commit between.
        """
        index = self._index
        head: bytes | None = None
        data_version = 0
        for _ in range(_TRIES):
            self.end()
            # Read before: a commit in between also changes the head.
            head = None if index is None else index.look()
            data_version = self._reader.begin()
            self._is_open = True
            if index is None:
                break
            if head is not None and index.state() == state_of(head):
                return data_version, head, state_of(head)
        return data_version, head, None

    def _end_round(self) -> None:
        if not self._lasts:
            self.end()

    def _end_in_time(self) -> None:
        self._timer = None
        self.end()

    def end(self) -> None:
        """End the snapshot; the next check begins a new one."""
        self._head = None
        if self._is_open:
            self._is_open = False
            self._reader.end()

    def close(self) -> None:
        """Close for good, before the reader is closed."""
        self.end()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
