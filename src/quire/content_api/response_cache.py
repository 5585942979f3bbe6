"""Cached responses, valid until something is committed (`quire.database.versioned_value`)."""

from collections import OrderedDict
from typing import NamedTuple

from quire.access.ability import Ability
from quire.content_api.messages import Response
from quire.database.versioned_value import VersionedValue
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


class CachedResponses:
    """Answers at one state of the content, of at most so many bytes.

    What was not asked for longest gives way.
    """

    def __init__(self, size: int, counter: CacheCounter | None = None) -> None:
        self._counter = counter or CacheCounter()
        self._responses: OrderedDict[ResponseKey, Response] = OrderedDict()
        self._size = size
        self._taken = 0

    def __len__(self) -> int:
        """Return how many answers are kept."""
        return len(self._responses)

    def get(self, question: ResponseKey) -> Response | None:
        """Return an answer, if it is kept. It is shared, so it is not to be changed."""
        response = self._responses.get(question)
        if response is None:
            self._counter.misses += 1
            return None
        self._counter.hits += 1
        self._responses.move_to_end(question)
        return response

    def keep(self, question: ResponseKey, response: Response) -> None:
        """Keep an answer, unless it would take the place of too many others."""
        taken = _bytes(question, response)
        if taken * _SMALLEST_SHARE > self._size:
            return
        former = self._responses.pop(question, None)
        if former is not None:  # two were on their way to the same answer
            self._taken -= _bytes(question, former)
        while self._taken + taken > self._size:
            self._taken -= _bytes(*self._responses.popitem(last=False))
        self._responses[question] = response
        self._taken += taken


class ResponseCache:
    """Keeps answers at the present state of the content. It is for the event loop alone."""

    def __init__(self, size: int, counter: CacheCounter | None = None) -> None:
        """At most ``size`` bytes are kept; with 0 nothing is."""
        self._size = size
        self._counter = counter or CacheCounter()
        self._kept: VersionedValue[CachedResponses] = VersionedValue()

    def at(self, version: int | None) -> CachedResponses | None:
        """Return what is kept at a version of the content.

        ``None`` means that nothing can be: the version is unknown, or there is no room at all.
        """
        if self._size == 0:
            return None
        return self._kept.get_or_make(version, self._make)

    def _make(self) -> CachedResponses:
        made = CachedResponses(self._size, self._counter)
        self._counter.entries = made.__len__
        return made


def _bytes(question: ResponseKey, response: Response) -> int:
    return len(response.body) + len(question.raw_query) + len(question.document_id or "") + _AROUND
