"""``@job``, and adding jobs to transactions of the document service.

`Job` is what the decorator makes of a function of a project; the other functions are for the
server's own code.

A job of the server itself is defined once, when the runtime of a schema is made, and given to
`make_job_runtime` in `quire.runtime.schema_runtime` together with those of the project::

    class PublishArguments(msgspec.Struct):
        uid: str
        document_id: str

    def publish_job(documents: DocumentService) -> JobDefinition:
        async def publish(uid: str, document_id: str) -> None:
            await documents.perform([PublishDocument(uid=uid, document_id=document_id)])

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

from collections.abc import Callable
from datetime import datetime
from functools import cached_property, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

import msgspec
from msgspec import Struct

from quire.database.program import Program
from quire.database.stores.jobs import JobQueue, StoredJob
from quire.document_service.extension_context import current_context
from quire.document_service.hook_principal import system_reason
from quire.document_service.unit_of_work import UnitOfWork
from quire.hooks.jobs import JobDefinition, JobMark, arguments_of, bind
from quire.hooks.marks import add_mark
from quire.hooks.registry import CallCause, require_depth


def add_job(
    unit: UnitOfWork,
    job: JobDefinition,
    arguments: Struct,
    *,
    due_at: int | None = None,
    key: str | None = None,
) -> Program[int]:
    """Add a job to a transaction; returns its id.

    ``due_at`` is when it runs, in epoch milliseconds, by default at once. `cancel_jobs` cancels it
    by ``key``, which several jobs may share. Raises TypeError and ValueError for arguments that
    cannot be stored, and HookLoopError when too many functions have caused it.
    """
    queue, limits = _queue(unit), unit.engine.code_limits
    require_depth((*unit.causes, cause_of(job)), limits)
    now = unit.clock()
    stored_job = StoredJob(
        name=job.name,
        queue=job.queue,
        arguments=job.encode(arguments, limits.argument_bytes),
        due=now if due_at is None else due_at,
        created_at=now,
        cancel_key=key,
        lock_key=job.lock_key(arguments),
        causes=msgspec.json.encode(unit.causes).decode(),
        trace=unit.trace,
    )
    job_id = yield from queue.add(stored_job)
    unit.committed.append(queue.added)
    return job_id


def cancel_jobs(unit: UnitOfWork, name: str, key: str) -> Program[int]:
    """Cancel the jobs with a name and key that have not ended; returns how many.

    A running job is interrupted within seconds, or ends before; what it has committed stays.
    """
    return (yield from _queue(unit).cancel(name, key, unit.clock()))


def cancel_job(unit: UnitOfWork, job_id: int) -> Program[bool]:
    """Cancel a job that has not ended; tells whether there was one."""
    return (yield from _queue(unit).cancel_one(job_id, unit.clock()))


def cause_of(job: JobDefinition) -> CallCause:
    """Return the cause of the writes of a job."""
    return CallCause(phase="job", name=job.name, file=job.file, line=job.line)


def _queue(unit: UnitOfWork) -> JobQueue:
    if unit.engine.jobs is None:
        message = "there is no queue of jobs here: only servers have one"
        raise RuntimeError(message)
    return unit.engine.jobs


P = ParamSpec("P")
R = TypeVar("R")


class Job(Generic[P, R]):
    """A function that can be enqueued to run in the background; calling it runs it directly."""

    def __init__(self, function: Callable[P, R], mark: JobMark) -> None:
        self._function = function
        self._mark = mark
        update_wrapper(self, function)
        add_mark(self, mark)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function directly, as in a test."""
        return self._function(*args, **kwargs)

    async def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> int:
        """Enqueue a call with these arguments, which runs after the transaction has committed.

        Returns the id of the job. Raises TypeError for invalid arguments, ValueError for more than
        `extensions.argument_bytes`, 256 KB by default, and UnitOfWorkError outside of a unit of
        work.
        """
        return await self._add(None, args, kwargs)

    async def enqueue_at(self, when: datetime, *args: P.args, **kwargs: P.kwargs) -> int:
        """Enqueue a call for a later time; else as `enqueue`.

        Raises ValueError for a time without a time zone.
        """
        if when.tzinfo is None:
            message = "when needs a time zone, such as datetime(2027, 1, 1, tzinfo=UTC)"
            raise ValueError(message)
        return await self._add(round(when.timestamp() * 1000), args, kwargs)

    async def cancel(self, job_id: int) -> bool:
        """Cancel a job that has not ended, by its id; tells whether there was one."""
        context = current_context()
        is_system = system_reason() is not None
        return await context.write(lambda unit: cancel_job(unit, job_id), as_system=is_system)

    async def _add(self, due_at: int | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        context = current_context()
        definition = self.definition
        arguments = bind(definition, args, kwargs)
        return await context.write(
            lambda unit: add_job(unit, definition, arguments, due_at=due_at),
            as_system=system_reason() is not None,
        )

    @cached_property
    def definition(self) -> JobDefinition:
        """The definition, created on first use: annotations may name later classes.

        Raises TypeError for parameters that cannot be stored.
        """
        function, mark = self._function, self._mark
        name = f"{function.__module__}.{function.__qualname__}"
        return JobDefinition(
            name=name,
            function=function,
            arguments=arguments_of(name, function),
            retries=mark.retries,
            timeout=mark.timeout,
            queue=mark.queue,
            one_at_a_time=mark.one_at_a_time,
            file=function.__module__.replace(".", "/") + ".py",
            line=function.__code__.co_firstlineno,
        )


def job(
    *,
    retries: int = 5,
    timeout: float | None = None,
    queue: str = "default",
    one_at_a_time: str | None = None,
) -> Callable[[Callable[P, R]], Job[P, R]]:
    """Make a function one that can be enqueued, to run in the background.

    It has no principal until `as_system` or `as_principal`. A run that raises or takes longer than
    ``timeout`` seconds, by default `extensions.job_seconds` (300), is tried again, ``retries``
    times, after 1 s, 4 s, 16 s and so on, at most an hour; then it has failed. It may run
    twice if a server process fails meanwhile. ``queue`` is a name that the setting
    ``jobs.queues`` chooses by. Of jobs with the same text ``one_at_a_time``, such as ``"search"``
    or ``"customer {customer_id}"``, one runs at a time; names in braces are parameters.
    """
    mark = JobMark(retries=retries, timeout=timeout, queue=queue, one_at_a_time=one_at_a_time)
    return lambda function: Job(function, mark)
