"""Responses are limited, also when entries are repeated."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from select import select
from typing import Any

import pytest
from msgspec.structs import replace

from quire.database.program import LONG_COMPUTATION
from quire.query.resolve.scope import ReadLimits
from tests.conformance.client import ClientResponse
from tests.databases.kind import Kind
from tests.hazards.newsroom import JsonObject
from tests.hazards.visitors import FULL, Visitor, error, rows, serving
from tests.hazards.writing import Editor, shown
from tests.unit.admin_api.office import Office, open_office
from tests.unit.admin_api.test_content_manager import PAPERS, paper
from tests.unit.cli.processes import serving as served_by_process
from tests.unit.kiosk import PAPER

ARTICLES = 40
"""All are of one category, so that every second level repeats all of them so often."""
LARGE = 12_000_000
ENOUGH, ATTEMPTS = 10, 20
VERSION_4 = {"Strapi-Response-Format": "v4"}


@pytest.fixture(scope="module")
async def circle(editor: Editor) -> Editor:
    """A category with many articles, some of which are related to all others."""
    category = await editor.made("categories", name="Circle")
    operations: list[JsonObject] = [
        {
            "action": "create",
            "type": "articles",
            "data": {
                "title": f"Round-{number}",
                "body": "\u00e9\n" * number,
                "category": category,
                "seo": {"metaTitle": "Again"},
                "sections": [
                    {"__component": "shared.quote", "text": "Once more"},
                    {"__component": "shared.panel", "quotes": [{"text": "a"}, {"text": "b"}]},
                ],
            },
        }
        for number in range(ARTICLES)
    ]
    made: Any = shown(await editor.batch(*operations))
    ids = [one["documentId"] for one in made]
    for document_id in ids[:3]:
        await editor.update(f"articles/{document_id}", {"related": ids})
    return editor


@pytest.fixture(scope="module")
async def unlimited(circle: Editor) -> AsyncIterator[Visitor]:
    """Reads every response again."""
    async with serving(
        circle.settings.project, cache__responses=0, limits__response_size=10**9
    ) as ask:
        yield ask


@contextmanager
def limited(ask: Visitor, size: int) -> Iterator[None]:
    """Let responses have no more than so many bytes for a while."""
    reader = ask.application.reader
    assert reader is not None
    planner, before = reader.planner, reader.limits

    def adopt(limits: ReadLimits) -> None:
        planner.limits = limits
        planner.adopt_default_locale(planner.default_locale)  # what is prepared has its limits

    adopt(replace(before, response_size=size))
    yield
    adopt(before)


def steps(count: int) -> str:
    """Lead from articles to their category and back to its articles, so many steps."""
    return ".".join((["category", "articles"] * count)[:count])


async def test_h120_entries_count_as_often_as_they_are_shown(circle: Editor) -> None:
    """Each second level has all articles of the category once for each article above it."""
    project = circle.settings.project
    async with serving(project, limits__rows=150_000, limits__response_size=10**9) as ask:
        watched = ask.watch()
        response = await ask(f"articles?pagination[pageSize]=100&populate={steps(19)}")
        ask.unwatch(watched)
    assert (response.status, error(response)) == (
        400,
        {
            "status": 400,
            "name": "ValidationError",
            "message": f"Populating {steps(6)} makes the response contain more than 150000 "
            "entries (limits.rows); populate less, or ask for a smaller page",
            "details": {"source": "query", "param": "populate", "path": steps(6)},
        },
    )
    # What lies below is not read any more.
    statements = [one for one in watched.statements if one is not LONG_COMPUTATION]
    assert len(statements) <= 2 + 6


async def test_h120_a_short_request_cannot_ask_for_gigabytes(circle: Editor) -> None:
    """With the settings of a new project, nineteen levels end where 20 MB would be passed."""
    response = await circle.ask(f"articles?pagination[pageSize]=100&populate={steps(19)}")
    assert response.status == 400
    assert "limits.response_size" in error(response)["message"]
    assert error(response)["details"]["path"] == steps(4)


EXACT = [
    "articles?pagination[pageSize]=100",
    "articles?pagination[pageSize]=100&fields=title",
    "articles?pagination[pageSize]=100&sort=title&populate=*",
    f"articles?pagination[pageSize]=100&populate={steps(1)}",
    f"articles?pagination[pageSize]=100&populate={steps(2)}",
    f"articles?pagination[pageSize]=20&populate={steps(3)}",
    f"articles?pagination[pageSize]=3&populate={steps(4)}",
    "articles?pagination[pageSize]=100&populate[category][populate][articles][populate]=*",
    "articles?pagination[pageSize]=100&populate[sections][populate]=*",
    "articles?populate[related][populate][category][populate][articles][populate]=sections",
    "articles?populate[category][populate][articles][count]=true",
    f"categories?populate={steps(4).removeprefix('category.')}",
    "masthead?populate=*",
    "upload/files?populate[related][populate]=*",
    "upload/files/page?populate=related",
    "users?populate=role",
]


@pytest.mark.parametrize("version", [None, VERSION_4])
@pytest.mark.parametrize("target", EXACT)
async def test_h120_the_limit_is_of_the_bytes_of_the_response(
    unlimited: Visitor, target: str, version: dict[str, str] | None
) -> None:
    """What is as large as the limit is answered, and what is a byte larger is not."""
    whole = await unlimited(target, FULL, version)
    assert whole.status == 200, whole.content
    size = len(whole.content)
    with limited(unlimited, size):
        again = await unlimited(target, FULL, version)
        assert (again.status, again.content) == (200, whole.content)
    for limit in (size - 1, size // 2, 1):
        with limited(unlimited, limit):
            response = await unlimited(target, FULL, version)
        assert response.status == 400, (size, limit)
        assert f"larger than {limit} bytes (limits.response_size)" in error(response)["message"]


@pytest.mark.parametrize(
    ("query", "path", "param"),
    [
        ("filters[title][$startsWith]=Round", None, "pagination"),
        ("filters[title]=Round-1&populate=category,related", "related", "populate"),
        (f"filters[title]=Round-1&populate={steps(2)}", "category", "populate"),
        (f"filters[title][$startsWith]=Round&populate={steps(2)}", steps(2), "populate"),
    ],
)
async def test_h120_the_part_that_is_too_large_is_named(
    circle: Editor, query: str, path: str | None, param: str
) -> None:
    """Of few entries it is the part of the root that is largest; of many, how far it goes."""
    async with serving(circle.settings.project, limits__response_size=5000) as ask:
        response = await ask(f"articles?{query}")
    details = error(response)["details"]
    assert (response.status, details.get("path"), details["param"]) == (400, path, param)


async def test_h120_one_document_is_bounded_too(circle: Editor) -> None:
    document_id = await circle.document_id("articles", "title", "Round-1")
    target = f"articles/{document_id}?populate={steps(6)}"
    response = await circle.ask(target)
    assert (response.status, error(response)["details"]["path"]) == (400, steps(6))
    assert (await circle.ask(f"articles/{document_id}?populate={steps(2)}")).status == 200


async def test_h120_what_a_write_shows_is_bounded_and_nothing_is_written(circle: Editor) -> None:
    """The transaction ends with the response that cannot be given."""
    before = circle.contents()
    too_much = f"populate={steps(6)}"
    made = await circle.create(f"articles?{too_much}", {"title": "Big", "category": 3})
    document_id = await circle.document_id("articles", "title", "Round-1")
    changed = await circle.update(f"articles/{document_id}?{too_much}", {"title": "Big"})
    for response in (made, changed):
        assert (response.status, error(response)["details"]["path"]) == (400, steps(6))
    assert circle.contents() == before


async def test_h121_a_batch_is_one_response(circle: Editor) -> None:
    """Operations that are allowed one by one are counted together."""
    document_id = await circle.document_id("articles", "title", "Round-1")
    operation = {
        "action": "update",
        "type": "articles",
        "documentId": document_id,
        "data": {"rank": 7},
        "populate": steps(2),
    }
    size = len((await circle.batch(operation)).content)
    before = circle.contents()
    async with serving(circle.settings.project, limits__response_size=3 * size) as ask:
        limited = Editor(ask, circle.settings)
        refused = await limited.batch(*([operation] * 4))
        assert circle.contents() == before
        allowed = await limited.batch(operation, operation)
    assert (allowed.status, refused.status) == (200, 400)
    assert "limits.response_size" in error(refused)["message"]


async def test_h121_the_operation_that_is_too_much_is_named(tmp_path: Path, kind: Kind) -> None:
    settings = {"limits.response_size": 3_200}
    async with open_office(tmp_path, settings=settings, kind=kind) as office:
        operations: list[JsonObject] = [
            {
                "action": "update",
                "type": "papers",
                "documentId": await paper(office, title=title),
                "data": {"lines": [{"text": "x" * 250}] * 4},
                "status": "draft",
                "populate": "lines",
            }
            for title in "ABC"
        ]
        allowed = await office.ask("POST", "/api/_batch", {"operations": operations[:2]})
        refused = await office.ask("POST", "/api/_batch", {"operations": operations})

    assert (allowed.status, refused.status) == (200, 400)
    assert refused.json["error"]["details"]["operation"] == 2


async def test_h120_a_large_body_is_checked_and_linked_off_the_event_loop(
    circle: Editor,
) -> None:
    """The transaction announces it, so that a driver that runs it in the event loop can move it."""
    for data, announced in (
        ({"title": "Few", "related": [1, 2, 3]}, 0),
        ({"title": "Linked", "related": [1] * 2000}, 2),
        ({"title": "Deep", "extra": [[1] * 500, {"a": [1] * 500}]}, 1),
    ):
        watched = circle.watch()
        made = await circle.create("articles?status=draft", data)
        circle.unwatch(watched)
        assert made.status == 201
        assert watched.statements.count(LONG_COMPUTATION) == announced


def or_filters(count: int) -> str:
    return "&".join(f"filters[$or][{i}][category][articles][title]=x{i}" for i in range(count))


async def test_h120_no_more_large_queries_wait_to_be_compiled_than_may(
    ask: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.document_service.read_planner._MAX_COMPILATIONS", 1)
    fields = ("title", "code", "rank", "day")
    queries = [
        f"articles?{or_filters(count)}&fields={name}" for count in (40, 41) for name in fields
    ]
    responses = await asyncio.gather(*map(ask, queries))
    refused = [response for response in responses if response.status != 200]
    assert 0 < len(refused) < len(responses)
    for response in refused:
        assert (response.status, response.headers["retry-after"]) == (503, "1")
        assert error(response)["message"] == "Too many large queries are waiting"


@pytest.mark.parametrize(
    ("query", "param"),
    [
        (or_filters(51), "filters"),
        ("filters[category]" + "[parent]" * 9 + "[name]=x&" + or_filters(46), "filters"),
        (or_filters(50) + "&sort=category.name", "sort"),
        ("sort=" + ",".join(f"category{'.parent' * i}.name" for i in range(14)), "sort"),
        (or_filters(50) + "&populate[category][filters][parent][name]=x", "populate"),
        (or_filters(51).replace("filters", "populate[related][filters]"), "populate"),
    ],
)
async def test_h120_relations_of_filters_and_orders_are_bounded(
    ask: Visitor, query: str, param: str
) -> None:
    """Each of them is a subquery, so all of one request are counted."""
    watched = ask.watch()
    try:
        response = await ask(f"articles?{query}")
    finally:
        ask.unwatch(watched)
    assert (response.status, error(response)) == (
        400,
        {
            "status": 400,
            "name": "ValidationError",
            "message": "Cannot filter and sort through more than 100 relations "
            "(limits.followed_relations)",
            "details": {"source": "query", "param": param},
        },
    )
    assert watched.statements == []


async def test_h120_relations_up_to_the_limit_are_followed(ask: Visitor) -> None:
    assert rows(await ask(f"articles?{or_filters(50)}")) == []
    repeated = ",".join(["category.name"] * 500)
    assert len(rows(await ask(f"articles?sort={repeated}"))) > 1


async def test_h120_the_event_loop_goes_on_while_a_large_query_is_compiled(ask: Visitor) -> None:
    """What has many parts is compiled on another thread; small ones are answered meanwhile."""
    large = asyncio.ensure_future(ask(f"articles?{or_filters(49)}&filters[title]=other"))
    answered = 0
    while not large.done():
        response = await ask(f"categories?filters[name]={answered}")
        assert response.status == 200
        answered += not large.done()
        await asyncio.sleep(0)
    assert large.result().status == 200
    assert answered > 1


def test_h120_a_server_answers_others_while_it_builds_the_largest_response(
    circle: Editor,
) -> None:
    """`quire start` goes on to answer health checks and small reads meanwhile.

    How many depends on what else the machine does, so there are several attempts.
    """
    with (
        served_by_process("start", circle.settings.project) as (address, _),
        closing(http_connection(address)) as others,
        closing(http_connection(address)) as large,
    ):
        answered = [answered_meanwhile(large, others)]
        while answered[-1] < ENOUGH and len(answered) < ATTEMPTS:
            answered.append(answered_meanwhile(large, others))
    assert answered[-1] >= ENOUGH, answered


def answered_meanwhile(large: HTTPConnection, others: HTTPConnection) -> int:
    """How many small requests are answered before the large response begins."""
    large.request("GET", f"/api/articles?pagination[pageSize]=30&populate={steps(4)}")
    answered = 0
    while True:
        target, status = (
            ("/_health", 204) if answered % 2 else (f"/api/categories?_q=x{answered}", 200)
        )
        others.request("GET", target)
        small = others.getresponse()
        small.read()
        assert small.status == status
        if select([large.sock], [], [], 0)[0]:
            break
        answered += 1
    response = large.getresponse()
    assert (response.status, len(response.read()) > LARGE) == (200, True)
    return answered


def http_connection(address: str) -> HTTPConnection:
    return HTTPConnection(address.removeprefix("http://"), timeout=60)


@pytest.fixture
async def small_office(kind: Kind, tmp_path: Path) -> AsyncIterator[Office]:
    settings = {"limits.response_size": 20_000, "limits.followed_relations": 3}
    async with open_office(tmp_path, kind=kind, settings=settings) as opened:
        yield opened


async def test_h120_what_administrators_read_is_bounded(small_office: Office) -> None:
    """Lists, forms and exports say what is too large, as the content API does."""
    office = small_office
    lines = [{"text": "x" * 200}] * 25
    ids = [await paper(office, title=f"Paper {number}", lines=lines) for number in range(4)]

    async def asked(method: str, target: str, body: object = None) -> tuple[int, str]:
        response: ClientResponse = await office.send(method, target, body, token=office.boss)
        payload = json.loads(response.content)
        return response.status, payload["error"]["message"] if "error" in payload else ""

    too_large = "makes the response larger than 20000 bytes (limits.response_size)"
    export = f"/admin/x/export/{PAPER}"
    assert (await asked("GET", f"{PAPERS}?pageSize=2"))[0] == 200
    assert (await asked("GET", f"{PAPERS}/{ids[0]}"))[0] == 200
    assert (await asked("POST", f"{export}?pageSize=2", {}))[0] == 200
    for method, target in (("GET", f"{PAPERS}?pageSize=4"), ("POST", export)):
        status, message = await asked(method, target, {} if method == "POST" else None)
        assert (status, too_large in message) == (400, True), message
        assert message.startswith("Populating lines ")
    await office.ask("PUT", f"{PAPERS}/{ids[0]}", {"lines": lines * 4}, token=office.boss)
    status, message = await asked("GET", f"{PAPERS}/{ids[0]}")
    assert (status, too_large in message) == (400, True), message
    many = "&".join(f"filters[$or][{i}][writer][name]=x" for i in range(4))
    assert await asked("GET", f"{PAPERS}?{many}") == (
        400,
        "Cannot filter and sort through more than 3 relations (limits.followed_relations)",
    )
