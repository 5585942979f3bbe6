"""A lease has one holder, and expires unless it is renewed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program, Resume, wait_for_loop
from quire.database.settings_target import target_of
from quire.database.stores.leases import LASTS_MS, Leases
from quire.database.stores.quire_tables import QuireTables
from quire.errors import ServiceUnavailableError
from tests.databases.kind import Kind
from tests.unit.admin_api.office import Clock, open_office


class Servers:
    """Servers on one database, by one clock; ``renewing`` renews its leases at once."""

    def __init__(
        self, database: Database, one: Leases, other: Leases, renewing: Leases, clock: Clock
    ) -> None:
        self.database = database
        self.one, self.other, self.renewing, self.clock = one, other, renewing, clock


@pytest.fixture
async def servers(kind: Kind, tmp_path: Path) -> AsyncIterator[Servers]:
    async with open_office(tmp_path, kind=kind) as office:
        database, clock = office.app.database, Clock()
        assert database is not None

        def leases(seconds: float = 15) -> Leases:
            tables = QuireTables(database, target_of(office.app.settings).kind)
            writes = Writes(database.dialect)
            return Leases(database, writes, tables, clock, renewal_seconds=seconds)

        yield Servers(database, leases(), leases(), leases(0.02), clock)


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


async def test_a_block_ends_when_somebody_else_has_taken_its_lease(servers: Servers) -> None:
    """After a pause of the process, for example; the other one must not be disturbed."""

    async def work() -> None:
        async with servers.renewing.hold("files", wait=0):
            is_held.set()
            await asyncio.sleep(60)

    is_held = asyncio.Event()
    working = asyncio.create_task(work())
    await is_held.wait()
    servers.clock.now += LASTS_MS
    async with servers.other.hold("files", wait=0):
        with pytest.raises(ServiceUnavailableError):
            await asyncio.wait_for(working, 30)
        with pytest.raises(ServiceUnavailableError):
            async with servers.one.hold("files", wait=0):
                pass


async def test_a_lease_that_was_taken_and_given_back_is_lost_as_well(servers: Servers) -> None:
    async def work() -> None:
        async with servers.renewing.hold("files", wait=0):
            is_held.set()
            await asyncio.sleep(60)

    is_held = asyncio.Event()
    working = asyncio.create_task(work())
    await is_held.wait()
    servers.clock.now += LASTS_MS
    async with servers.other.hold("files", wait=0):
        pass
    with pytest.raises(ServiceUnavailableError):
        await asyncio.wait_for(working, 30)


async def test_a_block_that_times_out_itself_raises_its_own_error(servers: Servers) -> None:
    with pytest.raises(TimeoutError):
        async with servers.renewing.hold("files", wait=0), asyncio.timeout(0):
            await asyncio.sleep(60)
