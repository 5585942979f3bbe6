"""Writing content for administrators: each step under the rules that hold for the entry it changes.

A program here decides and writes in one transaction, so that nobody can change an entry between
the question whether it may be written and the writing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import Rule
from quire.access.administration import CREATE, DELETE, PUBLISH, UPDATE
from quire.content_manager.accounts import new_account
from quire.content_manager.content import ContentReading, chosen_of
from quire.content_manager.history import History
from quire.content_manager.known_locales import require_locales
from quire.content_manager.picking import Body, picked
from quire.content_manager.requests import EVERY_LOCALE, Wanted
from quire.content_manager.rights import Rights
from quire.content_manager.shaping import forget_roles, owned
from quire.content_manager.states import Shown, is_published
from quire.content_manager.withholding import overlaid, withheld
from quire.database.program import Program
from quire.documents.intents import (
    Clone,
    Create,
    Delete,
    DiscardDraft,
    Every,
    Publish,
    Unpublish,
    Update,
    Written,
)
from quire.documents.preconditions import ANY
from quire.documents.service import act_on
from quire.documents.unit import UnitOfWork
from quire.errors import (
    ApplicationError,
    NotFoundError,
    PreconditionFailedError,
)
from quire.schema.model import USER_UID, ContentType

NO_ENTITY = "Entity not found"
NO_DOCUMENT = "Document not found"
NO_DRAFTS = "{} has no drafts: nothing of it can be published or taken back"

Result = dict[str, Any]


class ContentWriting(Struct, frozen=True):
    """The programs that write entries of one content type for one administrator.

    ``rights`` are those to read the type, by which results are shown. What entries were like goes
    into their ``history``.
    """

    unit: UnitOfWork
    rights: Rights
    history: History

    @property
    def _type(self) -> ContentType:
        return self.rights.content_type

    @property
    def _reading(self) -> ContentReading:
        return ContentReading(self.unit.engine)

    def _to(self, action: str) -> Rights:
        return replace(self.rights, action=action)

    # One document ------------------------------------------------------------------------------

    def create(self, body: Body, locale: str | None) -> Program[Result]:
        """Make a document in one locale; returns it as a form shows it.

        Raises ForbiddenError where entries in this locale may not be made.
        """
        written = yield from self.created(body, locale)
        return (yield from self.shown(written, full=False, made=True))

    def created(self, body: Body, locale: str | None) -> Program[Written]:
        """Make a document in one locale."""
        yield from require_locales(self.unit.engine, self._type, [locale])
        rules = self._to(CREATE).in_locale(locale)
        data = picked(self.unit.engine.schema, self._type, body, rules)
        if self._type.uid == USER_UID:
            data = yield from new_account(self.unit.engine, data)
        intent = Create(uid=self._type.uid, data=data, locale=locale)
        written = (yield from act_on(self.unit, intent))[0]
        yield from self._kept(written)
        return written

    def update(
        self, document_id: str, body: Body, locale: str | None, expected: frozenset[str] | None
    ) -> Program[Result]:
        """Change the draft of a document in one locale, or add the locale to it.

        Raises NotFoundError for a document that is not there, and ForbiddenError for an entry that
        may not be changed.
        """
        written = yield from self.updated(document_id, body, locale, expected)
        return (yield from self.shown(written, full=True))

    def updated(
        self,
        document_id: str,
        body: Body,
        locale: str | None,
        expected: frozenset[str] | None = None,
        *,
        kept: bool = True,
    ) -> Program[Written]:
        """Change the draft of a document in one locale, or add the locale to it.

        What it becomes is a revision of its own, unless it is published next.
        """
        every = yield from self.versions(document_id)
        if not every:
            raise NotFoundError(NO_ENTITY)
        yield from require_locales(self.unit.engine, self._type, [locale])
        entry = self.draft_of(every, locale)
        # A locale that is added belongs to whoever made the document.
        of = owned(entry or {**every[0], "locale": locale})
        rules = self._to(UPDATE).require_on(of)
        _require_unchanged(entry, expected)
        data = picked(self.unit.engine.schema, self._type, body, rules)
        intent = Update(
            uid=self._type.uid,
            document_id=document_id,
            data=data,
            locale=locale,
            expected=expected,
        )
        if entry is not None:
            yield from self.history.before(self._reading, self.rights, entry)
        written = (yield from act_on(self.unit, intent))[0]
        if kept:
            yield from self._kept(written)
        return written

    def clone(self, document_id: str, body: Body, locale: str | None) -> Program[Result]:
        """Make a new document of the entry of another one in one locale.

        Whoever does so must be allowed to read that entry. What they may not read of it, or may not
        make, stays empty.
        """
        every = yield from self.versions(document_id)
        here = self.draft_of(every, locale)
        if here is None:
            raise NotFoundError
        read = self.rights.require_on(owned(here))
        rules = self._to(CREATE).in_locale(here["locale"])
        schema = self.unit.engine.schema
        blanks = withheld(schema, self._type, rules, read)
        data = overlaid(blanks, picked(schema, self._type, body, rules))
        intent = Clone(uid=self._type.uid, document_id=document_id, locale=locale, data=data)
        written = (yield from act_on(self.unit, intent))[0]
        yield from self._kept(written)
        return (yield from self.shown(written, full=False))

    def delete(self, document_id: str, locale: str | None) -> Program[None]:
        """Delete a document in one locale, or in every one for a star.

        Raises NotFoundError where nothing is there, and ForbiddenError where one of the versions
        may not be deleted.
        """
        every = yield from self.versions(document_id)
        chosen = [one for one in every if self._is_in(one, locale)]
        if not chosen:
            raise NotFoundError
        for one in chosen:
            self._to(DELETE).require_on(owned(one))
        where = Every.LOCALE if locale == EVERY_LOCALE else locale
        yield from act_on(
            self.unit, Delete(uid=self._type.uid, document_id=document_id, locale=where)
        )
        if len(chosen) == len(every):
            yield from self.history.forget(self._type, document_id)

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
            yield from self.updated(document_id, body, locale, kept=False)
            yield from self.unit.settle()
        elif draft is None:
            raise NotFoundError(NO_DOCUMENT)
        self._to(PUBLISH).require_on(owned(draft or {**every[0], "locale": locale}))
        return (yield from self._published(document_id, locale))

    def publish_new(self, body: Body, locale: str | None) -> Program[Result]:
        """Make a document and publish it at once."""
        self._to(CREATE).in_locale(locale)
        self._to(PUBLISH).in_locale(locale)
        written = yield from self.created(body, locale)
        yield from self.unit.settle()
        return (yield from self._published(written.document_id, locale))

    def _published(self, document_id: str, locale: str | None) -> Program[Result]:
        intent = Publish(uid=self._type.uid, document_id=document_id, locale=locale)
        written = (yield from act_on(self.unit, intent))[0]
        yield from self._kept(written)
        return (yield from self.shown(written, full=True))

    def unpublish(self, document_id: str, locale: str | None, *, discard: bool) -> Program[Result]:
        """Take what is published of a document away in one locale; returns what it was.

        With ``discard`` the draft becomes what was published before.
        """
        self._require_drafts()
        every = yield from self.versions(document_id)
        live = chosen_of(self._type, every, Wanted("published", locale))
        if live is None:
            raise NotFoundError(NO_ENTITY)
        self._to(PUBLISH).require_on(owned(live))
        if discard:
            yield from self._discarded(document_id, locale, self.draft_of(every, locale))
            yield from self.unit.settle()
        reader = self._reading
        wanted = Wanted("published", locale, "published")
        entry = yield from reader.entry(self.rights, live["id"], wanted)
        forget_roles(entry)
        every = yield from reader.every_version(self.rights, document_id)
        intent = Unpublish(uid=self._type.uid, document_id=document_id, locale=locale)
        yield from act_on(self.unit, intent)
        yield from self.unit.settle()
        left = yield from reader.every_version(self.rights, document_id)
        localizations = yield from reader.localized_in_full(self.rights, None, left)
        return reader.document(self.rights, entry, every, wanted, localizations)

    def discard(self, document_id: str, locale: str | None) -> Program[Result]:
        """Make the draft of a document what is published, in one locale."""
        self._require_drafts()
        every = yield from self.versions(document_id)
        live = chosen_of(self._type, every, Wanted("published", locale))
        if live is None:
            raise NotFoundError
        self._to(UPDATE).require_on(owned(live))
        written = yield from self._discarded(document_id, locale, self.draft_of(every, locale))
        return (yield from self.shown(written, full=True))

    def _discarded(
        self, document_id: str, locale: str | None, draft: Shown | None
    ) -> Program[Written]:
        if draft is not None:
            yield from self.history.before(self._reading, self.rights, draft)
        intent = DiscardDraft(uid=self._type.uid, document_id=document_id, locale=locale)
        written = (yield from act_on(self.unit, intent))[0]
        yield from self._kept(written)
        return written

    # Several documents -------------------------------------------------------------------------

    def publish_many(
        self, document_ids: Sequence[str], locales: Sequence[str | None]
    ) -> Program[int]:
        """Publish the drafts of documents in some locales; returns how many entries.

        All of them or none: raises ForbiddenError where one may not be published.
        """
        drafts = yield from self._many(document_ids, locales, PUBLISH, published=False)
        among = tuple(code for code in locales if code is not None)
        for document_id in dict.fromkeys(draft["documentId"] for draft in drafts):
            intent = Publish(uid=self._type.uid, document_id=document_id, locales=among)
            for written in (yield from act_on(self.unit, intent)):
                yield from self._kept(written)
            yield from self.unit.settle()
        return len(drafts)

    def unpublish_many(
        self, document_ids: Sequence[str], locales: Sequence[str | None]
    ) -> Program[int]:
        """Take what is published of documents away in some locales; returns a count.

        As in the format each entry counts for every entry of its document among them.
        """
        live = yield from self._many(document_ids, locales, PUBLISH, published=True)
        for one in live:
            intent = Unpublish(
                uid=self._type.uid, document_id=one["documentId"], locale=one["locale"]
            )
            yield from act_on(self.unit, intent)
            yield from self.unit.settle()
        entries = Counter(one["documentId"] for one in live)
        return sum(count * count for count in entries.values())

    def delete_many(
        self, document_ids: Sequence[str], locales: Sequence[str | None]
    ) -> Program[int]:
        """Delete documents in some locales; returns how many of them there were.

        Raises NotFoundError where there is none.
        """
        yield from require_locales(self.unit.engine, self._type, locales)
        found = yield from self._entries(document_ids)
        chosen = [one for one in found if any(self._is_in(one, locale) for locale in locales)]
        if not chosen:
            raise NotFoundError
        for one in chosen:
            self._to(DELETE).require_on(owned(one))
        ids = list(dict.fromkeys(one["documentId"] for one in chosen))
        for document_id in ids:
            for locale in locales:
                intent = Delete(uid=self._type.uid, document_id=document_id, locale=locale)
                yield from act_on(self.unit, intent)
                yield from self.unit.settle()
            if all(one in chosen for one in found if one["documentId"] == document_id):
                yield from self.history.forget(self._type, document_id)
        return len(ids)

    def _many(
        self,
        document_ids: Sequence[str],
        locales: Sequence[str | None],
        action: str,
        *,
        published: bool,
    ) -> Program[list[Shown]]:
        """Return the versions of documents in some locales that may all be acted on."""
        self._require_drafts()
        yield from require_locales(self.unit.engine, self._type, locales)
        found = yield from self._entries(document_ids)
        chosen = [
            one
            for one in found
            if is_published(one) is published and any(self._is_in(one, code) for code in locales)
        ]
        for one in chosen:
            self._to(action).require_on(owned(one))
        return chosen

    # Common ------------------------------------------------------------------------------------

    def shown(self, written: Written, *, full: bool, made: bool = False) -> Program[Result]:
        """Return an entry that was written as a form shows it.

        What somebody has made without the right to read such entries at all is shown to them. What
        they may read for a role that its creator has is not, as the format has it, until they ask.
        """
        reader = self._reading
        live = written.published
        wanted = Wanted(
            "published" if live else "draft",
            written.locale,
            "published" if live and self._type.draft_and_publish else "draft",
        )
        rights = self.rights
        rules: tuple[Rule, ...] | None = None
        if made and not rights.ability.allows(rights.action, self._type.uid):
            rules = (Rule(),)
        entry = yield from reader.entry(rights, written.entry_id, wanted, rules=rules)
        forget_roles(entry)
        every = yield from reader.every_version(rights, written.document_id)
        if full:
            localizations = yield from reader.localized_in_full(rights, entry, every)
        else:
            localizations = reader.localized(rights, entry, every)
        # What is written to other locales shows in what is told of them, not in the entry.
        yield from self.unit.settle()
        every = yield from reader.every_version(rights, written.document_id)
        return reader.document(rights, entry, every, wanted, localizations, rules)

    def _kept(self, written: Written) -> Program[None]:
        """Keep in the history what an entry has become."""
        live = written.published and self._type.draft_and_publish
        yield from self.history.after(
            self._reading, self.rights, written.entry_id, self.unit.editor, published=live
        )

    def versions(self, document_id: str) -> Program[list[Shown]]:
        """Return the facts of all versions of a document."""
        return (yield from self._reading.every_version(self.rights, document_id))

    def read(self, version: Shown, wanted: Wanted) -> Program[Shown]:
        """Return a version with all that the caller may read of it, relations as rows.

        Raises ForbiddenError where that is nothing.
        """
        rules = self.rights.require_on(owned(version))
        entry = yield from self._reading.entry(self.rights, version["id"], wanted, None)
        return self._reading.shaping(self.rights, wanted).entry(entry, rules)

    def _entries(self, document_ids: Sequence[str]) -> Program[list[Shown]]:
        return (yield from self._reading.owned_versions(self.rights, document_ids))

    def draft_of(self, every: Sequence[Shown], locale: str | None) -> Shown | None:
        """Return the version of a document that is worked on in a locale, if it is there."""
        return chosen_of(self._type, [*every], Wanted("draft", locale)) or chosen_of(
            self._type, [*every], Wanted("published", locale)
        )

    def _is_in(self, version: Mapping[str, object], locale: str | None) -> bool:
        if not self._type.localized or locale == EVERY_LOCALE:
            return True
        return version["locale"] == locale

    def _require_drafts(self) -> None:
        if not self._type.draft_and_publish:
            raise ApplicationError(NO_DRAFTS.format(self._type.uid))


def _require_unchanged(entry: Shown | None, expected: frozenset[str] | None) -> None:
    """Refuse to write over what somebody else has changed meanwhile, and say who it was."""
    if expected is None or entry is None or ANY in expected or entry["updatedAt"] in expected:
        return
    by = entry.get("updatedBy")
    told = ("id", "firstname", "lastname", "email")
    person = {name: by.get(name) for name in told} if isinstance(by, dict) else None
    details = {"updatedAt": entry["updatedAt"], "updatedBy": person}
    raise PreconditionFailedError(details=details)
