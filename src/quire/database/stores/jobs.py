"""The table of jobs: functions that run in the background, and their results."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.queue_table import QueueTable
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.stores.row_conditions import (
    Condition,
    any_of,
    eq,
    gt,
    in_list,
    is_null,
    le,
    lt,
    no_other,
    not_null,
    one_of,
)
from quire.database.stores.row_types import BigInt, LongText

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
JOB_STATES = (WAITING, RUNNING, DONE, FAILED, CANCELLED)
"""``failed`` jobs are not retried automatically."""

OWN_JOBS = "quire."
"""The prefix of the names of jobs of the server itself."""

_RELEASED_COLUMNS: Mapping[str, object] = {"holder": None, "running_key": None}


class StoredJob(Struct, frozen=True, kw_only=True):
    """A job as stored. While it runs, ``due`` is the end of the lease of its ``holder``.

    A cancelled job keeps its ``holder`` and its ``running_key`` until it has stopped. ``arguments``
    and ``causes`` are JSON; ``cancel_key`` is used to cancel it, and no two jobs with the same
    ``lock_key`` run at the same time. ``trace`` is the ``traceparent`` of the request that has
    enqueued it, if it was traced.
    """

    id: int = 0
    name: str
    queue: str
    arguments: LongText
    cancel_key: str | None = None
    lock_key: str | None = None
    running_key: str | None = None
    causes: LongText = "[]"
    state: str = WAITING
    attempts: int = 0
    due: BigInt
    holder: str | None = None
    created_at: BigInt
    started_at: BigInt | None = None
    ended_at: BigInt | None = None
    message: LongText | None = None
    trace: str | None = None


JOBS = QuireTable(
    name="quire_jobs",
    row=StoredJob,
    indexes={
        "quire_jobs_due": ("state", "due"),
        "quire_jobs_cancel": ("cancel_key", "name"),
        # Of jobs with the same lock key, the running one has it here.
        "quire_jobs_running": ("running_key",),
    },
    unique=("quire_jobs_running",),
)


class JobClaim(Struct, frozen=True, kw_only=True):
    """The holder that claims jobs, and the ``names`` of the jobs that it can run."""

    names: tuple[str, ...]
    holder: str
    now: int
    until: int

    @property
    def changes(self) -> dict[str, object]:
        """The values of a claimed job."""
        return {"state": RUNNING, "holder": self.holder, "started_at": self.now}


class JobRenewal(Struct, frozen=True, kw_only=True):
    """Jobs of a holder whose leases were renewed; the ``cancelled`` ones have to stop."""

    running: frozenset[int]
    cancelled: frozenset[int]


class JobRows:
    """Programs that write and read jobs."""

    def __init__(self, writes: Writes) -> None:
        self._table = QueueTable(writes, JOBS.name, JOBS.row)

    def add(self, job: StoredJob) -> Program[int]:
        """Store a job; returns its id."""
        return (yield from self._table.insert(job))

    def backlog(self, now: int) -> Program[tuple[int, int | None]]:
        """Count the waiting due jobs; return that and when the first of them was due."""
        is_due = (eq("state", WAITING), le("due", now))
        return (yield from self._table.count_and_lowest("due", *is_due))

    def first_due(self, names: Sequence[str]) -> Program[int | None]:
        """Return when one of these jobs can be claimed next; ``None`` when none is left."""
        return (yield from self._table.lowest("due", *_is_claimable(names)))

    def claim(self, claim: JobClaim, limit: int) -> Program[list[StoredJob]]:
        """Claim due jobs without a lock key, the earliest first."""
        return (
            yield from self._table.claim(
                *_is_claimable(claim.names),
                is_null("lock_key"),
                now=claim.now,
                until=claim.until,
                limit=limit,
                changes=claim.changes,
            )
        )

    def due_keys(self, claim: JobClaim, limit: int) -> Program[list[str]]:
        """Return lock keys of due jobs that no running job has."""
        conditions = _is_next_of_key(claim)
        return (
            yield from self._table.due_texts("lock_key", *conditions, now=claim.now, limit=limit)
        )

    def claim_key(self, claim: JobClaim, key: str) -> Program[list[StoredJob]]:
        """Claim the first due job with a lock key, unless another one with it is running.

        Raises ValidationError when another process has started such a job at the same moment.
        """
        # The process that had to stop such a job is lost.
        is_lost = (eq("state", CANCELLED), le("due", claim.now))
        yield from self._table.update(_RELEASED_COLUMNS, eq("running_key", key), *is_lost)
        return (
            yield from self._table.claim(
                *_is_next_of_key(claim),
                eq("lock_key", key),
                now=claim.now,
                until=claim.until,
                limit=1,
                changes={**claim.changes, "running_key": key},
            )
        )

    def renew(self, ids: Sequence[int], holder: str, *, until: int) -> Program[JobRenewal]:
        """Extend leases; returns which of the jobs still belong to the holder."""
        conditions = (in_list("id", ids), eq("holder", holder))
        renewed_ids = frozenset((yield from self._table.changed({"due": until}, *conditions)))
        ended = yield from self._table.ids(
            in_list("id", sorted(renewed_ids)), eq("state", CANCELLED)
        )
        cancelled = frozenset(ended)
        return JobRenewal(running=renewed_ids - cancelled, cancelled=cancelled)

    def settle(self, job: StoredJob, changes: Mapping[str, object]) -> Program[bool]:
        """Record the result of a run, unless the job was cancelled or has another holder.

        Tells whether it was recorded.
        """
        is_holder, is_running = eq("holder", job.holder), eq("state", RUNNING)
        settled = yield from self._table.settle(
            job.id, {**changes, **_RELEASED_COLUMNS}, is_holder, is_running
        )
        if not settled:
            yield from self.release(job)
        return settled

    def release(self, job: StoredJob) -> Program[None]:
        """Release a job that was cancelled and has stopped."""
        conditions = (eq("id", job.id), eq("holder", job.holder), eq("state", CANCELLED))
        yield from self._table.update(_RELEASED_COLUMNS, *conditions)

    def cancel(self, name: str, key: str, now: int, *, waiting: bool = False) -> Program[int]:
        """Cancel all jobs with a name and key that have not ended; returns how many.

        A running job is stopped when its lease is renewed, unless it ends before, and keeps its
        lock key until then. With ``waiting`` only jobs that are not running are cancelled.
        """
        states = (WAITING,) if waiting else (WAITING, RUNNING)
        conditions = (eq("name", name), eq("cancel_key", key), one_of("state", *states))
        return len((yield from self._table.changed(_cancelled_columns(now), *conditions)))

    def cancel_one(self, job_id: int, now: int) -> Program[bool]:
        """Cancel a job that has not ended, or dismiss a failed one; tells whether it did."""
        may = one_of("state", WAITING, RUNNING, FAILED)
        return bool(
            (yield from self._table.changed(_cancelled_columns(now), eq("id", job_id), may))
        )

    def retry(self, job_id: int, now: int) -> Program[bool]:
        """Make a failed, cancelled or waiting job due now; tells whether there is one.

        A cancelled job has to have stopped.
        """
        changes = {
            "state": WAITING,
            "attempts": 0,
            "due": now,
            "ended_at": None,
            **_RELEASED_COLUMNS,
        }
        may = one_of("state", WAITING, FAILED, CANCELLED)
        has_stopped = any_of(is_null("holder"), le("due", now))
        return (yield from self._table.settle(job_id, changes, may, has_stopped))

    def get(self, job_id: int) -> Program[StoredJob | None]:
        """Return a job."""
        return (yield from self._table.get(job_id))

    def find(
        self, *, state: str | None, name: str | None, before: int | None, limit: int
    ) -> Program[list[StoredJob]]:
        """Return jobs, the latest first; ``before`` is the id of one."""
        filters = {"state": state, "name": name}
        conditions = [eq(column, value) for column, value in filters.items() if value is not None]
        if before is not None:
            conditions.append(lt("id", before))
        return (yield from self._table.select(*conditions, order=("-id",), limit=limit))

    def latest(self, name: str, key: str) -> Program[StoredJob | None]:
        """Return the latest job with a name and a cancel key."""
        conditions = (eq("cancel_key", key), eq("name", name))
        latest_jobs = yield from self._table.select(*conditions, order=("-id",), limit=1)
        return latest_jobs[0] if latest_jobs else None

    def pending(self, names: Sequence[str], limit: int) -> Program[list[StoredJob]]:
        """Return jobs with these names that have not ended, in the order of their due times."""
        order = ("due", "id")
        return (yield from self._table.select(*_is_claimable(names), order=order, limit=limit))

    def counts(self) -> Program[list[tuple[str, str, int]]]:
        """Count the jobs by name and state, without zeros."""
        counts = yield from self._table.count_by(("name", "state"))
        return [(str(name), str(state), count) for (name, state), count in counts.items()]

    def prune(self, *, before: int, limit: int) -> Program[None]:
        """Delete jobs that ended before a time, and all but the last ``limit`` ended jobs."""
        yield from self._table.prune(before=before, limit=limit)


def _cancelled_columns(now: int) -> dict[str, object]:
    return {"state": CANCELLED, "ended_at": now}


def _is_claimable(names: Sequence[str]) -> tuple[Condition, ...]:
    """Return the condition of a job that waits or whose lease may have ended."""
    return one_of("state", WAITING, RUNNING), in_list("name", names)


def _is_next_of_key(claim: JobClaim) -> tuple[Condition, ...]:
    """Return the condition of a job whose lock key no running job has.

    A cancelled job may run until its lease ends.
    """
    may_run = any_of(eq("state", RUNNING), gt("due", claim.now))
    is_free = no_other(may_run, equal_columns={"running_key": "lock_key"})
    return (*_is_claimable(claim.names), not_null("lock_key"), is_free)


class JobQueue:
    """Adds jobs and cancels them, within existing transactions."""

    def __init__(self, rows: JobRows, tables: QuireTables) -> None:
        self.rows = rows
        self.tables = tables
        self.added: Callable[[], None] = lambda: None
        """Called after a job was committed."""

    async def prepare(self) -> None:
        """Create the table if it does not exist. Raises ServiceUnavailableError.

        Call this before the transaction that adds jobs: two transactions that create the table at
        the same time would fail.
        """
        await self.tables.ensure(JOBS)

    def add(self, job: StoredJob) -> Program[int]:
        """Store a job; returns its id."""
        yield from self.tables.ensure_in_transaction(JOBS)
        return (yield from self.rows.add(job))

    def cancel(self, name: str, key: str, now: int) -> Program[int]:
        """Cancel jobs that have not ended by name and key; returns how many there were."""
        if not (yield from self.tables.exists(JOBS)):
            return 0
        return (yield from self.rows.cancel(name, key, now))

    def cancel_one(self, job_id: int, now: int) -> Program[bool]:
        """Cancel a job that has not ended; tells whether there was one."""
        if not (yield from self.tables.exists(JOBS)):
            return False
        return (yield from self.rows.cancel_one(job_id, now))
