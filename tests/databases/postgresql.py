"""Databases on the PostgreSQL server of the tests, named after their projects."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from quire.database.dialects.postgresql.connection import PostgresOptions
from quire.database.dialects.postgresql.target import PostgresTarget
from quire.schema.model import Schema
from tests.conformance.corpus import postgresql_dump, unpack_project
from tests.databases.environment import read_environment, write_environment
from tests.databases.kind import COUNTED_CALLS, Row
from tests.databases.numbered import numbered
from tests.databases.postgresql_snapshot import PostgresqlSnapshot
from tests.databases.postgresql_store import PostgresqlStore
from tests.databases.store import creating
from tests.postgresql.databases import drop_database, name_of, new_database, url_of
from tests.postgresql.pooler import configure_project, served_settings, served_url
from tests.postgresql.session import Session

_REFERENCES = """
SELECT t.relname, a.attname, f.relname
FROM pg_constraint AS k
JOIN pg_class AS t ON t.oid = k.conrelid
JOIN pg_class AS f ON f.oid = k.confrelid
JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
WHERE k.contype = 'f' AND t.relnamespace = 'public'::regnamespace
"""


class PostgresqlRows:
    """A look into a PostgreSQL database."""

    def __init__(self, url: str) -> None:
        """The database is there."""
        self._session = Session(url)
        self._references: dict[str, dict[str, str]] | None = None

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """See `Rows.execute`."""
        return self._session.execute(numbered(sql), values)

    def tables(self) -> list[str]:
        """See `Rows.tables`."""
        found = self.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
        )
        return [name for (name,) in found]

    def references(self, table: str) -> Mapping[str, str]:
        """See `Rows.references`."""
        if self._references is None:
            self._references = {}
            for name, column, target in self._session.execute(_REFERENCES):
                self._references.setdefault(name, {})[column] = target
        return self._references.get(table, {})

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """See `Rows.unwatched`."""
        self.execute("SET session_replication_role = replica")
        yield
        self.execute("SET session_replication_role = DEFAULT")

    def damage(self) -> Iterator[str]:
        """Look at foreign keys alone, and only at those that were not watched over."""
        lost = " UNION ALL ".join(
            f"SELECT '{table}', t.id, '{target}' FROM \"{table}\" AS t LEFT JOIN \"{target}\" AS f"
            f' ON f.id = t."{column}" WHERE t."{column}" IS NOT NULL AND f.id IS NULL'
            for table in self.tables()
            for column, target in self.references(table).items()
        )
        for table, row, target in self.execute(lost):
            yield f"{table} row {row} refers to nothing in {target}"

    def close(self) -> None:
        """See `Rows.close`."""
        self._session.close()


class _Lent(PostgresqlStore):
    """A store that others use after it was closed."""

    def __init__(self, url: str, idle: "list[_Lent]") -> None:
        super().__init__(url)
        self._idle = idle

    def close(self) -> None:
        """See `Store.close`."""
        super().close()
        self._idle.append(self)


class _SingleUseStore(PostgresqlStore):
    """A store whose database goes with it."""

    def __init__(self, name: str) -> None:
        super().__init__(url_of(name))
        self._name = name

    def close(self) -> None:
        """See `Store.close`."""
        self._end()
        drop_database(self._name)


class _Kept(PostgresqlStore):
    """A store that keeps what is done, of a database that others use, too."""

    def close(self) -> None:
        """See `Store.close`."""
        self._end()


class Postgresql:
    """PostgreSQL (a `Kind`)."""

    name = "postgresql"

    def __init__(self) -> None:
        self._sealed: dict[str, str] = {}
        """What copies are made of, by the database that was sealed."""
        self._stores: dict[str, list[_Lent]] = {}
        """Databases for stores that nobody uses now, by the version of their schema."""

    def settle(self, project: Path) -> None:
        """See `Kind.settle`."""
        _point(project, new_database())

    def recorded(self, folder: Path) -> Path:
        """See `Kind.recorded`."""
        project = unpack_project(folder)
        (project / ".tmp/data.db").unlink()
        template = _recorded_rows()
        name = new_database(template)
        self._sealed[name] = template
        _point(project, name)
        return project

    def cipher(self, project: Path) -> None:
        """See `Kind.seal`."""
        name = _database(project)
        self._sealed[name] = new_database(name)

    def copy(self, project: Path, folder: Path) -> Path:
        """See `Kind.copy`."""
        template = self._sealed[_database(project)]
        copied = shutil.copytree(project, folder, ignore=shutil.ignore_patterns(COUNTED_CALLS))
        name = new_database(template)
        self._sealed[name] = template
        _point(copied, name)
        return copied

    @contextmanager
    def borrow(self, project: Path) -> Iterator[Mapping[str, object]]:
        """See `Kind.borrow`."""
        name = new_database(self._sealed[_database(project)])
        try:
            yield served_settings(url_of(name))
        finally:
            drop_database(name)

    def snapshot(self, settings: Mapping[str, object]) -> PostgresqlSnapshot:
        """See `Kind.snapshot`."""
        return PostgresqlSnapshot(url_of(name_of(str(settings["database.url"]))))

    def spare(self, folder: Path) -> str:
        """See `Kind.spare`."""
        return url_of(new_database())

    def point(self, project: Path, address: str) -> None:
        """See `Kind.point`."""
        _point(project, name_of(address))

    def open(self, project: Path) -> PostgresqlRows:
        """See `Kind.open`."""
        return PostgresqlRows(url_of(_database(project)))

    def store(self, schema: Schema) -> PostgresqlStore:
        """See `Kind.store`."""
        return self._lend(schema.version, lambda: _with_tables(schema), restart=True)

    def new_store(self, schema: Schema) -> PostgresqlStore:
        """Return a store of a new database.

        The statistics that the planner goes by are not taken back with a transaction.
        """
        store = _SingleUseStore(_with_tables(schema))
        store.begin(restart=True)
        return store

    def recorded_store(self, project: Path) -> PostgresqlStore:
        """See `Kind.recorded_store`."""
        return self._lend("recorded", lambda: new_database(_recorded_rows()), restart=False)

    def _lend(self, version: str, make: Callable[[], str], *, restart: bool) -> PostgresqlStore:
        """Lend a database that nobody uses; one is made when there is none."""
        idle = self._stores.setdefault(version, [])
        store = idle.pop() if idle else _Lent(url_of(make()), idle)
        store.begin(restart=restart)
        return store

    def store_of(self, project: Path) -> PostgresqlStore:
        """See `Kind.store_of`."""
        return _Kept(url_of(_database(project)))

    def release(self, project: Path) -> None:
        """See `Kind.release`."""
        drop_database(_database(project))


@cache
def _recorded_rows() -> str:
    """Return the name of a database with the recorded rows, which nobody uses."""
    name = new_database()
    session = Session(url_of(name))
    session.script(postgresql_dump())
    session.close()
    return name


def _with_tables(schema: Schema) -> str:
    """Return the name of a new database with the tables of a schema."""
    name = new_database()
    session = Session(url_of(name))
    session.script(";\n".join(creating(PostgresTarget(PostgresOptions()).kind, schema)))
    session.close()
    return name


def _database(project: Path) -> str:
    return name_of(read_environment(project)["DATABASE_URL"])


def _point(project: Path, name: str) -> None:
    address = served_url(url_of(name))
    write_environment(
        project, {"DATABASE_CLIENT": "postgres", "DATABASE_URL": address, "TZ": "UTC"}
    )
    configure_project(project)
