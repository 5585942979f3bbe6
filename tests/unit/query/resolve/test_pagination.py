"""Pagination: every form, every limit, and the metadata."""

from collections.abc import Callable

import pytest

from quire.errors import PaginationError, ValidationError
from quire.query.querystring import parse_query
from quire.query.resolve import Pagination, ReadLimits, ResolvedRead
from quire.query.resolve.pagination import MAX_ROW, root_window
from quire.schema.model import USER_UID
from tests.library.queries import problem, resolve, resolver


def window(query: str, limits: ReadLimits | None = None) -> tuple[int, int]:
    pagination = resolve(query, limits=limits).pagination
    assert pagination is not None
    return pagination.start, pagination.limit


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (0, 25)),
        ("pagination", (0, 25)),
        ("pagination=1", (0, 25)),
        ("pagination[]=1", (0, 25)),
        ("pagination[foo]=1", (0, 25)),
        ("page&pageSize", (0, 25)),
        ("start=5&limit=5", (0, 25)),
        ("pagination[page]=2", (25, 25)),
        ("pagination[page]=2&pagination[pageSize]=10", (10, 10)),
        ("pagination[pageSize]=10", (0, 10)),
        ("pagination[page]=0", (0, 25)),
        ("pagination[page]=-3", (0, 25)),
        ("pagination[page]=", (0, 25)),
        ("pagination[page]", (0, 25)),
        ("pagination[page][]=3", (50, 25)),
        ("pagination[page]=1e1", (225, 25)),
        ("pagination[page]=0x2", (25, 25)),
        ("pagination[page]=99999999999", (2_499_999_999_950, 25)),
        ("pagination[pageSize]=0", (0, 1)),
        ("pagination[pageSize]=-1", (0, 1)),
        ("pagination[pageSize]=", (0, 1)),
        ("pagination[pageSize]", (0, 25)),
        ("pagination[pageSize]=abc", (0, 100)),
        ("pagination[pageSize]=101", (0, 100)),
        ("pagination[pageSize]=1e9", (0, 100)),
        ("pagination[start]=3", (3, 25)),
        ("pagination[start]=3&pagination[limit]=4", (3, 4)),
        ("pagination[limit]=4", (0, 4)),
        ("pagination[start]=-5", (0, 25)),
        ("pagination[start]=", (0, 25)),
        ("pagination[start]", (0, 25)),
        ("pagination[limit]=0", (0, 1)),
        ("pagination[limit]=-1", (0, 1)),
        ("pagination[limit]=", (0, 1)),
        ("pagination[limit]", (0, 25)),
        ("pagination[limit]=abc", (0, 100)),
        ("pagination[limit]=1000", (0, 100)),
    ],
)
def test_a_list_is_cut_as_asked_within_its_limits(query: str, expected: tuple[int, int]) -> None:
    assert window(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (0, 5)),
        ("pagination[pageSize]=7", (0, 7)),
        ("pagination[pageSize]=70", (0, 10)),
        ("pagination[pageSize]=abc", (0, 10)),
    ],
)
def test_the_settings_say_what_is_usual_and_what_is_most(
    query: str, expected: tuple[int, int]
) -> None:
    assert window(query, ReadLimits(default_limit=5, max_limit=10)) == expected


def test_without_a_maximum_every_size_is_given() -> None:
    limits = ReadLimits(default_limit=5, max_limit=None)
    assert window("pagination[pageSize]=100000", limits) == (0, 100_000)
    assert window("pagination[pageSize]=abc", limits) == (0, 5)
    assert window("pagination[pageSize]=1e300", limits) == (0, MAX_ROW)


def test_the_usual_size_is_never_more_than_the_maximum() -> None:
    assert window("", ReadLimits(default_limit=50, max_limit=10)) == (0, 10)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("pagination[page]=abc", "convertStartQueryParams expected a positive integer got NaN"),
        ("pagination[page]=1.5", "convertStartQueryParams expected a positive integer got 12.5"),
        ("pagination[page][]=1&pagination[page][]=2", "convertStartQueryParams expected a pos"),
        ("pagination[page][x]=1", "convertStartQueryParams expected a positive integer got NaN"),
        ("pagination[pageSize]=1.5", "convertLimitQueryParams expected a positive integer got 1.5"),
        ("pagination[start]=abc", "convertStartQueryParams expected a positive integer got NaN"),
        ("pagination[start]=1.5", "convertStartQueryParams expected a positive integer got 1.5"),
        ("pagination[limit]=1.5", "convertLimitQueryParams expected a positive integer got 1.5"),
        ("pagination[page]=1e300", "convertStartQueryParams expected a number up to 92233720368"),
        ("pagination[start]=1e19", "convertStartQueryParams expected a number up to 92233720368"),
    ],
)
def test_rows_are_counted_in_whole_numbers(query: str, message: str) -> None:
    error = problem(query)
    assert isinstance(error, ValidationError)
    assert error.message.startswith(message)


@pytest.mark.parametrize(
    "query",
    [
        "pagination[page]=1&pagination[start]=0",
        "pagination[page]&pagination[limit]",
        "pagination[pageSize]=1&pagination[limit]=1",
        "pagination[pageSize]=1&pagination[start]=x",
    ],
)
def test_pages_and_offsets_do_not_go_together(query: str) -> None:
    error = problem(query)
    assert isinstance(error, PaginationError)
    assert error.message == "Cannot use both page & offset pagination in the same query"


@pytest.mark.parametrize("query", ["page=1", "pageSize=1", "page=", "page=1&pagination[page]=1"])
def test_pages_belong_into_the_pagination_object(query: str) -> None:
    error = problem(query)
    assert isinstance(error, PaginationError)
    assert error.message == (
        "Invalid pagination attributes. "
        "The page parameters are incorrect and must be in the pagination object"
    )


@pytest.mark.parametrize(
    ("value", "counted"),
    [
        ("true", True),
        ("t", True),
        ("1", True),
        ("false", False),
        ("f", False),
        ("0", False),
    ],
)
def test_a_list_is_counted_unless_told_otherwise(value: str, *, counted: bool) -> None:
    for limits in (ReadLimits(with_count=True), ReadLimits(with_count=False)):
        found = resolve(f"pagination[withCount]={value}", limits=limits)
        assert found.plan.count is counted
    assert resolve("", limits=ReadLimits(with_count=counted)).plan.count is counted


@pytest.mark.parametrize("value", ["=", "", "=yes", "=TRUE", "[]=true", "[x]=1"])
def test_counting_takes_one_of_six_words(value: str) -> None:
    assert problem(f"pagination[withCount]{value}").message == (
        'Invalid withCount parameter. Expected "t","1","true","false","0","f"'
    )


def meta(query: str, total: int | None) -> dict[str, int]:
    pagination = resolve(query).pagination
    assert isinstance(pagination, Pagination)
    return pagination.meta(total)


@pytest.mark.parametrize(
    ("query", "total", "expected"),
    [
        ("", 0, {"page": 1, "pageSize": 25, "pageCount": 0, "total": 0}),
        ("", 25, {"page": 1, "pageSize": 25, "pageCount": 1, "total": 25}),
        ("", 26, {"page": 1, "pageSize": 25, "pageCount": 2, "total": 26}),
        ("pagination[page]=9", 3, {"page": 9, "pageSize": 25, "pageCount": 1, "total": 3}),
        ("pagination[withCount]=f", None, {"page": 1, "pageSize": 25}),
        ("pagination[start]=3", 7, {"start": 3, "limit": 25, "total": 7}),
        ("pagination[limit]=2", None, {"start": 0, "limit": 2}),
    ],
)
def test_the_response_speaks_of_pages_in_the_form_they_were_asked_in(
    query: str, total: int | None, expected: dict[str, int]
) -> None:
    assert list(meta(query, total).items()) == list(expected.items())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (0, None)),
        ("start=2&limit=3", (2, 3)),
        ("limit=0", (0, None)),
        ("limit=-1", (0, None)),
        ("limit=", (0, None)),
        ("start", (0, None)),
        ("page=2&pageSize=2", (0, None)),
        ("pagination[page]=2", (0, None)),
    ],
)
def test_lists_without_pages_have_a_window_at_the_root(
    query: str, expected: tuple[int, int | None]
) -> None:
    assert root_window(parse_query(query)) == expected


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("start=-1", "convertStartQueryParams expected a positive integer got -1"),
        ("start=x", "convertStartQueryParams expected a positive integer got NaN"),
        ("start=1.5", "convertStartQueryParams expected a positive integer got 1.5"),
        ("limit=x", "convertLimitQueryParams expected a positive integer got NaN"),
        ("limit=1.5", "convertLimitQueryParams expected a positive integer got 1.5"),
        ("page=0", "Invalid 'page' parameter. Expected an integer > 0, received: 0"),
        ("page=1.5", "Invalid 'page' parameter. Expected an integer > 0, received: 1.5"),
        ("pageSize=x", "Invalid 'pageSize' parameter. Expected an integer > 0, received: x"),
        ("page=1&start=0", "Invalid pagination attributes. The page parameters are incorrect"),
    ],
)
def test_a_window_at_the_root_is_of_whole_numbers(query: str, message: str) -> None:
    parsed = parse_query(query)
    reads: list[Callable[[], object]] = [
        lambda: resolver(USER_UID).window(parsed),
        lambda: resolver().document(parsed, "abc"),
        lambda: resolver().single(parsed),
    ]
    for read in reads:
        with pytest.raises((PaginationError, ValidationError)) as raised:
            read()
        assert raised.value.message.startswith(message)


def slots(resolved: ResolvedRead) -> tuple[object, object]:
    plan = resolved.plan
    assert plan.limit is not None
    assert plan.offset is not None
    return resolved.values[plan.limit], resolved.values[plan.offset]


def test_limit_and_offset_are_values_and_not_in_the_plan() -> None:
    first, second = resolve("pagination[page]=2"), resolve("pagination[start]=7")
    assert first.plan == second.plan
    assert slots(first) == (25, 25)
    assert slots(second) == (25, 7)


def test_one_document_is_one_row_and_an_offset_leaves_none() -> None:
    assert slots(resolver().document({}, "abc")) == (1, 0)
    assert slots(resolver().document({"start": "5"}, "abc")) == (1, 5)
    assert resolver().document({}, "abc").pagination is None
