"""Different spellings of a query have the same meaning and the same permissions."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quire.schema.attributes.base import ScalarAttribute
from tests.conformance.client import ClientResponse
from tests.examples import examples
from tests.hazards.newsroom import (
    ARTICLE,
    AUTHOR_WORD,
    CATEGORY,
    DESK_WORD,
    PASSCODE_HASH,
    SECRET,
    UNPRINTED,
    JsonObject,
)
from tests.hazards.response_schema import problems
from tests.hazards.visitors import ANON, CLERK, FULL, READER, Visitor, Who, error, rows

# One event loop serves all examples of a test.
EXAMPLES = settings(
    max_examples=examples(150),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

FIELDS = ["title", "code", "rank", "views", "locale", "createdAt", "documentId", "id"]
RELATIONS = ["cover", "category", "related", "relatedBy", "seo", "localizations"]
HIDDEN = ["secret", "passcode", "author", "createdBy", "hiddenRelated", "seo.note", "t0.secret"]
SORTS = ["title", "title:desc", "rank:asc", "category.name", "id:desc"]
CLAUSES = [
    ("[title][$eq]", "Tides"),
    ("[rank][$gte]", "1"),
    ("[title][$notNull]", "true"),
    ("[category][name][$startsWith]", "S"),
    ("[code][$in][0]", "T-1"),
    ("[open][$ne]", "false"),
]

Pairs = list[tuple[str, str]]
"""Names and values of a query string, not encoded."""


def lists(name: str, values: Sequence[str]) -> Iterator[Pairs]:
    """Every way of giving a parameter several values."""
    yield [(name, value) for value in values]
    yield [(f"{name}[]", value) for value in values]
    yield [(f"{name}[{index}]", value) for index, value in enumerate(values)]
    yield [(f"{name}[{3 * index}]", value) for index, value in enumerate(values)]
    yield [(name, ",".join(values))]
    yield [(name, " , ".join(values))]


def objects(name: str, values: Sequence[str]) -> Pairs:
    return [(f"{name}[{value}]", "true") for value in values]


def encoded(pairs: Pairs, *, brackets: bool, values: bool) -> str:
    safe = "" if brackets else "[]$"
    return "&".join(
        f"{quote(name, safe=safe)}={quote(value, safe='' if values else ',.:*')}"
        for name, value in pairs
    )


@dataclass(frozen=True, slots=True)
class SpelledQuery:
    """One query in two spellings."""

    one: str
    other: str


@st.composite
def spelled_queries(draw: st.DrawFn) -> SpelledQuery:
    fields = draw(st.lists(st.sampled_from(FIELDS), unique=True, min_size=1, max_size=4))
    related = draw(st.lists(st.sampled_from(RELATIONS), unique=True, max_size=3))
    sorts = draw(st.lists(st.sampled_from(SORTS), unique=True, min_size=1, max_size=3))
    clauses = draw(st.lists(st.sampled_from(CLAUSES), unique=True, max_size=3))
    spelled = []
    for _ in range(2):
        populate = [*lists("populate", related), objects("populate", related)]
        parts = [
            draw(st.sampled_from(list(lists("fields", fields)))),
            draw(st.sampled_from(list(lists("sort", sorts)))),
            draw(st.sampled_from(populate)) if related else [],
            [(f"filters{name}", value) for name, value in clauses],
        ]
        pairs = [pair for part in draw(st.permutations(parts)) for pair in part]
        spelled.append(encoded(pairs, brackets=draw(st.booleans()), values=draw(st.booleans())))
    return SpelledQuery(*spelled)


def plain(response: ClientResponse) -> object:
    """A response without the order of members, which follows that of the parameters."""
    return response.status, json.loads(response.content)


@given(queries=spelled_queries())
@EXAMPLES
@pytest.mark.parametrize("who", [ANON, READER, FULL])
async def test_h033_two_spellings_of_one_query_are_equal(
    ask: Visitor, who: Who, queries: SpelledQuery
) -> None:
    """Lists by index, by brackets, by repetition and with commas get the same rows and keys."""
    one = await ask(f"articles?{queries.one}", who)
    other = await ask(f"articles?{queries.other}", who)
    assert plain(one) == plain(other)


names = st.sampled_from([*FIELDS, *RELATIONS, *HIDDEN, "", "*", "nothing", "0"])
shapes = st.sampled_from(
    [
        "{0}={1}",
        "{0}[]={1}",
        "{0}[0]={1}",
        "{0}[7]={1}",
        "{0}[100]={1}",
        "{0}[{1}]=true",
        "{0}[{1}]=*",
        "{0}[{1}][fields]=*",
        "{0}[{1}][fields][]=",
        "{0}[{1}][populate]=*",
        "{0}[{1}]",
        "{0}[{1}][]=",
        "{0}[$and][0][{1}]=x",
        "{0}[{1}]=asc",
        "{0}=title,{1}",
        "{0}={1},",
    ]
)
definitions = st.lists(
    st.tuples(st.sampled_from(["fields", "populate", "sort", "filters", "_q"]), shapes, names),
    min_size=1,
    max_size=4,
)


@given(asked=definitions, status=st.sampled_from(["", "&status=published"]))
@EXAMPLES
@pytest.mark.parametrize("who", [ANON, CLERK])
async def test_h033_no_spelling_shows_more_than_may_be_shown(
    ask: Visitor, who: Who, asked: list[tuple[str, str, str]], status: str
) -> None:
    """Whatever is requested, and however, a response shows what may be shown, or is rejected."""
    query = "&".join(shape.format(parameter, quote(name)) for parameter, shape, name in asked)
    response = await ask(f"articles?{query}{status}", who)
    assert response.status in {200, 400}
    text = response.content.decode()
    for word in (SECRET, PASSCODE_HASH, AUTHOR_WORD, DESK_WORD):
        assert word not in text
    if response.status == 200:
        findable = frozenset({ARTICLE, CATEGORY} if who is ANON else {ARTICLE})
        found = [
            f
            for row in rows(response)
            for f in problems(ask.application.schema, ARTICLE, row, findable)
        ]
        assert found == []
        if "populate" not in query:
            assert UNPRINTED not in text


@given(asked=st.lists(st.tuples(shapes, names), min_size=1, max_size=4))
@EXAMPLES
async def test_h033_a_choice_of_fields_is_never_wider_than_none(
    ask: Visitor, asked: list[tuple[str, str]]
) -> None:
    """What ``fields`` leaves is a part of what there is without it; it never falls back to all."""
    query = "&".join(shape.format("fields", quote(name)) for shape, name in asked)
    response = await ask(f"articles?{query}")
    if response.status == 200:
        default = {key for row in rows(await ask("articles")) for key in row}
        for row in rows(response):
            assert row.keys() <= default


@pytest.mark.parametrize(
    "query",
    [
        "fields[0]=secret",
        "fields=secret,passcode",
        "fields[]=passcode",
        "populate[category][fields][0]=budget",
        "populate[seo][fields]=note",
        "populate[sections][on][shared.quote][fields][0]=source",
    ],
)
@pytest.mark.parametrize("who", [ANON, FULL])
async def test_h033_a_choice_of_hidden_fields_alone_is_refused(
    ask: Visitor, query: str, who: Who
) -> None:
    """Where nothing that may be shown is left, nothing is shown."""
    response = await ask(f"articles?{query}", who)
    assert response.status == 400
    assert error(response)["message"].startswith("Invalid key ")


@pytest.mark.parametrize("query", ["fields[]=", "fields=", "fields[0]=", "fields[]=&fields[]="])
async def test_h033_an_empty_choice_of_fields_is_refused_or_a_choice(
    ask: Visitor, query: str
) -> None:
    """An empty name is no name, and not the wish for everything."""
    response = await ask(f"articles?{query}")
    assert response.status == 400


@pytest.mark.parametrize(
    "query", ["populate=", "populate[]=", "populate[0]=", "populate", "populate[]=&populate[]="]
)
async def test_h033_an_empty_populate_populates_nothing(ask: Visitor, query: str) -> None:
    """Without a name nothing is populated."""
    response = await ask(f"articles?{query}")
    if response.status == 200:
        assert response.content == (await ask("articles")).content


@pytest.mark.parametrize("query", ["populate[related][populate]=", "populate[related][fields]="])
async def test_h033_an_empty_wish_below_a_relation_is_no_wish_for_everything(
    ask: Visitor, query: str
) -> None:
    """The same holds for what is populated."""
    response = await ask(f"articles?{query}")
    if response.status == 200:
        default: Any = rows(await ask("articles?populate=related"))
        for row, expected in zip(rows(response), default, strict=True):
            assert len(row["related"]) == len(expected["related"])
            for one, whole in zip(row["related"], expected["related"], strict=True):
                assert one.keys() <= whole.keys()


async def test_h033_every_field_alone_is_that_field(ask: Visitor) -> None:
    """A field that is requested alone comes with the identity of the entry and nothing else."""
    model = ask.application.schema.content_types[ARTICLE]
    for attribute in model.attributes.values():
        response = await ask(f"articles?fields={attribute.name}")
        hidden = attribute.private or getattr(attribute, "secret", False)
        if hidden or not isinstance(attribute, ScalarAttribute):
            assert response.status == 400
            continue
        shown: list[JsonObject] = rows(response)
        assert all(row.keys() == {"id", "documentId", attribute.name} for row in shown)
