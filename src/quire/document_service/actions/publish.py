"""Publish, unpublish and discard draft: actions between the two versions of a document.

Publishing replaces the published row by a copy of the draft, and discarding a draft does the
opposite. As in Strapi the copy is a new row with a new id, and links of other entries follow it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from msgspec.structs import replace

from quire.database.entries.copy_version import (
    NewVersion,
    VersionReplacement,
    link_to_itself,
    replace_version,
    replace_versions,
)
from quire.database.entries.entry_layout import FIRST_PUBLISHED, EntryLayout
from quire.database.entries.links_among import independent_groups, links_among
from quire.database.entries.versions_query import EntryRow, entries_of, entries_of_documents
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
from quire.document_service.parse_input import are_all_publishable, check_publishable
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
from quire.document_service.write_hook_calls import HookedWrite, hooked_write, may_have_changed
from quire.errors import NotFoundError
from quire.hooks.write import WriteAction
from quire.webhooks.events import EventName

DRAFTS_AT_ONCE = 100
"""How many drafts are checked, and copied or changed, by the same statements."""

_Replace = Callable[
    [UnitOfWork, EntryLayout, EntryRow, Collection[EntryRow], SharedValues | None],
    Program[WrittenEntry],
]
"""Replaces the other version of an entry by a copy of it."""


class NotInBulkError(Exception):
    """Commands have to be run one by one; what they wrote so far has to be rolled back."""


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


def publish_documents(
    unit: UnitOfWork, commands: Sequence[PublishDocument]
) -> Program[list[list[WrittenEntry]]]:
    """Publish one draft each of several documents of a type; returns the published entries.

    The result is that of `publish` for each of them in turn, but each step is one statement for up
    to `DRAFTS_AT_ONCE` of them. Drafts that are linked to each other are published in turn. Raises
    NotInBulkError if not every command publishes exactly one draft, and where a draft may not be
    publishable, which only `publish` decides.
    """
    layout = unit.layout(commands[0].uid)
    drafts, entries_by_document = yield from _single_drafts(unit, layout, commands)
    shared_values: dict[str, SharedValues | None] = {}
    for draft in drafts:
        entries = entries_by_document[draft.document_id]
        shared_values[draft.document_id] = yield from shared_values_before(
            unit, layout, entries, draft.locale
        )
    return (yield from publish_drafts(unit, layout, drafts, entries_by_document, shared_values))


def publish_drafts(
    unit: UnitOfWork,
    layout: EntryLayout,
    drafts: Sequence[EntryRow],
    entries_by_document: Mapping[str, Sequence[EntryRow]],
    shared_values: Mapping[str, SharedValues | None],
) -> Program[list[list[WrittenEntry]]]:
    """Publish drafts of different documents, see `publish_documents`.

    ``entries_by_document`` are all entries of the documents, ``shared_values`` those before the
    write, see `publish_draft`.
    """
    hooked_writes = _hooked_publications(unit, layout, drafts, entries_by_document)
    extensions, uid = unit.engine.extensions, layout.model.uid
    batched = bool(hooked_writes) and extensions.has_batches(uid, "publish")
    yield from run_interleaved(
        unit, [hooked.call_before() for hooked in hooked_writes], batched=batched
    )
    if hooked_writes and unit.nested_writes:
        # Hooks may have written other versions of the documents.
        ids = [draft.document_id for draft in drafts]
        entries_by_document = yield from entries_of_documents(unit.store, layout, ids)
        drafts = [present_entry(draft, entries_by_document[draft.document_id]) for draft in drafts]
    written_entries: list[WrittenEntry] = []
    for start in range(0, len(drafts), DRAFTS_AT_ONCE):
        batch = drafts[start : start + DRAFTS_AT_ONCE]
        if not (yield from are_all_publishable(unit, layout, batch)):
            raise NotInBulkError
        columns = stamp(unit, layout, publishedAt=unit.tick())
        if FIRST_PUBLISHED in layout.model.attributes:
            yield from _set_first_publication(unit, layout, batch)
        drafts_by_document = {draft.document_id: draft for draft in batch}
        linked = yield from linked_documents(unit, layout, batch, entries_by_document)
        for group in independent_groups(drafts_by_document, linked):
            group_drafts = [drafts_by_document[document_id] for document_id in group]
            for _, drafts_of_locale in groupby(group_drafts, key=attrgetter("locale")):
                written_entries += yield from _replace_published(
                    unit,
                    layout,
                    list(drafts_of_locale),
                    entries_by_document,
                    columns,
                    shared_values,
                )
    yield from run_interleaved(
        unit, [hooked.call_after(published=True) for hooked in hooked_writes], batched=batched
    )
    return [[entry] for entry in written_entries]


def linked_documents(
    unit: UnitOfWork,
    layout: EntryLayout,
    drafts: Sequence[EntryRow],
    entries_by_document: Mapping[str, Collection[EntryRow]],
) -> Program[dict[str, set[str]]]:
    """Return those of the documents of drafts that are linked to each one."""
    documents = {
        entry.id: draft.document_id
        for draft in drafts
        for entry in entries_by_document[draft.document_id]
    }
    return (yield from links_among(unit.store, layout, documents))


def _single_drafts(
    unit: UnitOfWork, layout: EntryLayout, commands: Sequence[PublishDocument]
) -> Program[tuple[list[EntryRow], dict[str, list[EntryRow]]]]:
    """Return the draft that each command publishes, and all entries of the documents.

    Raises NotInBulkError unless it is exactly one, and no document is published twice.
    """
    for command in commands:
        if isinstance(command.locale, str):
            yield from entry_locale(unit, layout, command.locale)
    ids = [command.document_id for command in commands]
    entries_by_document = yield from entries_of_documents(unit.store, layout, ids)
    drafts: list[EntryRow] = []
    for command in commands:
        entries = entries_by_document[command.document_id]
        selected_entries = in_locales(unit, layout, entries, command)
        drafts += [entry for entry in selected_entries if not entry.published]
    if [draft.document_id for draft in drafts] != list(dict.fromkeys(ids)) or len(drafts) != len(
        commands
    ):
        raise NotInBulkError
    return drafts, entries_by_document


def _hooked_publications(
    unit: UnitOfWork,
    layout: EntryLayout,
    drafts: Sequence[EntryRow],
    entries_by_document: Mapping[str, Collection[EntryRow]],
) -> list[HookedWrite]:
    """Return the writes with hooks, which are all of them or none."""
    writes = (
        hooked_write(
            unit,
            layout,
            "publish",
            document_id=draft.document_id,
            locale=draft.locale,
            source=draft,
            entries=entries_by_document[draft.document_id],
        )
        for draft in drafts
    )
    return [hooked for hooked in writes if hooked is not None]


def _replace_published(
    unit: UnitOfWork,
    layout: EntryLayout,
    drafts: Sequence[EntryRow],
    entries_by_document: Mapping[str, Collection[EntryRow]],
    columns: Mapping[str, Value],
    shared_values: Mapping[str, SharedValues | None],
) -> Program[list[WrittenEntry]]:
    """Replace the published versions of documents that are not linked to each other."""
    replacements = [
        _replacement_of(layout, draft, _version_of(draft, entries), entries)
        for draft in drafts
        for entries in (entries_by_document[draft.document_id],)
    ]
    copies = yield from replace_versions(unit.store, layout, replacements, columns)
    rows = [
        replace(draft, id=copy.id, published=True)
        for draft, copy in zip(drafts, copies, strict=True)
    ]
    written_entries = [written_entry(layout.model.uid, row) for row in rows]
    yield from unit.record_events(EventName.PUBLISH, written_entries)
    for row, copy in zip(rows, copies, strict=True):
        _postpone_after_copy(unit, layout, row, copy, shared_values[row.document_id])
    return written_entries


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


def unpublish_documents(
    unit: UnitOfWork, commands: Sequence[UnpublishDocument]
) -> Program[list[list[WrittenEntry]]]:
    """Remove published versions of several documents of a type, with the same statements.

    Returns the remaining drafts for each command. Raises NotInBulkError where `unpublish` finds no
    document, and for an entry that two commands unpublish.
    """
    uid = commands[0].uid
    layout = unit.layout(uid)
    ids = [command.document_id for command in commands]
    entries_by_document = yield from entries_of_documents(unit.store, layout, ids)
    selections = [
        in_locale(unit, layout, entries_by_document[command.document_id], command.locale)
        for command in commands
    ]
    published_entries = [entry for entries in selections for entry in entries if entry.published]
    if not all(selections) or len({entry.id for entry in published_entries}) < len(
        published_entries
    ):
        raise NotInBulkError
    yield from remove_entries(
        unit, layout, published_entries, published_entries, "unpublish", EventName.UNPUBLISH
    )
    return [
        [written_entry(uid, entry) for entry in entries if not entry.published]
        for entries in selections
    ]


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
    columns = stamp(unit, layout, publishedAt=unit.tick())
    if FIRST_PUBLISHED in layout.model.attributes:
        yield from _set_first_publication(unit, layout, [draft])
    replaced = _version_of(draft, entries)
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
    return present_entry(entry, present_entries), present_entries


def present_entry(entry: EntryRow, present_entries: Iterable[EntryRow]) -> EntryRow:
    """Return the present row of an entry. Raises NotFoundError if it was removed."""
    for present_entry in present_entries:
        if (present_entry.published, present_entry.locale) == (entry.published, entry.locale):
            return present_entry
    raise NotFoundError


def _version_of(draft: EntryRow, entries: Iterable[EntryRow]) -> EntryRow | None:
    """Return the published version of a draft."""
    return next(
        (entry for entry in entries if entry.published and entry.locale == draft.locale), None
    )


def _set_first_publication(
    unit: UnitOfWork, layout: EntryLayout, drafts: Sequence[EntryRow]
) -> Program[None]:
    """Set the time of the first publication on drafts, unless it is set."""
    column = layout.table.columns[FIRST_PUBLISHED]
    publication_time = stamp(unit, layout, **{FIRST_PUBLISHED: unit.last_tick})[column]
    ids = [draft.id for draft in drafts]
    yield from unit.store.writes.fill(layout.table.name, ids, column, publication_time)


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
    replacement = _replacement_of(layout, source, replaced, entries)
    copy = yield from replace_version(unit.store, layout, replacement, columns)
    row = replace(source, id=copy.id, published=not source.published)
    written = written_entry(layout.model.uid, row)
    yield from unit.record_event(event, written)
    _postpone_after_copy(unit, layout, row, copy, shared_values)
    return written


def _replacement_of(
    layout: EntryLayout,
    source: EntryRow,
    replaced: EntryRow | None,
    entries: Iterable[EntryRow],
) -> VersionReplacement:
    return VersionReplacement(
        source=source.id,
        replaced_id=None if replaced is None else replaced.id,
        published=not source.published,
        siblings=frozenset(entry.id for entry in entries),
        locale=source.locale if layout.is_localized() else None,
    )


def _postpone_after_copy(
    unit: UnitOfWork,
    layout: EntryLayout,
    row: EntryRow,
    copy: NewVersion,
    shared_values: SharedValues | None,
) -> None:
    """Postpone what follows from the replacement of a version by ``row``, the copy."""
    if copy.self_links:
        unit.postpone(lambda: link_to_itself(unit.store, copy))
    sync_locales_later(unit, layout, row, shared_values, copied=True)
