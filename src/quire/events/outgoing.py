"""Calls to other servers, on behalf of those who administer this one.

An address is looked up once, and what it leads to is called and nothing else: neither another
answer of the name service a moment later nor a redirect leads anywhere inside. Private addresses,
the machine itself among them, are refused unless the project says otherwise.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from quire.errors import ApplicationError

NOT_HTTP = "Only http:// and https:// addresses can be called"
NOT_FOUND = "The address cannot be found"
PRIVATE = "The address is not on the public internet"
_PORTS = {"http": 80, "https": 443}
_SECONDS = 10.0
_HEAD = 16_384
_LONGEST_LINE = 200


class Delivered(Struct, frozen=True, kw_only=True):
    """What became of a call: the status of the answer, and its phrase."""

    status: int
    reason: str


async def post(
    url: str, headers: Mapping[str, str], body: bytes, *, private: bool = False
) -> Delivered:
    """Send a body; the answer's own body is not read.

    With ``private`` private addresses are called too. Raises ApplicationError, in words for
    whoever asked, when the address may not be called, or does not answer in time.
    """
    parts = _split(url)
    try:
        async with asyncio.timeout(_SECONDS):
            address = await _address(parts, private=private)
            return await _send(parts, address, headers, body)
    except TimeoutError:
        raise ApplicationError("There was no answer within 10 seconds") from None
    except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ApplicationError("The call failed: there was no answer in HTTP") from error


def is_public(host: str) -> bool:
    """Tell whether a host may be on the public internet, by how it is written alone."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return ip_address(name).is_global
    except ValueError:
        pass
    if not name or name == "localhost" or "." not in name:
        return False
    # 127.1, 0x7f.1 and the like are addresses to those who look names up.
    last = name.rpartition(".")[2]
    numeric = last.isdecimal() or last.startswith("0x")
    return not numeric and not name.endswith((".localhost", ".local", ".internal"))


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
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise ApplicationError(NOT_FOUND) from None
    addresses = [str(entry[4][0]) for entry in found]
    # One that is private among several is reason enough: a name that leads inside is not to be
    # trusted with the others either.
    if not addresses or not (private or all(_is_global(one) for one in addresses)):
        raise ApplicationError(PRIVATE)
    return addresses[0], port


def _is_global(address: str) -> bool:
    found = ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    found = mapped if mapped is not None else found
    return found.is_global and not found.is_multicast


async def _send(
    parts: SplitResult, address: tuple[str, int], headers: Mapping[str, str], body: bytes
) -> Delivered:
    host = str(parts.hostname)
    over_tls = parts.scheme == "https"
    reader, writer = await asyncio.open_connection(
        *address,
        limit=_HEAD,
        ssl=ssl.create_default_context() if over_tls else None,
        server_hostname=host if over_tls else None,
    )
    try:
        writer.write(_request(parts, host, headers, body))
        await writer.drain()
        line = (await reader.readuntil(b"\r\n")).decode("latin-1").strip()
    finally:
        writer.close()
    version, _, rest = line.partition(" ")
    status, _, reason = rest.partition(" ")
    if not version.startswith("HTTP/") or not status.isdecimal():
        raise ValueError(line[:_LONGEST_LINE])
    return Delivered(status=int(status), reason=reason[:_LONGEST_LINE])


def _request(parts: SplitResult, host: str, headers: Mapping[str, str], body: bytes) -> bytes:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    shown = f"[{host}]" if ":" in host else host
    where = shown if parts.port is None else f"{shown}:{parts.port}"
    fields = {
        **headers,
        "Host": where,
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    if any(c in line for line in lines for c in "\r\n\0"):
        raise ValueError("a line break in a header")
    return "\r\n".join((*lines, "", "")).encode("utf-8") + body
