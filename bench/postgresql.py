"""PostgreSQL (a `BenchDatabase`): one server, with a copy of one database per contestant.

It is the server of the tests (`tests.postgresql`): that which ``QUIRE_TEST_POSTGRES`` names, where
the databases that copies are made of are kept between runs, or else one that ends with the run.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.database_kind import Measure, Requests
from bench.indexes import ADDED_INDEXES, is_strapi_index
from bench.pgbench import pgbench_measure
from bench.processes import cpu_seconds
from bench.servers import ServerError
from tests.databases.environment import read_environment, write_environment
from tests.postgresql.databases import url_of
from tests.postgresql.session import Session
from tests.postgresql.sharing import server_url

_ADDED_INDEXES = tuple(sql.replace("DESC)", 'DESC, "id")') for sql in ADDED_INDEXES)
"""Those of `bench.indexes`; here one has to say that equal rows follow in the order of ids."""
_INDEXES = "SELECT indexname FROM pg_indexes WHERE schemaname = 'public'"
_LIKE_SQLITE = "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'"


@dataclass(slots=True)
class PostgresBench:
    """A database of its own for every server, on one PostgreSQL server."""

    name: str = "postgresql"
    floor: str = "pgbench"
    page_part: str = "bench-postgresql"
    _given: set[str] = field(default_factory=set)
    _process: int | None = None

    def version(self) -> str:
        """See `BenchDatabase.version`."""
        with _session(server_url()) as session:
            return f"PostgreSQL {session.execute('SHOW server_version')[0][0]}"

    def give(self, seeded: Path, folder: Path) -> None:
        """See `BenchDatabase.give`."""
        template = _template(seeded, folder)
        name = f"quire_bench_{folder.name}"
        with _session(server_url()) as session:
            session.script(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            session.script(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        self._given.add(name)
        _point(folder, name)

    def leave(self, folder: Path) -> None:
        """See `BenchDatabase.leave`; the server itself sees to statistics, whoever uses it."""
        url = _url(folder)
        with _session(url) as session:
            for name in _indexes(url):
                if not is_strapi_index(name):
                    session.script(f'DROP INDEX "{name}"')

    def lost_indexes(self, seeded: Path, folder: Path) -> frozenset[str]:
        """See `BenchDatabase.lost_indexes`."""
        return _indexes(url_of(_name_of(seeded))) - _indexes(_url(folder))

    def floor_measure(self, folder: Path, requests: Requests, seconds: float) -> Measure | None:
        """See `BenchDatabase.floor_measure`."""
        return pgbench_measure(_url(folder), requests, seconds, self.cpu_seconds)

    def cpu_seconds(self) -> float | None:
        """Return what the server's processes have used, if they run on this machine."""
        if self._process is None:
            with _session(server_url()) as session:
                found = session.execute("SELECT pg_read_file('postmaster.pid')")
            self._process = int(found[0][0].split()[0])
        return cpu_seconds(self._process)

    def clear(self) -> None:
        """See `BenchDatabase.clear`."""
        with _session(server_url()) as session:
            for name in self._given:
                session.script(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        self._given.clear()


def _template(seeded: Path, folder: Path) -> str:
    """Return the name of a database with the rows of a seeded file, and the same indexes.

    Raises ServerError when they are not copied.
    """
    name = _name_of(seeded)
    with _session(server_url()) as session:
        if session.execute("SELECT 1 FROM pg_database WHERE datname = $1", (name,)):
            return name
        unfinished = f"{name}_unfinished"
        session.script(f'DROP DATABASE IF EXISTS "{unfinished}" WITH (FORCE)')
        session.script(f'CREATE DATABASE "{unfinished}" {_LIKE_SQLITE}')
        _quire("copy", str(folder), "--from", f"sqlite:{seeded}", "--to", url_of(unfinished))
        _point(folder, unfinished)
        _quire("index", str(folder), "--apply")
        with _session(url_of(unfinished)) as inside:
            for sql in (*_ADDED_INDEXES, "VACUUM (FREEZE, ANALYZE)"):
                inside.script(sql)
        session.script(f'ALTER DATABASE "{unfinished}" RENAME TO "{name}"')
    return name


def _quire(*arguments: str) -> None:
    program = Path(sys.executable).with_name("quire")
    finished = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise ServerError(f"quire {arguments[0]}: {finished.stdout}{finished.stderr}")


def _name_of(seeded: Path) -> str:
    return f"quire_bench_{seeded.stem}"


def _url(folder: Path) -> str:
    return read_environment(folder)["DATABASE_URL"]


def _point(folder: Path, name: str) -> None:
    address = {"DATABASE_CLIENT": "postgres", "DATABASE_URL": url_of(name), "TZ": "UTC"}
    write_environment(folder, address)


def _indexes(url: str) -> frozenset[str]:
    with _session(url) as session:
        return frozenset(name for (name,) in session.execute(_INDEXES))


@contextmanager
def _session(url: str) -> Iterator[Session]:
    with closing(Session(url)) as session:
        yield session
