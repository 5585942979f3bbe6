"""The route table of the content API: each route with its action, which the caller must be granted.

A path consists of segments; those that begin with ``:`` match one segment of the request. If
several routes match, literal segments win over parameters.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote_to_bytes

from msgspec import Struct, field
from msgspec.structs import replace

from quire.access.ability import NO_PERMISSIONS, Ability
from quire.access.declared_routes import DeclaredRoute, QueryTypes
from quire.access.principal import Anonymous, Principal, describe_grantee
from quire.content_api.http_messages import Handler
from quire.errors import AccessDeniedError, BadRequestError, RejectedCredentialError
from quire.metrics.request_series import RequestSeries


class Authorizer:
    """Rejects forbidden actions.

    ``closed`` are content types and actions that are disabled, because JavaScript that guards them
    does not run here, or because no route has them.
    """

    def __init__(self, closed: Collection[str]) -> None:
        self._closed = closed

    def allows(self, ability: Ability, action: str | None, uid: str | None) -> bool:
        """Tell whether an ability allows an action; ``None`` needs no permission."""
        return not self._is_closed(action, uid) and (action is None or ability.allows(action))

    def _is_closed(self, action: str | None, uid: str | None) -> bool:
        return uid in self._closed or action in self._closed

    def require(self, principal: Principal, action: str | None, uid: str | None) -> None:
        """Check the permission for an action of a content type.

        Raises AccessDeniedError; RejectedCredentialError if visitors have no permissions at all.
        """
        if self.allows(principal.ability, action, uid):
            return
        if self._is_closed(action, uid):
            raise AccessDeniedError(
                f"{action or uid} is closed: JavaScript that guards it does not run"
            )
        if isinstance(principal, Anonymous) and principal.ability == NO_PERMISSIONS:
            raise RejectedCredentialError("the public role has no permissions")
        raise AccessDeniedError(f"{describe_grantee(principal)} lacks {action}")


METHODS = ("HEAD", "GET", "POST", "PUT", "PATCH", "DELETE")
"""The methods of routes, in the order in which ``Allow`` lists them."""


class Route(DeclaredRoute, frozen=True, kw_only=True):
    """A route that is served.

    The handler of a route that ``is_immediate`` obeys `Request.may_wait`: it raises WouldBlockError
    instead of waiting. A GET of it, or of one that ``runs_in_task``, needs no ASGI messages
    (`quire.content_api.fast_path`). A route that ``is_open`` needs no authentication. The response
    of a route that ``is_shared`` depends only on the path, the query and the principal. ``series``
    are those of its requests by status, without ``HEAD``.
    """

    handler: Handler
    is_immediate: bool = False
    runs_in_task: bool = False
    is_open: bool = False
    is_shared: bool = False
    series: dict[int, RequestSeries] = field(default_factory=dict)


class RouteGroup(Struct, frozen=True):
    """Makes routes that are described together: see `Route`.

    Their paths begin with ``prefix``, their actions with ``actions``.
    """

    tag: str
    prefix: str = ""
    actions: str = ""
    uid: str | None = None

    def __call__(  # noqa: PLR0913 - the facts of a route, given by name
        self,
        method: str,
        path: str,
        action: str | None,
        handler: Handler,
        *,
        response: object,
        body: object = None,
        query: QueryTypes | None = None,
        status: int = 200,
        streams: bool = False,
        other_responses: Mapping[int, object] | None = None,
        errors: tuple[int, ...] = (),
        is_immediate: bool = False,
        is_described: bool = True,
    ) -> Route:
        """Return a route; see `Route`."""
        return Route(
            method=method,
            path=f"{self.prefix}{path}",
            action=None if action is None else f"{self.actions}{action}",
            handler=handler,
            uid=self.uid,
            streams=streams,
            tag=self.tag,
            body=body,
            query=query,
            response=response,
            status=status,
            other_responses=other_responses or {},
            errors=errors,
            is_immediate=is_immediate,
            is_described=is_described,
        )


class _RouteNode(Struct):
    literal: "dict[bytes, _RouteNode]" = field(default_factory=dict)
    parameter: "_RouteNode | None" = None
    routes: dict[str, tuple[Route, tuple[str, ...]]] = field(default_factory=dict)


MatchedRoute = tuple[Route, Mapping[str, str]]
"""The route of a request and the values of its path parameters."""

_NO_PARAMETERS: Mapping[str, str] = {}


class RouteTable:
    """Finds the route of a request. Literal segments are case-insensitive."""

    def __init__(self, routes: Iterable[Route], prefix: str = "") -> None:
        """``prefix`` is the common prefix of paths in requests."""
        self.prefix = prefix
        # The labels of the series depend on the table.
        self.routes = tuple(replace(route, series={}) for route in routes)
        self._root = _RouteNode()
        self._literal_routes: dict[tuple[str, bytes], MatchedRoute] = {}
        for route in self.routes:
            self._add(route)
        self._parameter_routes = {
            key: matched_route
            for route in self.routes
            for key, matched_route in self._unambiguous_parameter_route(route)
        }

    def _unambiguous_parameter_route(
        self, route: Route
    ) -> Iterator[tuple[tuple[str, bytes], tuple[Route, str]]]:
        """Yield a route that ends in its only parameter and competes with no literal."""
        head, _, last = route.path.strip("/").rpartition("/")
        if not last.startswith(":") or ":" in head:
            return
        path = head.lower().encode().split(b"/")
        for node, _ in _walk(self._root, path, ()):
            if not node.literal and node.parameter and not node.parameter.literal:
                yield (route.method, b"/" + b"/".join(path)), (route, last[1:])

    def _add(self, route: Route) -> None:
        node = self._root
        names = []
        path = route.path.strip("/")
        for segment in path.split("/"):
            if segment.startswith(":"):
                names.append(segment[1:])
                node.parameter = node.parameter or _RouteNode()
                node = node.parameter
            else:
                node = node.literal.setdefault(segment.lower().encode(), _RouteNode())
        node.routes.setdefault(route.method, (route, tuple(names)))
        if not names:
            key = (route.method, b"/" + path.lower().encode())
            self._literal_routes.setdefault(key, (route, _NO_PARAMETERS))

    def find(self, method: str, raw_path: bytes) -> MatchedRoute | None:
        """Return the best route of a method and a path (percent-encoded, without the prefix).

        One trailing slash is ignored. Raises BadRequestError when a parameter cannot be decoded.
        """
        matched_route = self._literal_routes.get((method, raw_path))
        if matched_route is not None:
            return matched_route
        head, _, last = raw_path.rpartition(b"/")
        parameter_route = self._parameter_routes.get((method, head)) if last else None
        if parameter_route is not None:
            route, name = parameter_route
            return route, {name: decode_path(last)}
        for node, values in self._nodes(raw_path):
            route_and_names = node.routes.get(method)
            if route_and_names is not None:
                route, names = route_and_names
                return route, dict(zip(names, map(decode_path, values), strict=True))
        return None

    def methods(self, raw_path: bytes) -> frozenset[str]:
        """Return the methods of the routes at a path (percent-encoded, without the prefix)."""
        return frozenset(method for node, _ in self._nodes(raw_path) for method in node.routes)

    def _nodes(self, raw_path: bytes) -> Iterable[tuple[_RouteNode, tuple[bytes, ...]]]:
        segments = raw_path.removesuffix(b"/").split(b"/")[1:]
        return _walk(self._root, segments, ()) if segments else ()


def _walk(
    node: _RouteNode, segments: list[bytes], matched_segments: tuple[bytes, ...]
) -> Iterable[tuple[_RouteNode, tuple[bytes, ...]]]:
    """Yield the matching nodes, those with literal segments first, with their parameter values."""
    if not segments:
        yield node, matched_segments
        return
    segment, *other_segments = segments
    literal = node.literal.get(segment.lower())
    if literal is not None:
        yield from _walk(literal, other_segments, matched_segments)
    if node.parameter is not None and segment:
        yield from _walk(node.parameter, other_segments, (*matched_segments, segment))


_LONE_PERCENT = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def decode_path(path: bytes) -> str:
    """Percent-decode a path, or a segment of one.

    Raises BadRequestError for invalid UTF-8, and for a percent sign without two digits.
    """
    message = "failed to decode"
    if _LONE_PERCENT.search(path):
        raise BadRequestError(message)
    try:
        return (unquote_to_bytes(path) if b"%" in path else path).decode()
    except UnicodeDecodeError:
        raise BadRequestError(message) from None
