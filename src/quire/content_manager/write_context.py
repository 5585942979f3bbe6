"""The principal and the type of a write of the content manager.

A program checks permissions and writes in one transaction, so that the entry cannot change in
between.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import GrantRule
from quire.content_manager.entry_reads import ContentReading, chosen_of
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.requests import EVERY_LOCALE, RequestedVersion
from quire.content_manager.revisions import RevisionLog
from quire.content_manager.sanitize import entry_origin, forget_roles
from quire.content_manager.status import Shown
from quire.database.program import Program
from quire.document_service.commands import WrittenEntry
from quire.document_service.known_locales import has_unknown_locale
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError
from quire.schema.model import ContentType

UNKNOWN_LOCALE = "This locale doesn't exist"
NO_DRAFTS = "{} has no drafts: nothing of it can be published or taken back"

Result = dict[str, Any]


class WriteContext(Struct, frozen=True):
    """An administrator who writes entries of one content type.

    ``rights`` are the permissions to read the type, by which results are shown. Former states of
    entries are stored in ``history``.
    """

    unit: UnitOfWork
    rights: TypePermissions
    history: RevisionLog

    @property
    def _type(self) -> ContentType:
        return self.rights.content_type

    @property
    def _reading(self) -> ContentReading:
        return ContentReading(self.unit.engine)

    def _to(self, action: str) -> TypePermissions:
        return replace(self.rights, action=action)

    def serialize(
        self, written: WrittenEntry, *, full: bool, made: bool = False
    ) -> Program[Result]:
        """Return a written entry for a form.

        An entry of a principal who may not read entries of the type is shown all the same. As in
        Strapi, fields that depend on a role of its creator are not shown until they are requested.
        """
        reader = self._reading
        live = written.published
        wanted = RequestedVersion(
            "published" if live else "draft",
            written.locale,
            "published" if live and self._type.draft_and_publish else "draft",
        )
        rights = self.rights
        rules: tuple[GrantRule, ...] | None = None
        if made and not rights.ability.allows(rights.action, self._type.uid):
            rules = (GrantRule(),)
        entry = yield from reader.entry(rights, written.entry_id, wanted, rules=rules, action=None)
        forget_roles(entry)
        every = yield from reader.every_version(rights, written.document_id)
        if full:
            localizations = yield from reader.localized_in_full(rights, entry, every)
        else:
            localizations = reader.localized(rights, entry, every)
        # Changes of other locales show in their summaries, not in the entry.
        yield from self.unit.settle()
        every = yield from reader.every_version(rights, written.document_id)
        return reader.document(rights, entry, every, wanted, localizations, rules)

    def _record_revision(self, written: WrittenEntry) -> Program[None]:
        """Store the result of a change in the history."""
        live = written.published and self._type.draft_and_publish
        yield from self.history.after(
            self._reading, self.rights, written.entry_id, self.unit.editor, published=live
        )

    def versions(self, document_id: str) -> Program[list[Shown]]:
        """Return the facts of all versions of a document."""
        return (yield from self._reading.every_version(self.rights, document_id))

    def read(self, version: Shown, wanted: RequestedVersion) -> Program[Shown]:
        """Return a version with all that the caller may read of it, relations as rows.

        Raises ForbiddenError if that is nothing.
        """
        rules = self.rights.require_on(entry_origin(version))
        entry = yield from self._reading.entry(self.rights, version["id"], wanted, None)
        return self._reading.shaping(self.rights, wanted).entry(entry, rules)

    def draft_of(self, every: Sequence[Shown], locale: str | None) -> Shown | None:
        """Return the draft of a document in a locale, or its only version, if it exists."""
        return chosen_of(self._type, [*every], RequestedVersion("draft", locale)) or chosen_of(
            self._type, [*every], RequestedVersion("published", locale)
        )

    def _is_in(self, version: Mapping[str, object], locale: str | None) -> bool:
        if not self._type.localized or locale == EVERY_LOCALE:
            return True
        return version["locale"] == locale

    def require_locales(self, locales: Iterable[str | None]) -> Program[None]:
        """Check that locales are those of the project. Raises ApplicationError."""
        layout = self.unit.layout(self._type.uid)
        if (yield from has_unknown_locale(self.unit, layout, locales)):
            raise ApplicationError(UNKNOWN_LOCALE)

    def _require_drafts(self) -> None:
        if not self._type.draft_and_publish:
            raise ApplicationError(NO_DRAFTS.format(self._type.uid))
