import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bench.compare import Effort
from bench.indexes import declared_indexes, is_strapi_index
from bench.project import DATABASE
from bench.run import Plan, launchers_of
from bench.stage import Scale, Stage
from bench.subject import make_tables
from quire.settings import load_settings

TWO_PROCESSES = Plan(Effort(1, 1.0), workers=2)
SCALE = Scale(20)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "bench", make_tables, lambda _: None)


def change(database: Path) -> Callable[[str], None]:
    def execute(statement: str) -> None:
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute(statement)

    return execute


def test_a_database_is_seeded_once_and_kept(stage: Stage) -> None:
    database = stage.database(SCALE)
    first = database.stat().st_mtime_ns
    again = Stage(stage.folder, make_tables, lambda _: None)
    assert again.database(SCALE) == database
    assert database.stat().st_mtime_ns == first


def test_another_make_of_tables_means_another_database(stage: Stage) -> None:
    def make_more(project: Path) -> None:
        make_tables(project)
        change(project / DATABASE)("CREATE INDEX more ON articles (title)")

    database = stage.database(SCALE)
    other = Stage(stage.folder, make_more, lambda _: None).database(SCALE)
    assert other != database
    assert not database.exists()


def test_every_server_has_a_copy_of_its_own(stage: Stage) -> None:
    launch = stage.quire(SCALE)
    change(launch.folder / DATABASE)("DROP INDEX bench_articles_created_at")
    lost = stage.database_kind.lost_indexes(stage.database(SCALE), launch.folder)
    assert lost == {"bench_articles_created_at"}


def test_a_server_may_do_without_some_caches(stage: Stage) -> None:
    folder = stage.quire(SCALE, without=["responses", "pages"]).folder
    settings = load_settings(folder, environ={}).cache
    assert (settings.responses, settings.pages) == (0, 0)
    assert settings.counts > 0
    assert load_settings(stage.quire(SCALE).folder, environ={}).cache.responses > 0


def test_contestants_are_distinguished_by_name(stage: Stage) -> None:
    made = {name: make(SCALE) for name, make in launchers_of(TWO_PROCESSES, stage).items()}
    assert [launch.name for launch in made.values()] == [*made]
    assert len({launch.folder for launch in made.values()}) == len(made) == 6


def test_clearing_keeps_the_seeded_databases_alone(stage: Stage) -> None:
    stage.quire(SCALE)
    stage.clear()
    assert [path.name for path in stage.folder.iterdir()] == ["databases"]
    assert stage.database(SCALE).exists()


def test_a_database_as_strapi_left_it_has_its_indexes_alone_and_no_statistics(stage: Stage) -> None:
    change(stage.database(SCALE))("ANALYZE")
    folder = stage.quire(SCALE, as_strapi_left_it=True).folder

    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        names = declared_indexes(connection)
        statistics = connection.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat_'"
        ).fetchall()
    assert "articles_documents_idx" in names
    assert [name for name in names if not is_strapi_index(name)] == []
    assert statistics == []
