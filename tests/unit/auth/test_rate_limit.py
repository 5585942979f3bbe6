"""The limit on calls from one address: counting, windows and headers."""

import pytest

from quire.auth.rate_limit import Allowance, RateLimiter, rate_limit_key
from quire.auth.shared_counters import SharedCounters
from quire.errors import RateLimitError

MINUTE_MS = 60_000


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_500

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def limiter(clock: Clock, limit: int = 3) -> RateLimiter:
    return RateLimiter(SharedCounters(), "", limit=limit, interval_ms=MINUTE_MS, clock=clock)


def test_calls_are_counted_down_and_one_too_many_is_refused(clock: Clock) -> None:
    counted = limiter(clock)
    assert [counted.count("key").remaining for _ in range(3)] == [2, 1, 0]
    for _ in range(2):
        with pytest.raises(RateLimitError) as raised:
            counted.count("key")
        assert raised.value.status == 429
        assert raised.value.message == "Too many requests, please try again later."


def test_every_key_has_its_own_count(clock: Clock) -> None:
    counted = limiter(clock, limit=1)
    counted.count("one")
    assert counted.count("other").remaining == 0
    with pytest.raises(RateLimitError):
        counted.count("one")


def test_a_window_begins_with_its_first_call_and_ends_an_interval_later(clock: Clock) -> None:
    counted = limiter(clock, limit=1)
    counted.count("key")
    clock.now += MINUTE_MS - 1
    with pytest.raises(RateLimitError):
        counted.count("key")
    clock.now += 1
    assert counted.count("key").remaining == 0


def test_clients_get_the_limit_the_remaining_calls_and_the_reset_time(
    clock: Clock,
) -> None:
    counted = limiter(clock, limit=2)
    allowance = counted.count("key")
    assert allowance == Allowance(limit=2, remaining=1, resets_at=1_700_000_061)
    assert allowance.headers == {
        "X-RateLimit-Limit": "2",
        "X-RateLimit-Remaining": "1",
        "X-RateLimit-Reset": "1700000061",
    }
    clock.now += 10_000
    assert counted.count("key").resets_at == allowance.resets_at


def test_a_refused_client_gets_retry_after_in_seconds(clock: Clock) -> None:
    counted = limiter(clock, limit=1)
    counted.count("key")
    clock.now += 20_500
    with pytest.raises(RateLimitError) as raised:
        counted.count("key")
    assert raised.value.headers == {
        "X-RateLimit-Limit": "1",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "1700000061",
        "Retry-After": "40",
    }


def test_limits_of_different_names_do_not_share_keys(clock: Clock) -> None:
    calls = SharedCounters()
    one, other = (
        RateLimiter(calls, name, limit=1, interval_ms=MINUTE_MS, clock=clock)
        for name in ("one", "other")
    )
    for counted in (one, other):
        assert counted.count("key").remaining == 0


def test_a_key_can_have_several_limits_and_be_asked_without_being_counted(clock: Clock) -> None:
    counted = limiter(clock, limit=2)
    for _ in range(4):
        counted.check("key", times=2)
        counted.count("key", times=2)
    for _ in range(2):
        with pytest.raises(RateLimitError) as raised:
            counted.check("key", times=2)
        assert raised.value.headers["Retry-After"] == "60"
    clock.now += MINUTE_MS
    counted.check("key", times=2)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::"),
        ("2001:db8:1:3::ffff", "2001:db8:1:3::"),
        ("testclient", "testclient"),
    ],
)
def test_addresses_of_one_ipv6_site_are_one_place(address: str, place: str) -> None:
    assert rate_limit_key(address) == place
