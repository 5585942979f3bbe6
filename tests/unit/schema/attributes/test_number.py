"""Numbers in filters and writes: parsed as in JavaScript, or rejected."""

import pytest

from quire.errors import ValidationError
from quire.schema.attributes.number import BIGINTEGER, DECIMAL, FLOAT, INTEGER, parse_number
from tests.unit.schema.attributes.accepting import accepted, messages, refusals

READ = [
    ("3", 3),
    ("3.0", 3),
    ("3.", 3),
    ("1e0", 1),
    ("1E2", 100),
    ("0x3", 3),
    ("0X1F", 31),
    ("0o17", 15),
    ("0b101", 5),
    (" 3 ", 3),
    ("\t3\n", 3),
    ("+3", 3),
    ("-3", -3),
    ("-3.5", -3.5),
    (".5", 0.5),
    ("-.5e1", -5),
    ("007", 7),
    ("-0", 0),
    ("1e-400", 0),
    ("9007199254740993", 9007199254740992),
    ("1.7976931348623157e308", 1.7976931348623157e308),
]
NO_NUMBERS = [
    "",
    " ",
    "abc",
    "3a",
    "1,5",
    "1_000",
    "1 000",
    "--1",
    "+-1",
    ".",
    "e5",
    "1e",
    "0x",
    "-0x3",
    "0b2",
    "0o8",
    "NaN",
    "Infinity",
    "-Infinity",
    "1e309",
    "0x" + "f" * 300,
    "1" * 401,
    "\u0663",
    "\uff13",
    "true",
    "null",
]


@pytest.mark.parametrize(("text", "number"), READ)
def test_a_numeral_is_read_as_the_web_reads_it(text: str, number: float) -> None:
    assert parse_number(text) == number
    assert type(parse_number(text)) is (int if number == int(number) else float)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_finite_number_is_none(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize("type_", [INTEGER, FLOAT, DECIMAL], ids=lambda type_: type_.name)
def test_numbers_of_every_type_are_compared_with_numbers(type_: object) -> None:
    assert [type_.cast(text) for text in ("5", "5.5", " 0x10 ")] == [5, 5.5, 16]  # type: ignore[attr-defined]
    with pytest.raises(ValidationError, match="Invalid number 'abc'"):
        type_.cast("abc")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("+5", 5),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775807", 2**63 - 1),
        ("9007199254740993", 9007199254740993),
        ("1" + "0" * 300, 10**300),
    ],
)
def test_a_big_integer_is_read_to_the_last_digit(text: str, number: int) -> None:
    assert BIGINTEGER.cast(text) == number


@pytest.mark.parametrize(
    "text", ["", " 5", "5 ", "5.0", "1e3", "0x5", "abc", "\u0663", "1_0", "9" * 309, "9" * 5000]
)
def test_what_is_no_whole_numeral_is_no_big_integer(text: str) -> None:
    with pytest.raises(ValidationError, match=r"^Invalid integer ") as raised:
        BIGINTEGER.cast(text)
    assert len(raised.value.message) < 130


@pytest.mark.parametrize("name", ["integer", "float", "decimal"])
@pytest.mark.parametrize(
    ("value", "number"),
    [(5, 5), (5.0, 5), ("5", 5), (" 7 ", 7), ("0x5", 5), ("1e2", 100), ("5 5", 55), ([5], 5)],
    ids=repr,
)
def test_a_number_may_be_written_as_text(name: str, value: object, number: float) -> None:
    assert accepted(name, value) == number


@pytest.mark.parametrize("name", ["integer", "float", "decimal"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [("abc", '"abc"'), ("", '""'), ("1,5", '"1,5"'), (True, "true"), ([], "[]"), ({}, "{}")],
)
@pytest.mark.parametrize("draft", [False, True])
def test_what_is_no_number_is_shown_as_what_it_was_cast_from(
    name: str, value: object, shown: str, *, draft: bool
) -> None:
    (refusal,) = refusals(name, value, draft=draft)
    assert refusal.message == (
        f"must be a `number` type, but the final value was: `NaN` (cast from the value `{shown}`)."
    )
    assert refusal.value is None


def test_an_integer_is_whole() -> None:
    assert messages("integer", 1.5) == ["must be an integer"]
    assert messages("integer", "1.5", draft=True) == ["must be an integer"]
    assert messages("float", 1.5) == []


def test_a_number_is_finite() -> None:
    (refusal,) = refusals("float", "1e400")
    assert (refusal.message, refusal.value) == ("must be a finite number", None)
    assert messages("integer", "Infinity", {"max": 10}) == [
        "must be an integer",
        "must be less than or equal to 10",
    ]


def test_the_range_of_the_schema_file_holds_and_drafts_are_held_to_its_end() -> None:
    options = {"min": 1.5, "max": "10"}
    assert messages("decimal", 1, options) == ["must be greater than or equal to 1.5"]
    assert messages("decimal", 11, options) == ["must be less than or equal to 10"]
    assert messages("decimal", 1.5, options) == messages("decimal", 10, options) == []
    assert messages("decimal", 1, options, draft=True) == []
    assert messages("decimal", 11, options, draft=True) == ["must be less than or equal to 10"]


def test_numbers_beyond_64_bits_are_kept_as_doubles() -> None:
    kept = accepted("float", 12345678901234567890)
    assert (kept, type(kept)) == (12345678901234567168.0, float)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("12", 12),
        (" -12 ", -12),
        ("+12", 12),
        ("01", 1),
        (12, 12),
        (12.0, 12),
        ("9223372036854775807", 2**63 - 1),
        ("99999999999999999999999", 1e23),
    ],
    ids=repr,
)
def test_a_big_integer_may_be_written_in_digits(value: object, number: float) -> None:
    assert accepted("biginteger", value) == number


@pytest.mark.parametrize(
    "value", ["abc", "", "1e3", "0x10", 1.5, True, [], ["12"], {}, "\u0663", "9" * 500]
)
def test_what_is_no_big_integer_is_refused(value: object) -> None:
    (refusal,) = refusals("biginteger", value)
    assert (refusal.message, refusal.value) == ("must be a valid integer", value)


def test_a_big_integer_is_not_held_to_its_range() -> None:
    assert messages("biginteger", 50, {"min": "1", "max": "10"}) == []
