"""The snapshots that reads in the event loop share.

Beginning and ending one costs more than many a statement: locks that processes share. So a snapshot
goes on to be read from for as long as the WAL-index tells that nobody has committed since it began.
Everybody looks at the index for himself: between two callbacks in one round of the event loop,
another process may commit and a request of somebody who knows of that may arrive.
"""

import asyncio
from typing import Protocol

import apsw

from quire.database.content_versions import ContentVersions
from quire.database.dialects.sqlite.own_commits import OwnCommits
from quire.database.dialects.sqlite.wal_index import WalIndex, is_log_long, state_of

LONGEST_S = 0.05
"""How long a snapshot lasts at most, in seconds.

Checkpoints that wait for readers (another program's ``wal_checkpoint(TRUNCATE)``, say) wait no
longer, and a server at rest keeps nothing.
"""


_TRIES = 3
"""How often a snapshot is begun to have one whose state is known, while others commit."""


class SnapshotReader(Protocol):
    """What has snapshots."""

    def begin(self) -> int:
        """Begin a snapshot; return a number that differs whenever somebody else has committed."""

    def end(self) -> None:
        """Let go of the snapshot, if there is one."""


class Snapshots:
    """The snapshots of one reader that belongs to the event loop.

    Without an index (no WAL mode) whoever looks has one of his own. None lasts for longer than
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
        """The number of the reader for the last version."""
        self._state: bytes | None = None
        """The state of the content in the last version, by the index."""
        self._is_open = False
        self._lasts = False
        """Whether the snapshot outlives the round of the event loop in which it began."""
        self._head: bytes | None = None
        """The head of the index before the snapshot began."""
        self._timer: asyncio.TimerHandle | None = None

    def version(self) -> int | None:
        """Return a number that stays while nobody commits, ``None`` when it cannot be had now.

        Until the present callback of the event loop ends, or somebody calls this again, the reader
        sees the content it stands for.
        """
        head, index = self._head, self._index
        # `index` is there whenever there is a head of it.
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
            former, self._state = self._state, state
            commits = self._commits
            changed = None if commits is None else commits.between(former, state)
            self.versions.advance(changed)
        elif self._state is None:
            self._state = state
        self._head = head
        # SQLite can begin a log anew only while nobody reads from it.
        self._lasts = head is not None and not is_log_long(head)
        loop = asyncio.get_running_loop()
        if not self._lasts:
            loop.call_soon(self._end_round)
        elif self._timer is None:
            self._timer = loop.call_later(self._longest, self._end_in_time)

    def _begin_in_state(self) -> tuple[int, bytes | None, bytes | None]:
        """Begin a snapshot; return its number, the head before it began, and its state if known.

        It is of the state that the index has before and after, unless somebody commits in between.
        """
        index = self._index
        head: bytes | None = None
        data_version = 0
        for _ in range(_TRIES):
            self.end()
            # Looked at before: what is committed in between shows as a change of the head, too.
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
        """Let go of the snapshot; the next look begins a new one."""
        self._head = None
        if self._is_open:
            self._is_open = False
            self._reader.end()

    def close(self) -> None:
        """Let go for good, before the reader is closed."""
        self.end()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
