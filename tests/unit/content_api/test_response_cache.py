"""Cached responses: limited bytes, valid until their tables change."""

import json
from typing import Any

import pytest

from quire.access.ability import FullAccess, ReadOnly
from quire.content_api.http_messages import Response
from quire.content_api.response_cache import ResponseCache, ResponseKey
from quire.database.versioned_cache import ContentVersions
from tests.unit.content_api.writers import APPLE, CAPITALS, Writer

BOOKS = frozenset({"books"})
LIST = f"/api/articles?filters[documentId]={APPLE}&populate=author"


def question(query: bytes = b"", document_id: str | None = None) -> ResponseKey:
    return ResponseKey(
        uid="api::book.book",
        mode="list",
        raw_query=query,
        ability=FullAccess(),
        default_locale="en",
        document_id=document_id,
        is_nested=False,
    )


def response(size: int) -> Response:
    return Response(200, bytes(size))


def cache(size: int) -> ResponseCache:
    """Return a cache for a database whose version is 0."""
    return ResponseCache(ContentVersions(), size)


def keep(kept: ResponseCache, key: ResponseKey, size: int) -> None:
    kept.keep(key, 0, response(size), BOOKS)


def test_what_is_kept_is_found() -> None:
    kept, given = cache(100_000), response(10)
    kept.keep(question(), 0, given, BOOKS)
    assert kept.get(question(), 0) is given


@pytest.mark.parametrize(
    "other",
    [
        {"uid": "api::tag.tag"},
        {"mode": "document"},
        {"raw_query": b"sort=id"},
        {"ability": ReadOnly()},
        {"default_locale": "fr"},
        {"document_id": "abc"},
        {"is_nested": True},
    ],
)
def test_what_differs_in_anything_is_another_question(other: dict[str, Any]) -> None:
    kept = cache(100_000)
    keep(kept, question(), 10)
    assert kept.get(question()._replace(**other), 0) is None


def test_what_was_not_asked_for_longest_gives_way() -> None:
    kept = cache(40_000)
    for name in (b"a", b"b", b"c"):
        keep(kept, question(name), 3_900)
    assert kept.get(question(b"a"), 0) is not None
    for number in range(6):
        keep(kept, question(b"%d" % number), 3_900)
    assert kept.get(question(b"b"), 0) is None
    assert kept.get(question(b"a"), 0) is not None
    assert len(kept) == 8


def test_one_response_does_not_evict_many() -> None:
    kept = cache(40_000)
    keep(kept, question(b"large"), 4_500)
    keep(kept, question(b"a" * 4_500), 10)
    keep(kept, question(document_id="a" * 4_500), 10)
    assert len(kept) == 0


def test_a_response_that_is_kept_again_takes_no_more_room() -> None:
    kept = cache(10_000)
    keep(kept, question(b"other"), 0)
    for _ in range(100):
        keep(kept, question(), 100)
    assert kept.get(question(b"other"), 0) is not None


def test_nothing_is_kept_while_the_state_is_unknown_or_without_room() -> None:
    assert not cache(100_000).can_keep(None)
    assert not cache(0).can_keep(0)


async def test_a_list_has_a_tag_by_which_a_client_knows_it_again(write: Writer) -> None:
    first = await write("GET", LIST)
    tag = first.headers["etag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = await write("GET", LIST, headers={"If-None-Match": known})
        assert (again.status, again.json) == (304, None)
        assert again.headers["etag"] == tag
        assert "content-type" not in again.headers
        assert "content-length" not in again.headers
    other = await write("GET", LIST, headers={"If-None-Match": '"other"'})
    assert (other.status, other.json) == (200, first.json)


async def test_a_list_that_has_changed_is_sent_whatever_a_client_has(write: Writer) -> None:
    first = await write("GET", LIST)
    known = {"If-None-Match": first.headers["etag"]}
    assert (await write("PUT", f"/api/articles/{APPLE}", {"data": {"title": "Pear"}})).status == 200
    changed = await write("GET", LIST, headers=known)
    assert changed.status == 200
    assert "Pear" in json.dumps(changed.json)
    assert changed.headers["etag"] != first.headers["etag"]


async def test_what_is_as_it_was_has_the_tag_that_it_had(write: Writer) -> None:
    tag = (await write("GET", "/api/authors")).headers["etag"]
    response = await write("PUT", f"/api/articles/{APPLE}", {"data": {"title": "Pear"}})
    assert response.status == 200
    assert (await write("GET", "/api/authors")).headers["etag"] == tag
    known = await write("GET", "/api/authors", headers={"If-None-Match": tag})
    assert known.status == 304


async def test_formats_have_tags_of_their_own(write: Writer) -> None:
    older = {"Strapi-Response-Format": "v4"}
    tags = {(await write("GET", LIST, headers=headers)).headers["etag"] for headers in ({}, older)}
    assert len(tags) == 2


async def test_who_is_refused_is_refused_whatever_was_answered_before(write: Writer) -> None:
    path = f"/api/articles/{APPLE}?status=draft"
    tag = (await write("GET", "/api/passports")).headers["etag"]
    for token in ("custom", None):
        refused = await write("GET", "/api/passports", token=token, headers={"If-None-Match": tag})
        assert refused.status == 403
    assert (await write("GET", path)).status == 200


async def test_what_was_not_there_is_found_when_it_is(write: Writer) -> None:
    path = f"/api/articles/{CAPITALS}?locale=fr"
    assert (await write("GET", path)).status == 404
    assert (await write("GET", path)).status == 404
    data = {"title": "Pomme", "slug": "une-pomme"}
    assert (await write("PUT", path, {"data": data})).status == 200
    assert (await write("GET", path)).json["data"]["title"] == "Pomme"
