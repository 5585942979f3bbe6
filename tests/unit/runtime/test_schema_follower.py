"""The follower of the schema goes through outages of the database."""

import asyncio
from collections.abc import Callable, Hashable, MutableMapping
from pathlib import Path
from typing import Any, TypeVar

from structlog.testing import capture_logs

from quire.database.interface import DatabaseWrapper
from quire.database.program import Program
from quire.errors import ServiceUnavailableError
from quire.runtime.schema_follower import FollowerContext, SchemaFollower
from quire.schema.model import Schema
from tests.unit.admin_api.office import Office, open_office

T = TypeVar("T")


class _LostDatabase(DatabaseWrapper):
    """A database that is lost now and then."""

    error: Exception | None = None
    reads = 0

    async def read(
        self, make: Callable[[], Program[T]], *, snapshot: bool = False, key: Hashable = None
    ) -> T:
        self.reads += 1
        if self.error is not None:
            raise self.error
        return await super().read(make, snapshot=snapshot, key=key)


async def test_an_outage_has_a_line_in_the_log_and_its_end_another(tmp_path: Path) -> None:
    error = ServiceUnavailableError()
    error.__cause__ = ConnectionRefusedError("nobody listens")
    async with open_office(tmp_path) as office:
        lines = await follow_through_outages(office, error)
    assert "nobody listens" in lines[0]["reason"]
    assert all("exc_info" not in line for line in lines)


async def test_an_unexpected_error_does_not_end_the_follower(tmp_path: Path) -> None:
    error = LookupError("an unexpected error")
    async with open_office(tmp_path) as office:
        lines = await follow_through_outages(office, error)
    assert lines[0]["exc_info"] is error


async def follow_through_outages(
    office: Office, error: Exception
) -> list[MutableMapping[str, Any]]:
    """Let the database fail twice; returns the lines of the log."""
    assert office.app.database is not None
    database = _LostDatabase(office.app.database)
    database.version = lambda: None  # it is read each time

    async def load(_: str) -> Schema:
        return office.app.schema

    async def adopt(_: Schema) -> None:
        raise AssertionError("nothing has changed")

    context = FollowerContext(
        current_version=lambda: office.app.schema.version, load=load, adopt=adopt
    )
    follower = SchemaFollower(database, context)

    async def look_several_times() -> None:
        last = database.reads + 3
        async with asyncio.timeout(60):
            while database.reads < last:  # noqa: ASYNC110 - the follower tells nobody
                await asyncio.sleep(0.05)

    with capture_logs() as lines:
        follower.start()
        for is_lost in (False, True, False, True, False):
            database.error = error if is_lost else None
            await look_several_times()
        await follower.stop()
    failed, recovered = (
        "the version of the schema cannot be read",
        "the version of the schema can be read again",
    )
    ours = [line for line in lines if line["event"] in {failed, recovered}]
    assert [line["event"] for line in ours] == [failed, recovered] * 2
    return ours
