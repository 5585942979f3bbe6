"""Query parameters given as Python values.

Code inside the server uses the query language of the content API: the same filters, orders and
populate objects, with numbers, booleans and datetimes instead of texts.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal

from quire.query.querystring import QueryValue


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
