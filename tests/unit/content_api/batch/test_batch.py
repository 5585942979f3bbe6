"""A batch executes all operations or none, each like its single request."""

from typing import Any

import pytest

from tests.unit.content_api.writers import ADA, APPLE, Writer

Json = dict[str, Any]


async def run(write: Writer, *operations: Json, token: str | None = "full") -> tuple[int, Json]:
    response = await write("POST", "/api/_batch", {"operations": list(operations)}, token=token)
    return response.status, response.json


async def titles(write: Writer, title: str) -> list[str]:
    response = await write("GET", f"/api/articles?filters[title]={title}&status=draft&fields=title")
    return [article["title"] for article in response.json["data"]]


async def test_the_response_lists_what_each_operation_wrote(write: Writer) -> None:
    status, body = await run(
        write,
        {"action": "create", "type": "authors", "data": {"name": "Mary"}},
        {"action": "update", "type": "articles", "documentId": APPLE, "data": {"title": "Pear"}},
        {"action": "delete", "type": "authors", "documentId": ADA},
    )
    assert status == 200
    created, updated, deleted = body["data"]
    assert (created["action"], created["type"]) == ("create", "api::author.author")
    assert created["data"]["name"] == "Mary"
    assert created["data"]["documentId"] == created["documentId"]
    assert updated["documentId"] == APPLE
    assert updated["data"]["title"] == "Pear"
    assert deleted == {
        "action": "delete",
        "type": "api::author.author",
        "documentId": ADA,
        "data": None,
    }
    assert (await write("GET", f"/api/authors/{ADA}")).status == 404


async def test_operations_refer_to_documents_of_earlier_ones_by_name_and_by_place(
    write: Writer,
) -> None:
    status, body = await run(
        write,
        {"action": "create", "type": "authors", "as": "mary", "data": {"name": "Mary"}},
        {
            "action": "create",
            "type": "articles",
            "status": "draft",
            "data": {"title": "By Mary", "author": {"connect": [{"$ref": "mary"}]}},
        },
        {
            "action": "publish",
            "type": "articles",
            "documentId": {"$ref": 1},
            "populate": "author",
            "fields": ["title"],
        },
    )
    assert status == 200
    author, draft, published = body["data"]
    assert draft["data"]["publishedAt"] is None
    assert published["documentId"] == draft["documentId"]
    assert published["data"]["author"]["documentId"] == author["documentId"]
    assert set(published["data"]) == {"id", "documentId", "title", "author"}


async def test_unpublishing_leaves_the_draft(write: Writer) -> None:
    operation = {"action": "unpublish", "type": "articles", "documentId": APPLE}
    status, body = await run(write, operation)
    assert status == 200
    assert body["data"][0]["data"]["publishedAt"] is None
    assert (await write("GET", f"/api/articles/{APPLE}")).status == 404
    assert (await write("GET", f"/api/articles/{APPLE}?status=draft")).status == 200


async def test_one_error_undoes_everything_and_is_reported_with_its_path(write: Writer) -> None:
    status, body = await run(
        write,
        {"action": "create", "type": "articles", "data": {"title": "Undone"}},
        {"action": "create", "type": "articles", "data": {"title": "x", "rating": 11}},
    )
    assert status == 400
    error = body["error"]
    assert error["details"]["operation"] == 1
    assert error["details"]["errors"][0]["path"] == ["operations", "1", "data", "rating"]
    assert await titles(write, "Undone") == []


async def test_a_bad_key_is_reported_with_its_path_before_anything_is_written(
    write: Writer,
) -> None:
    status, body = await run(
        write,
        {"action": "create", "type": "articles", "data": {"title": "Undone"}},
        {"action": "create", "type": "articles", "data": {"title": "Bad", "seo": {"nope": 1}}},
    )
    assert status == 400
    assert body["error"]["message"] == "Invalid key nope at seo"
    assert body["error"]["details"] == {
        "key": "nope",
        "path": "operations.1.data.seo",
        "source": "body",
        "operation": 1,
    }
    assert await titles(write, "Undone") == []


async def test_a_missing_document_undoes_everything(write: Writer) -> None:
    status, body = await run(
        write,
        {"action": "create", "type": "articles", "data": {"title": "Undone"}},
        {"action": "update", "type": "articles", "documentId": "nope", "data": {}},
    )
    assert (status, body["error"]["details"]) == (404, {"operation": 1})
    assert await titles(write, "Undone") == []


async def test_every_operation_needs_the_permission_of_its_action(write: Writer) -> None:
    operations: list[Json] = [
        {"action": "create", "type": "articles", "data": {"title": "Refused"}},
        {"action": "publish", "type": "articles", "documentId": APPLE},
    ]
    for operation in operations:
        assert (await run(write, operation, token="readonly"))[0] == 403
        assert (await run(write, operation, token=None))[0] == 403
    assert await titles(write, "Refused") == []


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("x", "An operation must be an object"),
        ({"action": "drop"}, "action must be one of create, update, delete, publish, unpublish"),
        (
            {"action": "create", "type": "nope"},
            "type must be the plural name, the singular name of a single type, or the uid",
        ),
        ({"action": "update", "type": "articles"}, "documentId must be a string"),
        (
            {"action": "create", "type": "articles", "documentId": "x", "data": {}},
            "documentId cannot be chosen",
        ),
        ({"action": "create", "type": "homepage"}, "A single type is written by update"),
        (
            {"action": "publish", "type": "authors", "documentId": ADA},
            "api::author.author has no drafts",
        ),
        (
            {"action": "delete", "type": "authors", "documentId": ADA, "data": {}},
            "delete takes no data",
        ),
        (
            {"action": "update", "type": "articles", "documentId": {"$ref": "later"}},
            "$ref: there is no document of an earlier operation 'later'",
        ),
    ],
)
async def test_what_is_no_operation_is_refused(
    write: Writer, operation: object, message: str
) -> None:
    response = await write("POST", "/api/_batch", {"operations": [operation]})
    assert response.status == 400
    assert response.json["error"]["message"] == message
    assert response.json["error"]["details"]["operation"] == 0


@pytest.mark.parametrize("body", [None, [], {}, {"operations": []}, {"operations": "x"}])
async def test_a_batch_without_operations_is_refused(write: Writer, body: object) -> None:
    response = await write("POST", "/api/_batch", body)
    assert response.status == 400
    assert response.json["error"]["message"].startswith("A batch is an object with a list")


async def test_a_batch_has_a_limit(write: Writer) -> None:
    operation = {"action": "delete", "type": "authors", "documentId": "nope"}
    assert (await run(write, *[operation] * 100))[0] == 200
    status, body = await run(write, *[operation] * 101)
    assert status == 400
    assert "at most 100 operations (limits.batch_operations)" in body["error"]["message"]
