"""The worker that runs jobs in a server process.

It leases the jobs that it claims, and renews the lease while a job runs: the job of a lost process
is claimed by another one when its lease ends. A worker that loses a lease stops the job.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import msgspec
import structlog
from msgspec import Struct

from quire.clock import Clock
from quire.database.interface import Database
from quire.database.outage_log import OutageLog
from quire.database.program import Value
from quire.database.stores.jobs import DONE, FAILED, JOBS, WAITING, JobClaim, JobQueue, StoredJob
from quire.database.versioned_cache import VersionedValue
from quire.document_service.service import DocumentService
from quire.document_service.transaction_context import CallContext, FindUser
from quire.errors import AppError, ValidationError
from quire.hooks.after_commit import ChangeListener
from quire.hooks.checked_function import call_in_thread
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.jobs import JobDefinition
from quire.hooks.registry import CallCause
from quire.hooks.schedules import ScheduleDefinition
from quire.hooks.startup_shutdown import LifecycleFunction
from quire.ids import new_document_id
from quire.jobs.job import cause_of
from quire.queue_worker import (
    QueueWorker,
    StartSpan,
    backoff_ms,
    limit_time,
    message_of,
    no_span,
)

_log = structlog.get_logger("quire.jobs")

LEASE_MS = 30_000
_RENEWAL_SECONDS = 10.0
_SECOND = 1000
_PRUNE_INTERVAL = 600 * _SECOND
RETRIED = "retried"
"""The outcome of a run after which the job is tried again; others are states of the job."""
_OUTCOMES = (DONE, RETRIED, FAILED)


class JobWorkerOptions(Struct, frozen=True, kw_only=True):
    """``workers`` is how many jobs run at once; ``queues`` lists queues, all if it is empty.

    Ended jobs are kept for ``log_days``, and at most ``log_rows`` of them.
    """

    workers: int
    queues: tuple[str, ...] = ()
    log_days: int = 7
    log_rows: int = 10_000


class JobRuntime(Struct, frozen=True, kw_only=True):
    """The background code of a project, and the services that it uses.

    ``documents`` is the service of the present schema, ``definitions`` the jobs by name.
    ``find_user`` finds end users to act as; ``listeners`` receive changes.
    """

    documents: DocumentService
    definitions: Mapping[str, JobDefinition]
    schedules: tuple[ScheduleDefinition, ...] = ()
    listeners: tuple[ChangeListener, ...] = ()
    lifecycle: tuple[LifecycleFunction, ...] = ()
    find_user: FindUser | None = None

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Return nothing: development tracebacks show local variables, in full."""
        return []


def make_job_runtime(
    documents: DocumentService,
    jobs: Collection[JobDefinition] = (),
    schedules: Collection[ScheduleDefinition] = (),
    *,
    find_user: FindUser | None = None,
) -> JobRuntime:
    """Create a job runtime from the code of the project and the server's own jobs.

    ``jobs`` and ``schedules`` are those of the server itself.
    """
    extensions = documents.engine.extensions
    all_schedules = (*extensions.schedules, *schedules)
    all_jobs = [*extensions.jobs, *jobs, *(schedule.job for schedule in all_schedules)]
    return JobRuntime(
        documents=documents,
        definitions={job.name: job for job in all_jobs},
        schedules=all_schedules,
        listeners=extensions.listeners,
        lifecycle=extensions.lifecycle,
        find_user=find_user,
    )


class _RunningJob(Struct, kw_only=True, eq=False):
    """A running job; ``leased_until`` is a time of the event loop."""

    job: StoredJob
    leased_until: float
    task: "asyncio.Task[None] | None" = None
    is_stopped: bool = False
    is_cancelled: bool = False


class JobWorker(QueueWorker):
    """Claims due jobs and runs them."""

    def __init__(
        self,
        database: Database,
        queue: JobQueue,
        *,
        clock: Clock,
        options: JobWorkerOptions,
        start_span: StartSpan = no_span,
    ) -> None:
        super().__init__("jobs", database)
        self._start_span = start_span
        self._queue = queue
        self._rows = queue.rows
        self._clock = clock
        self._options = options
        self._holder = new_document_id()
        self.runtime: JobRuntime | None = None
        self._names: tuple[str, ...] = ()
        self._runs: dict[int, _RunningJob] = {}
        self.runs_by_outcome: Counter[tuple[str, str]] = Counter()
        """The number of runs, by the name of the job and their outcome."""
        self._renewal_task: asyncio.Task[None] | None = None
        self._is_current: VersionedValue[bool] = VersionedValue(
            database.versions, frozenset({JOBS.name})
        )
        self._pruned = 0
        queue.added = self.wake

    def adopt(self, runtime: JobRuntime) -> None:
        """Run jobs that are claimed from now on with this runtime."""
        queues = self._options.queues
        self.runtime = runtime
        self._names = tuple(
            job.name for job in runtime.definitions.values() if not queues or job.queue in queues
        )
        # Monitoring sees the first failure as an increase only if there was a value before.
        for name, outcome in product(self._names, _OUTCOMES):
            self.runs_by_outcome.setdefault((name, outcome), 0)
        self.wake()

    def start(self) -> None:
        """Start to run jobs."""
        super().start()
        self._renewal_task = asyncio.get_running_loop().create_task(self._renew_leases())

    async def stop(self, seconds: float = 5) -> None:
        """Stop claiming, and wait for running jobs for a limited number of seconds.

        Unfinished jobs are interrupted, and can be claimed by another process at once.
        """
        await super().stop(seconds)
        if self._renewal_task is not None:
            self._renewal_task.cancel()
            with suppress(asyncio.CancelledError):
                await self._renewal_task
            self._renewal_task = None

    @property
    def is_running(self) -> bool:
        """Whether a job is running in this process."""
        return bool(self._running)

    def seconds_to_next(self) -> float:
        """Return how long it is until the next job is due."""
        return max(self._next_due - self._clock(), 0) / _SECOND

    async def work(self) -> None:
        """Claim due jobs and start to run them. Raises ServiceUnavailableError."""
        now = self._clock()
        free_workers = self._options.workers - len(self._runs)
        if self.runtime is None or not self._names or free_workers <= 0:
            # A job wakes the worker when it ends.
            self._next_due = now + LEASE_MS
            return
        version = self._database.version()
        is_current = self._is_current.get(version) or not self._queue.tables.is_known(JOBS)
        if now < self._next_due and is_current:
            return
        next_due = None
        if await self._has_table():
            next_due = await self._database.read(lambda: self._rows.first_due(self._names))
        # Not before the read: a check that fails is repeated.
        self._is_current.set(version, True)  # noqa: FBT003 - the value, not a flag
        self._next_due = now + LEASE_MS if next_due is None else next_due
        if next_due is None or next_due > now:
            return
        claimed = await self._claim(now, free_workers)
        # A due job that cannot be claimed waits for another job with the same key.
        self._next_due = now if claimed else now + _SECOND
        await self._prune(now)

    async def _has_table(self) -> bool:
        tables = self._queue.tables
        if not tables.is_known(JOBS):
            if not await self._database.read(lambda: tables.exists(JOBS)):
                return False
            await tables.ensure(JOBS)
        return True

    async def _claim(self, now: int, free_workers: int) -> int:
        claim = JobClaim(names=self._names, holder=self._holder, now=now, until=now + LEASE_MS)
        claimed = await self._database.write(self._rows.claim(claim, free_workers))
        self._start_jobs(claimed)
        if len(claimed) == free_workers:
            return free_workers
        count = len(claimed)
        keys = await self._database.read(lambda: self._rows.due_keys(claim, free_workers - count))
        for key in keys:
            try:
                claimed_jobs = await self._database.write(self._rows.claim_key(claim, key))
            except ValidationError:
                continue  # another process has just started a job with this key
            self._start_jobs(claimed_jobs)
            count += len(claimed_jobs)
        return count

    def _start_jobs(self, jobs: Sequence[StoredJob]) -> None:
        until = asyncio.get_running_loop().time() + LEASE_MS / _SECOND
        for job in jobs:
            present_run = self._runs.get(job.id)
            if present_run is not None:
                # Its lease had ended while this process was paused; the claim has renewed it.
                present_run.leased_until = until
                continue
            run = self._runs[job.id] = _RunningJob(job=job, leased_until=until)
            run.task = self._begin(self._run(run), job.queue)

    async def _run(self, run: _RunningJob) -> None:
        """Run a job and record its result."""
        try:
            job, changes = run.job, await self._outcome(run)
            if changes is None and run.is_cancelled:
                await self._record_result(self._rows.release(job))
            if changes is None or not await self._record_result(self._rows.settle(job, changes)):
                _log.warning("a job was cancelled or taken over", job=job.name, id=job.id)
            elif "message" in changes:  # otherwise the job was released, as if it had not run
                outcome = RETRIED if changes["state"] == WAITING else str(changes["state"])
                self.runs_by_outcome[job.name, outcome] += 1
        finally:
            self._runs.pop(run.job.id, None)

    async def _outcome(self, run: _RunningJob) -> dict[str, Value] | None:
        """Call the function.

        Returns the new values of the row, ``None`` if another process has it.
        """
        job, runtime = run.job, self.runtime
        definition = None if runtime is None else runtime.definitions.get(job.name)
        if runtime is None or definition is None:
            return self._release_changes(job)
        if job.attempts > definition.retries + 1:
            return self._failure_changes(
                job, definition, "The process that ran it was lost each time"
            )
        try:
            await self._call(runtime, definition, job)
        except asyncio.CancelledError as error:
            if run.is_stopped:
                return None
            if not self._is_stopped:  # the job has cancelled itself
                return self._failure_changes(job, definition, "It was cancelled", error)
            # A thread cannot be interrupted: the lease must not be released before it ends.
            return self._release_changes(job) if _is_async(definition) else None
        except CODE_ERRORS as error:  # a job may raise anything
            return self._failure_changes(job, definition, message_of(error, AppError), error)
        return {"state": DONE, "ended_at": self._clock(), "message": None}

    async def _call(self, runtime: JobRuntime, definition: JobDefinition, job: StoredJob) -> None:
        arguments = definition.decode(job.arguments)
        causes = (
            *msgspec.json.decode(job.causes, type=tuple[CallCause, ...]),
            cause_of(definition),
        )
        context = CallContext(
            definition.name,
            runtime.documents,
            None,
            causes=causes,
            origin=f"job {job.name}",
            find_user=runtime.find_user,
        )
        limits, seconds = runtime.documents.engine.code_limits, definition.timeout
        if seconds is None:
            seconds = limits.job_seconds
        try:
            with self._start_span(job.name, [job.trace]), context.activate():
                if _is_async(definition):
                    async with limit_time(seconds):
                        await definition.function(**arguments)
                else:
                    await self._call_in_thread(definition, arguments, seconds)
        finally:
            context.is_ended = True

    async def _call_in_thread(
        self, definition: JobDefinition, arguments: dict[str, Any], seconds: float
    ) -> None:
        """Call a plain function, which may block; it cannot be interrupted."""
        call = call_in_thread(definition.function, **arguments)
        _, pending = await asyncio.wait([call], timeout=seconds)
        if pending:
            _log.error(
                "a job takes too long, and cannot be interrupted because it is no async def",
                job=definition.name,
                place=definition.place,
                seconds=seconds,
            )
        await call

    def _release_changes(self, job: StoredJob) -> dict[str, Value]:
        """Let another process run a job now, as if it had not been started."""
        return {"state": WAITING, "due": self._clock(), "attempts": job.attempts - 1}

    def _failure_changes(
        self,
        job: StoredJob,
        definition: JobDefinition,
        message: str,
        error: BaseException | None = None,
    ) -> dict[str, Value]:
        now = self._clock()
        is_final = isinstance(error, definition.final_errors)
        is_dead = is_final or job.attempts > definition.retries
        _log.error(
            "a job failed" if is_dead else "a job failed and is tried again",
            job=job.name,
            id=job.id,
            place=definition.place,
            attempt=job.attempts,
            exc_info=error,
        )
        if is_dead:
            return {"state": FAILED, "ended_at": now, "message": message}
        due = now + backoff_ms(job.attempts)
        return {"state": WAITING, "due": due, "message": message}

    async def _renew_leases(self) -> None:
        outages = OutageLog(
            "quire.jobs",
            failure="leases of jobs cannot be renewed",
            recovery="leases of jobs can be renewed again",
        )
        while True:
            await asyncio.sleep(_RENEWAL_SECONDS)
            try:
                await self.renew()
                outages.note_success()
            except AppError as error:
                outages.note_failure(error)

    async def renew(self) -> None:
        """Renew the leases of running jobs, and stop those that were taken over.

        Raises AppError.
        """
        loop = asyncio.get_running_loop()
        runs = dict(self._runs)
        if not runs:
            return
        requested_at = loop.time()
        until = self._clock() + LEASE_MS
        try:
            renewal = await self._database.write(
                self._rows.renew(list(runs), self._holder, until=until)
            )
        except AppError:
            for run in runs.values():
                if run.leased_until <= loop.time():
                    self._stop(run)
            raise
        for id_, run in runs.items():
            if id_ in renewal.running or id_ in renewal.cancelled:
                run.leased_until = requested_at + LEASE_MS / _SECOND
            if id_ in renewal.cancelled:
                run.is_cancelled = True
            # A cancelled job in a thread goes on, and keeps its key until it ends.
            if id_ not in renewal.running and not (run.is_cancelled and self._is_in_thread(run)):
                self._stop(run)

    def _stop(self, run: _RunningJob) -> None:
        if run.job.id in self._runs and run.task is not None:
            run.is_stopped = True
            run.task.cancel()

    def _is_in_thread(self, run: _RunningJob) -> bool:
        definition = None if self.runtime is None else self.runtime.definitions.get(run.job.name)
        return definition is not None and not _is_async(definition)

    async def _prune(self, now: int) -> None:
        if now - self._pruned > _PRUNE_INTERVAL:
            self._pruned = now
            oldest_time = now - self._options.log_days * 86_400 * _SECOND
            await self._database.write(
                self._rows.prune(before=oldest_time, limit=self._options.log_rows)
            )


def _is_async(definition: JobDefinition) -> bool:
    return inspect.iscoroutinefunction(definition.function)
