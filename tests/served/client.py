"""An HTTP client for many small requests: one persistent connection, with a timeout."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httptools

PATIENCE_SECONDS = 60
"""How long a response may take; whoever takes longer hangs."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - as JSON gives it
        return json.loads(self.body)


class _Parser:
    """Takes a response apart as it arrives."""

    def __init__(self, *, has_body: bool) -> None:
        self.is_complete = False
        self.headers: dict[str, str] = {}
        self.body = b""
        self._has_body = has_body
        self.parser = httptools.HttpResponseParser(self)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode().lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self.is_complete = not self._has_body

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.is_complete = True


class Client:
    """Sends one request after the other; connects again when the server has closed."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port or 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Response:
        """Send a request. Raises TimeoutError when it is not responded to in time."""
        lines = [f"{method} {target} HTTP/1.1", "Host: x"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        text = "\r\n".join([*lines, "", ""]).encode() + (body or b"")
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self._exchange(text, has_body=method != "HEAD")

    async def _exchange(self, request: bytes, *, has_body: bool) -> Response:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(request)
        parser = _Parser(has_body=has_body)
        while not parser.is_complete:
            data = await reader.read(262_144)
            if not data:
                raise ConnectionError(f"no response to {request[:200]!r}")
            parser.parser.feed_data(data)
        if not parser.parser.should_keep_alive() or parser.headers.get("connection") == "close":
            await self.close()
        return Response(parser.parser.get_status_code(), parser.headers, parser.body)

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()
            self._streams = None
