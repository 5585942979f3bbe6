"""Descriptions of files, and responses to invalid ones."""

import pytest

from quire.errors import ValidationError
from quire.schema.attributes.validation import ABSENT
from quire.uploads.file_info import (
    NO_FILE_INFO,
    FileInfo,
    decode_fields,
    information_of_new,
    information_of_one,
)

CAST_FROM_5 = (
    "fileInfo must be a `object` type, but the final value was: `null` (cast from the value `5`)."
)
CAPTION_IS_A_LIST = (
    'fileInfo.caption must be a `string` type, but the final value was: `[\n  "\\"x\\""\n]`.'
)


def test_what_is_known_is_kept_and_the_rest_is_left_out() -> None:
    said = information_of_one({"name": "a.png", "caption": 5, "hash": "x", "folder": 3})

    assert said == FileInfo({"name": "a.png", "caption": "5"})
    assert said.name == "a.png"


def test_null_says_nothing_but_of_the_point_of_interest() -> None:
    given = {"name": None, "alternativeText": None, "caption": None, "focalPoint": None}

    assert information_of_one(given).values == {"focalPoint": None}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"x": 10, "y": 20}, {"x": 10, "y": 20}),
        ({"x": "10", "y": 12.5, "z": 1}, {"x": 10, "y": 12.5}),
        ('{"x": 1, "y": 2}', {"x": 1, "y": 2}),
        ("x", None),
    ],
)
def test_a_point_is_in_percent(given: object, expected: object) -> None:
    assert information_of_one({"focalPoint": given}).values["focalPoint"] == expected


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ({"x": -1, "y": 2}, "fileInfo.focalPoint.x must be greater than or equal to 0"),
        ({"x": 1, "y": 200}, "fileInfo.focalPoint.y must be less than or equal to 100"),
        ({"x": 1}, "fileInfo.focalPoint.y is a required field"),
        ({}, "2 errors occurred"),
    ],
)
def test_a_point_is_within_the_picture(point: object, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        information_of_one({"focalPoint": point})

    assert caught.value.message == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "fileInfo must be a `object` type, but the final value was: `null`."),
        (
            5,
            CAST_FROM_5,
        ),
        (
            {"caption": ["x"]},
            CAPTION_IS_A_LIST,
        ),
        ({"name": "n" * 256}, "fileInfo.name must be at most 255 characters"),
        ({"caption": "a\0b"}, "fileInfo.caption must not contain a NUL character"),
    ],
)
def test_what_cannot_be_understood_is_refused(given: object, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        information_of_one(given)

    assert caught.value.message == message


def test_several_files_are_told_of_in_their_order() -> None:
    said = decode_fields(['{"caption": "one"}', '{"caption": "two"}', '{"caption": "three"}'])

    assert [one.values["caption"] for one in information_of_new(said, 2)] == ["one", "two"]
    assert information_of_new([{"caption": "one"}, {}], 3)[2] == NO_FILE_INFO


def test_several_files_are_told_of_in_a_list() -> None:
    with pytest.raises(ValidationError, match="must be a `array` type"):
        information_of_new({"caption": "one"}, 2)
    with pytest.raises(ValidationError, match="must be a `array` type"):
        information_of_new([{"caption": "one"}], 2)
    with pytest.raises(ValidationError, match=r"fileInfo\[1\]"):
        information_of_new([{}, "x"], 2)


def test_one_file_is_told_of_by_an_object_or_a_list_of_one() -> None:
    assert information_of_new([{"caption": "one"}], 1)[0].values == {"caption": "one"}
    with pytest.raises(ValidationError, match="must be a `object` type"):
        information_of_new([{}, {}], 1)


def test_rejected_files_take_their_information_with_them() -> None:
    infos = [{"caption": "one"}, {"caption": "two"}]
    (second,) = information_of_new(infos, 2, rejected={0})
    assert second.values == {"caption": "two"}
    (only,) = information_of_new({"caption": "only"}, 3, rejected={0, 2})
    assert only.values == {"caption": "only"}


@pytest.mark.parametrize("folder", [3, 3.0, "3", " 03 "], ids=repr)
def test_folders_are_named_by_numbers_or_text(folder: object) -> None:
    assert information_of_one({"folder": folder}, folders=True).folder == 3


@pytest.mark.parametrize("folder", [True, 0, -1, 1.5, "", "x", [], {}], ids=repr)
def test_other_values_are_no_folders(folder: object) -> None:
    with pytest.raises(ValidationError, match="the folder does not exist"):
        information_of_one({"folder": folder}, folders=True)


def test_folders_are_for_those_who_may_choose_one() -> None:
    assert information_of_one({"folder": 3}).folder is ABSENT
    assert information_of_one({"folder": 3}, folders=True).folder == 3
    assert information_of_one({"folder": None}, folders=True).folder is None
    with pytest.raises(ValidationError, match="the folder does not exist"):
        information_of_one({"folder": "x"}, folders=True)
