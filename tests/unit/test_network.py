"""Public addresses are distinguished from private ones in every notation."""

from ipaddress import ip_address

import pytest

from quire.network import is_public, may_be_public

INSIDE = (
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",  # noqa: S104 - an address that is asked for
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1:7f00:0:100:808:808",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "fc00::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
)


@pytest.mark.parametrize("address", INSIDE)
def test_h098_addresses_inside_are_known_in_every_spelling(address: str) -> None:
    assert not is_public(ip_address(address))
    assert not may_be_public(f"[{address}]" if ":" in address else address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::808:808"])
def test_addresses_outside_are_known(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    ("host", "public"),
    [
        ("example.com", True),
        ("8.8.8.8", True),
        ("localhost.", False),
        ("a.localhost", False),
        ("127.1", False),
        ("0x7f.1", False),
        ("2130706433", False),
        ("", False),
    ],
)
def test_hosts_are_told_apart_by_how_they_are_written(host: str, *, public: bool) -> None:
    assert may_be_public(host) is public
