"""Imports from URLs never call private addresses."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path

import pytest

from quire.errors import ApplicationError, PayloadTooLargeError
from quire.uploads.processing import IncomingFile
from quire.uploads.remote_import import import_file

Server = Callable[[bytes], bytes]


@asynccontextmanager
async def serving(response: Server) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Serve requests on this machine; yields the address and the requests."""
    asked: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        asked.append(request)
        writer.write(response(request))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"http://127.0.0.1:{port}", asked


def plain(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers])
    return f"{head}\r\n\r\n".encode() + body


async def from_here(url: str, folder: Path, size_limit: int = 1000) -> IncomingFile:
    """Import as if this machine were outside."""
    return await import_file(url, folder, size_limit=size_limit, allows=lambda _: True)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "gopher://example.org/",
        "ftp://example.org/a",
        "//example.org/a",
        "example.org",
        "",
        "http://",
        "http://user:password@example.org/",
        "http://user@example.org/",
        "http://example.org:99999/",
        "http://example.org:0/",
        "http://[::1/",
        "http://example.org/a b",
        "http://example.org/\r\nX: y",
        "http://ex\u00e4mple.org/",
        "http://example.org/" + "a" * 5000,
        "http://example..org/",
        f"http://{'a' * 64}.org/",
    ],
)
async def test_h098_only_addresses_of_the_web_are_imported_from(url: str, tmp_path: Path) -> None:
    with pytest.raises(ApplicationError):
        await import_file(url, tmp_path, size_limit=1000)


async def test_h098_a_redirect_leads_nowhere_inside(tmp_path: Path) -> None:
    """The first address is allowed, what it leads to is checked like any other."""
    async with serving(lambda _: plain(b"secret")) as (inner, asked):
        location = f"Location: {inner.replace('127.0.0.1', '127.0.0.2')}/secret"
        async with serving(lambda _: plain(b"", location, status="302 Found")) as (outer, _):
            with pytest.raises(ApplicationError, match="cannot be had"):
                await import_file(
                    outer,
                    tmp_path,
                    size_limit=1000,
                    allows=lambda address: address == ip_address("127.0.0.1"),
                )
        assert asked == []


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "gopher://127.0.0.1/", "http://a@b/", "http://["]
)
async def test_h098_a_redirect_leads_to_the_web_alone(location: str, tmp_path: Path) -> None:
    head = f"Location: {location}"
    async with serving(lambda _: plain(b"", head, status="301 Moved")) as (outer, _):
        with pytest.raises(ApplicationError):
            await from_here(outer, tmp_path)


async def test_h098_redirects_have_an_end(tmp_path: Path) -> None:
    async with serving(lambda _: plain(b"", "Location: /", status="307 Again")) as (url, asked):
        with pytest.raises(ApplicationError):
            await from_here(url, tmp_path)
    assert len(asked) == 6


async def test_a_file_is_imported_with_its_name_and_type(tmp_path: Path) -> None:
    async with serving(lambda _: plain(b"hello", "Content-Type: text/plain")) as (url, asked):
        found = await from_here(f"{url}/folder/My%20Notes.txt?x=1", tmp_path)
    assert (found.name, found.declared, found.size) == ("My Notes.txt", "text/plain", 5)
    assert found.path.read_bytes() == b"hello"
    (request,) = asked
    names = {line.partition(b":")[0].lower() for line in request.split(b"\r\n")[1:] if line}
    assert names == {b"host", b"accept", b"accept-encoding"}


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="a.png"', "a.png"),
        ('attachment; filename="../../etc/passwd"', ".._.._etc_passwd"),
        ('attachment; filename=".."', "file"),
        ("inline", "x.txt"),
    ],
)
async def test_names_of_other_servers_are_made_plain(
    disposition: str, name: str, tmp_path: Path
) -> None:
    head = f"Content-Disposition: {disposition}"
    async with serving(lambda _: plain(b"x", head)) as (url, _):
        assert (await from_here(f"{url}/x.txt", tmp_path)).name == name


@pytest.mark.parametrize(
    "response",
    [
        plain(b"x", status="404 Not Found"),
        plain(b""),
        plain(b"x", "Content-Encoding: gzip"),
        b"no HTTP at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
        b"",
    ],
    ids=range(7),
)
async def test_what_is_no_file_is_refused(response: bytes, tmp_path: Path) -> None:
    async with serving(lambda _: response) as (url, _):
        with pytest.raises(ApplicationError, match="cannot be had"):
            await from_here(url, tmp_path)


async def test_h098_files_beyond_the_limit_are_given_up(tmp_path: Path) -> None:
    endless = b"HTTP/1.1 200 OK\r\n\r\n" + bytes(2000)
    async with serving(lambda _: endless) as (url, _):
        with pytest.raises(PayloadTooLargeError):
            await from_here(url, tmp_path)


async def test_h098_a_server_that_never_answers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.uploads.remote_import._TIMEOUT_SECONDS", 0.2)

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    handle: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]] = wait
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        with pytest.raises(ApplicationError, match="cannot be had"):
            await from_here(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", tmp_path)
