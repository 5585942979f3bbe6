"""Schedules as values: the arguments of the decorator, and the checked definition."""

from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar, get_args
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from msgspec import Struct

from quire.hooks.jobs import JobDefinition
from quire.hooks.marks import add_mark

F = TypeVar("F", bound=Callable[..., Any])
MissedRuns = Literal["once", "skip", "all"]
MISSED_RUNS: tuple[MissedRuns, ...] = get_args(MissedRuns)
MAX_MISSED = 1000
"""How many missed due times are made up for, the latest ones."""
_FIELDS = 5
_DAY_MS = 86_400_000
_MAX_STEPS = 5000
"""Due times are calculated in batches; a day has 1,440 minutes."""


class ScheduleMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    cron: Any
    tz: Any
    missed: Any
    retries: Any
    timeout: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "schedule"


class ScheduleDefinition(Struct, frozen=True, kw_only=True, eq=False):
    """When a job is enqueued: a cron expression in a time zone.

    ``missed`` says how due times are treated at which no server ran.
    """

    job: JobDefinition
    cron: str
    tz: str = "UTC"
    missed: MissedRuns = "once"

    @property
    def name(self) -> str:
        """The name of the job, by which the next due time is stored."""
        return self.job.name

    @property
    def expression(self) -> str:
        """The parsed expression."""
        return f"{self.cron} {self.tz}"

    @property
    def takes_due(self) -> bool:
        """Whether the function has a parameter ``due``, the due time of the run."""
        return "due" in self.job.arguments.__struct_fields__

    def due_after(self, moment: int) -> Iterator[int]:
        """Yield the due times after a time, all as epoch milliseconds.

        A local time that is skipped in spring is due when the clock goes on; one that occurs twice
        in autumn is due once, unless the expression is due every hour.
        """
        start = datetime.fromtimestamp(moment / 1000, tz=ZoneInfo(self.tz))
        for due_time in CronSim(self.cron, start):
            yield round(due_time.timestamp() * 1000)

    def next_due(self, moment: int) -> int:
        """Return the first due time after a time."""
        return next(self.due_after(moment))

    def due_until(self, first: int, now: int) -> list[int]:
        """Return the due times from one to the present, the latest ones if there are many.

        After a stop of months, those of the last day have to do for a frequent schedule.
        """
        due_times = deque([first], MAX_MISSED)
        for start in (first, max(first, now - _DAY_MS)):
            for steps, due_time in enumerate(self.due_after(start)):
                if due_time > now:
                    return list(due_times)
                if steps == _MAX_STEPS:
                    break
                due_times.append(due_time)
        return list(due_times)


def schedule(
    cron: str,
    *,
    tz: str = "UTC",
    missed: MissedRuns = "once",
    retries: int = 5,
    timeout: float | None = None,
) -> Callable[[F], F]:
    """Run a function at times given by a cron expression, once in all server processes together.

    ``cron`` has five fields: minute, hour, day of the month, month, day of the week, in the time
    zone ``tz``. ``missed`` is for due times at which no server ran: run once for all of them,
    ``skip`` them, or run for ``all``, at most for the latest 1,000. The function takes no
    arguments, or one that is called ``due``, a `datetime`. It runs as a job does.
    """
    mark = ScheduleMark(cron=cron, tz=tz, missed=missed, retries=retries, timeout=timeout)
    return lambda function: add_mark(function, mark)


def require_cron(cron: str, tz: str) -> None:
    """Raise ValueError for an invalid cron expression, and for one that is never due."""
    count = len(cron.split())
    if count != _FIELDS:
        raise ValueError(
            f'"{cron}" has {count} fields; there are minute, hour, day of the month, month and '
            "day of the week"
        )
    try:
        next(CronSim(cron, datetime(2027, 1, 1, tzinfo=ZoneInfo(tz))))
    except CronSimError as error:
        raise ValueError(f'"{cron}": {str(error).lower()}') from None
    except StopIteration:
        raise ValueError(f'"{cron}" is never due') from None


def due_text(due: int) -> str:
    """Return a due time in the form of job arguments."""
    return datetime.fromtimestamp(due / 1000, tz=UTC).isoformat()
