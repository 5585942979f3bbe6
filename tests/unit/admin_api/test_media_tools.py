"""Usage of files, unused files, and imports from other servers."""

import json
from functools import partial

import pytest

from quire.network import allow_all
from quire.uploads.remote_import import import_file
from tests.hazards.test_imports import plain, serving
from tests.unit.admin_api.media_project import (
    CREATE,
    IS_CREATOR,
    READ,
    Darkroom,
    failed,
    may,
)

ARTICLE, AUTHOR = "api::article.article", "api::author.author"
LOOK = "plugin::content-manager.explorer.read"
IMPORT, SEVERAL = "/admin/x/media/import", "/upload/actions/upload-from-urls"
AVATAR, NOTES = 1, 7
LOCALES = ["en", "fr", "de"]


async def using(darkroom: Darkroom, **data: object) -> str:
    target = f"/content-manager/collection-types/{ARTICLE}?locale=en"
    made = await darkroom.ask("POST", target, {"title": "Enlarger", **data})
    assert made.status == 201, made.content
    return str(json.loads(made.content)["data"]["documentId"])


async def test_uses_are_reported_with_what_entries_are_called(darkroom: Darkroom) -> None:
    document_id = await using(darkroom, cover=NOTES)
    found = await darkroom.read(f"/admin/x/media/{NOTES}/usage")

    assert found["data"] == [
        {
            "contentTypeUid": ARTICLE,
            "contentTypeDisplayName": "Article",
            "kind": "collectionType",
            "documentId": document_id,
            "locale": "en",
            "status": "draft",
            "title": "Enlarger",
            "field": "cover",
            "inText": False,
        }
    ]
    assert found["meta"] == {"hidden": 0}


async def test_uses_in_readable_entries_and_fields_are_listed(darkroom: Darkroom) -> None:
    await using(darkroom, cover=NOTES, body="See /uploads/notes_d2c9b549e5.txt")
    rights = {
        "nothing": ([], set()),
        "others": ([may(LOOK, subject=AUTHOR)], set()),
        "own": ([may(LOOK, IS_CREATOR, subject=ARTICLE, locales=LOCALES)], set()),
        "french": ([may(LOOK, subject=ARTICLE, locales=["fr"])], set()),
        "body": ([may(LOOK, subject=ARTICLE, fields=["body"], locales=LOCALES)], {"body"}),
        "all": ([may(LOOK, subject=ARTICLE, locales=LOCALES)], {"body", "cover"}),
    }
    for name, (granted, expected) in rights.items():
        await darkroom.admin_user(name, may(READ), *granted)
        found = await darkroom.read(f"/admin/x/media/{NOTES}/usage", who=name)
        assert {use["field"] for use in found["data"]} == expected, name
        assert found["meta"]["hidden"] == 2 - len(expected), name
        if name == "body":
            assert found["data"][0]["title"] == found["data"][0]["documentId"]


async def test_uses_of_files_of_others_are_not_listed(darkroom: Darkroom) -> None:
    await darkroom.admin_user("own", may(READ, IS_CREATOR))
    refused = await darkroom.ask("GET", f"/admin/x/media/{NOTES}/usage", who="own")
    unused = await darkroom.read("/admin/x/media/unused?limit=100", who="own")

    assert failed(refused) == (403, "ForbiddenError")
    assert unused["data"] == []
    for unknown in ("9999", "x", "-1"):
        response = await darkroom.ask("GET", f"/admin/x/media/{unknown}/usage")
        assert failed(response) == (404, "NotFoundError")


async def test_uses_of_several_files_are_reported_by_one_request(darkroom: Darkroom) -> None:
    document_id = await using(darkroom, cover=NOTES)
    found = await darkroom.read(f"/admin/x/media/usage?ids[0]={NOTES}&ids[1]={AVATAR}")
    uses = {one["id"]: one for one in found["data"]}

    assert [use["documentId"] for use in uses[NOTES]["entries"]] == [document_id]
    for file_id in (NOTES, AVATAR):
        alone = await darkroom.read(f"/admin/x/media/{file_id}/usage")
        assert uses[file_id]["entries"] == alone["data"]
        assert uses[file_id]["hidden"] == alone["meta"]["hidden"]

    await darkroom.admin_user("own", may(READ, IS_CREATOR))
    refused = await darkroom.ask("GET", f"/admin/x/media/usage?ids[0]={NOTES}", who="own")
    assert failed(refused) == (403, "ForbiddenError")
    without_missing = await darkroom.read(f"/admin/x/media/usage?ids[0]={NOTES}&ids[1]=9999")
    assert without_missing["data"] == [uses[NOTES]]
    too_many = "&".join(f"ids={file_id}" for file_id in range(1, 102))
    for query in ("", "ids=x", too_many):
        bad = await darkroom.ask("GET", f"/admin/x/media/usage?{query}")
        assert failed(bad) == (400, "ValidationError")


async def test_files_that_nothing_uses_are_listed_page_by_page(darkroom: Darkroom) -> None:
    listed: list[int] = []
    after: int | None = 0
    while after is not None:
        page = await darkroom.read(f"/admin/x/media/unused?limit=2&after={after}")
        listed += [file["id"] for file in page["data"]]
        after = page["meta"]["after"]

    assert NOTES in listed
    assert AVATAR not in listed
    assert listed == sorted(set(listed))
    bad = await darkroom.ask("GET", "/admin/x/media/unused?after=x")
    assert failed(bad) == (400, "ValidationError")


@pytest.fixture
def _from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be imported from this machine, as if it were outside."""
    here = partial(import_file, allows=allow_all)
    monkeypatch.setattr("quire.uploads.remote_import.import_file", here)


@pytest.mark.usefixtures("_from_here")
async def test_a_file_is_imported_into_a_folder(darkroom: Darkroom) -> None:
    async with serving(lambda _: plain(b"hello", "Content-Type: text/plain")) as (url, asked):
        body = {"url": f"{url}/notes.txt", "fileInfo": {"caption": "From afar", "folder": 2}}
        made = await darkroom.ask("POST", IMPORT, body)
    file = json.loads(made.content)
    shown = await darkroom.read(f"/upload/files/{file['id']}")

    assert (made.status, len(asked)) == (201, 1)
    assert (shown["name"], shown["caption"], shown["folder"]["id"]) == ("notes.txt", "From afar", 2)
    assert shown["createdBy"]["email"] == "admin@example.com"


@pytest.mark.usefixtures("_from_here")
async def test_of_several_addresses_the_fate_of_each_is_reported(darkroom: Darkroom) -> None:
    async with serving(lambda _: plain(b"hello", "Content-Type: text/plain")) as (url, _):
        body = {"urls": [f"{url}/a.txt", "file:///etc/passwd"], "folderId": 2}
        response = await darkroom.ask("POST", SEVERAL, body)
    blocks = [block.split("\n") for block in response.content.decode().strip().split("\n\n")]
    events = [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in blocks
    ]

    assert response.headers["content-type"].startswith("text/event-stream")
    assert [name for name, _ in events] == [
        "file:fetching",
        "file:complete",
        "file:fetching",
        "file:error",
        "stream:complete",
    ]
    assert events[1][1]["file"]["folderPath"] == "/2"
    assert [error["name"] for error in events[-1][1]["errors"]] == ["file:///etc/passwd"]


async def test_h098_administrators_import_nothing_from_inside(darkroom: Darkroom) -> None:
    before = darkroom.kept
    async with serving(lambda _: plain(b"secret")) as (url, asked):
        refused = await darkroom.ask("POST", IMPORT, {"url": url})
        several = await darkroom.ask("POST", SEVERAL, {"urls": [url, "http://localhost:1/"]})

    assert failed(refused) == (400, "ApplicationError")
    assert b"secret" not in several.content
    assert several.content.count(b"event: file:error") == 2
    assert (asked, darkroom.kept) == ([], before)


async def test_who_may_not_upload_imports_nothing(darkroom: Darkroom) -> None:
    await darkroom.admin_user("eve", may(READ))
    await darkroom.admin_user("lee", may(CREATE))
    async with serving(lambda _: plain(b"secret")) as (url, asked):
        for target, body in ((IMPORT, {"url": url}), (SEVERAL, {"urls": [url]})):
            assert (await darkroom.ask("POST", target, body, who="eve")).status == 403
    assert asked == []
    for urls in (None, [], "x", [5], ["http://example.org/"] * 21):
        response = await darkroom.ask("POST", SEVERAL, {"urls": urls}, who="lee")
        assert failed(response) == (400, "ApplicationError"), urls
