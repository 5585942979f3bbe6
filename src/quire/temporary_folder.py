"""Temporary folders next to what a command writes, also removed if the command was killed.

And private files, for what a command writes there.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp


@contextmanager
def temporary_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Create a folder whose name starts with ``prefix``, and remove it at the end.

    When the block succeeds, the folders that killed processes have left under this prefix are
    removed, too, and not before: they may contain the only copies of files.
    """
    folder, lock = _new_folder(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
    for left in parent.glob(f"{prefix}*"):
        _remove_if_abandoned(left)


def _new_folder(parent: Path, prefix: str) -> tuple[Path, int]:
    """Create a folder and lock it: the lock ends with the process."""
    while True:
        folder = Path(mkdtemp(dir=parent, prefix=prefix))
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another process takes it for an abandoned one
            os.close(descriptor)
        except OSError:  # the file system has no locks: nobody can remove it by mistake
            return folder, descriptor
        else:
            return folder, descriptor


def _remove_if_abandoned(folder: Path) -> None:
    """Remove a folder that no process has locked; leave it where that cannot be known."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)


def open_private(path: str, flags: int) -> int:
    """Open a file that no other user may read: an ``opener`` of `open`."""
    return os.open(path, flags, 0o600)
