"""Streamed uploads: bounded memory, and no files of interrupted uploads."""

import gc
import json
import tracemalloc
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

import pytest

from quire.app import Application, build_app
from quire.settings import load_settings
from tests.conformance.client import (
    AsgiClient,
    ClientResponse,
    Message,
    Receive,
    Scope,
    Send,
    running,
)
from tests.conformance.corpus import credentials
from tests.conformance.forms import BOUNDARY, FORM_TYPE

MEGABYTE = 1_000_000
PIECE = bytes(64 * 1024)
HEAD = (
    f"--{BOUNDARY}\r\n"
    'Content-Disposition: form-data; name="files"; filename="large.bin"\r\n'
    "Content-Type: application/octet-stream\r\n\r\n"
).encode()
TAIL = f"\r\n--{BOUNDARY}--\r\n".encode()
GONE = None
"""In the place of a piece: whoever sent the others is not there any more."""


@pytest.fixture
async def application(own_recorded: Path) -> AsyncIterator[Application]:
    application = build_app(load_settings(own_recorded, environ={}))
    async with running(application):
        yield application


async def send(
    application: Application, pieces: Iterable[bytes | None], *, door: str = "/api/upload"
) -> ClientResponse:
    """Send a body in these pieces."""

    async def asgi(scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        left = iter(pieces)

        async def take() -> Message:
            piece = next(left, b"")
            if piece is GONE:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": piece, "more_body": piece != b""}

        await application(scope, take, send)

    token = credentials().api_tokens["full"]
    if not door.startswith("/api"):
        token = await _administrator(application)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": FORM_TYPE}
    return await AsgiClient(asgi).request("POST", door, headers)


async def _administrator(application: Application) -> str:
    body = json.dumps({"email": "admin@example.com", "password": "Password123!"}).encode()
    headers = {"Content-Type": "application/json"}
    response = await AsgiClient(application).request("POST", "/admin/login", headers, body)
    return str(json.loads(response.content)["data"]["token"])


def large(size: int) -> Iterator[bytes]:
    """A form with a file of this size, as it comes."""
    yield HEAD
    for _ in range(size // len(PIECE)):
        yield PIECE
    yield TAIL


def kept(application: Application) -> set[str]:
    settings = application.settings
    return {path.name for path in (settings.project / settings.uploads.directory).iterdir()}


def temporary(application: Application) -> list[Path]:
    settings = application.settings
    folder = settings.project / settings.uploads.temporary_directory
    return sorted(folder.rglob("*")) if folder.exists() else []


async def test_h101_a_large_file_takes_no_more_memory_than_a_few_pieces(
    application: Application,
) -> None:
    await send(application, large(MEGABYTE))  # what is made once is there
    gc.collect()
    tracemalloc.start()
    try:
        response = await send(application, large(64 * MEGABYTE))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    (file,) = json.loads(response.content)
    assert file["size"] > 63_000
    assert peak < 8 * MEGABYTE


async def test_h101_memory_does_not_grow_from_upload_to_upload(application: Application) -> None:
    for _ in range(3):
        await send(application, large(MEGABYTE))
    gc.collect()
    growths = []
    tracemalloc.start()
    try:
        for _ in range(3):
            before, _ = tracemalloc.get_traced_memory()
            for _ in range(6):
                assert (await send(application, large(MEGABYTE))).status == 201
            gc.collect()
            after, peak = tracemalloc.get_traced_memory()
            growths.append(after - before)
    finally:
        tracemalloc.stop()

    # What the process keeps for another reason, it keeps once; uploads would add to each round.
    assert min(growths) < MEGABYTE / 5, growths
    assert peak < 8 * MEGABYTE


@pytest.mark.parametrize("door", ["/api/upload", "/upload", "/upload?id=9", "/api/upload?id=9"])
async def test_h095_who_goes_away_in_the_middle_leaves_nothing(
    application: Application, door: str
) -> None:
    before = kept(application)
    whole = [HEAD, *[PIECE] * 20, TAIL]
    for count in (0, 1, 2, 19, 21):
        response = await send(application, [*whole[:count], GONE], door=door)
        assert 400 <= response.status < 500, count

    assert kept(application) == before
    assert temporary(application) == []
