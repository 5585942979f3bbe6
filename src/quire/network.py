"""The public internet: checks addresses and host names, against requests to internal servers.

Whoever asks other servers on behalf of somebody else looks names up here, once for each connection,
and connects to exactly the address that they get. So neither another answer of the name service a
moment later nor a redirect leads inside, to this machine and those beside it.
"""

import asyncio
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from quire.errors import QuireError

Address = IPv4Address | IPv6Address
Allows = Callable[[Address], bool]
"""Tells whether an address may be connected to."""

_EMBEDDING = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""Addresses of version 6 that stand for ones of version 4."""

_INSIDE = (".localhost", ".local", ".internal")


class InsideError(QuireError):
    """A name leads to where nobody may be led."""


def is_public(address: Address) -> bool:
    """Tell whether an address is one of the public internet, whatever way it is written."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and any(address in network for network in _EMBEDDING):
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def allow_all(address: Address) -> bool:  # noqa: ARG001 - where everything is allowed
    """Allow every address."""
    return True


def may_be_public(host: str) -> bool:
    """Tell whether a host may be on the public internet, by how it is written alone."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return is_public(ip_address(name))
    except ValueError:
        pass
    if not name or name == "localhost" or "." not in name:
        return False
    # 127.1, 0x7f.1 and the like are addresses to those who look names up.
    last = name.rpartition(".")[2]
    numeric = last.isdecimal() or last.startswith("0x")
    return not numeric and not name.endswith(_INSIDE)


async def resolve_host(host: str, port: int, allows: Allows = is_public) -> str:
    """Return the address that a host has now.

    Raises InsideError when one of its addresses is not allowed: a name that leads inside is not to
    be trusted with the others either. Raises OSError when there is no such host.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
    if not addresses or not all(allows(ip_address(one)) for one in addresses):
        raise InsideError(host)
    return addresses[0]
