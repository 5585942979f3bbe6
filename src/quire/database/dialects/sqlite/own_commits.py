"""Tells which tables differ between two states if only this process has committed.

A state is identified by the head of the WAL-index, which counts all commits, without the parts that
checkpoints change. The writer thread holds the write lock from the beginning of a transaction to
its commit. So the state at its beginning is followed by the one after its own commit, if the head
then counts one commit more.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from quire.database.content_versions import Tables
from quire.database.dialects.sqlite.wal_index import WalIndex, commits_of, is_begun_anew

_MOST = 1000
"""How many commits are remembered that nobody has asked for."""
_PATIENCE_S = 0.05
"""How long the event loop waits at most for a visible commit to be recorded."""


class OwnCommits:
    """The commits of this process, recorded by the writer thread and read in the event loop."""

    def __init__(self, index: WalIndex) -> None:
        self._index = index
        self._after: dict[bytes, tuple[bytes, Tables]] = {}
        """By state: the next state, and the tables that differ."""
        self._visible = threading.Lock()
        """Held from before a commit until it is recorded."""
        self._before: bytes | None = None
        """The state before the running commit."""
        self._begun_anew: bytes | None = None
        """The last seen state before that commit, if the log was restarted in it."""

    def state(self) -> bytes | None:
        """Return the present state; ``None`` while it cannot be told."""
        return self._index.state()

    @contextmanager
    def committing(self, before: bytes | None, tables: Tables) -> Iterator[None]:
        """Record the commit that the block makes: of ``tables``, after a state.

        The caller has held the write lock since before it read the state.
        """
        if before is None:
            yield
            return
        with self._visible:
            self._before = before
            try:
                yield
                after = self.state()
                if after is not None and commits_of(after) == commits_of(before) + 1:
                    self._note(before, after, tables)
            finally:
                self._before = None

    def _note(self, before: bytes, after: bytes, tables: Tables) -> None:
        if len(self._after) >= _MOST:
            self._after.clear()
        self._after[before] = after, tables
        begun_anew = self._begun_anew
        if begun_anew is not None and is_begun_anew(before, begun_anew):
            self._after[begun_anew] = after, tables

    def between(self, before: bytes | None, after: bytes | None) -> Tables:
        """Return the tables that may differ between two states, an earlier and a later one."""
        if before is None or after is None:
            return None
        found: set[str] = set()
        while before != after:
            if before == self._before and is_begun_anew(before, after):
                # Only the writer of this process can have done so.
                self._begun_anew = before = after
                continue
            following = self._after.pop(before, None) or self._recorded_step(before, after)
            if following is None or following[1] is None:
                return None
            before = following[0]
            found |= following[1]
        return frozenset(found)

    def _recorded_step(self, before: bytes, after: bytes) -> tuple[bytes, Tables] | None:
        """Return the step after a state, once a visible commit is recorded."""
        expected = self._before
        is_visible = expected is not None and commits_of(after) == commits_of(expected) + 1
        if is_visible and self._visible.acquire(timeout=_PATIENCE_S):
            self._visible.release()
        return self._after.pop(before, None)
