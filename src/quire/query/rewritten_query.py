"""Query strings that are changed before they are parsed.

A `RewrittenQuery` takes the place of the raw query in a request. As bytes it is unlike any query
string and unlike the same one of another route, so that caches keep the two apart.
"""

from collections.abc import Callable, Mapping

from quire.query.parameters import as_query
from quire.query.querystring import QueryValue, parse_query

Rewrite = Callable[[Mapping[str, QueryValue]], Mapping[str, object]]
"""Makes the query that is served of the one that was sent."""


class RewrittenQuery(bytes):
    """A raw query, marked by its route; ``sent`` is the query as it was sent.

    ``query`` is what it was changed to.
    """

    sent: bytes
    query: dict[str, QueryValue]


def rewrite_query(raw: bytes, route: str, rewrite: Rewrite) -> RewrittenQuery:
    """Return what a raw query becomes on a route. Raises AppError as `parse_query` does.

    A request may be answered again, from the start: its query is changed once.
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
    """Return the parsed query of a request; shared between requests, so not to be changed."""
    return raw.query if isinstance(raw, RewrittenQuery) else parse_query(raw.decode("latin-1"))
