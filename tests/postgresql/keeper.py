"""Keeps a server while a test run needs it: ``python -m tests.postgresql.keeper DIR``.

See `tests.postgresql.sharing`.
"""

import fcntl
import json
import shutil
import signal
import sys
from pathlib import Path
from types import FrameType

from tests.postgresql.cluster import Cluster
from tests.postgresql.errors import NoServerError
from tests.postgresql.sharing import FAILURE, STATE, USERS


def keep(folder: Path) -> None:
    """Start a server in a folder, and stop it when nobody holds the lock there any more."""
    place = folder / "cluster"
    place.mkdir()
    cluster = Cluster(place)
    try:
        reported = folder / f"{STATE}.new"
        reported.write_text(json.dumps({"url": cluster.start()}), encoding="ascii")
        reported.rename(folder / STATE)
        with (folder / USERS).open("ab") as users:
            fcntl.flock(users, fcntl.LOCK_EX)
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_suffix(".start").unlink(missing_ok=True)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(1)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    directory = Path(sys.argv[1])
    try:
        keep(directory)
    except NoServerError as error:
        directory.mkdir(exist_ok=True)
        (directory / FAILURE).write_text(str(error), encoding="utf-8")
        sys.exit(1)
