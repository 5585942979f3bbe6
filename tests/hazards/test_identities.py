"""Data computed for one caller never reaches another one."""

from collections.abc import AsyncIterator
from itertools import permutations
from random import Random

import pytest

from quire.database.program import Program, Statement
from quire.settings import Settings
from tests.conformance.client import ClientResponse
from tests.hazards.newsroom import AUTHOR_WORD
from tests.hazards.visitors import (
    ANON,
    CLERK,
    EVERYBODY,
    FULL,
    READER,
    READONLY,
    Visitor,
    Who,
    serving,
)

TARGETS = [
    "articles",
    "articles?populate=*",
    "articles?populate=author",
    "articles?populate[related][populate]=*&sort=title",
    "articles?filters[author][name]=Zenobia",
    "articles?sort=author.name",
    "articles?_q=Tides&pagination[withCount]=true",
    "articles?status=draft&populate=category,author",
    "articles?populate[cover][populate]=related",
    "categories?populate=articles.author",
    "authors",
    "authors?filters[articles][title]=Tides",
    "masthead",
    "users",
    "users/me",
    "users/count",
    "upload/files?populate=related",
    "i18n/locales",
    "users-permissions/roles",
]


def seen(response: ClientResponse) -> tuple[int, bytes]:
    return response.status, response.content


@pytest.fixture(scope="module")
async def forgetful(newsroom: Settings) -> AsyncIterator[Visitor]:
    """The newsroom served by an application that remembers nothing."""
    async with serving(
        newsroom.project,
        cache__queries=0,
        cache__plans=0,
        cache__counts=0,
        cache__pages=0,
        cache__responses=0,
        cache__tokens=0,
    ) as visitor:
        yield visitor


@pytest.mark.parametrize("target", TARGETS)
async def test_h031_a_response_is_that_of_its_caller(
    ask: Visitor, forgetful: Visitor, target: str
) -> None:
    """Earlier requests of other callers do not change a response."""
    alone = {who: seen(await forgetful(target, who)) for who in EVERYBODY}
    for order in permutations(EVERYBODY):
        for who in order:
            assert seen(await ask(target, who)) == alone[who], who


async def test_h031_responses_are_those_of_their_callers_in_any_mixture(
    ask: Visitor, forgetful: Visitor
) -> None:
    """Many requests of all kinds and callers, in disorder, are answered as each would be alone."""
    alone = {
        (target, who): seen(await forgetful(target, who)) for target in TARGETS for who in EVERYBODY
    }
    chance = Random(31)
    for target, who in chance.choices(list(alone), k=1500):
        assert seen(await ask(target, who)) == alone[target, who], (target, who)


async def test_h031_callers_differ_by_what_they_may(ask: Visitor) -> None:
    """The same address shows an author to whoever may find authors, and to nobody else."""
    target = "articles?populate=author"
    shown = {who: AUTHOR_WORD in (await ask(target, who)).content.decode() for who in EVERYBODY}
    assert shown == {ANON: False, READER: True, CLERK: False, READONLY: True, FULL: True}


@pytest.mark.parametrize("who", EVERYBODY)
async def test_h031_shared_caches_may_not_store_a_response(ask: Visitor, who: Who) -> None:
    """Answers of the API do not invite anybody on the way to give them to somebody else."""
    for target in TARGETS:
        headers = (await ask(target, who)).headers
        assert "public" not in headers.get("cache-control", "")
        assert "max-age" not in headers.get("cache-control", "")
        assert "last-modified" not in headers


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer  ",
        "bearer x",
        "Bearer x y",
        "Basic YTpi",
        "Bearer null",
        "Bearer undefined",
        "Bearer \xff\xfe",
        "Bearer eyJhbGciOiJub25lIn0.eyJpZCI6MSwiaWF0IjoxLCJleHAiOjk5OTk5OTk5OTl9.",
        "2" * 256,
        "Token " + "2" * 256,
    ],
)
async def test_h032_a_failed_sign_in_is_no_sign_in(ask: Visitor, header: str) -> None:
    """Credentials that fail are rejected, or are as good as none; they never open more."""
    for target in TARGETS:
        response = await ask(target, headers={"Authorization": header})
        assert response.status == 401 or seen(response) == seen(await ask(target))


async def test_h031_a_role_that_changes_is_noticed_at_once(own_newsroom: Settings) -> None:
    """What is taken from a role is denied to its users and to visitors with the next request."""
    async with serving(own_newsroom.project) as ask:
        for who in (ANON, CLERK):
            assert (await ask("articles", who)).status == 200
        database = ask.application.database
        assert database is not None

        def program() -> Program[None]:
            yield Statement("DELETE FROM up_permissions WHERE action = 'api::article.article.find'")

        await database.write(program())
        for who in (ANON, CLERK, READER):
            assert (await ask("articles", who)).status == 403
        assert (await ask("articles", READONLY)).status == 200
