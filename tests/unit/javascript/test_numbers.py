"""Numbers, formatted and parsed as in JavaScript."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.javascript.numbers import as_double, normalize_number, number_text, read_number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-7, "1e-7"),
        (2**53 + 1, "9007199254740992"),
        (10**400, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_a_number_is_written_as_the_web_writes_it(number: float, text: str) -> None:
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        (" 1 2\ufeff", 12),
        (".5", 0.5),
        ("5.", 5),
        ("-1e2", -100),
        ("0x1F", 31),
        ("0b11", 3),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ("1e400", math.inf),
    ],
)
def test_blanks_do_not_count_when_a_number_is_read(text: str, number: float) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize("text", ["", " ", "12 kg", "1,5", "1_000", "-0x1", "+-Infinity", "٣", "."])
def test_other_text_is_not_a_number(text: str) -> None:
    assert math.isnan(read_number(text))


@given(st.floats(allow_nan=False))
def test_a_number_that_was_written_is_read_again(number: float) -> None:
    assert read_number(number_text(number)) == number


@given(st.integers())
def test_every_integer_has_a_nearest_double(number: int) -> None:
    assert math.isinf(as_double(number)) or as_double(number) == float(number)


@given(st.floats(allow_nan=False))
def test_tidying_keeps_the_value_and_gives_whole_numbers_of_64_bits_as_such(number: float) -> None:
    tidied = normalize_number(number)
    assert tidied == number
    assert isinstance(tidied, int) == (number.is_integer() and abs(number) < 2**63)
