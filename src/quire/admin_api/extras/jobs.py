"""``/admin/x/jobs`` and ``/admin/x/outbox``: what runs in the background, and what has failed."""

from collections.abc import Callable, Iterator
from typing import Any

import orjson

from quire.admin_api.bodies import id_of
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SUPER_ADMINS
from quire.background.change_queue import ChangeQueue
from quire.background.job_queue import JobQueue
from quire.clock import Clock, iso_from_ms
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.connection import Database
from quire.database.program import Program
from quire.database.stores.changes import CHANGES, StoredChange
from quire.database.stores.jobs import JOB_STATES, JOBS, RUNNING, WAITING, StoredJob
from quire.errors import ConflictError, NotFoundError, ValidationError

_PAGE, _MOST = 50, 500
_OUTBOX_STATES = {"waiting": False, "failed": True}


class JobApi:
    """Lists jobs and changes that were not delivered, runs them again, and cancels jobs."""

    def __init__(
        self, database: Database, jobs: JobQueue, changes: ChangeQueue, clock: Clock
    ) -> None:
        self._database = database
        self._jobs = jobs
        self._changes = changes
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, handler in (
            ("GET", "admin/x/jobs", self.find),
            ("GET", "admin/x/jobs/:id", self.find_one),
            ("POST", "admin/x/jobs/:id/retry", self.retry),
            ("POST", "admin/x/jobs/:id/cancel", self.cancel),
            ("GET", "admin/x/outbox", self.find_changes),
            ("POST", "admin/x/outbox/:id/replay", self.replay),
        ):
            yield Route(method=method, path=path, action=SUPER_ADMINS, handler=handler)

    async def find(self, request: Request) -> Response:
        """List jobs, the latest first, and count them by state; ``before`` is the last id known."""
        state, name = request.query.get("state"), request.query.get("name")
        if state is not None and state not in JOB_STATES:
            raise ValidationError(f"state must be one of {', '.join(JOB_STATES)}")
        before, limit = _page(request)
        rows = self._jobs.rows

        def program() -> Program[tuple[list[StoredJob], dict[str, int]]]:
            if not (yield from self._jobs.tables.exists(JOBS)):
                return [], {}
            found = yield from rows.find(
                state=None if state is None else str(state),
                name=None if name is None else str(name),
                before=before,
                limit=limit,
            )
            return found, (yield from rows.counts())

        found, counts = await self._database.read(program, snapshot=True)
        by_state = {one: counts.get(one, 0) for one in JOB_STATES}
        return respond_data({"jobs": [_shown(one) for one in found], "counts": by_state})

    async def find_one(self, request: Request) -> Response:
        """Show a job with its arguments, and what has caused it."""
        found = await self._database.read(lambda: self._job(request))
        return respond_data(_detailed(found))

    async def retry(self, request: Request) -> Response:
        """Let a job that has failed, was cancelled or waits run now."""
        job_id = _id(request)
        found = await self._changed(request, lambda now: self._jobs.rows.retry(job_id, now))
        self._jobs.added()
        return respond_data(_detailed(found))

    async def cancel(self, request: Request) -> Response:
        """Cancel a job that waits or runs, or take it off the list of failed ones."""
        job_id = _id(request)
        found = await self._changed(request, lambda now: self._jobs.rows.cancel_one(job_id, now))
        return respond_data(_detailed(found))

    async def find_changes(self, request: Request) -> Response:
        """List changes that wait or were given up, the latest first."""
        state = request.query.get("state")
        if state is not None and state not in _OUTBOX_STATES:
            raise ValidationError(f"state must be one of {', '.join(_OUTBOX_STATES)}")
        before, limit = _page(request)
        dead = None if state is None else _OUTBOX_STATES[str(state)]

        def program() -> Program[list[StoredChange]]:
            if not (yield from self._changes.tables.exists(CHANGES)):
                return []
            return (yield from self._changes.rows.find(dead=dead, before=before, limit=limit))

        found = await self._database.read(program)
        return respond_data([_shown_change(one) for one in found])

    async def replay(self, request: Request) -> Response:
        """Let a change that waits or was given up be delivered now."""
        change_id = _id(request)

        def program() -> Program[bool]:
            if not (yield from self._changes.tables.exists(CHANGES)):
                return False
            return (yield from self._changes.rows.replay(change_id, self._clock()))

        if not await self._database.write(program()):
            raise NotFoundError
        self._changes.added()
        return respond_data({}, 202)

    async def _changed(self, request: Request, change: Callable[[int], Program[bool]]) -> StoredJob:
        """Change a job; returns it. Raises NotFoundError and ConflictError."""

        def program() -> Program[StoredJob]:
            found = yield from self._job(request)
            if not (yield from change(self._clock())):
                raise ConflictError(f"This cannot be done with a job that is {found.state}")
            return (yield from self._job(request))

        return await self._database.write(program())

    def _job(self, request: Request) -> Program[StoredJob]:
        found: StoredJob | None = None
        if (yield from self._jobs.tables.exists(JOBS)):
            found = yield from self._jobs.rows.one(_id(request))
        if found is None:
            raise NotFoundError
        return found


def _id(request: Request) -> int:
    found = id_of(request.parameters["id"])
    if found is None:
        raise NotFoundError
    return found


def _page(request: Request) -> tuple[int | None, int]:
    """Return the id before which rows are listed, and how many at most."""
    before, limit = (_number(request, name) for name in ("before", "limit"))
    return before, min(_PAGE if limit is None else limit, _MOST)


def _number(request: Request, name: str) -> int | None:
    value = request.query.get(name)
    if value is None:
        return None
    number = id_of(value)
    if number is None:
        raise ValidationError(f"{name} must be a whole number")
    return number


def _time(moment: int | None) -> str | None:
    return None if moment is None else iso_from_ms(moment)


def _shown(job: StoredJob) -> dict[str, Any]:
    return {
        "id": job.id,
        "name": job.name,
        "queue": job.queue,
        "state": job.state,
        "attempts": job.attempts,
        "createdAt": iso_from_ms(job.created_at),
        "startedAt": _time(job.started_at),
        "dueAt": iso_from_ms(job.due) if job.state == WAITING else None,
        "leaseEndsAt": iso_from_ms(job.due) if job.state == RUNNING else None,
        "endedAt": _time(job.ended_at),
        "message": job.message,
    }


def _detailed(job: StoredJob) -> dict[str, Any]:
    return {
        **_shown(job),
        "arguments": orjson.loads(job.arguments),
        "causes": orjson.loads(job.causes),
    }


def _shown_change(change: StoredChange) -> dict[str, Any]:
    waits = change.ended_at is None
    return {
        "id": change.id,
        "function": change.listener,
        "action": change.action,
        "uid": change.uid,
        "documentId": change.document_id,
        "locale": change.locale,
        "state": "waiting" if waits else "failed",
        "attempts": change.attempts,
        "createdAt": iso_from_ms(change.created_at),
        "dueAt": iso_from_ms(change.due) if waits else None,
        "endedAt": _time(change.ended_at),
        "message": change.message,
    }
