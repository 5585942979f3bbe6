"""Preparation of a run: seeded databases and project folders.

Databases are kept between runs, under a name that changes with everything that decides what is in
them: the dataset's code, the content model, the tables that Quire makes, the shared indexes.
"""

import hashlib
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.database_kind import BenchDatabase
from bench.dataset import DatasetSize, seed
from bench.indexes import add_indexes
from bench.project import (
    DATABASE,
    MODEL,
    OWN_TYPES,
    add_administrator,
    add_token,
    make_project,
)
from bench.servers import Launch, make_strapi_application, quire, strapi
from bench.sqlite import SqliteBench

_DATABASES = "databases"
_LEFT = "-left"
_DECIDING_SOURCES = ("dataset.py", "indexes.py", "project.py", "text.py")


@dataclass(frozen=True, slots=True)
class Scale:
    """How much a database holds: documents of the loaded type, and content types in all."""

    documents: int
    types: int = OWN_TYPES

    @property
    def size(self) -> DatasetSize:
        """The dataset of that many documents."""
        return DatasetSize(self.documents)

    @property
    def slug(self) -> str:
        """A name for folders and files."""
        return f"{self.documents}-documents-{self.types}-types"


@dataclass(frozen=True, slots=True)
class Stage:
    """The folders of a run, the maker of a project's empty tables, and the database measured."""

    folder: Path
    make_tables: Callable[[Path], None]
    progress: Callable[[str], None]
    database_kind: BenchDatabase = field(default_factory=SqliteBench)
    _databases: dict[Scale, Path] = field(default_factory=dict)

    def database(self, scale: Scale) -> Path:
        """Return the seeded database of ``scale``, from an earlier run if there is one.

        Raises what ``make_tables`` raises, and sqlite3.Error when its tables are not the
        content model's.
        """
        if scale not in self._databases:
            self._databases[scale] = self._make_database(scale)
        return self._databases[scale]

    def clear(self) -> None:
        """Remove the servers' folders and their copies of databases; seeded ones are kept."""
        for folder in self.folder.glob("*"):
            if folder.name != _DATABASES:
                shutil.rmtree(folder)
        self.database_kind.clear()

    def _make_database(self, scale: Scale) -> Path:
        project = self.folder / f"empty-{scale.slug}"
        make_project(project, scale.types)
        self.progress(f"{scale.slug}: making tables")
        self.make_tables(project)
        empty = project / DATABASE
        path = self.folder / _DATABASES / f"{scale.slug}-{_fingerprint(empty)}.db"
        if not path.exists():
            for outdated in path.parent.glob(f"{scale.slug}-*"):
                outdated.unlink()
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".unfinished")
            # A copy by SQLite itself: one file, whatever is still in the write-ahead log.
            with (
                closing(sqlite3.connect(empty)) as source,
                closing(sqlite3.connect(unfinished)) as target,
            ):
                source.backup(target)
                self._fill(target, scale)
            unfinished.rename(path)
        return path

    def quire(
        self,
        scale: Scale,
        workers: int = 1,
        *,
        without: Sequence[str] = (),
        as_strapi_left_it: bool = False,
        kind: str = "",
    ) -> Launch:
        """Return how to start Quire with so many workers on a project and database of its own.

        ``kind`` tells its folder from others of equal options. ``without`` names the caches that
        it does without, as its settings name them.
        ``as_strapi_left_it`` is about the database: `BenchDatabase.leave`.
        """
        kind = "-".join([str(workers), *(f"no-{name}" for name in without), *kind.split()])
        kind += _LEFT if as_strapi_left_it else ""
        folder = self.folder / f"quire-{kind}-{scale.slug}"
        make_project(folder, scale.types)
        if without:
            lines = ["[cache]", *(f"{name} = 0" for name in without)]
            (folder / "quire.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.progress(f"{folder.name}: copying the database")
        self._give(scale, folder, as_strapi_left_it=as_strapi_left_it)
        return quire(folder, workers)

    def strapi(self, scale: Scale, installed: Path, *, as_strapi_left_it: bool = False) -> Launch:
        """Return how to start Strapi on a project and a separate database.

        ``as_strapi_left_it`` is about the database: `BenchDatabase.leave`. Raises ServerError when
        ``installed`` has no usable Strapi.
        """
        # Making the database makes the empty project that the application is made of.
        self.database(scale)
        folder = self.folder / f"strapi{_LEFT if as_strapi_left_it else ''}-{scale.slug}"
        make_strapi_application(folder, self.folder / f"empty-{scale.slug}", installed)
        self.progress(f"{folder.name}: copying the database")
        self._give(scale, folder, as_strapi_left_it=as_strapi_left_it)
        return strapi(folder)

    def _give(self, scale: Scale, folder: Path, *, as_strapi_left_it: bool) -> None:
        self.database_kind.give(self.database(scale), folder)
        if as_strapi_left_it:
            self.database_kind.leave(folder)

    def contestants(self, scale: Scale, installed: Path | None) -> list[Launch]:
        """Return how to start Quire, and Strapi as well where there is one.

        Raises ServerError when ``installed`` has no usable Strapi.
        """
        peers = [] if installed is None else [self.strapi(scale, installed)]
        return [self.quire(scale), *peers]

    def _fill(self, connection: sqlite3.Connection, scale: Scale) -> None:
        # Every server then chooses its own journal for its own copy.
        connection.execute("PRAGMA journal_mode = DELETE")
        seed(
            connection,
            scale.size,
            lambda done: self.progress(f"{scale.slug}: {done:,} of {scale.documents:,} documents"),
        )
        add_token(connection)
        add_administrator(connection)
        add_indexes(connection)


def _fingerprint(empty: Path) -> str:
    """Return twelve hex digits of everything that decides what a seeded database holds."""
    digest = hashlib.sha256()
    for name in _DECIDING_SOURCES:
        digest.update((Path(__file__).parent / name).read_bytes())
    for path in sorted(MODEL.rglob("*.json")):
        digest.update(path.read_bytes())
    with closing(sqlite3.connect(empty)) as connection:
        for (statement,) in connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
        ):
            digest.update(statement.encode())
    return digest.hexdigest()[:12]
