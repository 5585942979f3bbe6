"""The queue of jobs, for whoever writes: jobs are part of the transaction that adds them."""

from collections.abc import Callable

from quire.database.program import Program
from quire.database.stores.jobs import JOBS, JobRows, StoredJob
from quire.database.stores.own_tables import OwnTables


class JobQueue:
    """Adds jobs and cancels them, within transactions of others."""

    def __init__(self, rows: JobRows, tables: OwnTables) -> None:
        self.rows = rows
        self.tables = tables
        self.added: Callable[[], None] = lambda: None
        """Is called when a job is durable."""

    async def prepare(self) -> None:
        """Make the table, unless it is there. Raises ServiceUnavailableError.

        Whoever adds jobs awaits this before the transaction: two transactions that make the table
        at the same time exclude one another.
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
