"""Rules for every attribute type."""

from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quire.errors import ValidationError
from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.attributes.base import (
    COMMON_OPTIONS,
    AttributeType,
    ScalarAttribute,
    SearchMode,
    any_option,
    boolean_option,
    count_option,
    name_option,
    names_option,
    number_option,
    object_option,
)
from quire.schema.system_attributes import DOCUMENT_ID, ID

NEEDED: Mapping[str, Mapping[str, object]] = {
    "enumeration": {"enum": ["a", "b"]},
    "relation": {"relation": "oneToOne", "target": "api::note.note"},
    "component": {"component": "shared.seo"},
    "dynamiczone": {"components": ["shared.seo"]},
}
"""What an attribute of a type cannot do without."""

every_type = pytest.mark.parametrize("type_", ATTRIBUTE_TYPES.values(), ids=ATTRIBUTE_TYPES)
scalar_types = [type_ for type_ in ATTRIBUTE_TYPES.values() if type_.storage is not None]


def plain(type_: AttributeType) -> dict[str, object]:
    """Describe an attribute that says no more than it must."""
    return {"type": type_.name, **NEEDED.get(type_.name, {})}


@every_type
def test_an_attribute_that_says_no_more_than_it_must_is_sound(type_: AttributeType) -> None:
    assert type_.problems(plain(type_)) == []


@every_type
def test_whatever_it_cannot_do_without_is_missed(type_: AttributeType) -> None:
    for name in type_.needs:
        raw = {key: value for key, value in plain(type_).items() if key != name}
        assert (name, "is missing") in type_.problems(raw)


@every_type
def test_a_plain_attribute_is_public_optional_and_not_localized(type_: AttributeType) -> None:
    built = type_.build(type_, "field", plain(type_))
    assert (built.name, built.type) == ("field", type_)
    marks = (built.private, built.required, built.unique, built.localized)
    assert marks == (False, False, False, False)
    assert (built.writable, built.visible, built.searchable) == (True, True, True)
    assert built.default is None
    assert built.raw == plain(type_)


@every_type
def test_the_common_options_are_those_of_every_attribute(type_: AttributeType) -> None:
    raw = {
        **plain(type_),
        "private": True,
        "required": True,
        "unique": True,
        "writable": False,
        "visible": False,
        "searchable": False,
        "pluginOptions": {"i18n": {"localized": True}},
    }
    assert type_.problems(raw) == []
    built = type_.build(type_, "field", raw)
    marks = (built.private, built.required, built.unique, built.localized)
    assert marks == (True, True, True, True)
    assert (built.writable, built.visible, built.searchable) == (False, False, False)


@every_type
def test_a_common_option_of_the_wrong_form_is_an_error(type_: AttributeType) -> None:
    for name, check in COMMON_OPTIONS.items():
        if check is boolean_option:
            problems = type_.problems({**plain(type_), name: "true"})
            assert problems == [(name, "expected true or false")]


@every_type
def test_options_that_nobody_knows_are_left_alone(type_: AttributeType) -> None:
    assert type_.problems({**plain(type_), "x-plugin": {"anything": [1]}}) == []


@every_type
def test_only_what_has_a_column_is_a_scalar_and_can_be_searched(type_: AttributeType) -> None:
    built = type_.build(type_, "field", plain(type_))
    assert isinstance(built, ScalarAttribute) is (type_.storage is not None)
    if type_.storage is None:
        assert type_.search is SearchMode.NEVER


@every_type
def test_secrets_are_never_searched(type_: AttributeType) -> None:
    if type_.secret:
        assert type_.search is SearchMode.NEVER


def test_passwords_are_the_only_secrets() -> None:
    assert [name for name, type_ in ATTRIBUTE_TYPES.items() if type_.secret] == ["password"]


@pytest.mark.parametrize("type_", [*scalar_types, ID, DOCUMENT_ID], ids=lambda type_: type_.name)
@given(text=st.text() | st.from_regex(r"[-+0-9.eExT:Z ]{0,30}", fullmatch=True))
@example("0x" + "f" * 398)
@example("1" * 400)
@example("-" + "9" * 399)
@example("1" * 5000)
@example("1e309")
@example("\u0661\u0662")
@example("\ud800")
@example("9999-12-31T24:00:00-23:59")
@example("0001-01-01T00:00:00+23:59")
def test_any_operand_is_understood_or_refused(type_: AttributeType, text: str) -> None:
    try:
        value = type_.cast(text)
    except ValidationError:
        return
    assert value is None or isinstance(value, str | int | float | bool)
    if isinstance(value, int):
        # What cannot be a double could not be compared with a column.
        float(value)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (boolean_option, [True, False], [None, 0, 1, "true", []]),
        (name_option, ["a"], ["", None, 1, {}]),
        (count_option, [0, 3], [-1, 1.0, True, "1", None]),
        (number_option, [0, -1.5, "12", "1e3"], ["", "x", True, None, []]),
        (object_option, [{}, {"a": 1}], [None, [], "a"]),
        (names_option, [[], ["a", "b"]], [None, "a", [""], [1], [["a"]]]),
        (any_option, [None, 1, "a", [], {}], []),
    ],
)
def test_an_option_is_checked_by_its_kind(
    check: object, good: list[object], bad: list[object]
) -> None:
    assert callable(check)
    assert [check(value) for value in good] == [None] * len(good)
    assert all(str(check(value)).startswith("expected ") for value in bad)
