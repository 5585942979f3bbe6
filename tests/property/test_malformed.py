"""Malformed requests get a response, and never a 500."""

import asyncio
import itertools
import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from quire.app import Application, build_app
from quire.content_api.fast_path import FastPathProtocol
from quire.content_api.http_messages import Request
from quire.settings import load_settings
from tests.conformance.client import Message, running
from tests.conformance.corpus import credentials, unpack_project
from tests.examples import examples
from tests.unit.content_api.test_fast_path import HOME, served, talk

UNIMPLEMENTED = 501
SECONDS = 60
"""How long one request may take before it counts as never answered."""


class Sent(NamedTuple):
    """A request as it comes in, before anybody has made sense of it."""

    method: str
    path: bytes
    query: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""


class Server:
    """An application on a separate event loop, which lasts from example to example."""

    def __init__(self, project: Path) -> None:
        self.application = build_app(load_settings(project, environ={}))
        self._runner = asyncio.Runner()
        self._running = running(self.application)
        self._runner.run(self._running.__aenter__())
        self._visitors = itertools.count()

    def close(self) -> None:
        self._runner.run(self._running.__aexit__(None, None, None))
        self._runner.close()

    def check(self, sent: Sent) -> int:
        """Send a request and return the status; fail if the server fails."""
        with capture_logs() as lines:
            # Everybody comes from elsewhere, or most would be sent away for coming too often.
            client = str(ip_address(next(self._visitors)))
            status = self._runner.run(_answered(self.application, sent, client))
        assert status < 500 or status == UNIMPLEMENTED, (status, lines)
        problems = [line for line in lines if line["log_level"] in {"error", "critical"}]
        assert not problems, problems
        return status


async def _answered(application: Application, sent: Sent, client: str) -> int:
    """Send a request below anything that could refuse or repair it, and return the status."""
    messages: list[Message] = []
    gone = asyncio.Event()
    unread = [{"type": "http.request", "body": sent.body, "more_body": False}]

    async def receive() -> Message:
        if unread:
            return unread.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": sent.method,
        "scheme": "http",
        "path": unquote(sent.path.decode("latin-1")),
        "raw_path": sent.path,
        "query_string": sent.query,
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:1337"), *sent.headers],
        "client": (client, 50_000),
        "server": ("127.0.0.1", 1337),
        "state": {},
    }
    async with asyncio.timeout(SECONDS):
        await application(scope, receive, send)
    assert [message["type"] for message in messages[:1]] == ["http.response.start"]
    assert not messages[-1].get("more_body")
    status: int = messages[0]["status"]
    return status


@pytest.fixture(scope="module")
def server(shared_recorded: Path) -> Iterator[Server]:
    found = Server(shared_recorded)
    yield found
    found.close()


# What requests are made of ---------------------------------------------------------------------

FULL = b"Bearer " + credentials().api_tokens["full"].encode()

names = st.sampled_from(
    [
        "id", "documentId", "title", "slug", "name", "body", "content", "description", "price",
        "rank", "views", "publishedAt", "createdAt", "updatedAt", "locale", "localizations",
        "author", "authors", "category", "categories", "tags", "articles", "cover", "seo",
        "sections", "blocks", "parent", "children", "createdBy", "updatedBy", "password", "email",
        "role", "related", "nope", "__proto__", "0", "1", "99", "100", "1000000000", "-1", "on",
        "*", "count",
    ]
)  # fmt: skip
operators = st.sampled_from(
    [
        "$eq", "$ne", "$eqi", "$nei", "$lt", "$lte", "$gt", "$gte", "$in", "$notIn", "$contains",
        "$notContains", "$containsi", "$notContainsi", "$startsWith", "$endsWith", "$null",
        "$notNull", "$between", "$and", "$or", "$not", "$foo", "$where", "$jsonSupersetOf", "$",
    ]
)  # fmt: skip
rubbish = st.sampled_from(
    [
        "", "%", "%2", "%zz", "%00", "%0d%0a", "%ff", "%ED%A0%80", "%C0%AF", "%F0%9F%98%80", "%5B",
        "\x00", "\x1b", "\x7f", "ÿ", "[", "]", "[[", "]]", "][", ".", "..", ",", ":", ";", "'",
        '"', "+", "=", "&", "#", "?", "\\", "`", "--", "/*", "$1", ":x", "%s", "{0}", "%25", "_",
        "*",
    ]
)  # fmt: skip
numbers = st.one_of(
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(
        [
            "0", "-0", "1e308", "1e309", "-1e308", "1e21", "9" * 30, "9" * 400, "9" * 5000, "0x10",
            "1_0", "NaN", "Infinity", "9223372036854775807", "9223372036854775808", ".", "1e",
            "%D9%A1",
        ]
    ),
)  # fmt: skip
moments = st.sampled_from(
    [
        "2024-02-30", "2024-02-29T25:00:00Z", "0000-00-00", "+275760-09-13", "-271821-04-20",
        "9999-12-31T23:59:59.999Z", "99999-01-01", "8640000000000001", "-62167219200001",
        "2024-W01", "12:60", "24:00:00", "06:30:00.0000001",
    ]
)  # fmt: skip
texts = st.text(max_size=6).map(lambda text: quote_from_bytes(text.encode(errors="surrogatepass")))
values = st.one_of(
    names, numbers, moments, rubbish, texts, st.sampled_from(["true", "t", "asc", "*"])
)
steps = st.one_of(names, operators, rubbish, numbers, st.just(""))
brackets = st.one_of(
    st.lists(steps.map("[{}]".format), max_size=5).map("".join),
    st.builds(lambda step, times: f"[{step}]" * times, steps, st.integers(1, 60)),
    st.lists(st.sampled_from(["[", "]", "[]", "a"]), max_size=8).map("".join),
)
parameters = st.sampled_from(
    [
        "filters", "sort", "fields", "populate", "pagination", "locale", "status",
        "publicationState", "_q", "start", "limit", "page", "pageSize", "hasPublishedVersion",
        "publicationFilter", "nope", "[filters]", "filters[$and][0]", "filters[title]",
        "pagination[page]", "pagination[pageSize]", "pagination[start]", "pagination[limit]",
        "pagination[withCount]", "populate[author]", "populate[category][populate]",
        "populate[sections][on]", "populate[0]",
    ]
)  # fmt: skip
dotted = st.lists(st.one_of(names, rubbish), min_size=1, max_size=30).map(".".join)
pairs = st.one_of(
    st.builds("{}{}={}".format, parameters, brackets, values),
    st.builds("filters[{}][{}]={}".format, names, operators, values),
    st.builds("filters[{}][{}][]={}".format, names, operators, values),
    st.builds("{}={}".format, st.sampled_from(["sort", "populate", "fields"]), dotted),
    st.builds("{}{}".format, parameters, brackets),
    st.lists(st.one_of(names, rubbish), max_size=6).map("".join),
)
queries = st.one_of(
    st.lists(pairs, max_size=5).map(lambda parts: "&".join(parts).encode("latin-1")),
    st.builds(
        lambda pair, times: "&".join([pair] * times).encode("latin-1"), pairs, st.integers(2, 300)
    ),
    st.binary(max_size=60),
)

KNOWN_PATHS = [
    b"/api/articles", b"/api/articles/x", b"/api/homepage", b"/api/authors", b"/api/categories",
    b"/api/upload/files", b"/api/upload/files/1", b"/api/upload", b"/api/i18n/locales",
    b"/api/users", b"/api/users/me", b"/api/users/count", b"/api/users/1", b"/api/auth/local",
    b"/api/users-permissions/roles", b"/api/users-permissions/roles/1",
    b"/api/content-type-builder/content-types", b"/uploads/x", b"/_health", b"/", b"/api",
]  # fmt: skip
WRITTEN_PATHS = [b"/api/articles", b"/api/articles/x", b"/api/homepage", b"/api/auth/local"]
READ_PATHS = [path for path in KNOWN_PATHS if path.startswith(b"/api/")]
segments = st.one_of(
    st.sampled_from([b"api", b"articles", b"uploads", b"..", b".", b"", b"%2e%2e", b"%00", b"%ff"]),
    st.sampled_from([b"%2f", b"%5c", b"c:", b"~", b"index.html", b"%", b"9" * 30, b"a" * 5000]),
    st.binary(max_size=8),
    st.binary(max_size=8).map(lambda raw: quote_from_bytes(raw, safe="").encode()),
)
paths = st.one_of(
    st.sampled_from(KNOWN_PATHS),
    st.builds(lambda path, last: path + b"/" + last, st.sampled_from(KNOWN_PATHS), segments),
    st.lists(segments, max_size=6).map(lambda parts: b"/" + b"/".join(parts)),
    st.builds(lambda first, rest: b"/" + first + b"/" * rest, segments, st.integers(0, 3000)),
)
methods = st.sampled_from(
    [
        *["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] * 3,
        *["TRACE", "CONNECT", "PROPFIND", "get", "X", "GET\t"],
    ]
)
tokens = st.one_of(
    st.just(FULL),
    st.binary(max_size=20),
    st.binary(max_size=20).map(b"Bearer ".__add__),
    st.sampled_from(
        [
            b"Bearer", b"Bearer  ", b"bearer x", b"Basic eDp5", b"Bearer a.b.c",
            b"Bearer \xff\xfe", b"Bearer eyJhbGciOiJub25lIn0.eyJpZCI6MX0.", b"Bearer e30.e30.e30",
            b"Bearer " + b"." * 999, b"Bearer eyJhbGciOiJIUzI1NiJ9.W10.x",
            b"Bearer bnVsbA.bnVsbA.bnVsbA", FULL + b"\x00",
        ]
    ),
)  # fmt: skip
other_headers = st.tuples(
    st.sampled_from(
        [
            b"origin", b"accept", b"content-length", b"content-encoding", b"range",
            b"if-none-match", b"if-modified-since", b"strapi-response-format",
            b"access-control-request-method", b"access-control-request-headers",
            b"x-forwarded-for", b"cookie", b"content-type", b"\xff",
        ]
    ),
    st.one_of(
        st.binary(max_size=20),
        st.sampled_from([b"v4", b"V4", b"v5", b"bytes=0-", b"bytes=9-1", b"gzip", b"*", b"null"]),
        st.sampled_from([b"GET", b"https://example.com", b"9" * 5000, b"-1", b'W/"x"', b'"']),
    ),
)  # fmt: skip


def with_token(
    headers: list[tuple[bytes, bytes]], token: bytes | None
) -> tuple[tuple[bytes, bytes], ...]:
    return (*headers, *([] if token is None else [(b"authorization", token)]))


headers = st.builds(with_token, st.lists(other_headers, max_size=3), st.none() | tokens)
believed = st.builds(with_token, st.just([]), st.sampled_from([None, FULL, FULL]))

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), names),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(names | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
sign_ins = st.fixed_dictionaries({"identifier": json_values, "password": json_values})
contents = st.fixed_dictionaries({"data": json_values})
json_bodies = st.one_of(
    st.one_of(json_values, sign_ins, contents).map(lambda value: json.dumps(value).encode()),
    st.builds(
        lambda raw, cut: raw[:cut],
        sign_ins.map(lambda v: json.dumps(v).encode()),
        st.integers(0, 40),
    ),
    st.builds(
        lambda opening, times: opening * times,
        st.sampled_from([b"[", b'{"a":', b"{", b'"']),
        st.integers(1, 3000),
    ),
    st.binary(max_size=40),
)
body_types = st.one_of(
    st.sampled_from(
        [
            b"application/json", b"application/json; charset=utf-16", b"application/vnd.api+json",
            b"application/x-www-form-urlencoded", b"text/plain", b"multipart/form-data", b";",
            b"\xff", b"multipart/form-data; boundary=x", b"APPLICATION/JSON;;",
            b"application/json\x00",
        ]
    ),
    st.binary(max_size=12),
)  # fmt: skip


def with_body_type(
    given_headers: tuple[tuple[bytes, bytes], ...], kind: bytes
) -> tuple[tuple[bytes, bytes], ...]:
    return (*given_headers, (b"content-type", kind))


generated = settings(derandomize=True, deadline=None, database=None)


@settings(generated, max_examples=examples(800))
@given(st.sampled_from([*[b"/api/articles"] * 9, *READ_PATHS]), queries, believed)
@example(b"/api/articles", b"filters[id]=" + b"9" * 30, ())
@example(b"/api/articles", b"pagination[page]=1e308", ())
def test_any_query_is_answered(
    server: Server, path: bytes, query: bytes, sent_headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    server.check(Sent("GET", path, query, sent_headers))


@settings(generated, max_examples=examples(400))
@given(methods, paths, st.binary(max_size=20), headers)
def test_any_method_path_and_header_is_answered(
    server: Server,
    method: str,
    path: bytes,
    query: bytes,
    sent_headers: tuple[tuple[bytes, bytes], ...],
) -> None:
    server.check(Sent(method, path, query, sent_headers))


@settings(generated, max_examples=examples(400))
@given(
    st.sampled_from(["POST", "PUT", "PATCH", "DELETE"]),
    st.sampled_from([*WRITTEN_PATHS * 3, *KNOWN_PATHS]),
    st.builds(with_body_type, believed | headers, body_types),
    json_bodies,
)
@example(
    "POST",
    b"/api/articles",
    ((b"content-type", b"application/json"), (b"content-length", b"9" * 5000)),
    b"{}",
)
def test_any_body_is_answered(
    server: Server,
    method: str,
    path: bytes,
    sent_headers: tuple[tuple[bytes, bytes], ...],
    body: bytes,
) -> None:
    server.check(Sent(method, path, b"", sent_headers, body))


def test_an_error_of_the_server_would_be_seen(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = server.application.content
    assert content is not None
    good = Sent("GET", b"/api/articles")
    assert server.check(good) == 200

    async def fail(request: Request) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(content, "respond_to_read", fail)
    with pytest.raises(AssertionError, match="request failed"):
        server.check(good)


# Over a socket ---------------------------------------------------------------------------------

BROKEN = [
    b"\0", b"\r\n\r\n", b"GET", b"GET / HTTP/9.9\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /api/homepage HTTP/1.1\r\nHost x\r\n\r\n", b"GET /\xff HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"GET /api/homepage HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n",
    b"GET /%s HTTP/1.1\r\n\r\n" % (b"a" * 70_000),
    b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
    b"POST /api/articles HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
    b"POST /api/articles HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"POST /api/articles HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/articles HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /api/articles HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    (b"POST /api/articles HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"ffffffffffffffffff\r\nx\r\n"),
    b"GET * HTTP/1.1\r\nHost: x\r\n\r\n", b"GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET //[ HTTP/1.1\r\nHost: x\r\n\r\n",
]  # fmt: skip


@asynccontextmanager
async def _port(project: Path) -> AsyncIterator[int]:
    async with served(project, FastPathProtocol) as port:
        yield port


def noise() -> Iterator[bytes]:
    """Bytes that are no HTTP, and requests with some bytes changed; the same at every run."""
    yield from BROKEN
    made = random.Random(124)
    for _ in range(60):
        yield made.randbytes(made.randrange(1, 300))
    for _ in range(120):
        changed = bytearray(HOME)
        for _ in range(made.randrange(1, 6)):
            changed[made.randrange(len(changed))] = made.randrange(256)
        yield bytes(changed)


async def test_bytes_that_are_no_http_do_not_stop_the_server(tmp_path: Path) -> None:
    with capture_logs() as lines:
        async with _port(unpack_project(tmp_path)) as port:
            for raw in noise():
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(raw)
                writer.write_eof()
                async with asyncio.timeout(SECONDS):
                    response = await reader.read(65536)
                writer.close()
                assert not response.startswith((b"HTTP/1.1 500", b"HTTP/1.1 503")), raw
                reply = await talk(port, [HOME], 1)
                assert reply.responses[0][0] == 200, raw
    assert [line for line in lines if line["log_level"] in {"error", "critical"}] == []


SMUGGLED = b"GET /api/nope-smuggled HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Content-Length : 5\r\n",
        b"Content-Length: +5\r\n",
        b"Content-Length: 5, 5\r\n",
    ],
)
async def test_a_body_whose_end_is_disputed_is_refused(tmp_path: Path, framing: bytes) -> None:
    """A proxy in front may see another end of the request, and somebody's next one in the rest."""
    head = b"POST /api/articles HTTP/1.1\r\nHost: x\r\n" + framing + b"\r\n"
    async with _port(unpack_project(tmp_path)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head + b"0\r\n\r\n" + SMUGGLED)
        writer.write_eof()
        async with asyncio.timeout(SECONDS):
            response = await reader.read()
        writer.close()
    assert response.startswith(b"HTTP/1.1 400")
    assert response.count(b"HTTP/1.1 ") == 1
