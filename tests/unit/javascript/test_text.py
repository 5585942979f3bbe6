"""Values converted to text as in JavaScript."""

import pytest

from quire.javascript.text import length, printed, string_of, type_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (True, "true"),
        (None, "null"),
        (1.0, "1"),
        ([1, None, ["b", True]], "1,,b,true"),
        ([], ""),
        ({"a": 1}, "[object Object]"),
    ],
)
def test_every_value_has_a_text(value: object, text: str) -> None:
    assert string_of(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ('say "a"', '"say "a""'),
        (None, "null"),
        (False, "false"),
        (5.0, "5"),
        (-0.0, "-0"),
        ([], "[]"),
        ({}, "{}"),
        (["a", 1], '[\n  "\\"a\\"",\n  "1"\n]'),
        ({"a": {"b": None}}, '{\n  "a": {\n    "b": "null"\n  }\n}'),
        ({"é": "\n"}, '{\n  "é": "\\"\\n\\""\n}'),
    ],
)
def test_messages_show_scalars_as_they_are_and_everything_else_as_json(
    value: object, text: str
) -> None:
    assert printed(value) == text


@pytest.mark.parametrize(
    ("value", "name"),
    [("a", "string"), (1, "number"), (1.5, "number"), (True, "boolean"), ([], "object")],
)
def test_a_list_is_of_the_type_of_objects(value: object, name: str) -> None:
    assert type_of(value) == name


def test_characters_beyond_16_bits_count_twice() -> None:
    assert (length("abc"), length("é"), length("🚀")) == (3, 1, 2)
