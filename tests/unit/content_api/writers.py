"""Writes to the recorded project, which has the recorded rows for every test."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quire.app import Application, build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials

APPLE = "kvs6ljh4bigue2ssvg2vmk14"
"""An article that is published in three locales, its drafts unchanged since."""
CAPITALS = "ctwz165unnvcn25xzvaf4p3k"
"""An article that is there in English only."""
ADA = "cdibofdtnmb6g0jakv57hg22"
"""An author."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A response, its body as JSON."""

    status: int
    headers: Mapping[str, str]
    json: Any


class Writer:
    """Sends requests with one token; ``full`` may do everything."""

    def __init__(self, client: AsgiClient) -> None:
        self._client = client
        self._tokens = credentials().api_tokens

    async def __call__(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = "full",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {self._tokens[token]}"
        content = b""
        if body is not None:
            sent["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        response = await self._client.request(method, path, sent, content)
        return Reply(response.status, response.headers, response.json)


@dataclass(frozen=True, slots=True)
class WriterApplication:
    """The recorded project, which is served, and who writes to it."""

    app: Application
    write: Writer


@asynccontextmanager
async def serve_writer(project: Path) -> AsyncIterator[WriterApplication]:
    """Serve a copy of the recorded project."""
    app = build_app(load_settings(project, environ={}))
    async with running(app) as client:
        yield WriterApplication(app, Writer(client))
