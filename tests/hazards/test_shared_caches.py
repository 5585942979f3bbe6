"""Shared caches never store a response for one caller that another could receive."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quire.app import Application, build_app
from quire.database.program import Program, Statement
from quire.errors import ConfigurationError
from quire.settings import Settings, load_settings
from quire.webhooks.cache_purge import open_purge
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.databases.kind import Kind
from tests.unit.kiosk import PAPER, WRITER, make_kiosk

PUBLIC = "public, max-age=0, s-maxage=600, stale-while-revalidate=60"
PRIVATE = "private, no-store"
SETTINGS = f"""
[cdn]
tag_header = "Surrogate-Key"
[cdn.cache_control]
"*" = "{PUBLIC}"
"api::masthead.masthead" = "public, s-maxage=5"
"""


class Site:
    """A kiosk behind a cache."""

    def __init__(self, app: Application, client: AsgiClient) -> None:
        self.app = app
        self._client = client

    async def ask(self, target: str, method: str = "GET", **headers: str) -> ClientResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self._client.request(method, f"/api/{target}", sent, b"")

    async def write(self, method: str, target: str, data: Mapping[str, object]) -> dict[str, Any]:
        body = json.dumps({"data": data}).encode()
        headers = {"Content-Type": "application/json"}
        response = await self._client.request(method, f"/api/{target}", headers, body)
        assert response.status in (200, 201), response.content
        document: dict[str, Any] = json.loads(response.content)["data"]
        return document


def header(response: ClientResponse, name: str) -> str | None:
    return response.headers.get(name.lower())


@asynccontextmanager
async def served(kind: Kind, folder: Path, settings: str = SETTINGS) -> AsyncIterator[Site]:
    kind.settle(folder)
    (folder / "quire.toml").write_text(settings, encoding="utf-8")
    await make_kiosk(folder)
    app = build_app(load_settings(folder, environ={}))
    async with running(app) as client:
        yield Site(app, client)


async def test_reads_of_anybody_are_public_with_the_tags_of_what_they_show(
    kind: Kind, tmp_path: Path
) -> None:
    async with served(kind, tmp_path) as site:
        one = await site.write("POST", "papers", {"title": "one"})
        tagged = {
            "papers": PAPER,
            "papers?status=published": PAPER,
            f"papers/{one['documentId']}": f"{PAPER}:{one['documentId']}",
            f"papers/{one['documentId']}?populate=writer": f"{PAPER}:{one['documentId']} {WRITER}",
            "papers?populate=writer": f"{PAPER} {WRITER}",
            "papers?populate=*": f"{PAPER} {WRITER}",
            "papers?populate[lines][populate]=*": f"{PAPER} {WRITER}",
            "papers?sort=writer.name:asc": f"{PAPER} {WRITER}",
            "papers?filters[writer][name]=x": f"{PAPER} {WRITER}",
            "papers?filters[$or][0][writer][name]=x": f"{PAPER} {WRITER}",
            "writers?populate=papers": f"{WRITER} {PAPER}",
        }
        for target, tags in tagged.items():
            for _ in range(2):  # read, then remembered
                response = await site.ask(target)
                assert header(response, "Cache-Control") == PUBLIC, target
                assert header(response, "Surrogate-Key") == tags, target


async def test_a_list_that_is_known_says_the_same(kind: Kind, tmp_path: Path) -> None:
    async with served(kind, tmp_path) as site:
        tag = header(await site.ask("papers"), "ETag")
        assert tag is not None
        response = await site.ask("papers", If_None_Match=tag)

    assert response.status == 304
    assert header(response, "Cache-Control") == PUBLIC
    assert header(response, "Surrogate-Key") == PAPER


@pytest.mark.parametrize(
    ("target", "method", "headers"),
    [
        ("papers", "GET", {"Authorization": "Bearer anything"}),
        ("papers", "GET", {"Authorization": "Basic anything"}),
        ("papers", "GET", {"Authorization": ""}),
        ("papers", "GET", {"Cookie": "session=1"}),
        ("papers?status=draft", "GET", {}),
        ("papers?status[]=draft", "GET", {}),
        ("papers?status=published&status=draft", "GET", {}),
        ("papers?publicationState=preview", "GET", {}),
        ("papers?publicationFilter=modified", "GET", {}),
        ("papers?publicationFilter=never-published", "GET", {}),
        ("papers?populate=createdBy", "GET", {}),
        ("papers?sort=updatedBy.id", "GET", {}),
        ("papers/nothing", "GET", {}),
        ("papers?filters[nothing]=1", "GET", {}),
        ("papers?pagination[page]=x", "GET", {}),
        ("masthead", "GET", {}),
        ("papers", "POST", {"Content-Type": "application/json"}),
        ("users/me", "GET", {}),
        ("upload/files", "GET", {}),
        ("i18n/locales", "GET", {}),
        ("auth/local", "POST", {}),
    ],
)
async def test_nothing_else_is_public(
    tmp_path: Path, target: str, method: str, headers: Mapping[str, str], kind: Kind
) -> None:
    async with served(kind, tmp_path) as site:
        await site.write("POST", "papers", {"title": "one"})
        for _ in range(2):
            response = await site.ask("papers")  # the public response is remembered meanwhile
            assert header(response, "Cache-Control") == PUBLIC
            response = await site.ask(target, method, **dict(headers))
            assert header(response, "Cache-Control") == PRIVATE
            assert header(response, "Surrogate-Key") is None


async def test_drafts_stay_private_after_the_published_version_was_read(
    kind: Kind, tmp_path: Path
) -> None:
    async with served(kind, tmp_path) as site:
        one = await site.write("POST", "papers", {"title": "one"})
        target = f"papers/{one['documentId']}"
        assert header(await site.ask(f"{target}?status=draft"), "Cache-Control") == PRIVATE
        assert header(await site.ask(target), "Cache-Control") == PUBLIC
        assert header(await site.ask(f"{target}?status=draft"), "Cache-Control") == PRIVATE


async def test_a_type_may_have_a_value_of_its_own(kind: Kind, tmp_path: Path) -> None:
    text = SETTINGS.replace('"api::masthead.masthead"', f'"{WRITER}"')
    async with served(kind, tmp_path, text) as site:
        assert header(await site.ask("writers"), "Cache-Control") == "public, s-maxage=5"
        assert header(await site.ask("papers"), "Cache-Control") == PUBLIC


async def test_without_settings_nothing_is_said(kind: Kind, tmp_path: Path) -> None:
    async with served(kind, tmp_path, "") as site:
        for headers in ({}, {"Authorization": "Basic x"}):
            response = await site.ask("papers", **headers)
            assert header(response, "Cache-Control") is None
            assert header(response, "Surrogate-Key") is None


async def test_types_that_are_not_named_are_private(kind: Kind, tmp_path: Path) -> None:
    text = f'[cdn.cache_control]\n"{WRITER}" = "{PUBLIC}"\n'
    async with served(kind, tmp_path, text) as site:
        assert header(await site.ask("papers"), "Cache-Control") == PRIVATE
        response = await site.ask("writers")
        assert header(response, "Cache-Control") == PUBLIC
        assert header(response, "Surrogate-Key") is None


class Cache:
    """A server on loopback that takes purges."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, str], bytes]] = []
        self.statuses = [204]
        self.notified = asyncio.Event()

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await reader.readexactly(int(headers["content-length"]))
        self.heard.append((head[0], headers, body))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        writer.write(f"HTTP/1.1 {status} X\r\n\r\n".encode())
        await writer.drain()
        writer.close()
        self.notified.set()


@asynccontextmanager
async def purging(kind: Kind, folder: Path, settings: str) -> AsyncIterator[tuple[Site, Cache]]:
    cache = Cache()
    server = await asyncio.start_server(cache.hear, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        text = settings.replace("PORT", str(port))
        async with served(kind, folder, text) as site:
            yield site, cache


GENERIC = '[cdn]\npurge = "generic"\npurge_url = "http://127.0.0.1:PORT/purge"\n'


async def test_a_change_purges_its_type_and_its_document(kind: Kind, tmp_path: Path) -> None:
    async with purging(kind, tmp_path, GENERIC) as (site, cache):
        one = await site.write("POST", "papers", {"title": "one"})
        async with asyncio.timeout(60):
            await cache.notified.wait()

    line, headers, body = cache.heard[0]
    assert line == "POST /purge HTTP/1.1"
    assert headers["content-type"] == "application/json"
    assert json.loads(body) == {"tags": [PAPER, f"{PAPER}:{one['documentId']}"]}


async def test_a_change_of_a_draft_purges_nothing(kind: Kind, tmp_path: Path) -> None:
    async with purging(kind, tmp_path, GENERIC) as (site, cache):
        await site.write("POST", "papers?status=draft", {"title": "hidden"})
        one = await site.write("POST", "writers", {"name": "seen"})
        async with asyncio.timeout(60):
            await cache.notified.wait()

    assert {tag for _, _, body in cache.heard for tag in json.loads(body)["tags"]} == {
        WRITER,
        f"{WRITER}:{one['documentId']}",
    }


async def test_a_purge_that_fails_is_tried_again(kind: Kind, tmp_path: Path) -> None:
    async with purging(kind, tmp_path, GENERIC) as (site, cache):
        cache.statuses = [503, 204]
        await site.write("POST", "writers", {"name": "one"})
        async with asyncio.timeout(60):
            await cache.notified.wait()
        services = site.app.services
        assert services is not None
        await services.webhooks.worker.stop()
        cache.notified.clear()

        def make_due() -> Program[None]:
            yield Statement("UPDATE quire_deliveries SET due = 0 WHERE state = 'waiting'")

        await services.database.write(make_due())
        services.webhooks.worker.start()
        services.webhooks.worker.wake()
        async with asyncio.timeout(60):
            await cache.notified.wait()

    assert len(cache.heard) == 2
    assert cache.heard[0][2] == cache.heard[1][2]


@pytest.mark.parametrize(
    ("text", "request_line", "headers", "body"),
    [
        (
            'purge = "varnish"\npurge_url = "http://127.0.0.1/all"\n',
            "PURGE http://127.0.0.1/all",
            {"xkey-purge": "a a:1", "Authorization": "Bearer made up"},
            None,
        ),
        (
            'purge = "fastly"\npurge_zone = "x/y"\n',
            "POST https://api.fastly.com/service/x%2Fy/purge",
            {"Fastly-Key": "made up", "fastly-soft-purge": "1"},
            {"surrogate_keys": ["a", "a:1"]},
        ),
        (
            'purge = "cloudflare"\npurge_zone = "xy"\n',
            "POST https://api.cloudflare.com/client/v4/zones/xy/purge_cache",
            {"Authorization": "Bearer made up"},
            {"tags": ["a", "a:1"]},
        ),
    ],
)
def test_each_cache_is_reported_in_its_own_way(
    tmp_path: Path, text: str, request_line: str, headers: Mapping[str, str], body: object
) -> None:
    (tmp_path / "quire.toml").write_text(f"[cdn]\n{text}", encoding="utf-8")
    purge = open_purge(load_settings(tmp_path, environ={"CDN_PURGE_TOKEN": "made up"}).cdn)

    assert purge is not None
    call = purge(["a", "a:1"])
    assert f"{call.method} {call.url}" == request_line
    assert {name: call.headers.get(name) for name in headers} == headers
    assert (json.loads(call.body) if call.body else None) == body


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('purge = "generic"', "cdn.purge_url"),
        ('purge = "fastly"', "cdn.purge_zone and cdn.purge_token"),
    ],
)
def test_a_purge_that_cannot_be_made_is_an_error(tmp_path: Path, text: str, missing: str) -> None:
    (tmp_path / "quire.toml").write_text(f"[cdn]\n{text}\n", encoding="utf-8")
    settings: Settings = load_settings(tmp_path, environ={})

    with pytest.raises(ConfigurationError, match=missing):
        open_purge(settings.cdn)


def test_a_value_with_a_line_break_is_refused(tmp_path: Path) -> None:
    text = '[cdn.cache_control]\n"*" = "public\\r\\nset-cookie: a=b"\n'
    (tmp_path / "quire.toml").write_text(text, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=r"cdn\.cache_control"):
        load_settings(tmp_path, environ={})


async def test_what_code_of_the_project_decides_on_is_private(kind: Kind, tmp_path: Path) -> None:
    code = tmp_path / "src" / "api" / "paper" / "limits.py"
    code.parent.mkdir(parents=True)
    code.write_text(
        "from quire import computed, now, policy, rule\n"
        f"@policy({PAPER!r}, on=['find_one'])\n"
        "def open_hours(context):\n    return None\n"
        f"@rule({PAPER!r}, on=['find'])\n"
        "def always(who):\n    return now() is not None\n"
        f"@computed({WRITER!r}, needs=['name'], default=False)\n"
        "def size(writer) -> int:\n    return len(writer.name)\n",
        encoding="utf-8",
    )
    async with served(kind, tmp_path) as site:
        paper = await site.write("POST", "papers", {"title": "one"})
        await site.write("POST", "writers", {"name": "Ada"})
        shared = await site.ask("writers")
        assert header(shared, "Cache-Control") == PUBLIC
        for target in (
            "papers",
            f"papers/{paper['documentId']}",
            "writers?populate=papers",
            "writers?filters[papers][title]=one",
            "writers?fields=size",
        ):
            for _ in range(2):
                response = await site.ask(target)
                assert response.status == 200
                assert header(response, "Cache-Control") == PRIVATE, target


@pytest.mark.parametrize("private", ["true", "false"])
async def test_responses_with_links_to_private_files_are_private(
    own_recorded: Path, private: str
) -> None:
    text = f"{SETTINGS}\n[uploads]\nprivate = {private}\n"
    (own_recorded / "quire.toml").write_text(text, encoding="utf-8")
    async with running(build_app(load_settings(own_recorded, environ={}))) as client:
        for target, shows_files in (
            ("articles?populate=cover", True),
            ("articles?populate[cover][fields]=url&pagination[pageSize]=2", True),
            ("articles?fields=title", False),
        ):
            for _ in range(2):
                response = await client.request("GET", f"/api/{target}", {}, b"")
                assert response.status == 200
                expected = PRIVATE if private == "true" and shows_files else PUBLIC
                assert header(response, "Cache-Control") == expected, target
