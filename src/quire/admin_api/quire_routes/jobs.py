"""``/admin/x/jobs`` and ``/admin/x/schedules``: background jobs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import orjson
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from quire.admin_api.response_types import (
    BEFORE_ID_DESCRIPTION,
    CREATED,
    PROJECT,
    DataEnvelope,
    FreeObject,
    Moment,
)
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.router import SUPER_ADMINS
from quire.clock import Clock, iso_from_ms
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import log_page, path_id
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.jobs import JOB_STATES, JOBS, RUNNING, WAITING, JobQueue, StoredJob
from quire.database.stores.schedules import SCHEDULES, ScheduleRows, StoredSchedule
from quire.errors import ConflictError, NotFoundError, ValidationError
from quire.hooks.schedules import ScheduleDefinition
from quire.jobs.schedule_worker import enqueue_runs

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]


class JobQuery(Struct):
    """Which jobs are listed."""

    state: JobState | UnsetType = UNSET
    name: str | UnsetType = UNSET
    before: Annotated[int, Meta(description=BEFORE_ID_DESCRIPTION)] | UnsetType = UNSET
    limit: int | UnsetType = UNSET


class JobResponse(Struct, rename="camel", kw_only=True):
    """A function that runs in the background."""

    schema_name: ClassVar[str] = "Job"
    id: int
    name: str
    queue: str
    state: JobState
    attempts: int
    created_at: Moment
    started_at: Moment | UnsetType | None = UNSET
    due_at: Moment | UnsetType | None = UNSET
    lease_ends_at: Moment | UnsetType | None = UNSET
    ended_at: Moment | UnsetType | None = UNSET
    message: str | UnsetType | None = UNSET
    arguments: FreeObject | UnsetType = UNSET
    causes: list[FreeObject] | UnsetType = UNSET


class JobCounts(Struct):
    """How many jobs there are in each state."""

    waiting: int
    running: int
    done: int
    failed: int
    cancelled: int


class JobList(Struct):
    """Jobs, the latest first, and how many there are by state and by name."""

    jobs: list[JobResponse]
    counts: JobCounts
    names: dict[str, int]


class Schedule(Struct, rename="camel", kw_only=True):
    """A schedule of a job of the project; its next time is missing while it is unknown."""

    name: str
    cron: str
    timezone: str
    missed: Literal["once", "skip", "all"]
    place: str
    next_due_at: Moment | UnsetType | None = UNSET
    last_due_at: Moment | UnsetType | None = UNSET
    last_job: JobResponse | UnsetType | None = UNSET


class JobApi:
    """Lists jobs and schedules, retries and runs them, and cancels jobs."""

    def __init__(
        self,
        database: Database,
        jobs: JobQueue,
        writes: Writes,
        schedules: Sequence[ScheduleDefinition],
        clock: Clock,
    ) -> None:
        self._database = database
        self._jobs = jobs
        self._schedule_rows = ScheduleRows(writes)
        self._schedules: Mapping[str, ScheduleDefinition] = {
            schedule.name: schedule for schedule in schedules
        }
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(PROJECT, "admin/x/")
        action = SUPER_ADMINS
        job_response = DataEnvelope[JobResponse]
        yield route(
            "GET", "jobs", action, self.find, query=JobQuery, response=DataEnvelope[JobList]
        )
        yield route("GET", "jobs/:id", action, self.find_one, response=job_response)
        yield route("POST", "jobs/:id/retry", action, self.retry, response=job_response)
        yield route("POST", "jobs/:id/cancel", action, self.cancel, response=job_response)
        schedules_response, run = DataEnvelope[list[Schedule]], self.run_schedule
        yield route("GET", "schedules", action, self.find_schedules, response=schedules_response)
        yield route(
            "POST", "schedules/:name/run", action, run, response=job_response, status=CREATED
        )

    async def find(self, request: Request) -> Response:
        """List jobs, the latest first, and count all of them by state and by name."""
        state, name = request.query.get("state"), request.query.get("name")
        if state is not None and state not in JOB_STATES:
            raise ValidationError(f"state must be one of {', '.join(JOB_STATES)}")
        before, limit = log_page(request.query)
        rows = self._jobs.rows

        def program() -> Program[tuple[list[StoredJob], list[tuple[str, str, int]]]]:
            if not (yield from self._jobs.tables.exists(JOBS)):
                return [], []
            stored_jobs = yield from rows.find(
                state=None if state is None else str(state),
                name=None if name is None else str(name),
                before=before,
                limit=limit,
            )
            return stored_jobs, (yield from rows.counts())

        jobs, count_rows = await self._database.read(program, snapshot=True)
        counts = dict.fromkeys(JOB_STATES, 0)
        names: dict[str, int] = {}
        for job_name, job_state, count in count_rows:
            counts[job_state] += count
            names[job_name] = names.get(job_name, 0) + count
        return respond_data(
            {
                "jobs": [_serialize_job(job) for job in jobs],
                "counts": counts,
                "names": dict(sorted(names.items())),
            }
        )

    async def find_one(self, request: Request) -> Response:
        """Show a job with its arguments, and its cause."""
        job = await self._database.read(lambda: self._job(request))
        return respond_data(_serialize_job_details(job))

    async def retry(self, request: Request) -> Response:
        """Run a failed, cancelled or waiting job now."""
        job_id = path_id(request)
        job = await self._change_job(request, lambda now: self._jobs.rows.retry(job_id, now))
        self._jobs.added()
        return respond_data(_serialize_job_details(job))

    async def cancel(self, request: Request) -> Response:
        """Cancel a waiting or running job, or dismiss a failed one."""
        job_id = path_id(request)
        job = await self._change_job(request, lambda now: self._jobs.rows.cancel_one(job_id, now))
        return respond_data(_serialize_job_details(job))

    async def find_schedules(self, _: Request) -> Response:
        """List the schedules of the project's code by name, each with its latest job."""

        def program() -> Program[list[Schedule]]:
            has_rows = yield from self._jobs.tables.exists(SCHEDULES)
            has_jobs = yield from self._jobs.tables.exists(JOBS)
            schedules = []
            for name, definition in sorted(self._schedules.items()):
                schedule_row = (yield from self._schedule_rows.find(name)) if has_rows else None
                job = (yield from self._jobs.rows.latest(name, name)) if has_jobs else None
                schedules.append(_serialize_schedule(definition, schedule_row, job))
            return schedules

        return respond_data(await self._database.read(program, snapshot=True))

    async def run_schedule(self, request: Request) -> Response:
        """Run a schedule now, in addition to its due times."""
        definition = self._schedules.get(request.parameters["name"])
        if definition is None:
            raise NotFoundError
        now = self._clock()

        def program() -> Program[StoredJob | None]:
            (job_id,) = yield from enqueue_runs(self._jobs, definition, [now], now)
            return (yield from self._jobs.rows.get(job_id))

        await self._jobs.prepare()
        job = await self._database.write(program())
        if job is None:
            raise NotFoundError
        self._jobs.added()
        return respond_data(_serialize_job_details(job), CREATED)

    async def _change_job(
        self, request: Request, change: Callable[[int], Program[bool]]
    ) -> StoredJob:
        """Change a job; returns it. Raises NotFoundError and ConflictError."""

        def program() -> Program[StoredJob]:
            job = yield from self._job(request)
            if not (yield from change(self._clock())):
                raise ConflictError(f"This cannot be done with a job that is {job.state}")
            return (yield from self._job(request))

        return await self._database.write(program())

    def _job(self, request: Request) -> Program[StoredJob]:
        job: StoredJob | None = None
        if (yield from self._jobs.tables.exists(JOBS)):
            job = yield from self._jobs.rows.get(path_id(request))
        if job is None:
            raise NotFoundError
        return job


def _time(moment: int | None) -> str | None:
    return None if moment is None else iso_from_ms(moment)


def _serialize_job(job: StoredJob) -> JobResponse:
    return build_response(
        JobResponse,
        job,
        due_at=job.due if job.state == WAITING else None,
        lease_ends_at=job.due if job.state == RUNNING else None,
        arguments=UNSET,
        causes=UNSET,
    )


def _serialize_job_details(job: StoredJob) -> JobResponse:
    details = {"arguments": orjson.loads(job.arguments), "causes": orjson.loads(job.causes)}
    return replace(_serialize_job(job), **details)


def _serialize_schedule(
    definition: ScheduleDefinition, row: StoredSchedule | None, job: StoredJob | None
) -> Schedule:
    # Until a worker has seen a new expression, nobody knows when it is due.
    is_current = row is not None and row.expression == definition.expression
    return build_response(
        Schedule,
        definition,
        timezone=definition.tz,
        place=definition.job.place,
        next_due_at=row.next_due if row is not None and is_current else None,
        last_due_at=None if row is None else row.last_due,
        last_job=None if job is None else _serialize_job(job),
    )
