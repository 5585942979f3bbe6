"""The work of a request is limited by the settings."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from quire.settings import Settings
from tests.databases.kinds import SQLITE, kind_of, rows_of
from tests.hazards.newsroom import SCHEMA_FILES
from tests.hazards.visitors import ANON, FULL, Visitor, Who, error, rows, serving

HEAVY = "categories?sort=" + "articles.category." * 9 + "name"
"""Looks at the articles of each category of each article of each category, and so on."""


@contextmanager
def held_up(project: Path) -> Iterator[None]:
    """Make the heavy request take too long, for a while: PostgreSQL has to be made to wait."""
    if kind_of(project) is SQLITE:
        yield
        return
    with rows_of(project) as somebody:
        somebody.execute("BEGIN")
        somebody.execute("LOCK TABLE articles_category_lnk")
        yield
        somebody.execute("ROLLBACK")


async def test_h120_a_read_that_takes_too_long_is_given_up(newsroom: Settings) -> None:
    """One heavy request does not keep others from being answered, and ends with a clear 503."""
    project = newsroom.project
    most = 1 if kind_of(project) is SQLITE else 2000  # PostgreSQL bounds light requests, too
    async with serving(project, database__slow_query_ms=1, database__read_timeout_ms=most) as ask:
        with held_up(project):
            for _ in range(2):
                response = await ask(HEAVY)
                assert response.status == 503
                assert response.headers["retry-after"]
                assert error(response) == {
                    "status": 503,
                    "name": "ServiceUnavailableError",
                    "message": "Reading this takes longer than the server allows",
                }
                assert (await ask("categories?sort=name")).status == 200


async def test_h120_what_is_slow_but_allowed_is_answered(newsroom: Settings) -> None:
    """A heavy request within the time limit gets its response, as do lighter ones."""
    async with serving(newsroom.project, database__slow_query_ms=1) as ask:
        names = [row["name"] for row in rows(await ask(HEAVY))]
    assert sorted(names) == ["Harbour", "Sea"]


async def test_h120_more_slow_reads_than_may_wait_get_retry_after(
    newsroom: Settings,
) -> None:
    """SQLite runs them one after another and refuses more; PostgreSQL runs them side by side."""
    async with serving(
        newsroom.project, database__slow_query_ms=1, database__read_queue=1, cache__responses=0
    ) as ask:
        responses = await asyncio.gather(*(ask(HEAVY) for _ in range(5)))
        quick = await ask("categories?sort=name")
    refused = [response for response in responses if response.status != 200]
    is_sqlite = kind_of(newsroom.project) is SQLITE
    assert (0 < len(refused) < len(responses)) if is_sqlite else not refused
    for response in refused:
        assert (response.status, response.headers["retry-after"]) == (503, "1")
        assert error(response)["message"] == "Too many slow reads are waiting"
    assert quick.status == 200


@pytest.mark.parametrize("who", [ANON, FULL])
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("sort=" + "children." * 20 + "name", "Cannot sort through more than 20 names"),
        ("sort[0]=" + "children." * 4000 + "name", "Cannot sort through more than 20 names"),
        (
            "populate[children][sort]=" + "children." * 30 + "name",
            "Cannot sort through more than 20 names",
        ),
        (
            "sort=" + ",".join(f"{'children.' * i}{'parent.' * j}{name}:{order}"
                for i in range(6) for j in range(6)
                for name in ("id", "name") for order in ("asc", "desc")),
            "Cannot sort by more than 100 keys",
        ),
    ],
)  # fmt: skip
async def test_h120_orders_are_bounded(ask: Visitor, who: Who, query: str, message: str) -> None:
    """An order has so many keys, and each leads through so many names, before anything is read."""
    watched = ask.watch()
    try:
        response = await ask(f"categories?{query}", who)
    finally:
        ask.unwatch(watched)
    assert (response.status, error(response)["message"]) == (400, message)
    assert watched.statements == []


async def test_h120_the_same_key_again_is_no_further_work(newsroom: Settings) -> None:
    """Sorting by a key for the thousandth time adds nothing to a statement."""
    seen = []
    async with serving(newsroom.project, cache__pages=0) as ask:
        for times in (1, 1000):
            watched = ask.watch()
            keys = ",".join(["name:desc", "parent.name"] * times)
            rows(await ask(f"categories?pagination[withCount]=false&sort={keys}"))
            ask.unwatch(watched)
            seen.append([statement.sql for statement in watched.statements])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("limit", [3, 7, 12])
async def test_h120_no_more_rows_are_fetched_than_may_be(newsroom: Settings, limit: int) -> None:
    """Every statement is limited to the remaining rows, so that memory is bounded."""
    async with serving(newsroom.project, limits__rows=limit) as ask:
        watched = ask.watch()
        response = await ask(
            "categories?populate=articles.related,articles.cover,children.articles"
        )
        fetched = [s for s in watched.statements if "count(" not in s.sql]
        ask.unwatch(watched)
    assert response.status in {200, 400}
    assert all(
        statement.max_rows is None or statement.max_rows <= limit + 1 for statement in fetched
    )
    left = [statement.max_rows for statement in fetched if statement.max_rows is not None]
    assert left == sorted(left, reverse=True)


async def test_h123_expressions_of_the_schema_do_not_run_on_reads(
    newsroom: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regular expression of an attribute is for writing; no read compiles or runs one.

    The one here takes exponential time on a long text that does not fit.
    """
    compiled: list[Any] = []
    compile_ = re._compile  # type: ignore[attr-defined]  # noqa: SLF001 - where all ways meet

    def note(pattern: object, flags: int) -> object:
        compiled.append(pattern)
        return compile_(pattern, flags)

    article = SCHEMA_FILES["src/api/article/content-types/article/schema.json"]
    expression = article["attributes"]["code"]["regex"]
    monkeypatch.setattr(re, "_compile", note)
    async with serving(newsroom.project) as ask:
        for operator in ("$eq", "$contains", "$startsWith", "$in", "$eqi", "$gt"):
            response = await ask(f"articles?filters[code][{operator}]={'a' * 10_000}!")
            assert rows(response) == []
        rows(await ask(f"articles?_q={'a' * 10_000}!&sort=code"))
    assert expression not in [getattr(pattern, "pattern", pattern) for pattern in compiled]
