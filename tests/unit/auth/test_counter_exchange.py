"""Several machines add up their counters through their database."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from quire.auth.counter_exchange import CounterExchange
from quire.auth.rate_limit import RateLimiter
from quire.auth.shared_counters import SharedCounters
from quire.database.compile.writes import Writes
from quire.database.settings_target import target_of
from quire.database.stores.quire_tables import QuireTables
from quire.errors import RateLimitError, ServiceUnavailableError
from tests.databases.kind import Kind
from tests.unit.admin_api.office import Clock, open_office

LIMIT, INTERVAL_MS = 10, 60_000
UNREPORTED = 1
"""Calls that a machine keeps to itself: fewer than a fifth of the limit."""


class Machine:
    """Counts calls on its own, and exchanges the counts."""

    def __init__(self, exchange: CounterExchange, limiter: RateLimiter) -> None:
        self.exchange = exchange.exchange
        self._limiter = limiter

    def call(self, key: str = "login") -> bool:
        """Count a call; tells whether it is allowed."""
        try:
            self._limiter.count(key)
        except RateLimitError:
            return False
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def machines(kind: Kind, clock: Clock, tmp_path: Path) -> AsyncIterator[list[Machine]]:
    async with open_office(tmp_path, kind=kind) as office:
        database = office.app.database
        assert database is not None
        found = []
        for _ in range(3):
            counters = SharedCounters("secret")
            exchange = CounterExchange(
                counters,
                database,
                Writes(database.dialect),
                QuireTables(database, target_of(office.app.settings).kind),
                clock,
            )
            limiter = RateLimiter(
                counters, "users", limit=LIMIT, interval_ms=INTERVAL_MS, clock=clock
            )
            found.append(Machine(exchange, limiter))
        for machine in found:
            await machine.exchange()
        yield found


async def exchange(machines: list[Machine]) -> None:
    """Let every machine report, and then hear of the others."""
    for machine in [*machines, *machines]:
        await machine.exchange()


async def test_machines_have_one_limit_together(machines: list[Machine]) -> None:
    allowed = 0
    for _ in range(LIMIT):
        for machine in machines:
            allowed += machine.call()
            await exchange(machines)
    assert LIMIT <= allowed <= LIMIT + UNREPORTED * (len(machines) - 1)
    assert not any(machine.call() for machine in machines)
    assert all(machine.call("another key") for machine in machines)


async def test_a_limit_that_is_spent_on_one_machine_is_spent_on_all(
    machines: list[Machine],
) -> None:
    first, *others = machines
    assert [first.call() for _ in range(LIMIT + 1)] == [True] * LIMIT + [False]
    assert all(machine.call() for machine in others)
    await exchange(machines)
    assert not any(machine.call() for machine in machines)


async def test_every_machine_begins_anew_when_the_interval_has_ended(
    machines: list[Machine], clock: Clock
) -> None:
    for _ in range(LIMIT):
        machines[0].call()
    await exchange(machines)
    clock.now += INTERVAL_MS
    await exchange(machines)
    assert all(machine.call() for machine in machines)
    await exchange(machines)
    assert [machines[1].call() for _ in range(LIMIT)].count(True) == LIMIT - UNREPORTED


async def test_what_cannot_be_reported_is_reported_later(
    machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, _ = machines
    for _ in range(LIMIT):
        first.call()

    async def fail(*_: object) -> None:
        raise ServiceUnavailableError

    with monkeypatch.context() as patched:
        patched.setattr(QuireTables, "ensure", fail)
        with pytest.raises(ServiceUnavailableError):
            await first.exchange()
    assert second.call()
    await exchange(machines)
    assert not second.call()


async def test_an_unexpected_error_does_not_end_the_exchange(
    tmp_path: Path, kind: Kind, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.auth.counter_exchange.EXCHANGE_SECONDS", 0.01)
    attempts: asyncio.Queue[None] = asyncio.Queue()

    async def fail() -> None:
        attempts.put_nowait(None)
        raise LookupError("an unexpected error")

    async with open_office(tmp_path, kind=kind) as office:
        database = office.app.database
        assert database is not None
        tables = QuireTables(database, target_of(office.app.settings).kind)
        counters, writes = SharedCounters("secret"), Writes(database.dialect)
        exchange = CounterExchange(counters, database, writes, tables, clock)
        with monkeypatch.context() as patched, capture_logs() as lines:
            patched.setattr(exchange, "exchange", fail)
            exchange.start()
            for _ in range(2):
                await asyncio.wait_for(attempts.get(), 30)
        await exchange.stop()
    (failure,) = [line for line in lines if "exc_info" in line]
    assert failure["event"] == "calls are counted by each machine for itself"


async def test_calls_below_a_part_of_the_limit_are_not_written(
    machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise AssertionError("a commit for a single call")

    monkeypatch.setattr(QuireTables, "ensure", fail)
    for number in range(20):
        machines[0].call(f"client {number}")
    await exchange(machines)
