"""Both ways to an answer, the short one for plain reads and the ordinary one, answer alike."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httptools
import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quire.api.protocol import ReadProtocol
from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.corpus import unpack_project

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
BAD_QUERY = b"GET /api/articles?sort=nope HTTP/1.1\r\nHost: x\r\n\r\n"
FORBIDDEN = b"GET /api/setting HTTP/1.1\r\nHost: x\r\n\r\n"
UNKNOWN = b"GET /nope HTTP/1.1\r\nHost: x\r\n\r\n"
BAD_TOKEN = b"GET /api/articles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n"
OLD = b"GET /api/homepage HTTP/1.0\r\nHost: x\r\n\r\n"
CLOSING = b"GET /api/homepage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

REQUESTS = {
    "a list": [LIST],
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


class Reply:
    """Parses answers as they arrive."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[bytes, bytes], bytes]] = []
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
        self.answers.append((self._parser.get_status_code(), self._headers, self._body))


@asynccontextmanager
async def served(project: Path, protocol: type[HttpToolsProtocol]) -> AsyncIterator[int]:
    """Serve a project on a free port with a protocol class."""
    app = build_app(load_settings(project, environ={}))
    config = uvicorn.Config(
        app, port=0, http=protocol, log_config=None, access_log=False, proxy_headers=False
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await task


async def talk(port: int, pieces: Sequence[bytes], answers: int) -> Reply:
    """Send pieces over one connection and gather so many answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reply = Reply()
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    async with asyncio.timeout(20):
        while len(reply.answers) < answers:
            data = await reader.read(65536)
            if not data:
                break
            reply.feed(data)
    writer.close()
    return reply


@pytest.fixture(scope="module")
async def ports(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[int, int]]:
    project = unpack_project(tmp_path_factory.mktemp("protocol"))
    async with served(project, ReadProtocol) as short, served(project, HttpToolsProtocol) as long:
        yield short, long


def comparable(reply: Reply) -> list[tuple[int, dict[bytes, bytes], bytes]]:
    """Leave out what differs between any two answers: the date, and freshly signed tokens."""
    return [
        (
            status,
            {k: v for k, v in headers.items() if k != b"date"},
            re.sub(rb'"jwt":"[^"]*"', b"", body),
        )
        for status, headers, body in reply.answers
    ]


@pytest.mark.parametrize("requests", REQUESTS.values(), ids=REQUESTS.keys())
async def test_both_ways_answer_alike(ports: tuple[int, int], requests: Sequence[bytes]) -> None:
    short, ordinary = [await talk(port, requests, len(requests)) for port in ports]
    assert len(short.answers) == len(requests)
    assert comparable(short) == comparable(ordinary)


@pytest.mark.parametrize("requests", REQUESTS.values(), ids=REQUESTS.keys())
async def test_pipelined_requests_are_answered_in_their_order(
    ports: tuple[int, int], requests: Sequence[bytes]
) -> None:
    one_by_one = await talk(ports[0], requests, len(requests))
    at_once = await talk(ports[0], [b"".join(requests)], len(requests))
    assert comparable(at_once) == comparable(one_by_one)


async def test_a_head_answers_its_head_alone(ports: tuple[int, int]) -> None:
    heads = []
    for port in ports:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD)
        async with asyncio.timeout(20):
            heads.append(re.sub(rb"date: [^\r]*", b"", await reader.read(), flags=re.IGNORECASE))
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
    assert reply.answers[0][0] == 400
