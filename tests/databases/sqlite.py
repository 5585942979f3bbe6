"""SQLite files, each in the folder of its project."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

from quire.schema.model import Schema
from tests.conformance.corpus import unpack_project
from tests.databases.environment import read_environment, write_environment
from tests.databases.kind import COUNTED_CALLS, Row
from tests.databases.sqlite_snapshot import SqliteSnapshot
from tests.databases.sqlite_store import SqliteStore

_DEFAULT = ".tmp/data.db"


class SqliteRows:
    """A look into a SQLite file."""

    def __init__(self, path: Path) -> None:
        """The file is there."""
        self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        self._connection.set_busy_timeout(5000)

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """See `Rows.execute`."""
        return self._connection.execute(sql, values).fetchall()

    def tables(self) -> list[str]:
        """See `Rows.tables`."""
        return [
            name
            for (name,) in self.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
                " AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
            )
        ]

    def references(self, table: str) -> Mapping[str, str]:
        """See `Rows.references`."""
        found = self.execute(f'PRAGMA foreign_key_list("{table}")')
        return {column: target for _, _, target, column, *_ in found}

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """They are not watched over on this connection at all."""
        yield

    def damage(self) -> Iterator[str]:
        """See `Rows.damage`."""
        for (found,) in self.execute("PRAGMA integrity_check"):
            if found != "ok":
                yield f"integrity: {found}"
        for table, row, parent, _ in self.execute("PRAGMA foreign_key_check"):
            yield f"{table} row {row} refers to nothing in {parent}"

    def close(self) -> None:
        """See `Rows.close`."""
        self._connection.close()


class Sqlite:
    """The default kind of database of projects (a `Kind`)."""

    name = "sqlite"

    def settle(self, project: Path) -> None:
        """No settings are needed: the file is created at its default path."""

    def recorded(self, folder: Path) -> Path:
        """See `Kind.recorded`."""
        return unpack_project(folder)

    def cipher(self, project: Path) -> None:
        """A file can be copied at any time."""

    def copy(self, project: Path, folder: Path) -> Path:
        """See `Kind.copy`."""
        source = file_of(project)
        shutil.copytree(
            project, folder, ignore=shutil.ignore_patterns(f"{source.name}*", COUNTED_CALLS)
        )
        if source.is_relative_to(project):
            copy_file(source, folder / source.relative_to(project))
        return folder

    @contextmanager
    def borrow(self, project: Path) -> Iterator[Mapping[str, object]]:
        """See `Kind.borrow`."""
        with TemporaryDirectory() as folder:
            copied = Path(folder) / "data.db"
            copy_file(file_of(project), copied)
            yield {"database.filename": copied}

    def snapshot(self, settings: Mapping[str, object]) -> SqliteSnapshot:
        """See `Kind.snapshot`."""
        return SqliteSnapshot(Path(str(settings["database.filename"])))

    def spare(self, folder: Path) -> str:
        """See `Kind.spare`."""
        return f"sqlite:{folder / 'spare' / 'data.db'}"

    def point(self, project: Path, address: str) -> None:
        """See `Kind.point`."""
        filename = address.removeprefix("sqlite:")
        write_environment(project, {"DATABASE_CLIENT": "sqlite", "DATABASE_FILENAME": filename})

    def open(self, project: Path) -> SqliteRows:
        """See `Kind.open`."""
        return SqliteRows(file_of(project))

    def store(self, schema: Schema) -> SqliteStore:
        """See `Kind.store`."""
        store = SqliteStore()
        store.make_tables(schema)
        return store

    def recorded_store(self, project: Path) -> SqliteStore:
        """See `Kind.recorded_store`."""
        connection = apsw.Connection(":memory:")
        with (
            closing(apsw.Connection(str(file_of(project)))) as recorded,
            connection.backup("main", recorded, "main") as backup,
        ):
            backup.step()
        return SqliteStore(connection)

    def store_of(self, project: Path) -> SqliteStore:
        """See `Kind.store_of`."""
        connection = apsw.Connection(str(file_of(project)))
        connection.set_busy_timeout(5000)
        return SqliteStore(connection)

    def release(self, project: Path) -> None:
        """Everything is in the folder."""


def copy_file(source: Path, target: Path) -> None:
    """Copy a SQLite file by SQLite itself, since this process may serve it meanwhile."""
    target.write_bytes(_content(source, *_state(source), *_state(Path(f"{source}-wal"))))


def _state(path: Path) -> tuple[int, int, int]:
    """Return what is another one when a file was written to; all zeros if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _content(source: Path, *_: int) -> bytes:
    """Return the content of a SQLite file, which is kept for as long as nobody writes to it."""
    with closing(apsw.Connection(str(source))) as connection:
        return connection.serialize("main")


def file_of(project: Path) -> Path:
    """Return the SQLite file of a project."""
    return project / read_environment(project).get("DATABASE_FILENAME", _DEFAULT)
