"""Publish, unpublish and discard draft: actions between the two versions of a document.

Publishing replaces the published row by a copy of the draft, and discarding a draft does the
opposite. As in Strapi the copy is a new row with a new id, and links of other entries follow it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from quire.database.entries.copy_version import VersionReplacement, link_to_itself, replace_version
from quire.database.entries.entry_layout import FIRST_PUBLISHED, EntryLayout
from quire.database.entries.versions_query import EntryRow, entries_of
from quire.database.program import Program, Value
from quire.document_service.actions.delete import remove_entries
from quire.document_service.commands import (
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
    WrittenEntry,
    written_entry,
)
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.locale_selection import entry_locale, in_locale, in_locales
from quire.document_service.parse_input import check_publishable
from quire.document_service.relation_targets import WrittenVersion
from quire.document_service.shared_attributes import (
    SharedValues,
    by_locale,
    shared_values_before,
    sync_locales_later,
)
from quire.document_service.system_columns import stamp
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.write_batches import run_interleaved
from quire.document_service.write_hook_calls import hooked_write, may_have_changed
from quire.errors import NotFoundError
from quire.hooks.write import WriteAction
from quire.webhooks.events import EventName

_Replace = Callable[
    [UnitOfWork, EntryLayout, EntryRow, Collection[EntryRow], SharedValues | None],
    Program[WrittenEntry],
]
"""Replaces the other version of an entry by a copy of it."""


def publish(unit: UnitOfWork, command: PublishDocument) -> Program[list[WrittenEntry]]:
    """Publish the drafts of a document; returns its published entries.

    Raises NotFoundError if there is no draft in the locale, and ValidationError for an invalid
    draft and for an unknown locale.
    """
    layout = unit.layout(command.uid)
    if isinstance(command.locale, str):
        yield from entry_locale(unit, layout, command.locale)
    entries = yield from entries_of(unit.store, layout, command.document_id)
    selected_entries = in_locales(unit, layout, entries, command)
    drafts = (entry for entry in selected_entries if not entry.published)
    return (yield from _replace_versions(unit, layout, drafts, entries, publish_draft, "publish"))


def unpublish(unit: UnitOfWork, command: UnpublishDocument) -> Program[list[WrittenEntry]]:
    """Remove published versions of a document; returns the remaining drafts as they were.

    Raises NotFoundError for a document without an entry in the locale.
    """
    layout = unit.layout(command.uid)
    entries = yield from entries_of(unit.store, layout, command.document_id)
    selected_entries = in_locale(unit, layout, entries, command.locale)
    if not selected_entries:
        raise NotFoundError
    published_entries = [entry for entry in selected_entries if entry.published]
    yield from remove_entries(
        unit, layout, published_entries, published_entries, "unpublish", EventName.UNPUBLISH
    )
    return [written_entry(command.uid, entry) for entry in selected_entries if not entry.published]


def discard_draft(unit: UnitOfWork, command: DiscardDraft) -> Program[list[WrittenEntry]]:
    """Replace the drafts of a document by its published versions; returns them.

    Raises NotFoundError if nothing is published in the locale.
    """
    layout = unit.layout(command.uid)
    entries = yield from entries_of(unit.store, layout, command.document_id)
    selected_entries = in_locale(unit, layout, entries, command.locale)
    published_entries = (entry for entry in selected_entries if entry.published)
    return (
        yield from _replace_versions(
            unit, layout, published_entries, entries, _replace_draft, "discard_draft"
        )
    )


def _replace_versions(
    unit: UnitOfWork,
    layout: EntryLayout,
    sources: Iterable[EntryRow],
    entries: Sequence[EntryRow],
    replace_one: _Replace,
    action: WriteAction,
) -> Program[list[WrittenEntry]]:
    """Replace the other versions of entries, locale by locale.

    ``entries`` are all of the document. Raises NotFoundError if there are no sources.
    """
    sorted_sources = by_locale(sources)
    if not sorted_sources:
        raise NotFoundError
    first, *other_sources = sorted_sources
    shared_values = yield from shared_values_before(unit, layout, entries, first.locale)

    def replace_next(source: EntryRow) -> Program[WrittenEntry]:
        current_entries = yield from entries_of(unit.store, layout, source.document_id)
        return (yield from replace_one(unit, layout, source, current_entries, None))

    programs = [
        replace_one(unit, layout, first, entries, shared_values),
        *(replace_next(source) for source in other_sources),
    ]
    batched = bool(other_sources) and unit.engine.extensions.has_batches(layout.model.uid, action)
    return (yield from run_interleaved(unit, programs, batched=batched))


def publish_draft(
    unit: UnitOfWork,
    layout: EntryLayout,
    draft: EntryRow,
    entries: Collection[EntryRow],
    shared_values: SharedValues | None = None,
) -> Program[WrittenEntry]:
    """Publish one draft and replace its published version; ``entries`` are all of its document.

    The published row has the update time of the draft, so that equal times mean that there is
    nothing new to publish. Values that differ from ``shared_values``, those before the write, are
    published in the other published locales too.
    """
    content_type = content_type_of(layout)
    version = WrittenVersion(content_type=content_type, published=True, locale=draft.locale)
    hooked = hooked_write(
        unit,
        layout,
        "publish",
        document_id=draft.document_id,
        locale=draft.locale,
        source=draft,
        entries=entries,
    )
    if hooked is not None:
        yield from hooked.call_before()
        draft, entries = yield from entries_after_hooks(unit, layout, draft, entries)
    yield from check_publishable(unit, layout, draft.id, version, draft.document_id)
    now = unit.tick()
    columns = stamp(unit, layout, publishedAt=now)
    if FIRST_PUBLISHED in layout.model.attributes:
        yield from _set_first_publication(unit, layout, draft, now)
    replaced = next(
        (entry for entry in entries if entry.published and entry.locale == draft.locale), None
    )
    written = yield from _replace_version(
        unit, layout, draft, replaced, entries, columns, shared_values, EventName.PUBLISH
    )
    if hooked is not None:
        yield from hooked.call_after(published=True)
    return written


def entries_after_hooks(
    unit: UnitOfWork, layout: EntryLayout, entry: EntryRow, entries: Collection[EntryRow]
) -> Program[tuple[EntryRow, list[EntryRow]]]:
    """Return an entry and all of its document, which hooks may have written or replaced.

    Raises NotFoundError if they have removed it.
    """
    if not may_have_changed(unit, entries):
        return entry, [*entries]
    present_entries = yield from entries_of(unit.store, layout, entry.document_id)
    for present_entry in present_entries:
        if (present_entry.published, present_entry.locale) == (entry.published, entry.locale):
            return present_entry, present_entries
    raise NotFoundError


def _set_first_publication(
    unit: UnitOfWork, layout: EntryLayout, draft: EntryRow, now: int
) -> Program[None]:
    """Set the time of the first publication on the draft, unless it is set."""
    writes = unit.store.writes
    column = layout.table.columns[FIRST_PUBLISHED]
    publication_time = stamp(unit, layout, **{FIRST_PUBLISHED: now})[column]
    yield from writes.fill(layout.table.name, draft.id, column, publication_time)


def _replace_draft(
    unit: UnitOfWork,
    layout: EntryLayout,
    published_entry: EntryRow,
    entries: Collection[EntryRow],
    shared_values: SharedValues | None,
) -> Program[WrittenEntry]:
    drafts = [entry for entry in entries if not entry.published]
    replaced = next((entry for entry in drafts if entry.locale == published_entry.locale), None)
    hooked = hooked_write(
        unit,
        layout,
        "discard_draft",
        document_id=published_entry.document_id,
        locale=published_entry.locale,
        source=replaced or published_entry,
        entries=entries,
    )
    if hooked is not None:
        yield from hooked.call_before()
    if hooked is not None and may_have_changed(unit, entries):
        # Hooks may have written other versions of the document.
        entries = yield from entries_of(unit.store, layout, published_entry.document_id)
    unit.tick()
    columns = stamp(unit, layout, publishedAt=None)
    written = yield from _replace_version(
        unit,
        layout,
        published_entry,
        replaced,
        entries,
        columns,
        shared_values,
        EventName.DRAFT_DISCARD,
    )
    if hooked is not None:
        yield from hooked.call_after(published=False)
    return written


def _replace_version(
    unit: UnitOfWork,
    layout: EntryLayout,
    source: EntryRow,
    replaced: EntryRow | None,
    entries: Collection[EntryRow],
    columns: Mapping[str, Value],
    shared_values: SharedValues | None,
    event: EventName,
) -> Program[WrittenEntry]:
    """Replace a version by a copy of the other one, or create it; ``columns`` differ in the copy.

    ``entries`` are all versions of the document, among which links may point to each other.
    """
    replacement = VersionReplacement(
        source=source.id,
        replaced_id=None if replaced is None else replaced.id,
        published=not source.published,
        siblings=frozenset(entry.id for entry in entries),
    )
    copy = yield from replace_version(unit.store, layout, replacement, columns)
    row = replace(source, id=copy.id, published=not source.published)
    written = written_entry(layout.model.uid, row)
    yield from unit.record_event(event, written)
    unit.postpone(lambda: link_to_itself(unit.store, copy))
    sync_locales_later(unit, layout, row, shared_values, copied=True)
    return written
