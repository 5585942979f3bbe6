"""Puts together the queue of jobs and the worker that runs them."""

from msgspec import Struct

from quire.background.job_queue import JobQueue
from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.connection import Database
from quire.database.stores.jobs import JobRows
from quire.database.stores.schedules import ScheduleRows
from quire.database.stores.table import OwnTables
from quire.jobs.schedules import ScheduleWorker
from quire.jobs.worker import JobRuntime, JobWorker, JobWorkerOptions
from quire.settings import Settings


class JobParts(Struct, frozen=True, kw_only=True):
    """What takes jobs, what runs them, and what enqueues those of schedules."""

    queue: JobQueue
    worker: JobWorker
    schedules: ScheduleWorker
    runs_jobs: bool

    def adopt(self, runtime: JobRuntime) -> None:
        """Run the jobs and schedules of a runtime from now on."""
        self.worker.adopt(runtime)
        self.schedules.adopt(runtime.schedules)

    def start(self) -> None:
        """Begin to run jobs, unless the settings say that this process runs none."""
        if self.runs_jobs:
            self.worker.start()
            self.schedules.start()

    async def stop(self, seconds: float) -> None:
        """Claim nothing more, and give jobs so many seconds to end."""
        await self.schedules.stop(seconds)
        await self.worker.stop(seconds)


def open_jobs(
    settings: Settings, database: Database, writes: Writes, tables: OwnTables, clock: Clock
) -> JobParts:
    """Make them for one database; nothing runs before the worker starts."""
    queue = JobQueue(JobRows(writes), tables)
    options = JobWorkerOptions(
        workers=settings.jobs.workers,
        queues=settings.jobs.queues,
        log_days=settings.jobs.log_days,
    )
    return JobParts(
        queue=queue,
        worker=JobWorker(database, queue, clock=clock, options=options),
        schedules=ScheduleWorker(database, queue, ScheduleRows(writes), clock=clock),
        runs_jobs=settings.jobs.workers > 0,
    )
