"""Downloads files from public URLs.

Each connection, including those of redirects, is made to an address that was checked. Nothing of
this server is sent except the request itself.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import httpcore

from quire.errors import ApplicationError, PayloadTooLargeError
from quire.network import Allows, ForbiddenAddressError, is_public, resolve_host
from quire.uploads.processing import IncomingFile

UNREACHABLE = "The file cannot be had from this address"
"""The same message for every reason, so that responses reveal nothing about internal servers."""

NO_ADDRESS = "Only http:// and https:// addresses without a user can be imported from"
_PORTS = {"http": 80, "https": 443}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 5
_LONGEST_URL = 4096
_TIMEOUT_SECONDS = 60.0
_CONNECT_SECONDS = 5.0
_UNFIT = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_LONGEST_NAME = 200
_OK = 200


async def import_file(
    url: str, folder: Path, *, size_limit: int, allows: Allows = is_public
) -> IncomingFile:
    """Download a file into a folder.

    Raises ApplicationError for an address that is not public or returns no file, and
    PayloadTooLargeError for a file beyond the limit.
    """
    target = folder / "imported"
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS), _pool(allows) as pool:
            return await _fetched(pool, url, target, size_limit)
    except (TimeoutError, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise ApplicationError(UNREACHABLE) from error
    except (httpcore.TimeoutException, httpcore.UnsupportedProtocol, OSError) as error:
        raise ApplicationError(UNREACHABLE) from error


def _pool(allows: Allows) -> httpcore.AsyncConnectionPool:
    return httpcore.AsyncConnectionPool(
        ssl_context=ssl.create_default_context(),
        network_backend=_CheckedNetwork(allows),
        max_keepalive_connections=0,
    )


async def _fetched(
    pool: httpcore.AsyncConnectionPool, url: str, target: Path, size_limit: int
) -> IncomingFile:
    for _ in range(_MAX_REDIRECTS + 1):
        _require_address(url)
        async with pool.stream("GET", url, headers=_headers(url), extensions=_TIMES) as response:
            headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in response.headers
            }
            if response.status in _REDIRECTS and "location" in headers:
                url = _redirect_target(url, headers["location"])
                continue
            if response.status != _OK or headers.get("content-encoding", "identity") != "identity":
                raise ApplicationError(UNREACHABLE)
            name = _name(url, headers)
            size = await _download(response, target, name, size_limit)
            declared = headers.get("content-type", "")
            return IncomingFile(path=target, name=name, declared=declared, size=size)
    raise ApplicationError(UNREACHABLE)


_TIMES = {"timeout": {"connect": _CONNECT_SECONDS, "read": 20.0, "write": 20.0, "pool": 5.0}}


def _redirect_target(url: str, location: str) -> str:
    """Return the URL that a response leads to. Raises ApplicationError for an invalid one."""
    try:
        return urljoin(url, location)
    except ValueError:
        raise ApplicationError(NO_ADDRESS) from None


def _require_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ApplicationError(NO_ADDRESS) from None
    plain = url.isascii() and url.isprintable() and " " not in url and len(url) <= _LONGEST_URL
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc or not plain:
        raise ApplicationError(NO_ADDRESS)
    if port == 0:
        raise ApplicationError(NO_ADDRESS)


def _headers(url: str) -> list[tuple[bytes | str, bytes | str]]:
    host = urlsplit(url).netloc
    return [("Host", host), ("Accept", "*/*"), ("Accept-Encoding", "identity")]


async def _download(response: httpcore.Response, target: Path, name: str, size_limit: int) -> int:
    size = 0
    with await asyncio.to_thread(target.open, "wb") as file:
        async with aclosing(_iterate_body(response)) as pieces:
            async for piece in pieces:
                size += len(piece)
                if size > size_limit:
                    raise PayloadTooLargeError(f"{name} exceeds the size limit.")
                await asyncio.to_thread(file.write, piece)
    if not size:
        raise ApplicationError(UNREACHABLE)
    return size


async def _iterate_body(response: httpcore.Response) -> AsyncGenerator[bytes, None]:
    async for piece in response.aiter_stream():
        yield piece


def _name(url: str, headers: Mapping[str, str]) -> str:
    """Return a name for the file: that of its server, or the end of its URL."""
    match = re.search(r'filename="?([^";]+)', headers.get("content-disposition", ""))
    last = unquote(urlsplit(url).path.rpartition("/")[2])
    name = _UNFIT.sub("_", match[1] if match else last).strip()[-_LONGEST_NAME:]
    return name if name.strip("._") else "file"


class _CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connects only to resolved and allowed addresses."""

    def __init__(self, allows: Allows) -> None:
        self._allows = allows
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - as the backend is called
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Resolve a host and connect to it, if all of its addresses are allowed."""
        try:
            address = await resolve_host(host, port, self._allows)
        except ForbiddenAddressError:
            raise httpcore.ConnectError(UNREACHABLE) from None
        return await self._inner.connect_tcp(
            address,
            port,
            timeout=timeout,
            local_address=local_address,
            socket_options=socket_options,
        )
