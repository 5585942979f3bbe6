"""File permissions that also apply to the superuser."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION_3 = 0x20080522
_EFFECTIVE = 0
_DAC_OVERRIDE, _DAC_READ_SEARCH, _FOWNER = 1, 2, 3
_IGNORING_PERMISSIONS = 1 << _DAC_OVERRIDE | 1 << _DAC_READ_SEARCH | 1 << _FOWNER


@contextmanager
def permissions_hold() -> Iterator[None]:
    """Let this thread, and those that it starts, be refused what the mode of a file refuses.

    Tests may run as root, who opens every file: the capabilities for that are put down and taken
    up again. For other users there is nothing to do.
    """
    if os.geteuid() != 0:
        yield
        return
    before = _capabilities()
    _set_capabilities([before[_EFFECTIVE] & ~_IGNORING_PERMISSIONS, *before[1:]])
    try:
        yield
    finally:
        _set_capabilities(before)


_libc = ctypes.CDLL(None, use_errno=True)
_header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)


def _capabilities() -> list[int]:
    """Return the effective, permitted and inheritable capabilities of this thread, in halves."""
    found = (ctypes.c_uint32 * 6)()
    _check(_libc.capget(_header, found))
    return list(found)


def _set_capabilities(wanted: list[int]) -> None:
    _check(_libc.capset(_header, (ctypes.c_uint32 * 6)(*wanted)))


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
