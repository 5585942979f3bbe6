"""The POSIX locks of processes that have a SQLite database in WAL mode open."""

import os
from collections.abc import Mapping
from pathlib import Path

PROC_LOCKS = Path("/proc/locks")

_FIRST_BYTES = {"": 0x40000002, "-shm": 128}
"""Where the locks begin that last as long as a connection: shared on the file, "DMS" on its index.

SQLite describes them in ``os_unix.c`` and in "WAL-mode File Format".
"""


def connected_processes(database: Path) -> Mapping[str, frozenset[int]]:
    """Return the ids of the processes that hold those locks, by the name of the locked file."""
    lines = PROC_LOCKS.read_text(encoding="ascii").splitlines()
    held = [line.split() for line in lines if "->" not in line]  # these only wait for a lock
    found = {}
    for suffix, first_byte in _FIRST_BYTES.items():
        path = database.with_name(f"{database.name}{suffix}")
        wanted = [str(_inode(path)), str(first_byte)]
        found[path.name] = frozenset(
            int(process)
            for _, kind, _, _, process, file, start, _ in held
            if kind == "POSIX" and [file.rpartition(":")[2], start] == wanted
        )
    return found


def _inode(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - says plainly that nothing is opened
    except FileNotFoundError:
        return None
