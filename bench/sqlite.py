"""SQLite (a `BenchDatabase`): a file in the folder of every server."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import apsw

from bench.database_kind import Measure, Requests
from bench.driver import DriverJob, drive
from bench.indexes import declared_indexes, is_strapi_index
from bench.measure import Round
from bench.project import DATABASE


class SqliteBench:
    """Every server has a separate file."""

    name = "sqlite"
    floor = "Bare driver"
    page_part = "bench"

    def version(self) -> str:
        """See `BenchDatabase.version`."""
        return f"SQLite {apsw.sqlite_lib_version()}"

    def give(self, seeded: Path, folder: Path) -> None:
        """See `BenchDatabase.give`; a file that is there is replaced."""
        target = folder / DATABASE
        target.parent.mkdir(parents=True, exist_ok=True)
        for suffix in ("-wal", "-shm"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        shutil.copyfile(seeded, target)

    def leave(self, folder: Path) -> None:
        """See `BenchDatabase.leave`."""
        with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
            for name in declared_indexes(connection):
                if not is_strapi_index(name):
                    connection.execute(f'DROP INDEX "{name}"')
            statistics = "SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat_'"
            for (name,) in connection.execute(statistics).fetchall():
                connection.execute(f'DROP TABLE "{name}"')

    def lost_indexes(self, seeded: Path, folder: Path) -> frozenset[str]:
        """See `BenchDatabase.lost_indexes`."""
        found = []
        for database in (seeded, folder / DATABASE):
            with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                found.append(declared_indexes(connection))
        before, after = found
        return before - after

    def floor_measure(self, folder: Path, requests: Requests, seconds: float) -> Measure:
        """See `BenchDatabase.floor_measure`; it has only a CPU time."""
        job = DriverJob(str(folder / DATABASE), requests, seconds / 2)
        return lambda: Round(drive(job), None, None, None)

    def cpu_seconds(self) -> None:
        """See `BenchDatabase.cpu_seconds`: it has no processes."""

    def clear(self) -> None:
        """See `BenchDatabase.clear`: they are gone with the folders."""
