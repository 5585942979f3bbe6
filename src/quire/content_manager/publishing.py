"""Publishing one document for an administrator, and taking back what is published of it."""

from quire.access.administration import CREATE, PUBLISH, UPDATE
from quire.content_manager.read_service import chosen_of
from quire.content_manager.requests import RequestedVersion
from quire.content_manager.review.entries import entry_review
from quire.content_manager.sanitize import entry_origin, forget_roles
from quire.content_manager.status import Shown
from quire.content_manager.writable_fields import Body
from quire.content_manager.write_context import Result, WriteContext
from quire.content_manager.write_service import NO_ENTITY, ContentWriting
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
    """The programs that lead from a draft to what is public, and back."""

    @property
    def _writing(self) -> ContentWriting:
        return ContentWriting(self.unit, self.rights, self.history)

    def publish(self, document_id: str, body: Body, locale: str | None) -> Program[Result]:
        """Publish the draft of a document in one locale, with what a body changes of it first.

        Without the right to change it the body counts for nothing.
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
        """Publish on trial, and undo it. Raises PublishableError, or what keeps it from that."""
        yield from self.publish(document_id, {}, locale)
        yield from self.unit.settle()
        raise PublishableError

    def publish_new(self, body: Body, locale: str | None) -> Program[Result]:
        """Make a document and publish it at once."""
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
        yield from self._kept(written)
        return (yield from self.shown(written, full=True))

    def unpublish(self, document_id: str, locale: str | None, *, discard: bool) -> Program[Result]:
        """Take what is published of a document away in one locale; returns what it was.

        With ``discard`` the draft becomes what was published before.
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
        """Make the draft of a document what is published, in one locale."""
        self._require_drafts()
        every = yield from self.versions(document_id)
        live = chosen_of(self._type, every, RequestedVersion("published", locale))
        if live is None:
            raise NotFoundError
        self._to(UPDATE).require_on(entry_origin(live))
        written = yield from self._discarded(document_id, locale, self.draft_of(every, locale))
        return (yield from self.shown(written, full=True))

    def _discarded(
        self, document_id: str, locale: str | None, draft: Shown | None
    ) -> Program[WrittenEntry]:
        if draft is not None:
            yield from self.history.before(self._reading, self.rights, draft)
        command = DiscardDraft(uid=self._type.uid, document_id=document_id, locale=locale)
        written = (yield from run_command(self.unit, command))[0]
        yield from self._kept(written)
        return written
