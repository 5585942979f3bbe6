"""Time zones for tests of dates."""

import os
import time
from collections.abc import Iterator

import pytest


@pytest.fixture
def berlin_time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the time zone of the dates that were recorded in Node.js."""
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    if before is None:
        monkeypatch.delenv("TZ")
    else:
        monkeypatch.setenv("TZ", before)
    time.tzset()
