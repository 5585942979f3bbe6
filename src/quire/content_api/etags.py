"""``ETag`` and ``If-None-Match``."""

import hashlib
from collections.abc import Mapping

_DIGEST_BYTES = 16


def tag_of(body: bytes) -> bytes:
    """Return the tag of a body: the same bytes have the same tag, in every process."""
    digest = hashlib.blake2b(body, digest_size=_DIGEST_BYTES, usedforsecurity=False)
    return b'"%s"' % digest.hexdigest().encode()


def tags_known(headers: Mapping[bytes, bytes]) -> frozenset[bytes] | None:
    """Return the tags of what a client has, ``None`` when it does not say.

    Weak tags come as strong ones: to have the same bytes is to have the same.
    """
    listed = headers.get(b"if-none-match")
    if listed is None:
        return None
    tags = (tag.strip().removeprefix(b"W/") for tag in listed.split(b","))
    return frozenset(tag for tag in tags if tag)


def is_known(tag: bytes, known: frozenset[bytes]) -> bool:
    """Tell whether a client has what a tag stands for; ``*`` is whatever there is."""
    return tag in known or b"*" in known
