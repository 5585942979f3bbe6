"""Image sizes on request: only allowed ones, with limited work."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pyvips  # type: ignore[import-untyped]  # it says nothing of types

from quire.uploads.images import transform
from quire.uploads.transforms import signature_of
from tests.conformance.forms import FilePart
from tests.hazards.uploading import TEXT, picture, png_head, temporary, upload, uploaded
from tests.hazards.visitors import ANON, error, serving
from tests.hazards.writing import Editor

KEY = "made-up-key"
PHOTO = FilePart("photo.jpg", picture(800, 600, ".jpg"), "image/jpeg")
ANIMATED = FilePart("moves.gif", picture(300, 200, ".gif"), "image/gif")
CACHE = 20_000
SETTINGS = {
    "uploads__transform_sizes": (100, 200, 400, 2000),
    "uploads__transform_key": KEY,
    "uploads__transform_cache": CACHE,
}


@pytest.fixture(scope="module")
async def site(editor: Editor) -> AsyncIterator[Editor]:
    """A server for all tests: each uploads the picture that it asks for."""
    async with serving(editor.settings.project, **SETTINGS) as visitor:
        yield Editor(visitor, editor.settings)


def transformed(site: Editor) -> list[Path]:
    """What is kept of transformed pictures, the latest last."""
    folder = site.settings.project / site.settings.uploads.transform_directory
    return sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)


async def photo(site: Editor, part: FilePart = PHOTO, **said: object) -> str:
    """The key of a picture that was uploaded just now."""
    fields = [("fileInfo", json.dumps(said))] if said else []
    (file,) = uploaded(await upload(site, part, fields=fields))
    return str(file["url"]).removeprefix("/uploads/")


async def asked(site: Editor, key: str, query: str, **headers: str) -> tuple[int, bytes, str]:
    response = await site.ask.send("GET", f"/uploads/x/{key}?{query}", ANON, headers)
    return response.status, response.content, response.headers.get("content-type", "")


@pytest.mark.parametrize(
    ("query", "size", "type_"),
    [
        ("w=200", (200, 150), "image/jpeg"),
        ("h=200", (267, 200), "image/jpeg"),
        ("w=200&h=100", (133, 100), "image/jpeg"),
        ("w=200&h=100&fit=cover", (200, 100), "image/jpeg"),
        ("w=100&h=200&fit=cover", (100, 200), "image/jpeg"),
        ("w=2000", (800, 600), "image/jpeg"),
        ("w=2000&h=200&fit=cover", (800, 200), "image/jpeg"),
        ("w=400&format=webp&q=50", (400, 300), "image/webp"),
        ("w=100&format=avif", (100, 75), "image/avif"),
        ("w=100&format=png", (100, 75), "image/png"),
    ],
)
async def test_a_picture_comes_in_the_size_that_is_asked_for(
    site: Editor, query: str, size: tuple[int, int], type_: str
) -> None:
    status, content, content_type = await asked(site, await photo(site), query)
    assert (status, content_type) == (200, type_)
    found = pyvips.Image.new_from_buffer(content, "")
    assert (found.width, found.height) == size


async def test_the_point_of_interest_stays_in_view(site: Editor) -> None:
    """Left and right of the picture differ in their first colour."""
    left = await photo(site, focalPoint={"x": 0, "y": 50})
    right = await photo(site, focalPoint={"x": 100, "y": 50})
    reds = []
    for key in (left, right):
        _, content, _ = await asked(site, key, "w=100&h=400&fit=cover&format=png")
        reds.append(pyvips.Image.new_from_buffer(content, "")[0].avg())
    assert reds[0] < 60
    assert reds[1] > 190


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 403),
        ("w=150", 403),
        ("w=100&h=150", 403),
        ("w=100&q=77", 403),
        ("w=0", 400),
        ("w=-1", 400),
        ("w=1e3", 400),
        ("w=99999999999999999999", 400),
        ("w=", 400),
        ("w=100&w=200", 400),
        ("w=%C2%B2", 400),
        ("w=100&fit=stretch", 400),
        ("w=100&fit=cover", 400),
        ("w=100&format=svg", 400),
        ("w=100&format=../x", 400),
        ("w=100&q=0", 400),
        ("w=100&q=101", 400),
        ("w=100&s=00", 403),
        ("w=150&s=%C3%A9", 403),
    ],
)
async def test_h097_odd_wishes_are_refused_and_good_ones_still_served(
    site: Editor, query: str, status: int
) -> None:
    key = await photo(site)
    assert (await asked(site, key, query))[0] == status
    assert (await asked(site, key, "w=100"))[0] == 200


async def test_any_size_can_be_signed(site: Editor) -> None:
    key = await photo(site)
    path = f"/uploads/x/{key}"
    signature = signature_of(path, {"w": "123", "q": "77"}, KEY)
    status, content, _ = await asked(site, key, f"w=123&q=77&s={signature}")
    assert (status, pyvips.Image.new_from_buffer(content, "").width) == (200, 123)
    for other in ("w=124&q=77", "w=123", "w=123&q=77&h=1"):
        query = f"{other}&s={signature}"
        assert (await asked(site, key, query))[0] == 403
    assert (await asked(site, await photo(site), f"w=123&q=77&s={signature}"))[0] == 403


async def test_nothing_is_made_where_nothing_is_listed(editor: Editor) -> None:
    key = await photo(editor)
    assert (await asked(editor, key, "w=100"))[0] == 403


@pytest.mark.parametrize("key", ["nothing.jpg", "../x.jpg", "x/../photo.jpg", ".hidden", "a/b.jpg"])
async def test_h097_files_without_a_row_are_not_looked_at(site: Editor, key: str) -> None:
    assert (await asked(site, key, "w=100"))[0] in {403, 404}


async def test_h097_smaller_versions_are_no_originals(site: Editor) -> None:
    key = await photo(site)
    assert (await asked(site, f"thumbnail_{key}", "w=100"))[0] == 404


@pytest.mark.parametrize(
    ("part", "message"),
    [(TEXT, "The file is not an image that can be transformed")],
)
async def test_what_is_no_picture_is_not_transformed(
    site: Editor, part: FilePart, message: str
) -> None:
    status, content, _ = await asked(site, await photo(site, part), "w=100")
    assert (status, json.loads(content)["error"]["message"]) == (400, message)
    assert temporary(site) == []


async def test_h097_a_bomb_that_got_into_the_folder_is_not_decoded(site: Editor) -> None:
    key = await photo(site)
    folder = site.settings.project / site.settings.uploads.directory
    (folder / key).write_bytes(png_head(50_000, 50_000))
    response = await site.ask.send("GET", f"/uploads/x/{key}?w=100")
    assert (response.status, error(response)["name"]) == (400, "ApplicationError")


async def test_a_replaced_picture_is_created_again(site: Editor) -> None:
    (file,) = uploaded(await upload(site, PHOTO))
    key = file["url"].removeprefix("/uploads/")
    _, first, _ = await asked(site, key, "w=100")
    other = FilePart("other.png", picture(500, 500, ".png"), "image/png")
    await upload(site, other, target=f"upload?id={file['id']}")
    status, second, type_ = await asked(site, key, "w=100")
    assert (status, type_) == (200, "image/png")
    assert pyvips.Image.new_from_buffer(second, "").height == 100
    assert pyvips.Image.new_from_buffer(first, "").height == 75


async def test_of_what_moves_the_first_frame_is_shown(site: Editor) -> None:
    status, content, type_ = await asked(site, await photo(site, ANIMATED), "w=100")
    assert (status, type_) == (200, "image/webp")
    assert pyvips.Image.new_from_buffer(content, "").height == 67


async def test_h097_many_who_want_the_same_wait_for_one(
    site: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def counted(*args: object, **options: object) -> None:
        made.append(args)
        transform(*args, **options)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr("quire.uploads.transform_cache.transform", counted)
    key = await photo(site)
    found = await asyncio.gather(*(asked(site, key, "w=100") for _ in range(50)))
    assert {status for status, _, _ in found} == {200}
    assert len(made) == 1
    for _ in range(100):
        head = await site.ask.send("HEAD", f"/uploads/x/{key}?w=100")
        assert head.status == 200
    assert len(made) == 1


async def test_h097_what_is_kept_is_bounded(site: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.uploads.transform_cache._SPARED_SECONDS", -1.0)
    key = await photo(site)
    for size in (100, 200, 400, 2000):
        for format_ in ("jpeg", "png", "webp"):
            assert (await asked(site, key, f"w={size}&format={format_}"))[0] == 200
    sizes = [path.stat().st_size for path in transformed(site)]
    assert sum(sizes) <= max(CACHE, sizes[-1])
    assert len(sizes) < 12


async def test_files_that_another_process_deletes_are_not_missed(site: Editor) -> None:
    key = await photo(site)
    assert (await asked(site, key, "w=100"))[0] == 200
    made = transformed(site)[0]
    # As if it were deleted after the folder was listed.
    made.with_name("gone.webp").symlink_to(made.with_name("nowhere"))
    assert (await asked(site, key, "w=200"))[0] == 200


async def test_an_address_that_names_a_version_may_be_kept_for_ever(site: Editor) -> None:
    key = await photo(site)
    for path in (f"/uploads/{key}?v=1", f"/uploads/x/{key}?w=100&v=1"):
        response = await site.ask.send("GET", path)
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        again = await site.ask.send(
            "GET", path, headers={"If-None-Match": response.headers["etag"]}
        )
        assert again.status == 304
    plain = await site.ask.send("GET", f"/uploads/x/{key}?w=100")
    assert plain.headers["cache-control"] == "max-age=0"
