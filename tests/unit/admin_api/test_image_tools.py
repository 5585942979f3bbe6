"""Crops of images, and URLs of images in other sizes."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pyvips  # type: ignore[import-untyped]  # it says nothing of types

from tests.conformance.forms import FilePart
from tests.hazards.uploading import picture
from tests.shared_applications import SharedApplications
from tests.unit.admin_api.media_project import (
    CREATE,
    IS_CREATOR,
    READ,
    UPDATE,
    Darkroom,
    failed,
    may,
    open_darkroom,
)

PHOTO = FilePart("photo.jpg", picture(600, 400, ".jpg"), "image/jpeg")
AREA = {"left": 100, "top": 50, "width": 300, "height": 200}


@pytest_asyncio.fixture(loop_scope="session")
async def darkroom(
    recorded: Path, shared_darkrooms: SharedApplications[Darkroom]
) -> AsyncIterator[Darkroom]:
    transforms = {"uploads.transform_sizes": (320, 640), "uploads.transform_key": "k" * 32}
    async with shared_darkrooms.lend(
        recorded, lambda project: open_darkroom(project, **transforms), "transforms"
    ) as lent:
        yield lent.with_new_sessions()


async def cropped(darkroom: Darkroom, file_id: int, **body: object) -> dict[str, Any]:
    response = await darkroom.ask("POST", f"/admin/x/media/{file_id}/crop", {**AREA, **body})
    assert response.status == 201, response.content
    found: dict[str, Any] = json.loads(response.content)
    return found


async def test_an_area_becomes_a_copy_beside_the_image(darkroom: Darkroom) -> None:
    folder = await darkroom.folder("Prints")
    file_id = await darkroom.uploaded(
        file=PHOTO,
        alternativeText="A pier",
        caption="At noon",
        folder=folder,
        focalPoint={"x": 50, "y": 50},
    )
    before = await darkroom.read(f"/upload/files/{file_id}")

    made = await cropped(darkroom, file_id)
    shown = await darkroom.read(f"/upload/files/{made['id']}")

    assert (shown["width"], shown["height"]) == (300, 200)
    assert (shown["name"], shown["folder"]["id"]) == ("photo-cropped.jpg", folder)
    assert (shown["alternativeText"], shown["caption"]) == ("A pier", "At noon")
    assert shown["focalPoint"] == {"x": 66.67, "y": 75}
    assert await darkroom.read(f"/upload/files/{file_id}") == before


async def test_an_area_replaces_the_image_under_its_address(darkroom: Darkroom) -> None:
    point = {"x": 1, "y": 1}
    file_id = await darkroom.uploaded(file=PHOTO, alternativeText="A pier", focalPoint=point)
    before = await darkroom.read(f"/upload/files/{file_id}")
    await cropped(darkroom, file_id, copy=False)
    after = await darkroom.read(f"/upload/files/{file_id}")

    assert (after["width"], after["height"], after["url"]) == (300, 200, before["url"])
    assert (after["alternativeText"], after["name"]) == ("A pier", "photo.jpg")
    assert after["focalPoint"] is None
    assert after["formats"]["thumbnail"]["width"] == 234


async def test_areas_are_those_of_the_image_as_it_is_shown(darkroom: Darkroom) -> None:
    left = pyvips.Image.black(200, 100) + 255
    image = left.join(pyvips.Image.black(200, 100), "vertical").cast("uchar").copy()
    image.set_type(pyvips.GValue.gint_type, "orientation", 6)
    await darkroom.ask(
        "PUT",
        "/upload/settings",
        {"sizeOptimization": False, "responsiveDimensions": True, "autoOrientation": False},
    )
    part = FilePart("turned.jpg", image.write_to_buffer(".jpg"), "image/jpeg")
    file_id = await darkroom.uploaded(file=part)
    # Upright, the white upper half is on the right.
    area = {"left": 100, "top": 0, "width": 100, "height": 200}
    made = await cropped(darkroom, file_id, **area)
    folder = darkroom.app.settings.project / "public/uploads"
    written = pyvips.Image.new_from_file(str(folder / f"{made['hash']}{made['ext']}"))

    assert (written.width, written.height) == (100, 200)
    assert written.crop(5, 5, 90, 190).avg() > 250


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"left": 400, "width": 201}, "ValidationError"),
        ({"top": 201, "height": 200}, "ValidationError"),
        ({"width": 0}, "ValidationError"),
        ({"left": -1}, "ValidationError"),
        ({"left": 1.5}, "ValidationError"),
        ({"height": None}, "ValidationError"),
        ({"copy": "yes"}, "ValidationError"),
        ({"angle": 90}, "ValidationError"),
    ],
)
async def test_areas_that_are_not_in_the_image_are_refused(
    darkroom: Darkroom, body: dict[str, object], name: str
) -> None:
    file_id = await darkroom.uploaded(file=PHOTO)
    before = darkroom.kept
    refused = await darkroom.ask("POST", f"/admin/x/media/{file_id}/crop", {**AREA, **body})

    assert failed(refused) == (400, name)
    assert darkroom.kept == before


async def test_what_is_no_still_image_is_not_cropped(darkroom: Darkroom) -> None:
    black = pyvips.Image.black(40, 40)
    frames = black.join(black + 255, "vertical").cast("uchar").copy()
    frames.set_type(pyvips.GValue.gint_type, "page-height", 40)
    moving = FilePart("moving.webp", frames.webpsave_buffer(), "image/webp")
    area = {"left": 0, "top": 0, "width": 10, "height": 10}
    for part in (moving, FilePart("note.txt", b"A note", "text/plain")):
        file_id = await darkroom.uploaded(file=part)
        refused = await darkroom.ask("POST", f"/admin/x/media/{file_id}/crop", area)
        assert failed(refused) == (400, "ApplicationError"), part
    for unknown in ("9999", "x"):
        missing = await darkroom.ask("POST", f"/admin/x/media/{unknown}/crop", AREA)
        assert failed(missing) == (404, "NotFoundError")


async def test_copies_need_the_permission_to_upload_and_replacing_that_to_change(
    darkroom: Darkroom,
) -> None:
    file_id = await darkroom.uploaded(file=PHOTO)
    rights = {
        "reader": ([may(READ)], 403, 403),
        "uploader": ([may(READ), may(CREATE)], 201, 403),
        "changer": ([may(READ), may(UPDATE)], 403, 201),
        "owner": ([may(READ, IS_CREATOR), may(CREATE), may(UPDATE, IS_CREATOR)], 403, 403),
    }
    for name, (granted, copying, replacing) in rights.items():
        await darkroom.admin_user(name, *granted)
        target, half = f"/admin/x/media/{file_id}/crop", {**AREA, "left": 0, "top": 0}
        copied = await darkroom.ask("POST", target, half, who=name)
        replaced = await darkroom.ask("POST", target, {**half, "copy": False}, who=name)
        assert (copied.status, replaced.status) == (copying, replacing), name


async def test_addresses_of_other_sizes_are_signed_where_they_are_not_listed(
    darkroom: Darkroom,
) -> None:
    file_id = await darkroom.uploaded(file=PHOTO)
    rules = (await darkroom.read("/admin/x/media/transforms"))["data"]
    listed = await darkroom.read(f"/admin/x/media/{file_id}/transform?w=320&format=webp")
    own = await darkroom.read(f"/admin/x/media/{file_id}/transform?w=100&h=80&fit=cover&q=75")

    assert (rules["sizes"], rules["signs"]) == ([320, 640], True)
    assert listed["data"]["signed"] is False
    assert listed["data"]["url"].endswith(".jpg?w=320&format=webp")
    assert own["data"]["signed"] is True
    for reply, type_ in ((listed, "image/webp"), (own, "image/jpeg")):
        response = await darkroom.client.request("GET", reply["data"]["url"])
        assert (response.status, response.headers["content-type"]) == (200, type_)


async def test_what_cannot_be_transformed_has_no_address(darkroom: Darkroom) -> None:
    file_id = await darkroom.uploaded(file=PHOTO)
    for query in ("w=0", "w=5000", "fit=fill", "fit=cover&w=10", "format=bmp", "w=1&w=2", "q=x"):
        refused = await darkroom.ask("GET", f"/admin/x/media/{file_id}/transform?{query}")
        assert failed(refused) == (400, "ValidationError"), query
    missing = await darkroom.ask("GET", "/admin/x/media/9999/transform?w=320")
    assert failed(missing) == (404, "NotFoundError")


async def test_without_a_key_only_listed_sizes_have_addresses(own_recorded: Path) -> None:
    async with open_darkroom(
        own_recorded, **{"uploads.transform_sizes": (320,), "uploads.private": True}
    ) as darkroom:
        file_id = await darkroom.uploaded(file=PHOTO)
        rules = (await darkroom.read("/admin/x/media/transforms"))["data"]
        refused = await darkroom.ask("GET", f"/admin/x/media/{file_id}/transform?w=321")
        found = await darkroom.read(f"/admin/x/media/{file_id}/transform?w=320")
        response = await darkroom.client.request("GET", found["data"]["url"])

    assert rules["signs"] is False
    assert failed(refused) == (403, "ForbiddenError")
    assert response.status == 200
