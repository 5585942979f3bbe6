"""Creates the queues of jobs and changes with their workers, and runs `on_start` and `on_stop`."""

import asyncio
import inspect

import structlog
from msgspec import Struct

from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.stores.change_outbox import CHANGES, ChangeQueue, ChangeRows
from quire.database.stores.jobs import JOBS, JobQueue, JobRows
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.schedules import SCHEDULES, ScheduleRows
from quire.document_service.transaction_context import CallContext
from quire.errors import ConfigurationError
from quire.hooks.checked_function import call_in_thread
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.registry import Extensions
from quire.hooks.startup_shutdown import LifecycleFunction, Moment
from quire.jobs.change_worker import ChangeWorker
from quire.jobs.job_worker import JobRuntime, JobWorker, JobWorkerOptions
from quire.jobs.schedule_worker import ScheduleWorker
from quire.queue_worker import StartSpan, no_span
from quire.settings import Settings

_log = structlog.get_logger("quire.extensions")

_START_SECONDS = 300.0


async def run_start(runtime: JobRuntime) -> None:
    """Run the `on_start` functions, one after the other.

    Raises ConfigurationError when one fails or takes longer than five minutes.
    """
    for function in _functions(runtime, "on_start"):
        try:
            await _call(runtime, function, _START_SECONDS)
        except CODE_ERRORS as error:
            _log.exception(
                "a function of the start failed", function=function.name, place=function.place
            )
            reason = f"{type(error).__name__}: {error}"
            raise ConfigurationError(
                f"{function.place}  on_start: {function.name}: {reason}"
            ) from error


async def run_stop(runtime: JobRuntime, seconds: float) -> None:
    """Run the `on_stop` functions, one after the other, each with a time limit."""
    for function in _functions(runtime, "on_stop"):
        try:
            await _call(runtime, function, seconds)
        except CODE_ERRORS:  # the others of the stop run all the same
            _log.exception(
                "a function of the stop failed", function=function.name, place=function.place
            )


def _functions(runtime: JobRuntime, moment: Moment) -> list[LifecycleFunction]:
    return [function for function in runtime.lifecycle if function.moment == moment]


async def _call(runtime: JobRuntime, function: LifecycleFunction, seconds: float) -> None:
    context = CallContext(
        function.name, runtime.documents, None, origin=function.moment, find_user=runtime.find_user
    )
    try:
        with context.activate():
            async with asyncio.timeout(seconds):
                if inspect.iscoroutinefunction(function.function):
                    await function.function()
                else:
                    await call_in_thread(function.function)
    finally:
        context.is_ended = True


class JobParts(Struct, kw_only=True, eq=False):
    """The queues, the workers of jobs and changes, and the worker of schedules."""

    queue: JobQueue
    worker: JobWorker
    schedules: ScheduleWorker
    change_queue: ChangeQueue
    changes: ChangeWorker
    runs_jobs: bool
    is_started: bool = False

    async def prepare(self, extensions: Extensions) -> None:
        """Create the tables that the code of a project needs, and update those of earlier versions.

        Without that, jobs that an earlier version has stored would neither run nor be cancelled.
        Raises ServiceUnavailableError.
        """
        await self.queue.tables.ensure_existing(JOBS, SCHEDULES, CHANGES)
        if extensions.jobs or extensions.schedules:
            await self.queue.prepare()
        if extensions.listeners:
            await self.change_queue.prepare()

    def adopt(self, runtime: JobRuntime) -> None:
        """Use the jobs, schedules and listeners of a runtime from now on.

        A process that runs no jobs ignores them.
        """
        self.worker.adopt(runtime)
        self.schedules.adopt(runtime.schedules)
        self.changes.adopt(runtime)

    def start(self) -> None:
        """Start to run jobs, unless the settings disable that in this process."""
        if self.runs_jobs:
            self.worker.start()
            self.schedules.start()
            self.changes.start()

    async def stop(self, seconds: float) -> None:
        """Stop claiming, and wait for a limited number of seconds for running jobs."""
        await self.schedules.stop(seconds)
        await asyncio.gather(self.worker.stop(seconds), self.changes.stop(seconds))

    async def run_start(self) -> None:
        """Run the project's `on_start` functions. Raises ConfigurationError when one fails."""
        runtime = self.worker.runtime
        if runtime is not None:
            await run_start(runtime)
        self.is_started = True

    async def run_stop(self, seconds: float) -> None:
        """Run the project's `on_stop` functions, if the `on_start` functions have run."""
        runtime = self.worker.runtime
        if runtime is not None and self.is_started:
            await run_stop(runtime, seconds)
        self.is_started = False


def open_jobs(
    settings: Settings,
    database: Database,
    writes: Writes,
    tables: QuireTables,
    clock: Clock,
    start_span: StartSpan = no_span,
) -> JobParts:
    """Create the parts for one database; nothing runs before the worker starts."""
    queue = JobQueue(JobRows(writes), tables)
    change_queue = ChangeQueue(ChangeRows(writes), tables)
    options = JobWorkerOptions(
        workers=settings.jobs.workers,
        queues=settings.jobs.queues,
        log_days=settings.jobs.log_days,
    )
    return JobParts(
        queue=queue,
        worker=JobWorker(database, queue, clock=clock, options=options, start_span=start_span),
        schedules=ScheduleWorker(database, queue, ScheduleRows(writes), clock=clock),
        change_queue=change_queue,
        changes=ChangeWorker(database, change_queue, clock=clock, start_span=start_span),
        runs_jobs=settings.jobs.workers > 0,
    )
