"""Results of uploads: bytes, sizes and rows, with the settings of the library."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import pyvips  # type: ignore[import-untyped]  # it says nothing of types

from quire.database.stores.core_store import read_setting, write_setting
from quire.database.stores.files import find_files
from quire.uploads.stored_settings import SETTINGS_KEY
from tests.conformance.corpus import asset
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.hazards.uploading import heic, picture
from tests.unit.uploads.desk import Desk, JsonObject

PHOTO = FilePart("photo.jpg", picture(1200, 800, ".jpg"), "image/jpeg")


async def uploaded(desk: Desk, *files: FilePart, target: str = "upload") -> list[JsonObject]:
    headers = {"Authorization": f"Bearer {desk.token}", "Content-Type": FORM_TYPE}
    response = await desk.client.request("POST", f"/api/{target}", headers, form(files))
    assert response.status in {200, 201}, response.content
    found = json.loads(response.content)
    return found if isinstance(found, list) else [found]


async def set_library(desk: Desk, **switches: bool) -> None:
    writes = desk.store.writes
    await desk.write(lambda _: write_setting(writes, SETTINGS_KEY, switches))
    assert await desk.read(lambda store: read_setting(store.writes, SETTINGS_KEY)) == switches


def kept(desk: Desk) -> Path:
    return desk.app.settings.project / "public/uploads"


def bytes_of(desk: Desk, file: JsonObject) -> bytes:
    return (kept(desk) / f"{file['hash']}{file['ext']}").read_bytes()


async def test_files_come_back_in_their_order(desk: Desk) -> None:
    names = ["b.txt", "a.txt", "c.txt"]
    files = [FilePart(name, b"x", "text/plain") for name in names]

    assert [file["name"] for file in await uploaded(desk, *files)] == names


async def test_a_text_about_gif_is_no_picture(desk: Desk) -> None:
    (file,) = await uploaded(desk, FilePart("notes.txt", b"GIF files move.", "text/plain"))

    assert file["mime"] == "text/plain"


async def test_uploads_of_the_api_are_in_its_folder_and_of_nobody(desk: Desk) -> None:
    (file,) = await uploaded(desk, PHOTO)
    (row,) = await desk.read(lambda store: find_files(store, [file["id"]]))

    assert row.folder_path == "/1"
    assert not {"folder", "folderPath", "createdBy", "updatedBy"} & set(file)


@pytest.mark.parametrize(
    ("switches", "formats", "same"),
    [
        ({}, ["thumbnail", "large", "medium", "small"], False),
        ({"responsiveDimensions": False}, ["thumbnail"], False),
        ({"sizeOptimization": False}, ["thumbnail", "large", "medium", "small"], True),
        ({"sizeOptimization": False, "responsiveDimensions": False}, ["thumbnail"], True),
    ],
)
async def test_the_library_says_what_is_made_of_pictures(
    desk: Desk, switches: dict[str, bool], formats: Sequence[str], *, same: bool
) -> None:
    await set_library(desk, **switches)
    (file,) = await uploaded(desk, PHOTO)

    assert sorted(file["formats"]) == sorted(formats)
    assert (bytes_of(desk, file) == PHOTO.content) is same
    assert all("sizeInBytes" in made for made in file["formats"].values())


async def test_pictures_are_turned_when_the_library_says_so(desk: Desk) -> None:
    sideways = pyvips.Image.new_from_buffer(picture(400, 200, ".png"), "").copy()
    sideways.set_type(pyvips.GValue.gint_type, "orientation", 6)
    part = FilePart("a.jpg", sideways.write_to_buffer(".jpg"), "image/jpeg")
    (as_is,) = await uploaded(desk, part)
    await set_library(desk, autoOrientation=True, sizeOptimization=False)
    (turned,) = await uploaded(desk, part)

    assert (as_is["width"], as_is["height"]) == (400, 200)
    assert (turned["width"], turned["height"]) == (200, 400)
    thumbnail = turned["formats"]["thumbnail"]
    assert (thumbnail["width"], thumbnail["height"]) == (78, 156)


@pytest.mark.parametrize("suffix", [".avif", ".heic"])
async def test_pictures_that_are_kept_as_they_are_tell_their_size(desk: Desk, suffix: str) -> None:
    content = picture(300, 200, ".avif")
    (file,) = await uploaded(desk, FilePart(f"a{suffix}", content, f"image/{suffix[1:]}"))

    assert (file["width"], file["height"], file["formats"]) == (300, 200, None)
    assert bytes_of(desk, file) == content


async def test_photos_in_a_codec_that_cannot_be_decoded_are_stored(desk: Desk) -> None:
    content = heic(64, 48)
    (file,) = await uploaded(desk, FilePart("IMG_1.HEIC", content, "image/heic"))

    assert (file["width"], file["height"], file["formats"]) == (64, 48, None)
    assert (file["mime"], file["ext"]) == ("image/heic", ".HEIC")
    assert bytes_of(desk, file) == content


async def test_what_a_replaced_picture_had_is_gone(desk: Desk) -> None:
    (file,) = await uploaded(desk, PHOTO)
    before = {path.name for path in kept(desk).iterdir()}
    small = FilePart("small.jpg", picture(300, 300, ".jpg"), "image/jpeg")
    (changed,) = await uploaded(desk, small, target=f"upload?id={file['id']}")
    after = {path.name for path in kept(desk).iterdir()}

    assert (changed["url"], list(changed["formats"])) == (file["url"], ["thumbnail"])
    assert before - after == {
        f"{label}_{file['hash']}.jpg" for label in ("large", "medium", "small")
    }
    assert after - before == set()


async def test_a_deleted_file_leaves_nothing(desk: Desk) -> None:
    before = {path.name for path in kept(desk).iterdir()}
    (file,) = await uploaded(desk, FilePart("m.png", asset("medium.png"), "image/png"))
    assert len(list(kept(desk).iterdir())) == len(before) + 3
    await desk.send("DELETE", f"upload/files/{file['id']}")

    assert {path.name for path in kept(desk).iterdir()} == before


async def test_files_of_other_providers_are_left_where_they_are(desk: Desk) -> None:
    table = desk.store.layout("plugin::upload.file").table.name
    await desk.write(lambda _: desk.store.writes.update(table, 9, {"provider": "elsewhere"}))
    await desk.send("DELETE", "upload/files/9")

    assert (kept(desk) / "red_b6a282cc2a.png").exists()
