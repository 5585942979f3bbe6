"""Publishes one document for an administrator, and unpublishes it."""

from collections.abc import Sequence

from quire.access.admin_actions import CREATE, PUBLISH, UPDATE
from quire.content_manager.entry_reads import find_version
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.entry_writes import NO_ENTITY, EntryWriter
from quire.content_manager.review.entry_stages import entry_review
from quire.content_manager.sanitize import entry_origin, forget_roles
from quire.content_manager.status_and_locale import RequestedVersion
from quire.content_manager.writable_fields import Body
from quire.content_manager.write_context import Result, WriteContext
from quire.database.program import Program
from quire.document_service.commands import DiscardDraft, PublishDocument, UnpublishDocument
from quire.document_service.service import run_command
from quire.errors import NotFoundError
from quire.schema.model import TypeKind

NO_DOCUMENT = "Document not found"


class PublishTrialError(Exception):
    """Rolls back a transaction in which a document was published on trial."""


class EntryPublisher(WriteContext, frozen=True):
    """Programs that publish, unpublish and discard."""

    @property
    def _writing(self) -> EntryWriter:
        return EntryWriter(self.unit, self.permissions, self.history)

    def publish(self, document_id: str, body: Body, locale: str | None) -> Program[Result]:
        """Publish the draft of a document in one locale, after the changes of a request body.

        Without permission to update it the body is ignored.
        """
        yield from self.require_locales([locale])
        versions = yield from self.versions(document_id)
        if not versions:
            raise NotFoundError(NO_DOCUMENT)
        self._require_drafts()
        draft = self.draft_of(versions, locale)
        if self._permissions_for(UPDATE).ability.allows(UPDATE, self._type.uid):
            # The result is no revision, because it is published next.
            command = yield from self._writing.change(document_id, body, locale)
            yield from run_command(self.unit, command)
        elif draft is None:
            raise NotFoundError(NO_DOCUMENT)
        self._permissions_for(PUBLISH).require_on(
            entry_origin(draft or {**versions[0], "locale": locale})
        )
        return (yield from self._publish(document_id, locale))

    def check(self, document_id: str, locale: str | None) -> Program[None]:
        """Publish on trial. Raises PublishTrialError, or what prevents publishing."""
        yield from self.publish(document_id, {}, locale)
        raise PublishTrialError

    def publish_new(
        self, body: Body, locale: str | None, document_id: str | None = None
    ) -> Program[Result]:
        """Create a document and publish it.

        One with ``document_id`` that exists was created by an earlier attempt, whose response was
        lost: it is published as it is.
        """
        self._permissions_for(CREATE).rules_for_new_entry(locale)
        self._permissions_for(PUBLISH).rules_for_new_entry(locale)
        if document_id is not None and (yield from self.versions(document_id)):
            return (yield from self._publish(document_id, locale))
        command = yield from self._writing.creation(body, locale, document_id)
        entries = yield from self.perform(command)
        return (yield from self._publish(entries[0].document_id, locale))

    def _publish(self, document_id: str, locale: str | None) -> Program[Result]:
        review = entry_review(self.unit.engine)
        yield from review.require_publishable(self._type.uid, [(document_id, locale)])
        command = PublishDocument(uid=self._type.uid, document_id=document_id, locale=locale)
        return (yield from self.show(command, full=True))

    def unpublish(self, document_id: str, locale: str | None, *, discard: bool) -> Program[Result]:
        """Unpublish a document in one locale; returns its former version.

        With ``discard`` the draft is replaced by it, as `discard` does. A single type that is not
        published there stays as it is, and its result has no version.
        """
        yield from self.require_locales([locale])
        versions = yield from self.versions(document_id)
        if versions:
            self._require_drafts()
        published = find_version(self._type, versions, RequestedVersion("published", locale))
        if published is None:
            if self._type.kind is TypeKind.SINGLE:
                return {"meta": {"availableLocales": [], "availableStatus": []}}
            raise NotFoundError(NO_ENTITY)
        self._permissions_for(PUBLISH).require_on(entry_origin(published))
        if discard:
            self._permissions_for(UPDATE).require_on(entry_origin(published))
            discarding = yield from self._discarding(document_id, versions, locale)
            yield from self.perform(discarding)
        reader = self._reading
        requested_version = RequestedVersion("published", locale, "published")
        entry = yield from reader.entry(self.permissions, published["id"], requested_version)
        forget_roles(entry)
        versions = yield from reader.every_version(self.permissions, document_id)
        command = UnpublishDocument(uid=self._type.uid, document_id=document_id, locale=locale)
        yield from run_command(self.unit, command)
        remaining_versions = yield from reader.every_version(self.permissions, document_id)
        localizations = yield from reader.full_localizations(
            self.permissions, None, remaining_versions
        )
        return reader.document(self.permissions, entry, versions, requested_version, localizations)

    def discard(self, document_id: str, locale: str | None) -> Program[Result]:
        """Replace the draft of a document by the published version, in one locale."""
        yield from self.require_locales([locale])
        versions = yield from self.versions(document_id)
        if versions:
            self._require_drafts()
        published = find_version(self._type, versions, RequestedVersion("published", locale))
        if published is None:
            raise NotFoundError
        self._permissions_for(UPDATE).require_on(entry_origin(published))
        command = yield from self._discarding(document_id, versions, locale)
        return (yield from self.show(command, full=True))

    def _discarding(
        self, document_id: str, versions: Sequence[EntryJson], locale: str | None
    ) -> Program[DiscardDraft]:
        """Return the command that discards a draft, which is stored in the history."""
        draft = self.draft_of(versions, locale)
        if draft is not None:
            yield from self.history.record_before(self._reading, self.permissions, draft)
        return DiscardDraft(uid=self._type.uid, document_id=document_id, locale=locale)
