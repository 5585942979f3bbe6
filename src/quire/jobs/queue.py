"""Adds jobs to transactions of the document service, for the server's own code.

A job of the server itself is defined once, when the runtime of a schema is made, and given to
`make_job_runtime` in `quire.runtime.schema_runtime` together with those of the project::

    class PublishArguments(msgspec.Struct):
        uid: str
        document_id: str

    def publish_job(documents: DocumentService) -> JobDefinition:
        async def publish(uid: str, document_id: str) -> None:
            await documents.publish(PublishDocument(uid=uid, document_id=document_id))

        return JobDefinition(name="quire.publish", function=publish, arguments=PublishArguments)

Workers find it by its name, which is stored with each job. Jobs are added and cancelled in a
transaction::

    await jobs.prepare()                       # the table, once, before the transaction

    def act(unit: UnitOfWork) -> Program[int]:
        yield from cancel_jobs(unit, "quire.publish", key=document_id)
        arguments = PublishArguments(uid=uid, document_id=document_id)
        return (yield from add_job(unit, job, arguments, at=publish_at, key=document_id))

    await documents.run(act)

They run if and only if the transaction commits. A job may run twice when a process is lost in its
middle; what it does has to bear that, for example because it looks first whether it is done.
"""

import msgspec
from msgspec import Struct

from quire.background.job_queue import JobQueue
from quire.database.program import Program
from quire.database.stores.jobs import StoredJob
from quire.document_service.unit_of_work import UnitOfWork
from quire.hooks.extensions import CallCause, require_depth
from quire.hooks.jobs import JobDefinition


def add_job(
    unit: UnitOfWork,
    job: JobDefinition,
    arguments: Struct,
    *,
    at: int | None = None,
    key: str | None = None,
) -> Program[int]:
    """Add a job to a transaction; returns its id.

    ``at`` is when it runs, in epoch milliseconds, by default at once. By ``key`` it is cancelled
    (`cancel_jobs`); several jobs may have the same one. Raises TypeError and ValueError for
    arguments that cannot be stored, and HookLoopError when too many functions have caused it.
    """
    queue = _queue(unit)
    require_depth((*unit.causes, cause_of(job)), unit.engine.code_limits)
    now = unit.clock()
    new = StoredJob(
        name=job.name,
        queue=job.queue,
        arguments=job.encode(arguments),
        due=now if at is None else at,
        created_at=now,
        cancel_key=key,
        lock_key=job.lock_key(arguments),
        causes=msgspec.json.encode(unit.causes).decode(),
    )
    job_id = yield from queue.add(new)
    unit.committed.append(queue.added)
    return job_id


def cancel_jobs(unit: UnitOfWork, name: str, key: str) -> Program[int]:
    """Cancel the jobs with a name and key that have not ended; returns how many there were.

    One that is running at the moment is interrupted within seconds, or ends before; what it has
    committed stays.
    """
    return (yield from _queue(unit).cancel(name, key, unit.clock()))


def cancel_job(unit: UnitOfWork, job_id: int) -> Program[bool]:
    """Cancel a job that has not ended; tells whether there was one."""
    return (yield from _queue(unit).cancel_one(job_id, unit.clock()))


def cause_of(job: JobDefinition) -> CallCause:
    """Return the cause that what a job does has."""
    return CallCause(phase="job", name=job.name, file=job.file, line=job.line)


def _queue(unit: UnitOfWork) -> JobQueue:
    if unit.engine.jobs is None:
        message = "there is no queue of jobs here: only servers have one"
        raise RuntimeError(message)
    return unit.engine.jobs
