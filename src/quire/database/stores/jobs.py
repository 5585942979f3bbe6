"""The table of jobs: functions that run in the background, and what became of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Row, Value
from quire.database.stores.queue_rows import FIRST_SLOT, QueueRows
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
JOB_STATES = (WAITING, RUNNING, DONE, FAILED, CANCELLED)
"""``failed`` are those that are not tried again by themselves: the dead list."""

_NAME = "quire_jobs"
JOBS = OwnTable(
    name=_NAME,
    columns={
        "name": StorageKind.STRING,
        "queue": StorageKind.STRING,
        "arguments": StorageKind.TEXT,
        "cancel_key": StorageKind.STRING,
        "lock_key": StorageKind.STRING,
        "running_key": StorageKind.STRING,
        "causes": StorageKind.TEXT,
        "state": StorageKind.STRING,
        "attempts": StorageKind.INTEGER,
        "due": StorageKind.BIGINTEGER,
        "holder": StorageKind.STRING,
        "created_at": StorageKind.BIGINTEGER,
        "started_at": StorageKind.BIGINTEGER,
        "ended_at": StorageKind.BIGINTEGER,
        "message": StorageKind.TEXT,
    },
    indexes={
        "quire_jobs_due": ("state", "due"),
        "quire_jobs_cancel": ("cancel_key", "name"),
        # Of jobs that must not run at the same time, one has the key while it runs.
        "quire_jobs_running": ("running_key",),
    },
    unique=("quire_jobs_running",),
)
_FREED: Mapping[str, Value] = {"holder": None, "running_key": None}


class NewJob(Struct, frozen=True, kw_only=True):
    """A job that is to be stored; ``due`` and ``created_at`` are epoch milliseconds."""

    name: str
    queue: str
    arguments: str
    due: int
    created_at: int
    cancel_key: str | None = None
    lock_key: str | None = None
    causes: str = "[]"


class StoredJob(Struct, frozen=True, kw_only=True):
    """A row. While it runs, ``due`` is the end of the lease of its ``holder``."""

    id: int
    name: str
    queue: str
    arguments: str
    cancel_key: str | None
    lock_key: str | None
    running_key: str | None
    causes: str
    state: str
    attempts: int
    due: int
    holder: str | None
    created_at: int
    started_at: int | None
    ended_at: int | None
    message: str | None


class JobClaim(Struct, frozen=True, kw_only=True):
    """Who claims jobs, and which: ``names`` are those that it can run."""

    names: tuple[str, ...]
    holder: str
    now: int
    until: int


class JobRows:
    """Programs that write and read jobs."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes
        self._rows = QueueRows(writes, JOBS)

    def add(self, job: NewJob) -> Program[int]:
        """Store a job; returns its id."""
        row: dict[str, Value] = {
            "name": job.name,
            "queue": job.queue,
            "arguments": job.arguments,
            "cancel_key": job.cancel_key,
            "lock_key": job.lock_key,
            "causes": job.causes,
            "state": WAITING,
            "attempts": 0,
            "due": job.due,
            "created_at": job.created_at,
        }
        return (yield from self._writes.insert(_NAME, row))

    def backlog(self, now: int) -> Program[tuple[int, int | None]]:
        """Count the jobs that are due and wait; return that and when the first of them was due."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            due = table.c("due")
            counted = sa.select(sa.func.count(), sa.func.min(due)).select_from(table.source)
            is_waiting = table.c("state") == builder.constant(WAITING)
            return counted.where(is_waiting, due <= builder.plain_slot(0))

        ((count, first),) = yield from self._rows.run("backlog", build, now)
        return int(count or 0), None if first is None else int(first)

    def first_due(self, names: Sequence[str]) -> Program[int | None]:
        """Return when one of these jobs can be claimed next; ``None`` when none is left to run."""
        return (yield from self._rows.first_due(_is_claimable, list(names)))

    def claim(self, claim: JobClaim, most: int) -> Program[list[StoredJob]]:
        """Claim jobs that are due and may run beside any other, the first ones that were due."""
        rows = yield from self._rows.claim(
            _is_unlocked,
            list(claim.names),
            now=claim.now,
            until=claim.until,
            most=most,
            changes={"state": RUNNING, "holder": claim.holder, "started_at": claim.now},
            by="due",
        )
        return [_job(row) for row in rows]

    def due_keys(self, claim: JobClaim, most: int) -> Program[list[str]]:
        """Return keys of jobs that are due, and of which none runs."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            key = table.c("lock_key")
            chosen = sa.select(key).select_from(table.source)
            conditions = _is_next_of_key(builder, table)
            chosen = chosen.where(*conditions, table.c("due") <= builder.plain_slot(0))
            chosen = chosen.group_by(key).order_by(sa.func.min(table.c("due")))
            return chosen.limit(builder.plain_slot(2))

        values = (claim.now, None, most, list(claim.names))
        rows = yield from self._rows.run(("due keys",), build, *values)
        return [str(row[0]) for row in rows]

    def claim_key(self, claim: JobClaim, key: str) -> Program[list[StoredJob]]:
        """Claim the first due job with a key, unless another one with the key runs.

        Raises ValidationError when another process has begun such a job at the same moment.
        """
        rows = yield from self._rows.claim(
            _is_next_of_one_key,
            list(claim.names),
            key,
            now=claim.now,
            until=claim.until,
            most=1,
            changes={
                "state": RUNNING,
                "holder": claim.holder,
                "started_at": claim.now,
                "running_key": key,
            },
            by="due",
        )
        return [_job(row) for row in rows]

    def renew(self, ids: Sequence[int], holder: str, *, until: int) -> Program[frozenset[int]]:
        """Move the ends of leases; returns which of the jobs are still those of the holder."""
        return (yield from self._rows.renew(ids, holder, until=until))

    def settle(self, job: StoredJob, changes: Mapping[str, Value]) -> Program[bool]:
        """Write down what became of a run; tells whether the job was still its holder's."""
        changed = {**changes, **_FREED}
        return (yield from self._rows.settle(job.id, changed, holder=job.holder))

    def cancel(self, name: str, key: str, now: int, *, waiting: bool = False) -> Program[int]:
        """Cancel all jobs with a name and key that have not ended; returns how many there were.

        One that runs is stopped when its lease is renewed, unless it ends before; with ``waiting``
        only those that do not run are cancelled.
        """

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            taken = self._rows.described()
            change = sa.update(taken).values(**self._cancelled(builder))
            here = (
                taken.c.name == builder.plain_slot(1),
                taken.c.cancel_key == builder.plain_slot(2),
                _in_states(builder, taken.c.state, *states),
            )
            return change.where(*here).returning(taken.c.id)

        states = (WAITING,) if waiting else (WAITING, RUNNING)
        return len((yield from self._rows.run(("cancel key", states), build, now, name, key)))

    def cancel_one(self, job_id: int, now: int) -> Program[bool]:
        """Cancel a job that has not ended, or take it off the dead list; tells whether it did."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            taken = self._rows.described()
            change = sa.update(taken).values(**self._cancelled(builder))
            may = _in_states(builder, taken.c.state, WAITING, RUNNING, FAILED)
            here = taken.c.id == builder.plain_slot(1)
            return change.where(here, may).returning(taken.c.id)

        return bool((yield from self._rows.run(("cancel",), build, now, job_id)))

    def retry(self, job_id: int, now: int) -> Program[bool]:
        """Let a job that failed, was cancelled or waits run now; tells whether there is such."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            taken = self._rows.described()
            values: dict[str, Any] = {
                "state": builder.constant(WAITING),
                "attempts": builder.constant(0),
                "due": builder.plain_slot(0),
                "ended_at": sa.null(),
            }
            may = _in_states(builder, taken.c.state, WAITING, FAILED, CANCELLED)
            change = sa.update(taken).values(values)
            return change.where(taken.c.id == builder.plain_slot(1), may).returning(taken.c.id)

        return bool((yield from self._rows.run(("retry",), build, now, job_id)))

    def one(self, job_id: int) -> Program[StoredJob | None]:
        """Return a job."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            return self._rows.selected(table).where(table.c("id") == builder.plain_slot(0))

        rows = yield from self._rows.run(("one",), build, job_id)
        return _job(rows[0]) if rows else None

    def find(
        self, *, state: str | None, name: str | None, before: int | None, limit: int
    ) -> Program[list[StoredJob]]:
        """Return jobs, the latest first; ``before`` is the id of one."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = self._rows.selected(table)
            for slot, column, given in ((1, "state", state), (2, "name", name)):
                if given is not None:
                    chosen = chosen.where(table.c(column) == builder.plain_slot(slot))
            if before is not None:
                chosen = chosen.where(table.c("id") < builder.plain_slot(3))
            return chosen.order_by(table.c("id").desc()).limit(builder.plain_slot(0))

        key = ("find", state is None, name is None, before is None)
        rows = yield from self._rows.run(key, build, limit, state, name, before)
        return [_job(row) for row in rows]

    def with_key(self, name: str, key: str, limit: int) -> Program[list[StoredJob]]:
        """Return the latest jobs with a name and a key to cancel them by, the latest first."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = self._rows.selected(table).where(
                table.c("cancel_key") == builder.plain_slot(1),
                table.c("name") == builder.plain_slot(2),
            )
            return chosen.order_by(table.c("id").desc()).limit(builder.plain_slot(0))

        rows = yield from self._rows.run(("with key",), build, limit, key, name)
        return [_job(row) for row in rows]

    def pending(self, names: Sequence[str], limit: int) -> Program[list[StoredJob]]:
        """Return jobs with these names that have not ended, in the order in which they are due."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = self._rows.selected(table).where(*_is_claimable(builder, table))
            return chosen.order_by(table.c("due"), table.c("id")).limit(builder.plain_slot(0))

        rows = yield from self._rows.run(("pending",), build, limit, None, None, list(names))
        return [_job(row) for row in rows]

    def counts(self) -> Program[list[tuple[str, str, int]]]:
        """Count the jobs by name and state; yields no row for what there is none of."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            name, state = table.c("name"), table.c("state")
            counted = sa.select(name, state, sa.func.count()).select_from(table.source)
            return counted.group_by(name, state)

        rows = yield from self._rows.run(("counts",), build)
        return [(str(name), str(state), int(count or 0)) for name, state, count in rows]

    def prune(self, *, before: int, most: int) -> Program[None]:
        """Delete what ended before a moment, and what ended before the last ``most`` jobs."""
        yield from self._rows.prune(before=before, most=most)

    def _cancelled(self, builder: StatementBuilder) -> dict[str, Any]:
        values = {name: sa.null() for name in _FREED}
        return {
            "state": builder.constant(CANCELLED),
            "ended_at": builder.plain_slot(0),
            **values,
        }


def _is_claimable(
    builder: StatementBuilder, table: AliasedTable
) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what is true of a job that waits or whose lease may have ended."""
    names = builder.list_slot(FIRST_SLOT, _as_it_is)
    return (
        _in_states(builder, table.c("state"), WAITING, RUNNING),
        builder.dialect.member_of(table.c("name"), names),
    )


def _is_unlocked(
    builder: StatementBuilder, table: AliasedTable
) -> tuple[sa.ColumnElement[bool], ...]:
    return (*_is_claimable(builder, table), table.c("lock_key").is_(None))


def _is_next_of_key(
    builder: StatementBuilder, table: AliasedTable
) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what is true of a job with a key that no other job runs with."""
    other = builder.table(_NAME)
    running = (
        sa.select(other.c("id"))
        .select_from(other.source)
        .where(other.c("running_key") == table.c("lock_key"), other.c("id") != table.c("id"))
    )
    return (
        *_is_claimable(builder, table),
        table.c("lock_key").is_not(None),
        sa.not_(running.correlate(table.source).exists()),
    )


def _is_next_of_one_key(
    builder: StatementBuilder, table: AliasedTable
) -> tuple[sa.ColumnElement[bool], ...]:
    is_this_key = table.c("lock_key") == builder.plain_slot(FIRST_SLOT + 1)
    return (*_is_next_of_key(builder, table), is_this_key)


def _in_states(
    builder: StatementBuilder, column: sa.ColumnElement[Any], *states: str
) -> sa.ColumnElement[bool]:
    return column.in_([builder.constant(state) for state in states])


def _as_it_is(value: Any) -> Any:  # noqa: ANN401 - whatever a list holds
    return value


def _job(row: Row) -> StoredJob:
    values: dict[str, Any] = dict(zip(("id", *JOBS.columns), row, strict=True))
    return StoredJob(**values)
