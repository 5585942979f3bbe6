"""The public internet: checks addresses and host names, to prevent requests to internal servers.

Requests on behalf of others resolve names here, once for each connection, and connect to exactly
the returned address. So neither a changed DNS response nor a redirect leads to this machine or its
network.
"""

import asyncio
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from quire.errors import QuireError

Address = IPv4Address | IPv6Address
Allows = Callable[[Address], bool]
"""Tells whether an address may be connected to."""

_NAT64 = IPv6Network("64:ff9b::/96")
"""The IPv6 range whose addresses end with an IPv4 address (RFC 6052)."""
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
"""The range for translation within a network (RFC 8215): where the IPv4 address is, is unknown."""

_INSIDE = (".localhost", ".local", ".internal")


class ForbiddenAddressError(QuireError):
    """A name resolves to a forbidden address."""


def is_public(address: Address) -> bool:
    """Tell whether an address is public, in whatever notation."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address.is_site_local or address in _LOCAL_NAT64:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def allow_all(address: Address) -> bool:  # noqa: ARG001 - where everything is allowed
    """Allow every address."""
    return True


def may_be_public(host: str) -> bool:
    """Tell whether a host may be public, by its notation alone."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return is_public(ip_address(name))
    except ValueError:
        pass
    if not name or name == "localhost" or "." not in name:
        return False
    # Resolvers accept 127.1, 0x7f.1 and the like as addresses.
    last = name.rpartition(".")[2]
    numeric = last.isdecimal() or last.startswith("0x")
    return not numeric and not name.endswith(_INSIDE)


async def resolve_host(host: str, port: int, allows: Allows = is_public) -> str:
    """Return the present address of a host.

    Raises ForbiddenAddressError when any of its addresses is forbidden.
    Raises OSError when there is no such host.
    """
    loop = asyncio.get_running_loop()
    name = host.strip("[]")
    try:
        found_addresses = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # an empty label, or a longer one than names can have
        raise OSError(f"{name} is no host name") from error
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found_addresses]
    if not addresses or not all(allows(ip_address(one)) for one in addresses):
        raise ForbiddenAddressError(host)
    return addresses[0]
