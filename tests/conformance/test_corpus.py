"""The corpus is complete, and can be written as a project."""

import sqlite3
from contextlib import closing
from pathlib import Path

from quire.schema.load import load_schema
from tests.conformance.corpus import (
    credentials,
    postgresql_dump,
    querystring_cases,
    read_cases,
    unpack_project,
    write_scenarios,
)


def test_the_corpus_holds_what_was_recorded() -> None:
    assert len(read_cases()) == 5794
    assert len(read_cases("reads-postgres")) == 961
    assert len(querystring_cases()) == 820
    assert len({(case.group, case.name) for case in read_cases()}) == 5794
    assert len({(scenario.group, scenario.name) for scenario in write_scenarios()}) == 406
    assert sum(len(scenario.steps) for scenario in write_scenarios()) == 2749


def test_what_postgresql_answers_otherwise_was_asked_of_sqlite_too() -> None:
    asked = {(case.group, case.name): (case.method, case.path, case.auth) for case in read_cases()}
    assert all(
        asked[case.group, case.name] == (case.method, case.path, case.auth)
        for case in read_cases("reads-postgres")
    )


def test_everybody_who_asks_has_credentials() -> None:
    known = {
        None,
        *credentials().api_tokens,
        *(f"user:{name}" for name in credentials().passwords),
    }
    steps = (step for scenario in write_scenarios() for step in scenario.steps)
    asking = {case.auth for case in (*read_cases(), *steps)}
    literal = ("raw:", "bearer:")
    assert {auth for auth in asking - known if not (auth or "").startswith(literal)} == set()


def test_the_project_is_laid_out_with_schema_rows_and_files(tmp_path: Path) -> None:
    project = unpack_project(tmp_path / "project")
    assert "api::article.article" in load_schema(project).content_types
    assert (project / "quire.toml").is_file()
    assert (project / ".env").is_file()
    with closing(sqlite3.connect(project / ".tmp/data.db")) as database:
        urls = [url for (url,) in database.execute("SELECT url FROM files WHERE url LIKE '/%'")]
    assert urls
    assert all((project / "public" / url[1:]).is_file() for url in urls)


def test_the_dump_makes_the_same_tables_for_postgresql() -> None:
    dump = postgresql_dump()
    assert "CREATE TABLE public.articles " in dump
    assert "INSERT INTO public.articles " in dump
