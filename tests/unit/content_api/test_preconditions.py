"""``If-Match`` with the ETag of a document prevents lost updates."""

from tests.unit.content_api.writers import ADA, APPLE, CAPITALS, Writer

PATH = f"/api/articles/{APPLE}"
DRAFT = f"{PATH}?status=draft"


async def tag(write: Writer, path: str = PATH) -> dict[str, str]:
    response = await write("GET", path)
    return {"If-Match": response.headers["etag"]}


async def test_the_tag_is_the_moment_of_the_last_change(write: Writer) -> None:
    response = await write("GET", PATH)
    assert response.headers["etag"] == f'"{response.json["data"]["updatedAt"]}"'


async def test_a_response_that_leaves_the_moment_out_has_no_tag(write: Writer) -> None:
    assert "etag" not in (await write("GET", f"{PATH}?fields=title")).headers


async def test_a_write_is_answered_with_the_new_tag(write: Writer) -> None:
    before = await tag(write)
    response = await write("PUT", PATH, {"data": {"title": "Pear"}}, headers=before)
    assert response.status == 200
    assert response.headers["etag"] != before["If-Match"]
    assert {"If-Match": response.headers["etag"]} == await tag(write)


async def test_a_change_of_what_has_changed_is_refused(write: Writer) -> None:
    before = await tag(write)
    await write("PUT", PATH, {"data": {"title": "Pear"}})
    response = await write("PUT", PATH, {"data": {"title": "Plum"}}, headers=before)
    assert response.status == 412
    assert response.json["error"]["name"] == "PreconditionFailedError"
    assert (await write("GET", PATH)).json["data"]["title"] == "Pear"


async def test_a_changed_draft_is_a_change_of_the_document(write: Writer) -> None:
    before = await tag(write)
    await write("PUT", DRAFT, {"data": {"title": "Pear"}})
    assert (await write("PUT", PATH, {"data": {}}, headers=before)).status == 412
    assert (await write("PUT", PATH, {"data": {}}, headers=await tag(write, DRAFT))).status == 200


async def test_deleting_heeds_the_tag_too(write: Writer) -> None:
    before = await tag(write)
    await write("PUT", PATH, {"data": {"title": "Pear"}})
    assert (await write("DELETE", PATH, headers=before)).status == 412
    assert (await write("DELETE", PATH, headers=await tag(write))).status == 204


async def test_a_star_stands_for_any_state_but_none(write: Writer) -> None:
    anything = {"If-Match": "*"}
    assert (await write("PUT", PATH, {"data": {"title": "Pear"}}, headers=anything)).status == 200
    fresh = f"/api/articles/{CAPITALS}?locale=fr"
    assert (await write("PUT", fresh, {"data": {"title": "Pera"}}, headers=anything)).status == 412


async def test_one_of_several_tags_is_enough(write: Writer) -> None:
    listed = {"If-Match": f'"old", W/{(await tag(write))["If-Match"]}'}
    assert (await write("PUT", PATH, {"data": {"title": "Pear"}}, headers=listed)).status == 200


async def test_types_without_drafts_have_tags_too(write: Writer) -> None:
    path = f"/api/authors/{ADA}"
    before = await tag(write, path)
    assert (await write("PUT", path, {"data": {"bio": "b"}}, headers=before)).status == 200
    assert (await write("PUT", path, {"data": {"bio": "c"}}, headers=before)).status == 412


async def test_without_a_tag_the_last_write_wins(write: Writer) -> None:
    for title in ("Pear", "Plum"):
        assert (await write("PUT", PATH, {"data": {"title": title}})).status == 200
    assert (await write("GET", PATH)).json["data"]["title"] == "Plum"
