"""Query parameters given as Python values.

Code inside the server uses the query language of the content API: the same filters, orders and
populate objects, with numbers, booleans and datetimes instead of texts.

Query strings can be changed before they are parsed: a `RewrittenQuery` takes the place of the raw
query in a request. As bytes it is unlike any query string and unlike the same one of another route,
so that caches keep the two apart.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal

from quire.query.querystring import QueryValue, parse_query

Rewrite = Callable[[Mapping[str, QueryValue]], Mapping[str, object]]
"""Returns the query to serve for the one that was sent."""


class RewrittenQuery(bytes):
    """A raw query, marked by its route; ``original`` is the query as it was sent.

    ``query`` is the rewritten one.
    """

    original: bytes
    query: dict[str, QueryValue]


def rewrite_query(raw: bytes, route: str, rewrite: Rewrite) -> RewrittenQuery:
    """Return the rewritten form of a raw query on a route. Raises AppError as `parse_query` does.

    A request may be handled again, from the start: its query is rewritten once.
    """
    if isinstance(raw, RewrittenQuery):
        return raw
    rewritten = RewrittenQuery(b"\0" + route.encode() + b"\0" + raw)
    rewritten.original = raw
    parsed = parse_query(raw.decode("latin-1"))
    rewritten.query = {name: as_query(value) for name, value in rewrite(parsed).items()}
    return rewritten


def sent_query(raw: bytes) -> bytes:
    """Return the query of a request as it was sent."""
    return raw.original if isinstance(raw, RewrittenQuery) else raw


def read_query(raw: bytes) -> dict[str, QueryValue]:
    """Return the parsed query of a request, which is shared: do not modify it."""
    return raw.query if isinstance(raw, RewrittenQuery) else parse_query(raw.decode("latin-1"))


def as_query(value: object) -> QueryValue:
    """Return a value in the form of a parsed query string.

    Members of objects keep their order; other kinds of lists become lists. Raises TypeError for
    other values, including a datetime without a time zone.
    """
    match value:
        case None | str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _number(value)
        case Decimal():
            return f"{value:f}"
        case datetime() | date() | time():
            return _moment(value)
        case Mapping():
            return {_name(key): as_query(inner) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [as_query(item) for item in value]
        case _:
            raise TypeError(f"a query cannot hold {type(value).__name__}")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _moment(value: date | time) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError("a query cannot hold a moment without a time zone")
        moment = value.astimezone(UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z".rjust(24, "0")
    if isinstance(value, time):
        return value.isoformat("milliseconds")
    return value.isoformat()


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the members of a query are named by text, not by {type(key).__name__}")
    return key
