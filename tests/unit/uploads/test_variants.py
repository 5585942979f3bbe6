"""Images are also stored in other types, if the project configures it."""

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pyvips  # type: ignore[import-untyped]  # it says nothing of types

from tests.conformance.forms import FilePart
from tests.hazards.uploading import picture
from tests.shared_applications import SharedApplications
from tests.unit.uploads.desk import Desk, open_desk
from tests.unit.uploads.test_uploading import kept, uploaded

PHOTO = FilePart("photo.jpg", picture(600, 400, ".jpg"), "image/jpeg")
SIZES = {"thumbnail": (234, 156), "small": (500, 333)}


@pytest.fixture
async def desk(recorded: Path, shared_desks: SharedApplications[Desk]) -> AsyncIterator[Desk]:
    serve = partial(open_desk, variants=["webp", "avif"])
    async with shared_desks.lend(recorded, serve, "variants") as desk:
        yield desk


async def test_every_size_is_kept_in_every_type(desk: Desk) -> None:
    (file,) = await uploaded(desk, PHOTO)
    expected = dict(SIZES)
    for name in ("webp", "avif"):
        expected[name] = (600, 400)
        expected |= {f"{label}_{name}": size for label, size in SIZES.items()}

    assert {
        label: (made["width"], made["height"]) for label, made in file["formats"].items()
    } == expected
    for label, made in file["formats"].items():
        path = kept(desk) / made["url"].removeprefix("/uploads/")
        found = pyvips.Image.new_from_file(str(path))
        assert (found.width, found.height) == expected[label]
        assert made["sizeInBytes"] == path.stat().st_size
        type_ = label.rpartition("_")[2]
        if type_ in {"webp", "avif"}:
            assert (made["mime"], made["ext"]) == (f"image/{type_}", f".{type_}")
            assert found.get("vips-loader").startswith({"webp": "webp", "avif": "heif"}[type_])
    served = await desk.client.request("GET", file["formats"]["webp"]["url"], {}, b"")
    assert served.headers["content-type"] == "image/webp"


async def test_what_is_deleted_is_gone_in_all_types(desk: Desk) -> None:
    before = set(kept(desk).iterdir())
    (file,) = await uploaded(desk, PHOTO)
    token = {"Authorization": f"Bearer {desk.token}"}
    gone = await desk.client.request("DELETE", f"/api/upload/files/{file['id']}", token, b"")

    assert gone.status == 200
    assert set(kept(desk).iterdir()) == before


async def test_what_is_replaced_is_replaced_in_all_types(desk: Desk) -> None:
    before = set(kept(desk).iterdir())
    (file,) = await uploaded(desk, PHOTO)
    small = FilePart("small.png", picture(300, 200, ".png"), "image/png")
    (after,) = await uploaded(desk, small, target=f"upload?id={file['id']}")
    names = {path.name for path in set(kept(desk).iterdir()) - before}

    assert set(after["formats"]) == {
        "thumbnail",
        "webp",
        "avif",
        "thumbnail_webp",
        "thumbnail_avif",
    }
    assert names == {
        made["url"].removeprefix("/uploads/") for made in (after, *after["formats"].values())
    }


async def test_a_type_that_an_address_ends_in_is_left_to_the_file_itself(desk: Desk) -> None:
    """An address is kept when a file is replaced, whatever is there then."""
    first = FilePart("photo.webp", picture(600, 400, ".webp"), "image/webp")
    (file,) = await uploaded(desk, first)
    (after,) = await uploaded(desk, PHOTO, target=f"upload?id={file['id']}")
    own = (kept(desk) / file["url"].removeprefix("/uploads/")).read_bytes()

    assert not [label for label in file["formats"] if "webp" in label]
    assert not [label for label in after["formats"] if "webp" in label]
    assert own[:3] == b"\xff\xd8\xff"


async def test_what_moves_and_what_is_no_picture_is_kept_as_it_is(desk: Desk) -> None:
    frame = pyvips.Image.black(300, 200, bands=3).copy(interpretation="srgb")
    moving = frame.join(frame.invert(), "vertical").copy()
    moving.set_type(pyvips.GValue.gint_type, "page-height", 200)
    gif = FilePart("a.gif", moving.gifsave_buffer(), "image/gif")
    note = FilePart("a.txt", b"x", "text/plain")
    files = await uploaded(desk, gif, note)

    assert [json.dumps(list(file["formats"] or ())) for file in files] == ['["thumbnail"]', "[]"]
