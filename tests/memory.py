"""Chooses the folder of test files: in memory, if there is enough space.

Most tests make a project with a database and remove it again. On a disk that takes longer than what
is tested.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - folders there have names that nobody can guess
_MINIMUM_FREE_BYTES = 2 * 1024**3
"""Bytes that there have to be; the tests take a small part of them."""


def files_folder() -> Path:
    """Return the folder for temporary files; it is the same one for all processes of a run."""
    with suppress(OSError):
        if shutil.disk_usage(_MEMORY).total >= _MINIMUM_FREE_BYTES and os.access(_MEMORY, os.W_OK):
            return _MEMORY
    return Path(tempfile.gettempdir())


def keep_files_in_memory() -> None:
    """Let this process and those that it starts have their temporary files there.

    Whoever sets ``TMPDIR`` knows better.
    """
    if "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = str(files_folder())
        tempfile.tempdir = None  # looked up again
