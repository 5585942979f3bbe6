"""``pagination``: by page or by offset, within limits."""

import math
from collections.abc import Mapping

from msgspec import Struct

from quire.errors import PaginationError, ValidationError
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import CheckStage
from quire.query.resolve.scope import ReadLimits, Scope
from quire.schema.attributes.number import parse_number

MIXED_PAGINATION = "Cannot use both page & offset pagination in the same query"
MISPLACED_PAGINATION = (
    "Invalid pagination attributes. "
    "The page parameters are incorrect and must be in the pagination object"
)
BAD_COUNT = 'Invalid withCount parameter. Expected "t","1","true","false","0","f"'
BAD_PAGE = "Invalid '{}' parameter. Expected an integer > 0, received: {}"
MAX_ROW = 2**63 - 1
"""The largest row number."""

_TRUE = frozenset({"true", "t", "1"})
_FALSE = frozenset({"false", "f", "0"})


class Pagination(Struct, frozen=True, kw_only=True):
    """The requested rows of a list, and its pagination metadata."""

    start: int
    limit: int
    with_count: bool
    by_page: bool

    def meta(self, total: int | None) -> dict[str, int]:
        """Return ``meta.pagination``; ``total`` is ``None`` when rows were not counted."""
        if self.by_page:
            page = self.start // self.limit + 1
            if total is None:
                return {"page": page, "pageSize": self.limit}
            pages = math.ceil(total / self.limit)
            return {"page": page, "pageSize": self.limit, "pageCount": pages, "total": total}
        if total is None:
            return {"start": self.start, "limit": self.limit}
        return {"start": self.start, "limit": self.limit, "total": total}


def resolve_pagination(query: Mapping[str, QueryValue], scope: Scope) -> Pagination:
    """Parse the pagination of a list. Errors are recorded, and a first page returned."""
    limits = scope.limits
    first = Pagination(
        start=0, limit=_cap(limits.default_limit, limits), with_count=False, by_page=True
    )
    if query.get("page") is not None or query.get("pageSize") is not None:
        scope.report_unconvertible(PaginationError(MISPLACED_PAGINATION))
        return first
    requested = query.get("pagination")
    options = requested if isinstance(requested, dict) else {}
    by_page = bool(options.keys() & {"page", "pageSize"})
    by_offset = bool(options.keys() & {"start", "limit"})
    if by_page and by_offset:
        scope.report_unconvertible(PaginationError(MIXED_PAGINATION))
        return first
    with_count = _with_count(options, scope)
    try:
        if by_offset:
            return _by_offset(options, limits, with_count=with_count)
        return _by_page(options, limits, with_count=with_count)
    except ValidationError as error:
        scope.report_unconvertible(error)
        return first


def _by_page(
    options: Mapping[str, QueryValue], limits: ReadLimits, *, with_count: bool
) -> Pagination:
    size = _limit(options, "pageSize", limits)
    page = max(_number(options["page"]), 1) if "page" in options else 1
    page = page if math.isnan(page) or page != int(page) else int(page)
    start = _position((page - 1) * size)
    return Pagination(
        start=start,
        limit=_whole_limit(size),
        with_count=with_count,
        by_page=True,
    )


def _by_offset(
    options: Mapping[str, QueryValue], limits: ReadLimits, *, with_count: bool
) -> Pagination:
    start = max(_number(options["start"]), 0) if "start" in options else 0
    return Pagination(
        start=_position(start),
        limit=_whole_limit(_limit(options, "limit", limits)),
        with_count=with_count,
        by_page=False,
    )


def _number(value: QueryValue) -> float:
    """Parse a number as JavaScript does: empty text is 0, other text is NaN."""
    if isinstance(value, list) and len(value) <= 1:
        return _number(value[0]) if value else 0
    if value is None or value == "":
        return 0
    number = parse_number(value) if isinstance(value, str) else None
    return math.nan if number is None else number


def _limit(options: Mapping[str, QueryValue], name: str, limits: ReadLimits) -> float:
    """Parse a page size: never under 1, never over the maximum; words mean the maximum."""
    if options.get(name) is None:
        return _cap(limits.default_limit, limits)
    limit = _number(options[name])
    if math.isnan(limit):
        return limits.max_limit if limits.max_limit is not None else limits.default_limit
    limit = max(limit, 1)
    return limit if limits.max_limit is None else min(limit, limits.max_limit)


def _cap(limit: int, limits: ReadLimits) -> int:
    return limit if limits.max_limit is None else min(limit, limits.max_limit)


def _whole_limit(limit: float) -> int:
    if limit != int(limit):
        message = f"convertLimitQueryParams expected a positive integer got {limit}"
        raise ValidationError(message)
    return min(int(limit), MAX_ROW)


def _position(start: float) -> int:
    if start > MAX_ROW:  # first, since it may be beyond any float
        message = f"convertStartQueryParams expected a number up to {MAX_ROW}"
        raise ValidationError(message)
    if math.isnan(start) or start != int(start):
        text = "NaN" if math.isnan(start) else start
        message = f"convertStartQueryParams expected a positive integer got {text}"
        raise ValidationError(message)
    return int(start)


def _with_count(options: Mapping[str, QueryValue], scope: Scope) -> bool:
    if "withCount" not in options:
        return scope.limits.with_count
    option = options["withCount"]
    if isinstance(option, str) and option in _TRUE:
        return True
    if isinstance(option, str) and option in _FALSE:
        return False
    scope.findings.add((CheckStage.COUNTING,), ValidationError(BAD_COUNT))
    return False


def root_window(query: Mapping[str, QueryValue]) -> tuple[int, int | None]:
    """Parse root ``start`` and ``limit`` of endpoints without pages: ``(start, limit or None)``.

    A root ``page`` or ``pageSize`` has no effect. Raises PaginationError or ValidationError for
    invalid windows.
    """
    _check_pages(query)
    start = _number(query.get("start"))
    if start < 0:
        message = f"convertStartQueryParams expected a positive integer got {start}"
        raise ValidationError(message)
    limit = _number(query.get("limit"))
    if math.isnan(limit):
        message = "convertLimitQueryParams expected a positive integer got NaN"
        raise ValidationError(message)
    return _position(start), _whole_limit(limit) if limit > 0 else None


def _check_pages(query: Mapping[str, QueryValue]) -> None:
    paged = [name for name in ("page", "pageSize") if query.get(name) is not None]
    if paged and (query.get("start") is not None or query.get("limit") is not None):
        raise PaginationError(MISPLACED_PAGINATION)
    for name in paged:
        number = _number(query[name])
        if not number > 0 or number != int(number):
            raise PaginationError(BAD_PAGE.format(name, query[name]))
