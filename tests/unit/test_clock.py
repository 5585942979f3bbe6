"""Datetimes as text, in the whole range of JavaScript's dates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.clock import MAX_MS, iso_from_ms, ms_from_iso


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (-62_135_596_800_001, "0000-12-31T23:59:59.999Z"),
        (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
        (MAX_MS, "+275760-09-13T00:00:00.000Z"),
        (-MAX_MS, "-271821-04-20T00:00:00.000Z"),
    ],
)
def test_a_moment_is_written_as_javascript_writes_it(milliseconds: int, text: str) -> None:
    assert iso_from_ms(milliseconds) == text


@given(st.integers(-MAX_MS, MAX_MS))
def test_what_is_written_is_read(milliseconds: int) -> None:
    assert ms_from_iso(iso_from_ms(milliseconds)) == milliseconds


@pytest.mark.parametrize("milliseconds", [MAX_MS + 1, -MAX_MS - 1, 10**30])
def test_beyond_the_range_there_is_no_text(milliseconds: int) -> None:
    with pytest.raises(ValueError, match="range"):
        iso_from_ms(milliseconds)
