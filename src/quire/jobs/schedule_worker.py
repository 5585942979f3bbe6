"""The worker that enqueues the jobs of schedules when they are due.

The next due time of each schedule is a row. It is advanced and the job is enqueued in the same
transaction, so each due time gets one run, however many server processes there are.
"""

import logging
from collections.abc import Mapping, Sequence

import msgspec
import structlog
from msgspec import Struct

from quire.clock import Clock
from quire.database.interface import Database
from quire.database.outage_log import OutageLog
from quire.database.program import Program
from quire.database.stores.jobs import JobQueue, StoredJob
from quire.database.stores.schedules import SCHEDULES, ScheduleRows, StoredSchedule
from quire.errors import ServiceUnavailableError, ValidationError
from quire.hooks.schedules import ScheduleDefinition, due_text
from quire.queue_worker import QueueWorker

_log = structlog.get_logger("quire.jobs")

_ON_TIME_MS = 60_000
"""Older due times count as missed."""
_CLOCK_ERROR_MS = 86_400_000
"""A due time of a past run that is this far in the future is a clock error."""
_BACKWARD_MS = 60_000


class ScheduleWorker(QueueWorker):
    """Enqueues jobs of due schedules."""

    def __init__(
        self, database: Database, queue: JobQueue, rows: ScheduleRows, *, clock: Clock
    ) -> None:
        super().__init__("schedules", database)
        self._queue = queue
        self._rows = rows
        self._clock = clock
        self._definitions: Mapping[str, ScheduleDefinition] = {}
        self._due: dict[str, int] = {}
        """The next due time of each schedule, as far as this process knows."""
        self._failures: dict[str, OutageLog] = {}
        self._latest = 0

    def adopt(self, definitions: Sequence[ScheduleDefinition]) -> None:
        """Run these schedules from now on."""
        self._definitions = {definition.name: definition for definition in definitions}
        self._due, self._failures = {}, {}
        self.wake()

    def seconds_to_next(self) -> float:
        """Return how long it is until the next schedule is due."""
        return max(min(self._due.values(), default=self._latest) - self._latest, 0) / 1000

    async def work(self) -> None:
        """Enqueue due schedules. Raises ServiceUnavailableError."""
        definitions = self._definitions
        if not definitions:
            return
        now = self._clock()
        if now < self._latest - _BACKWARD_MS:
            _log.warning("the clock has gone back", milliseconds=self._latest - now)
            self._due = {}
        self._latest = now
        for name, definition in definitions.items():
            due = self._due.get(name)
            if due is None or due <= now:
                await self._try_to_advance(definition, now, is_known=due is not None)

    async def _try_to_advance(
        self, definition: ScheduleDefinition, now: int, *, is_known: bool
    ) -> None:
        """Advance a schedule; an error in it is logged, and does not stop the other ones.

        Raises ServiceUnavailableError.
        """
        name = definition.name
        if name not in self._failures:
            self._failures[name] = OutageLog(
                "quire.jobs",
                failure="a schedule cannot be evaluated",
                recovery="a schedule can be evaluated again",
                level=logging.ERROR,
                schedule=name,
            )
        try:
            self._due[name] = await self._advance(definition, now, is_known=is_known)
        except ServiceUnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 - the next check tries again
            self._failures[name].note_failure(error)
        else:
            self._failures[name].note_success()

    async def _advance(self, definition: ScheduleDefinition, now: int, *, is_known: bool) -> int:
        """Enqueue a schedule's job if it is due; returns its next due time."""
        if not is_known:
            await self._queue.tables.ensure(SCHEDULES)
            await self._queue.prepare()
            try:
                await self._database.write(self._settle(definition, now))
            except ValidationError:  # another process has just stored the schedule
                await self._database.write(self._settle(definition, now))
        schedule = await self._database.read(lambda: self._rows.find(definition.name))
        if schedule is None:
            return now
        if schedule.next_due > now:
            return schedule.next_due
        due_times = definition.due_until(schedule.next_due, now)
        next_due = definition.next_due(max(now, due_times[-1]))
        advanced = _Advance(schedule=schedule, due_times=due_times, next_due=next_due)
        if await self._database.write(self._enqueued(definition, advanced, now)):
            self._queue.added()
            return next_due
        return now

    def _settle(self, definition: ScheduleDefinition, now: int) -> Program[None]:
        """Store a new or changed schedule, with its next due time from now on."""
        schedule = yield from self._rows.find(definition.name)
        if schedule is None:
            due = definition.next_due(now)
            yield from self._rows.add(definition.name, definition.expression, due)
            return
        last = schedule.last_due or 0
        if last > now + _CLOCK_ERROR_MS:
            _log.warning(
                "a schedule has run in the future: it begins again", schedule=schedule.name
            )
            last = 0
        due = definition.next_due(max(now, last))
        # After a clock is set back, the due time is too late.
        if schedule.expression != definition.expression or schedule.next_due > due:
            yield from self._rows.change(schedule.id, definition.expression, due)

    def _enqueued(
        self, definition: ScheduleDefinition, advance: "_Advance", now: int
    ) -> Program[bool]:
        """Enqueue the job for due times; tells whether no other process has done so."""
        schedule, due_times = advance.schedule, advance.due_times
        is_first = yield from self._rows.advance(
            schedule, last_due=due_times[-1], next_due=advance.next_due
        )
        if not is_first:
            return False
        chosen_times = _selected_due_times(definition, due_times, now)
        yield from enqueue_runs(self._queue, definition, chosen_times, now)
        if len(chosen_times) < len(due_times):
            count = len(due_times) - len(chosen_times)
            _log.warning("due times were missed", schedule=definition.name, count=count)
        return True


def enqueue_runs(
    queue: JobQueue, definition: ScheduleDefinition, due_times: Sequence[int], now: int
) -> Program[list[int]]:
    """Enqueue the job of a schedule for due times; returns the ids of the jobs."""
    if due_times and definition.missed != "all":
        # A run that has not begun yet, or waits for a retry, is outdated.
        yield from queue.rows.cancel(definition.name, definition.name, now, waiting=True)
    ids: list[int] = []
    for due in due_times:
        job_id = yield from queue.rows.add(_job(definition, due, now))
        ids.append(job_id)
    return ids


class _Advance(Struct, frozen=True, kw_only=True):
    """A step of a schedule: from a row, through the due times, to the next one."""

    schedule: StoredSchedule
    due_times: Sequence[int]
    next_due: int


def _selected_due_times(
    definition: ScheduleDefinition, due_times: Sequence[int], now: int
) -> list[int]:
    """Return the due times that a job is enqueued for."""
    match definition.missed:
        case "once":
            return [due_times[-1]]
        case "skip":
            return [due for due in due_times[-1:] if due > now - _ON_TIME_MS]
        case "all":
            return list(due_times)


def _job(definition: ScheduleDefinition, due: int, now: int) -> StoredJob:
    arguments = {"due": due_text(due)} if definition.takes_due else {}
    return StoredJob(
        name=definition.name,
        queue=definition.job.queue,
        arguments=msgspec.json.encode(arguments).decode(),
        due=due,
        created_at=now,
        cancel_key=definition.name,
        lock_key=definition.job.one_at_a_time,
    )
