"""Dates in local time, as in Node.js in the same zone."""

import pytest

from quire.javascript.interpreter.values import UnsupportedError
from tests.unit.javascript.interpreter.evaluation import evaluate_body

# What Node.js 22 gives with TZ=Europe/Berlin: a moment, an expression on it, its value, the moment
# afterwards.
EXPECTED = [
    (
        "2026-03-28T23:30:00Z",
        "d.setDate(d.getDate()-30)",
        1772148600000,
        "2026-02-26T23:30:00.000Z",
    ),
    (
        "2026-03-28T23:30:00Z",
        "d.setFullYear(d.getFullYear()+1)",
        1806273000000,
        "2027-03-28T22:30:00.000Z",
    ),
    ("2026-03-28T23:30:00Z", "d.setDate(0)", 1772235000000, "2026-02-27T23:30:00.000Z"),
    ("2026-03-28T23:30:00Z", "d.setMonth(-1,31)", 1767137400000, "2025-12-30T23:30:00.000Z"),
    ("2026-03-28T23:30:00Z", "d.getMilliseconds()", 0, "2026-03-28T23:30:00.000Z"),
    ("2026-03-29T00:30:00Z", "d.setDate(d.getDate()+1)", 1774827000000, "2026-03-29T23:30:00.000Z"),
    ("2026-03-29T00:30:00Z", "d.setHours(2,30,0,0)", 1774747800000, "2026-03-29T01:30:00.000Z"),
    ("2026-03-29T00:30:00Z", "d.setUTCHours(25)", 1774834200000, "2026-03-30T01:30:00.000Z"),
    ("2026-03-29T00:30:00Z", "d.getDay()", 0, "2026-03-29T00:30:00.000Z"),
    ("2026-03-29T00:30:00Z", "d.setDate(1.9)", 1772325000000, "2026-03-01T00:30:00.000Z"),
    (
        "2026-10-25T00:30:00Z",
        "d.setMonth(d.getMonth()+1)",
        1795570200000,
        "2026-11-25T01:30:00.000Z",
    ),
    ("2026-10-25T00:30:00Z", "d.setHours(0,0,0,0)", 1792879200000, "2026-10-24T22:00:00.000Z"),
    ("2026-10-25T00:30:00Z", "d.setMinutes(90)", 1792895400000, "2026-10-25T02:30:00.000Z"),
    ("2026-10-25T00:30:00Z", "d.getHours()", 2, "2026-10-25T00:30:00.000Z"),
    (
        "2024-02-29T12:00:00Z",
        "d.setDate(d.getDate()-30)",
        1706616000000,
        "2024-01-30T12:00:00.000Z",
    ),
    (
        "2024-02-29T12:00:00Z",
        "d.setFullYear(d.getFullYear()+1)",
        1740830400000,
        "2025-03-01T12:00:00.000Z",
    ),
    ("2024-02-29T12:00:00Z", "d.setDate(0)", 1706702400000, "2024-01-31T12:00:00.000Z"),
    ("2024-02-29T12:00:00Z", "d.setMonth(-1,31)", 1704024000000, "2023-12-31T12:00:00.000Z"),
    ("2024-02-29T12:00:00Z", "d.getMilliseconds()", 0, "2024-02-29T12:00:00.000Z"),
    ("2026-12-31T23:30:00Z", "d.setDate(d.getDate()+1)", 1798846200000, "2027-01-01T23:30:00.000Z"),
    ("2026-12-31T23:30:00Z", "d.setHours(2,30,0,0)", 1798767000000, "2027-01-01T01:30:00.000Z"),
    ("2026-12-31T23:30:00Z", "d.setUTCHours(25)", 1798767000000, "2027-01-01T01:30:00.000Z"),
    ("2026-12-31T23:30:00Z", "d.getDay()", 5, "2026-12-31T23:30:00.000Z"),
    ("2026-12-31T23:30:00Z", "d.setDate(1.9)", 1798759800000, "2026-12-31T23:30:00.000Z"),
    ("", "new Date(2026, 2, 29, 2, 30)", 1774747800000, ""),
    ("", "new Date(99, 12)", 946681200000, ""),
    ("", "new Date(2026, 0, 0)", 1767135600000, ""),
]


@pytest.mark.usefixtures("berlin_time_zone")
@pytest.mark.parametrize(("moment", "expression", "value", "after"), EXPECTED)
async def test_a_date_is_read_and_changed_in_local_time(
    moment: str, expression: str, value: int, after: str
) -> None:
    if not moment:
        assert await evaluate_body(f"return ({expression}).getTime();") == value
        return
    body = f"const d = new Date('{moment}'); const value = {expression};"
    assert await evaluate_body(f"{body} return [value, d.toISOString()];") == [value, after]


async def test_an_invalid_date_has_no_parts_and_is_not_changed() -> None:
    assert await evaluate_body("return isNaN(new Date(NaN).getMonth());") is True
    with pytest.raises(UnsupportedError):
        await evaluate_body("return new Date(NaN).setDate(1);")
    with pytest.raises(UnsupportedError):
        await evaluate_body("return new Date(0).setFullYear(300000);")
