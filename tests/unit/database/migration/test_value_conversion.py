"""Conversion of values to other attribute types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.migration.value_conversion import ConversionError, Converter
from quire.database.program import Value
from quire.schema.attributes.base import StorageKind

KINDS = [kind for kind in StorageKind if kind is not StorageKind.ID]
MIDNIGHT = 1_770_076_800_000
"""2026-02-03T00:00:00Z"""


def convert(before: StorageKind, after: StorageKind, value: Value) -> Value:
    return Converter(SqliteDialect(), before, after)(value)


@pytest.mark.parametrize(
    ("before", "after", "value", "meant"),
    [
        (StorageKind.STRING, StorageKind.INTEGER, "12", 12),
        (StorageKind.STRING, StorageKind.INTEGER, "12.0", 12),
        (StorageKind.STRING, StorageKind.FLOAT, "1e3", 1000.0),
        (StorageKind.STRING, StorageKind.BIGINTEGER, "9007199254740993", 9007199254740993),
        (StorageKind.INTEGER, StorageKind.STRING, 12, "12"),
        (StorageKind.FLOAT, StorageKind.STRING, 1.5, "1.5"),
        (StorageKind.FLOAT, StorageKind.STRING, 2.0, "2"),
        (StorageKind.FLOAT, StorageKind.INTEGER, 2.0, 2),
        (StorageKind.DECIMAL, StorageKind.STRING, 10.0, "10"),
        (StorageKind.DECIMAL, StorageKind.STRING, 3.10, "3.1"),
        (StorageKind.BOOLEAN, StorageKind.STRING, 1, "true"),
        (StorageKind.BOOLEAN, StorageKind.INTEGER, 1, 1),
        (StorageKind.DATE, StorageKind.DATETIME, "2026-02-03", MIDNIGHT),
        (StorageKind.DATETIME, StorageKind.DATE, MIDNIGHT + 1, "2026-02-03"),
        (StorageKind.DATETIME, StorageKind.TIME, MIDNIGHT + 1, "00:00:00.001"),
        (StorageKind.DATETIME, StorageKind.STRING, MIDNIGHT, "2026-02-03T00:00:00.000Z"),
        (StorageKind.STRING, StorageKind.DATETIME, "2026-02-03T01:00:00+01:00", MIDNIGHT),
        (StorageKind.STRING, StorageKind.TIME, "9:30", ConversionError),
        (StorageKind.STRING, StorageKind.TIME, "09:30", "09:30:00.000"),
        (StorageKind.TEXT, StorageKind.JSON, '{"a": 1}', '{"a": 1}'),
        (StorageKind.TEXT, StorageKind.JSON, "plain", "plain"),  # as SQLite has strings
        (StorageKind.TEXT, StorageKind.JSON, "NaN", "NaN"),
        (StorageKind.TEXT, StorageKind.JSON, r'"\ud800"', r'"\ud800"'),
        (StorageKind.TEXT, StorageKind.JSON, r'["\u0000"]', r'["\u0000"]'),
        (StorageKind.TEXT, StorageKind.JSON, '"plain"', "plain"),
        (StorageKind.JSON, StorageKind.TEXT, '"plain"', "plain"),
        (StorageKind.JSON, StorageKind.TEXT, "[1, 2]", "[1, 2]"),
        (StorageKind.JSON, StorageKind.INTEGER, "3", 3),
        (StorageKind.JSON, StorageKind.INTEGER, "[3]", ConversionError),
        (StorageKind.STRING, StorageKind.INTEGER, "word", ConversionError),
        (StorageKind.STRING, StorageKind.INTEGER, "2147483648", ConversionError),
        (StorageKind.FLOAT, StorageKind.INTEGER, 1.5, ConversionError),
        (StorageKind.DATETIME, StorageKind.INTEGER, MIDNIGHT, ConversionError),
        (StorageKind.DATE, StorageKind.TIME, "2026-02-03", ConversionError),
        (StorageKind.TEXT, StorageKind.STRING, "x" * 256, ConversionError),
        (StorageKind.STRING, StorageKind.DATE, "2026-02-30", ConversionError),
        (StorageKind.INTEGER, StorageKind.BOOLEAN, 7, ConversionError),
        (StorageKind.STRING, StorageKind.TIME, "1\u0662:00", ConversionError),
        (StorageKind.STRING, StorageKind.DECIMAL, "99999999.994", 99999999.994),
        (StorageKind.STRING, StorageKind.DECIMAL, "-99999999.995", ConversionError),
    ],
)
def test_a_value_keeps_its_meaning_or_does_not_fit(
    before: StorageKind, after: StorageKind, value: Value, meant: object
) -> None:
    if meant is ConversionError:
        with pytest.raises(ConversionError):
            convert(before, after, value)
    else:
        assert convert(before, after, value) == meant


@given(st.text(max_size=40), st.sampled_from(KINDS))
def test_any_text_is_converted_or_does_not_fit(text: str, after: StorageKind) -> None:
    try:
        convert(StorageKind.TEXT, after, text)
    except ConversionError:
        return


@given(st.integers(-(2**53), 2**53))
def test_whole_numbers_survive_the_way_through_text(number: int) -> None:
    text = convert(StorageKind.BIGINTEGER, StorageKind.TEXT, number)
    assert convert(StorageKind.TEXT, StorageKind.BIGINTEGER, text) == number


@given(st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_nothing_stays_nothing(before: StorageKind, after: StorageKind) -> None:
    assert convert(before, after, None) is None
