"""Seeding happens once, completely or not at all; the blog's database is consistent."""

import asyncio
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from quire.clock import now_ms
from quire.database.initialize import FirstLocale, first_program
from quire.database.settings_target import target_of
from quire.database.tables.table_map import ComponentEdge, map_tables
from quire.errors import DatabaseOpenError, SeedingError
from quire.ids import new_document_id
from quire.schema.model import Schema
from quire.seeding.import_content import seed
from quire.seeding.load import read_content
from quire.seeding.seed_values import Status
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema
from tests.unit.examples.seed_content import entries
from tests.unit.examples.seed_content import read_content as read_independently
from tests.unit.seeding.harbour import Project, rows_of

BLOG = Path(__file__).parents[3] / "examples" / "blog"


async def make_empty(project: Project, default: FirstLocale | None = None) -> None:
    """Make the project's database without any content."""
    target = target_of(project.settings)
    program = first_program(
        project.schema,
        map_tables(project.schema),
        target.kind,
        clock=now_ms,
        new_id=new_document_id,
        locale=default or FirstLocale(),
        api_prefix="/api",
    )
    async with target.new() as database:
        await database.write(program)


def files_in(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def test_seeding_announces_every_file_and_document(project: Project) -> None:
    project.seed()

    assert Counter(project.advanced) == Counter(
        ["Quai à l'aube.PNG", "map.txt", "leith", "wick", "first", "unsaid", "later", "notice"]
    )


def test_a_seeded_project_has_a_database_and_its_uploads_and_nothing_else(
    project: Project,
) -> None:
    project.write()
    before = files_in(project.folder)

    project.seed()

    assert sorted(set(files_in(project.folder)) - set(before)) == [
        ".tmp/data.db",
        "public/uploads/Quai_a_l_aube_0000000001.PNG",
        "public/uploads/map_0000000002.txt",
    ]


def test_a_database_with_content_is_left_alone(project: Project) -> None:
    project.seed()
    before = {name: (project.folder / name).read_bytes() for name in files_in(project.folder)}

    with pytest.raises(SeedingError, match=r"has content already: api::harbour\.harbour, "):
        project.seed()

    after = {name: (project.folder / name).read_bytes() for name in files_in(project.folder)}
    assert {name: data for name, data in after.items() if "data.db-" not in name} == before


def test_a_file_that_was_there_is_never_replaced(project: Project) -> None:
    taken = project.settings.uploads.directory / "map_0000000002.txt"
    taken.parent.mkdir(parents=True)
    taken.write_text("somebody else's", encoding="utf-8")

    with pytest.raises(SeedingError, match=r"cannot be copied .*: File exists"):
        project.seed()

    assert taken.read_text(encoding="utf-8") == "somebody else's"
    assert project.uploads == [taken.name]


def test_files_alone_are_content_too(project: Project) -> None:
    for name in ("harbours", "stories/1-later", "stories/2-first", "stories/3-unsaid"):
        project.files[f"{name}.json"] = []
    project.files["notice.json"] = []
    project.seed()

    with pytest.raises(SeedingError, match=r"has content already: plugin::upload\.file\."):
        project.seed()


def test_a_database_without_content_is_filled(project: Project) -> None:
    asyncio.run(make_empty(project))
    locales = project.rows("i18n_locale")

    project.seed()

    assert project.rows("storys")[0]["title"] == "First"
    assert project.rows("i18n_locale")[:1] == locales
    assert [row["code"] for row in project.rows("i18n_locale")] == ["en", "de"]


def test_an_empty_file_is_no_database_yet(project: Project) -> None:
    database = project.settings.database.filename
    database.parent.mkdir()
    database.touch()

    project.seed()

    assert len(project.rows("harbours")) == 2


def test_remains_of_a_removed_database_do_not_get_into_the_new_one(project: Project) -> None:
    database = project.settings.database.filename
    database.parent.mkdir()
    for ending in ("-wal", "-shm", "-journal", ".unfinished", ".unfinished-wal"):
        database.with_name(database.name + ending).write_bytes(b"remains")

    project.seed()

    assert files_in(database.parent) == ["data.db"]
    assert len(project.rows("harbours")) == 2


def test_another_default_locale_is_refused(project: Project) -> None:
    asyncio.run(make_empty(project, FirstLocale(code="fr", name="French (fr)")))

    with pytest.raises(SeedingError, match="is fr, and that of the content is en"):
        project.seed()

    assert project.rows("storys") == []
    assert project.uploads == []


def test_what_is_no_database_is_left_alone(project: Project) -> None:
    database = project.settings.database.filename
    database.parent.mkdir()
    database.write_text("a letter to somebody", encoding="utf-8")

    with pytest.raises(DatabaseOpenError, match="is not a SQLite database"):
        project.seed()

    assert database.read_text(encoding="utf-8") == "a letter to somebody"
    assert project.uploads == []


def test_a_database_that_cannot_be_reached_is_named(project: Project) -> None:
    client = "DATABASE_CLIENT=postgres\nDATABASE_PORT=1\nDATABASE_NAME=harbours"
    (project.folder / ".env").write_text(client, encoding="utf-8")

    with pytest.raises(DatabaseOpenError, match="harbours on localhost:1 cannot be reached"):
        project.seed()


async def test_a_document_that_cannot_be_written_is_named_and_nothing_is_stored(
    project: Project,
) -> None:
    content = read_content(project.write(), project.schema)
    first = next(document for document in content.documents if document.key == "first")
    version = replace(first.versions[0], values={**first.versions[0].values, "title": "x" * 21})
    documents = [
        replace(one, versions=(version,)) if one is first else one for one in content.documents
    ]
    broken = replace(content, documents=tuple(documents))
    before = files_in(project.folder)

    with pytest.raises(SeedingError, match=r"story first \(en\) cannot be written: title must be"):
        await seed(project.settings, project.schema, broken, project.advanced.append)

    assert files_in(project.folder) == before


@pytest.mark.parametrize("at", ["map.txt", "leith", "notice"])
def test_a_failure_anywhere_leaves_nothing_behind(project: Project, at: str) -> None:
    def fail(name: str) -> None:
        if name == at:
            raise ZeroDivisionError

    project.write()
    before = files_in(project.folder)

    with pytest.raises(ZeroDivisionError):
        project.seed(fail)

    assert files_in(project.folder) == before


def test_a_failure_in_a_database_that_was_there_leaves_it_as_it_was(project: Project) -> None:
    asyncio.run(make_empty(project))

    def fail(name: str) -> None:
        if name == "notice":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        project.seed(fail)

    assert project.rows("harbours") == project.rows("files") == project.rows("storys_cmps") == []
    assert project.uploads == []


async def test_an_interruption_leaves_nothing_behind(project: Project) -> None:
    """What is being written on another thread is stopped, and waited for."""
    content = read_content(project.write(), project.schema)
    before = files_in(project.folder)
    loop = asyncio.get_running_loop()

    def interrupt(name: str) -> None:
        if name == "first":
            noticed = threading.Event()
            loop.call_soon_threadsafe(seeding.cancel)
            loop.call_soon_threadsafe(loop.call_later, 0.01, noticed.set)
            assert noticed.wait(60)
        written.append(name)

    written: list[str] = []
    seeding = asyncio.ensure_future(seed(project.settings, project.schema, content, interrupt))
    with pytest.raises(asyncio.CancelledError):
        await seeding

    assert written[-1] == "first"
    assert files_in(project.folder) == before


# The blog ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the example, freshly seeded."""
    folder = tmp_path_factory.mktemp("blog")
    (folder / "src").symlink_to(BLOG / "src")
    settings = load_settings(folder, environ={})
    schema = load_project_schema(settings)
    content = read_content(BLOG / "content", schema)
    asyncio.run(seed(settings, schema, content, lambda _: None))
    return settings.database.filename


@pytest.fixture(scope="module")
def blog_schema() -> Schema:
    return load_project_schema(load_settings(BLOG, environ={}))


def test_every_reference_in_the_blog_leads_somewhere(blog: Path) -> None:
    with closing(sqlite3.connect(blog)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_every_published_row_of_the_blog_has_one_draft_row(blog: Path, blog_schema: Schema) -> None:
    for content_type in blog_schema.api_types:
        rows = rows_of(blog, content_type.collection_name)
        versions = Counter((row["document_id"], row.get("locale")) for row in rows)
        published = {(r["document_id"], r.get("locale")) for r in rows if "published_at" in r}
        if content_type.draft_and_publish:
            drafts = [(r["document_id"], r["locale"]) for r in rows if "published_at" not in r]
            assert sorted(drafts) == sorted(versions)
            assert all(count == 1 + (key in published) for key, count in versions.items())
        else:
            assert set(versions.values()) == {1}
            assert published == set(versions)


def test_the_blog_has_a_row_for_every_entry_of_its_files(blog: Path, blog_schema: Schema) -> None:
    """Counted by code that knows nothing of the server's."""
    expected: Counter[tuple[str, str | None, bool]] = Counter()
    for document in read_independently(BLOG).documents:
        with_drafts = blog_schema.content_types[document.uid].draft_and_publish
        expected.update(
            (document.uid, locale, published)
            for locale in document.versions
            for published in _stored(document.status(locale), with_drafts=with_drafts)
        )

    found = Counter(
        (content_type.uid, row.get("locale"), "published_at" in row)
        for content_type in blog_schema.api_types
        for row in rows_of(blog, content_type.collection_name)
    )

    assert found == expected


def _stored(status: str | None, *, with_drafts: bool) -> Iterator[bool]:
    """Which rows there are of a version: published ones are true."""
    if with_drafts:
        yield False
    if status != Status.DRAFT:
        yield True


def test_the_text_of_the_blog_is_that_of_its_files(blog: Path) -> None:
    """Published values and those of drafts, once as written and once as stored."""
    titles = {
        (row["locale"], "published_at" in row, row["title"]) for row in rows_of(blog, "articles")
    }
    written = {
        (entry.locale, entry.published, entry.values["title"])
        for document in read_independently(BLOG).documents
        if document.uid == "api::article.article"
        for entry in entries(document)
    }

    assert written <= titles


def test_every_component_of_the_blog_belongs_to_one_row(blog: Path, blog_schema: Schema) -> None:
    tables = map_tables(blog_schema)
    owned: Counter[tuple[str, Any]] = Counter()
    for table in tables.tables.values():
        if any(isinstance(edge, ComponentEdge) for edge in table.edges.values()):
            links = rows_of(blog, table.components_table)
            owned.update((row["component_type"], row["cmp_id"]) for row in links)

    stored = Counter(
        (uid, row["id"])
        for uid in blog_schema.components
        for row in rows_of(blog, tables[uid].name)
    )

    assert owned == stored
    assert set(owned.values()) == {1}


def test_every_url_of_the_blog_leads_to_a_file(blog: Path) -> None:
    uploads = blog.parent.parent / "public/uploads"
    urls = sorted(row["url"] for row in rows_of(blog, "files"))

    assert len(urls) == 17
    assert urls == sorted(f"/uploads/{path.name}" for path in uploads.iterdir())
