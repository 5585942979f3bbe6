"""``Cache-Control`` and tags for shared caches: a CDN, Varnish.

Only responses for visitors without credentials are marked public, and only if they show published
entries and depend on nothing else. All other responses of the content API are marked private then.
Tags name the content of a response; `quire.webhooks.cache_purge` tells caches which of it has
changed.
"""

from collections.abc import Iterator, Mapping

import structlog

from quire.access.ability import rules_of
from quire.access.principal import Anonymous
from quire.content_api.headers import Header
from quire.content_api.http_messages import NOT_MODIFIED, Request, Response
from quire.content_api.routes import Route
from quire.database.bounded_cache import BoundedCache
from quire.query.querystring import QueryValue
from quire.schema.attributes.base import (
    Attribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.model import FILE_UID, Schema
from quire.settings import CdnSettings

_ANY = "*"
_PRIVATE: Header = (b"cache-control", b"private, no-store")
_MARKABLE = (200, NOT_MODIFIED)
_READS = ("GET", "HEAD")
_CREDENTIALS = (b"authorization", b"cookie")
_VERSIONS: Mapping[str, str] = {"status": "published", "publicationState": "live"}
"""Parameters that choose versions of documents, with the value for published ones."""
_CREATORS = frozenset({"createdBy", "updatedBy"})
_UNSHARED_WORDS = _CREATORS | {"draft", "preview", "modified", "publicationFilter", "related"}
"""Words of queries that may refer to drafts, administrators, or uses of files."""
_OF_PROJECT = "api::"
_CACHE_SIZE = 2000
_MAX_CACHED_QUERY = 4096
"""A longer query would take more memory than what it saves is worth."""
_SEPARATORS = str.maketrans(dict.fromkeys(",.:", " "))

_log = structlog.get_logger("quire")

Tags = tuple[str, ...]


class SharedCaching:
    """Marks responses of the content API for shared caches."""

    def __init__(self, schema: Schema, settings: CdnSettings) -> None:
        """Content types of the settings that the schema lacks are logged."""
        self._values = {
            uid: value.encode("latin-1") for uid, value in settings.cache_control.items()
        }
        for uid in self._values.keys() - {_ANY, *(type_.uid for type_ in schema.api_types)}:
            _log.warning("cdn.cache_control names no content type of the API", uid=uid)
        self._header = settings.tag_header.lower().encode()
        self._separator = "," if settings.tag_header == "Cache-Tag" else " "
        self._tags = QueryTags(schema)

    def add_headers(self, request: Request, response: Response) -> Response:
        """Return a response with headers for caches.

        The given one, which may be shared, is unchanged. Responses with such headers are left as
        they are.
        """
        if _has_cache_control(response):
            return response
        return _add(response, self._public(request, response) or (_PRIVATE,))

    def _public(self, request: Request, response: Response) -> tuple[Header, ...]:
        """Return the headers of a public response, none if it is not public."""
        match = None if request.found is None else request.found[1]
        if match is None or not response.is_shared or response.status not in _MARKABLE:
            return ()
        route, parameters = match
        if not _is_for_everybody(request, route) or any(
            name == b"set-cookie" for name, _ in response.headers
        ):
            return ()
        value = self._values.get(route.uid or "", self._values.get(_ANY))
        if value is None:
            return ()
        tags = self._tags.response_tags(request, route, parameters.get("documentId"))
        if tags is None:
            return ()
        if not self._header:
            return ((b"cache-control", value),)
        return (
            (b"cache-control", value),
            (self._header, self._separator.join(tags).encode("ascii", "replace")),
        )


class PrivateCaching:
    """Marks all responses private, for a project whose requests have credentials of its own."""

    def add_headers(self, _request: Request, response: Response) -> Response:
        """See `SharedCaching.add_headers`."""
        return response if _has_cache_control(response) else _add(response, (_PRIVATE,))


def _has_cache_control(response: Response) -> bool:
    return any(name == b"cache-control" for name, _ in response.headers)


def _add(response: Response, headers: tuple[Header, ...]) -> Response:
    return Response(
        response.status,
        response.body,
        response.content_type,
        (*response.headers, *headers),
        tag=response.tag,
    )


def _is_for_everybody(request: Request, route: Route) -> bool:
    principal = getattr(request, "principal", None)
    return (
        route.is_shared
        and not request.is_guarded
        and request.method in _READS
        and isinstance(principal, Anonymous)
        # A header that is no credential here may be one to a proxy.
        and not any(name in request.headers for name in _CREDENTIALS)
        and not rules_of(principal.ability)
    )


class QueryTags:
    """Finds the content types that a response may show or depend on.

    Types are found by the names of attributes in the query, wherever they are: that may be more
    than it uses, and is never less.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._targets: dict[str, set[str]] = {}
        """The target types of attributes by name; an empty text means any type."""
        for model in (*schema.api_types, *schema.components.values()):
            for attribute in model.attributes.values():
                self._targets.setdefault(attribute.name, set()).update(_targets(attribute))
        self._of_components = {
            name for component in schema.components.values() for name in component.attributes
        }
        self._types_by_query: BoundedCache[tuple[str, bytes], frozenset[str] | None] = BoundedCache(
            _CACHE_SIZE
        )

    def response_tags(self, request: Request, route: Route, document_id: str | None) -> Tags | None:
        """Return the tags of a response; ``None`` if it must not be cached for others."""
        uid = route.uid or ""
        key = uid, request.raw_query
        related_types = self._types_by_query.get(key)
        if related_types is None and key not in self._types_by_query:
            related_types = self._related_types(uid, request.query)
            if len(request.raw_query) <= _MAX_CACHED_QUERY:
                self._types_by_query[key] = related_types
        if related_types is None:
            return None
        own_tag = uid if document_id is None else document_tag(uid, document_id)
        return (own_tag, *sorted(related_types - {own_tag}))

    def _related_types(self, uid: str, query: dict[str, QueryValue]) -> frozenset[str] | None:
        if any(query.get(name, value) != value for name, value in _VERSIONS.items()):
            return None
        words = set(_words(query))
        if words & _UNSHARED_WORDS:
            return None
        related_uids: set[str] = set().union(*(self._targets.get(word, set()) for word in words))
        if _ANY in words:
            closure = self._closure({uid, *related_uids})
            if closure is None:
                return None
            related_uids |= closure
        # There are no events for changes of other types, so caches could not be notified.
        has_events = all(uid == FILE_UID or uid.startswith(_OF_PROJECT) for uid in related_uids)
        return frozenset(related_uids) if has_events else None

    def _closure(self, uids: set[str]) -> set[str] | None:
        """Return all types that are related to some types, through components and other types.

        ``None`` if administrators may be shown.
        """
        reachable_uids = set(uids)
        pending_uids = list(uids)
        while pending_uids:
            uid = pending_uids.pop()
            if not uid.startswith(_OF_PROJECT):
                continue  # later relations are named in the query themselves
            content_type = self._schema.content_types[uid]
            if content_type.populate_creator_fields:
                return None
            names = content_type.attributes.keys() - _CREATORS
            for name in names | self._of_components:
                targets = self._targets.get(name, set()) - reachable_uids
                reachable_uids |= targets
                pending_uids += targets
        return reachable_uids


def document_tag(uid: str, document_id: str) -> str:
    """Return the tag of the response that shows one document."""
    return f"{uid}:{document_id}"


def _targets(attribute: Attribute) -> set[str]:
    match attribute:
        case RelationAttribute():
            return {attribute.target or ""}
        case MediaAttribute():
            return {FILE_UID}
        case _:
            return set()


def _words(value: QueryValue) -> Iterator[str]:
    """Yield the names and the words of values in a query."""
    match value:
        case dict():
            for name, inner in value.items():
                yield name
                if name == "populate" and inner == "true":
                    yield _ANY
                yield from _words(inner)
        case list():
            for inner in value:
                yield from _words(inner)
        case str():
            yield from value.translate(_SEPARATORS).split()
        case _:
            return
