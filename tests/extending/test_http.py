"""``quire.http``: requests of the project's code, rejected within a transaction."""

import json
from collections.abc import AsyncIterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from structlog.testing import capture_logs

import quire
from quire import ByteRange, Document, Shape
from tests.databases.kind import Kind
from tests.extending.project import open_extended, write_code
from tests.unit.admin_api.office import office_project, run_office

CODE = """
@before_write(PAPER, on=["create"])
async def look_up(write):
    answer = await http.get("https://prices.example/of", params={"title": write.data["title"]})
    write.set(price=answer.json()["price"])

@route.post("/send", public=True)
async def send(inside: bool) -> dict[str, int]:
    if inside:
        async with transaction():
            return (await http.post("https://prices.example/of", json={"a": 1})).json()
    return (await http.post("https://prices.example/of", json={"a": 1})).json()
"""


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[httpx.Request]:
    """The sent requests; the response to each is a price."""
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={"price": 3})

    monkeypatch.setattr(quire.http, "transport", httpx.MockTransport(respond))
    return requests


async def test_a_request_within_a_transaction_is_an_error_in_development(
    tmp_path: Path, kind: Kind, sent: list[httpx.Request]
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project, settings={"environment": "development"}) as office:
            made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
            inside = await office.ask("POST", "/api/send?inside=true")
            outside = await office.ask("POST", "/api/send?inside=false")
    assert (made.status, inside.status, outside.json) == (500, 500, {"price": 3})
    assert [request.method for request in sent] == ["POST"]


async def test_in_production_the_log_names_the_line_once(
    tmp_path: Path, kind: Kind, sent: list[httpx.Request]
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        with capture_logs() as logs:
            for title in ("A", "B"):
                made = await office.ask("POST", "/api/papers", {"data": {"title": title}})
                assert (made.status, made.data["price"]) == (201, 3)
    assert [str(request.url) for request in sent] == [
        "https://prices.example/of?title=A",
        "https://prices.example/of?title=B",
    ]
    warned = [one for one in logs if one["event"] == "a request is sent within a transaction"]
    assert [one["code"] for one in warned] == ["look_up"]
    assert ".py:" in warned[0]["place"]


async def test_shapes_documents_and_structs_are_sent_as_json(sent: list[httpx.Request]) -> None:
    class Title(Shape[Document]):
        title: str

    class Price(msgspec.Struct):
        day: date
        amount: Decimal

    document = Document(title="B", writer=Document(name="Ada"))
    price = Price(day=date(2026, 1, 2), amount=Decimal("12.50"))
    body = {"put": [Title(title="A"), document], "price": price, "text": "é"}
    await quire.http.post("https://search.example", json=body, headers={"X-Key": "1"})
    await quire.http.post("https://search.example", json=[], headers={"content-type": "a/b"})
    assert [request.headers["Content-Type"] for request in sent] == ["application/json", "a/b"]
    assert json.loads(sent[0].content) == {
        "put": [{"title": "A"}, {"title": "B", "writer": {"name": "Ada"}}],
        "price": {"day": "2026-01-02", "amount": "12.50"},
        "text": "é",
    }
    with pytest.raises(TypeError, match="object"):
        await quire.http.post("https://search.example", json=object())


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (httpx.Response(503, text="busy"), httpx.HTTPStatusError),
        (httpx.Response(404), httpx.HTTPStatusError),
        (httpx.Response(200, content=b"x" * 20_000_001), ValueError),
    ],
)
async def test_an_invalid_response_is_raised(
    monkeypatch: pytest.MonkeyPatch, response: httpx.Response, error: type[Exception]
) -> None:
    transport = httpx.MockTransport(lambda _: response)
    monkeypatch.setattr(quire.http, "transport", transport)
    with pytest.raises(error):
        await quire.http.get("https://example.com")


async def test_redirects_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    headers: Any = {"location": "https://elsewhere.example"}
    transport = httpx.MockTransport(lambda _: httpx.Response(302, headers=headers))
    monkeypatch.setattr(quire.http, "transport", transport)
    assert (await quire.http.get("https://example.com")).status_code == 302


TEXT = b"Fix for two minutes."


def _serve(monkeypatch: pytest.MonkeyPatch, *, parts: bool) -> list[httpx.Request]:
    """Respond with a text, or with the part of it that is requested."""
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if not parts or "range" not in request.headers:
            return httpx.Response(200, content=TEXT)
        start, end = map(int, request.headers["range"].removeprefix("bytes=").split("-"))
        return httpx.Response(206, content=TEXT[start : end + 1])

    monkeypatch.setattr(quire.http, "transport", httpx.MockTransport(respond))
    return requests


async def _streamed(**options: Any) -> bytes:  # noqa: ANN401 - those of stream
    return b"".join([piece async for piece in quire.http.stream("https://a.example/b", **options)])


@pytest.mark.parametrize("parts", [True, False], ids=["parts", "whole"])
async def test_a_body_or_a_part_of_it_is_streamed(
    monkeypatch: pytest.MonkeyPatch, *, parts: bool
) -> None:
    requests = _serve(monkeypatch, parts=parts)
    assert await _streamed(params={"c": 1}, headers={"x-key": "d"}) == TEXT
    assert await _streamed(part=ByteRange(start=4, end=6)) == b"for"
    whole, part = requests
    assert (whole.url.query, whole.headers["x-key"]) == (b"c=1", "d")
    assert part.headers["range"] == "bytes=4-6"
    assert part.headers["accept-encoding"] == "identity"


async def test_a_body_is_sent_in_pieces(sent: list[httpx.Request]) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"Fix for "
        yield b"two minutes."

    await quire.http.put("https://a.example/b", content=pieces())
    (request,) = sent
    assert await request.aread() == TEXT
    assert request.headers["transfer-encoding"] == "chunked"


async def test_a_stream_has_the_limits_of_other_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    _serve(monkeypatch, parts=False)
    with pytest.raises(ValueError, match="more than 10 bytes"):
        await _streamed(max_bytes=10)
    assert await _streamed(max_bytes=None) == TEXT
    large = httpx.MockTransport(lambda _: httpx.Response(200, content=b"x" * 20_000_001))
    monkeypatch.setattr(quire.http, "transport", large)
    with pytest.raises(ValueError, match="more than 20000000 bytes"):
        await _streamed()
    failing = httpx.MockTransport(lambda _: httpx.Response(503, text="busy"))
    monkeypatch.setattr(quire.http, "transport", failing)
    with pytest.raises(httpx.HTTPStatusError):
        await _streamed()


async def test_nothing_is_streamed_within_a_transaction_in_development(
    tmp_path: Path, kind: Kind, sent: list[httpx.Request]
) -> None:
    code = """
@before_write(PAPER, on=["create"])
async def look_up(write):
    async for piece in http.stream("https://prices.example/of"):
        pass
"""
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        async with run_office(project, settings={"environment": "development"}) as office:
            made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
    assert made.status == 500
    assert sent == []
