"""``quire import`` imports the content of an export of Strapi into a project."""

import asyncio
import io
import json
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from quire.app import build_app
from quire.database.interface import Database
from quire.database.long_operations import write_interruptible
from quire.errors import UncertainOutcomeError
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.databases.kind import Kind, opened
from tests.databases.kinds import SQLITE
from tests.unit.cli.conftest import Run, everything_in
from tests.unit.transfer.archive_files import (
    ENCRYPTED,
    KEY,
    METADATA,
    PLAIN,
    RESPONSES,
    lines,
    members_of,
    write_archive,
)

UPLOADS = "public/uploads"


@pytest.fixture
def site(kind: Kind, tmp_path: Path) -> Iterator[Path]:
    """A project without content types and without tables."""
    project = tmp_path / "site"
    (project / "src").mkdir(parents=True)
    kind.settle(project)
    yield project
    kind.release(project)


def responses(project: Path, token: str, targets: Iterable[str]) -> dict[str, Any]:
    """What a server of the project responds to GET requests."""

    async def ask() -> dict[str, Any]:
        return {target: (await send(project, token, "GET", target)).json for target in targets}

    return asyncio.run(ask())


async def send(
    project: Path, token: str, method: str, target: str, body: object = None
) -> ClientResponse:
    application = build_app(load_settings(project, environ={}))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = b"" if body is None else json.dumps(body).encode()
    async with running(application):
        return await AsgiClient(application).request(method, target, headers, data)


def expected(kind: Kind) -> dict[str, Any]:
    """What Strapi responds; on PostgreSQL it shows times and strings in JSON in another form."""
    if kind is SQLITE:
        return dict(RESPONSES)
    text = json.dumps(RESPONSES)
    text = text.replace('"09:30:00.000"', '"09:30:00"')
    return dict(json.loads(text.replace('"bare text"', json.dumps('"bare text"'))))


def token_of(run: Run, project: Path) -> str:
    code, output, messages = run("token", "create", project, "--name", "t", "--type", "full-access")
    assert code == 0, messages
    return output.strip()


def state(kind: Kind, project: Path) -> tuple[dict[str, bytes], dict[str, list[Any]]]:
    """Everything in the folder but the database file, and everything in the database."""
    files = {name: data for name, data in everything_in(project).items() if ".tmp" not in name}
    with opened(kind, project) as database:
        rows = {
            table: sorted(database.execute(f'SELECT * FROM "{table}"'), key=repr)
            for table in database.tables()
        }
    return files, rows


@pytest.mark.parametrize(("archive", "key"), [(PLAIN, None), (ENCRYPTED, KEY)])
def test_what_strapi_has_exported_is_read_as_it_was_there(
    run: Run, kind: Kind, site: Path, archive: Path, key: str | None
) -> None:
    options = [] if key is None else ["--key", key]
    code, _, messages = run("import", archive, site, *options)
    assert code == 0, messages
    assert "5 files were stored" in messages
    assert "made src/api/book/content-types/book/schema.json" in messages

    found = responses(site, token_of(run, site), RESPONSES)

    for target, response in expected(kind).items():
        assert found[target] == response, target
    members = members_of(PLAIN)
    for path in (site / UPLOADS).iterdir():
        assert path.read_bytes() == members[f"assets/uploads/{path.name}"]
    assert run("check", site).code == 0


def test_a_new_project_with_tables_takes_an_archive(run: Run, kind: Kind, site: Path) -> None:
    assert run("new", site).code == 0
    code, _, messages = run("import", PLAIN, site)
    assert code == 0, messages
    found = responses(site, token_of(run, site), RESPONSES)
    assert found == expected(kind)


def test_new_documents_get_ids_that_no_row_of_the_archive_has(run: Run, site: Path) -> None:
    assert run("import", PLAIN, site).code == 0
    token = token_of(run, site)
    response = asyncio.run(send(site, token, "POST", "/api/writers", {"data": {"name": "New"}}))
    assert response.status == 201
    known = [one["id"] for one in RESPONSES["/api/writers?sort=id&populate=*"]["data"]]
    assert json.loads(response.content)["data"]["id"] > max(known)


def test_sessions_of_end_users_end(run: Run, kind: Kind, site: Path) -> None:
    assert run("import", PLAIN, site).code == 0
    with opened(kind, site) as database:
        for user, origin in (("1", "users-permissions"), ("1", "admin")):
            database.execute(
                "INSERT INTO strapi_sessions (user_id, session_id, origin) VALUES (?, ?, ?)",
                [user, origin, origin],
            )

    assert run("import", PLAIN, site, "--replace").code == 0

    with opened(kind, site) as database:
        assert database.execute("SELECT origin FROM strapi_sessions") == [("admin",)]


def test_content_is_replaced_only_when_that_is_said(run: Run, kind: Kind, site: Path) -> None:
    assert run("import", PLAIN, site).code == 0
    token = token_of(run, site)
    (site / UPLOADS / "of-somebody.txt").write_text("kept")
    before = state(kind, site)

    code, _, messages = run("import", PLAIN, site)
    assert code == 2
    assert "has content already: " in messages
    assert "api::book.book" in messages
    assert state(kind, site) == before

    with opened(kind, site) as database:
        database.execute("DELETE FROM books_authors_lnk")
        database.execute("UPDATE writers SET name = 'Changed'")
    code, _, messages = run("import", PLAIN, site, "--replace")
    assert code == 0, messages
    assert responses(site, token, RESPONSES) == expected(kind), "tokens and content are there"
    assert (site / UPLOADS / "of-somebody.txt").read_text() == "kept"


def without(members: Mapping[str, bytes], name: str) -> dict[str, bytes | str]:
    return {path: data for path, data in members.items() if path != name}


def changed(name: str, change: Callable[[list[Any]], object]) -> dict[str, bytes | str]:
    """The members of the export with the lines of one file changed."""
    members = members_of(PLAIN)
    found = [json.loads(line) for line in members[name].splitlines()]
    change(found)
    return {**members, name: lines(*found)}


ENTITIES = "entities/entities_00001.jsonl"
LINKS = "links/links_00001.jsonl"
SCHEMAS = "schemas/schemas_00001.jsonl"
CONFIGURATION = "configuration/configuration_00001.jsonl"


def book(found: list[Any]) -> dict[str, Any]:
    data = next(one for one in found if one["type"] == "api::book.book")["data"]
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (lambda: changed(ENTITIES, lambda f: book(f).update(pages="many")), "pages of entry 1"),
        (lambda: changed(ENTITIES, lambda f: book(f).update(released="soon")), "released of entry"),
        (lambda: changed(ENTITIES, lambda f: book(f).update(lent="yes")), "cannot be 'yes'"),
        (lambda: changed(ENTITIES, lambda f: book(f).update(copies="9" * 30)), "copies of entry"),
        (lambda: changed(ENTITIES, lambda f: book(f).update(chapters=["x"])), "is no component"),
        (
            lambda: changed(
                ENTITIES, lambda f: book(f).update(sections=[{"__component": "a.b", "id": 1}])
            ),
            "cannot hold the component a.b",
        ),
        (lambda: changed(ENTITIES, lambda f: book(f).update(chapters=[{}])), "without an id"),
        (lambda: changed(ENTITIES, lambda f: f.append(f[0])), "is in the archive twice"),
        *(
            (
                lambda id_=id_: changed(ENTITIES, lambda f: f[0].update(id=id_)),
                f"id in the archive: {id_}",
            )
            for id_ in (0, -1, 2**31, 2**70)
        ),
        (
            lambda: changed(ENTITIES, lambda f: book(f)["chapters"][0].update(id=2**70)),
            "has a row of an impossible id",
        ),
        (lambda: changed(LINKS, lambda f: f[0]["left"].update(field="name")), "stores no links"),
        (
            lambda: changed(LINKS, lambda f: f[0]["left"].update(ref=None)),
            "links_00001.jsonl, line",
        ),
        (
            lambda: changed(CONFIGURATION, lambda f: f.append({"type": "x", "value": {}})),
            "a setting of an unknown kind: x",
        ),
        (
            lambda: changed(CONFIGURATION, lambda f: f.append({"type": "webhook", "value": {}})),
            "a webhook without a name",
        ),
        (lambda: without(members_of(PLAIN), SCHEMAS), "has no schema"),
        (
            lambda: changed(
                SCHEMAS, lambda f: _type(f, "api::book.book").update(uid="api::../../x.y")
            ),
            "of an impossible uid: 'api::../../x.y'",
        ),
        (
            lambda: changed(SCHEMAS, lambda f: _type(f, "parts.note").update(uid="../../x.y")),
            "of an impossible uid: '../../x.y'",
        ),
        (
            lambda: changed(
                SCHEMAS, lambda f: _type(f, "parts.note").update(collectionName='a"; DROP b')
            ),
            "a table of an impossible name",
        ),
        (
            lambda: changed(SCHEMAS, lambda f: _type(f, "parts.note").update(uid="/etc/x.y")),
            "of an impossible uid: '/etc/x.y'",
        ),
        (
            lambda: changed(SCHEMAS, lambda f: _type(f, "api::book.book").update(attributes=[])),
            "api::book.book",
        ),
        (
            lambda: without(
                members_of(PLAIN),
                next(n for n in members_of(PLAIN) if n.startswith("assets/metadata/blue")),
            ),
            "says nothing of 1 of its files: blue_",
        ),
        (lambda: {"metadata.json": METADATA, "../x": "y"}, "is no part of an export"),
    ],
)
def test_an_archive_that_cannot_be_stored_changes_nothing(
    run: Run,
    kind: Kind,
    site: Path,
    tmp_path: Path,
    members: Callable[[], Mapping[str, bytes | str]],
    message: str,
) -> None:
    assert run("new", site).code == 0
    before = state(kind, site)
    archive = write_archive(tmp_path / "x.tar", members())

    code, _, messages = run("import", archive, site)

    assert (code, message in messages) == (2, True), messages
    assert state(kind, site) == before


def _type(found: list[Any], uid: str) -> dict[str, Any]:
    model = next(one for one in found if one["uid"] == uid)
    assert isinstance(model, dict)
    return model


def test_a_failure_of_the_database_takes_the_files_back(
    run: Run, kind: Kind, site: Path, tmp_path: Path
) -> None:
    """Two equal links are found by the database alone, when the files are there already."""
    assert run("import", PLAIN, site).code == 0
    name = next(path.name for path in (site / UPLOADS).iterdir() if path.name.startswith("blue"))
    (site / UPLOADS / name).write_text("another one")
    before = state(kind, site)

    def twice(found: list[Any]) -> None:
        link = next(one for one in found if one["left"]["field"] == "authors")
        found.append(link)

    archive = write_archive(tmp_path / "x.tar", changed(LINKS, twice))
    code, _, messages = run("import", archive, site, "--replace")

    assert code == 2, messages
    assert state(kind, site) == before
    assert (site / UPLOADS / name).read_text() == "another one"


def test_files_stay_when_nobody_knows_whether_their_rows_were_committed(
    run: Run, kind: Kind, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection was lost at the commit, which succeeded."""
    assert run("new", site).code == 0

    async def lose_connection(database: Database, make: Any) -> None:  # noqa: ANN401 - a program
        await write_interruptible(database, make)
        raise UncertainOutcomeError

    monkeypatch.setattr("quire.transfer.importing.write_interruptible", lose_connection)
    code, _, messages = run("import", PLAIN, site)

    assert code != 0, messages
    stored = {path.name for path in (site / UPLOADS).iterdir()}
    assert {Path(name).name for name in members_of(PLAIN) if "assets/uploads/" in name} <= stored
    assert responses(site, token_of(run, site), RESPONSES) == expected(kind)


@pytest.mark.parametrize("is_new", [True, False])
def test_an_interruption_after_the_commit_undoes_nothing(
    run: Run, kind: Kind, site: Path, monkeypatch: pytest.MonkeyPatch, *, is_new: bool
) -> None:
    """Neither schema files nor files of the media library are removed for rows that are stored."""

    async def interrupt(*_: object) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(60)

    if not is_new:
        assert run("new", site).code == 0
    monkeypatch.setattr("quire.transfer.importing.renew_statistics", interrupt)
    code, _, messages = run("import", PLAIN, site)

    assert code == 0, messages
    stored = {path.name for path in (site / UPLOADS).iterdir()}
    assert {Path(name).name for name in members_of(PLAIN) if "assets/uploads/" in name} <= stored
    assert responses(site, token_of(run, site), RESPONSES) == expected(kind)


def test_a_project_with_other_content_types_says_what_differs(
    run: Run, kind: Kind, site: Path
) -> None:
    assert run("import", PLAIN, site).code == 0
    path = site / "src/api/book/content-types/book/schema.json"
    schema = json.loads(path.read_text())
    del schema["attributes"]["pages"]
    schema["attributes"]["weight"]["type"] = "integer"
    schema["attributes"]["sections"]["components"] = ["parts.plate"]
    schema["attributes"]["more"] = {"type": "string"}
    path.write_text(json.dumps(schema))
    shutil.rmtree(site / "src/api/about")
    before = state(kind, site)

    code, _, messages = run("import", PLAIN, site, "--replace")

    assert code == 2
    assert "api::about.about is missing in the project" in messages
    assert "api::book.book.pages is missing in the project" in messages
    assert "api::book.book.weight is integer, and float in the archive" in messages
    assert "api::book.book.sections does not take the component parts.chapter" in messages
    assert "more" not in messages.replace("and more", "")
    assert state(kind, site) == before


@pytest.mark.whatever_the_database("reads and leaves out lines")
def test_what_has_no_place_is_left_out_and_said(run: Run, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "src").mkdir(parents=True)

    def more(found: list[Any]) -> None:
        found.append({"type": "plugin::menu.item", "id": 1, "data": {"documentId": "x"}})
        found.append({"type": "admin::session", "id": 1, "data": {"documentId": "y"}})

    def dangling(found: list[Any]) -> None:
        found[0]["right"]["ref"] = 9999

    members = changed(ENTITIES, more)
    members[LINKS] = changed(LINKS, dangling)[LINKS]
    code, _, messages = run("import", write_archive(tmp_path / "x.tar.gz", members), site)

    assert code == 0, messages
    assert "1 rows of plugin::menu.item were left out" in messages
    assert "admin::session" not in messages
    assert "1 links to rows that the archive lacks were left out" in messages


@pytest.mark.whatever_the_database("asks for a key before any database is opened")
def test_the_key_is_read_from_standard_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    (site / "src").mkdir(parents=True)
    monkeypatch.setattr("sys.stdin", io.StringIO("wrong\n"))
    code, _, messages = run("import", ENCRYPTED, site)
    assert (code, "the key is another one" in messages) == (2, True)
    assert list(site.iterdir()) == [site / "src"]

    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
    assert run("import", ENCRYPTED, site).code == 0


@pytest.mark.whatever_the_database("writes schema files and nothing else")
def test_attributes_that_a_project_has_added_to_users_become_an_extension(
    run: Run, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    (site / "src").mkdir(parents=True)

    def nickname(found: list[Any]) -> None:
        user = _type(found, "plugin::users-permissions.user")
        user["attributes"]["nickname"] = {"type": "string"}

    def named(found: list[Any]) -> None:
        user = next(one for one in found if one["type"] == "plugin::users-permissions.user")
        user["data"]["nickname"] = "Rea"

    members = changed(SCHEMAS, nickname)
    members[ENTITIES] = changed(ENTITIES, named)[ENTITIES]
    code, _, messages = run("import", write_archive(tmp_path / "x.tar", members), site)
    assert code == 0, messages
    file = site / "src/extensions/users-permissions/content-types/user/schema.json"
    assert json.loads(file.read_text())["attributes"]["nickname"] == {"type": "string"}


def test_components_that_entries_share_become_two(
    run: Run, kind: Kind, site: Path, tmp_path: Path
) -> None:
    def shared(found: list[Any]) -> None:
        books = [one["data"] for one in found if one["type"] == "api::book.book"]
        first = next(one for one in books if one["chapters"])
        other = next(one for one in books if not one["chapters"])
        other["chapters"] = first["chapters"]

    archive = write_archive(tmp_path / "x.tar", changed(ENTITIES, shared))
    code, _, messages = run("import", archive, site)
    assert code == 0, messages
    assert "components that two entries had in common are two now" in messages
    assert run("check", site).code == 0


@pytest.mark.whatever_the_database("files are in a bucket")
def test_a_file_name_that_is_taken_is_named(run: Run, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "src").mkdir(parents=True)
    (site / UPLOADS).mkdir(parents=True)
    with tarfile.open(PLAIN) as tar:
        names = [n for n in tar.getnames() if n.startswith("assets/uploads/")]
    (site / UPLOADS / Path(names[0]).name).write_text("mine")
    before = everything_in(site)
    code, _, messages = run("import", PLAIN, site)
    assert (code, "has 1 files of these names already" in messages) == (2, True), messages
    assert everything_in(site) == before


HOOK = """
from quire import Document, Write, before_write


@before_write("api::book.book", on=["create"])
def number_books(write: Write[Document]) -> None:
    raise AssertionError("no more books")
"""


RELATIONS = """
RELATIONS = {"cover", "scans", "authors", "shelf", "sequel", "keeper"}


@before_write("api::*", on=["create", "update"], order=-1)
def relate(write: Write[Document]) -> None:
    for name in RELATIONS & write.data.keys():
        write.set(**{name: {"set": write.data[name]}})
"""
UNCHANGED = """
from quire import *

EVERY = ["create", "publish", "update"]


@before_write("api::*", on=EVERY)
def before(write: Write[Document]) -> None:
    assert not {"id", "documentId", "createdAt", "locale"} & write.data.keys()
    if write.action != "publish":
        write.set({**write.data})


@after_write("api::*", on=EVERY)
async def after(write: Write[Document]) -> None:
    with as_system("look"):
        kind = documents(write.uid)
        status = "draft" if write.action == "update" else "published"
        if write.action != "create":
            await kind.find_one(write.document_id, status=status, locale=write.locale)
"""


@pytest.mark.parametrize("more_code", ["", RELATIONS])
def test_hooks_that_change_nothing_leave_what_strapi_has_exported_as_it_is(
    run: Run, kind: Kind, site: Path, more_code: str
) -> None:
    code_file = site / "src/extensions/books.py"
    code_file.parent.mkdir()
    code_file.write_text(UNCHANGED + more_code, encoding="utf-8")

    code, _, messages = run("import", PLAIN, site)

    assert code == 0, messages
    assert responses(site, token_of(run, site), RESPONSES) == expected(kind)
    assert run("check", site).code == 0


def test_what_a_hook_refuses_is_imported_without_hooks_and_that_is_logged(
    run: Run, kind: Kind, site: Path
) -> None:
    code_file = site / "src/extensions/books.py"
    code_file.parent.mkdir()
    code_file.write_text(HOOK, encoding="utf-8")
    before = everything_in(site)

    code, _, messages = run("import", PLAIN, site)
    assert code == 2
    assert "AssertionError: no more books" in messages
    assert "raised by number_books (src/extensions/books.py:5)" in messages
    after = {name: data for name, data in everything_in(site).items() if "__pycache__" not in name}
    assert after == before

    code, _, messages = run("import", PLAIN, site, "--without-hooks")
    assert code == 0, messages
    with opened(kind, site) as database:
        rows = database.execute('SELECT action, details, actor_id FROM "quire_audit"')
    ((action, details, actor_id),) = rows
    assert (action, actor_id) == ("import --without-hooks", None)
    assert json.loads(details)["entries"] > 0


def test_code_that_does_not_wait_for_writes_is_no_obstacle(run: Run, site: Path) -> None:
    code_file = site / "src/extensions/books.py"
    code_file.parent.mkdir()
    code_file.write_text(
        "from quire import route\n\n\n@route.get('/x', action='api::book.book.x')\n"
        "async def x() -> str:\n    return 'x'\n",
        encoding="utf-8",
    )
    code, _, messages = run("import", PLAIN, site)
    assert code == 0, messages
