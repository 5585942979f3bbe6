"""The routes of the content API: one table, each with its action.

A path is a row of segments; those that begin with ``:`` take one segment of the request. Where
several routes fit, segments that are spelled out win over parameters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from quire.api.messages import Handler
from quire.errors import BadRequestError

METHODS = ("HEAD", "GET", "POST", "PUT", "PATCH", "DELETE")
"""The methods that a route may have, in the order in which ``Allow`` lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A method and a path below the API's prefix.

    ``action`` is what the caller must be granted; ``None`` needs no permission. ``uid`` is the
    content type that the route belongs to, if any.
    """

    method: str
    path: str
    action: str | None
    handler: Handler
    uid: str | None = None


@dataclass(slots=True)
class _Node:
    literal: "dict[bytes, _Node]" = field(default_factory=dict)
    parameter: "_Node | None" = None
    routes: dict[str, tuple[Route, tuple[str, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Match:
    """The routes that fit a path, the best first, and the segments that parameters took."""

    routes: Mapping[str, tuple[Route, Mapping[str, str]]]

    @property
    def allow(self) -> str:
        """The methods of the path as ``Allow`` lists them."""
        methods = set(self.routes)
        if "GET" in methods:
            methods.add("HEAD")
        return ", ".join(method for method in METHODS if method in methods)


class RouteTable:
    """Finds the route of a request. Literal segments match in any case."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self._root = _Node()
        for route in self.routes:
            self._add(route)

    def _add(self, route: Route) -> None:
        node = self._root
        names = []
        for segment in route.path.strip("/").split("/"):
            if segment.startswith(":"):
                names.append(segment[1:])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literal.setdefault(segment.lower().encode(), _Node())
        node.routes.setdefault(route.method, (route, tuple(names)))

    def match(self, raw_path: bytes) -> Match | None:
        """Return the routes of a path below the prefix (percent-encoded, without the prefix).

        One trailing slash does not count. Raises BadRequestError when a parameter cannot be
        decoded.
        """
        segments = raw_path.removesuffix(b"/").split(b"/")[1:]
        if not segments:
            return None
        found: dict[str, tuple[Route, Mapping[str, str]]] = {}
        for node, taken in _walk(self._root, segments, ()):
            for method, (route, names) in node.routes.items():
                if method not in found:
                    values = (decode_segment(segment) for segment in taken)
                    found[method] = (route, dict(zip(names, values, strict=True)))
        return Match(found) if found else None


def _walk(
    node: _Node, segments: list[bytes], taken: tuple[bytes, ...]
) -> Iterable[tuple[_Node, tuple[bytes, ...]]]:
    if not segments:
        yield node, taken
        return
    first, *rest = segments
    literal = node.literal.get(first.lower())
    if literal is not None:
        yield from _walk(literal, rest, taken)
    if node.parameter is not None and first:
        yield from _walk(node.parameter, rest, (*taken, first))


def decode_segment(segment: bytes) -> str:
    """Percent-decode a path segment. Raises BadRequestError for what is no UTF-8."""
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        message = "failed to decode"
        raise BadRequestError(message) from None
