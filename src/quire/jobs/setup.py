"""Puts together the queue of jobs and the worker that runs them."""

from msgspec import Struct

from quire.background.job_queue import JobQueue
from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.connection import Database
from quire.database.stores.jobs import JobRows
from quire.database.stores.table import OwnTables
from quire.jobs.worker import JobWorker, JobWorkerOptions
from quire.settings import Settings


class JobParts(Struct, frozen=True, kw_only=True):
    """What takes jobs, and what runs them."""

    queue: JobQueue
    worker: JobWorker


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
    return JobParts(queue=queue, worker=JobWorker(database, queue, clock=clock, options=options))
