"""The media library of administrators: visible and changeable files, rejected requests."""

import json

from tests.conformance.forms import FilePart
from tests.unit.admin_api.media_project import (
    CREATE,
    IS_CREATOR,
    NOTE,
    READ,
    SAME_ROLE,
    UPDATE,
    Darkroom,
    failed,
    may,
)

OWN = (may(READ, IS_CREATOR), may(CREATE), may(UPDATE, IS_CREATOR))
FORBIDDEN, MISSING = (403, "ForbiddenError"), (404, "NotFoundError")
STRANGE = 9
"""A file that nobody in particular has made."""


async def ids(darkroom: Darkroom, who: str, query: str = "pageSize=100") -> list[int]:
    found = await darkroom.read(f"/upload/files?{query}", who=who)
    return [file["id"] for file in found["results"]]


async def test_who_may_see_own_files_alone_is_shown_no_others(darkroom: Darkroom) -> None:
    await darkroom.admin_user("ansel", *OWN)
    await darkroom.uploaded()
    own = await darkroom.uploaded(who="ansel")

    assert await ids(darkroom, "ansel") == [own]
    assert await ids(darkroom, "ansel", f"filters[id][$in][0]={STRANGE}&filters[id][$in][1]={own}")
    assert await ids(darkroom, "ansel", f"filters[$or][0][id]={STRANGE}") == []
    assert await ids(darkroom, "ansel", "_q=red") == []
    assert failed(await darkroom.ask("GET", f"/upload/files/{STRANGE}", who="ansel")) == FORBIDDEN
    assert failed(await darkroom.ask("GET", "/upload/files/9999", who="ansel")) == MISSING
    shown = await darkroom.read(f"/upload/files/{own}", who="ansel")
    assert shown["createdBy"]["email"] == "ansel@example.com"
    assert set(shown["createdBy"]) == {
        "id",
        "firstname",
        "lastname",
        "username",
        "email",
        "isActive",
    }


async def test_files_of_the_own_role_are_those_of_all_who_have_it(darkroom: Darkroom) -> None:
    role = await darkroom.admin_user(
        "ansel", may(READ, SAME_ROLE), may(CREATE), may(UPDATE, SAME_ROLE)
    )
    await darkroom.admin_user("imogen", role=role)
    await darkroom.admin_user("other", may(CREATE))
    await darkroom.uploaded(who="other")
    theirs = await darkroom.uploaded(who="imogen")

    assert await ids(darkroom, "ansel") == [theirs]
    assert (await darkroom.ask("DELETE", f"/upload/files/{theirs}", who="ansel")).status == 200
    refused = await darkroom.ask("DELETE", f"/upload/files/{STRANGE}", who="ansel")
    assert failed(refused) == FORBIDDEN


CHANGES: tuple[tuple[str, str, object], ...] = (
    ("DELETE", "/upload/files/9", None),
    ("PUT", "/upload/files/9", {"fileInfo": {"name": "mine"}}),
    ("POST", "/upload?id=9", {"fileInfo": {"name": "mine"}}),
    ("POST", "/upload/actions/bulk-delete", {"fileIds": [9]}),
    ("POST", "/upload/actions/bulk-delete", {"folderIds": [1]}),
    ("POST", "/upload/actions/bulk-move", {"fileIds": [9], "destinationFolderId": 2}),
    ("POST", "/upload/actions/bulk-move", {"folderIds": [1], "destinationFolderId": 2}),
    ("PUT", "/upload/folders/1", {"parent": 2}),
    ("POST", "/upload/actions/bulk-update", {"updates": [{"id": 9, "fileInfo": {}}]}),
)


async def test_nobody_changes_files_of_others_without_the_right_to(darkroom: Darkroom) -> None:
    await darkroom.admin_user("ansel", *OWN)
    before = await darkroom.read("/upload/files?pageSize=100"), darkroom.kept
    for method, target, body in CHANGES:
        response = await darkroom.ask(method, target, body, who="ansel")
        assert failed(response) == FORBIDDEN, (method, target, body)

    assert (await darkroom.read("/upload/files?pageSize=100"), darkroom.kept) == before


async def test_folders_with_files_of_others_are_renamed_where_they_are(darkroom: Darkroom) -> None:
    await darkroom.admin_user("ansel", *OWN)
    body = {"name": "Negatives", "parent": None}
    renamed = await darkroom.ask("PUT", "/upload/folders/1", body, who="ansel")
    moved = await darkroom.ask("PUT", "/upload/folders/1", {**body, "parent": 2}, who="ansel")

    assert (renamed.status, failed(moved)) == (200, FORBIDDEN)


async def test_nobody_replaces_bytes_of_others_without_the_right_to(darkroom: Darkroom) -> None:
    await darkroom.admin_user("ansel", *OWN)
    for target in ("/upload?id=9", "/upload/files/9/replace"):
        assert failed(await darkroom.send(NOTE, target=target, who="ansel")) == FORBIDDEN
    served = await darkroom.client.request("GET", "/uploads/red_b6a282cc2a.png", {}, b"")

    assert served.content != NOTE.content


async def test_of_several_files_one_of_others_is_reason_enough(darkroom: Darkroom) -> None:
    await darkroom.admin_user("ansel", *OWN)
    own = await darkroom.uploaded(who="ansel")
    body = {"fileIds": [own, STRANGE]}

    refused = await darkroom.ask("POST", "/upload/actions/bulk-delete", body, who="ansel")
    assert failed(refused) == FORBIDDEN
    assert await ids(darkroom, "ansel") == [own]
    body = {"fileIds": [own]}
    assert (
        await darkroom.ask("POST", "/upload/actions/bulk-delete", body, who="ansel")
    ).status == 200


async def test_who_may_upload_puts_files_into_folders(darkroom: Darkroom) -> None:
    await darkroom.admin_user("lee", may(CREATE))
    folder = await darkroom.folder("Prints")
    file_id = await darkroom.uploaded(who="lee", folder=folder, caption="A test strip")
    shown = await darkroom.read(f"/upload/files/{file_id}")

    assert (shown["folder"]["name"], shown["caption"]) == ("Prints", "A test strip")
    assert failed(await darkroom.ask("GET", "/upload/files", who="lee")) == (403, "PolicyError")
    refused = await darkroom.send(NOTE, target=f"/upload?id={file_id}", who="lee")
    assert failed(refused) == FORBIDDEN


async def test_metadata_is_also_read_from_fields_in_brackets(darkroom: Darkroom) -> None:
    fields = [("fileInfo[0][caption]", "First"), ("fileInfo[1][caption]", "Second")]
    other = FilePart("second.txt", b"Rinse.", "text/plain")
    sent = await darkroom.send(NOTE, other, fields=fields)
    assert sent.status == 201, sent.content
    first, second = json.loads(sent.content)
    target = f"/upload?id={first['id']}"
    changed = await darkroom.send(fields=[("fileInfo[caption]", "New")], target=target)

    assert (first["caption"], second["caption"]) == ("First", "Second")
    assert json.loads(changed.content)["caption"] == "New"


async def test_who_may_not_upload_leaves_nothing_behind(darkroom: Darkroom) -> None:
    await darkroom.admin_user("eve", may(READ))
    before = darkroom.kept
    for target in ("/upload", "/upload/files"):
        assert failed(await darkroom.send(NOTE, target=target, who="eve")) == FORBIDDEN

    assert darkroom.kept == before


async def test_one_file_is_uploaded_replaced_and_described(darkroom: Darkroom) -> None:
    made = json.loads((await darkroom.send(NOTE, target="/upload/files")).content)
    reported = {"fileInfo": {"focalPoint": {"x": 20, "y": 30}}}
    described = await darkroom.ask("PUT", f"/upload/files/{made['id']}", reported)
    other = FilePart("second.txt", b"Rinse.", "text/plain")
    replaced = await darkroom.send(other, target=f"/upload/files/{made['id']}/replace")
    served = await darkroom.client.request("GET", made["url"], {}, b"")

    assert described.status == replaced.status == 200
    assert json.loads(described.content)["focalPoint"] == {"x": 20, "y": 30}
    assert json.loads(replaced.content)["url"] == made["url"]
    assert served.content == b"Rinse."


async def test_files_do_not_lead_on_to_content_or_other_files(darkroom: Darkroom) -> None:
    await darkroom.admin_user("eve", may(READ, IS_CREATOR), may(CREATE))
    await darkroom.uploaded(who="eve", folder=1)
    for shown in ("related", "*", "[related][populate]=*", "[folder][populate]=files"):
        query = f"populate{shown}" if shown.startswith("[") else f"populate={shown}"
        (file,) = (await darkroom.read(f"/upload/files?{query}", who="eve"))["results"]
        assert "related" not in file, query
        assert "files" not in file["folder"], query
    for asked in ("[related][id]=1", "[folder][files][name][$contains]=r"):
        response = await darkroom.ask("GET", f"/upload/files?filters{asked}", who="eve")
        assert failed(response) == (400, "ValidationError"), asked


async def test_secrets_of_those_who_made_files_are_not_asked_about(darkroom: Darkroom) -> None:
    for lists in ("files", "folders"):
        for name in ("password", "resetPasswordToken", "registrationToken", "roles"):
            for query in (f"filters[createdBy][{name}][$null]=true", f"sort=createdBy.{name}"):
                response = await darkroom.ask("GET", f"/upload/{lists}?{query}")
                assert failed(response) == (400, "ValidationError"), query


async def test_folders_show_the_files_in_them_where_they_are_asked_for(darkroom: Darkroom) -> None:
    plain = await darkroom.read("/upload/folders?populate=parent")
    found = await darkroom.read("/upload/folders?populate=files,parent")

    assert all("files" not in folder for folder in plain["data"])
    assert all(isinstance(folder["files"], list) for folder in found["data"])
    assert all(folder["parent"] is None for folder in found["data"])


IMPOSSIBLE: tuple[tuple[str, object], ...] = (
    ("/upload/folders", {"name": "a/b"}),
    ("/upload/folders", {"name": "x" * 256}),
    ("/upload/folders", {"name": "a\0b"}),
    ("/upload/folders", {"name": "a", "parent": 2.5}),
    ("/upload/folders", {"name": "a", "parent": True}),
    ("/upload/folders", {"name": "a", "parent": 10**30}),
    ("/upload/folders", []),
    ("/upload/actions/bulk-move", {"fileIds": [1]}),
    ("/upload/actions/bulk-move", {"fileIds": [1], "destinationFolderId": {"$gt": 0}}),
    ("/upload/actions/bulk-delete", {"fileIds": list(range(1001))}),
    ("/upload/actions/bulk-delete", {"fileIds": {"$gt": 0}}),
    ("/upload/actions/bulk-update", {"updates": [{"id": 1}]}),
    ("/upload/actions/bulk-update", {"updates": [{"id": 1.5, "fileInfo": {}}]}),
    ("/upload/actions/bulk-update", {"updates": [{"id": 1, "fileInfo": {"name": {}}}]}),
)


async def test_bodies_that_cannot_be_are_refused_with_nothing_changed(darkroom: Darkroom) -> None:
    before = await darkroom.read("/upload/folders"), await darkroom.read("/upload/files")
    for target, body in IMPOSSIBLE:
        response = await darkroom.ask("POST", target, body)
        assert failed(response) == (400, "ValidationError"), (target, body, response.content)

    assert (await darkroom.read("/upload/folders"), await darkroom.read("/upload/files")) == before


async def test_settings_of_uploads_hold_for_the_next_one(darkroom: Darkroom) -> None:
    switches = {"sizeOptimization": False, "responsiveDimensions": False}
    changed = await darkroom.ask("PUT", "/upload/settings", {**switches, "unknown": True})
    found = await darkroom.read("/upload/settings")

    assert json.loads(changed.content)["data"] == switches
    assert found["data"] == {**switches, "concurrentUploadRequests": 1}


async def test_deleting_folders_deletes_the_bytes_in_them(darkroom: Darkroom) -> None:
    outer = await darkroom.folder("Outer")
    inner = await darkroom.folder("Inner", outer)
    before = darkroom.kept
    file_id = await darkroom.uploaded(folder=inner)
    assert darkroom.kept > before
    body = {"folderIds": [outer]}
    gone = await darkroom.ask("POST", "/upload/actions/bulk-delete", body)

    assert [folder["name"] for folder in json.loads(gone.content)["data"]["folders"]] == ["Outer"]
    assert failed(await darkroom.ask("GET", f"/upload/files/{file_id}")) == MISSING
    assert darkroom.kept == before


async def test_whatever_would_describe_files_by_itself_is_not_there(darkroom: Darkroom) -> None:
    for method, target in (
        ("POST", "actions/generate-ai-metadata"),
        ("POST", "ai-metadata-jobs"),
        ("GET", "ai-metadata-jobs/pending-count"),
    ):
        response = await darkroom.ask(method, f"/upload/{target}", {} if method == "POST" else None)
        assert failed(response) == (400, "BadRequestError")
