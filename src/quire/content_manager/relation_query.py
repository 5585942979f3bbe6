"""The query for entries of a relation, or for its candidates."""

from collections.abc import Mapping

from msgspec import Struct

from quire.content_manager.status_and_locale import Query, invalid_value
from quire.document_service.relation_input import row_id
from quire.query.filter_operators import OPERATORS, Operand
from quire.query.plan import Status
from quire.query.querystring import QueryValue
from quire.schema.attributes.number import parse_number

PAGE_SIZE, LARGEST_PAGE = 10, 100
LARGEST_NUMBER = 1_000_000_000
_MAX_OMITTED = 10_000
_CONTAINS = "$containsi"
_STATUS = 'Invalid option: expected one of "published"|"draft"'
_NOT_NUMBER = "Invalid input: expected number, received NaN"
_NOT_LIST = "Invalid input: expected array, received {}"


class RelationQuery(Struct, frozen=True, kw_only=True):
    """A request for related entries.

    ``id`` names the entry of the relation; ``omitted`` are rows that are not shown, and
    ``included`` those that are shown although they are linked already. ``term`` is searched by
    ``operator`` in the main field. ``raw`` is the query as it was sent.
    """

    raw: Query
    id: str | None
    page: int
    page_size: int
    status: Status | None
    term: str | None
    operator: str
    omitted: tuple[int, ...]
    included: tuple[int, ...]


def relation_query(query: Query, entry_id: str | None = None) -> RelationQuery:
    """Parse a request. Raises ValidationError with its first error."""
    value = query.get("id")
    parameter_id = value if isinstance(value, str) and value else None
    return RelationQuery(
        raw=query,
        id=parameter_id if entry_id is None else entry_id,
        page=_number(query, "page", 1, LARGEST_NUMBER),
        page_size=_number(query, "pageSize", PAGE_SIZE, LARGEST_PAGE),
        status=_status(query.get("status")),
        term=_search_term(query.get("_q")),
        operator=_operator(query.get("_filter")),
        omitted=_rows(query, "idsToOmit"),
        included=_rows(query, "idsToInclude"),
    )


def _number(query: Query, name: str, default: int, limit: int) -> int:
    value = query.get(name)
    if value is None or value == "":
        return default
    number = parse_number(value) if isinstance(value, str) else None
    if number is None or number != number:  # noqa: PLR0124 - what is no number
        raise invalid_value(name, _NOT_NUMBER)
    if number < 1:
        raise invalid_value(name, "Too small: expected number to be >=1")
    if number > limit:
        raise invalid_value(name, f"Too big: expected number to be <={limit}")
    if number != int(number):
        raise invalid_value(name, "Invalid input: expected int, received number")
    return int(number)


def _status(value: QueryValue) -> Status | None:
    match value:
        case None:
            return None
        case "draft" | "published":
            return value
        case _:
            raise invalid_value("status", _STATUS)


def _search_term(value: QueryValue) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    raise invalid_value("_q", "Invalid input: expected string, received object")


def _operator(value: QueryValue) -> str:
    """Return the operator of a search term: any that compares texts."""
    if isinstance(value, str) and value in OPERATORS:
        operator = OPERATORS[value]
        if operator.operand in {Operand.TEXT, Operand.VALUE}:
            return value
    return _CONTAINS


def _rows(query: Mapping[str, QueryValue], name: str) -> tuple[int, ...]:
    """Return the ids of rows in a list, without invalid ones."""
    value = query.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise invalid_value(
            name, _NOT_LIST.format("string" if isinstance(value, str) else "object")
        )
    texts = (item for item in value if isinstance(item, str))
    ids = (row_id(text) for text in texts if text.isascii() and text.isdecimal())
    return tuple(ids)[:_MAX_OMITTED]
