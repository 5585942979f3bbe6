"""Schedules run once for each due time in all servers, also when the clock changes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from quire.database.compile.writes import Writes
from quire.database.stores.schedules import ScheduleRows
from quire.extension_loading import ExtensionError, load_extensions
from quire.hooks.jobs import JobDefinition, arguments_of
from quire.hooks.schedules import ScheduleDefinition
from tests.databases.kind import Kind
from tests.extending.background import ended, jobs_of, parts_of, until
from tests.extending.project import FILE, IMPORTS, schema_in, write_code
from tests.unit.admin_api.office import Clock, Office, office_project, run_office

_FIRST = IMPORTS.count("\n") + 1
HOURLY = """
from datetime import datetime

@schedule("0 * * * *"{options})
async def hourly(due: datetime) -> None:
    with as_system("hourly"):
        await documents(WRITER).create({{"name": due.isoformat()}})
"""


async def _nothing() -> None: ...


def definition(cron: str, tz: str = "UTC") -> ScheduleDefinition:
    job = JobDefinition(name="job", function=_nothing, arguments=arguments_of("job", _nothing))
    return ScheduleDefinition(job=job, cron=cron, tz=tz)


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("cron", "after", "expected"),
    [
        ("30 2 * * *", "2027-03-27T12:00+01:00", ["2027-03-28T01:00", "2027-03-29T00:30"]),
        ("30 2 * * *", "2027-10-30T12:00+02:00", ["2027-10-31T00:30", "2027-11-01T01:30"]),
        (
            "0 * * * *",
            "2027-10-31T01:30+02:00",
            ["2027-10-31T00:00", "2027-10-31T01:00", "2027-10-31T02:00"],
        ),
        ("0 3 29 2 *", "2027-01-01T00:00+00:00", ["2028-02-29T02:00"]),
    ],
    ids=["skipped-hour", "hour-that-comes-twice", "every-hour", "leap-day"],
)
def test_due_times_follow_the_clock_of_the_time_zone(
    cron: str, after: str, expected: list[str]
) -> None:
    found = definition(cron, "Europe/Berlin").due_after(ms(after))
    shown = [datetime.fromtimestamp(next(found) / 1000, tz=UTC) for _ in expected]
    assert [f"{one:%Y-%m-%dT%H:%M}" for one in shown] == expected


def test_after_a_long_stop_the_latest_due_times_are_known() -> None:
    every_minute = definition("* * * * *")
    now = ms("2029-01-01T00:00+00:00")
    found = every_minute.due_until(ms("2027-01-01T00:00+00:00"), now)
    assert (len(found), found[-1]) == (1000, now)
    yearly = definition("0 0 1 1 *")
    found = yearly.due_until(ms("2027-01-01T00:00+00:00"), now + 1)
    assert found == [ms(f"{year}-01-01T00:00+00:00") for year in (2027, 2028, 2029)]


@asynccontextmanager
async def servers(
    folder: Path, kind: Kind, code: str, clocks: list[Clock]
) -> AsyncIterator[list[Office]]:
    """Run a server for each clock, all of one project."""
    async with office_project(folder, kind) as project, AsyncExitStack() as opened:
        write_code(project, code)
        yield [
            await opened.enter_async_context(run_office(project, clock=clock)) for clock in clocks
        ]


async def known(offices: list[Office]) -> None:
    """Wait until all servers know when their schedules are due."""

    async def all_know() -> bool:
        return all(parts_of(office).schedules.seconds_to_next() > 0 for office in offices)

    await until(all_know)


def set_clocks(offices: list[Office], moment: str) -> None:
    for office in offices:
        office.clock.now = ms(moment)
        parts_of(office).schedules.wake()
        parts_of(office).worker.wake()


async def is_due_at(office: Office, moment: str) -> bool:
    """Tell whether the stored due time of the only schedule is a moment."""
    database = office.app.database
    assert database is not None
    rows = ScheduleRows(Writes(database.dialect))
    found = await database.read(lambda: rows.find("src.api.paper.paper.hourly"))
    return found is not None and found.next_due == ms(moment)


async def due_times(office: Office) -> list[str]:
    """Return the due times that were run for, each as often as it was."""
    reply = await office.ask("GET", "/api/writers?pagination[pageSize]=100&sort=name")
    return [one["name"][:16] for one in reply.data if one["name"].startswith("20")]


async def utc_times(office: Office) -> list[str]:
    """Return the due times that were run for, in UTC."""
    reply = await office.ask("GET", "/api/writers?pagination[pageSize]=100&sort=id")
    moments = [one["name"] for one in reply.data if one["name"].startswith("20")]
    return [
        datetime.fromisoformat(one).astimezone(UTC).strftime("%Y-%m-%dT%H:%M") for one in moments
    ]


async def test_three_servers_run_for_each_due_time_once(tmp_path: Path, kind: Kind) -> None:
    code = HOURLY.format(options="")
    async with servers(tmp_path, kind, code, [Clock(), Clock(), Clock()]) as offices:
        await known(offices)
        for count, hour in enumerate((9, 10, 11), start=1):
            set_clocks(offices, f"2027-01-15T{hour:02}:00:01+00:00")
            await ended(offices[0], count)
        await asyncio.sleep(0.1)
        assert await due_times(offices[0]) == [f"2027-01-15T{hour:02}:00" for hour in (9, 10, 11)]
        assert {job.attempts for job in await jobs_of(offices[0])} == {1}


@pytest.mark.parametrize(
    ("missed", "hours"), [("once", [12]), ("skip", []), ("all", [9, 10, 11, 12])]
)
async def test_missed_due_times_are_made_up_for_as_configured(
    tmp_path: Path, kind: Kind, missed: str, hours: list[int]
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, HOURLY.format(options=f', missed="{missed}"'))
        async with run_office(project) as office:
            await known([office])
        late = Clock()
        late.now = ms("2027-01-15T12:30+00:00")
        async with run_office(project, clock=late) as office:
            await known([office])
            await ended(office, len(hours))
            assert await due_times(office) == [f"2027-01-15T{hour:02}:00" for hour in hours]


async def test_a_clock_that_is_put_back_runs_nothing_twice(tmp_path: Path, kind: Kind) -> None:
    async with servers(tmp_path, kind, HOURLY.format(options=""), [Clock()]) as offices:
        (office,) = offices
        await known(offices)
        set_clocks(offices, "2027-01-15T09:00:01+00:00")
        await ended(office)
        set_clocks(offices, "2027-01-15T08:30+00:00")
        await until(partial(is_due_at, office, "2027-01-15T10:00+00:00"))
        set_clocks(offices, "2027-01-15T09:00:30+00:00")
        await asyncio.sleep(0.1)
        assert await due_times(office) == ["2027-01-15T09:00"]
        set_clocks(offices, "2027-01-15T10:00:30+00:00")
        await ended(office, 2)
        assert await due_times(office) == ["2027-01-15T09:00", "2027-01-15T10:00"]


@pytest.mark.parametrize(
    ("before", "due", "later", "next_due"),
    [
        (
            "2027-03-28T00:30+00:00",
            "2027-03-28T01:00",
            "2027-03-28T12:00+00:00",
            "2027-03-29T00:30",
        ),
        (
            "2027-10-31T00:00+00:00",
            "2027-10-31T00:30",
            "2027-10-31T12:00+00:00",
            "2027-11-01T01:30",
        ),
    ],
    ids=["skipped-hour", "hour-that-comes-twice"],
)
async def test_a_schedule_runs_once_on_days_with_a_change_of_the_clock(
    tmp_path: Path, kind: Kind, before: str, due: str, later: str, next_due: str
) -> None:
    code = HOURLY.format(options=', tz="Europe/Berlin"').replace("0 * * * *", "30 2 * * *")
    early = [Clock(), Clock()]
    for clock in early:
        clock.now = ms(before)
    async with servers(tmp_path, kind, code, early) as offices:
        await known(offices)
        for moment in (f"{due}:01+00:00", later):
            set_clocks(offices, moment)
            await until(partial(is_due_at, offices[0], f"{next_due}+00:00"))
            await ended(offices[0])
        set_clocks(offices, f"{next_due}:01+00:00")
        await ended(offices[0], 2)
        assert await utc_times(offices[0]) == [due, next_due]


async def test_a_clock_that_was_years_ahead_does_not_stop_a_schedule(
    tmp_path: Path, kind: Kind
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, HOURLY.format(options=""))
        async with run_office(project) as office:
            await known([office])
            set_clocks([office], "2035-01-01T09:00:01+00:00")
            await ended(office)
            set_clocks([office], "2027-01-15T09:30:00+00:00")
            await until(partial(is_due_at, office, "2027-01-15T10:00+00:00"))
            set_clocks([office], "2027-01-15T10:00:01+00:00")
            await ended(office, 2)
            assert await due_times(office) == ["2027-01-15T10:00", "2035-01-01T09:00"]


async def test_another_expression_counts_from_now_on(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, HOURLY.format(options=""))
        async with run_office(project) as office:
            await known([office])
        write_code(project, HOURLY.format(options="").replace("0 *", "30 *"))
        async with run_office(project) as office:
            await known([office])
            set_clocks([office], "2027-01-15T08:30:01+00:00")
            await ended(office)
            assert await due_times(office) == ["2027-01-15T08:30"]


async def test_a_run_that_still_waits_makes_way_for_the_next_one(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @schedule("0 * * * *")
    async def hourly() -> None:
        raise LookupError
    """
    async with servers(tmp_path, kind, code, [Clock()]) as offices:
        (office,) = offices
        await known(offices)
        set_clocks(offices, "2027-01-15T09:00:01+00:00")

        async def has_failed() -> bool:
            return [job.message for job in await jobs_of(office)] == ["LookupError: "]

        await until(has_failed)
        # The next attempt is due then, too, and a run that has begun is not cancelled.
        await parts_of(office).worker.stop()
        set_clocks(offices, "2027-01-15T10:00:01+00:00")
        await ended(office, 1)
        assert (await jobs_of(office))[0].state == "cancelled"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('@schedule("0 25 * * *")\nasync def f(): ...', '"0 25 * * *": bad hour'),
        ('@schedule("0 3 * *")\nasync def f(): ...', "has 4 fields; there are minute, hour"),
        ('@schedule("* 0 3 * * *")\nasync def f(): ...', "has 6 fields"),
        ('@schedule("0 0 31 2 *")\nasync def f(): ...', "bad day-of-month"),
        (
            '@schedule("0 3 * * *", tz="Europe/Berln")\nasync def f(): ...',
            "there is no time zone 'Europe/Berln'; did you mean \"Europe/Berlin\"?",
        ),
        (
            '@schedule("0 3 * * *", missed="al")\nasync def f(): ...',
            "missed must be once, skip or all, not 'al'; did you mean \"all\"?",
        ),
        ('@schedule("0 3 * * *")\nasync def f(day: str): ...', "must take no arguments, or one"),
        ('@schedule("0 3 * * *")\nasync def f(due: str): ...', "due must be a datetime"),
        ('@schedule("0 3 * * *")\nasync def f():\n    yield', "f is a generator"),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f'{FILE}:{_FIRST}  schedule("')
    assert message in str(problem)


async def test_a_schedule_that_cannot_be_evaluated_stops_no_other(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = """
@schedule("0 * * * *")
async def broken() -> None: ...
"""
    async with servers(tmp_path, kind, first + HOURLY.format(options=""), [Clock()]) as offices:
        (office,) = offices
        await known(offices)
        next_due = ScheduleDefinition.next_due

        def fail(self: ScheduleDefinition, moment: int) -> int:
            if self.name.endswith("broken"):
                raise RuntimeError
            return next_due(self, moment)

        monkeypatch.setattr(ScheduleDefinition, "next_due", fail)
        with capture_logs() as lines:
            set_clocks(offices, "2027-02-01T09:00:01+00:00")
            await ended(office)
            await parts_of(office).schedules.work()
        assert await due_times(office) == ["2027-02-01T09:00"]
        failures = [line["schedule"] for line in lines if line["log_level"] == "error"]
        assert failures == ["src.api.paper.paper.broken"]
