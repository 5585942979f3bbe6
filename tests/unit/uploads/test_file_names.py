"""Names of files, and their stored names, as in the reference."""

import re

import pytest

from quire.errors import ApplicationError
from quire.uploads.file_names import check_name, extension_of, kilobytes, slug, stored_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red", "red"),
        ("a b  c", "a_b_c"),
        ("two.dots.tar", "two_dots_tar"),
        ("UPPER", "UPPER"),
        ("myPhotoABC12", "my_Photo_ABC_12"),
        ("APIs", "AP_Is"),
        ("IMG20240101", "IMG_20240101"),
        ("iPhone12Pro", "i_Phone12_Pro"),
        ("HTTPServer", "HTTP_Server"),
        ("..%2Fevil", "2_Fevil"),
        ("don't", "don_t"),
        ("a&b", "a_and_b"),
        ("\u2665", "love"),
        ("\u2603", ""),
        ("\u00fcn\u00efcode n\u00e4me (1)", "uenicode_naeme_1"),
        ("u\u0308ber", "ueber"),
        ("\u00c4\u00d6\u00dc \u00df", "Ae_Oe_Ue_ss"),
        ("\u0429\u0443\u043a\u0430", "Shhuka"),
        ("\u0398\u03ae\u03b2\u03b1", "T_Hiva"),
        ("\u65e5\u672c", ""),
    ],
)
def test_names_are_written_in_latin_letters(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.png", ".png"),
        ("a.PNG", ".PNG"),
        ("a.tar.gz", ".gz"),
        (".hidden", ""),
        (".hidden.png", ".png"),
        ("none", ""),
        ("a.", "."),
        ("..", ""),
        ("a.a b", ".a b"),
        ("a.\u202epng", ""),
        ("a." + "b" * 80, ""),
    ],
)
def test_an_extension_is_what_follows_the_last_dot(name: str, expected: str) -> None:
    assert extension_of(name) == expected


def test_a_file_is_kept_under_its_name_and_chance() -> None:
    kept = stored_name("Big Photo.jpg", ".jpg")

    assert re.fullmatch(r"Big_Photo_[0-9a-f]{10}\.jpg", kept.key)
    assert kept.variant("small").key == f"small_{kept.key}"
    assert kept.key != stored_name("Big Photo.jpg", ".jpg").key


def test_the_longest_name_leaves_room_for_what_is_added() -> None:
    kept = stored_name("x" * 255, ".png", ["extra-large-breakpoint"])
    smaller = kept.variant("extra-large-breakpoint")

    assert len(f"{smaller.hash}.avif") == 255
    assert len(stored_name("x" * 255, ".jpeg").variant("thumbnail").key) == 255


@pytest.mark.parametrize(
    "name", ["", "a/b", "a\\b", "a<b", 'a"b', "a|b", "a?b", "a*b", "a\nb", ".", "..", "CON", "lpt1"]
)
def test_names_with_other_meanings_are_refused(name: str) -> None:
    with pytest.raises(ApplicationError):
        check_name(name)


@pytest.mark.parametrize(
    ("size", "expected"), [(1, 0.0), (5, 0.01), (1327, 1.33), (36_961, 36.96), (10_915, 10.92)]
)
def test_sizes_are_reported_in_thousands_of_bytes(size: int, expected: float) -> None:
    assert kilobytes(size) == expected
