"""The fast path for reads returns the same response as uvicorn's protocol."""

import asyncio
import itertools
import json
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httptools
import pytest
import uvicorn
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    Decision,
    ParentBased,
    Sampler,
    SamplingResult,
)
from opentelemetry.trace import Link, SpanKind
from opentelemetry.trace.span import TraceState
from opentelemetry.util.types import Attributes
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quire.app import Application
from quire.content_api.fast_path import FastPathProtocol
from quire.content_api.http_messages import Response
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.interface import WouldBlockError
from quire.settings import load_settings
from quire.tracing.otel import RequestIdGenerator, Tracing
from tests.conformance.client import running
from tests.conformance.corpus import credentials
from tests.databases.kinds import rows_of

API_TOKENS = credentials().api_tokens
LIST = b"GET /api/articles?populate=*&sort=id HTTP/1.1\r\nHost: x\r\n\r\n"
HOME = b"GET /api/homepage HTTP/1.1\r\nHost: x\r\nOrigin: https://example.com\r\n\r\n"
HEALTH = b"GET /_health HTTP/1.1\r\nHost: x\r\n\r\n"
FILE = b"GET /uploads/notes_d2c9b549e5.txt HTTP/1.1\r\nHost: x\r\n\r\n"
WITH_BODY = b"GET /api/homepage HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"GET /api/homepage HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\n0\r\n\r\n"
)
POST = b"POST /api/articles HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
SIGN_IN_BODY = b'{"identifier":"alice","password":"AlicePass123!"}'
SIGN_IN = (
    b"POST /api/auth/local HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(SIGN_IN_BODY), SIGN_IN_BODY)
)
HEAD = b"HEAD /api/homepage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
LISTED = b"GET /api/articles HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n"
BAD_QUERY = b"GET /api/articles?sort=nope HTTP/1.1\r\nHost: x\r\n\r\n"
FORBIDDEN = b"GET /api/setting HTTP/1.1\r\nHost: x\r\n\r\n"
UNKNOWN = b"GET /nope HTTP/1.1\r\nHost: x\r\n\r\n"
BAD_TOKEN = b"GET /api/articles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n"
OLD = b"GET /api/homepage HTTP/1.0\r\nHost: x\r\n\r\n"
CLOSING = b"GET /api/homepage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

made_to_wait = pytest.mark.whatever_the_database(
    "reads that need not wait are made to; PostgreSQL has to be waited for, always"
)

REQUESTS = {
    "a list": [LIST],
    "a list that the client has": [LISTED],
    "another origin": [HOME],
    "no content": [HEALTH],
    "a file": [FILE],
    "a body that is not read": [WITH_BODY],
    "a chunked body that is not read": [CHUNKED],
    "a post": [POST],
    "a bad query": [BAD_QUERY],
    "no permission": [FORBIDDEN],
    "an unknown path": [UNKNOWN],
    "a bad token": [BAD_TOKEN],
    "an old client": [OLD],
    "a client that leaves": [CLOSING],
    "several in a row": [HOME, HEALTH, LIST, HOME],
    "reads around a file": [HOME, FILE, HOME],
    "reads around a post": [HOME, POST, HOME, HEALTH],
    "reads behind a slow sign-in": [SIGN_IN, HOME, HEALTH],
}


VARYING = rb"(date|x-request-id): [^\r]*"
"""Lines of headers that differ between any two answers."""


class Reply:
    """Parses answers as they arrive."""

    def __init__(self) -> None:
        self.responses: list[tuple[int, dict[bytes, bytes], bytes]] = []
        self._headers: dict[bytes, bytes] = {}
        self._body = b""
        self._parser = httptools.HttpResponseParser(self)

    def feed(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._headers, self._body = {}, b""

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        self.responses.append((self._parser.get_status_code(), self._headers, self._body))


class RequestCounts:
    """Which requests were parsed, how many were left to uvicorn, and the bytes that waited."""

    def __init__(self) -> None:
        self.parsed: list[bytes] = []
        self.delegated = 0
        self.buffered = 0


_counts = RequestCounts()


class CountingProtocol(FastPathProtocol):
    """Counts requests that are parsed and left to uvicorn, and bytes that wait for a client."""

    def on_url(self, url: bytes) -> None:
        _counts.parsed.append(url)
        super().on_url(url)

    def _send(self, response: Response, common: bytes) -> None:
        super()._send(response, common)
        self._note_buffer()

    def on_response_complete(self) -> None:
        _counts.delegated += 1
        self._note_buffer()
        super().on_response_complete()

    def _note_buffer(self) -> None:
        _counts.buffered = max(_counts.buffered, self.transport.get_write_buffer_size())


@pytest.fixture
def request_counts() -> RequestCounts:
    """The counts of the requests of one test."""
    _counts.parsed.clear()
    _counts.delegated = _counts.buffered = 0
    return _counts


READING: Mapping[str, object] = MappingProxyType({"cache.responses": 0})
"""Settings with which each request reads, whatever was answered before."""


@asynccontextmanager
async def served(
    project: Path,
    protocol: type[HttpToolsProtocol],
    *,
    keep_alive: int = 5,
    overrides: Mapping[str, object] = MappingProxyType({}),
    tracing: Tracing | None = None,
) -> AsyncIterator[int]:
    """Serve a project on a free port with a protocol class; no read is too slow for its loop."""
    overrides = {"database.slow_query_ms": 60_000, **overrides}
    settings = load_settings(project, environ={}, overrides=overrides)
    app = Application(settings, tracing=tracing)
    config = uvicorn.Config(
        app,
        port=0,
        http=protocol,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        timeout_keep_alive=keep_alive,
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await task


async def talk(port: int, pieces: Sequence[bytes], responses: int, *, pause: float = 0) -> Reply:
    """Send pieces over one connection and gather so many responses."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reply = Reply()
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)
    async with asyncio.timeout(20):
        while len(reply.responses) < responses:
            data = await reader.read(65536)
            if not data:
                break
            reply.feed(data)
    writer.close()
    return reply


@pytest.fixture(scope="module")
async def ports(shared_recorded: Path) -> AsyncIterator[tuple[int, int]]:
    async with (
        served(shared_recorded, CountingProtocol) as short,
        served(shared_recorded, HttpToolsProtocol) as long,
    ):
        yield short, long


@pytest.fixture(scope="module")
async def reading_port(shared_recorded: Path) -> AsyncIterator[int]:
    async with served(shared_recorded, CountingProtocol, overrides=READING) as port:
        yield port


def comparable(reply: Reply) -> list[tuple[int, dict[bytes, bytes], bytes]]:
    """Leave out what differs between any two responses: date, id of the request, signed tokens."""
    return [
        (
            status,
            {k: v for k, v in headers.items() if k not in {b"date", b"x-request-id"}},
            re.sub(rb'"jwt":"[^"]*"', b"", body),
        )
        for status, headers, body in reply.responses
    ]


@pytest.mark.parametrize("requests", REQUESTS.values(), ids=REQUESTS.keys())
async def test_both_protocols_answer_alike(
    ports: tuple[int, int], requests: Sequence[bytes]
) -> None:
    short, ordinary = [await talk(port, requests, len(requests)) for port in ports]
    assert len(short.responses) == len(requests)
    assert comparable(short) == comparable(ordinary)


async def test_plain_reads_and_no_others_take_the_short_way(
    ports: tuple[int, int], request_counts: RequestCounts
) -> None:
    for request in (HOME, LIST, HEALTH, BAD_QUERY, FORBIDDEN, BAD_TOKEN):
        await talk(ports[0], [request], 1)
        assert request_counts.delegated == 0
    for count, request in enumerate((FILE, POST, WITH_BODY, CHUNKED, OLD, CLOSING), start=1):
        await talk(ports[0], [request], 1)
        assert request_counts.delegated == count


@pytest.mark.parametrize("requests", REQUESTS.values(), ids=REQUESTS.keys())
async def test_pipelined_requests_are_answered_in_their_order(
    ports: tuple[int, int], requests: Sequence[bytes]
) -> None:
    one_by_one = await talk(ports[0], requests, len(requests))
    at_once = await talk(ports[0], [b"".join(requests)], len(requests))
    assert comparable(at_once) == comparable(one_by_one)


# Requests whose header fields are those of the one before ----------------------------------------


def get(target: bytes, fields: bytes = b"") -> bytes:
    return b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n"


HOMEPAGE, ARTICLES, ONE = b"/api/homepage", b"/api/articles?sort=id", b"/api/articles/nope"
CREDENTIAL = b"Authorization: Bearer nope\r\n"
ORIGIN = b"Origin: https://example.com\r\n"
LONG_FIELDS = b"X-Long: " + b"x" * 12_000 + b"\r\n"

POST_OF_A_REQUEST = (
    b"POST /api/articles HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(get(HOMEPAGE)),
    get(HOMEPAGE),
)
"""A body that looks like a request, in a piece of its own."""

IN_TURN: dict[str, list[bytes | tuple[bytes, ...]]] = {
    "other targets": [get(target) for target in (HOMEPAGE, ARTICLES, ONE, HOMEPAGE)],
    "other headers": [
        get(HOMEPAGE, more) for more in (b"", ORIGIN, b"", CREDENTIAL, b"", b"A: b\r\n")
    ],
    "a credential": [get(target, CREDENTIAL) for target in (HOMEPAGE, ARTICLES, HOMEPAGE)],
    "an origin": [get(target, ORIGIN) for target in (HOMEPAGE, ARTICLES, HOMEPAGE)],
    "no headers but the host": [get(target) for target in (HOMEPAGE, ARTICLES, HOMEPAGE)],
    "no content": [get(b"/_health"), get(b"/_health"), get(HOMEPAGE)],
    "errors": [get(HOMEPAGE), get(b"/api/articles?sort=nope"), get(b"/api/setting"), get(b"/nope")],
    "a file": [get(HOMEPAGE), get(b"/uploads/notes_d2c9b549e5.txt"), get(HOMEPAGE), get(HOMEPAGE)],
    "another method": [get(HOMEPAGE), get(HOMEPAGE).replace(b"GET", b"DELETE"), get(HOMEPAGE)],
    "an old client": [get(HOMEPAGE), get(HOMEPAGE).replace(b"1.1", b"1.0")],
    "a client that leaves": [get(HOMEPAGE), get(HOMEPAGE), CLOSING],
    "a whole address": [get(HOMEPAGE), get(b"http://x/api/homepage"), get(HOMEPAGE)],
    "a fragment": [get(HOMEPAGE), get(HOMEPAGE + b"#part"), get(HOMEPAGE)],
    "empty queries": [get(HOMEPAGE), get(HOMEPAGE + b"?"), get(HOMEPAGE + b"??")],
    "a body that looks like a request": [get(HOMEPAGE), POST_OF_A_REQUEST, get(HOMEPAGE)],
    "requests in pieces": [
        get(HOMEPAGE),
        (get(ONE)[:20], get(ONE)[20:]),
        (get(ONE)[:-4], get(ONE)[-4:]),
        get(HOMEPAGE),
    ],
    "a line that ends otherwise": [get(HOMEPAGE), get(HOMEPAGE).replace(b"\r\n", b"\n", 1)],
    "long fields": [get(target, LONG_FIELDS) for target in (HOMEPAGE, ARTICLES, HOMEPAGE)],
    "a target with a space": [get(HOMEPAGE), get(b"/api/home page")],
}


async def talk_in_turn(port: int, requests: Sequence[bytes | tuple[bytes, ...]]) -> Reply:
    """Send each request, perhaps in pieces, when the one before was answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reply = Reply()
    async with asyncio.timeout(20):
        for number, request in enumerate(requests, start=1):
            for piece in request if isinstance(request, tuple) else (request,):
                writer.write(piece)
                await asyncio.sleep(0.005 if isinstance(request, tuple) else 0)
            data = b" "
            while data and len(reply.responses) < number:
                data = await reader.read(65536)
                reply.feed(data)
    writer.close()
    return reply


@pytest.mark.parametrize("requests", IN_TURN.values(), ids=IN_TURN.keys())
async def test_both_protocols_answer_alike_in_turn(
    ports: tuple[int, int], requests: Sequence[bytes | tuple[bytes, ...]]
) -> None:
    short, ordinary = [await talk_in_turn(port, requests) for port in ports]
    assert len(short.responses) == len(requests)
    assert comparable(short) == comparable(ordinary)


async def test_every_route_that_responds_at_once_responds_as_its_handler(
    ports: tuple[int, int], shared_recorded: Path, request_counts: RequestCounts
) -> None:
    routes = await routes_that_respond_now(shared_recorded)
    assert {"articles", "articles/:documentId", "homepage", "users/me", "i18n/locales"} <= {*routes}
    user = (await talk_in_turn(ports[0], [SIGN_IN])).responses[0][2]
    request_counts.delegated = 0
    credentials_sent = [
        b"",
        b"Authorization: Bearer %s\r\n" % API_TOKENS["full"].encode(),
        b"Authorization: Bearer %s\r\n" % json.loads(user)["jwt"].encode(),
    ]
    articles = (await talk_in_turn(ports[0], [get(b"/api/articles")])).responses[0][2]
    one = json.loads(articles)["data"][0]["documentId"]
    for route, fields in itertools.product(routes, credentials_sent):
        for document, number in ((one, "1"), ("nope", "99999")):
            path = route.replace(":documentId", document).replace(":id", number)
            for query in (b"", b"?populate=*&sort=id", b"?sort=nope"):
                requests = [get(b"/api/%s%s" % (path.encode(), query), fields)] * 2
                short, ordinary = [await talk_in_turn(port, requests) for port in ports]
                assert comparable(short) == comparable(ordinary), (path, query)
    assert request_counts.delegated == 0


async def routes_that_respond_now(project: Path) -> list[str]:
    """Return the paths of the routes on the fast path."""
    application = Application(load_settings(project, environ={}))
    async with running(application):
        return [route.path for route in application.routes if route.is_immediate]


PAIR = get(ARTICLES) + get(ONE)

PIECES = {
    "two at a time": [PAIR, PAIR, get(HOMEPAGE) + get(ONE), get(ONE)],
    "one and a half at a time": [PAIR[:-9], PAIR[-9:], get(ONE), get(ARTICLES)],
    "the end of one and another": [
        get(HOMEPAGE)[:-2] + b"X: ",
        PAIR,
        PAIR,
        PAIR,
        get(ONE),
    ],
}


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES.keys())
async def test_both_protocols_answer_alike_however_requests_lie_in_pieces(
    ports: tuple[int, int], pieces: Sequence[bytes]
) -> None:
    count = b"".join(pieces).count(b"\r\n\r\n")
    short, ordinary = [await talk(port, pieces, count, pause=0.02) for port in ports]
    assert len(short.responses) == count
    assert comparable(short) == comparable(ordinary)


@made_to_wait
@pytest.mark.parametrize("requests", IN_TURN.values(), ids=IN_TURN.keys())
async def test_reads_that_have_to_wait_are_answered_as_those_that_have_not(
    reading_port: int,
    requests: Sequence[bytes | tuple[bytes, ...]],
    request_counts: RequestCounts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = await talk_in_turn(reading_port, requests)
    parsed, ordinary = [*request_counts.parsed], request_counts.delegated
    waits = hold_reads(monkeypatch, (asyncio.sleep(0) for _ in range(99)))
    waiting = await talk_in_turn(reading_port, requests)
    assert comparable(waiting) == comparable(at_once)
    assert waits
    assert (request_counts.parsed, request_counts.delegated) == (parsed * 2, ordinary * 2)


def hold_reads(monkeypatch: pytest.MonkeyPatch, until: Iterator[Awaitable[object]]) -> list[object]:
    """Let reads wait for these in turn, as long as there are some; the list grows with each."""
    read = SqliteDatabase.read
    waits: list[object] = []

    def refuse(_: SqliteDatabase, *work: object, **options: object) -> object:
        raise WouldBlockError

    async def wait_and_read(database: SqliteDatabase, *work: Any, **options: Any) -> object:  # noqa: ANN401 - passed on
        waits.append(work)
        first = next(until, None)
        if first is not None:
            await first
        return await read(database, *work, **options)

    monkeypatch.setattr(SqliteDatabase, "read", wait_and_read)
    monkeypatch.setattr(SqliteDatabase, "read_now", refuse)
    return waits


@made_to_wait
async def test_requests_behind_a_read_that_waits_are_answered_after_it(
    reading_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [get(HOMEPAGE), get(ARTICLES), FILE, get(b"/nope"), get(HOMEPAGE)]
    one_by_one = await talk(reading_port, requests, len(requests))
    hold_reads(monkeypatch, (asyncio.sleep(0.05 if n % 2 == 0 else 0) for n in range(99)))
    for pause in (0, 0.01):
        together = await talk(reading_port, requests, len(requests), pause=pause)
        assert comparable(together) == comparable(one_by_one)


@made_to_wait
async def test_a_client_that_goes_while_its_read_waits_disturbs_nobody(
    reading_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = asyncio.Event()
    waits = hold_reads(monkeypatch, iter([there.wait()]))
    _, writer = await asyncio.open_connection("127.0.0.1", reading_port)
    writer.write(get(HOMEPAGE))
    while not waits:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.001)
    writer.transport.abort()
    await asyncio.sleep(0.01)
    there.set()
    await asyncio.sleep(0.01)
    monkeypatch.undo()
    reply = await talk(reading_port, [get(HOMEPAGE)], 1)
    assert reply.responses[0][0] == 200


@made_to_wait
async def test_a_server_that_stops_answers_the_read_that_waits_and_closes(
    shared_recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = asyncio.Event()
    async with served(shared_recorded, FastPathProtocol, overrides=READING) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        waits = hold_reads(monkeypatch, iter([there.wait()]))
        writer.write(get(HOMEPAGE))
        while not waits:  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.001)
        asyncio.get_running_loop().call_later(0.3, there.set)
    reply = Reply()
    reply.feed(await reader.read())
    writer.close()
    ((status, headers, _),) = reply.responses
    assert (status, headers[b"connection"]) == (200, b"close")


@made_to_wait
async def test_a_connection_is_kept_while_a_read_waits_however_long(
    shared_recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(shared_recorded, FastPathProtocol, keep_alive=1, overrides=READING) as port:
        await talk_in_turn(port, [get(HOMEPAGE)])
        hold_reads(monkeypatch, iter([asyncio.sleep(0), asyncio.sleep(1.3)]))
        reply = await talk_in_turn(port, [get(HOMEPAGE), get(HOMEPAGE)])
    assert [status for status, _, _ in reply.responses] == [200, 200]


async def test_a_target_of_any_bytes_is_answered_alike_whether_the_head_is_known_or_not(
    ports: tuple[int, int],
) -> None:
    bytes_of_targets = bytes(code for code in range(256) if code not in b"\r\n")
    targets = [
        b"%s%c" % (at, code) for at in (b"/api/", b"/api/homepage?") for code in bytes_of_targets
    ]
    for target in targets:
        alone = await talk_in_turn(ports[0], [get(target)])
        known = await talk_in_turn(ports[0], [get(HOMEPAGE), get(target)])
        assert comparable(known)[1:] == comparable(alone), target
        assert known.responses[0][0] == 200


async def test_a_head_that_is_known_may_be_too_large_as_well(ports: tuple[int, int]) -> None:
    long = get(HOMEPAGE + b"?a=" + b"x" * 16_384)
    assert [len(long) < 65_536, len(long) > 16_384] == [True, True]
    reply = await talk_in_turn(ports[0], [get(HOMEPAGE), get(HOMEPAGE), long])
    assert [status for status, _, _ in reply.responses] == [200, 200, 431]


async def test_a_head_that_is_known_is_not_parsed_again(
    ports: tuple[int, int], request_counts: RequestCounts
) -> None:
    await talk_in_turn(ports[0], [get(target) for target in (HOMEPAGE, ARTICLES, ONE)])
    assert request_counts.parsed == [HOMEPAGE]
    # Another connection knows nothing, and what is not for the content API is parsed to go on.
    request_counts.parsed.clear()
    await talk_in_turn(ports[0], [get(t) for t in (HOMEPAGE, b"/nope", ARTICLES, ARTICLES)])
    assert request_counts.parsed == [HOMEPAGE, b"/nope", ARTICLES]


async def test_nothing_is_answered_to_a_client_that_does_not_read(
    ports: tuple[int, int], request_counts: RequestCounts
) -> None:
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", ports[0]))
        reader, writer = await asyncio.open_connection(sock=client)
        for _ in range(200):
            writer.write(get(LIST.split()[1]))
            await asyncio.sleep(0.001)
        async with asyncio.timeout(60):
            while not request_counts.buffered:  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(0.001)
        reply = Reply()
        async with asyncio.timeout(60):
            while len(reply.responses) < 200:
                reply.feed(await reader.read(65536))
        writer.close()
    assert request_counts.buffered < 200_000
    assert {status for status, _, _ in reply.responses} == {200}


async def test_who_asks_with_a_known_head_is_found_out_anew_when_something_was_written(
    own_recorded: Path,
) -> None:
    async with served(own_recorded, FastPathProtocol) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        statuses = []
        for may in (True, True, False, False):
            if not may:
                with rows_of(own_recorded) as rows:
                    rows.execute("DELETE FROM up_permissions")
            writer.write(get(HOMEPAGE))
            reply = Reply()
            while not reply.responses:
                reply.feed(await reader.read(65536))
            statuses.append(reply.responses[0][0])
        writer.close()
    assert statuses == [200, 200, 401, 401]


# Odd heads ---------------------------------------------------------------------------------------


async def test_a_head_answers_its_head_alone(ports: tuple[int, int]) -> None:
    heads = []
    for port in ports:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD)
        async with asyncio.timeout(20):
            heads.append(re.sub(VARYING, b"", await reader.read(), flags=re.IGNORECASE))
        writer.close()
    assert heads[0] == heads[1]
    assert heads[0].startswith(b"HTTP/1.1 200")
    assert heads[0].endswith(b"\r\n\r\n")


async def test_a_request_may_arrive_byte_by_byte(ports: tuple[int, int]) -> None:
    whole = await talk(ports[0], [HOME], 1)
    bytewise = await talk(ports[0], [HOME[i : i + 1] for i in range(len(HOME))], 1)
    assert comparable(bytewise) == comparable(whole)


async def test_many_connections_read_at_once(ports: tuple[int, int]) -> None:
    replies = await asyncio.gather(*(talk(ports[0], [HOME, LIST, HEALTH], 3) for _ in range(30)))
    assert {str(comparable(reply)) for reply in replies} == {str(comparable(replies[0]))}


async def test_a_request_that_makes_no_sense_is_refused(ports: tuple[int, int]) -> None:
    reply = await talk(ports[0], [b"NONSENSE\r\n\r\n"], 1)
    assert reply.responses[0][0] == 400


class PathSampler(Sampler):
    """Records the requests of one path; ``trace_ids`` are those for which it was asked."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.trace_ids: list[int] = []

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        del parent_context, name, links, trace_state
        if kind is not SpanKind.SERVER:  # a statement within a recorded request
            return SamplingResult(Decision.RECORD_AND_SAMPLE)
        self.trace_ids.append(trace_id)
        is_recorded = (attributes or {}).get("url.path") == self._path
        return SamplingResult(Decision.RECORD_AND_SAMPLE if is_recorded else Decision.DROP)

    def get_description(self) -> str:
        return type(self).__name__


@contextmanager
def tracing_of(sampler: Sampler) -> Iterator[tuple[Tracing, InMemorySpanExporter]]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(sampler=sampler, id_generator=RequestIdGenerator())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield Tracing(provider, "sqlite"), exporter
    provider.shutdown()


async def test_recorded_requests_use_the_fast_path_too(
    shared_recorded: Path, request_counts: RequestCounts, reading_port: int
) -> None:
    sampler = PathSampler(HOMEPAGE.decode())
    targets = [ARTICLES, HOMEPAGE, ARTICLES, ARTICLES, HOMEPAGE, b"/_ready", ONE]
    with tracing_of(sampler) as (tracing, exporter):
        async with served(
            shared_recorded, CountingProtocol, overrides=READING, tracing=tracing
        ) as port:
            reply = await talk_in_turn(port, [get(target) for target in targets])
        spans = exporter.get_finished_spans()

    assert [status for status, _, _ in reply.responses] == [200, 200, 200, 200, 200, 200, 404]
    assert request_counts.delegated == 1  # the probe of readiness
    requests = [span for span in spans if span.kind is SpanKind.SERVER]
    assert [span.name for span in requests] == ["GET /api/homepage"] * 2
    # The span has the trace id by which the request was sampled, and no request was sampled twice.
    assert len(set(sampler.trace_ids)) == len(targets)
    assert {span.context.trace_id for span in requests} == {
        sampler.trace_ids[number] for number in (1, 5)
    }
    assert [(span.attributes or {})["http.response.status_code"] for span in requests] == [200] * 2
    # Each of them reads, and statements of other requests have no spans.
    statements = [span for span in spans if span.kind is SpanKind.CLIENT]
    traces = {span.context.trace_id for span in requests}
    assert {span.context.trace_id for span in statements} == traces
    parents = {span.parent.span_id for span in statements if span.parent is not None}
    assert parents == {span.context.span_id for span in requests}
    unrecorded = await talk_in_turn(reading_port, [get(target) for target in targets])
    assert comparable(reply) == comparable(unrecorded)


@made_to_wait
async def test_a_recorded_read_may_wait(
    shared_recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = hold_reads(monkeypatch, iter(()))
    with tracing_of(ALWAYS_ON) as (tracing, exporter):
        async with served(
            shared_recorded, CountingProtocol, overrides=READING, tracing=tracing
        ) as port:
            waits.clear()
            together = await talk(port, [LIST + HOME + HEALTH], 3)
            in_turn = await talk_in_turn(port, [LIST, HOME])
        spans = exporter.get_finished_spans()

    statuses = [status for status, _, _ in together.responses + in_turn.responses]
    assert statuses == [200, 200, 204, 200, 200]
    assert len(waits) >= 4
    requests = [span for span in spans if span.kind is SpanKind.SERVER]
    reads = ["GET /api/articles", "GET /api/homepage"]
    assert sorted(span.name for span in requests) == sorted(["GET /_health", *reads, *reads])
    parents = {span.parent.span_id for span in spans if span.name == "SELECT" and span.parent}
    assert parents == {span.context.span_id for span in requests if span.name in reads}


async def test_the_client_decides_whether_its_trace_is_recorded(
    shared_recorded: Path, request_counts: RequestCounts
) -> None:
    trace = b"0af7651916cd43dd8448eb211c80319c"
    parents = {flags: b"00-%b-b7ad6b7169203331-%b" % (trace, flags) for flags in (b"00", b"01")}
    with tracing_of(ParentBased(ALWAYS_OFF)) as (tracing, exporter):
        async with served(
            shared_recorded, CountingProtocol, overrides=READING, tracing=tracing
        ) as port:
            await talk_in_turn(
                port,
                [get(HOMEPAGE, b"traceparent: " + parent + b"\r\n") for parent in parents.values()],
            )
        spans = exporter.get_finished_spans()

    assert request_counts.delegated == 0
    assert {f"{span.context.trace_id:032x}".encode() for span in spans} == {trace}
    assert sum(span.kind is SpanKind.SERVER for span in spans) == 1


async def test_requests_that_are_not_recorded_have_the_trace_of_their_client(
    shared_recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = ["a" * 32, "b" * 32]
    parents = [f"traceparent: 00-{trace}-b7ad6b7169203331-00\r\n".encode() for trace in traces]
    targets = [
        get(HOMEPAGE, parents[0]),
        get(HOMEPAGE),
        get(b"/_ready", parents[1]),
        get(HOMEPAGE, b"traceparent: 00-no-no-00\r\n"),
    ]
    overrides = {**READING, "log.requests": True, "log.format": "json", "metrics.port": 1}
    with tracing_of(ParentBased(ALWAYS_OFF)) as (tracing, exporter):
        async with served(
            shared_recorded, CountingProtocol, overrides=overrides, tracing=tracing
        ) as port:
            capsys.readouterr()
            await talk_in_turn(port, targets)
        assert exporter.get_finished_spans() == ()

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line[:1] == "{"]
    logged = [line.get("trace_id") for line in lines if line.get("event") == "request"]
    assert logged == [traces[0], None, traces[1], None]
