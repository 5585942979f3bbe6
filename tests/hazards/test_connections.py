"""Connections: request smuggling, and requests that are too large or too slow."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from quire.content_api.connection_limits import MAX_HEAD, LimitedConnection
from quire.settings import Settings
from tests.conformance.over_socket import served

GET = b"GET /api/categories HTTP/1.1\r\nHost: a\r\n"
HIDDEN = b"GET /api/articles?hidden HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /api/articles HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
END = b"\r\n"


@pytest.fixture(scope="module")
def port(newsroom: Settings) -> Iterator[int]:
    with served(newsroom.project) as port:
        yield port


@pytest.fixture
def hasty_port(newsroom: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that checks its connections often."""
    monkeypatch.setattr(LimitedConnection, "period", 0.2)
    with served(newsroom.project) as port:
        yield port


def exchange(port: int, *pieces: bytes, pause: float = 0.0) -> bytes:
    """Send pieces, and return all that comes until the server closes the connection."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        received = b""
        try:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(pause)
            while chunk := connection.recv(65536):
                received += chunk
        except (ConnectionResetError, BrokenPipeError):
            # What the server had not read when it closed the connection.
            return received
        return received


def statuses(received: bytes) -> list[bytes]:
    return [part[:3] for part in received.split(b"HTTP/1.1 ")[1:]]


def still_responses(port: int) -> None:
    assert statuses(exchange(port, GET + b"Connection: close\r\n\r\n")) == [b"200"]


def header(size: int, name: bytes = b"X-Filler") -> bytes:
    return name + b": " + b"x" * size + b"\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"GET /api/categories?" + b"x" * MAX_HEAD + b" HTTP/1.1\r\nHost: a\r\n",
        b"GET /" + b"x" * MAX_HEAD + b" HTTP/1.1\r\nHost: a\r\n",
        GET + header(MAX_HEAD),
        GET + header(64 * 1024),
        GET + header(10, b"x" * MAX_HEAD),
        GET + b"".join(header(100) for _ in range(200)),
        GET + b"".join(b"%d:\r\n" % number for number in range(10_000)),
        GET + b"Cookie: " + b"a=b;" * 8000 + b"\r\n",
        POST + b"Content-Length: 2\r\n" + header(MAX_HEAD),
    ],
)
@pytest.mark.parametrize("size", [1 << 20, 1000])
def test_h124_a_head_beyond_the_limit_is_refused(port: int, head: bytes, size: int) -> None:
    """Target and headers above 16 KiB get 431 without a body, and the connection is closed."""
    sent = head + END
    pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
    received = exchange(port, *pieces)
    if received:  # the server closed before it had read everything, which resets the connection
        assert statuses(received) == [b"431"]
        assert received.partition(b"\r\n\r\n")[2] == b""
        assert b"connection: close" in received.lower()
    still_responses(port)


CLOSE = b"Connection: close\r\n"
LINES = {"GET": b"GET /api/categories HTTP/1.1\r\n", "HEAD": b"HEAD /api/categories HTTP/1.1\r\n"}


@pytest.mark.parametrize("line", [*LINES.values(), b"POST /api/articles HTTP/1.1\r\n"])
@pytest.mark.parametrize(
    "fields",
    [
        b"Host: a\r\nAuthorization: Bearer x\r\nAuthorization: Bearer y\r\n",
        b"Host: a\r\nauthorization: Bearer x\r\nAUTHORIZATION: Bearer x\r\n",
        b"Host: a\r\nAuthorization:\r\nAuthorization: Bearer x\r\n",
        b"Host: a\r\nHost: b\r\n",
        b"Host: a\r\nhost: a\r\n",
        b"",
        b"X-Forwarded-Host: a\r\n",
    ],
)
def test_h124_a_head_with_two_credentials_or_without_one_host_is_refused(
    port: int, line: bytes, fields: bytes
) -> None:
    received = exchange(port, line + fields + CLOSE + END)
    assert statuses(received) == [b"400"]
    if not line.startswith(b"HEAD"):
        assert b'"name":"BadRequestError"' in received
    # Behind a plain read whose head is known as well.
    received = exchange(port, GET + END, line + fields + CLOSE + END, pause=0.05)
    assert statuses(received) == [b"200", b"400"]


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /api/categories HTTP/1.0\r\n\r\n",
        b"GET /api/categories HTTP/1.0\r\nHost: a\r\n\r\n",
        b"GET /api/categories HTTP/1.1\r\nHost:\r\n" + CLOSE + END,
        GET + b"Cookie: a=b\r\nCookie: c=d\r\nAccept: a/b\r\nAccept: c/d\r\n" + CLOSE + END,
        b"GET /uploads/nothing.txt?x HTTP/1.1\r\nHost: a\r\n" + CLOSE + END,
    ],
)
def test_h124_other_heads_are_read(port: int, request_: bytes) -> None:
    assert statuses(exchange(port, request_)) in ([b"200"], [b"404"])


def test_h124_two_hosts_are_too_many_in_an_older_request(port: int) -> None:
    sent = b"GET /api/categories HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"
    assert statuses(exchange(port, sent)) == [b"400"]


def test_h124_a_head_at_the_limit_is_read(port: int) -> None:
    """The limit is of what the head says, without its line ends and colons."""
    said = len(b"/api/categories" + b"Host" + b"a" + b"Connection" + b"close" + b"X-Filler")
    head = GET + b"Connection: close\r\n"
    assert statuses(exchange(port, head + header(MAX_HEAD - said) + END)) == [b"200"]
    assert statuses(exchange(port, head + header(MAX_HEAD - said + 1) + END)) == [b"431"]


def test_h124_a_header_without_an_end_is_refused(port: int) -> None:
    """A head that never ends is rejected when it is too large, not when the memory is full."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        connection.sendall(GET + b"X-Filler: ")
        sent = 0
        received = b""
        try:
            while not received and sent < 1 << 26:
                connection.sendall(b"x" * 4096)
                sent += 4096
                connection.settimeout(0)
                try:
                    received = connection.recv(65536)
                except BlockingIOError:
                    received = b""
                finally:
                    connection.settimeout(30)
        except (ConnectionResetError, BrokenPipeError):
            received = b"HTTP/1.1 431"
        assert statuses(received) == [b"431"]
        assert sent < 1 << 22
    still_responses(port)


def test_h124_a_large_body_is_no_large_head(port: int) -> None:
    """Requests behind a large body are measured by themselves."""
    body = b"x" * 300_000
    first = b"POST /api/articles HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body)
    received = exchange(port, first + body + GET + b"\r\n" + GET + b"Connection: close\r\n\r\n")
    assert statuses(received)[1:] == [b"200", b"200"]
    more = GET + b"Connection: close\r\n\r\n"
    assert statuses(exchange(port, first + body + more[:9], more[9:], pause=0.1))[1:] == [b"200"]


def test_h124_responses_that_are_due_are_not_mixed_up(port: int) -> None:
    """What is rejected behind other requests does not get a response in their place."""
    sign_in = b'{"identifier": "reader", "password": "x"}'
    first = (
        b"POST /api/auth/local HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(sign_in), sign_in)
    )
    received = exchange(port, first + GET + header(MAX_HEAD) + END)
    assert statuses(received) in ([b"400"], [])


@pytest.mark.parametrize(
    "request_",
    [
        # Both lengths: the one that a proxy believes may not be the one that we believe.
        POST + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nG",
        GET + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        # Lengths that contradict each other, or are none.
        POST + b"Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}",
        POST + b"Content-Length: 2, 60\r\n\r\n{}",
        POST + b"Content-Length: +2\r\n\r\n{}",
        POST + b"Content-Length: -2\r\n\r\n{}",
        POST + b"Content-Length: 0x2\r\n\r\n{}",
        POST + b"Content-Length: 2 2\r\n\r\n{}",
        POST + b"Content-Length: 99999999999999999999999999\r\n\r\n{}",
        POST + b"Content-Length : 2\r\n\r\n{}",
        POST + b" Content-Length: 2\r\n\r\n{}",
        # Encodings that one side may not see.
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding\r\n : chunked\r\n\r\n0\r\n\r\n",
        # Chunks that do not add up.
        POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n2;a\nb\r\n{}\r\n0\r\n\r\n",
        # Lines that end early or not at all.
        GET + b"X: a\rb\r\n\r\n",
        GET + b"X: a\0b\r\n\r\n",
        GET + b"X\r\n\r\n",
        GET + b": x\r\n\r\n",
        b"GET /api/categories HTTP/1.1\r\n Host: a\r\n\r\n",
        b"GET /api/cate gories HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /api/categories HTTP/9.9\r\nHost: a\r\n\r\n",
        b"GET /api/\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"G@T /api/categories HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_h124_no_request_hides_in_another(port: int, request_: bytes) -> None:
    """A request that two servers may understand differently is rejected, with all behind it."""
    received = exchange(port, request_ + HIDDEN)
    assert statuses(received) in ([b"400"], [])
    still_responses(port)


def test_h124_the_body_of_a_read_is_no_request(port: int) -> None:
    """The body of a GET is ignored, whatever its form."""
    asked = GET + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN
    assert statuses(exchange(port, asked)) == [b"200"]
    asked = GET + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN
    received = exchange(port, asked + GET + b"Connection: close\r\n\r\n")
    assert statuses(received) == [b"200", b"200"]
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)
    asked = GET + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked
    assert statuses(exchange(port, asked)) == [b"200"]


def test_h124_a_header_cannot_split_a_response(port: int) -> None:
    """Values of a request in response headers cannot add lines."""
    for value in (b"a%0d%0aX-Injected: 1", b"a\tX-Injected: 1", b"\xc4\x8d\xc4\x8aX-Injected: 1"):
        asked = GET + b"Connection: close\r\nOrigin: " + value + b"\r\n\r\n"
        head = exchange(port, asked).partition(b"\r\n\r\n")[0]
        assert not [line for line in head.split(b"\r\n") if line.startswith(b"X-Injected")]


@pytest.mark.parametrize(
    ("incomplete", "status"),
    [
        (b"", []),
        (b"GET /api/cat", [b"408"]),
        (GET, [b"408"]),
        (GET + b"X: ", [b"408"]),
        (POST + b"Content-Length: 1000\r\n\r\n{", [b"408"]),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{", [b"408"]),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", [b"408"]),
        (GET + END + b"GET /api", [b"200", b"408"]),
    ],
)
def test_h124_a_request_that_does_not_come_is_given_up(
    hasty_port: int, incomplete: bytes, status: list[bytes]
) -> None:
    """A client that stops in the middle of a request loses its connection."""
    received = exchange(hasty_port, incomplete)
    assert statuses(received) in (status, status[:1])
    still_responses(hasty_port)


@pytest.mark.parametrize(
    "incomplete",
    [
        GET + b"X: ",
        POST + b"Content-Length: 100000\r\n\r\n{",
        POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n",
    ],
)
def test_h124_a_byte_now_and_then_keeps_no_connection(hasty_port: int, incomplete: bytes) -> None:
    """A client that sends just enough to look alive loses its connection, too."""
    more = [b"1\r\n \r\n" if b"chunked" in incomplete else b"x"] * 40
    received = exchange(hasty_port, incomplete, *more, pause=0.05)
    assert statuses(received) in ([b"408"], [])
    still_responses(hasty_port)


def test_h124_a_body_that_keeps_coming_is_waited_for(
    hasty_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow body is read to its end as long as enough of it comes."""
    monkeypatch.setattr(LimitedConnection, "least", 100)
    body = b"[" + b" " * 39_998 + b"]"
    pieces = [body[start : start + 1000] for start in range(0, len(body), 1000)]
    head = POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    received = exchange(hasty_port, head, *pieces, pause=0.02)
    assert statuses(received) == [b"403"]
