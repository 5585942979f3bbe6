"""The jobs of scheduled actions, which run with the permissions of the administrator."""

from collections.abc import Callable
from typing import TypeVar

import orjson
import structlog
from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.admin_api.quire_routes.release_services import ReleaseParts
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.user_rows import AdminUserRows
from quire.content_manager.releases.publication import (
    ReleaseFailedError,
    ReleasePublication,
    published_moment,
)
from quire.content_manager.releases.schedule import (
    ENTRY_JOB,
    RELEASE_JOB,
    EntryArguments,
    ReleaseArguments,
)
from quire.content_manager.releases.store import EntryKey, ItemAction, Release, item_of_entry
from quire.database.program import Program
from quire.database.stores.audit_log import AuditLog, AuditRow
from quire.database.stores.release_snapshots import RELEASE_SNAPSHOTS
from quire.document_service.read_planner import DocumentQuery
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    ValidationError,
)
from quire.hooks.jobs import JobDefinition

_log = structlog.get_logger("quire.schedule")

_REFUSALS = (ConflictError, ForbiddenError, NotFoundError, ValidationError)
_NO_EDITOR = "The administrator who scheduled this may not sign in any more"
_ORIGIN = "schedule"
_OK = 200
_MAX_LISTED_ERRORS = 5

T = TypeVar("T")


class ScheduledJobs(Struct, frozen=True, kw_only=True):
    """Defines the jobs. They are idempotent: they check first whether they are done."""

    parts: ReleaseParts
    admin_users: AdminUserRows
    authenticator: AdminAuthenticator
    audit: AuditLog

    @property
    def entry(self) -> JobDefinition:
        """The job that publishes or unpublishes one entry."""
        return JobDefinition(
            name=ENTRY_JOB,
            function=self._publish_entry,
            arguments=EntryArguments,
            final_errors=_REFUSALS,
        )

    @property
    def release(self) -> JobDefinition:
        """The job that publishes a release."""
        return JobDefinition(
            name=RELEASE_JOB,
            function=self._publish_release,
            arguments=ReleaseArguments,
            final_errors=_REFUSALS,
        )

    async def _publish_entry(
        self,
        *,
        uid: str,
        document_id: str,
        locale: str | None,
        action: ItemAction,
        at: int,
        editor: int,
        timezone: str | None,  # noqa: ARG002 - for those who look at the schedule
    ) -> None:
        """Publish or unpublish an entry, unless it was deleted since.

        The parameters are the fields of EntryArguments, by whose names they are stored.

        Raises ConflictError with the reason if that is impossible.
        """
        arguments = EntryArguments(
            uid=uid, document_id=document_id, locale=locale, action=action, at=at, editor=editor
        )
        if not await self._exists(arguments.entry):
            _log.info("a scheduled entry was deleted", uid=uid, document=document_id, locale=locale)
            return
        history = await self.parts.history.ready()

        def act(unit: UnitOfWork, ability: AdminAbility) -> Program[None]:
            publication = ReleasePublication(unit, ability, history)
            versions = yield from publication.versions([arguments.entry])
            published_at = published_moment(publication.live_version(versions, arguments.entry))
            if action == "publish" and published_at is not None and published_at >= at:
                return  # an earlier run was lost after its commit
            item = item_of_entry(0, action, arguments.entry)
            yield from publication.apply(0, [item])

        await self._run(editor, f"{action} {uid}", f"{uid}/{document_id}", {"locale": locale}, act)

    async def _exists(self, entry: EntryKey) -> bool:
        if entry.uid not in self.parts.documents.schema.content_types:
            return False
        draft = DocumentQuery(
            uid=entry.uid, fields=["documentId"], status="draft", locale=entry.locale
        )
        return await self.parts.documents.find_one(draft, entry.document_id) is not None

    async def _publish_release(self, *, release: int, at: int, editor: int) -> None:
        """Publish a release, unless it was published or scheduled for another time since."""
        history = await self.parts.history.ready()
        await self.parts.tables.ensure(RELEASE_SNAPSHOTS)
        stored_release = await self.parts.database.read(lambda: self.parts.releases.get(release))
        if stored_release.is_done or stored_release.scheduled_at != at:
            return

        def act(unit: UnitOfWork, ability: AdminAbility) -> Program[None]:
            yield from self.parts.publish(unit, ability, history, release)

        try:
            await self._run(
                editor, "publish release", str(release), {"name": stored_release.name}, act
            )
        except _REFUSALS:
            await self.parts.database.write(self._mark_failed(stored_release))
            raise

    def _mark_failed(self, release: Release) -> Program[None]:
        releases, now = self.parts.releases, self.parts.clock()
        yield from releases.schedule(release, None, None, now)
        yield from releases.set_status(release, "failed")

    async def _run(
        self,
        editor: int,
        action: str,
        target: str,
        details: dict[str, object],
        act: Callable[[UnitOfWork, AdminAbility], Program[T]],
    ) -> None:
        """Run it in one transaction with its audit row, or record that it was rejected."""
        await self.audit.ready()
        email = ""

        def row(status: int, **extra: object) -> AuditRow:
            return AuditRow(
                at=self.parts.clock(),
                actor_id=editor,
                actor=email,
                action=f"schedule: {action}",
                target=target,
                details=orjson.dumps({**details, **extra}).decode(),
                status=status,
                place="",
            )

        def program(unit: UnitOfWork) -> Program[None]:
            nonlocal email
            admin_user = yield from self.admin_users.admin_user(editor)
            if admin_user is None or not admin_user.may_sign_in:
                raise ForbiddenError(_NO_EDITOR)
            email = admin_user.email
            ability = yield from self.authenticator.ability_of(admin_user)
            yield from act(unit, ability.narrowed(unit.rules))
            yield from self.audit.insert(row(_OK))

        try:
            await self.parts.documents.run(program, editor=editor, origin=_ORIGIN)
        except _REFUSALS as error:
            message = error.message
            if isinstance(error, ReleaseFailedError):
                # Only the message of the job is stored, not the problems.
                problems = error.problems[:_MAX_LISTED_ERRORS]
                message = "; ".join(dict.fromkeys(problem.message for problem in problems))
            await self.audit.add(row(error.status, message=message))
            raise ConflictError(message) from error
