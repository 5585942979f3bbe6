"""Numbers and durations of settings have a maximum, and messages that state it."""

from datetime import timedelta

import pytest

from quire.settings.setting_types import DURATION, InvalidValueError, integer


@pytest.mark.parametrize("number", [2**53, 10**30])
def test_a_number_beyond_the_maximum_is_refused_with_the_maximum(number: int) -> None:
    kind = integer(1)
    with pytest.raises(InvalidValueError, match=r"^expected at most 9007199254740991$"):
        kind.read(number)
    with pytest.raises(InvalidValueError, match=r"^expected at most 9007199254740991$"):
        kind.read_text(str(number))
    assert kind.read_text("9007199254740991") == 2**53 - 1


def test_thousands_of_digits_are_refused_like_any_other_large_number() -> None:
    with pytest.raises(InvalidValueError, match="at most"):
        integer(1).read_text("9" * 5000)
    with pytest.raises(InvalidValueError, match="at most 36500d"):
        DURATION.read_text("9" * 5000 + "d")


@pytest.mark.parametrize("text", ["36501d", "999999999w", "3153600001", "3153600001000ms"])
def test_a_duration_beyond_a_century_is_refused_with_the_maximum(text: str) -> None:
    with pytest.raises(InvalidValueError, match=r"^expected at most 36500d$"):
        DURATION.read_text(text)


@pytest.mark.parametrize("text", ["36500d", "3153600000", "876000h"])
def test_a_century_is_a_duration(text: str) -> None:
    assert DURATION.read_text(text) == timedelta(days=36_500)


@pytest.mark.parametrize("text", ["0", "0d", "-1", "-1d"])
def test_no_time_at_all_is_no_duration(text: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        DURATION.read_text(text)
    assert str(raised.value) == ""
