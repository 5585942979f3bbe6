"""Tells which encodings of a response a client accepts (RFC 9110, section 12.5.3)."""

import re
from typing import Final

GZIP: Final = b"gzip"
IDENTITY: Final = b"identity"
"""The encoding of a response that is not compressed."""
_ANY: Final = b"*"
_REFUSED: Final = re.compile(rb"\s*q\s*=\s*0(\.0*)?\s*")
"""The weight of an encoding that the client does not accept."""


def accepts_encoding(header: bytes, encoding: bytes) -> bool:
    """Tell whether a client with this ``Accept-Encoding`` accepts an encoding.

    ``header`` is empty for a client that sends none; ``encoding`` is in lower case. Whatever the
    client does not name is accepted like ``*``, and without that only `IDENTITY` is.
    """
    is_accepted = encoding == IDENTITY
    for item in header.lower().split(b","):
        name, _, weight = item.partition(b";")
        if name.strip() == encoding:
            return _REFUSED.fullmatch(weight) is None
        if name.strip() == _ANY:
            is_accepted = _REFUSED.fullmatch(weight) is None
    return is_accepted
