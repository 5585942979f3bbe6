"""The JSON Schema of attribute types matches their accepted values."""

from collections.abc import Mapping

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from quire.errors import ValidationError
from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.attributes.validation import RefusedValue
from tests.conformance.corpus import JSON

Options = Mapping[str, object]

VALUES: list[tuple[str, Options, list[JSON], list[JSON]]] = [
    ("string", {}, ["", "a" * 255], ["a" * 256, 5, True, {}]),
    ("string", {"minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd"]),
    ("string", {"regex": "^[A-Z]{2}$", "required": True}, ["AB"], ["ab", ""]),
    ("text", {}, ["a" * 300], [1]),
    ("richtext", {"maxLength": 5}, ["**a**"], ["**ab**"]),
    ("password", {"minLength": 6}, ["secret"], ["short", 7]),
    ("email", {}, ["ines@example.org"], ["ines", 5]),
    ("uid", {}, ["a-b_c.~1"], ["a b", 5]),
    ("uid", {"regex": "^[a-z]*$"}, ["ab"], ["A"]),
    ("enumeration", {"enum": ["news", "review"]}, ["news"], ["blog", ""]),
    ("integer", {"min": 0, "max": "10"}, [0, 10], [-1, 11, 1.5]),
    ("biginteger", {}, [5, "-5", "9007199254740993"], [1.5, "x", True]),
    ("float", {"min": 0.5}, [0.5, 3], [0.4, "x", {}]),
    ("decimal", {"max": 2}, [2, 1.25], [2.01, []]),
    ("boolean", {}, [True, False], ["yes", {}]),
    ("date", {}, ["2026-02-28"], ["2026-02-30", 5]),
    ("time", {}, ["10:20:30", "10:20:30.5"], ["10:20", 5]),
    ("datetime", {}, ["2026-02-28T10:20:30.000Z", 1764000000000], ["soon", True, 1.5]),
    ("timestamp", {}, ["2026-02-28T10:20:30Z", 0], ["soon", {}]),
    ("json", {}, [1, "a", [], {"a": None}, False], []),
    (
        "blocks",
        {},
        [
            [],
            [{"type": "paragraph", "children": [{"type": "text", "text": "a", "bold": True}]}],
            [{"type": "heading", "level": 2, "children": [{"type": "text", "text": ""}]}],
        ],
        [[{"type": "paragraph", "children": []}], [{"type": "table"}], [5]],
    ),
]


class Here:
    """Pointers that lead nowhere: what is shared stands where it is used."""

    def document(self, uid: str) -> JsonSchema:
        raise NotImplementedError

    component = zone_item = document

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:
        return schema


def attribute(type_name: str, options: Options) -> ScalarAttribute:
    type_ = ATTRIBUTE_TYPES[type_name]
    built = type_.build(type_, "it", {"type": type_name, **options})
    assert isinstance(built, ScalarAttribute)
    return built


def is_accepted(attribute: ScalarAttribute, value: object) -> bool:
    try:
        attribute.type.accept(attribute).full(value)
    except (RefusedValue, ValidationError):
        return False
    return True


@pytest.mark.parametrize(("type_name", "options", "good", "bad"), VALUES)
def test_what_is_written_is_described_as_it_is_accepted(
    type_name: str, options: Options, good: list[JSON], bad: list[JSON]
) -> None:
    built = attribute(type_name, options)
    schema = built.type.json.request(built, Here())
    validator = Draft202012Validator(schema, format_checker=FormatChecker())

    for value in [*good, *bad]:
        assert is_accepted(built, value) is (value in good)
        assert validator.is_valid(value) is (value in good), value


def test_every_type_with_a_column_is_in_the_table() -> None:
    with_column = {name for name, type_ in ATTRIBUTE_TYPES.items() if type_.storage is not None}

    assert {name for name, *_ in VALUES} == with_column


@pytest.mark.parametrize(("type_name", "options", "good", "bad"), VALUES)
def test_the_limits_of_what_is_written_are_not_those_of_what_is_shown(
    type_name: str, options: Options, good: list[JSON], bad: list[JSON]
) -> None:
    """Rows that were written before a limit was set are shown all the same."""
    built = attribute(type_name, options)

    shown = built.type.json.response(built, Here())

    assert {"minLength", "maxLength", "minimum", "maximum"}.isdisjoint(shown)
