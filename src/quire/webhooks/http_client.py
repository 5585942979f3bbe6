"""HTTP requests to webhooks.

Private addresses, including the machine itself, are refused unless the project allows them, and
redirects are not followed.
"""

import asyncio
import re
import ssl
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

import httptools
from msgspec import Struct

from quire.errors import ApplicationError
from quire.network import ForbiddenAddressError, allow_all, is_public, resolve_host

NOT_HTTP = "Only http:// and https:// addresses can be called"
NOT_FOUND = "The address cannot be found"
PRIVATE = "The address is not on the public internet"
_RESERVED_HEADERS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers of the connection or the message framing, which only the sender sets."""
_PORTS = {"http": 80, "https": 443}
_TIMEOUT_SECONDS = 10.0
_BODY_SECONDS = 3.0
_INTERIM_STATUSES = frozenset({100, 102, 103})
"""Statuses of responses that another one follows, whether the request has asked for them or not."""
_STATUS = re.compile(r"[0-9]{3}")
_HEAD = 16_384
_LONGEST_LINE = 200


class DeliveryResponse(Struct, frozen=True, kw_only=True):
    """The result of a call: the status of the response, and its phrase.

    ``headers`` and ``body`` are set if they were asked for; the body up to its first 16 KB.
    """

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""


async def post(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    private: bool = False,
    method: str = "POST",
    read_body: bool = False,
) -> DeliveryResponse:
    """Send a body; of the response the status line is read, and all of it with ``read_body``.

    With ``private`` private addresses are called too; ``method`` is another one for caches. Raises
    ApplicationError, with a message for people, when the address may not be called, or does not
    respond in time.
    """
    parts = _split(url)
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            address = await _address(parts, private=private)
            request = _request(method, parts, headers, body)
            return await _send(parts, address, request, read_body=read_body)
    except TimeoutError:
        raise ApplicationError("There was no answer within 10 seconds") from None
    except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ApplicationError("The call failed: there was no answer in HTTP") from error


def is_reserved(name: str) -> bool:
    """Tell whether a header, in any case, cannot be configured for a webhook."""
    return name.lower() in _RESERVED_HEADERS


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ApplicationError(NOT_HTTP) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ApplicationError(NOT_HTTP)
    return parts


async def _address(parts: SplitResult, *, private: bool) -> tuple[str, int]:
    host, port = str(parts.hostname), parts.port or _PORTS[parts.scheme]
    try:
        return await resolve_host(host, port, allow_all if private else is_public), port
    except ForbiddenAddressError:
        raise ApplicationError(PRIVATE) from None
    except OSError:
        raise ApplicationError(NOT_FOUND) from None


async def _send(
    parts: SplitResult, address: tuple[str, int], request: bytes, *, read_body: bool
) -> DeliveryResponse:
    host = str(parts.hostname)
    over_tls = parts.scheme == "https"
    reader, writer = await asyncio.open_connection(
        *address,
        limit=_HEAD,
        ssl=ssl.create_default_context() if over_tls else None,
        server_hostname=host if over_tls else None,
    )
    try:
        writer.write(request)
        await writer.drain()
        raw_line, status, reason = await _read_status(reader)
        while status in _INTERIM_STATUSES:
            while await reader.readuntil(b"\r\n") != b"\r\n":
                pass
            raw_line, status, reason = await _read_status(reader)
        received = await _read_whole(raw_line, reader) if read_body else _ReceivedParts()
    finally:
        writer.close()
    return DeliveryResponse(
        status=status,
        reason=reason[:_LONGEST_LINE],
        headers=tuple(received.headers),
        body=bytes(received.body[:_HEAD]).decode("utf-8", "replace"),
    )


async def _read_status(reader: asyncio.StreamReader) -> tuple[bytes, int, str]:
    """Read a status line; return it with its status and reason. Raises ValueError for others."""
    raw_line = await reader.readuntil(b"\r\n")
    line = raw_line.decode("latin-1").strip()
    version, _, status_and_reason = line.partition(" ")
    status, _, reason = status_and_reason.partition(" ")
    if not version.startswith("HTTP/") or _STATUS.fullmatch(status) is None:
        raise ValueError(line[:_LONGEST_LINE])
    # Databases cannot store all control characters.
    return raw_line, int(status), "".join(filter(str.isprintable, reason))


class _ReceivedParts:
    """Receives the headers and the body of a response from `httptools.HttpResponseParser`."""

    def __init__(self) -> None:
        self.headers: list[tuple[str, str]] = []
        self.body = bytearray()
        self.is_complete = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.decode("latin-1"), value.decode("latin-1")))

    def on_body(self, part: bytes) -> None:
        self.body += part

    def on_message_complete(self) -> None:
        self.is_complete = True


async def _read_whole(line: bytes, reader: asyncio.StreamReader) -> _ReceivedParts:
    """Read a response after its status line, until it ends, reaches the limit or times out."""
    received = _ReceivedParts()
    parser = httptools.HttpResponseParser(received)
    length = 0
    # An incomplete or slow body is shown as far as it was read: the status is known.
    with suppress(TimeoutError, OSError, httptools.HttpParserError):
        async with asyncio.timeout(_BODY_SECONDS):
            part = line
            while part and not received.is_complete and length < 2 * _HEAD:
                parser.feed_data(part)
                length += len(part)
                if not received.is_complete:
                    part = await reader.read(_HEAD)
    return received


def _request(method: str, parts: SplitResult, headers: Mapping[str, str], body: bytes) -> bytes:
    host = str(parts.hostname)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host_text = f"[{host}]" if ":" in host else host
    host_header = host_text if parts.port is None else f"{host_text}:{parts.port}"
    # Names are case-insensitive; of two values, the last one counts.
    fields = {
        name.lower(): (name, value)
        for name, value in headers.items()
        if name and not is_reserved(name)
    }
    own_fields = {"Host": host_header, "Content-Length": str(len(body)), "Connection": "close"}
    lines = [
        f"{method} {target} HTTP/1.1",
        *(f"{n}: {v}" for n, v in (*fields.values(), *own_fields.items())),
    ]
    if any(character in line for line in lines for character in "\r\n\0"):
        raise ValueError("a line break in a header")
    return "\r\n".join((*lines, "", "")).encode("utf-8") + body
