"""Imports an archive into a project whose Python code has hooks on writes.

Each locale of a document is created; it is published if the archive has a published version of it,
and updated if its draft has been modified since. Hooks are called for these actions as for those of
clients, in batches. Rows keep the ids, times and values of the archive, except for values that
hooks change, which are validated.

A relation may lead to an entry that comes later in the archive. So everything is created first,
then linked; only then the ``after`` hooks are called, and versions are published. Therefore the
functions around a creation wrap its first part alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from quire.clock import ms_from_iso
from quire.database.entries.copy_version import (
    VersionReplacement,
    link_to_itself,
    replace_version,
)
from quire.database.entries.deletion import delete_all_rows, delete_entries
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow
from quire.database.integrity.system_tables import DEFAULT_LOCALE_KEY
from quire.database.program import Program
from quire.database.stores.core_store import read_setting
from quire.document_service.actions.publish import entries_after_hooks
from quire.document_service.around_calls import run_around, steps_around
from quire.document_service.commands import (
    Command,
    CreateDocument,
    PublishDocument,
    UpdateDocument,
    WrittenEntry,
    written_entry,
)
from quire.document_service.commands import Data as RequestData
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.entry_values import EntryValues
from quire.document_service.parse_input import parse_data
from quire.document_service.record_changes import store_records
from quire.document_service.relation_targets import ResolvedTargets, WrittenVersion
from quire.document_service.system_columns import stamp
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.write_batches import run_interleaved
from quire.document_service.write_entry import EntryUpdate, update_entry
from quire.document_service.write_hook_calls import HookedWrite, advise_batches, hooked_write
from quire.errors import AppError
from quire.hooks.errors import UnknownFieldError
from quire.hooks.write import WriteAction
from quire.schema.attributes.base import ScalarAttribute
from quire.transfer.archive_format import ArchiveStage, EntityLine, LinkLine
from quire.transfer.entry_rows import ArchiveRow, EntryRows, LinkRows
from quire.transfer.hook_staging import (
    EntryVersions,
    as_json,
    created_data,
    is_staged,
    refusal_of,
    uids_with_hooks,
    versions_of,
)
from quire.transfer.import_program import ArchiveImport, ImportCounts, RowBatch, store_rows
from quire.transfer.staged_entries import StagedEntries, StagedEntry
from quire.transfer.wire_data import (
    Data,
    changed_values,
    component_ids,
    with_component_ids,
    without_component_ids,
)

_LINKS_AT_ONCE = 200

T = TypeVar("T")
_Step = Callable[[EntryLayout, StagedEntry], Program[None]]
_RunAction = Callable[[RequestData], Program[EntryRow]]
"""Runs an action of an entry with its data; returns the row that it has written."""


class ImportWithHooks:
    """The import of staged entries within one transaction.

    ``highest_ids`` are those of the rows of the archive, by uid.
    """

    def __init__(
        self,
        archive: ArchiveImport,
        staged: StagedEntries,
        highest_ids: Mapping[str, int],
        unit: UnitOfWork,
    ) -> None:
        self._archive = archive
        self._staged = staged
        self._highest_ids = highest_ids
        self._unit = unit
        self._engine = unit.engine
        self._extensions = unit.engine.extensions
        self._uids = uids_with_hooks(self._extensions)
        self._writes = unit.store.writes
        self._rows = EntryRows(archive.schema, archive.tables, archive.kind.dialect())
        self._rewritten: set[int] = set()
        """Entries that hooks have written after their creation, by number."""

    def program(self) -> Program[ImportCounts]:
        """Delete the present content and store that of the archive.

        Raises TransferError when a hook refuses or fails.
        """
        counts = ImportCounts()
        archive = self._archive
        uids = archive.replaced_uids()
        yield from delete_all_rows(archive.tables, uids, archive.kind.inspector)
        yield from archive.import_configuration(self._writes, counts)
        default_locale = yield from read_setting(self._writes, DEFAULT_LOCALE_KEY)
        self._engine.adopt_default_locale(
            default_locale if isinstance(default_locale, str) else None
        )
        for uid, highest_id in self._highest_ids.items():
            # Documents that hooks create must not get the ids of rows that are still to come.
            yield from archive.kind.counters.raise_to(archive.tables[uid].name, highest_id)
        yield from self._store_entries(counts)
        archive.count_configuration(counts)
        counts.copied_components = self._rows.renumbered
        for uid in uids:
            yield from archive.kind.counters.raise_to(archive.tables[uid].name, 0)
        if self._unit.hook_statements:
            advise_batches(self._unit)
        return counts

    def _store_entries(self, counts: ImportCounts) -> Program[None]:
        """Store all rows and links, and call the hooks."""
        yield from self._store_other_rows(counts)
        uids = self._staged.uids()
        for uid in uids:
            if self._has_create_hooks(uid):
                yield from self._for_each(uid, "create", self._create)
            else:
                yield from self._create_without_hooks(uid)
        linked_ids = {uid: set(ids) for uid, ids in self._rows.known.items()}
        yield from self._store_links(counts, linked_ids=None)
        for uid in uids:
            if self._has_create_hooks(uid):
                yield from self._for_each(uid, "create", self._finish_creation)
        for uid in uids:
            if self._archive.schema.content_types[uid].draft_and_publish:
                yield from self._for_each(uid, "publish", self._publish)
        yield from self._store_links(counts, linked_ids=linked_ids)
        for uid in uids:
            if uid in self._uids:
                yield from self._for_each(uid, "update", self._finish_draft)

    def _has_create_hooks(self, uid: str) -> bool:
        extensions = self._extensions
        return any(
            (uid, "create") in functions
            for functions in (extensions.writes, extensions.prepare, extensions.around)
        )

    def _store_other_rows(self, counts: ImportCounts) -> Program[None]:
        """Store the rows of types without drafts and hooks, as an import without hooks does."""
        batch = RowBatch()
        stored_count = 0
        for line in self._archive.entity_lines(counts):
            if is_staged(self._archive, line, self._uids):
                continue
            batch.add(self._rows.rows(line))
            stored_count += 1
            if stored_count % _LINKS_AT_ONCE == 0:
                yield from store_rows(self._writes, batch)
                self._archive.advance(_LINKS_AT_ONCE)
                batch = RowBatch()
        yield from store_rows(self._writes, batch)

    def _create_without_hooks(self, uid: str) -> Program[None]:
        layout = self._unit.layout(uid)
        for entries in self._staged.batches(uid):
            batch = RowBatch()
            for entry in entries:
                batch.add(self._rows.rows(_unpublished(layout, entry.line)))
            yield from store_rows(self._writes, batch)
            self._archive.advance(len(entries))

    def _store_links(
        self, counts: ImportCounts, *, linked_ids: Mapping[str, set[int]] | None
    ) -> Program[None]:
        """Store the links between present rows, except those among rows that are linked already.

        Only the second time links to missing rows are counted: their rows do not come any more.
        """
        archive = self._archive
        links = LinkRows(archive.schema, archive.tables, self._rows.known, archive.kind.dialect())
        batch = RowBatch()
        stored_count = 0
        for line in archive.archive.lines(ArchiveStage.LINKS, LinkLine):
            if linked_ids is None:
                if not _has_both_ends(line, self._rows.known):
                    continue
            elif _has_both_ends(line, linked_ids):
                continue
            link = links.row(line)
            batch.add_link(link)
            counts.links += link is not None
            stored_count += 1
            if stored_count % _LINKS_AT_ONCE == 0:
                yield from store_rows(self._writes, batch)
                archive.advance(_LINKS_AT_ONCE)
                batch = RowBatch()
        yield from store_rows(self._writes, batch)
        counts.dangling_links = links.dangling

    def _for_each(self, uid: str, action: WriteAction, step: _Step) -> Program[None]:
        """Run a step of an action for all entries of a content type, in batches."""
        layout = self._unit.layout(uid)
        # An `@around` function has a savepoint: rolling it back would undo interleaved actions.
        batched = (
            self._extensions.has_batches(uid, action)
            and (uid, action) not in self._extensions.around
        )
        for entries in self._staged.batches(uid):
            programs = [self._with_entry_in_errors(entry, step(layout, entry)) for entry in entries]
            try:
                yield from run_interleaved(self._unit, programs, batched=batched)
                yield from self._unit.run_postponed()
            except (AppError, UnknownFieldError) as error:
                raise refusal_of(error, entries) from error
            yield from store_records(self._unit)
            self._unit.changes.clear()
            self._unit.system_writes.clear()
            self._unit.committed.clear()
            self._unit.events.clear()

    def _with_entry_in_errors(self, entry: StagedEntry, program: Program[T]) -> Program[T]:
        """Run the program of an entry. Raises TransferError, which names it, for its errors."""
        self._archive.advance(0)  # it ends an interrupted import
        try:
            return (yield from program)
        except (AppError, UnknownFieldError) as error:
            raise refusal_of(error, [entry]) from error

    def _run_action(self, command: Command, act: _RunAction) -> Program[None]:
        """Run an action of an entry within the functions around it."""

        def run(command: Command) -> Program[list[WrittenEntry]]:
            data = command.data if isinstance(command, CreateDocument | UpdateDocument) else {}
            row = yield from act(data)
            return [written_entry(command.uid, row)]

        steps = steps_around(self._engine, command)
        if steps:
            yield from run_around(self._unit, steps, command, run)
        else:
            yield from run(command)

    def _create(self, layout: EntryLayout, entry: StagedEntry) -> Program[None]:
        """Call the functions before a creation, and insert the row, which has no links yet."""
        archived = created_data(self._engine, self._staged, entry)
        # They are made once: a function around the creation may try it again.
        rows = [*self._rows.rows(_unpublished(layout, entry.line))]
        command = CreateDocument(
            uid=entry.line.type,
            data=archived if entry.prepared is None else entry.prepared,
            locale=entry.locale,
            document_id=entry.document_id,
        )
        act = partial(self._create_row, layout, entry, archived, rows)
        yield from self._run_action(command, act)
        self._archive.advance(1)

    def _create_row(
        self,
        layout: EntryLayout,
        entry: StagedEntry,
        archived: Data,
        rows: Sequence[ArchiveRow],
        requested: RequestData,
    ) -> Program[EntryRow]:
        hooked = self._hooked_write(layout, "create", entry, data=requested)
        if hooked is not None:
            requested = yield from hooked.call_before()
        data = as_json(requested)
        changes = changed_values(archived, data)
        yield from self._insert(rows)
        scalars = {name: value for name, value in changes.items() if _is_scalar(layout, name)}
        yield from self._write_changes(layout, entry, entry.line.id, scalars)
        if changes:
            self._staged.set_created(entry, data)
        has_drafts = content_type_of(layout).draft_and_publish
        return _entry_row(entry, entry.line, published=not has_drafts)

    def _insert(self, rows: Sequence[ArchiveRow]) -> Program[None]:
        batch = RowBatch()
        batch.add(rows)
        yield from store_rows(self._writes, batch)

    def _finish_creation(self, layout: EntryLayout, entry: StagedEntry) -> Program[None]:
        """Change relations and components that hooks have set, and call the ``after`` hooks."""
        archived = created_data(self._engine, self._staged, entry)
        data = archived if entry.created is None else entry.created
        changes = {
            name: value
            for name, value in changed_values(archived, data).items()
            if not _is_scalar(layout, name)
        }
        yield from self._write_changes(layout, entry, entry.line.id, changes)
        hooked = self._hooked_write(layout, "create", entry, data=data)
        if hooked is not None:
            yield from hooked.call_after(published=not content_type_of(layout).draft_and_publish)

    def _publish(self, layout: EntryLayout, entry: StagedEntry) -> Program[None]:
        """Make the row of an entry its published version, and insert the draft beside it."""
        if not entry.is_published:
            return
        draft_rows = [] if entry.draft is None else [*self._rows.rows(entry.draft)]
        command = PublishDocument(
            uid=entry.line.type, document_id=entry.document_id, locale=entry.locale
        )
        yield from self._run_action(command, partial(self._publish_row, layout, entry, draft_rows))
        self._archive.advance(1 if draft_rows else 0)

    def _publish_row(
        self,
        layout: EntryLayout,
        entry: StagedEntry,
        draft_rows: Sequence[ArchiveRow],
        _data: RequestData,
    ) -> Program[EntryRow]:
        unit, row = self._unit, _entry_row(entry, entry.line, published=False)
        hooked = self._hooked_write(layout, "publish", entry, source=row, entries=[row])
        if hooked is not None:
            yield from hooked.call_before()
        present_row, rows = yield from entries_after_hooks(unit, layout, row, [row])
        if present_row != row:
            self._rewritten.add(entry.number)
        replaced_ids = [
            other.id for other in rows if other.published and other.locale == entry.locale
        ]
        if replaced_ids:
            # A hook has published the entry itself.
            yield from delete_entries(unit.store, layout, replaced_ids)
        if entry.created is not None:
            archived = created_data(self._engine, self._staged, entry)
            changes = changed_values(archived, entry.created)
            yield from self._parse(layout, entry, changes, draft=False)
        published_at = _milliseconds(entry.line, "publishedAt")
        columns = stamp(unit, layout, publishedAt=published_at)
        yield from self._writes.update(layout.table.name, present_row.id, columns)
        yield from self._insert(draft_rows)
        if hooked is not None:
            yield from hooked.call_after(published=True)
        return replace(present_row, published=True)

    def _finish_draft(self, layout: EntryLayout, entry: StagedEntry) -> Program[None]:
        """Give the draft what hooks have set; if it differs, call the functions of its update."""
        if entry.draft is None:
            return
        versions = versions_of(self._engine, self._staged, entry)
        published = _entry_row(entry, entry.line, published=True)
        draft = _entry_row(entry, entry.draft, published=False)
        is_copy = entry.number in self._rewritten
        if is_copy:
            draft = yield from self._copy_to_draft(layout, published, draft)
        else:
            changes = self._changes_of_draft(layout, entry, versions)
            yield from self._write_changes(layout, entry, draft.id, changes, published.id)
        if not versions.modified:
            return
        command = UpdateDocument(
            uid=entry.line.type,
            document_id=entry.document_id,
            data=versions.modified if entry.prepared_update is None else entry.prepared_update,
            locale=entry.locale,
        )
        unchanged = None if is_copy else versions.modified
        act = partial(self._update_draft, layout, entry, published, draft, unchanged)
        yield from self._run_action(command, act)

    def _update_draft(
        self,
        layout: EntryLayout,
        entry: StagedEntry,
        published: EntryRow,
        draft: EntryRow,
        unchanged: Data | None,
        requested: RequestData,
    ) -> Program[EntryRow]:
        """Update a draft, which has the values ``unchanged`` already."""
        hooked = self._hooked_write(
            layout, "update", entry, data=requested, source=published, entries=[published, draft]
        )
        if hooked is not None:
            requested = yield from hooked.call_before()
        data = as_json(requested)
        if unchanged is None:
            changes = without_component_ids(self._engine.schema, layout.model, data)
        else:
            changes = changed_values(unchanged, data)
        yield from self._write_changes(layout, entry, draft.id, changes, published.id)
        if hooked is not None:
            yield from hooked.call_after(published=False)
        return draft

    def _changes_of_draft(
        self, layout: EntryLayout, entry: StagedEntry, versions: EntryVersions
    ) -> Data:
        """Return what hooks have changed at the creation, for values that both versions share."""
        if entry.created is None:
            return {}
        schema, model = self._engine.schema, layout.model
        changes = {
            name: value
            for name, value in changed_values(versions.created, entry.created).items()
            if name not in versions.modified
        }
        shared = {name: versions.created[name] for name in changes if name in versions.created}
        drafts = {name: versions.draft[name] for name in shared}
        ids = dict(
            zip(
                component_ids(schema, model, shared),
                (component_id for _, component_id in component_ids(schema, model, drafts)),
                strict=True,
            )
        )
        return with_component_ids(
            schema, model, changes, lambda uid, component_id: ids.get((uid, component_id))
        )

    def _copy_to_draft(
        self, layout: EntryLayout, published: EntryRow, draft: EntryRow
    ) -> Program[EntryRow]:
        """Replace a draft by a copy of the version that hooks have written since; returns it."""
        replacement = VersionReplacement(
            source=published.id,
            replaced_id=draft.id,
            published=False,
            siblings=frozenset({published.id, draft.id}),
        )
        columns = stamp(self._unit, layout, publishedAt=None)
        copy = yield from replace_version(self._unit.store, layout, replacement, columns)
        if copy.self_links:
            yield from link_to_itself(self._unit.store, copy)
        return replace(draft, id=copy.id)

    def _hooked_write(
        self,
        layout: EntryLayout,
        action: WriteAction,
        entry: StagedEntry,
        *,
        data: RequestData | None = None,
        source: EntryRow | None = None,
        entries: Iterable[EntryRow] = (),
    ) -> HookedWrite | None:
        return hooked_write(
            self._unit,
            layout,
            action,
            document_id=entry.document_id,
            locale=entry.locale,
            data=data,
            source=source,
            entries=[*entries],
        )

    def _write_changes(
        self,
        layout: EntryLayout,
        entry: StagedEntry,
        row_id: int,
        changes: Data,
        *siblings: int,
    ) -> Program[None]:
        """Validate and store values that hooks have set."""
        if changes:
            draft = content_type_of(layout).draft_and_publish
            values, resolution = yield from self._parse(layout, entry, changes, draft=draft)
            entry_update = EntryUpdate(row_id=row_id, values=values, siblings=siblings)
            yield from update_entry(self._unit, layout, entry_update, resolution)

    def _parse(
        self, layout: EntryLayout, entry: StagedEntry, changes: Data, *, draft: bool
    ) -> Program[tuple[EntryValues, ResolvedTargets]]:
        version = WrittenVersion(
            content_type=content_type_of(layout), published=False, locale=entry.locale
        )
        return (
            yield from parse_data(
                self._unit,
                layout,
                changes,
                version,
                draft=draft,
                creating=False,
                document_id=entry.document_id,
            )
        )


def _unpublished(layout: EntryLayout, line: EntityLine) -> EntityLine:
    """Return a version as a draft, if its type has drafts: publishing is a step of its own."""
    if not content_type_of(layout).draft_and_publish:
        return line
    return replace(line, data={**line.data, "publishedAt": None})


def _entry_row(entry: StagedEntry, line: EntityLine, *, published: bool) -> EntryRow:
    return EntryRow(
        line.id, entry.document_id, entry.locale, _milliseconds(line, "updatedAt"), published
    )


def _milliseconds(line: EntityLine, name: str) -> int | None:
    value = line.data.get(name)
    return None if value is None else ms_from_iso(value)


def _is_scalar(layout: EntryLayout, name: str) -> bool:
    return isinstance(layout.model.attributes.get(name), ScalarAttribute)


def _has_both_ends(line: LinkLine, ids: Mapping[str, set[int]]) -> bool:
    """Tell whether both ends of a link are among some rows."""
    return line.left.ref in ids.get(line.left.type, ()) and line.right.ref in ids.get(
        line.right.type, ()
    )
