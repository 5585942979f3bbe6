"""Publishes one document for an administrator, and unpublishes it."""

from quire.access.administration import CREATE, PUBLISH, UPDATE
from quire.content_manager.entry_reads import chosen_of
from quire.content_manager.entry_writes import NO_ENTITY, ContentWriting
from quire.content_manager.requests import RequestedVersion
from quire.content_manager.review.entries import entry_review
from quire.content_manager.sanitize import entry_origin, forget_roles
from quire.content_manager.status import Shown
from quire.content_manager.writable_fields import Body
from quire.content_manager.write_context import Result, WriteContext
from quire.database.program import Program
from quire.document_service.commands import (
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
    WrittenEntry,
)
from quire.document_service.service import run_command
from quire.errors import NotFoundError

NO_DOCUMENT = "Document not found"


class PublishableError(Exception):
    """Ends a transaction in which a document was published on trial."""


class ContentPublishing(WriteContext, frozen=True):
    """Programs that publish, unpublish and discard."""

    @property
    def _writing(self) -> ContentWriting:
        return ContentWriting(self.unit, self.rights, self.history)

    def publish(self, document_id: str, body: Body, locale: str | None) -> Program[Result]:
        """Publish the draft of a document in one locale, after the changes of a request body.

        Without permission to update it the body is ignored.
        """
        self._require_drafts()
        every = yield from self.versions(document_id)
        if not every:
            raise NotFoundError(NO_DOCUMENT)
        draft = self.draft_of(every, locale)
        if self._to(UPDATE).ability.allows(UPDATE, self._type.uid):
            yield from self._writing.updated(document_id, body, locale, kept=False)
            yield from self.unit.settle()
        elif draft is None:
            raise NotFoundError(NO_DOCUMENT)
        self._to(PUBLISH).require_on(entry_origin(draft or {**every[0], "locale": locale}))
        return (yield from self._published(document_id, locale))

    def check(self, document_id: str, locale: str | None) -> Program[None]:
        """Publish on trial, and roll back. Raises PublishableError, or what prevents publishing."""
        yield from self.publish(document_id, {}, locale)
        yield from self.unit.settle()
        raise PublishableError

    def publish_new(self, body: Body, locale: str | None) -> Program[Result]:
        """Create a document and publish it."""
        self._to(CREATE).in_locale(locale)
        self._to(PUBLISH).in_locale(locale)
        written = yield from self._writing.created(body, locale)
        yield from self.unit.settle()
        return (yield from self._published(written.document_id, locale))

    def _published(self, document_id: str, locale: str | None) -> Program[Result]:
        review = entry_review(self.unit.engine)
        yield from review.require_publishable(self._type.uid, document_id, locale)
        command = PublishDocument(uid=self._type.uid, document_id=document_id, locale=locale)
        written = (yield from run_command(self.unit, command))[0]
        yield from self._record_revision(written)
        return (yield from self.serialize(written, full=True))

    def unpublish(self, document_id: str, locale: str | None, *, discard: bool) -> Program[Result]:
        """Unpublish a document in one locale; returns its former version.

        With ``discard`` the draft is replaced by it.
        """
        self._require_drafts()
        every = yield from self.versions(document_id)
        live = chosen_of(self._type, every, RequestedVersion("published", locale))
        if live is None:
            raise NotFoundError(NO_ENTITY)
        self._to(PUBLISH).require_on(entry_origin(live))
        if discard:
            yield from self._discarded(document_id, locale, self.draft_of(every, locale))
            yield from self.unit.settle()
        reader = self._reading
        wanted = RequestedVersion("published", locale, "published")
        entry = yield from reader.entry(self.rights, live["id"], wanted)
        forget_roles(entry)
        every = yield from reader.every_version(self.rights, document_id)
        command = UnpublishDocument(uid=self._type.uid, document_id=document_id, locale=locale)
        yield from run_command(self.unit, command)
        yield from self.unit.settle()
        left = yield from reader.every_version(self.rights, document_id)
        localizations = yield from reader.localized_in_full(self.rights, None, left)
        return reader.document(self.rights, entry, every, wanted, localizations)

    def discard(self, document_id: str, locale: str | None) -> Program[Result]:
        """Replace the draft of a document by the published version, in one locale."""
        self._require_drafts()
        every = yield from self.versions(document_id)
        live = chosen_of(self._type, every, RequestedVersion("published", locale))
        if live is None:
            raise NotFoundError
        self._to(UPDATE).require_on(entry_origin(live))
        written = yield from self._discarded(document_id, locale, self.draft_of(every, locale))
        return (yield from self.serialize(written, full=True))

    def _discarded(
        self, document_id: str, locale: str | None, draft: Shown | None
    ) -> Program[WrittenEntry]:
        if draft is not None:
            yield from self.history.before(self._reading, self.rights, draft)
        command = DiscardDraft(uid=self._type.uid, document_id=document_id, locale=locale)
        written = (yield from run_command(self.unit, command))[0]
        yield from self._record_revision(written)
        return written
