"""Update: change one locale of a document, or add a locale to it."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from quire.database.entries.copy_version import VersionReplacement, link_to_itself, replace_version
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow, entries_of, first_document_id
from quire.database.program import Program, Value
from quire.document_service.actions.create import create
from quire.document_service.actions.publish import entries_after_hooks, publish_draft
from quire.document_service.commands import (
    CreateDocument,
    UpdateDocument,
    WrittenEntry,
    written_entry,
)
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.entry_values import EntryValues
from quire.document_service.locale_selection import entry_locale, in_locale
from quire.document_service.parse_input import parse_data, refuse_unknown_targets
from quire.document_service.preconditions import require_unchanged
from quire.document_service.relation_targets import WrittenVersion
from quire.document_service.shared_attributes import (
    copy_shared_values,
    locale_template,
    shared_columns,
    shared_values_before,
    sync_locales_later,
    write_to_locales_later,
)
from quire.document_service.system_columns import signature, stamp
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.write_entry import EntryUpdate, insert_entry, update_entry
from quire.document_service.write_hook_calls import hooked_write, may_have_changed
from quire.errors import NotFoundError
from quire.schema.model import ContentType
from quire.webhooks.events import EventName


def update(unit: UnitOfWork, command: UpdateDocument) -> Program[WrittenEntry]:
    """Update a document; returns the published entry if it is published, or its draft.

    Raises NotFoundError for a document without entries, PreconditionFailedError for one that is not
    as the caller expects, and ValidationError for invalid data and for an unknown locale.
    """
    document_id = command.document_id
    if document_id is None:
        document_id = yield from first_document_id(unit.store, unit.layout(command.uid))
    if document_id is None:
        return (yield from _create_single(unit, command))
    locale = yield from entry_locale(unit, unit.layout(command.uid), command.locale)
    return (yield from _DocumentUpdate(unit, command, document_id, locale).run())


def entry_to_update(content_type: ContentType, entries: Sequence[EntryRow]) -> EntryRow | None:
    """Return the one of the entries in a locale that is written: the draft, if there are drafts."""
    if not content_type.draft_and_publish:
        return entries[0] if entries else None
    return next((entry for entry in entries if not entry.published), None)


def update_columns(unit: UnitOfWork, layout: EntryLayout, now: int) -> dict[str, Value]:
    """Return the columns that the server sets when an entry is updated."""
    columns = stamp(unit, layout, updatedAt=now)
    if not layout.is_versioned():
        columns |= stamp(unit, layout, publishedAt=now)
    return columns | signature(unit, layout, creating=False)


def _create_single(unit: UnitOfWork, command: UpdateDocument) -> Program[WrittenEntry]:
    """Create the document of a single type."""
    require_unchanged(None, command.expected)
    create_command = CreateDocument(
        uid=command.uid, data=command.data, locale=command.locale, publish=command.publish
    )
    return (yield from create(unit, create_command))


class _DocumentUpdate:
    """The state of one update, which is changed by its steps: data, document and locale."""

    def __init__(
        self, unit: UnitOfWork, command: UpdateDocument, document_id: str, locale: str | None
    ) -> None:
        self._unit = unit
        self._command = command
        self._data = command.data
        self._document_id = document_id
        self._layout: EntryLayout = unit.layout(command.uid)
        self._type = content_type_of(self._layout)
        self._locale = locale

    def run(self) -> Program[WrittenEntry]:
        entries = yield from self._entries()
        if not entries:
            # Missing relation targets are reported before an empty change.
            yield from refuse_unknown_targets(
                self._unit, self._layout, self._command.data, self._version()
            )
            raise NotFoundError
        entries_in_locale = in_locale(self._unit, self._layout, entries, self._locale)
        entry = entry_to_update(self._type, entries_in_locale)
        require_unchanged(entry, self._command.expected)
        if entry is None and entries_in_locale:
            entry = yield from self._create_draft(entries_in_locale[0], entries)
            entries = yield from self._entries()
        hooked = hooked_write(
            self._unit,
            self._layout,
            "update",
            document_id=self._document_id,
            locale=self._locale,
            data=self._data,
            source=entry,
            entries=entries,
        )
        if hooked is not None:
            self._data = yield from hooked.call_before()
        if hooked is not None and may_have_changed(self._unit, entries):
            # Hooks may have written other versions of the document, or deleted it.
            entries = yield from self._entries()
            if not entries:
                raise NotFoundError
        shared_values = yield from shared_values_before(
            self._unit, self._layout, entries, self._locale
        )
        is_new_locale = entry is None
        if entry is None:
            entry, changed_names = yield from self._add_locale(entries)
        else:
            entry, changed_names = yield from self._update_entry(entry, entries)
        entries = [*(other for other in entries if other.id != entry.id), entry]
        if hooked is not None:
            yield from hooked.call_after(published=entry.published)
            entry, entries = yield from entries_after_hooks(
                self._unit, self._layout, entry, entries
            )
        if self._type.draft_and_publish and self._command.publish:
            write_to_locales_later(self._unit, self._layout, entry, entries, changed_names)
            return (
                yield from publish_draft(self._unit, self._layout, entry, entries, shared_values)
            )
        sync_locales_later(self._unit, self._layout, entry, shared_values, copied=is_new_locale)
        return written_entry(self._command.uid, entry)

    def _entries(self) -> Program[list[EntryRow]]:
        return (yield from entries_of(self._unit.store, self._layout, self._document_id))

    def _create_draft(
        self, published_entry: EntryRow, entries: Sequence[EntryRow]
    ) -> Program[EntryRow]:
        """Create the draft of an entry that is published without one.

        Neither Strapi nor Quire writes such documents; other programs and former versions may have.
        """
        unit, layout = self._unit, self._layout
        replacement = VersionReplacement(
            source=published_entry.id,
            replaced_id=None,
            published=False,
            siblings=frozenset(entry.id for entry in entries),
        )
        columns = stamp(unit, layout, publishedAt=None)
        copy = yield from replace_version(unit.store, layout, replacement, columns)
        yield from link_to_itself(unit.store, copy)
        return replace(published_entry, id=copy.id, published=False)

    def _version(self) -> WrittenVersion:
        return WrittenVersion(content_type=self._type, published=False, locale=self._locale)

    def _update_entry(
        self, entry: EntryRow, entries: Sequence[EntryRow]
    ) -> Program[tuple[EntryRow, frozenset[str]]]:
        """Update the entry; returns it with the attributes that were given."""
        unit, layout = self._unit, self._layout
        versioned = self._type.draft_and_publish
        values, resolution = yield from parse_data(
            unit,
            layout,
            self._data,
            self._version(),
            draft=versioned,
            creating=False,
            document_id=entry.document_id,
        )
        now = unit.tick()
        entry_update = EntryUpdate(
            row_id=entry.id,
            values=values,
            columns=update_columns(unit, layout, now),
            siblings=[other.id for other in entries if other.id != entry.id],
        )
        yield from update_entry(unit, layout, entry_update, resolution)
        updated_entry = replace(entry, updated_at=now)
        yield from self._emit(EventName.UPDATE, updated_entry, values)
        return updated_entry, attribute_names(values)

    def _add_locale(self, entries: Sequence[EntryRow]) -> Program[tuple[EntryRow, frozenset[str]]]:
        """Add a locale to the document; it starts with the values that all locales share.

        Returns its entry with the attributes that were given.
        """
        unit, layout = self._unit, self._layout
        versioned = self._type.draft_and_publish
        source = locale_template(unit, entries)
        data_by_name = self._data if isinstance(self._data, Mapping) else {}
        copied_names = frozenset(name for name in layout.shared if data_by_name.get(name) is None)
        values, resolution = yield from parse_data(
            unit,
            layout,
            self._data,
            self._version(),
            draft=versioned,
            creating=True,
            document_id=self._document_id,
            copied=copied_names,
        )
        now = unit.tick()
        columns = stamp(
            unit,
            layout,
            documentId=self._document_id,
            createdAt=now,
            updatedAt=now,
            publishedAt=None if versioned else now,
            locale=self._locale,
        )
        columns |= signature(unit, layout, creating=True)
        if source is not None:
            columns |= yield from shared_columns(unit, layout, source.id, copied_names)
        siblings = [entry.id for entry in entries]
        row_id = yield from insert_entry(unit, layout, values, columns, resolution, siblings)
        entry = EntryRow(row_id, self._document_id, self._locale, now, not versioned)
        if source is not None:
            yield from copy_shared_values(unit, layout, source, entry, copied_names)
        yield from self._emit(EventName.CREATE, entry, values)
        return entry, attribute_names(values)

    def _emit(self, name: EventName, entry: EntryRow, values: EntryValues) -> Program[None]:
        fields = tuple(sorted(attribute_names(values)))
        yield from self._unit.record_event(name, written_entry(self._command.uid, entry), fields)


def attribute_names(values: EntryValues) -> frozenset[str]:
    """Return the attributes that were given."""
    return frozenset((*values.scalars, *values.relations, *values.components))
