"""Imports and webhooks never call private addresses."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

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


EVERYBODY = pytest.mark.parametrize("reach", [fetch, call])


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
        with pytest.raises(ApplicationError):
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
    with pytest.raises(ApplicationError):
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
    with pytest.raises(ApplicationError):
        await reach("http://rebinding.example.org/", tmp_path)
    assert [str(address) for address in connected] == ["8.8.8.8"]
    assert lookups == [["127.0.0.1"]]


async def test_h098_a_redirect_of_a_webhook_is_not_followed() -> None:
    async with serving(lambda _: plain(b"secret")) as (inner, asked):
        response = plain(b"", f"Location: {inner}/", status="302 Found")
        async with serving(lambda _: response) as (outer, _):
            delivered = await post(outer, {}, b"{}", private=True)
    assert (delivered.status, asked) == (302, [])
