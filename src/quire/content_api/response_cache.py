"""Cached responses, each valid until a table that it was read from changes."""

from typing import NamedTuple

from quire.access.ability import Ability
from quire.content_api.messages import Response
from quire.database.content_versions import ContentVersions, VersionedCache
from quire.document_service.read_planner import Mode
from quire.metrics.caches import CacheCounter

_AROUND = 1000
"""About how many bytes an answer takes besides its body: the question, the headers, the objects."""
_SMALLEST_SHARE = 8
"""An answer is kept if there is room for so many of its size."""


class ResponseKey(NamedTuple):
    """Whatever an answer depends on besides the content and its schema."""

    uid: str
    mode: Mode
    raw_query: bytes
    ability: Ability
    default_locale: str | None
    document_id: str | None
    is_nested: bool
    """Whether it is asked for in the older format."""


class ResponseCache(VersionedCache[ResponseKey, Response]):
    """Keeps answers, which are shared: they are not to be changed."""

    def __init__(
        self, versions: ContentVersions, size: int, counter: CacheCounter | None = None
    ) -> None:
        """At most ``size`` bytes are kept; with 0 nothing is."""
        super().__init__(versions, size, counter, weigh=_bytes, largest=size // _SMALLEST_SHARE)


def _bytes(question: ResponseKey, response: Response) -> int:
    return len(response.body) + len(question.raw_query) + len(question.document_id or "") + _AROUND
