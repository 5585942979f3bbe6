"""Some recorded reads over a real connection, and behaviour specific to connections."""

import json
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conformance.client import Authorization
from tests.conformance.corpus import credentials
from tests.conformance.deviations import Deviation
from tests.conformance.over_socket import SocketClient, connected, served
from tests.conformance.test_reads import replay_group
from tests.databases.kind import Kind

GROUPS = ["errors", "filters-text", "format-v4", "misc", "permissions"]
LIST = "/api/tags?sort=label"


@pytest.fixture(scope="module")
def port(shared_recorded: Path) -> Iterator[int]:
    with served(shared_recorded) as port:
        yield port


@pytest.fixture
def client(port: int) -> Iterator[SocketClient]:
    with connected(port) as client:
        yield client


@pytest.mark.parametrize("group", GROUPS)
async def test_a_recorded_read_is_answered_alike_over_a_connection(
    group: str, kind: Kind, client: SocketClient, deviations: tuple[Deviation, ...]
) -> None:
    await replay_group(group, kind, client, Authorization(client, credentials()), deviations)


def full_access() -> str:
    return f"Bearer {credentials().api_tokens['full']}"


def exchange(port: int, sent: bytes) -> bytes:
    """Send bytes, and return everything that comes until the server closes the connection."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


def request(method: str, target: str, *more: str, body: bytes = b"") -> bytes:
    head = [f"{method} {target} HTTP/1.1", "Host: a", f"Authorization: {full_access()}", *more]
    return "\r\n".join([*head, "", ""]).encode() + body


def test_head_answers_the_head_of_get_and_not_a_byte_more(port: int) -> None:
    get = exchange(port, request("GET", LIST, "Connection: close"))
    head = exchange(port, request("HEAD", LIST, "Connection: close"))
    shown, _, body = get.partition(b"\r\n\r\n")
    alone, separator, nothing = head.partition(b"\r\n\r\n")
    assert (separator, nothing) == (b"\r\n\r\n", b"")
    assert without_varying(alone) == without_varying(shown)
    assert f"content-length: {len(body)}".encode() in alone.lower()


def without_varying(head: bytes) -> list[bytes]:
    """Leave out the headers that differ between any two responses."""
    varying = (b"date:", b"x-request-id:")
    return [line for line in head.split(b"\r\n") if not line.lower().startswith(varying)]


def test_requests_on_one_connection_are_answered_in_their_order(port: int) -> None:
    asked = [
        request("HEAD", LIST),
        request("GET", "/api/nope"),
        request("GET", LIST, "Content-Length: 4", body=b"{bad"),
        request("OPTIONS", LIST),
        request("GET", LIST, "Connection: close"),
    ]
    received = exchange(port, b"".join(asked))
    statuses = []
    for method in ("HEAD", "GET", "GET", "OPTIONS", "GET"):
        head, _, received = received.partition(b"\r\n\r\n")
        statuses.append(head[9:12])
        length = re.search(rb"content-length: (\d+)", head)
        assert length is not None, head
        received = received if method == "HEAD" else received[int(length[1]) :]
    assert statuses == [b"200", b"404", b"200", b"200", b"200"]
    assert received == b""


async def test_a_body_in_chunks_is_read_like_any_other(port: int) -> None:
    body = b"5\r\n{bad}\r\n0\r\n\r\n"
    sent = request(
        "POST",
        "/api/tags",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
        "Connection: close",
        body=body,
    )
    head, _, content = exchange(port, sent).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(content)["error"]["name"] == "SyntaxError"


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/api/../.env", 404),
        ("/api/%2e%2e/.env", 404),
        ("/uploads/../../.env", 403),
        ("/uploads/..%2f..%2f.env", 403),
        ("/.env", 404),
        ("/%ff", 400),
        ("/api/tags%00", 400),
        ("/api/tags?filters[label][$eq]=%ff", 200),
        ("/api/tags?" + "a=1&" * 3000, 200),
    ],
)
async def test_raw_paths_arrive_as_they_were_sent(
    target: str, status: int, client: SocketClient
) -> None:
    response = await client.request("GET", target, {"Authorization": full_access()})
    assert response.status == status
    assert response.media_type == "application/json"


async def test_what_is_no_http_is_refused_and_the_server_goes_on(
    port: int, client: SocketClient
) -> None:
    assert exchange(port, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert (await client.request("GET", "/_health")).status == 204
