"""Numbers in filters: read as the web reads them, or refused."""

import pytest

from quire.errors import ValidationError
from quire.schema.attributes.number import BIGINTEGER, DECIMAL, FLOAT, INTEGER, parse_number

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
