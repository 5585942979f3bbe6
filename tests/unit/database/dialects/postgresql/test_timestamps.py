"""Conversion between datetimes and local timestamps of a time zone."""

import pytest

from quire.database.dialects.postgresql.timestamps import WallClock, wall_clock
from quire.errors import ConfigurationError

NEW_YEAR = 946_684_800_000
HOUR = 3_600_000


def test_in_utc_a_moment_is_the_microseconds_since_2000() -> None:
    clock = wall_clock("UTC")

    assert clock.stored(NEW_YEAR) == 0
    assert clock.stored(NEW_YEAR + 1) == 1000
    assert clock.stored(0) == -NEW_YEAR * 1000
    assert clock.epoch_ms(-NEW_YEAR * 1000) == 0


def test_parts_of_a_millisecond_are_cut_off() -> None:
    assert WallClock().epoch_ms(1999) == NEW_YEAR + 1
    assert WallClock().epoch_ms(-1) == NEW_YEAR - 1


@pytest.mark.parametrize("endless", [-(2**63), 2**63 - 1])
def test_a_moment_without_end_is_none(endless: int) -> None:
    assert WallClock().epoch_ms(endless) is None


@pytest.mark.parametrize(
    ("moment", "ahead"),
    [
        (1_705_276_800_000, 1 * HOUR),  # January 2024
        (1_721_001_600_000, 2 * HOUR),  # July 2024
        (-62_135_596_800_000, 3_208_000),  # the year 1, before there were zones
        (253_402_300_799_999, 1 * HOUR),  # the end of 9999
        (8_640_000_000_000_000, 1 * HOUR),  # the last moment of the web
    ],
)
def test_a_clock_in_berlin_is_ahead(moment: int, ahead: int) -> None:
    clock = wall_clock("Europe/Berlin")

    stored = clock.stored(moment)

    assert stored == WallClock().stored(moment + ahead)
    assert clock.epoch_ms(stored) == moment


def test_of_an_hour_that_comes_twice_the_first_is_meant() -> None:
    clock = wall_clock("Europe/Berlin")
    twice = WallClock().stored(1_729_996_200_000)  # 2024-10-27 02:30 on the wall

    assert clock.epoch_ms(twice) == 1_729_996_200_000 - 2 * HOUR


def test_a_zone_that_nobody_knows_is_named() -> None:
    with pytest.raises(ConfigurationError, match="Europe/Atlantis"):
        wall_clock("Europe/Atlantis")


def test_without_a_name_the_zone_is_that_of_the_system() -> None:
    clock = wall_clock(None)

    assert clock.epoch_ms(clock.stored(NEW_YEAR)) == NEW_YEAR
