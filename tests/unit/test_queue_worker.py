"""Failed work is retried after increasing delays, from a second to an hour."""

import pytest

from quire.queue_worker import backoff_ms

_SECOND, _HOUR = 1000, 3_600_000


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 1), (2, 4), (3, 16), (4, 64), (6, 1024), (7, 3600), (1000, 3600)]
)
def test_the_time_grows_and_varies_by_a_fifth(failures: int, seconds: int) -> None:
    found = {backoff_ms(failures) for _ in range(200)}
    assert min(found) >= max(seconds * _SECOND * 0.8, _SECOND)
    assert max(found) <= min(seconds * _SECOND * 1.2, _HOUR)
    assert len(found) > 1
