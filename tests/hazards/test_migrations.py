"""Known failures of migrations when content types change."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.conformance.corpus import credentials
from tests.databases.environment import write_environment
from tests.databases.kind import Kind, opened
from tests.databases.kinds import SQLITE
from tests.databases.sqlite import file_of
from tests.reliability.migrating import RENAMED, change_files
from tests.unit.cli.conftest import Run, run
from tests.unit.cli.processes import QUIRE

__all__ = ["run"]

_WRITERS = 0x7175697265
"""The lock that whoever writes to PostgreSQL holds."""
_BEGIN = {"sqlite": "BEGIN IMMEDIATE", "postgresql": f"SELECT pg_advisory_lock({_WRITERS})"}
_END = {"sqlite": "COMMIT", "postgresql": f"SELECT pg_advisory_unlock({_WRITERS})"}
_TYPE = "src/api/{0}/content-types/{0}/schema.json"


@asynccontextmanager
async def quire(*arguments: object) -> AsyncIterator[asyncio.subprocess.Process]:
    """A command as a separate process."""
    process = await asyncio.create_subprocess_exec(
        QUIRE, *map(str, arguments), stdout=PIPE, stderr=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str]:
    """Wait for the end of a command; returns its exit code and what it had to say."""
    output, messages = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode() + messages.decode()


def migration(project: Path, *options: str) -> Sequence[object]:
    return ("migrate", project, "--apply", "--may-lose", "--rename", RENAMED, *options)


async def test_h126_of_several_that_migrate_at_once_one_does_it(
    kind: Kind, own_recorded: Path
) -> None:
    """Each is told that all is well; drafts are made once, and what was changed is said once."""
    change_files(own_recorded)

    async def migrate() -> tuple[int, str]:
        async with quire(*migration(own_recorded)) as process:
            return await ended(process)

    outcomes = await asyncio.gather(*(migrate() for _ in range(4)))
    assert [code for code, _ in outcomes] == [0] * 4, outcomes
    steps = sorted(
        int(re.search(r"(\d+) steps? w(?:ere|as) taken", said)[1])  # type: ignore[index]  # they say so
        for _, said in outcomes
    )
    assert steps[:3] == [0, 0, 0]
    assert steps[3] > 10
    with opened(kind, own_recorded) as rows:
        sql = "SELECT count(*) FROM authors GROUP BY document_id, published_at IS NULL"
        assert {count for (count,) in rows.execute(sql)} == {1}
        for key in ("quire_schema", "quire_schema_version", "strapi_content_types_schema"):
            sql = "SELECT count(*) FROM strapi_core_store_settings WHERE key = ?"
            assert rows.execute(sql, (key,)) == [(1,)]
        assert len(rows.execute("SELECT id FROM quire_archive")) == 1


async def test_h145_a_migration_waits_until_a_slow_database_lets_it(
    kind: Kind, own_recorded: Path
) -> None:
    """It says that it waits, and does not fail."""
    change_files(own_recorded)
    (own_recorded / "quire.toml").write_text("[database]\nbusy_timeout_ms = 20\n")
    with opened(kind, own_recorded) as rows:
        rows.execute(_BEGIN[kind.name])
        async with quire(*migration(own_recorded)) as process:
            assert process.stderr is not None
            said = b""
            while b"waiting" not in said:
                said = await process.stderr.readline()
                assert said, "it has ended"
            rows.execute(_END[kind.name])
            code, _ = await ended(process)
    assert code == 0


async def test_h145_a_client_that_does_not_wait_gets_the_error_that_nothing_has_changed(
    kind: Kind, own_recorded: Path
) -> None:
    change_files(own_recorded)
    (own_recorded / "quire.toml").write_text("[database]\nbusy_timeout_ms = 20\n")
    with opened(kind, own_recorded) as rows:
        rows.execute(_BEGIN[kind.name])
        async with quire(*migration(own_recorded, "--wait", "0")) as process:
            code, said = await ended(process)
        rows.execute(_END[kind.name])
    assert code == 2
    assert "Nothing was changed" in said


async def test_h146_servers_with_former_files_go_on_while_those_with_later_ones_take_over(
    kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    """They read and write next to columns that they do not know, and start again next to them."""
    later = tmp_path / "later"
    shutil.copytree(own_recorded, later, ignore=shutil.ignore_patterns("data.db*"))
    if kind is SQLITE:
        write_environment(later, {"DATABASE_FILENAME": str(file_of(own_recorded))})
    edit_type(later, "tag", {"colour": {"type": "string"}})
    former = load_settings(own_recorded, environ={})
    async with running(build_app(former)) as client:
        keep_former_files(own_recorded)
        before = await ask(client, "GET", "tags?sort=id")
        async with quire("migrate", later, "--apply") as process:
            code, said = await ended(process)
            assert (code, "add the column colour to tags" in said) == (0, True), said
        assert await ask(client, "GET", "tags?sort=id") == before
        await ask(client, "POST", "tags", {"label": "of the former"})
    async with running(build_app(load_settings(later, environ={}))) as client:
        found = await ask(client, "GET", "tags?filters[label]=of the former".replace(" ", "%20"))
        assert [tag["colour"] for tag in found] == [None]
        await ask(client, "POST", "tags", {"label": "of the later", "colour": "red"})
    async with running(build_app(former)) as client:
        found = await ask(client, "GET", "tags?filters[label][$startsWith]=of&sort=label")
        assert [tag["label"] for tag in found] == ["of the former", "of the later"]
        assert not any("colour" in tag for tag in found)


async def test_h146_servers_with_former_files_do_not_write_what_later_ones_mean_otherwise(
    kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    """Where there are drafts now, an entry without one would be half of a document."""
    later = tmp_path / "later"
    shutil.copytree(own_recorded, later, ignore=shutil.ignore_patterns("data.db*"))
    if kind is SQLITE:
        write_environment(later, {"DATABASE_FILENAME": str(file_of(own_recorded))})
    edit_type(later, "tag", {}, draftAndPublish=True)
    async with running(build_app(load_settings(own_recorded, environ={}))) as client:
        keep_former_files(own_recorded)
        async with quire("migrate", later, "--apply") as process:
            assert (await ended(process))[0] == 0
        response = await send(client, "POST", "tags", {"label": "of the former"})
        assert response.status == 503


def keep_former_files(project: Path) -> None:
    """Change a schema file: a server follows with files that nobody has changed, and no others."""
    edit_type(project, "tag", {}, comment="ours")


def edit_type(project: Path, name: str, attributes: dict[str, Any], **options: object) -> None:
    path = project / _TYPE.format(name)
    raw = json.loads(path.read_bytes())
    raw["attributes"] |= attributes
    raw["options"] |= options
    path.write_text(json.dumps(raw), encoding="utf-8")


async def send(client: AsgiClient, method: str, target: str, data: object = None) -> ClientResponse:
    headers = {
        "Authorization": f"Bearer {credentials().api_tokens['full']}",
        "Content-Type": "application/json",
    }
    body = b"" if data is None else json.dumps({"data": data}).encode()
    return await client.request(method, f"/api/{target}", headers, body)


async def ask(client: AsgiClient, method: str, target: str, data: object = None) -> Any:  # noqa: ANN401 - JSON
    response = await send(client, method, target, data)
    assert response.status in {200, 201}, response.content
    return json.loads(response.content)["data"]


RENAMED_TITLE = "api::article.article.title=headline"
CHANGES: Mapping[str, tuple[dict[str, Any], str, str]] = {
    "deleted": ({"internalNote": None}, "", "internal_note"),
    "retyped": ({"internalNote": {"type": "integer"}}, "", "internal_note"),
    "renamed": ({"internalNote": None, "memo": {"type": "string"}}, "", "internal_note"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_h132_no_change_of_a_field_loses_what_was_in_it(
    kind: Kind, own_recorded: Path, run: Run, change: str
) -> None:
    """It is shown, refused without consent, archived, and can be undone.

    Whoever does not say that a field was renamed has deleted one and added another.
    """
    path = own_recorded / _TYPE.format("article")
    former = path.read_bytes()
    attributes, _, column = CHANGES[change]
    edit_type(own_recorded, "article", attributes)
    raw = json.loads(path.read_bytes())
    raw["attributes"] = {k: v for k, v in raw["attributes"].items() if v is not None}
    path.write_text(json.dumps(raw), encoding="utf-8")
    notes = f"SELECT id, {column} FROM articles ORDER BY id"
    with opened(kind, own_recorded) as rows:
        before = rows.execute(notes)
    assert any(note for _, note in before)
    plan = run("migrate", own_recorded)
    assert (plan.code, column in plan.output) == (1, True)
    refused = run("migrate", own_recorded, "--apply")
    assert (refused.code, "Nothing was changed" in refused.messages) == (2, True)
    with opened(kind, own_recorded) as rows:
        assert rows.execute(notes) == before
    assert run("migrate", own_recorded, "--apply", "--may-lose").code == 0
    path.write_bytes(former)
    assert run("migrate", own_recorded, "--apply", "--may-lose").code == 0
    assert run("archive", own_recorded, "--restore", "1").code == 0
    with opened(kind, own_recorded) as rows:
        assert rows.execute(notes) == before


def test_the_tables_of_a_plugin_that_does_not_run_survive_a_migration(
    kind: Kind, own_recorded: Path, run: Run
) -> None:
    """With their rows, and their links to entries whose table changes; Strapi goes on with them."""
    plugin = (
        "CREATE TABLE comments_comment (id integer PRIMARY KEY, content text)",
        (
            "CREATE TABLE comments_comment_related_lnk (id integer PRIMARY KEY, comment_id integer "
            "REFERENCES comments_comment (id) ON DELETE CASCADE, article_id integer "
            "REFERENCES articles (id) ON DELETE CASCADE)"
        ),
        "CREATE INDEX comments_comment_content ON comments_comment (content)",
        "INSERT INTO comments_comment VALUES (1, 'First'), (2, 'Second')",
        "INSERT INTO comments_comment_related_lnk SELECT id, 1, id FROM articles WHERE id < 9",
    )
    with opened(kind, own_recorded) as rows:
        for statement in plugin:
            rows.execute(statement)
        links = rows.execute("SELECT * FROM comments_comment_related_lnk ORDER BY id")
    changes = {"internalNote": {"type": "integer"}, "memo": {"type": "string"}, "score": None}
    path = own_recorded / _TYPE.format("article")
    edit_type(own_recorded, "article", changes)
    raw = json.loads(path.read_bytes())
    raw["attributes"] = {k: v for k, v in raw["attributes"].items() if v is not None}
    path.write_text(json.dumps(raw), encoding="utf-8")

    assert run("migrate", own_recorded, "--apply", "--may-lose").code == 0

    with opened(kind, own_recorded) as rows:
        kept = rows.execute("SELECT * FROM comments_comment ORDER BY id")
        still_linked = rows.execute("SELECT * FROM comments_comment_related_lnk ORDER BY id")
    assert links
    assert ([(1, "First"), (2, "Second")], links) == ([*map(tuple, kept)], still_linked)
    assert run("migrate", own_recorded).code == 0


BAIT = "x'); DROP TABLE tags; --"
_STRING = {"type": "string"}
BAITED: Sequence[tuple[str, dict[str, Any]]] = [
    ("default", {**_STRING, "default": {"isRaw": True, "sql": BAIT}}),
    ("raw", {**_STRING, "column": {"defaultTo": [BAIT, {"isRaw": True}]}}),
    ("type", {**_STRING, "column": {"type": BAIT, "args": [BAIT]}}),
    ("column", {**_STRING, "columnName": f'x"{BAIT}'}),
    ("choice", {"type": "enumeration", "enum": [BAIT, 'y"; DROP TABLE tags; --']}),
    *((name, _STRING) for name in ('a"b', "a'b", "a`b", "a;b", f'a"{BAIT}')),
]
"""Attributes by name, each with SQL in another place."""


@pytest.mark.parametrize(("name", "raw"), BAITED)
def test_h051_nothing_in_a_schema_file_becomes_sql(
    kind: Kind, own_recorded: Path, run: Run, name: str, raw: dict[str, Any]
) -> None:
    """It is rejected with its path, or is a name or value like any other."""
    edit_type(own_recorded, "passport", {name: raw})
    applied = run("migrate", own_recorded, "--apply")
    if applied.code:
        assert f"attributes.{name}" in applied.messages, applied.messages
    else:
        assert run("migrate", own_recorded).code == 0
    with opened(kind, own_recorded) as rows:
        assert "tags" in rows.tables()
        assert len(rows.execute("SELECT id FROM passports")) > 0
