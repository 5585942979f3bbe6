"""Cached responses, each valid until a table that it was read from changes."""

from typing import NamedTuple

from quire.access.ability import Ability
from quire.content_api.http_messages import Response
from quire.database.versioned_cache import ContentVersions, VersionedCache
from quire.document_service.read_planner import Mode
from quire.metrics.caches import CacheCounter

_AROUND = 1000
"""The approximate size of a cached response besides its body: the key, the headers, the objects."""
_SMALLEST_SHARE = 8
"""A response is cached if there is room for so many of its size."""


class ResponseKey(NamedTuple):
    """The inputs of a response other than the content and its schema."""

    uid: str
    mode: Mode
    raw_query: bytes
    ability: Ability
    default_locale: str | None
    document_id: str | None
    is_nested: bool
    """Whether the v4 format was requested."""


class ResponseCache(VersionedCache[ResponseKey, Response]):
    """Caches responses, which are shared: do not modify them."""

    def __init__(
        self, versions: ContentVersions, size: int, counter: CacheCounter | None = None
    ) -> None:
        """The cache has at most ``size`` bytes; 0 disables it."""
        super().__init__(versions, size, counter, weigh=_bytes, largest=size // _SMALLEST_SHARE)


def _bytes(key: ResponseKey, response: Response) -> int:
    return len(response.body) + len(key.raw_query) + len(key.document_id or "") + _AROUND
