"""Cached responses, each valid until a table that it was read from changes."""

from typing import NamedTuple

from quire.access.ability import Ability
from quire.content_api.http_messages import Response
from quire.database.versioned_cache import ContentVersions, VersionedCache
from quire.document_service.read_planner import Mode
from quire.metrics.caches import CacheCounter

_RESPONSE_OVERHEAD = 1000
"""The approximate memory of a cached response in bytes, besides its body and query string."""
_MIN_RESPONSES = 8
"""At least so many responses fit into the cache: larger ones are not stored.

Otherwise a single large response could evict all others.
"""


class ResponseKey(NamedTuple):
    """Everything that a response depends on, except for the content and its schema.

    A missing input would show one caller the response of another.
    """

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
        super().__init__(
            versions, size, counter, weigh=_response_size, largest=size // _MIN_RESPONSES
        )


def _response_size(key: ResponseKey, response: Response) -> int:
    return len(response.body) + len(key.raw_query) + len(key.document_id or "") + _RESPONSE_OVERHEAD
