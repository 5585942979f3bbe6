"""Update of several documents of a type, with the same statements for all of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.links_among import independent_groups
from quire.database.entries.versions_query import EntryRow, entries_of_documents
from quire.database.program import Program
from quire.document_service.actions.publish import (
    DRAFTS_AT_ONCE,
    NotInBulkError,
    linked_documents,
    present_entry,
    publish_drafts,
)
from quire.document_service.actions.update import attribute_names, entry_to_update, update_columns
from quire.document_service.commands import Data, UpdateDocument, WrittenEntry, written_entry
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.entry_values import EntryValues
from quire.document_service.locale_selection import entry_locale, in_locale
from quire.document_service.parse_input import parse_all_data
from quire.document_service.preconditions import require_unchanged
from quire.document_service.relation_targets import (
    ResolvedTargets,
    WrittenVersion,
    linked_rows,
)
from quire.document_service.shared_attributes import (
    SharedValues,
    shared_values_before,
    sync_locales_later,
)
from quire.document_service.unit_of_work import ChangedEntry, UnitOfWork
from quire.document_service.write_batches import run_interleaved
from quire.document_service.write_entry import EntryUpdate, update_entries
from quire.document_service.write_hook_calls import HookedWrite, hooked_write
from quire.webhooks.events import EventName


def update_documents(
    unit: UnitOfWork, commands: Sequence[UpdateDocument]
) -> Program[list[list[WrittenEntry]]]:
    """Update existing entries of different documents of a type; returns what `update` does.

    The result is that of `update` for each of them in turn, but each step is one statement for up
    to `DRAFTS_AT_ONCE` of them. Entries that are linked to each other, before the change or after
    it, are changed in turn. Raises NotInBulkError where `update` does more than change one entry,
    and for invalid data, whose errors only `update` knows.
    """
    return (yield from _BulkUpdate(unit, commands).run())


class _BulkUpdate:
    """The updates of one entry each of different documents, in one locale."""

    def __init__(self, unit: UnitOfWork, commands: Sequence[UpdateDocument]) -> None:
        self._unit = unit
        self._commands = {command.document_id or "": command for command in commands}
        first = commands[0]
        self._layout: EntryLayout = unit.layout(first.uid)
        self._type = content_type_of(self._layout)
        self._publishes = first.publish and self._type.draft_and_publish
        if len(self._commands) < len(commands):
            raise NotInBulkError
        self._locale: str | None = None
        self._entries: dict[str, list[EntryRow]] = {}
        """All entries of the documents."""
        self._shared_values: dict[str, SharedValues | None] = {}

    def run(self) -> Program[list[list[WrittenEntry]]]:
        first = next(iter(self._commands.values()))
        self._locale = yield from entry_locale(self._unit, self._layout, first.locale)
        entries = yield from self._find_entries()
        for document_id, entry in entries.items():
            require_unchanged(entry, self._commands[document_id].expected)
        hooked_writes = self._hooked_writes(entries)
        has_hooks = bool(hooked_writes) or self._has_publish_hooks()
        if self._publishes and len(entries) > DRAFTS_AT_ONCE and has_hooks:
            # Hooks get all writes of an action at once, and may write entries of later batches.
            raise NotInBulkError
        data = {document_id: command.data for document_id, command in self._commands.items()}
        if hooked_writes:
            programs = [hooked.call_before() for hooked in hooked_writes.values()]
            changed_data = yield from run_interleaved(self._unit, programs, batched=True)
            data |= zip(hooked_writes, changed_data, strict=True)
            # Hooks may have written other versions of the documents.
            entries = yield from self._find_entries()
        for document_id in entries:
            self._shared_values[document_id] = yield from shared_values_before(
                self._unit, self._layout, self._entries[document_id], self._locale
            )
        if self._publishes and any(self._shared_values.values()):
            raise NotInBulkError
        if self._publishes and not hooked_writes:
            return (yield from self._update_and_publish(entries, data))
        updated: dict[str, EntryRow] = {}
        for batch in _batches(entries):
            updated |= yield from self._update_batch(batch, data)
        after_programs = [
            hooked.call_after(published=updated[document_id].published)
            for document_id, hooked in hooked_writes.items()
        ]
        yield from run_interleaved(self._unit, after_programs, batched=True)
        if self._publishes:
            return (yield from self._publish(updated, may_have_changed=True))
        for document_id, entry in updated.items():
            sync_locales_later(self._unit, self._layout, entry, self._shared_values[document_id])
        return [[written_entry(self._type.uid, entry)] for entry in updated.values()]

    def _update_and_publish(
        self, entries: Mapping[str, EntryRow], data: Mapping[str, Data]
    ) -> Program[list[list[WrittenEntry]]]:
        """Publish each batch before the next one is changed, whose entries may be linked to it."""
        written_entries: list[list[WrittenEntry]] = []
        for batch in _batches(entries):
            updated = yield from self._update_batch(batch, data)
            written_entries += yield from self._publish(updated, may_have_changed=False)
        return written_entries

    def _find_entries(self) -> Program[dict[str, EntryRow]]:
        """Return the entries to update, by their documents."""
        self._entries = yield from entries_of_documents(
            self._unit.store, self._layout, list(self._commands)
        )
        entries: dict[str, EntryRow] = {}
        for document_id, document_entries in self._entries.items():
            entry = entry_to_update(
                self._type, in_locale(self._unit, self._layout, document_entries, self._locale)
            )
            if entry is None:
                raise NotInBulkError
            entries[document_id] = entry
        return entries

    def _has_publish_hooks(self) -> bool:
        hooks = self._unit.engine.extensions.writes.get((self._type.uid, "publish"))
        return hooks is not None and bool(hooks.before or hooks.after)

    def _hooked_writes(self, entries: Mapping[str, EntryRow]) -> dict[str, HookedWrite]:
        """Return the writes with hooks: all of them with an object as data, or none."""
        hooked_writes: dict[str, HookedWrite] = {}
        for document_id, entry in entries.items():
            hooked = hooked_write(
                self._unit,
                self._layout,
                "update",
                document_id=document_id,
                locale=self._locale,
                data=self._commands[document_id].data,
                source=entry,
                entries=self._entries[document_id],
            )
            if hooked is not None:
                hooked_writes[document_id] = hooked
        return hooked_writes

    def _update_batch(
        self, entries: Mapping[str, EntryRow], data: Mapping[str, Data]
    ) -> Program[dict[str, EntryRow]]:
        """Update entries; returns their rows after the change."""
        unit, layout = self._unit, self._layout
        version = WrittenVersion(content_type=self._type, published=False, locale=self._locale)
        parsed = yield from parse_all_data(
            unit,
            layout,
            {document_id: data[document_id] for document_id in entries},
            version,
            draft=self._type.draft_and_publish,
        )
        if parsed is None:
            raise NotInBulkError
        values = dict(zip(entries, parsed.values, strict=True))
        linked = yield from self._linked_documents(entries, values, parsed.resolution)
        groups = independent_groups(entries, linked)
        if self._publishes and (len(groups) > 1 or self._changes_common_lists(parsed.values)):
            # `update` publishes an entry before it changes the next one.
            raise NotInBulkError
        updated: dict[str, EntryRow] = {}
        for group in groups:
            times = {document_id: unit.tick() for document_id in group}
            updates = [
                EntryUpdate(
                    row_id=entries[document_id].id,
                    values=values[document_id],
                    columns=update_columns(unit, layout, times[document_id]),
                    siblings=[
                        other.id
                        for other in self._entries[document_id]
                        if other.id != entries[document_id].id
                    ],
                )
                for document_id in group
            ]
            yield from update_entries(unit, layout, updates, parsed.resolution)
            rows = {
                document_id: replace(entries[document_id], updated_at=times[document_id])
                for document_id in group
            }
            changes = [
                ChangedEntry(
                    written_entry(self._type.uid, row),
                    tuple(sorted(attribute_names(values[document_id]))),
                    times[document_id],
                )
                for document_id, row in rows.items()
            ]
            yield from unit.record_changes(EventName.UPDATE, changes)
            updated |= rows
        return updated

    def _linked_documents(
        self,
        entries: Mapping[str, EntryRow],
        values: Mapping[str, EntryValues],
        resolution: ResolvedTargets,
    ) -> Program[dict[str, set[str]]]:
        """Return the documents that each one is linked to, before the change or after it."""
        linked = yield from linked_documents(
            self._unit, self._layout, [*entries.values()], self._entries
        )
        documents = {
            entry.id: document_id for document_id in entries for entry in self._entries[document_id]
        }
        for document_id, entry_values in values.items():
            for row in linked_rows(self._unit, self._layout, entry_values, resolution):
                other = documents.get(row, document_id)
                if other != document_id:
                    linked.setdefault(document_id, set()).add(other)
                    linked.setdefault(other, set()).add(document_id)
        return linked

    def _changes_common_lists(self, values: Collection[EntryValues]) -> bool:
        """Tell whether drafts and published entries are in one list of a target.

        So they are if the target has no drafts. Their positions depend on the order of the writes.
        """
        layouts = self._unit.store.layouts
        names = {name for entry_values in values for name in entry_values.relations}
        return any(
            attribute.name in names
            and edge.inverse_order is not None
            and not layouts[edge.target].is_versioned()
            for attribute, edge in self._layout.links
        )

    def _publish(
        self, updated: Mapping[str, EntryRow], *, may_have_changed: bool
    ) -> Program[list[list[WrittenEntry]]]:
        unit, layout = self._unit, self._layout
        drafts = [*updated.values()]
        entries = {
            row.document_id: [
                row if other.id == row.id else other for other in self._entries[row.document_id]
            ]
            for row in drafts
        }
        if may_have_changed:
            entries = yield from entries_of_documents(unit.store, layout, list(updated))
            drafts = [present_entry(draft, entries[draft.document_id]) for draft in drafts]
        return (yield from publish_drafts(unit, layout, drafts, entries, self._shared_values))


def _batches(entries: Mapping[str, EntryRow]) -> Iterator[dict[str, EntryRow]]:
    """Yield entries by document, at most `DRAFTS_AT_ONCE` at once."""
    ids = list(entries)
    for start in range(0, len(ids), DRAFTS_AT_ONCE):
        batch = ids[start : start + DRAFTS_AT_ONCE]
        yield {document_id: entries[document_id] for document_id in batch}
