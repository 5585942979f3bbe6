"""Schedules publishing and unpublishing: jobs that are found by the keys of entries."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from quire.content_manager.releases.store import EntryKey, ItemAction
from quire.database.program import Program
from quire.database.stores.jobs import FAILED, JOBS, RUNNING, WAITING, StoredJob
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine
from quire.hooks.jobs import JobDefinition
from quire.jobs.job import add_job, cancel_jobs

ENTRY_JOB, RELEASE_JOB = "quire.publish-entry", "quire.publish-release"
ACTIONS: tuple[ItemAction, ...] = ("publish", "unpublish")
_OPEN = frozenset({WAITING, RUNNING})


class EntryArguments(Struct, frozen=True, kw_only=True):
    """The arguments of the job of one entry; ``at`` is its planned time (epoch ms).

    It runs with the permissions that the administrator ``editor`` has at that time.
    """

    uid: str
    document_id: str
    locale: str | None
    action: ItemAction
    at: int
    editor: int
    timezone: str | None = None

    @property
    def entry(self) -> EntryKey:
        """The entry of the job."""
        return EntryKey(uid=self.uid, document_id=self.document_id, locale=self.locale)


class ReleaseArguments(Struct, frozen=True, kw_only=True):
    """The arguments of the job of a release, as in `EntryArguments`."""

    release: int
    at: int
    editor: int


class ScheduledAction(Struct, frozen=True, kw_only=True):
    """A planned action on an entry, or a failed one: then ``error`` says why."""

    action: ItemAction
    at: int
    timezone: str | None
    editor: int
    error: str | None = None


class PublicationSchedule(Struct, frozen=True):
    """Programs that schedule, by the definitions of the jobs."""

    engine: WriteEngine

    def entry_actions(self, entry: EntryKey) -> Program[list[ScheduledAction]]:
        """Return the planned actions of an entry, and the last failed ones."""
        actions: list[ScheduledAction] = []
        if not (yield from self._has_table()) or self.engine.jobs is None:
            return actions
        rows = self.engine.jobs.rows
        for action in ACTIONS:
            job = yield from rows.latest(ENTRY_JOB, _key(entry, action))
            if job is not None and (job.state in _OPEN or job.state == FAILED):
                actions.append(_describe_job(job))
        return actions

    def pending(self, limit: int) -> Program[list[StoredJob]]:
        """Return the jobs of entries and releases that have not ended, by their time."""
        if not (yield from self._has_table()) or self.engine.jobs is None:
            return []
        return (yield from self.engine.jobs.rows.pending((ENTRY_JOB, RELEASE_JOB), limit))

    def set_entry(
        self,
        unit: UnitOfWork,
        job: JobDefinition,
        entry: EntryKey,
        actions: Sequence[EntryArguments],
    ) -> Program[None]:
        """Replace the planned actions of an entry."""
        for action in ACTIONS:
            yield from cancel_jobs(unit, ENTRY_JOB, _key(entry, action))
        for arguments in actions:
            key = _key(entry, arguments.action)
            yield from add_job(unit, job, arguments, due_at=arguments.at, key=key)

    def set_release(
        self, unit: UnitOfWork, job: JobDefinition, arguments: ReleaseArguments
    ) -> Program[None]:
        """Replace the time at which a release is published."""
        yield from self.cancel_release(unit, arguments.release)
        yield from add_job(unit, job, arguments, due_at=arguments.at, key=str(arguments.release))

    def cancel_release(self, unit: UnitOfWork, release_id: int) -> Program[None]:
        """Remove the time of a release: it is then published by hand only."""
        if self.engine.jobs is not None:
            yield from cancel_jobs(unit, RELEASE_JOB, str(release_id))

    def _has_table(self) -> Program[bool]:
        if self.engine.jobs is None:
            return False
        return (yield from self.engine.jobs.tables.exists(JOBS))


def entry_arguments(job: StoredJob) -> EntryArguments:
    """Return the arguments of a stored job of an entry."""
    return msgspec.json.decode(job.arguments, type=EntryArguments)


def release_arguments(job: StoredJob) -> ReleaseArguments:
    """Return the arguments of a stored job of a release."""
    return msgspec.json.decode(job.arguments, type=ReleaseArguments)


def _key(entry: EntryKey, action: ItemAction) -> str:
    return f"{action} {entry.document_id} {entry.locale or ''} {entry.uid}"


def _describe_job(job: StoredJob) -> ScheduledAction:
    arguments = entry_arguments(job)
    return ScheduledAction(
        action=arguments.action,
        at=arguments.at,
        timezone=arguments.timezone,
        editor=arguments.editor,
        error=(job.message or "") if job.state == FAILED else None,
    )
