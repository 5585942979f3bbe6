"""Unpublished content is not returned as published."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from quire.settings import Settings
from tests.databases.kind import Kind
from tests.hazards.newsroom import UNPRINTED
from tests.hazards.visitors import (
    ANON,
    CLERK,
    EVERYBODY,
    FULL,
    READER,
    READONLY,
    WRITER,
    Visitor,
    Who,
    error,
    rows,
    serving,
    total,
)
from tests.hazards.writing import Editor, serve_editor, shown
from tests.shared_applications import SharedApplications

DRAFTS = "articles?status=draft&sort=id&fields=title"
ASKING_FOR_DRAFTS = [
    "status=draft",
    "status[]=draft",
    "status[0]=draft",
    "status[a]=draft",
    "status=modified",
    "status=Published",
    "status=",
    "status",
    "status=published&status=draft",
    "publicationFilter=modified",
    "publicationFilter=never-published",
    "hasPublishedVersion=false",
]


async def document_id(ask: Visitor, title: str) -> str:
    found = rows(await ask(f"{DRAFTS}&filters[title][$startsWith]={title}", FULL))
    return str(found[0]["documentId"])


@pytest.fixture(scope="module")
async def strict(newsroom: Settings) -> AsyncIterator[Visitor]:
    """The newsroom with drafts for API tokens only."""
    async with serving(newsroom.project, api__drafts_need_token=True) as visitor:
        yield visitor


@pytest.fixture
async def strict_editor(
    newsroom: Settings, shared_editors: SharedApplications[Editor]
) -> AsyncIterator[Editor]:
    """Writes in a newsroom with drafts for API tokens only."""
    serve = partial(serve_editor, api__drafts_need_token=True)
    async with shared_editors.lend(newsroom.project, serve, "strict") as editor:
        yield editor


@pytest.mark.parametrize("who", EVERYBODY)
async def test_h025_an_empty_list_holds_nothing(kind: Kind, ask: Visitor, who: Who) -> None:
    """Nothing is in an empty list, and everything is not in it.

    Empty text is no id, and PostgreSQL compares it with none.
    """
    everything = total(await ask("articles", who))
    assert everything == 3
    for empty in ("[$in]=", "[$in][]=", "[$in][0]="):
        assert total(await ask(f"articles?filters[title]{empty}", who)) == 0
    others = await ask("articles?filters[id][$notIn]=", who)
    if kind.name == "postgresql":
        assert others.status == 400
    else:
        assert total(others) == everything
    # The article without a title is neither in the list nor outside of it.
    assert total(await ask("articles?filters[title][$notIn]=", who)) == everything - 1


async def test_h026_who_may_find_documents_may_find_their_drafts(ask: Visitor) -> None:
    """Without a setting drafts need no more than the permission to find, and say that they are."""
    titles = {row["title"] for row in rows(await ask(DRAFTS))}
    assert f"Never {UNPRINTED}" in titles
    assert UNPRINTED not in (await ask("articles")).content.decode()


async def test_h026_a_word_that_is_no_status_means_drafts(ask: Visitor) -> None:
    """Every status but published means the same, never a mixture."""
    drafts = await ask(DRAFTS)
    for status in ("status[]=draft", "status=modified", "status=Published", "status=", "status"):
        response = await ask(f"articles?{status}&sort=id&fields=title")
        assert response.content == drafts.content
    preview = await ask("articles?publicationState=preview")
    assert preview.content == (await ask("articles")).content


@pytest.mark.parametrize("who", [ANON, READER, CLERK])
@pytest.mark.parametrize("query", ASKING_FOR_DRAFTS)
async def test_h026_drafts_can_be_kept_for_tokens(strict: Visitor, query: str, who: Who) -> None:
    """With the setting, callers without API token are denied drafts and data about drafts."""
    one = await document_id(strict, "Tides")
    for target in ("articles", f"articles/{one}") if who is not CLERK else ("articles",):
        response = await strict(f"{target}?{query}", who)
        assert response.status == 403
        assert error(response)["name"] == "ForbiddenError"


@pytest.mark.parametrize("who", [ANON, READER])
async def test_h026_a_refusal_is_the_same_for_drafts_that_exist(strict: Visitor, who: Who) -> None:
    """Whether there is a draft shows neither in the status nor in the body of a refusal."""
    there, not_there = await document_id(strict, "Never"), "a" * 24
    responses = [await strict(f"articles/{one}?status=draft", who) for one in (there, not_there)]
    assert responses[0].status == responses[1].status == 403
    assert responses[0].content == responses[1].content


@pytest.mark.parametrize("who", [READONLY, FULL])
async def test_h026_tokens_may_still_find_drafts(strict: Visitor, who: Who) -> None:
    """API tokens see drafts as before."""
    titles = {row["title"] for row in rows(await strict(DRAFTS, who))}
    assert {f"Never {UNPRINTED}", f"Markets {UNPRINTED}"} <= titles


@pytest.mark.parametrize("who", EVERYBODY)
async def test_h026_published_entries_are_found_as_before(
    strict: Visitor, ask: Visitor, who: Who
) -> None:
    """The setting changes nothing for those who ask for published entries."""
    for query in ("articles", "articles?status=published", "articles?populate=*&sort=title"):
        assert (await strict(query, who)).content == (await ask(query, who)).content


@pytest.mark.parametrize(
    "guess_query",
    [
        "categories?filters[articles][title][$contains]={}&x=1",
        "categories?filters[$not][articles][title][$contains]={}&x=1",
        "categories?filters[articles][title][$notContains]={}&x=1",
        "categories?filters[children][articles][body][$endsWith]={}&x=1",
        "articles?filters[category][articles][title][$contains]={}&x=1",
        "articles?filters[localizations][title][$contains]={}&x=1",
        "articles?filters[related][code][$startsWith]={}&x=1",
    ],
)
async def test_h026_filters_do_not_look_at_drafts_that_are_kept(
    strict: Visitor, guess_query: str
) -> None:
    """A filter through a relation finds out nothing about a draft behind it."""
    right = await strict(guess_query.format(UNPRINTED))
    wrong = await strict(guess_query.format("zzzz"))
    assert (right.status, right.content) == (200, wrong.content)


async def test_h026_orders_do_not_look_at_drafts_that_are_kept(strict: Visitor) -> None:
    """The order of categories by their articles is that of the published ones."""
    found = rows(
        await strict("categories?sort=articles.title:desc&populate[articles][fields]=title")
    )
    greatest = [max((a["title"] for a in row["articles"]), default="") for row in found]
    assert greatest == sorted(greatest, reverse=True)
    assert [row["name"] for row in found] == ["Sea", "Harbour"]


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    "query",
    [
        "articles?populate=*",
        "articles?populate[related][populate]=*",
        "articles?populate[cover][populate][related]=true",
        "articles?populate[cover][populate]=*",
        "articles?populate[cover][populate][related][on][api::article.article][fields]=title",
        "articles?populate[localizations]=true",
        "categories?populate=articles",
        "categories?populate[children][populate][articles][populate]=localizations",
        "upload/files?populate=related",
        "upload/files?populate[related][on][api::article.article]=true",
    ],
)
async def test_h026_no_way_leads_to_drafts_that_are_kept(
    strict: Visitor, query: str, who: Who
) -> None:
    """With the setting, a read of published entries shows no draft behind any of them."""
    response = await strict(query, who)
    assert UNPRINTED not in response.content.decode()


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    "populate",
    ["related", "*", "related.related", "category.articles", "relatedBy.category.articles"],
)
async def test_h027_published_entries_have_no_drafts_in_them(
    ask: Visitor, populate: str, who: Who
) -> None:
    """A published entry that is linked with a draft is shown without it."""
    response = await ask(f"articles?populate={populate}", who)
    assert response.status == 200
    assert UNPRINTED not in response.content.decode()
    tides = next(row for row in rows(response) if row["title"] == "Tides")
    if "related" in tides:
        assert len(tides["related"]) == 1


async def test_h027_counts_leave_drafts_out(ask: Visitor) -> None:
    """The number of related entries is that of those that would be shown."""
    found = rows(await ask("articles?populate[related][count]=true&filters[title]=Tides"))
    assert found[0]["related"] == {"count": 1}


async def test_h026_writes_of_drafts_show_no_others_that_are_kept(strict_editor: Editor) -> None:
    """A draft that refers to another one does not show it to callers without API token."""
    other = await strict_editor.document_id("articles", "code", "M-2")
    before = strict_editor.contents()
    data = {"title": "Mine", "related": [other]}
    create = {"action": "create", "type": "articles", "data": data}
    for response in (
        await strict_editor.create("articles?status=draft&populate=related", data, WRITER),
        await strict_editor.create("articles?status=&populate=*", data, WRITER),
        await strict_editor.update(f"articles/{other}?status=draft&populate=*", {}, WRITER),
        await strict_editor.batch({**create, "status": "draft", "populate": "*"}, who=WRITER),
        await strict_editor.batch(
            {"action": "unpublish", "type": "articles", "documentId": other, "populate": "*"},
            who=WRITER,
        ),
    ):
        assert response.status == 403
    assert strict_editor.contents() == before

    made = await strict_editor.create("articles?status=draft", data, WRITER)
    assert shown(made, status=201)["title"] == "Mine"
    published = await strict_editor.create("articles?populate=related", data, WRITER)
    assert UNPRINTED not in published.content.decode()
    by_token = await strict_editor.create("articles?status=draft&populate=related", data)
    assert UNPRINTED in shown(by_token, status=201)["related"][0]["title"]
