"""The media library of administrators is as protected as uploads of the content API."""

import json
from pathlib import Path

import pytest

from tests.conformance.client import ClientResponse
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.hazards.test_uploads import JPEG, PNG
from tests.hazards.uploading import png_head
from tests.unit.admin_api.media_project import (
    CREATE,
    IS_CREATOR,
    NOTE,
    READ,
    UPDATE,
    Darkroom,
    failed,
    may,
    open_darkroom,
)

ARTICLE = "api::article.article"
CHANGE, PUBLISH = (f"plugin::content-manager.explorer.{verb}" for verb in ("update", "publish"))
FORBIDDEN = (403, "ForbiddenError")
DOORS = ("/upload", "/upload/files", "/upload?id=9", "/upload/files/9/replace")


async def article(darkroom: Darkroom, *, status: str) -> int:
    """An article in English by another administrator."""
    query = f"locale=en&status={status}&pageSize=1&filters[publishedAt][$notNull]=true"
    if status == "draft":
        query = "locale=en&pageSize=1"
    found = await darkroom.read(f"/content-manager/collection-types/{ARTICLE}?{query}")
    return int(found["results"][0]["id"])


async def attach(
    darkroom: Darkroom, who: str, entry: object, *, ref: str = ARTICLE, field: str = "cover"
) -> ClientResponse:
    place = [("ref", ref), ("refId", str(entry)), ("field", field)]
    return await darkroom.send(NOTE, fields=place, who=who)


async def test_h042_files_are_attached_by_those_who_may_change_the_entry(
    darkroom: Darkroom,
) -> None:
    draft = await article(darkroom, status="draft")
    everywhere = {"locales": ["en", "fr", "de"]}
    rights = {
        "uploader": [],
        "elsewhere": [may(CHANGE, subject="api::author.author", fields=None)],
        "title": [may(CHANGE, subject=ARTICLE, fields=["title"], **everywhere)],
        "french": [may(CHANGE, subject=ARTICLE, fields=["cover"], locales=["fr"])],
        "own": [may(CHANGE, IS_CREATOR, subject=ARTICLE, fields=["cover"], **everywhere)],
    }
    before = darkroom.kept
    for name, granted in rights.items():
        await darkroom.admin_user(name, may(CREATE), *granted)
        assert failed(await attach(darkroom, name, draft)) == FORBIDDEN, name
    assert darkroom.kept == before
    await darkroom.admin_user(
        "cover", may(CREATE), may(CHANGE, subject=ARTICLE, fields=["cover"], **everywhere)
    )

    assert (await attach(darkroom, "cover", draft)).status == 201


async def test_h042_what_is_published_is_changed_by_those_who_may_publish(
    darkroom: Darkroom,
) -> None:
    live = await article(darkroom, status="published")
    locales = ["en", "fr", "de"]
    change = may(CHANGE, subject=ARTICLE, fields=["cover"], locales=locales)
    publish = may(PUBLISH, subject=ARTICLE, locales=locales)
    await darkroom.admin_user("writer", may(CREATE), change)
    await darkroom.admin_user("publisher", may(CREATE), change, publish)

    assert failed(await attach(darkroom, "writer", live)) == FORBIDDEN
    assert (await attach(darkroom, "publisher", live)).status == 201


async def test_h042_who_may_change_some_entries_learns_of_no_others(darkroom: Darkroom) -> None:
    draft = await article(darkroom, status="draft")
    own = may(CHANGE, IS_CREATOR, subject=ARTICLE, fields=["cover"], locales=["en"])
    await darkroom.admin_user("own", may(CREATE), own)
    responses = [await attach(darkroom, "own", entry) for entry in (draft, 999_999)]

    assert [failed(response) for response in responses] == [FORBIDDEN] * 2


async def test_h042_there_is_nothing_to_attach_to_where_there_is_no_place(
    darkroom: Darkroom,
) -> None:
    before = darkroom.kept
    for ref, entry, field in (
        (ARTICLE, 999_999, "cover"),
        (ARTICLE, 1, "title"),
        (ARTICLE, "x", "cover"),
        ("api::nothing.nothing", 1, "cover"),
        ("shared.seo", 1, "image"),
        ("admin::user", 1, "roles"),
    ):
        response = await attach(darkroom, "", entry, ref=ref, field=field)
        assert response.status in {400, 403}, (ref, entry, field)

    assert darkroom.kept == before


async def test_h043_who_is_no_administrator_uploads_nothing(darkroom: Darkroom) -> None:
    before = darkroom.kept
    for door in DOORS:
        for header in (None, "Bearer x", f"Bearer {'0' * 256}"):
            headers = {"Content-Type": FORM_TYPE} | (
                {} if header is None else {"Authorization": header}
            )
            response = await darkroom.client.request("POST", door, headers, form([NOTE]))
            assert response.status == 401, door

    assert darkroom.kept == before


@pytest.mark.parametrize(
    "part",
    [
        FilePart("a.html", b"<html></html>", "text/html"),
        FilePart("a.txt", b"x", "text/html"),
        FilePart("a.html", b"x", "text/plain"),
        FilePart("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        FilePart("a.png", b"MZ" + bytes(99), "image/png"),
    ],
    ids=["html", "declared", "named", "svg", "program"],
)
async def test_h091_denied_types_are_refused_at_every_door(
    own_recorded: Path, part: FilePart
) -> None:
    denied = ("text/html", "image/svg+xml", "application/x-msdownload")
    async with open_darkroom(own_recorded, **{"uploads.denied_types": denied}) as darkroom:
        before = darkroom.kept
        for door in DOORS:
            response = await darkroom.send(part, target=door)
            assert failed(response) == (400, "ValidationError"), door
        assert darkroom.kept == before


async def test_h093_names_are_names_at_every_door(darkroom: Darkroom) -> None:
    before = darkroom.kept
    for name in ("../../evil.txt", "..\\evil.txt", "a:b.txt", "a\x1fb.txt", "x" * 252 + ".txt"):
        for door in DOORS:
            response = await darkroom.send(FilePart(name, b"x", "text/plain"), target=door)
            assert response.status == 400, (name, door)

    assert darkroom.kept == before


async def test_h095_what_is_damaged_or_cut_leaves_nothing_at_any_door(darkroom: Darkroom) -> None:
    before = darkroom.kept, await darkroom.read("/upload/files?pageSize=100")
    damaged = (JPEG[: len(JPEG) // 2], PNG[: len(PNG) // 2], png_head(50_000, 50_000))
    for content in damaged:
        for door in DOORS:
            response = await darkroom.send(FilePart("a.png", content), target=door)
            assert failed(response) == (400, "ApplicationError"), door
    for said in ("not json", "null", "[]", '{"folder": 1.5}', '{"folder": "x"}'):
        response = await darkroom.send(NOTE, fields=[("fileInfo", said)])
        assert failed(response) == (400, "ValidationError"), said

    assert (darkroom.kept, await darkroom.read("/upload/files?pageSize=100")) == before


async def test_h096_nobody_says_where_a_file_is(darkroom: Darkroom) -> None:
    file_id = await darkroom.uploaded()
    before = await darkroom.read(f"/upload/files/{file_id}")
    said = {"hash": "x", "url": "/etc/passwd", "ext": ".exe", "provider": "x", "folderPath": "/9"}
    for method, target, body in (
        ("PUT", f"/upload/files/{file_id}", {"fileInfo": said}),
        ("POST", f"/upload?id={file_id}", {"fileInfo": said}),
        ("POST", "/upload/actions/bulk-update", {"updates": [{"id": file_id, "fileInfo": said}]}),
    ):
        response = await darkroom.ask(method, target, body)
        assert response.status == 200, target
    after = await darkroom.read(f"/upload/files/{file_id}")

    assert {**after, "updatedAt": None} == {**before, "updatedAt": None}


async def test_h043_a_right_that_is_taken_away_ends_with_the_request(darkroom: Darkroom) -> None:
    role = await darkroom.admin_user("lee", may(READ), may(CREATE), may(UPDATE))
    file_id = await darkroom.uploaded(who="lee")
    path = f"/admin/roles/{role}/permissions"
    await darkroom.ask("PUT", path, {"permissions": [may(READ)]})

    assert failed(await darkroom.send(NOTE, who="lee")) == FORBIDDEN
    refused = await darkroom.ask("DELETE", f"/upload/files/{file_id}", who="lee")
    assert json.loads(refused.content)["error"]["status"] == 403
