"""Reads the WAL-index, which tells whether anything was committed.

While a file is in WAL mode, all its connections share its ``-shm`` file. Its first bytes change
with every commit of any connection, in a defined order, because every reader of SQLite reads them
first ("WAL-mode File Format" in SQLite's documentation, which has the offsets):

    0..47    what the log holds: a counter of commits, the number of frames, checksums, salts
    48..95   the same again; a writer fills in this copy first
    96..99   how many frames a checkpoint has carried over into the database file

If these bytes have not changed since before a snapshot began, the snapshot is the current state.
This check costs one small read; a query to SQLite takes several locks.
"""

import os
import sys
from struct import Struct

from quire.database.dialects.sqlite.file_handles import close_shm, open_shm

_SIZE = 100
_COPY = 48
_LONG_LOG = 1000
"""Number of frames in the log at which SQLite starts a checkpoint."""
_COMMITS = slice(8, 12)
_FORMAT = 3_007_000
_state = Struct("=I4xI B3xI 12x 4s 12x")
"""Format, commits, initialized, frames, and the first salt of the log, in big-endian."""
_head = Struct("=I4xI B3xI 76x I")
"""Format, commits, initialized, frames, and checkpointed frames, in native order."""


class WalIndex:
    """The WAL-index of a database that this process is connected to."""

    def __init__(self, database: str) -> None:
        """Open the index of a database, named as SQLite does: absolute, without symbolic links.

        Raises OSError when there is none, as for a database that is not in WAL mode.
        """
        self._file = open_shm(database)

    def look(self) -> bytes | None:
        """Return the head, or ``None`` while it is being written."""
        head = os.pread(self._file, _SIZE, 0)
        if len(head) < _SIZE or head[:_COPY] != head[_COPY : 2 * _COPY]:
            return None
        wal_format, _, is_initialized, _, _ = _head.unpack(head)
        return head if wal_format == _FORMAT and is_initialized else None

    def state(self) -> bytes | None:
        """Return an identifier of the present state of the content.

        ``None`` means that it is unknown: a commit is being written.
        """
        head = self.look()
        return None if head is None else state_of(head)

    def is_still(self, head: bytes) -> bool:
        """Tell whether the head is unchanged: no commit and no checkpoint."""
        return os.pread(self._file, _SIZE, 0) == head

    def close(self) -> None:
        """Close it, after the connections of the database were closed."""
        close_shm(self._file)


def state_of(head: bytes) -> bytes:
    """Return the part of a head that only commits change, not checkpoints."""
    return head[:_COPY]


def commits_of(state: bytes) -> int:
    """Return the commit counter of a state; it wraps to 0 after 2**32."""
    return int.from_bytes(state[_COMMITS], sys.byteorder)


def is_begun_anew(before: bytes, after: bytes) -> bool:
    """Tell whether a state is that of a restarted log after another state, without a commit.

    A writer restarts the log before its first frame, when all frames are checkpointed.
    """
    _, commits, _, _, salt = _state.unpack(before)
    _, same_commits, _, frames, next_salt = _state.unpack(after)
    is_next = int.from_bytes(next_salt) == (int.from_bytes(salt) + 1) % 2**32
    return bool(same_commits == commits and frames == 0 and is_next)


def is_log_long(head: bytes) -> bool:
    """Tell whether a checkpoint is due: there are many frames, and not all are checkpointed.

    SQLite can restart the log only while nobody reads from it.
    """
    _, _, _, frames, checkpointed_frames = _head.unpack(head)
    return bool(frames >= _LONG_LOG and frames > checkpointed_frames)
