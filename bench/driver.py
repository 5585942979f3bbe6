"""The bare driver: runs the statements of a request on SQLite with apsw, and nothing else.

What it costs is the floor under every server that runs those statements: preparing comes from the
statement cache, rows are fetched whole, and no row is looked at. ``python -m bench.driver`` reads
a job as JSON from standard input and prints CPU microseconds per request.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

import apsw

Statement: TypeAlias = tuple[str, Sequence[str | int | float | None]]
"""SQL text and the values bound to its places."""

_PAGE_CACHE_KIB = 65_536
_MMAP_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class DriverJob:
    """``requests`` lists the statements of each request; they are run in turn for ``seconds``."""

    database: str
    requests: Sequence[Sequence[Statement]]
    seconds: float


class DriverError(Exception):
    """A statement could not be run."""


def open_reader(path: Path) -> apsw.Connection:
    """Open a database for reading only, set up as a server that is bound for speed would."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=512)
    # Without it every bind of a value prepares the statement again once there are statistics.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KIB}")
    connection.execute(f"PRAGMA mmap_size = {_MMAP_BYTES}")
    connection.execute("PRAGMA query_only = ON")
    return connection


def cpu_per_request(job: DriverJob, clock: Callable[[], float] = time.process_time) -> float:
    """Run the statements of ``job`` for its time; return CPU microseconds per request.

    Raises apsw.Error when a statement is wrong for the database.
    """
    connection = open_reader(Path(job.database))
    count = 0
    _run_all(connection, job.requests)
    started = clock()
    while (elapsed := clock() - started) < job.seconds:
        _run_all(connection, job.requests)
        count += len(job.requests)
    connection.close()
    return elapsed / count * 1_000_000


def drive(job: DriverJob) -> float:
    """Run ``job`` in a separate process and return CPU microseconds per request.

    Raises DriverError with the process's last words when it fails.
    """
    finished = subprocess.run(
        [sys.executable, "-m", "bench.driver"],
        input=json.dumps(asdict(job)),
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode != 0:
        raise DriverError(finished.stderr.strip().rpartition("\n")[2])
    return float(finished.stdout)


def _run_all(connection: apsw.Connection, requests: Sequence[Sequence[Statement]]) -> None:
    for statements in requests:
        for sql, values in statements:
            connection.execute(sql, values).fetchall()


def main() -> None:
    """Run the job on standard input and print its result."""
    print(cpu_per_request(DriverJob(**json.load(sys.stdin))))


if __name__ == "__main__":
    main()
