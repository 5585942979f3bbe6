"""No part of a filter is dropped: long lists are applied, other objects rejected."""

from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest

from quire.settings import Settings
from tests.hazards.visitors import FULL, Visitor, error, rows, serving, total
from tests.hazards.writing import Editor

MANY = 150
LIMIT = 1000
LONG_LIST = f"Cannot filter by a list of more than {LIMIT} values (limits.filter_values)"

Spelling = Callable[[str, int], Iterator[str]]


def indexed(name: str, first: int) -> Iterator[str]:
    """Name the elements of a list by their indices, from ``first`` on."""
    index = first
    while True:
        yield f"{name}[{index}]"
        index += 1


def empty(name: str, _: int) -> Iterator[str]:
    while True:
        yield f"{name}[]"


def repeated(name: str, _: int) -> Iterator[str]:
    while True:
        yield name


def listed(name: str, values: list[str], spelling: Spelling = indexed, first: int = 0) -> str:
    return "&".join(
        f"{key}={quote(value)}" for key, value in zip(spelling(name, first), values, strict=False)
    )


def unknown(count: int) -> list[str]:
    return [f"x{number}" for number in range(count)]


@pytest.fixture
async def titles(ask: Visitor) -> list[str]:
    """The titles of all articles that visitors may read and that have one."""
    query = "filters[title][$notNull]=true&sort=title&pagination[limit]=100"
    found = [row["title"] for row in rows(await ask(f"articles?{query}"))]
    assert len(found) > 1
    return found


@pytest.mark.parametrize("spelling", [indexed, empty, repeated])
@pytest.mark.parametrize("count", [99, 100, 101, MANY, LIMIT - 1])
async def test_a_long_list_of_values_is_compared(
    ask: Visitor, titles: list[str], spelling: Spelling, count: int
) -> None:
    values = [*unknown(count), titles[0]]
    page = "pagination[pageSize]=100&sort=title"
    found = await ask(f"articles?{listed('filters[title][$in]', values, spelling)}&{page}")
    assert [row["title"] for row in rows(found)] == [titles[0]]
    found = await ask(f"articles?{listed('filters[title][$notIn]', values, spelling)}&{page}")
    assert [row["title"] for row in rows(found)] == titles[1:]
    found = await ask(f"articles?{listed('filters[title]', values, spelling)}&{page}")
    assert [row["title"] for row in rows(found)] == [titles[0]]


async def test_an_index_may_be_any_number(ask: Visitor, titles: list[str]) -> None:
    for first in (100, 12_345, 4_294_967_300):
        query = listed("filters[title][$in]", [titles[0], "x"], first=first)
        assert [row["title"] for row in rows(await ask(f"articles?{query}"))] == [titles[0]]
    found = await ask("articles?filters[id][$between][200]=1&filters[id][$between][300]=0")
    assert rows(found) == []


@pytest.mark.parametrize("count", [MANY, LIMIT - 1])
@pytest.mark.parametrize("group", ["$or", "$and"])
async def test_a_long_list_of_filters_is_heeded(
    ask: Visitor, titles: list[str], group: str, count: int
) -> None:
    values = [*unknown(count), titles[0]]
    query = "&".join(
        f"filters[{group}][{index}][title]={quote(value)}" for index, value in enumerate(values)
    )
    found = rows(await ask(f"articles?{query}"))
    assert [row["title"] for row in found] == ([titles[0]] if group == "$or" else [])


async def test_a_long_list_in_populate_is_heeded(ask: Visitor) -> None:
    names = unknown(MANY)
    page = "filters[title]=Tides&populate[category][filters][name][$in]"
    (found,) = rows(await ask(f"articles?{listed(page, names)}"))
    assert found["category"] is None
    (found,) = rows(await ask(f"articles?{listed(page, [*names, 'Sea'])}"))
    assert found["category"]["name"] == "Sea"


async def test_long_lists_of_fields_and_orders_are_lists(ask: Visitor, titles: list[str]) -> None:
    fields = listed("fields", ["title"] * MANY)
    sort = listed("sort", ["title:desc"] * MANY)
    found = rows(await ask(f"articles?{fields}&{sort}&filters[title][$notNull]=true"))
    assert [row["title"] for row in found] == titles[::-1]
    assert all(row.keys() == {"id", "documentId", "title"} for row in found)


@pytest.mark.parametrize(
    "operator", ["[$in]", "[$notIn]", "[$between]", "[$eq]", "[$contains]", ""]
)
async def test_a_list_beyond_the_limit_is_refused(ask: Visitor, operator: str) -> None:
    response = await ask(f"articles?{listed(f'filters[title]{operator}', unknown(LIMIT + 1))}")
    assert (response.status, error(response)["message"]) == (400, LONG_LIST)


async def test_the_limit_of_a_list_is_a_setting(newsroom: Settings) -> None:
    async with serving(newsroom.project, limits__filter_values=2) as strict:
        rows(await strict(f"articles?{listed('filters[title][$in]', unknown(2))}"))
        for name in ("title][$in", "$or", "$and", "category", "category][name][$in"):
            response = await strict(f"articles?{listed(f'filters[{name}]', unknown(3))}")
            assert response.status == 400, name
            assert error(response)["message"] == LONG_LIST.replace(str(LIMIT), "2")


@pytest.mark.parametrize(
    "query",
    [
        "filters[id][$in][a]=1",
        "filters[id][$notIn][a]=1",
        "filters[id][$between][a]=1&filters[id][$between][b]=2",
        "filters[id][$in][0]=1&filters[id][$in][a]=2",
        "filters[id][$in][-1]=1",
        "filters[id][$in][01]=1",
        "filters[id][$in][0][a]=1",
        "filters[id][$notIn][0][$eq]=1",
        "filters[id][$eq][a]=1",
        "filters[title][$contains][a]=1",
        "filters[$and][a]=1",
        "filters[$or][a]=1",
        "filters[$and][a][title]=x",
        "filters[$or][a][title]=x",
        "filters[$not][$and][a]=1",
        "filters[category][$in][a]=1",
        "filters[category][0][name]=x",
        "filters[category][$and][a]=1",
        "populate[category][filters][$or][a]=1",
        "populate[category][filters][id][$in][a]=1",
        "filters[__proto__]=1",
        "filters[title][constructor]=x",
        "filters[$and][0][toString]=x",
        "populate[category][filters][valueOf]=x",
        "&".join([*(f"x{number}=1" for number in range(1000)), "filters[title]=x"]),
        "&".join([*(f"x{number}=1" for number in range(1000)), "_q=x"]),
    ],
)
async def test_what_means_nothing_in_a_filter_is_refused(editor: Editor, query: str) -> None:
    """Were it dropped, more rows would match than were requested, and be deleted."""
    document_id = await editor.made("articles", title="stays")
    for response in (
        await editor.ask(f"articles?{query}"),
        await editor.ask(f"articles/{document_id}?{query}"),
        await editor.update(f"articles/{document_id}?{query}", {"title": "changed"}),
        await editor.delete(f"articles/{document_id}?{query}"),
    ):
        assert response.status == 400, response.content
        assert error(response)["name"] == "ValidationError"
    assert (await editor.entry(f"articles/{document_id}"))["title"] == "stays"


async def test_a_deletion_is_narrowed_by_a_long_list(editor: Editor) -> None:
    document_id = await editor.made("articles", title="stays")
    query = listed("filters[title][$in]", unknown(MANY))
    assert (await editor.delete(f"articles/{document_id}?{query}")).status == 204
    assert (await editor.entry(f"articles/{document_id}"))["title"] == "stays"
    query = listed("filters[title][$in]", [*unknown(MANY), "stays"])
    assert (await editor.delete(f"articles/{document_id}?{query}")).status == 204
    assert (await editor.ask(f"articles/{document_id}", FULL)).status == 404


async def test_files_and_users_are_filtered_by_long_lists(ask: Visitor) -> None:
    for target, name in (("users", "username"), ("upload/files", "name")):
        every = (await ask(target, FULL)).json
        assert isinstance(every, list)
        assert every
        query = listed(f"filters[{name}][$in]", unknown(MANY))
        assert (await ask(f"{target}?{query}", FULL)).json == []
        refused = await ask(f"{target}?filters[{name}][$in][a]=x", FULL)
        assert refused.status == 400
    counted = await ask(f"users/count?{listed('filters[username][$in]', unknown(MANY))}", FULL)
    assert counted.json == 0


async def test_totals_are_of_what_matches(ask: Visitor, titles: list[str]) -> None:
    query = listed("filters[title][$in]", [*unknown(LIMIT - 2), *titles[:2]])
    assert total(await ask(f"articles?{query}&pagination[pageSize]=1&fields[0]=title")) == 2
