"""Imports, webhooks, and requests to addresses of users never call private addresses."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from quire import http
from quire.errors import ApplicationError
from quire.network import ForbiddenAddressError, resolve_host
from quire.uploads.remote_import import import_file
from quire.webhooks.http_client import post
from tests.hazards.test_imports import plain, serving

Reach = Callable[[str, Path], Awaitable[object]]


async def fetch(url: str, folder: Path) -> object:
    """Ask for a file to be imported."""
    return await import_file(url, folder, size_limit=1000)


async def call(url: str, folder: Path) -> object:
    """Call a webhook."""
    del folder
    return await post(url, {}, b"{}")


async def ask(url: str, folder: Path) -> object:
    """Send a request of the project's code to an address that a user gave."""
    del folder
    return await http.get(url, public_only=True)


async def ask_in_pieces(url: str, folder: Path) -> object:
    """Ask for a response in pieces."""
    del folder
    return [piece async for piece in http.stream(url, public_only=True)]


EVERYBODY = pytest.mark.parametrize("reach", [fetch, call, ask, ask_in_pieces])
REFUSED = (ApplicationError, httpx.TransportError)


@EVERYBODY
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:PORT/",
        "http://localhost:PORT/",
        "http://2130706433:PORT/",
        "http://0177.0.0.1:PORT/",
        "http://0x7f.1:PORT/",
        "http://0:PORT/",
        "http://0.0.0.0:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/",
        "http://[::]:PORT/",
        "http://LOCALHOST.:PORT/",
    ],
)
async def test_h098_this_machine_is_never_asked(reach: Reach, url: str, tmp_path: Path) -> None:
    async with serving(lambda _: plain(b"secret")) as (address, asked):
        target = url.replace("PORT", address.rpartition(":")[2])
        with pytest.raises(REFUSED):
            await reach(target, tmp_path)
    assert asked == []
    assert await asyncio.to_thread(lambda: [*tmp_path.iterdir()]) == []


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The addresses of host names, one per lookup."""
    responses: list[list[str]] = []

    async def lookup(host: str, port: int, **_: object) -> list[tuple[Any, ...]]:
        del host
        return [(socket.AF_INET, 1, 6, "", (address, port)) for address in responses.pop(0)]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", lambda _, *a, **o: lookup(*a, **o))
    return responses


@EVERYBODY
@pytest.mark.parametrize(
    "addresses",
    [
        ["8.8.8.8", "127.0.0.1"],
        ["169.254.169.254"],
        ["::ffff:10.0.0.1"],
        ["fe80::1%eth0"],
        ["64:ff9b::7f00:1"],
        [],
    ],
)
async def test_h098_a_name_that_leads_inside_is_not_followed(
    reach: Reach, addresses: list[str], lookups: list[list[str]], tmp_path: Path
) -> None:
    lookups.append(addresses)
    with pytest.raises(REFUSED):
        await reach("http://inside.example.org/", tmp_path)
    assert lookups == []


async def test_h098_a_name_is_looked_up_once_and_what_was_checked_is_asked(
    lookups: list[list[str]],
) -> None:
    """A name that leads outside first and inside then leads inside at no time."""
    lookups += [["8.8.8.8"], ["127.0.0.1"]]

    assert await resolve_host("rebinding.example.org", 80) == "8.8.8.8"
    with pytest.raises(ForbiddenAddressError):
        await resolve_host("rebinding.example.org", 80)


@EVERYBODY
async def test_h098_the_address_that_was_checked_is_the_one_that_is_connected_to(
    reach: Reach, lookups: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lookups += [["8.8.8.8"], ["127.0.0.1"]]
    connected: list[object] = []

    async def note(*places: object, **options: object) -> None:
        connected.append(options.get("remote_host", *places[:1]))
        raise OSError

    monkeypatch.setattr("asyncio.open_connection", note)
    monkeypatch.setattr("anyio.connect_tcp", note)
    with pytest.raises(REFUSED):
        await reach("http://rebinding.example.org/", tmp_path)
    assert [str(address) for address in connected] == ["8.8.8.8"]
    assert lookups == [["127.0.0.1"]]


async def test_h098_a_redirect_of_a_webhook_is_not_followed() -> None:
    async with serving(lambda _: plain(b"secret")) as (inner, asked):
        response = plain(b"", f"Location: {inner}/", status="302 Found")
        async with serving(lambda _: response) as (outer, _):
            delivered = await post(outer, {}, b"{}", private=True)
    assert (delivered.status, asked) == (302, [])


async def test_interim_responses_of_a_webhook_are_skipped() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    async with serving(lambda _: interim + plain(b"{}")) as (address, _):
        delivered = await post(address, {}, b"{}", private=True, read_body=True)
    assert (delivered.status, delivered.body) == (200, "{}")


def _lead_to(monkeypatch: pytest.MonkeyPatch, address: str) -> list[str]:
    """Connect to an address instead of those that were checked, which are returned."""
    connected: list[str] = []
    connect = anyio.connect_tcp

    async def lead(remote_host: str, remote_port: int, **options: object) -> object:
        connected.append(f"{remote_host}:{remote_port}")
        port = int(address.rpartition(":")[2])
        return await connect("127.0.0.1", port, **options)  # type: ignore[call-overload]  # as it was called

    monkeypatch.setattr("anyio.connect_tcp", lead)
    return connected


async def test_a_public_address_is_called_under_its_name(
    lookups: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups += [["2001:4860:4860::8888", "8.8.8.8"]]
    async with serving(lambda _: plain(b"found")) as (address, asked):
        connected = _lead_to(monkeypatch, address)
        response = await http.get("http://name.example.org:8080/a?b=c", public_only=True)
    assert (response.text, str(response.url)) == ("found", "http://name.example.org:8080/a?b=c")
    assert connected == ["2001:4860:4860::8888:8080"]
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("location", "resolved"),
    [
        ("http://inside.example.org/", [["10.0.0.1"]]),
        ("http://169.254.169.254/latest/meta-data", []),
        ("file:///etc/passwd", []),
    ],
)
async def test_each_redirect_is_checked(
    lookups: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    location: str,
    resolved: list[list[str]],
) -> None:
    lookups += [["8.8.8.8"], *resolved]
    response = plain(b"", f"Location: {location}", status="302 Found")
    async with serving(lambda _: response) as (address, asked):
        _lead_to(monkeypatch, address)
        with pytest.raises(httpx.TransportError):
            await http.get("http://outside.example.org/", public_only=True, follow_redirects=True)
    assert (len(asked), lookups) == (1, [])


async def test_redirects_to_public_addresses_are_followed(
    lookups: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups += [["8.8.8.8"], ["8.8.4.4"]]
    redirect = plain(b"", "Location: http://new.example.org/b", status="301 Moved")

    def respond(request: bytes) -> bytes:
        return plain(b"found") if b"Host: new.example.org" in request else redirect

    async with serving(respond) as (address, _):
        connected = _lead_to(monkeypatch, address)
        url = "http://old.example.org/a"
        response = await http.get(url, public_only=True, follow_redirects=True)
    assert (response.text, str(response.url)) == ("found", "http://new.example.org/b")
    assert connected == ["8.8.8.8:80", "8.8.4.4:80"]


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "gopher://example.org",
        "file:///etc/passwd",
        "http://",
        "",
        "x" * 70_000,
    ],
)
async def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(httpx.TransportError):
        await http.get(url, public_only=True)


async def test_the_projects_own_addresses_may_be_internal() -> None:
    async with serving(lambda _: plain(b"inside")) as (address, _):
        assert (await http.get(address)).text == "inside"


async def test_a_slow_public_server_is_not_waited_for(
    lookups: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups.append(["8.8.8.8"])
    async with trickling() as address:
        _lead_to(monkeypatch, address)
        with pytest.raises(httpx.TimeoutException):
            await http.get("http://slow.example.org/", public_only=True, timeout=0.3)


async def test_names_are_not_resolved_in_tests_of_projects(
    lookups: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text="made up"))
    monkeypatch.setattr(http, "transport", transport)
    assert (await http.get("https://a.example", public_only=True)).text == "made up"
    with pytest.raises(httpx.TransportError):
        await http.get("https://127.0.0.1", public_only=True)
    assert lookups == []


@asynccontextmanager
async def trickling() -> AsyncIterator[str]:
    """A server that sends a byte of a long response from time to time."""

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        with suppress(OSError):
            while not writer.is_closing():
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.05)

    server = await asyncio.start_server(send, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
