"""Short requests that need much work are rejected or limited."""

import asyncio

import pytest

from quire.settings import Settings
from tests.hazards.visitors import ANON, FULL, Visitor, error, rows, serving

MANY = 900


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("a" + "[a]" * 60 + "=1", 200),
        ("a" + "[]" * 5000 + "=1", 200),
        ("[" * 30_000 + "=1", 200),
        ("a[" * 20_000, 200),
        ("&".join(f"a{i}=1" for i in range(8000)), 200),
        ("&" * 60_000, 200),
        ("=" * 60_000, 200),
        ("a[1000000000]=1&a[999999999999999999999]=1", 200),
        ("filters[1000000000]=1", 400),
        ("filters[$and][1000000000][title]=x", 200),
        (f"filters[{'a' * 20_000}]=1", 400),
        ("filters" + "[$not]" * 60 + "[title]=x", 400),
        ("filters" + "[$and][0]" * 60 + "[title]=x", 400),
        ("filters[category]" + "[parent]" * 60 + "[name]=x", 400),
        ("sort[category]" + "[parent]" * 60 + "[name]=asc", 400),
        ("sort=category" + ".parent" * 5000 + ".name", 400),
        ("populate" + "[category][populate]" * 60 + "=*", 400),
        ("populate=category" + ".parent" * 5000, 400),
        ("populate[1000000000]=category", 200),
        ("fields" + "[]" * 60 + "=title", 400),
    ],
)
async def test_h119_deep_and_wide_queries_are_bounded(
    ask: Visitor, query: str, status: int
) -> None:
    """The parser allocates by the length of a query, never by a number or a depth in it."""
    async with asyncio.timeout(30):
        response = await ask(f"articles?{query}")
    assert response.status == status, response.content[:300]


@pytest.mark.parametrize(
    "query",
    [
        "&".join(f"filters[$or][{i}][category][name]=x" for i in range(MANY)),
        "&".join(f"filters[$and][{i // 30}][$or][{i % 30}][category][name]=x" for i in range(MANY)),
        "&".join(f"filters[id][$in]={i}" for i in range(MANY)),
        "filters" + "[$not]" * 18 + "[title]=x",
        "filters[category]" + "[parent]" * 17 + "[name]=x",
        "sort=" + ",".join(["id"] * 5000),
        "sort=" + ",".join(f"category{'.parent' * i}.name" for i in range(19)),
        "fields=" + ",".join(["title"] * 5000),
        "_q=" + "%20".join(["tide"] * 5000),
        "filters[title][$contains]=" + "%25_" * 12_000,
        "filters[code]=" + "a" * 60_000 + "!",
        "filters[happensAt]=" + "2024-" * 12_000,
        "filters[price]=" + "1" * 60_000,
    ],
)
async def test_h119_large_queries_end(ask: Visitor, query: str) -> None:
    """A large query is answered or refused as too large; it is no error of the server.

    Among them texts that take a pattern with repetitions long: the attribute ``code`` has one.
    """
    async with asyncio.timeout(60):
        response = await ask(f"articles?{query}")
    assert response.status in {200, 400}, response.content[:300]
    if response.status == 400:
        assert error(response)["name"] == "ValidationError"


@pytest.mark.parametrize("levels", [1, 4, 8, 16])
async def test_h120_statements_grow_with_levels_alone(ask: Visitor, levels: int) -> None:
    """A relation takes a statement for all entries of a level, not one for each entry."""
    steps = ["category", *(("articles", "category") * levels)][:levels]
    watched = ask.watch()
    try:
        rows(await ask(f"articles?pagination[withCount]=false&populate={'.'.join(steps)}"))
    finally:
        ask.unwatch(watched)
    # A type with drafts may ask for the states of its rows besides.
    assert len(watched.statements) <= 1 + 2 * levels


@pytest.mark.parametrize("who", [ANON, FULL])
async def test_h120_everything_is_one_level_of_everything(ask: Visitor, who: str | None) -> None:
    """``*`` does not go on into what it populates, so that a circle of types has an end."""
    entries = rows(await ask("articles?populate=*&filters[title]=Tides", who))
    assert entries[0]["category"]["name"] == "Sea"
    assert "articles" not in entries[0]["category"]


async def test_h120_levels_of_relations_are_bounded(ask: Visitor, newsroom: Settings) -> None:
    """More levels than the settings allow are rejected before anything is read."""
    message = "Cannot populate more than {} levels (limits.populate_depth)"
    target = "articles?populate=category" + ".parent" * 20
    response = await ask(target)
    assert (response.status, error(response)["message"]) == (400, message.format(20))
    async with serving(newsroom.project, limits__populate_depth=2) as strict:
        rows(await strict("articles?populate=category.parent"))
        response = await strict("articles?populate=category.parent.parent")
    assert (response.status, error(response)["message"]) == (400, message.format(2))


async def test_h120_relations_of_one_request_are_bounded(newsroom: Settings) -> None:
    """A wide request is rejected like a deep one."""
    async with serving(newsroom.project, limits__populate_nodes=3) as strict:
        rows(await strict("articles?populate=category"))
        response = await strict("articles?populate[0]=category.parent&populate[1]=related.related")
    assert response.status == 400
    assert error(response)["message"] == (
        "Cannot populate more than 3 relations and components (limits.populate_nodes)"
    )


@pytest.mark.parametrize(
    ("limit", "query", "message"),
    [
        (2, "", "The page needs more than 2 rows (limits.rows); ask for a smaller one"),
        (4, "?populate=category", "Populating category needs more than 4 rows (limits.rows)"),
        (
            6,
            "?populate=category.articles.category",
            "Populating category.articles needs more than 6 rows (limits.rows)",
        ),
    ],
)
async def test_h120_rows_of_one_request_are_bounded(
    newsroom: Settings, limit: int, query: str, message: str
) -> None:
    """Rows are counted over all statements of a request, and no more are fetched than that."""
    async with serving(newsroom.project, limits__rows=limit) as strict:
        response = await strict(f"articles{query}")
    assert (response.status, error(response)["name"]) == (400, "ValidationError")
    assert error(response)["message"].startswith(message)


async def test_h121_asking_for_the_same_again_costs_nothing_more(ask: Visitor) -> None:
    """There are no aliases by which one request reads the same many times (CVE-2026-35441)."""
    counts = []
    for times in (1, 90):
        watched = ask.watch()
        try:
            query = "&".join(["populate=category"] * times)
            # No other test asks for this, so that no response to it is kept.
            rows(await ask(f"articles?pagination[withCount]=false&times={times}&{query}"))
        finally:
            ask.unwatch(watched)
        counts.append(len(watched.statements))
    assert counts[0] == counts[1]
