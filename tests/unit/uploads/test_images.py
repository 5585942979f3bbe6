"""Resized images equal those of the reference in pixels, and nearly in bytes."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import pyvips  # type: ignore[import-untyped]  # it says nothing of types

from quire.errors import ApplicationError
from quire.uploads.images import ImageInfo, examine, fits, optimize, shrink, svg_size
from tests.conformance.corpus import asset
from tests.hazards.uploading import picture

MOST = 268_402_689
BOXES = {"thumbnail": (245, 156), "large": (1000, 1000), "medium": (750, 750), "small": (500, 500)}
TYPES = {".png": "image/png", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}

RECORDED: Mapping[str, tuple[int, Mapping[str, tuple[int, int, int]]]] = {
    "medium.png": (36_961, {"thumbnail": (208, 156, 19_989), "small": (500, 375, 157_136)}),
    "portrait.jpeg": (
        8_999,
        {
            "thumbnail": (104, 156, 1_593),
            "medium": (500, 750, 10_915),
            "small": (333, 500, 6_200),
        },
    ),
    "wide banner.webp": (
        2_534,
        {"thumbnail": (245, 92, 674), "medium": (750, 281, 2_420), "small": (500, 188, 1_572)},
    ),
}
"""Bytes of what the reference server makes of the files that scenarios upload."""


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def sizes_of(image: ImageInfo, folder: Path) -> dict[str, tuple[int, int, int]]:
    made = {}
    for label, (width, height) in BOXES.items():
        if not fits((image.width, image.height), (width, height)):
            version = shrink(image, folder / label, width=width, height=height)
            made[label] = (version.width, version.height, version.path.stat().st_size)
    return made


@pytest.mark.parametrize("name", RECORDED)
def test_pictures_are_those_of_the_reference(name: str, tmp_path: Path) -> None:
    original = examine(written(tmp_path, "in", asset(name)), TYPES[Path(name).suffix], MOST)
    lighter = optimize(original, tmp_path / "lighter", upright=False)

    size, versions = RECORDED[name]
    assert lighter.path.stat().st_size == pytest.approx(size, rel=0.02)
    made = sizes_of(lighter, tmp_path)
    assert {label: found[:2] for label, found in made.items()} == {
        label: expected[:2] for label, expected in versions.items()
    }
    for label, (*_, bytes_) in versions.items():
        assert made[label][2] == pytest.approx(bytes_, rel=0.02)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((2000, 1500), {"thumbnail": (209, 156), "large": (1000, 750), "medium": (750, 563)}),
        ((1200, 1200), {"thumbnail": (156, 156), "large": (1000, 1000), "small": (500, 500)}),
        ((1200, 800), {"thumbnail": (234, 156), "large": (1000, 667), "small": (500, 333)}),
        ((3000, 3), {"thumbnail": (245, 1), "large": (1000, 1), "small": (500, 1)}),
        ((246, 10), {"thumbnail": (245, 10)}),
        ((245, 156), {}),
    ],
)
def test_jpegs_shrink_to_the_sizes_of_the_reference(
    size: tuple[int, int], expected: dict[str, tuple[int, int]], tmp_path: Path
) -> None:
    image = examine(written(tmp_path, "in", picture(*size, ".jpg")), "image/jpeg", MOST)

    made = {label: found[:2] for label, found in sizes_of(image, tmp_path).items()}
    assert made | expected == made
    assert bool(made) == bool(expected)


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_what_moves_keeps_moving(suffix: str, tmp_path: Path) -> None:
    frames = pyvips.Image.new_from_buffer(picture(400, 600, ".png"), "").copy()
    frames.set_type(pyvips.GValue.gint_type, "page-height", 300)
    path = written(tmp_path, "in", frames.write_to_buffer(suffix))
    image = examine(path, TYPES[suffix], MOST)

    assert (image.width, image.height, image.pages) == (400, 300, 2)
    small = shrink(image, tmp_path / "small", width=245, height=156)
    assert (small.width, small.height) == (208, 156)
    assert examine(small.path, TYPES[suffix], MOST).pages == 2


def test_pictures_are_turned_upright_when_asked(tmp_path: Path) -> None:
    sideways = pyvips.Image.new_from_buffer(picture(300, 200, ".png"), "").copy()
    sideways.set_type(pyvips.GValue.gint_type, "orientation", 6)
    image = examine(written(tmp_path, "in", sideways.write_to_buffer(".jpg")), "image/jpeg", MOST)

    as_is = optimize(image, tmp_path / "as-is", upright=False)
    turned = optimize(image, tmp_path / "turned", upright=True)
    assert (as_is.width, as_is.height) == (300, 200)
    assert (turned.width, turned.height) == (200, 300)


def test_every_picture_ends_in_the_colours_of_screens(tmp_path: Path) -> None:
    image = pyvips.Image.new_from_buffer(picture(300, 200, ".png"), "")
    for number, odd in enumerate((image.colourspace("b-w"), image.colourspace("rgb16"))):
        path = written(tmp_path, f"in-{number}", odd.write_to_buffer(".png"))
        lighter = optimize(examine(path, "image/png", MOST), tmp_path / "out", upright=False)
        found = pyvips.Image.new_from_file(str(lighter.path))
        assert (found.interpretation, found.format, found.bands) == ("srgb", "uchar", 3)


def test_no_more_pixels_than_allowed_are_decoded(tmp_path: Path) -> None:
    path = written(tmp_path, "in", picture(300, 200, ".png"))

    assert examine(path, "image/png", 60_000).width == 300
    with pytest.raises(ApplicationError, match="more pixels"):
        examine(path, "image/png", 59_999)


def test_a_picture_is_read_as_the_type_that_its_bytes_tell_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "in", b"%PDF-1.7\n%%EOF")

    with pytest.raises(ApplicationError, match="not a valid image"):
        examine(path, "image/png", MOST)
    with pytest.raises(pyvips.Error):
        pyvips.Image.new_from_file(str(path))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="32"/>', (64, 32)),
        ('<svg xmlns="http://www.w3.org/2000/svg" width="2in" height="1cm"/>', (144, 28)),
        ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 33 44"/>', (33, 44)),
        ('<svg xmlns="http://www.w3.org/2000/svg" width="100" viewBox="0 0 33 44"/>', (100, 133)),
        ('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', (None, None)),
        ('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><g>', (None, None)),
        ("no picture", (None, None)),
    ],
)
def test_svg_pictures_say_how_large_they_are(
    text: str, expected: tuple[int | None, int | None], tmp_path: Path
) -> None:
    assert svg_size(written(tmp_path, "in", text.encode())) == expected


@pytest.mark.parametrize("profile", ["srgb", "p3", "cmyk"])
def test_pictures_with_a_color_profile_become_srgb(profile: str, tmp_path: Path) -> None:
    gray = pyvips.Image.black(320, 240, bands=3).copy(interpretation="srgb") + 128
    path = tmp_path / "in.jpg"
    gray.cast("uchar").icc_transform(profile, input_profile="srgb").jpegsave(str(path))

    original = examine(path, "image/jpeg", MOST)
    lighter = optimize(original, tmp_path / "lighter", upright=False)
    smaller = shrink(original, tmp_path / "smaller", width=100, height=100)

    for picture_info in (lighter, smaller):
        stored = pyvips.Image.jpegload(str(picture_info.path))
        assert (stored.interpretation, stored.get_typeof("icc-profile-data")) == ("srgb", 0)
        assert stored(10, 10) == pytest.approx([128, 128, 128], abs=20)
