"""``quire jobs`` and ``quire outbox``: background jobs and undelivered changes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from quire.cli.terminal import EXIT_OK, print_message, print_table
from quire.clock import iso_from_ms, now_ms
from quire.database.compile.writes import Writes
from quire.database.open import open_database
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.stores.change_outbox import CHANGES, ChangeRows, StoredChange
from quire.database.stores.jobs import JOBS, JobRows, StoredJob
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.tables.table_map import map_tables
from quire.errors import ApplicationError
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

T = TypeVar("T")

_JOB_HEADS = ("ID", "JOB", "STATE", "ATTEMPTS", "DUE", "MESSAGE")
_CHANGE_HEADS = ("ID", "FUNCTION", "CHANGE", "STATE", "ATTEMPTS", "DUE", "MESSAGE")
_LONGEST_MESSAGE = 80


def list_jobs(settings: Settings, *, state: str | None, limit: int) -> int:
    """Print jobs, the latest first, one per line."""

    def program(writes: Writes) -> Program[list[StoredJob]]:
        return JobRows(writes).find(state=state, name=None, before=None, limit=limit)

    stored_jobs = asyncio.run(_run(settings, JOBS, program)) or []
    _print_table(_JOB_HEADS, [_job_cells(job) for job in stored_jobs], "There are no jobs.")
    return EXIT_OK


def retry_job(settings: Settings, job_id: int) -> int:
    """Run a failed, cancelled or waiting job now. Raises ApplicationError."""
    if not _change(settings, JOBS, lambda writes: JobRows(writes).retry(job_id, now_ms())):
        raise ApplicationError(f"There is no job {job_id} that failed, was cancelled or waits.")
    print_message(f"Job {job_id} runs as soon as a server is running.")
    return EXIT_OK


def cancel_job(settings: Settings, job_id: int) -> int:
    """Cancel a job, or dismiss a failed one. Raises ApplicationError."""
    if not _change(settings, JOBS, lambda writes: JobRows(writes).cancel_one(job_id, now_ms())):
        raise ApplicationError(f"There is no job {job_id} that waits, runs or has failed.")
    print_message(f"Job {job_id} is cancelled.")
    return EXIT_OK


def list_outbox(settings: Settings, *, failed: bool, limit: int) -> int:
    """Print undelivered changes, or only those that were given up."""

    def program(writes: Writes) -> Program[list[StoredChange]]:
        return ChangeRows(writes).find(dead=True if failed else None, before=None, limit=limit)

    changes = asyncio.run(_run(settings, CHANGES, program)) or []
    lines = [_change_cells(change) for change in changes]
    _print_table(_CHANGE_HEADS, lines, "Every change is delivered.")
    return EXIT_OK


def replay_change(settings: Settings, change_id: int) -> int:
    """Deliver a waiting or given up change now. Raises ApplicationError."""
    if not _change(
        settings, CHANGES, lambda writes: ChangeRows(writes).replay(change_id, now_ms())
    ):
        raise ApplicationError(f"There is no change {change_id} that is not delivered.")
    print_message(f"Change {change_id} is delivered as soon as a server is running.")
    return EXIT_OK


def discard_change(settings: Settings, change_id: int) -> int:
    """Delete a waiting or given up change. Raises ApplicationError."""
    if not _change(
        settings, CHANGES, lambda writes: ChangeRows(writes).discard(change_id, now_ms())
    ):
        raise ApplicationError(f"There is no change {change_id} that waits or was given up.")
    print_message(f"Change {change_id} is discarded.")
    return EXIT_OK


def _job_cells(job: StoredJob) -> tuple[str, ...]:
    is_waiting = job.ended_at is None
    due_time = iso_from_ms(job.due) if is_waiting else ""
    message = (job.message or "")[:_LONGEST_MESSAGE]
    return (str(job.id), job.name, job.state, str(job.attempts), due_time, message)


def _change_cells(change: StoredChange) -> tuple[str, ...]:
    is_waiting = change.ended_at is None
    return (
        str(change.id),
        change.listener,
        f"{change.action} {change.uid} {change.document_id}",
        "waiting" if is_waiting else "failed",
        str(change.attempts),
        iso_from_ms(change.due) if is_waiting else "",
        (change.message or "")[:_LONGEST_MESSAGE],
    )


def _print_table(
    header: tuple[str, ...], lines: Sequence[tuple[str, ...]], empty_message: str
) -> None:
    if not lines:
        print_message(empty_message)
        return
    print_table([header, *lines])


def _change(
    settings: Settings, table: QuireTable[Any], make: Callable[[Writes], Program[bool]]
) -> bool:
    """Run a program that changes a row; tells whether it has."""
    return asyncio.run(_run(settings, table, make)) or False


async def _run(
    settings: Settings, table: QuireTable[Any], make: Callable[[Writes], Program[T]]
) -> T | None:
    """Run a program in a transaction, while a server may be running.

    Returns ``None`` if the table does not exist.
    """
    database = await open_database(settings, map_tables(load_project_schema(settings)))
    tables = QuireTables(database, target_of(settings).kind)
    writes = Writes(database.dialect)

    def program() -> Program[T | None]:
        if not (yield from tables.exists(table)):
            return None
        return (yield from make(writes))

    try:
        return await database.write(program())
    finally:
        await database.close()
