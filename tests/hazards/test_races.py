"""Concurrent writes: unique values stay unique, and no write is incomplete."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from quire.settings import Settings
from tests.conformance.client import ClientResponse
from tests.hazards.newsroom import API_TOKENS, JsonObject
from tests.hazards.visitors import error, serving
from tests.hazards.writing import JSON_HEADERS, Editor, serve_editor, shown
from tests.shared_applications import SharedApplications
from tests.unit.cli.processes import serving as serving_processes

CLIENTS = 50


@pytest.fixture
async def own_editor(
    newsroom: Settings, shared_editors: SharedApplications[Editor]
) -> AsyncIterator[Editor]:
    """Nobody is sent away for having waited too long, however slow the machine is."""
    serve = partial(
        serve_editor, database__pool_timeout_ms=600_000, database__busy_timeout_ms=600_000
    )
    async with shared_editors.lend(newsroom.project, serve, "patient") as editor:
        yield editor


def unique_errors(responses: list[ClientResponse]) -> Counter[str]:
    return Counter(error(response)["message"] for response in responses if response.status == 400)


async def test_h129_one_of_many_gets_a_unique_value(own_editor: Editor) -> None:
    """Of 50 documents with the same unique value that are made at once, one is made."""
    responses = await asyncio.gather(
        *(
            own_editor.create("articles", {"title": f"Client {n}", "code": "ONLY-1"})
            for n in range(CLIENTS)
        )
    )
    assert Counter(response.status for response in responses) == {201: 1, 400: CLIENTS - 1}
    assert unique_errors(responses) == {"This attribute must be unique": CLIENTS - 1}
    rows = own_editor.sql("SELECT published_at IS NULL FROM articles WHERE code = 'ONLY-1'")
    assert sorted(rows) == [(0,), (1,)]
    own_editor.assert_sound()


async def test_h129_one_of_many_batches_gets_a_unique_value(own_editor: Editor) -> None:
    """So it is with batches: what else is in the others is not written either."""

    def operations(client: int) -> list[JsonObject]:
        return [
            {"action": "create", "type": "categories", "data": {"name": f"Of {client}"}},
            {"action": "create", "type": "articles", "data": {"code": "ONLY-1"}},
        ]

    responses = await asyncio.gather(*(own_editor.batch(*operations(n)) for n in range(CLIENTS)))
    assert Counter(response.status for response in responses) == {200: 1, 400: CLIENTS - 1}
    assert len(own_editor.sql("SELECT id FROM categories WHERE name LIKE 'Of %'")) == 1


async def test_h129_a_batch_is_held_against_itself(own_editor: Editor) -> None:
    """A value is taken as soon as an earlier operation has taken it."""
    operation = {"action": "create", "type": "articles", "data": {"code": "ONLY-1"}}
    response = await own_editor.batch(operation, operation)
    assert (response.status, error(response)["message"]) == (400, "This attribute must be unique")
    assert own_editor.sql("SELECT id FROM articles WHERE code = 'ONLY-1'") == []


async def test_h129_one_of_many_drafts_with_a_value_is_published(own_editor: Editor) -> None:
    """Drafts may have the same value; when they are published at once, one of them is."""
    drafts = [
        await own_editor.made("articles?status=draft", code="ONLY-1") for _ in range(CLIENTS // 2)
    ]
    responses = await asyncio.gather(*(own_editor.update(f"articles/{d}", {}) for d in drafts))
    assert Counter(response.status for response in responses) == {200: 1, 400: len(drafts) - 1}
    published = "SELECT id FROM articles WHERE code = 'ONLY-1' AND published_at IS NOT NULL"
    assert len(own_editor.sql(published)) == 1


async def test_h129_a_value_is_unique_within_its_locale(own_editor: Editor) -> None:
    """Each locale has its own values, as in the reference."""
    responses = await asyncio.gather(
        *(
            own_editor.create(f"articles?locale={locale}", {"code": "ONLY-1"})
            for locale in ("en", "de")
            for _ in range(CLIENTS // 2)
        )
    )
    assert Counter(response.status for response in responses) == {201: 2, 400: CLIENTS - 2}
    found = "SELECT locale FROM articles WHERE code = 'ONLY-1' AND published_at IS NOT NULL"
    rows = own_editor.sql(found)
    assert sorted(rows) == [("de",), ("en",)]


def posted(address: str, data: JsonObject) -> int:
    """Create an article over a connection of one's own; returns the status."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=60)
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {API_TOKENS['full']}"}
    connection.request("POST", "/api/articles", json.dumps({"data": data}), headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


async def test_h129_processes_do_not_get_the_same_value(own_newsroom: Settings) -> None:
    """Several processes that serve one database are no way around it."""
    with (
        serving_processes("start", own_newsroom.project, "--workers", "2") as (address, _),
        ThreadPoolExecutor(CLIENTS) as clients,
    ):
        data: list[JsonObject] = [{"title": f"{n}", "code": "ONLY-1"} for n in range(CLIENTS)]
        statuses = Counter(clients.map(posted, [address] * CLIENTS, data))
    assert statuses == {201: 1, 400: CLIENTS - 1}
    async with serving(own_newsroom.project) as visitor:
        editor = Editor(visitor, own_newsroom)
        rows = editor.sql("SELECT published_at IS NULL FROM articles WHERE code = 'ONLY-1'")
        assert sorted(rows) == [(0,), (1,)]


@pytest.mark.parametrize("query", ["", "?status=draft"])
async def test_h130_many_write_one_document(own_editor: Editor, query: str) -> None:
    """50 clients change and publish a document: each locale has one draft and one published row."""
    document_id = await own_editor.made("articles", title="Fought over")
    counted = own_editor.contents()

    async def client(number: int) -> list[ClientResponse]:
        locale = ("en", "de")[number % 2]
        data: JsonObject = {
            "title": f"Version {number}",
            "code": f"V-{number}",
            "category": number % 2 + 1,
            "seo": {"metaTitle": f"{number}"},
            "sections": [
                {"__component": "shared.panel", "quotes": [{"text": f"{number}"}] * (number % 3)}
            ],
        }
        published = {"action": "publish", "type": "articles", "documentId": document_id}
        return [
            await own_editor.update(f"articles/{document_id}?locale={locale}&status=draft", data),
            await own_editor.batch({**published, "locale": locale}),
            await own_editor.update(f"articles/{document_id}{query or '?'}&locale={locale}", data),
        ]

    responses = await asyncio.gather(*map(client, range(CLIENTS)))
    assert Counter(response.status for three in responses for response in three) == {
        200: 3 * CLIENTS
    }
    rows = own_editor.sql(
        "SELECT locale, published_at IS NULL, count(*) FROM articles WHERE document_id = ? "
        "GROUP BY 1, 2 ORDER BY 1, 2",
        document_id,
    )
    assert rows == [("de", 0, 1), ("de", 1, 1), ("en", 0, 1), ("en", 1, 1)]
    own_editor.assert_sound()
    seos = "SELECT count(*) FROM components_shared_seos"
    assert own_editor.sql(seos) == [(len(counted["components_shared_seos"]) + len(rows),)]
    entry = await own_editor.entry(f"articles/{document_id}?populate=*")
    number = int(entry["title"].removeprefix("Version "))
    # The code is not localized: it is that of the last writer of any locale.
    assert (entry["seo"]["metaTitle"], entry["category"]["id"]) == (str(number), number % 2 + 1)
    assert [section["__component"] for section in entry["sections"]] == ["shared.panel"]


async def test_h130_writers_and_deleters_leave_no_remains(own_editor: Editor) -> None:
    """A document that is deleted while others change it is there whole, or not at all."""
    related = await own_editor.made("articles", title="Related")
    before = own_editor.contents()
    document_id = await own_editor.made("articles", title="Deleted", related=[related])

    async def client(number: int) -> ClientResponse:
        if number % 5 == 4:
            return await own_editor.delete(f"articles/{document_id}")
        seo = {"metaTitle": f"{number}"}
        return await own_editor.update(
            f"articles/{document_id}", {"seo": seo, "related": [related], "cover": 1}
        )

    responses = await asyncio.gather(*map(client, range(CLIENTS)))
    assert {response.status for response in responses} <= {200, 204, 404}
    own_editor.assert_sound()
    await own_editor.delete(f"articles/{document_id}")
    assert own_editor.contents() == before


async def test_h130_a_single_type_is_made_once(own_editor: Editor) -> None:
    """Many who fill a single type that is empty fill the same one."""
    assert (await own_editor.delete("masthead")).status == 204
    responses = await asyncio.gather(
        *(own_editor.update("masthead", {"motto": f"{n}"}) for n in range(CLIENTS))
    )
    assert len({shown(response)["documentId"] for response in responses}) == 1
    assert len(own_editor.sql("SELECT id FROM mastheads")) == 1
    own_editor.assert_sound()


async def test_h131_the_last_write_wins(own_editor: Editor) -> None:
    """Of two editors who began with the same version, the second is not told of the first."""
    document_id = await own_editor.made("articles", title="Base", body="Base")
    shown(await own_editor.update(f"articles/{document_id}", {"title": "First", "body": "First"}))
    entry = shown(await own_editor.update(f"articles/{document_id}", {"title": "Second"}))
    assert (entry["title"], entry["body"]) == ("Second", "First")


def tag(entry: JsonObject) -> str:
    """The tag of an entry, made of what a client was shown of it."""
    return f'"{entry["updatedAt"]}"'


@pytest.mark.parametrize("query", ["", "?status=draft"])
async def test_h131_a_write_for_another_version_is_refused(own_editor: Editor, query: str) -> None:
    """With ``If-Match`` the second of two editors gets 412, and nothing of it is written."""
    base = shown(await own_editor.create("articles?status=draft", {"title": "Base"}), status=201)
    target = f"articles/{base['documentId']}{query}"
    match = {"If-Match": tag(base)}
    shown(await own_editor.send("PUT", target, {"data": {"title": "First"}}, headers=match))
    document = target.removesuffix(query)
    for response in (
        await own_editor.send("PUT", target, {"data": {"title": "Second"}}, headers=match),
        await own_editor.send("DELETE", document, headers=match),
    ):
        assert (response.status, error(response)["name"]) == (412, "PreconditionFailedError")
    titles = {title for (title,) in own_editor.sql(
        "SELECT title FROM articles WHERE document_id = ?", base["documentId"])}  # fmt: skip
    assert titles == {"First"}


async def test_h131_one_of_many_who_expect_the_same_version_writes(own_editor: Editor) -> None:
    """50 editors with one base: one of them writes, whatever the order."""
    base = shown(await own_editor.create("articles", {"title": "Base"}), status=201)
    target, match = f"articles/{base['documentId']}", {"If-Match": tag(base)}
    responses = await asyncio.gather(
        *(
            own_editor.send("PUT", target, {"data": {"title": f"{n}"}}, headers=match)
            for n in range(CLIENTS)
        )
    )
    assert Counter(response.status for response in responses) == {200: 1, 412: CLIENTS - 1}


@pytest.mark.parametrize("sent", ["", '"', '""', '"nope"', '"*"', "W/", ",", '"0"'])
async def test_h131_a_tag_of_no_version_matches_none(own_editor: Editor, sent: str) -> None:
    """A tag that cannot be is no leave to write."""
    document_id = await own_editor.made("articles", title="Tagged")
    write: JsonObject = {"data": {"title": "x"}}
    target = f"articles/{document_id}"
    response = await own_editor.send("PUT", target, write, headers={"If-Match": sent})
    assert response.status == 412
    assert (await own_editor.entry(target))["title"] == "Tagged"


async def test_h131_a_star_matches_any_version(own_editor: Editor) -> None:
    """It only asks that there is something to change."""
    document_id = await own_editor.made("articles", title="Tagged")
    write: JsonObject = {"data": {"title": "x"}}
    statuses = [
        (await own_editor.send("PUT", f"articles/{id_}", write, headers={"If-Match": "*"})).status
        for id_ in (document_id, "none")
    ]
    assert statuses == [200, 404]
