"""Dates, times and datetimes in filters and writes."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import ValidationError
from quire.schema.attributes.temporal import DATE, DATETIME, TIME, TIMESTAMP, parse_moment
from tests.unit.schema.attributes.accepting import acceptance


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-05-21", "2024-05-21"),
        ("2024-05-21T10:20:30.000Z", "2024-05-21"),
        ("2024-05-21 and more", "2024-05-21"),
        ("2024-05-219", "2024-05-21"),
        ("2024-02-29", "2024-02-29"),
        ("0001-01-01", "0001-01-01"),
        ("9999-12-31", "9999-12-31"),
    ],
)
def test_a_date_is_what_the_text_begins_with(text: str, day: str) -> None:
    assert DATE.cast(text) == day


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Invalid format, expected yyyy-MM-dd"),
        ("yesterday", "Invalid format, expected yyyy-MM-dd"),
        ("20240521", "Invalid format, expected yyyy-MM-dd"),
        ("2024-5-21", "Invalid format, expected yyyy-MM-dd"),
        (" 2024-05-21", "Invalid format, expected yyyy-MM-dd"),
        ("2024-13-01", "Invalid format, expected yyyy-MM-dd"),
        ("2024-00-10", "Invalid format, expected yyyy-MM-dd"),
        ("2024-01-32", "Invalid format, expected yyyy-MM-dd"),
        ("\u0662\u0660\u0662\u0664-05-21", "Invalid format, expected yyyy-MM-dd"),
        ("2024-02-30", "Invalid date"),
        ("2023-02-29", "Invalid date"),
        ("0000-01-01", "Invalid date"),
    ],
)
def test_what_begins_with_no_date_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        DATE.cast(text)
    assert raised.value.message == message


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("10:20:30", "10:20:30.000"),
        ("10:20:30.1", "10:20:30.100"),
        ("10:20:30.12", "10:20:30.120"),
        ("10:20:30.123", "10:20:30.123"),
        ("00:00:00", "00:00:00.000"),
        ("23:59:59.999", "23:59:59.999"),
    ],
)
def test_a_time_has_seconds_and_perhaps_a_fraction(text: str, time: str) -> None:
    assert TIME.cast(text) == time


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10:20",
        "24:00:00",
        "10:60:00",
        "10:20:60",
        "1:20:30",
        "10:20:30.",
        "10:20:30.1234",
        "10:20:30,5",
        "10:20:30Z",
        "10:20:30 ",
        "10:20:30\n",
        "\u0661\u0660:20:30",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match=r"^Invalid time format, expected HH:mm:ss\.SSS$"):
        TIME.cast(text)


def utc(*parts: int) -> int:
    return round(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[arg-type,misc]


MIDNIGHT = utc(2024, 5, 21)
MOMENT = utc(2024, 5, 21, 10, 20, 30)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-21T10:20:30Z", MOMENT),
        ("2024-05-21T10:20:30", MOMENT),
        ("2024-05-21 10:20:30", MOMENT),
        ("20240521T102030Z", MOMENT),
        ("2024-05-21T10:20:30.5Z", MOMENT + 500),
        ("2024-05-21T10:20:30,5Z", MOMENT + 500),
        ("2024-05-21T10:20:30.123Z", MOMENT + 123),
        ("2024-05-21T10:20:30.1239999Z", MOMENT + 123),
        ("2024-05-21T12:20:30+02:00", MOMENT),
        ("2024-05-21T12:20:30+0200", MOMENT),
        ("2024-05-21T12:20:30+02", MOMENT),
        ("2024-05-21T04:35:30-05:45", MOMENT),
        ("2024-05-21T10:20:30-00:00", MOMENT),
        ("2024-05-21T10:20Z", utc(2024, 5, 21, 10, 20)),
        ("2024-05-21T10", utc(2024, 5, 21, 10)),
        ("2024-05-21", MIDNIGHT),
        ("2024-05-21T", MIDNIGHT),
        ("2024-05-21Z", MIDNIGHT),
        ("20240521", MIDNIGHT),
        ("2024-142", MIDNIGHT),
        ("2024142", MIDNIGHT),
        ("2024-W21-2", MIDNIGHT),
        ("2024W212", MIDNIGHT),
        ("2024-W21", utc(2024, 5, 20)),
        ("2024-05", utc(2024, 5, 1)),
        ("202405", utc(2024, 5, 1)),
        ("2024", utc(2024, 1, 1)),
        ("2024-05-20T24:00:00", MIDNIGHT),
        ("2024-02-29", utc(2024, 2, 29)),
        ("1969-12-31T23:59:59.999Z", -1),
        ("0001-01-01T00:00:00+23:59", utc(1, 1, 1) - (23 * 60 + 59) * 60_000),
        ("9999-12-31T24:00:00-23:59", utc(9999, 12, 31) + (47 * 60 + 59) * 60_000),
        ("0000-01-01", -62_167_219_200_000),
        ("-000001-12-31T23:59:59.999Z", -62_167_219_200_001),
        ("+010000-02-29", 253_402_300_800_000 + 59 * 86_400_000),
        ("+275760-09-13T00:00:00.000Z", 8_640_000_000_000_000),
        ("-271821-04-20T00:00:00.000Z", -8_640_000_000_000_000),
        ("1700000000123", 1700000000123),
        ("0", 0),
        ("5", 5),
        ("12345", 12345),
        ("202413", 202413),
        ("2024999", 2024999),
        ("20241341", 20241341),
        ("-5", -5),
        ("8640000000000000", 8640000000000000),
        ("-8640000000000000", -8640000000000000),
    ],
)
@pytest.mark.parametrize("type_", [DATETIME, TIMESTAMP], ids=lambda type_: type_.name)
def test_a_moment_is_an_iso_date_or_epoch_milliseconds(
    text: str, moment: int, type_: object
) -> None:
    assert type_.cast(text) == moment  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "yesterday",
        "true",
        "1e3",
        "0x10",
        "1.5",
        "+5",
        "2024-5-1",
        "2024-13-01",
        "2024-02-30",
        "2023-02-29",
        "2024-367",
        "2023-366",
        "2024-000",
        "2024-W54",
        "2024-W05-8",
        "10000-01-01",
        "-0001-01-01",
        "2024-05-21T10:60",
        "2024-05-21T10:20:60",
        "2024-05-21T25:00",
        "2024-05-21T24:00:01",
        "2024-05-21T10:20:30z",
        "2024-05-21t10:20:30",
        "2024-05-21X10:20:30",
        "2024-05-21T10:20:30 Z",
        "2024-05-21T10:20:30 02:00",
        " 2024-05-21",
        "2024-05-21+02",
        "8640000000000001",
        "+275760-09-13T00:00:00.001Z",
        "-271821-04-19T23:59:59.999Z",
        "+010001-02-29",
        "99999999999999999999",
        "\u0662\u0660\u0662\u0664",
        "9" * 5000,
    ],
)
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ValidationError) as raised:
        DATETIME.cast(text)
    assert raised.value.message == "Invalid format, expected a timestamp or an ISO date"


@given(st.datetimes(timezones=st.timezones()))
def test_a_moment_is_read_back_as_it_was_written(moment: datetime) -> None:
    # Offsets of local mean time have seconds, which ISO dates have no room for.
    offset = moment.utcoffset()
    if offset is None or offset.total_seconds() % 60:
        return
    rounded = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    since = rounded - datetime(1970, 1, 1, tzinfo=UTC)
    milliseconds = (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
    assert parse_moment(rounded.isoformat(timespec="milliseconds")) == milliseconds


@pytest.mark.parametrize("draft", [False, True])
@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("date", "2024-02-29", "2024-02-29"),
        ("date", "2024-02-29T10:00:00Z", "2024-02-29"),
        ("time", "10:20:30", "10:20:30.000"),
        ("time", "10:20:30.5", "10:20:30.500"),
        ("datetime", "1970-01-01T00:00:01Z", 1000),
        ("datetime", 1000, 1000),
        ("datetime", -5.0, -5),
        ("datetime", "1700000000000", 1700000000000),
        ("timestamp", "1970-01-01", 0),
    ],
)
def test_a_written_value_is_kept_as_its_column_takes_it(
    name: str, value: object, kept: object, *, draft: bool
) -> None:
    rules = acceptance(name)
    assert (rules.draft if draft else rules.full)(value) == kept


@pytest.mark.parametrize("draft", [False, True])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("date", "2023-02-29", "Invalid date"),
        ("date", "", "Invalid format, expected yyyy-MM-dd"),
        ("date", 5, "Invalid format, expected yyyy-MM-dd"),
        ("date", ["2024-01-01"], "Invalid format, expected yyyy-MM-dd"),
        ("time", "10:00", "Invalid time format, expected HH:mm:ss.SSS"),
        ("time", 5, "Expected a string, got a number"),
        ("time", True, "Expected a string, got a boolean"),
        ("time", {}, "Expected a string, got a object"),
        ("datetime", "nope", "Invalid format, expected a timestamp or an ISO date"),
        ("datetime", True, "Invalid format, expected a timestamp or an ISO date"),
        ("datetime", 1.5, "Invalid format, expected a timestamp or an ISO date"),
        ("datetime", 8640000000000001, "Invalid format, expected a timestamp or an ISO date"),
        ("timestamp", [], "Invalid format, expected a timestamp or an ISO date"),
    ],
)
def test_a_written_value_that_is_no_moment_is_an_error_of_its_own(
    name: str, value: object, message: str, *, draft: bool
) -> None:
    rules = acceptance(name)
    with pytest.raises(ValidationError) as raised:
        (rules.draft if draft else rules.full)(value)
    assert (raised.value.message, raised.value.details) == (message, {})
