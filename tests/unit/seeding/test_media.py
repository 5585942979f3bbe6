"""Files of seeded media get a name, a description and a folder."""

from pathlib import Path

import pytest

from quire.errors import SeedingError
from quire.seeding.media import Upload, image_size, placed_files, plan_upload
from quire.seeding.seed_values import SeedMediaFile
from tests.unit.seeding.harbour import PIXEL

BLOG_MEDIA = Path(__file__).parents[3] / "examples/blog/content/media"


def upload(folder: Path, name: str, data: bytes = b"") -> Upload:
    source = folder / "media" / name
    source.parent.mkdir(exist_ok=True)
    source.write_bytes(data)
    file = SeedMediaFile(name=name, path=source)
    return plan_upload(file, folder / "uploads", lambda: "0123456789")


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("calm-sea.jpg", "calm_sea_0123456789.jpg"),
        ("Two Words.PNG", "Two_Words_0123456789.PNG"),
        ("a..b_-c.webp", "a_b_c_0123456789.webp"),
        ("Éamon à la mer.png", "Eamon_a_la_mer_0123456789.png"),
        ("海.png", "file_0123456789.png"),
        ("LICENSE", "LICENSE_0123456789"),
    ],
)
def test_the_stored_name_is_plain_and_has_a_suffix(tmp_path: Path, name: str, stored: str) -> None:
    planned = upload(tmp_path, name)

    assert planned.target == tmp_path / "uploads" / stored
    assert planned.values["url"] == f"/uploads/{stored}"
    assert planned.values["name"] == name


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("a.jpg", "image/jpeg"),
        ("a.webp", "image/webp"),
        ("a.svg", "image/svg+xml"),
        ("a.pdf", "application/pdf"),
        ("a.unheard-of", "application/octet-stream"),
    ],
)
def test_the_type_follows_from_the_name(tmp_path: Path, name: str, type_: str) -> None:
    assert upload(tmp_path, name).values["mime"] == type_


@pytest.mark.parametrize(
    ("size", "kilobytes"), [(0, 0), (4, 0), (5, 0.01), (1000, 1), (1234, 1.23), (1235, 1.24)]
)
def test_the_size_is_in_kilobytes_with_two_decimals(
    tmp_path: Path, size: int, kilobytes: float
) -> None:
    assert upload(tmp_path, "a.bin", bytes(size)).values["size"] == kilobytes


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("calm-sea-at-dawn.jpg", (1600, 1000)),
        ("tide-curve.png", (1200, 600)),
        ("night-sky.webp", (1400, 900)),
        ("compass-rose.svg", (500, 500)),
        ("make_images.py", (None, None)),
    ],
)
def test_width_and_height_are_read_from_the_file(
    name: str, size: tuple[int | None, int | None]
) -> None:
    assert image_size(BLOG_MEDIA / name) == size


def test_a_damaged_picture_has_no_width_and_height(tmp_path: Path) -> None:
    assert upload(tmp_path, "a.svg", b"<svg viewBox='0 0 1 1'/>").values["width"] is None
    assert upload(tmp_path, "a.png", PIXEL[:12]).values["height"] is None


def test_files_are_copied_and_announced(tmp_path: Path) -> None:
    planned = [upload(tmp_path, "a.txt", b"one"), upload(tmp_path, "b.txt", b"two")]
    announced: list[str] = []

    with placed_files(planned, announced.append):
        assert [one.target.read_bytes() for one in planned] == [b"one", b"two"]

    assert [one.target.read_bytes() for one in planned] == [b"one", b"two"]
    assert announced == ["a.txt", "b.txt"]


def test_files_are_taken_away_when_what_follows_fails(tmp_path: Path) -> None:
    planned = [upload(tmp_path, "a.txt", b"one")]

    with pytest.raises(ZeroDivisionError), placed_files(planned, lambda _: None):
        raise ZeroDivisionError

    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_file_that_cannot_be_copied_is_a_seeding_error(tmp_path: Path) -> None:
    planned = [upload(tmp_path, "a.txt", b"one"), upload(tmp_path, "b.txt", b"two")]
    planned[1].source.unlink()

    with (
        pytest.raises(SeedingError, match="cannot be copied"),
        placed_files(planned, lambda _: None),
    ):
        pytest.fail("nothing may happen without all files")

    assert list((tmp_path / "uploads").iterdir()) == []
