"""A cancelled request gets a response and ends."""

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import running


@pytest.mark.whatever_the_database("the body of the request never comes")
async def test_a_cancelled_request_gets_503_and_its_task_is_cancelled(
    shared_recorded: Path,
) -> None:
    waits = asyncio.Event()
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        waits.set()
        never: asyncio.Future[MutableMapping[str, Any]] = asyncio.Future()
        return await never

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "raw_path": b"/api/tags",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-length", b"2")],
        "client": None,
    }
    async with running(build_app(load_settings(shared_recorded, environ={}))) as client:
        request = asyncio.ensure_future(client.app(scope, receive, send))
        await waits.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request

    assert [message.get("status") for message in sent] == [503, None]
