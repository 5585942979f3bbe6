"""Jobs of a running project: waits for them, and reads their rows."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

from quire.database.interface import DatabaseWrapper
from quire.database.program import Program
from quire.database.stores.change_outbox import CHANGES, StoredChange
from quire.database.stores.jobs import StoredJob
from quire.errors import ServiceUnavailableError
from quire.jobs.setup import JobParts
from tests.unit.admin_api.office import Office

_SECONDS = 60
T = TypeVar("T")


class RefusingDatabase(DatabaseWrapper):
    """A database that cannot be read."""

    async def read(
        self, make: Callable[[], Program[T]], *, snapshot: bool = False, key: Hashable = None
    ) -> T:
        """See `Database.read`."""
        del make, snapshot, key
        raise ServiceUnavailableError


def parts_of(office: Office) -> JobParts:
    """Return what runs the jobs of a project."""
    assert office.app.services is not None
    return office.app.services.jobs


async def jobs_of(office: Office, state: str | None = None) -> list[StoredJob]:
    """Return all jobs, the first one first."""
    database = office.app.database
    assert database is not None
    rows = parts_of(office).queue.rows
    found = await database.read(lambda: rows.find(state=state, name=None, before=None, limit=1000))
    return found[::-1]


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so; fails when it takes too long."""
    async with asyncio.timeout(_SECONDS):
        while not await condition():  # noqa: ASYNC110 - nothing tells of rows
            await asyncio.sleep(0.02)


async def ended(office: Office, count: int = 1) -> list[StoredJob]:
    """Wait until so many jobs have ended; returns all jobs."""

    async def has_ended() -> bool:
        return sum(job.ended_at is not None for job in await jobs_of(office)) >= count

    await until(has_ended)
    return await jobs_of(office)


async def attempted(office: Office, times: int) -> StoredJob:
    """Wait until the only job has been tried so often, and waits or has ended; returns it."""

    async def is_tried() -> bool:
        (job,) = await jobs_of(office)
        return job.attempts >= times and job.state != "running"

    await until(is_tried)
    (job,) = await jobs_of(office)
    return job


def pass_time(office: Office, *, seconds: float) -> None:
    """Let the clock of a project go on, and its worker look at it."""
    office.clock.now += round(seconds * 1000)
    parts_of(office).worker.wake()
    parts_of(office).changes.wake()


async def changes_of(office: Office) -> list[StoredChange]:
    """Return all changes that were not delivered, the first one first."""
    database, parts = office.app.database, parts_of(office)
    assert database is not None
    if not await database.read(lambda: parts.change_queue.tables.exists(CHANGES)):
        return []
    rows = parts.change_queue.rows
    found = await database.read(lambda: rows.find(dead=None, before=None, limit=1000))
    return found[::-1]


async def delivered(office: Office) -> None:
    """Wait until every change has been delivered or given up."""

    async def is_delivered() -> bool:
        waiting = [one for one in await changes_of(office) if one.ended_at is None]
        return not waiting and not parts_of(office).changes.is_delivering

    await until(is_delivered)
