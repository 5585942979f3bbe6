"""The principal and the type of a write of the content manager.

A program checks permissions and writes in one transaction, so that the entry cannot change in
between.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import GrantRule
from quire.content_manager.entry_reads import EntryReader, draft_or_published
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.revisions import RevisionLog
from quire.content_manager.sanitize import entry_origin, forget_roles
from quire.content_manager.status_and_locale import EVERY_LOCALE, RequestedVersion
from quire.database.program import Program
from quire.document_service.commands import AllLocales, Command, DeleteDocument, WrittenEntry
from quire.document_service.locale_selection import has_unknown_locale
from quire.document_service.service import run_and_read, run_command, run_in_bulk
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError
from quire.schema.model import ContentType

UNKNOWN_LOCALE = "This locale doesn't exist"
NO_DRAFTS = "{} has no drafts: nothing of it can be published or taken back"

Result = dict[str, Any]


class _FormEntry(NamedTuple):
    """A written entry as it is shown, and which version of its document that is."""

    document_id: str
    entry: EntryJson
    requested_version: RequestedVersion
    localizations: list[EntryJson]


class WriteContext(Struct, frozen=True):
    """An administrator who writes entries of one content type.

    ``permissions`` are those to read the type, by which results are shown. Former states of entries
    are stored in ``history``.
    """

    unit: UnitOfWork
    permissions: TypePermissions
    history: RevisionLog

    @property
    def _type(self) -> ContentType:
        return self.permissions.content_type

    @property
    def _reading(self) -> EntryReader:
        return EntryReader(self.unit.engine)

    def _permissions_for(self, action: str) -> TypePermissions:
        return replace(self.permissions, action=action)

    def perform(self, command: Command) -> Program[list[WrittenEntry]]:
        """Run a command, and store the results in the history; returns the written entries."""
        return (yield from run_and_read(self.unit, command, self._record_revisions))

    def perform_in_bulk(
        self, commands: Sequence[Command]
    ) -> Program[list[list[WrittenEntry]] | None]:
        """Run commands with the same statements, and store the results in the history.

        Returns ``None``, with nothing written, where they have to be performed one by one.
        """

        def read(written: list[list[WrittenEntry]]) -> Program[list[list[WrittenEntry]]]:
            yield from self._record_revisions([entry for entries in written for entry in entries])
            return written

        return (yield from run_in_bulk(self.unit, commands, read))

    def show(self, command: Command, *, full: bool, was_created: bool = False) -> Program[Result]:
        """Run a command as `perform` does; returns the written entry for a form.

        An entry of a principal who may not read entries of the type is shown all the same. As in
        Strapi, fields that depend on a role of its creator are not shown until they are requested.
        """
        rules = self._creator_rules() if was_created else None

        def read(written_entries: list[WrittenEntry]) -> Program[_FormEntry]:
            yield from self._record_revisions(written_entries)
            first = written_entries[0]
            is_public = first.published and self._type.draft_and_publish
            requested_version = RequestedVersion(
                "published" if first.published else "draft",
                first.locale,
                "published" if is_public else "draft",
            )
            return (
                yield from self._read_for_form(
                    first.document_id, first.entry_id, requested_version, rules, full=full
                )
            )

        form_entry = yield from run_and_read(self.unit, command, read)
        return (yield from self._show(form_entry, rules))

    def show_created(self, entry: EntryJson) -> Program[Result]:
        """Return a draft that the caller has created earlier, as `show` returned it.

        Callers who may not read it are not shown its fields once it was changed.
        """
        rules, version = self._creator_rules(), RequestedVersion("draft", entry["locale"])
        form_entry = yield from self._read_for_form(
            entry["documentId"], entry["id"], version, rules, full=False
        )
        is_changed = form_entry.entry["updatedAt"] != form_entry.entry["createdAt"]
        if rules is not None and is_changed:
            rules = (GrantRule(fields=frozenset()),)
        return (yield from self._show(form_entry, rules))

    def _creator_rules(self) -> tuple[GrantRule, ...] | None:
        """Return the rules by which a created entry is shown, ``None`` for those that apply."""
        if self.permissions.ability.allows(self.permissions.action, self._type.uid):
            return None
        return (GrantRule(),)

    def _read_for_form(
        self,
        document_id: str,
        entry_id: int,
        requested_version: RequestedVersion,
        rules: tuple[GrantRule, ...] | None,
        *,
        full: bool,
    ) -> Program[_FormEntry]:
        reader, permissions = self._reading, self.permissions
        entry = yield from reader.entry(
            permissions, entry_id, requested_version, rules=rules, action=None
        )
        forget_roles(entry)
        versions = yield from reader.every_version(permissions, document_id)
        if full:
            localizations = yield from reader.full_localizations(permissions, entry, versions)
        else:
            localizations = reader.localized(permissions, entry, versions)
        return _FormEntry(document_id, entry, requested_version, localizations)

    def _show(self, form_entry: _FormEntry, rules: tuple[GrantRule, ...] | None) -> Program[Result]:
        reader, permissions = self._reading, self.permissions
        # Changes of other locales show in their summaries, not in the entry.
        current_versions = yield from reader.every_version(permissions, form_entry.document_id)
        return reader.document(
            permissions,
            form_entry.entry,
            current_versions,
            form_entry.requested_version,
            form_entry.localizations,
            rules,
        )

    def _record_revisions(self, written_entries: list[WrittenEntry]) -> Program[list[WrittenEntry]]:
        """Store the results of a change in the history; returns them."""
        ids_by_status: dict[bool, list[int]] = {}
        for entry in written_entries:
            is_public = entry.published and self._type.draft_and_publish
            ids_by_status.setdefault(is_public, []).append(entry.entry_id)
        for is_public, ids in ids_by_status.items():
            yield from self.history.record_after(
                self._reading, self.permissions, ids, self.unit.editor, published=is_public
            )
        return written_entries

    def removal(self, document_id: str, locale: str | None) -> DeleteDocument:
        """Return the command that deletes a document in one locale, or in every one for a star."""
        locales = AllLocales.LOCALE if locale == EVERY_LOCALE else locale
        return DeleteDocument(uid=self._type.uid, document_id=document_id, locale=locales)

    def remove(
        self, command: DeleteDocument, versions: Iterable[EntryJson], locale: str | None
    ) -> Program[None]:
        """Run a `removal`. ``versions`` are all of the document: its history goes with the last."""
        yield from run_command(self.unit, command)
        if command.document_id is not None and all(
            self._is_in(version, locale) for version in versions
        ):
            yield from self.history.forget(self._type, command.document_id)

    def versions(self, document_id: str) -> Program[list[EntryJson]]:
        """Return the facts of all versions of a document."""
        return (yield from self._reading.every_version(self.permissions, document_id))

    def read(self, version: EntryJson, requested_version: RequestedVersion) -> Program[EntryJson]:
        """Return a version with all that the caller may read of it, relations as rows.

        Raises ForbiddenError if that is nothing.
        """
        rules = self.permissions.require_on(entry_origin(version))
        entry = yield from self._reading.entry(
            self.permissions, version["id"], requested_version, None
        )
        return self._reading.sanitizer(self.permissions, requested_version).entry(entry, rules)

    def draft_of(self, versions: Sequence[EntryJson], locale: str | None) -> EntryJson | None:
        """Return the draft of a document in a locale, or its only version, if it exists."""
        return draft_or_published(self._type, versions, locale)

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
