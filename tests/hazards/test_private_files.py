"""Private files: opened by expiring links that only the server can create."""

import json
from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote

import httpx
import pytest

from quire.clock import now_ms
from quire.errors import ConfigurationError
from quire.settings import load_settings
from tests.conformance.forms import FilePart
from tests.hazards.uploading import picture, upload, uploaded
from tests.hazards.visitors import ANON, FULL, READER, error, serving
from tests.hazards.writing import Editor, shown
from tests.services import s3_server

PHOTO = FilePart("photo.jpg", picture(400, 300, ".jpg"), "image/jpeg")


@pytest.fixture
async def guarded(editor: Editor) -> AsyncIterator[Editor]:
    """The newsroom with private files."""
    async with serving(editor.settings.project, uploads__private=True) as visitor:
        yield Editor(visitor, editor.settings)


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with s3_server("newsroom") as address:
        yield address


async def test_h099_responses_have_fresh_links(guarded: Editor) -> None:
    """Of the file itself, of its other sizes, and wherever content shows it."""
    (file,) = uploaded(await upload(guarded, PHOTO))
    assert file["isUrlSigned"] is True
    entry = shown(
        await guarded.create("articles?populate=cover", {"cover": file["id"]}), status=201
    )
    listed = json.loads((await guarded.ask("upload/files?sort=id:desc", FULL)).content)
    links = [
        file["url"],
        file["formats"]["thumbnail"]["url"],
        entry["cover"]["url"],
        entry["cover"]["formats"]["thumbnail"]["url"],
        listed[0]["url"],
    ]
    for link in links:
        assert "signature=" in link
        response = await guarded.ask.send("GET", link)
        assert (response.status, response.headers["content-type"]) == (200, "image/jpeg")
        assert response.headers["cache-control"] == "private, max-age=0"


async def test_h099_what_is_stored_is_no_link(guarded: Editor) -> None:
    (file,) = uploaded(await upload(guarded, PHOTO))
    ((url, formats),) = guarded.sql(f"SELECT url, formats FROM files WHERE id = {file['id']}")
    assert url == f"/uploads/{file['hash']}.jpg"
    assert "signature" not in json.dumps(formats)


@pytest.mark.parametrize("who", [ANON, READER, FULL])
async def test_h099_without_a_link_nobody_reads_a_file(guarded: Editor, who: str | None) -> None:
    (file,) = uploaded(await upload(guarded, PHOTO))
    other = uploaded(await upload(guarded, PHOTO))[0]["url"]
    path, _, query = file["url"].partition("?")
    expires, signature = (part.split("=")[1] for part in query.split("&"))
    for target in (
        path,
        f"{path}?expires={expires}",
        f"{path}?signature={signature}",
        f"{path}?expires={int(expires) + 1}&signature={signature}",
        f"{path}?expires={expires}&signature={signature[:-1]}",
        f"{path}?expires={expires}&signature=",
        f"{path}?expires=9{'9' * 30}&signature={signature}",
        f"{path}?expires={quote('²')}&signature={signature}",
        f"{other.partition('?')[0]}?{query}",
        f"/uploads/thumbnail_{path.rpartition('/')[2]}?{query}",
        f"/UPLOADS/{path.rpartition('/')[2]}",
    ):
        response = await guarded.ask.send("GET", target, who)
        assert response.status == 403, target
        assert error(response)["name"] == "ForbiddenError"


async def test_h099_a_link_ends(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"uploads__private": True, "uploads__link_lifetime": "60s"}
    async with serving(editor.settings.project, **settings) as visitor:
        guarded = Editor(visitor, editor.settings)
        (file,) = uploaded(await upload(guarded, PHOTO))
        links = visitor.application.library.links  # type: ignore[union-attr]  # it was started
        assert (await visitor.send("GET", file["url"])).status == 200
        monkeypatch.setattr(links, "_clock", lambda: now_ms() + 61_000)
        assert (await visitor.send("GET", file["url"])).status == 403
        fresh = json.loads((await visitor(f"upload/files/{file['id']}", FULL)).content)
        assert (await visitor.send("GET", fresh["url"])).status == 200


def test_private_files_need_a_key(editor: Editor) -> None:
    from quire.uploads.setup import signed_links  # noqa: PLC0415 - asked here alone

    settings = load_settings(
        editor.settings.project,
        environ={},
        overrides={"uploads.private": True, "secrets.app_keys": ()},
    )
    with pytest.raises(ConfigurationError, match="APP_KEYS"):
        signed_links(settings, now_ms)


@pytest.mark.parametrize("private", [False, True])
async def test_files_in_a_bucket_are_led_to(editor: Editor, service: str, *, private: bool) -> None:
    settings = {
        "uploads__storage": "s3://newsroom/files",
        "uploads__endpoint": service,
        "uploads__region": "us-east-1",
        "uploads__access_key": "made-up",
        "uploads__secret_key": "made-up",
        "uploads__private": private,
    }
    async with serving(editor.settings.project, **settings) as visitor:
        remote = Editor(visitor, editor.settings)
        (file,) = uploaded(await upload(remote, PHOTO))
        assert file["provider"] == "aws-s3"
        thumbnail = file["formats"]["thumbnail"]
        for url, size in ((file["url"], None), (thumbnail["url"], thumbnail["sizeInBytes"])):
            response = await visitor.send("GET", url)
            assert response.status == 302
            async with httpx.AsyncClient() as client:
                found = await client.get(response.headers["location"])
            assert (found.status_code, found.headers["Content-Type"]) == (200, "image/jpeg")
            assert size is None or len(found.content) == size
            if private:
                assert (await visitor.send("GET", url.partition("?")[0])).status == 403
        gone = await remote.delete(f"upload/files/{file['id']}")
        assert gone.status == 200
        async with httpx.AsyncClient() as client:
            left = await client.get(f"{service}/newsroom?list-type=2&prefix=files")
        assert file["hash"] not in left.text


async def test_addresses_elsewhere_are_those_of_the_project(editor: Editor) -> None:
    base = "https://cdn.example.org/media"
    async with serving(editor.settings.project, uploads__public_url=base) as visitor:
        (file,) = uploaded(await upload(Editor(visitor, editor.settings), PHOTO))
        assert file["url"] == f"{base}/{file['hash']}.jpg"
        assert file["formats"]["thumbnail"]["url"] == f"{base}/thumbnail_{file['hash']}.jpg"
