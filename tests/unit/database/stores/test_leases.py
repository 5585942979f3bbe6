"""A lease has one holder, and expires unless it is renewed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from quire.database.compile.writes import Writes
from quire.database.interface import Database, DatabaseWrapper
from quire.database.program import Program, Resume, wait_for_loop
from quire.database.settings_target import target_of
from quire.database.stores.leases import LASTS_MS, Leases
from quire.database.stores.quire_tables import QuireTables
from quire.errors import ServiceUnavailableError
from tests.databases.kind import Kind
from tests.unit.admin_api.office import Clock, open_office

T = TypeVar("T")


class Servers:
    """Servers on one database, by one clock; ``renewing`` renews its leases at once."""

    def __init__(self, database: Database, open_tables: Callable[[], QuireTables]) -> None:
        self.database, self.clock = database, Clock()
        self._open_tables = open_tables
        self.one, self.other = self._leases(database), self._leases(database)
        self.renewing = self.renewing_in(database)

    def renewing_in(self, database: Database) -> Leases:
        """Return a server that reaches the database in another way."""
        return self._leases(database, 0.02)

    def _leases(self, database: Database, seconds: float = 15) -> Leases:
        writes, tables = Writes(database.dialect), self._open_tables()
        return Leases(database, writes, tables, self.clock, renewal_seconds=seconds)


@pytest.fixture
async def servers(kind: Kind, tmp_path: Path) -> AsyncIterator[Servers]:
    async with open_office(tmp_path, kind=kind) as office:
        database = office.app.database
        assert database is not None
        kind_of_database = target_of(office.app.settings).kind
        yield Servers(database, partial(QuireTables, database, kind_of_database))


async def test_a_lease_is_held_by_one_at_a_time(servers: Servers) -> None:
    async with servers.one.hold("files", wait=0):
        async with servers.other.hold("other files", wait=0):
            pass
        with pytest.raises(ServiceUnavailableError):
            async with servers.other.hold("files", wait=0):
                pass
    async with servers.other.hold("files", wait=0):
        pass


async def test_of_two_servers_at_the_same_moment_one_takes_a_lease(servers: Servers) -> None:
    """The first one has not committed when the other one asks."""
    database = servers.database
    async with servers.one.hold("other files", wait=0):
        pass  # makes the table
    is_asked = asyncio.Event()
    commits: list[Resume] = []

    def wait(resume: Resume) -> None:
        commits.append(resume)
        is_asked.set()

    def first() -> Program[bool]:
        is_taken = yield from servers.one.take("files", "/one")
        yield wait_for_loop(wait)
        return is_taken

    taking = asyncio.create_task(database.write(first()))
    await is_asked.wait()
    other = asyncio.create_task(database.write(servers.other.take("files", "/other")))
    await asyncio.wait([other], timeout=0.2)
    commits[0]()
    assert [await taking, await other] == [True, False]


async def test_whoever_comes_again_is_somebody_else(servers: Servers) -> None:
    async with servers.one.hold("files", wait=0):
        with pytest.raises(ServiceUnavailableError):
            async with servers.one.hold("files", wait=0):
                pass


async def test_a_lease_of_a_server_that_is_gone_ends(servers: Servers) -> None:
    async with servers.one.hold("files", wait=0):
        servers.clock.now += LASTS_MS
        async with servers.other.hold("files", wait=0):
            pass


async def test_nobody_gives_back_what_has_become_another_ones(servers: Servers) -> None:
    gone = servers.one.hold("files", wait=0)
    await gone.__aenter__()
    servers.clock.now += LASTS_MS
    async with servers.other.hold("files", wait=0):
        await gone.__aexit__(None, None, None)
        with pytest.raises(ServiceUnavailableError):
            async with servers.one.hold("files", wait=0):
                pass


async def test_a_machine_takes_over_what_its_own_killed_process_has_left(servers: Servers) -> None:
    """It has made sure by a lock of its own that no other of its processes is at it."""
    async with servers.one.hold("files", wait=0, machine="here"):
        with pytest.raises(ServiceUnavailableError):
            async with servers.other.hold("files", wait=0, machine="there"):
                pass
        with pytest.raises(ServiceUnavailableError):
            async with servers.other.hold("files", wait=0):
                pass
        async with servers.other.hold("files", wait=0, machine="here"):
            pass


async def start_block_with_ended_lease(servers: Servers) -> asyncio.Task[None]:
    """Start a block that renews its lease, which has ended meanwhile."""

    async def work() -> None:
        async with servers.renewing.hold("files", wait=0):
            is_held.set()
            await asyncio.sleep(60)

    is_held = asyncio.Event()
    working = asyncio.create_task(work())
    await is_held.wait()
    servers.clock.now += LASTS_MS
    return working


async def test_a_block_ends_when_somebody_else_has_taken_its_lease(servers: Servers) -> None:
    """After a pause of the process, for example; the other one must not be disturbed."""
    working = await start_block_with_ended_lease(servers)
    async with servers.other.hold("files", wait=0):
        with pytest.raises(ServiceUnavailableError):
            await asyncio.wait_for(working, 30)
        with pytest.raises(ServiceUnavailableError):
            async with servers.one.hold("files", wait=0):
                pass


async def test_a_lease_that_was_taken_and_given_back_is_lost_as_well(servers: Servers) -> None:
    working = await start_block_with_ended_lease(servers)
    async with servers.other.hold("files", wait=0):
        pass
    with pytest.raises(ServiceUnavailableError):
        await asyncio.wait_for(working, 30)


async def test_a_block_that_times_out_itself_raises_its_own_error(servers: Servers) -> None:
    with pytest.raises(TimeoutError):
        async with servers.renewing.hold("files", wait=0), asyncio.timeout(0):
            await asyncio.sleep(60)


async def test_a_lease_may_be_renewed_after_its_block_was_cancelled(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database answers late, while the block cleans up."""

    class SlowDatabase(DatabaseWrapper):
        async def write(self, program: Program[T]) -> T:
            """See `Database.write`."""
            if is_held.is_set():
                await may_answer.wait()
            return await super().write(program)

    is_held, may_answer = asyncio.Event(), asyncio.Event()
    monkeypatch.setattr("quire.database.stores.leases.LASTS_MS", 200)

    async def work() -> None:
        async with servers.renewing_in(SlowDatabase(servers.database)).hold("files", wait=0):
            is_held.set()
            try:
                await asyncio.sleep(60)
            finally:
                may_answer.set()
                await asyncio.sleep(0.2)

    with pytest.raises(ServiceUnavailableError):
        await work()
