"""Servers of one project that run jobs at times of their schedules."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path

from tests.databases.kind import Kind
from tests.extending.background import parts_of, until
from tests.unit.admin_api.office import Clock, Office, office_project, run_office


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@asynccontextmanager
async def servers(
    folder: Path, kind: Kind, settings: str, count: int
) -> AsyncIterator[tuple[Path, list[Office]]]:
    """Run some servers of one project with lines in quire.toml."""
    async with office_project(folder, kind) as project, AsyncExitStack() as opened:
        with (project / "quire.toml").open("a") as file:
            file.write(f"\n{settings}\n")
        yield (
            project,
            [
                await opened.enter_async_context(run_office(project, clock=Clock()))
                for _ in range(count)
            ],
        )


async def pass_to(offices: list[Office], moment: str) -> None:
    """Let all servers know their schedules, then set their clocks."""

    async def all_know() -> bool:
        return all(parts_of(office).schedules.seconds_to_next() > 0 for office in offices)

    await until(all_know)
    for office in offices:
        office.clock.now = ms(moment)
        parts_of(office).schedules.wake()
        parts_of(office).worker.wake()
