"""The code in the pages on extending loads with the example blog, and works as described."""

import ast
import asyncio
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import quire
import quire.testing
from quire.app import build_app
from quire.cli import run
from quire.extension_loading import load_extensions
from quire.hooks.registry import Extensions
from quire.mail.message import Mail
from quire.schema.load import load_schema
from quire.settings import load_settings
from quire.testing.project import RecordingSender
from tests.conformance.client import running
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.docs.pages import DOCS, ROOT, fences
from tests.extending.pytest_runs import run_pytest
from tests.unit.schema.trees import write_tree

PAGES = sorted((DOCS / "extending").glob("*.md"))
WITHOUT_CODE = (
    DOCS / "extending" / "testing.md",
    DOCS / "extending" / "packages.md",
    DOCS / "extending" / "reference.md",
    DOCS / "extending" / "scripts.md",
)
"""Pages without code of a project."""
BLOG = ROOT / "examples" / "blog"
TITLES = """
async def test_titles_are_sent_as_the_user_who_asks_for_them(project):
    actions = [f"api::article.article.{name}" for name in ("find", "request_titles")]
    ann = await project.user("ann", actions=actions)
    path = "/api/articles/send-titles?address=ann@example.org"
    assert (await project.post(path)).status_code == 403
    asked = await ann.post(path)
    assert asked.status_code == 200, asked.text
    await project.drain()
    assert [mail.to for mail in project.mails] == [("ann@example.org",)]
"""
"""A test of the job with ``as_principal``."""
OLD_DRAFTS = """
TEXT = [{"type": "paragraph", "children": [{"type": "text", "text": "Low water"}]}]

async def test_old_drafts_are_deleted_and_published_articles_are_not(project):
    token = await project.token()
    for title, status in (("Published", "published"), ("Old", "draft")):
        data = {"title": title, "summary": "Both", "body": TEXT, "slug": title}
        made = await token.post(f"/api/articles?status={status}", json={"data": data})
        assert made.status_code == 201, made.text
    project.clock.advance(days=400)
    data["title"] = "New"
    await token.post("/api/articles?status=draft", json={"data": data})
    await project.until("04:00")
    for status, left in (("draft", ["New", "Published"]), ("published", ["Published"])):
        listed = await token.get(f"/api/articles?sort=title&fields=title&status={status}")
        assert [one["title"] for one in listed.json()["data"]] == left
"""
"""A test of the schedule that deletes drafts."""
NOT_IN_CODE = {
    "Documents": "what documents() returns",
    "HttpClient": "the class of http",
    "Job": "what @job returns",
    "MailClient": "the class of mail",
    "MailError": "lets a job be repeated",
    "NotLoadedError": "reports a mistake of the code",
    "ProjectClock": "the class of project.clock",
    "UnitOfWorkError": "reports a mistake of the code",
}
"""Public names that projects need not write, and why."""


def load_page(page: Path, folder: Path) -> Extensions:
    """Write the files of a page, add its settings to those of the project, and load them."""
    shutil.copytree(BLOG / "src", folder / "src", dirs_exist_ok=True)
    for fence in fences(page):
        if fence.info == "json" and "singularName" in fence.text:
            singular = json.loads(fence.text)["info"]["singularName"]
            place = f"src/api/{singular}/content-types/{singular}/schema.json"
            write_tree(folder, {place: fence.text})
        name = fence.text.partition("\n")[0].lstrip("#/ ")
        file = folder / name
        if fence.info in {"python", "js"}:
            assert name.startswith(("src/", "tests/", "scripts/")), name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence.text, encoding="utf-8")
        elif name in {"quire.toml", ".env", ".env.test"}:
            present = file.read_text(encoding="utf-8") if file.exists() else ""
            file.write_text(f"{present}\n{fence.text}\n", encoding="utf-8")
    return load_extensions(folder, load_schema(folder))


@pytest.mark.parametrize("page", sorted({*PAGES} - {*WITHOUT_CODE}), ids=lambda page: page.stem)
def test_the_code_of_a_page_loads(page: Path, tmp_path: Path) -> None:
    found = load_page(page, tmp_path)
    kinds = ("hooks", "listeners", "routes", "jobs", "schedules", "rules", "operators", "computed")
    others = ("around", "attribute_types", "strategies", "storage_backends")
    assert any(getattr(found, one) for one in (*kinds, *others))


def test_the_code_of_the_first_page_loads(tmp_path: Path) -> None:
    texts = [fence.text for fence in fences(DOCS / "getting-started.md")]
    schema = next(text for text in texts if "singularName" in text)
    code = next(text for text in texts if text.startswith("# src/api/note/note.py"))
    write_tree(tmp_path, {"src/api/note/content-types/note/schema.json": schema})
    write_tree(tmp_path, {"src/api/note/note.py": code})
    (hook,) = load_extensions(tmp_path, load_schema(tmp_path)).hooks
    assert hook.name == "untitled"


def make_blog(folder: Path, pages: Sequence[Path]) -> Path:
    """Make the example blog, with the code of pages."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert run(["new", str(folder), "--template", "blog"]) == 0
    for page in pages:
        load_page(page, folder)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert run(["migrate", str(folder), "--apply"]) == 0
    return folder


def create_token(project: Path) -> str:
    """Create a full-access token of a project."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(io.StringIO()):
        assert run(["token", "create", str(project), "--name", "t", "--type", "full-access"]) == 0
    return printed.getvalue().strip()


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example blog with the code of all pages."""
    return make_blog(tmp_path_factory.mktemp("extending") / "blog", PAGES)


@pytest.fixture(scope="module")
def token(blog: Path) -> str:
    return create_token(blog)


@pytest.fixture
def readme_blog(tmp_path: Path) -> tuple[Path, str]:
    """The example blog with the code of the README, and a token."""
    folder = make_blog(tmp_path / "blog", [ROOT / "README.md"])
    return folder, create_token(folder)


async def test_the_code_does_what_the_pages_say(blog: Path, token: str) -> None:
    async with running(build_app(load_settings(blog, environ={}))) as client:

        async def ask(method: str, target: str, data: object = None) -> Any:  # noqa: ANN401 - JSON
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
            body = b"" if data is None else json.dumps({"data": data}).encode()
            return (await client.request(method, f"/api/{target}", headers, body)).json

        async def post(target: str, body: object) -> Any:  # noqa: ANN401 - JSON
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
            sent = json.dumps(body).encode()
            return (await client.request("POST", f"/api/{target}", headers, sent)).json

        text = [{"type": "paragraph", "children": [{"type": "text", "text": "Low water"}]}]
        article = {"title": "Sea & Sun", "summary": "Both", "body": text}
        made = await ask("POST", "articles?status=draft", article)
        refused = await ask("POST", "articles", {**article, "slug": "again"})
        path = f"articles/{made['data']['documentId']}"
        shouted = await ask("PUT", f"{path}?status=draft", {"title": "SEA"})
        deleted = await ask("DELETE", path)
        category = (await ask("GET", "categories?filters[articles][id][$notNull]=true"))["data"][0]
        used = await ask("DELETE", f"categories/{category['documentId']}")
        latest = await ask("GET", "articles/latest?limit=1")
        cards = await ask("GET", "articles/cards?limit=1")
        welcome = await post("subscriptions", {"name": "Ada", "slug": "ada"})
        again = await post("subscriptions", {"name": "Ada", "slug": "ada"})
        nameless = await post("subscriptions", {"name": "", "slug": "nameless"})
        other = (await ask("GET", "categories?sort=id:desc"))["data"][0]
        tag = (await ask("POST", "tags", {"label": "Old", "slug": "old"}))["data"]["documentId"]
        renaming = f"tags/{tag}/rename?label=New&former="
        renamed = [await post(f"{renaming}{former}", {}) for former in ("old", "old")]
        unknown = await post("tags/nothing/rename?label=New&former=old", {})
        for_tokens = await post("articles/send-titles?address=eve@example.org", {})
        merged = await post(
            f"categories/{category['documentId']}/merge-into/{other['documentId']}", {}
        )
        gone = await ask("GET", f"categories/{category['documentId']}")
        tag = (await ask("POST", "tags", {"label": "Once", "slug": "once"}))["data"]["documentId"]
        await ask("PUT", f"{path}?status=draft", {"title": "Sea", "tags": [tag]})
        await ask("PUT", f"{path}?status=draft", {"tags": []})
        async with asyncio.timeout(60):
            while (await ask("GET", f"tags/{tag}"))["data"]:  # noqa: ASYNC110 - a job deletes it
                await asyncio.sleep(0.02)

    assert made["data"]["slug"] == "sea-sun"
    assert refused["error"]["details"]["errors"][0]["path"] == ["cover"]
    assert shouted["error"]["message"] == "Please do not shout"
    assert deleted["error"]["message"] == "Articles are deleted in the admin UI"
    assert used["error"]["message"].endswith("articles in this category")
    assert latest["meta"] == {"pagination": {"page": 1, "pageSize": 1}}
    assert latest["data"][0].keys() == {"id", "documentId", "title", "publishedOn"}
    assert cards["data"][0].keys() == {"documentId", "title", "author"}
    assert welcome == {"welcome": "Ada"}
    assert again["error"]["details"]["errors"][0]["path"] == ["slug"]
    assert nameless["error"]["status"] == 400
    assert renamed[1]["error"]["message"] == "The tag is called new now"
    assert [one["error"]["status"] for one in (renamed[1], unknown, for_tokens)] == [412, 404, 403]
    assert merged["moved"] > 0
    assert gone["error"]["status"] == 404


async def test_the_code_of_the_readme_does_what_it_says(readme_blog: tuple[Path, str]) -> None:
    folder, token = readme_blog
    async with running(build_app(load_settings(folder, environ={}))) as client:

        async def ask(
            method: str, target: str, data: object = None, *, anonymous: bool = False
        ) -> Any:  # noqa: ANN401 - JSON
            headers = {"Content-Type": "application/json"}
            headers |= {} if anonymous else {"Authorization": f"Bearer {token}"}
            body = b"" if data is None else json.dumps({"data": data}).encode()
            return (await client.request(method, f"/api/{target}", headers, body)).json

        text = [{"type": "paragraph", "children": [{"type": "text", "text": "Low water"}]}]
        article = {"title": "Sea", "summary": "Both", "body": text, "publishedOn": "2999-01-01"}
        refused = await ask("POST", "articles", article)
        await ask("POST", "articles?status=draft", article)
        newest_draft = "articles?status=draft&sort=publishedOn:desc"
        for_token = await ask("GET", newest_draft)
        for_visitors = await ask("GET", newest_draft, anonymous=True)
        latest = await ask("GET", "articles/latest?limit=1", anonymous=True)

    assert refused["error"]["details"]["errors"][0]["path"] == ["cover"]
    assert for_token["data"][0]["publishedOn"] == "2999-01-01"
    assert for_visitors["data"][0]["publishedOn"] < "2999"
    assert latest["meta"] == {"pagination": {"page": 1, "pageSize": 1}}


async def test_settings_and_operators_do_what_their_pages_say(blog: Path, token: str) -> None:
    async with running(build_app(load_settings(blog, environ={}))) as client:

        async def ask(target: str) -> Any:  # noqa: ANN401 - JSON
            headers = {"Authorization": f"Bearer {token}"}
            return (await client.request("GET", f"/api/{target}", headers)).json

        shared = await ask("articles/share-link/abc")
        first = (await ask("articles?sort=publishedOn&fields=publishedOn"))["data"][0]
        month = int(first["publishedOn"].split("-")[1])
        same = await ask(f"articles?filters[publishedOn][$in_month]={month}")
        other = await ask("articles?filters[publishedOn][$in_month]=13")

    assert shared["link"].startswith("https://blog.example.org/abc?signature=")
    assert same["data"]
    assert all(int(one["publishedOn"].split("-")[1]) == month for one in same["data"])
    assert other["data"] == []


@pytest.mark.whatever_the_database("tests/extending/test_testing.py runs on both")
def test_the_tests_of_the_pages_pass(blog: Path) -> None:
    (blog / "tests" / "test_titles.py").write_text(TITLES, encoding="utf-8")
    assert run_pytest(blog) == {"passed": 5}


@pytest.mark.whatever_the_database("tests/extending/test_documents.py reads them on both")
def test_schedules_do_what_the_page_says(tmp_path: Path) -> None:
    blog = make_blog(tmp_path / "blog", [DOCS / "extending" / "schedules.md"])
    write_tree(blog, {"tests/test_old_drafts.py": OLD_DRAFTS})
    assert run_pytest(blog) == {"passed": 1}


async def test_prepare_does_what_the_page_says(
    blog: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corrected = httpx.MockTransport(lambda _: httpx.Response(200, json={"text": "Corrected"}))
    monkeypatch.setattr(quire.http, "transport", corrected)
    async with running(build_app(load_settings(blog, environ={}))) as client:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        data = {"name": "Tides", "slug": "proofreading", "description": "Corected"}
        body = json.dumps({"data": data}).encode()
        made: Any = (await client.request("POST", "/api/categories", headers, body)).json
    assert made["data"] is not None, made
    assert made["data"]["description"] == "Corrected"


async def test_mails_and_plain_functions_do_what_the_pages_say(
    blog: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mails: list[Mail] = []
    monkeypatch.setattr(quire.mail, "sender", RecordingSender(mails))
    async with running(build_app(load_settings(blog, environ={}))) as client:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        data = {"name": "Eve", "slug": "eve-mail", "email": "eve@example.org"}
        body = json.dumps({"data": data}).encode()
        made = await client.request("POST", "/api/authors", headers, body)
        assert made.status == 201, made.content
        async with asyncio.timeout(60):
            while not mails:  # noqa: ASYNC110 - a job sends it
                await asyncio.sleep(0.02)
        listed: Any = (await client.request("GET", "/api/articles/as-csv", {}, b"")).json
    assert [(one.to, one.text) for one in mails] == [(("eve@example.org",), "Hello Eve!")]
    assert len(listed["csv"].splitlines()) > 1


async def test_the_storage_backend_does_what_the_page_says(blog: Path, token: str) -> None:
    async with running(build_app(load_settings(blog, environ={}))) as client:
        headers = {"Content-Type": FORM_TYPE, "Authorization": f"Bearer {token}"}
        note = form([FilePart("note.txt", b"Low water", "text/plain")], ())
        sent: Any = (await client.request("POST", "/api/upload", headers, note)).json
        read = await client.request("GET", sent[0]["url"], {}, b"")
        backend = sys.modules["src.extensions.database_files"].DatabaseFiles()
        stored = [(one.key, one.size) async for one in backend.list()]
    assert sent[0]["provider"] == "database-files"
    assert read.content == b"Low water"
    assert stored == [(sent[0]["url"].rpartition("/")[2], len(b"Low water"))]
    assert (blog / "files.db").exists()


async def test_rules_do_what_the_page_says(blog: Path, token: str) -> None:
    async with running(build_app(load_settings(blog, environ={}))) as client:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        text = [{"type": "paragraph", "children": [{"type": "text", "text": "Low water"}]}]
        data = {"title": "Later", "summary": "Soon", "body": text, "cover": 1}
        later = json.dumps({"data": {**data, "publishedOn": "2200-01-01"}}).encode()
        made = await client.request("POST", "/api/articles", headers, later)
        every: Any = (
            await client.request("GET", "/api/articles?sort=id&pagination[limit]=100", headers, b"")
        ).json
        shown: Any = (
            await client.request("GET", "/api/articles?sort=id&pagination[limit]=100", {}, b"")
        ).json
    assert made.status == 201
    titles = [one["title"] for one in every["data"]]
    assert "Later" in titles
    titles.remove("Later")
    assert [one["title"] for one in shown["data"]] == titles


OWN_NOTES = """
ACTIONS = [f"api::note.note.{name}" for name in ("find", "findOne", "create", "update", "delete")]

async def test_users_see_and_change_their_own_notes(project):
    ACTIONS.append("plugin::users-permissions.user.find")
    ann, bob = [await project.user(name, actions=ACTIONS) for name in ("ann", "bob")]
    token = await project.token()
    assert ann.id == token.id
    await project.grant("public", ACTIONS)
    made = [await client.post("/api/notes", json={"data": {"text": text}})
            for text, client in (("A", ann), ("B", bob), ("T", token))]
    assert [one.status_code for one in made] == [201] * 3, [one.text for one in made]
    note = f"/api/notes/{made[0].json()['data']['documentId']}"
    for client, texts in ((ann, "A"), (bob, "B"), (token, "ABT"), (project.visitor, "")):
        listed = (await client.get("/api/notes?sort=text")).json()["data"]
        assert [one["text"] for one in listed] == [*texts]
    for method in ("get", "delete"):
        assert (await getattr(bob, method)(note)).status_code == 404
    given = await ann.put(note, json={"data": {"owner": bob.id}})
    assert given.status_code == 403
    changed = await ann.put(note, json={"data": {"text": "A2"}})
    assert changed.status_code == 200, changed.text
    assert (await project.visitor.post("/api/notes", json={"data": {}})).status_code == 403
    assert (await ann.delete(note)).status_code == 204
"""
"""A test of the rule about owners."""


@pytest.mark.whatever_the_database("tests/extending/test_rules_by_principal.py runs on both")
def test_owners_do_what_the_page_says(tmp_path: Path) -> None:
    blog = make_blog(tmp_path / "blog", [DOCS / "extending" / "rules.md"])
    write_tree(blog, {"tests/test_notes.py": OWN_NOTES})
    assert run_pytest(blog) == {"passed": 1}


async def test_functions_around_actions_do_what_the_page_says(blog: Path, token: str) -> None:
    async with running(build_app(load_settings(blog, environ={}))) as client:

        async def ask(method: str, target: str, data: object = None, *, known: bool = True) -> Any:  # noqa: ANN401 - JSON
            headers = {"Content-Type": "application/json"}
            if known:
                headers["Authorization"] = f"Bearer {token}"
            body = b"" if data is None else json.dumps({"data": data}).encode()
            return (await client.request(method, f"/api/{target}", headers, body)).json

        made = await ask("POST", "authors", {"name": " Idle ", "slug": "idle-one"})
        nameless = await ask("POST", "authors", {"name": "  ", "slug": "nameless-two"})
        by_name = "authors?filters[name]=Idle"
        listed = await ask("GET", by_name)
        hidden = await ask("GET", by_name, known=False)
        writing = await ask("GET", "authors", known=False)
        await ask("POST", "tags", {"label": "LOUD", "slug": "loud"})
        loud = await ask("GET", "tags?filters[slug]=loud")
        slugs = await ask("GET", "tags?filters[slug]=loud&fields=slug")

    assert made["data"]["name"] == "Idle"
    assert nameless["error"]["details"]["errors"][0]["path"] == ["name"]
    assert [one["name"] for one in listed["data"]] == ["Idle"]
    assert (hidden["data"], hidden["meta"]["pagination"]["total"]) == ([], 0)
    assert writing["data"]
    assert loud["data"][0]["label"] == "loud"
    assert slugs["data"][0]["slug"] == "loud"


async def test_computed_fields_are_what_the_page_says(blog: Path, token: str) -> None:
    async with running(build_app(load_settings(blog, environ={}))) as client:
        headers = {"Authorization": f"Bearer {token}"}
        query = "fields=title,summaryWords&pagination[pageSize]=1"
        listed: Any = (await client.request("GET", f"/api/articles?{query}", headers, b"")).json
        lengths: Any = (await client.request("GET", "/api/articles/lengths", {}, b"")).json
        counted: Any = (
            await client.request("GET", "/api/authors?fields=articleCount", headers, b"")
        ).json
    assert lengths["data"][0].keys() == {"title", "summaryWords"}
    assert lengths["data"][0]["summaryWords"] > 1
    assert listed["data"][0].keys() == {"id", "documentId", "title", "summaryWords"}
    assert listed["data"][0]["summaryWords"] > 1
    assert sum(one["articleCount"] for one in counted["data"]) > 1


def test_every_public_name_is_in_code_of_the_pages() -> None:
    """The code is what the other tests run."""
    names = {*quire.__all__, *quire.testing.__all__}
    code = {name for page in PAGES for name in _names_in_code(page)}
    assert names - code == NOT_IN_CODE.keys()


def test_every_public_name_is_mentioned_on_a_page_with_code() -> None:
    pages = [page for page in PAGES if any(_names_in_code(page))]
    words = set(re.findall(r"\w+", "".join(page.read_text(encoding="utf-8") for page in pages)))
    assert {*quire.__all__, *quire.testing.__all__} <= words


def _names_in_code(page: Path) -> Iterator[str]:
    for fence in fences(page):
        if fence.info == "python":
            for node in ast.walk(ast.parse(fence.text)):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("quire"):
                    yield from (alias.name for alias in node.names)


@pytest.fixture
def fresh_blog(tmp_path: Path) -> Path:
    """The example blog alone."""
    folder = tmp_path / "blog"
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert run(["new", str(folder), "--template", "blog"]) == 0
    return folder


async def test_the_script_does_what_its_page_says(fresh_blog: Path) -> None:
    folder = fresh_blog
    (fence,) = (one for one in fences(DOCS / "extending" / "scripts.md") if one.info == "python")
    script = folder / "scripts" / "retire_articles.py"
    script.parent.mkdir()
    script.write_text(fence.text, encoding="utf-8")

    async def published() -> set[str]:
        async with quire.unit_of_work(folder):
            with quire.as_system("look"):
                found = await quire.documents("api::article.article").find(page_size=100)
        return {article.title for article in found if article.publishedOn < "2025"}

    titles = await published()
    command = partial(subprocess.run, [sys.executable, script], cwd=folder, check=True)
    done = await asyncio.to_thread(command, capture_output=True, text=True)
    assert titles
    assert titles <= {*done.stdout.splitlines()}
    assert await published() == set()
