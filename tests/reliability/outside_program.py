"""Write to a SQLite file repeatedly: ``outside_program.py DRIVER FILE``.

Each time it opens the file, commits a row, closes the file, and prints the number of the row; then
it opens the file again only to read. ``DRIVER`` is the Python module of a copy of SQLite: ``apsw``,
``sqlite3`` or ``sqlean``. Such programs take turns, so that each is alone with the server.
"""

import fcntl
import importlib
import itertools
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

_PAUSE_S = 0.005
_BUSY_MS = 30_000


def main(driver: str, path: str) -> None:
    """Write until this process is killed."""
    for number in itertools.count():
        with _connected(driver, path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("CREATE TABLE IF NOT EXISTS outside (driver TEXT, number INTEGER)")
            connection.execute("INSERT INTO outside VALUES (?, ?)", (driver, number))
            connection.execute("COMMIT")
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        with _connected(driver, path) as connection:
            connection.execute("SELECT count(*) FROM outside").fetchall()
        time.sleep(_PAUSE_S)


@contextmanager
def _connected(driver: str, path: str) -> Iterator[Any]:
    module = importlib.import_module(driver)
    connect = module.Connection if driver == "apsw" else module.connect
    with Path(f"{path}.turn").open("wb") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with closing(connect(path)) as connection:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}").fetchall()
            yield connection


if __name__ == "__main__":
    main(*sys.argv[1:])
