"""Query strings that are rewritten before they are parsed.

A `RewrittenQuery` replaces the raw query in a request. As bytes it is unequal to any query string
and to the same one of another route, so that caches distinguish the two.
"""

from collections.abc import Callable, Mapping

from quire.query.parameters import as_query
from quire.query.querystring import QueryValue, parse_query

Rewrite = Callable[[Mapping[str, QueryValue]], Mapping[str, object]]
"""Returns the query to serve for the one that was sent."""


class RewrittenQuery(bytes):
    """A raw query, marked by its route; ``sent`` is the query as it was sent.

    ``query`` is the rewritten one.
    """

    sent: bytes
    query: dict[str, QueryValue]


def rewrite_query(raw: bytes, route: str, rewrite: Rewrite) -> RewrittenQuery:
    """Return the rewritten form of a raw query on a route. Raises AppError as `parse_query` does.

    A request may be handled again, from the start: its query is rewritten once.
    """
    if isinstance(raw, RewrittenQuery):
        return raw
    rewritten = RewrittenQuery(b"\0" + route.encode() + b"\0" + raw)
    rewritten.sent = raw
    parsed = parse_query(raw.decode("latin-1"))
    rewritten.query = {name: as_query(value) for name, value in rewrite(parsed).items()}
    return rewritten


def sent_query(raw: bytes) -> bytes:
    """Return the query of a request as it was sent."""
    return raw.sent if isinstance(raw, RewrittenQuery) else raw


def read_query(raw: bytes) -> dict[str, QueryValue]:
    """Return the parsed query of a request, which is shared: do not modify it."""
    return raw.query if isinstance(raw, RewrittenQuery) else parse_query(raw.decode("latin-1"))
