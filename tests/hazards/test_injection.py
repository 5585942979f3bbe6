"""Input of clients is a name in the schema or a bound value, never SQL text."""

from urllib.parse import quote

import pytest

from tests.databases.kind import Kind
from tests.hazards.visitors import ANON, FULL, Visitor, error, rows

HOSTILE = {
    "a quote": "'",
    "a closed literal": "x') or 1=1--",
    "a double quote": '"',
    "a back tick": "`",
    "a backslash": "\\",
    "a NUL": "\0",
    "a comment": "--",
    "a comment in slashes": "/* */",
    "a semicolon": "; drop table articles",
    "a numbered placeholder": "$1",
    "a placeholder": "?",
    "a named placeholder": ":x",
    "a Python placeholder": "%s",
    "a Python field": "{0}",
    "an emoji": "\U0001f600",
    "typographic quotes": "\u2019\u201d\uff07",
    "a long text": "q" * 40_000,
}
LONE_SURROGATE = "%ED%A0%80"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("filters[extra][a'b][$eq]=1", "Invalid key a'b at extra"),
        ("filters[extra][a%22]][$eq]=1", 'Invalid key a" at extra'),
        ("filters[extra][%E2%80%99][$eq]=1", "Invalid key \u2019 at extra"),
        ("filters[extra.a%22][$eq]=1", 'Invalid key extra.a"'),
        ("filters[extra-%3E%3E'x'][$eq]=1", "Invalid key extra->>'x'"),
        ("fields=extra-%3E%3E'x'", "Invalid key extra->>'x'"),
        ("sort=extra-%3E%3E'x'", "Invalid key extra->>'x'"),
        ("sort=extra.a", "extra has no attribute a"),
        ("populate=extra-%3E%3E'x'", "Invalid key extra->>'x'"),
    ],
)
@pytest.mark.parametrize("who", [ANON, FULL])
async def test_h110_no_query_reaches_into_a_json_value(
    ask: Visitor, query: str, message: str, who: str | None
) -> None:
    """There are no paths into JSON values, so none is pasted into SQL (CVE-2026-25544)."""
    response = await ask(f"articles?{query}", who)
    assert (response.status, error(response)["name"]) == (400, "ValidationError")
    assert error(response)["message"] == message


@pytest.mark.parametrize("place", ["[$in][0]", "[$in][0][0]", "[$notIn][0]"])
@pytest.mark.parametrize("name", ["id", "title"])
async def test_h111_listed_values_are_values(
    kind: Kind, ask: Visitor, name: str, place: str
) -> None:
    """A value in a list equals a stored one or none (CVE-2026-63316).

    One that cannot be an id is nothing that PostgreSQL compares with any.
    """
    response = await ask(f"articles?filters[{name}]{place}=1')%20or%201=1--")
    if name == "id" and kind.name == "postgresql":
        assert (response.status, error(response)["name"]) == (400, "ValidationError")
        return
    all_of_them = 3 if name == "id" else 2  # one of the three has no title
    assert len(rows(response)) == (all_of_them if place == "[$notIn][0]" else 0)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("filters[id][$in][0][a]=1", "Invalid key a"),
        ("filters[title][$in][0][a]=1", "Invalid key a at title"),
        ("filters[title][$notIn][0][a]=1", "Invalid key a at title"),
    ],
)
async def test_h111_objects_among_listed_values_are_refused(
    ask: Visitor, query: str, message: str
) -> None:
    """An object is no value that a list could hold."""
    response = await ask(f"articles?{query}")
    assert (response.status, error(response)["message"]) == (400, message)


OPERATORS = [
    "$eq", "$ne", "$eqi", "$nei", "$lt", "$lte", "$gt", "$gte", "$in", "$notIn", "$contains",
    "$notContains", "$containsi", "$notContainsi", "$startsWith", "$startsWithi", "$endsWith",
    "$endsWithi", "$not",
]  # fmt: skip
PLACES_OF_VALUES = [
    *(f"filters[title][{operator}]=" for operator in OPERATORS),
    "filters[title]=",
    "filters[id]=",
    "filters[documentId]=",
    "filters[extra]=",
    "filters[kind]=",
    "filters[category][name]=",
    "filters[category][name][$contains]=",
    "filters[$or][0][seo][metaTitle]=",
    "_q=",
    "locale=",
    "populate[category][filters][name]=",
]


OF_A_TYPE = frozenset({"filters[id]=", "filters[extra]="})
"""Places that on PostgreSQL take numbers or JSON alone, and nothing hostile."""


@pytest.mark.parametrize("place", PLACES_OF_VALUES)
async def test_h112_statements_do_not_change_with_values(
    kind: Kind, ask: Visitor, place: str
) -> None:
    """Values are bound: the text of every statement is that of a harmless value.

    What is rejected has come to no statement: what PostgreSQL compares with nothing, a NUL among
    it, and patterns that are too long for LIKE.
    """
    expected = await statements(ask, place + ("1" if place in OF_A_TYPE else "x"))
    assert expected
    typed = kind.name == "postgresql" and place in OF_A_TYPE
    refused = {"a NUL"} if kind.name == "postgresql" else {"a long text"}
    for name, text in HOSTILE.items():
        found = await statements(ask, place + quote(text, safe=""))
        assert found == expected or (found == [] and (typed or name in refused)), name
    assert await statements(ask, place + LONE_SURROGATE) == ([] if typed else expected)


async def statements(ask: Visitor, query: str) -> list[str]:
    """What runs for a query, without counting; nothing, if it is rejected.

    A statement that was stopped on a busy machine and run again elsewhere counts once.
    """
    watched = ask.watch()
    try:
        response = await ask(f"articles?pagination[withCount]=false&{query}")
    finally:
        ask.unwatch(watched)
    assert response.status in {200, 400}, response.content
    if response.status != 200:
        return []
    return list(dict.fromkeys(statement.sql for statement in watched.statements))


PLACES_OF_NAMES = [
    "sort=a{}",
    "sort[{}]=asc",
    "sort=title:{}",
    "sort[title]={}",
    "fields={}",
    "fields[0]={}",
    "filters[{}]=1",
    "filters[title][{}]=1",
    "filters[category][{}]=1",
    "filters[$or][0][{}]=1",
    "populate={}",
    "populate[{}]=true",
    "populate[category][fields]={}",
    "populate[category][sort]=a{}",
    "populate[sections][on][{}]=true",
    "pagination[page]={}",
    "pagination[start]={}",
    "pagination[withCount]={}",
]


@pytest.mark.parametrize("place", PLACES_OF_NAMES)
@pytest.mark.parametrize("who", [ANON, FULL])
async def test_h112_names_that_no_schema_knows_reach_no_statement(
    ask: Visitor, place: str, who: str | None
) -> None:
    """A name that no schema has, and a number that is none, stop a request (CVE-2026-34747)."""
    watched = ask.watch()
    try:
        for name, text in HOSTILE.items():
            response = await ask("articles?" + place.format(quote(text, safe="")), who)
            assert (response.status, error(response)["name"]) == (400, "ValidationError"), name
        response = await ask("articles?" + place.format(LONE_SURROGATE), who)
        assert response.status == 400
    finally:
        ask.unwatch(watched)
    assert watched.statements == []


BAD_ORDER = "Invalid order. order can only be one of asc|desc|ASC|DESC"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("sort=title;drop", "Invalid key title;drop"),
        ("sort=title:asc,id%20desc", "Invalid key id desc"),
        ("sort=title:foo", BAD_ORDER),
        ("sort[title]=asc;", BAD_ORDER),
        ("sort[0][title]=asc--", BAD_ORDER),
        ("sort[category][name]=asc)--", BAD_ORDER),
        ("populate[category][sort]=name:foo", BAD_ORDER),
    ],
)
async def test_h113_orders_are_known_columns_and_directions(
    ask: Visitor, query: str, message: str
) -> None:
    """An order is made of attributes and of four words, never of text."""
    response = await ask(f"articles?{query}")
    assert (response.status, error(response)["name"]) == (400, "ValidationError")
    assert error(response)["message"] == message


ODD_TITLE = r"100% [a-z] under_score back\slash"


@pytest.mark.parametrize(
    ("condition", "matches"),
    [
        ("[$contains]=%25", True),
        ("[$contains]=_", True),
        ("[$contains]=%5C", True),
        ("[$contains]=%5Ba-z%5D", True),
        ("[$contains]=r_s", True),
        ("[$contains]=e_s", False),
        ("[$contains]=1%250", False),
        ("[$contains]=*", False),
        ("[$containsi]=BACK%5CS", True),
        ("[$startsWith]=100%25%20", True),
        ("[$startsWith]=%25", False),
        ("[$startsWith]=_", False),
        ("[$startsWithi]=1__", False),
        ("[$endsWith]=k%5Cslash", True),
        ("[$endsWith]=%25", False),
        ("[$endsWith]=_", False),
        ("[$endsWithi]=%5C", False),
    ],
)
async def test_h114_signs_of_patterns_stand_for_themselves(
    ask: Visitor, condition: str, *, matches: bool
) -> None:
    """No operator of a filter has wildcards."""
    found = rows(await ask(f"articles?filters[title]{condition}"))
    assert [entry["title"] for entry in found] == [ODD_TITLE] * matches


@pytest.mark.parametrize("term", ["%25", "%5C", "%5Ba-z%5D"])
async def test_h114_signs_of_patterns_stand_for_themselves_in_searches(
    ask: Visitor, term: str
) -> None:
    """Nor has a search, but for the underscore, which the server it replaces takes for any sign."""
    found = rows(await ask(f"articles?_q={term}"))
    assert [entry["title"] for entry in found] == [ODD_TITLE]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("filters=abc", "The filters parameter must be an object or an array"),
        ("filters[0]=1", "The filters parameter must be an object with attributes as keys"),
        ("filters[$or]=x", "$or expects an array of filters"),
        ("filters[$and]=x", "$and expects an array of filters"),
        ("filters[$not]=x", "$not expects an object of filters"),
        ("filters[title][$and]=x", "$and cannot stand at title"),
        ("filters[title][$eq][$eq]=1", "$eq cannot compare with an object"),
        ("filters[title][$between]=1", "$between expects an array of exactly two values"),
        ("filters[rank][$between][]=1", "$between expects an array of exactly two values"),
        ("filters[views][$gt]=abc", "Invalid integer 'abc'"),
        ("filters[rank][$gt]=abc", "Invalid number 'abc'"),
        ("filters[happensAt][$gt]=x", "Invalid format, expected a timestamp or an ISO date"),
        ("filters[day][$gt]=2024-13-45", "Invalid format, expected yyyy-MM-dd"),
        ("filters[hour][$gt]=25:99", "Invalid time format, expected HH:mm:ss.SSS"),
        ("filters[title][$foo]=1", "Invalid key $foo at title"),
        ("_q[a]=1", "The _q parameter must be a string"),
        ("locale[a]=1", "The locale parameter must be a string or an array of strings"),
    ],
)
async def test_h115_parameters_of_a_wrong_shape_are_refused(
    ask: Visitor, query: str, message: str
) -> None:
    """What is parsed but cannot be meant is rejected before anything is read."""
    watched = ask.watch()
    try:
        response = await ask(f"articles?{query}")
    finally:
        ask.unwatch(watched)
    assert (response.status, error(response)["name"]) == (400, "ValidationError")
    assert error(response)["message"] == message
    assert watched.statements == []
