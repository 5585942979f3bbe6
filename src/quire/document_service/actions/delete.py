"""Delete: the versions of a document in one, several or all locales."""

from collections.abc import Sequence

from quire.database.entries.components import delete_entries
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow, entries_of, first_document_id
from quire.database.program import Program
from quire.document_service.commands import DeleteDocument, WrittenEntry
from quire.document_service.hook_phases import HookedWrite, hooked_write
from quire.document_service.known_locales import in_locales
from quire.document_service.preconditions import require_unchanged
from quire.document_service.unit_of_work import UnitOfWork
from quire.webhooks.events import EventName


def delete(unit: UnitOfWork, commands: Sequence[DeleteDocument]) -> Program[list[WrittenEntry]]:
    """Delete documents; returns the deleted entries, none if there was nothing.

    Raises PreconditionFailedError for a document that is not as the caller expects.
    """
    deleted: list[WrittenEntry] = []
    for command in commands:
        layout = unit.layout(command.uid)
        document_id = command.document_id
        if document_id is None:
            document_id = yield from first_document_id(unit.store, layout)
        if document_id is None:
            continue
        entries = yield from entries_of(unit.store, layout, document_id)
        chosen = in_locales(unit, layout, entries, command)
        if command.expected is not None:
            drafts = [entry for entry in chosen if not entry.published]
            require_unchanged(next(iter(drafts or chosen), None), command.expected)
        if command.narrowed is not None and chosen:
            rows = yield command.narrowed(document_id)
            ids = {row[0] for row in rows}
            chosen = [entry for entry in chosen if entry.id in ids]
        writes = _hooked(unit, layout, chosen)
        for hooked in writes:
            yield from hooked.before()
        unit.tick()
        for entry in chosen:
            gone = yield from _emit_delete_event(unit, command.uid, entry)
            deleted.append(gone)
        yield from delete_entries(unit.store, layout, [entry.id for entry in chosen])
        for hooked in writes:
            yield from hooked.after(published=None)
    return deleted


def _hooked(unit: UnitOfWork, layout: EntryLayout, chosen: Sequence[EntryRow]) -> list[HookedWrite]:
    """Return one hooked write for each deleted locale; it starts from the draft, if any.

    The list is empty for types without hooks.
    """
    sources = {entry.locale: entry for entry in sorted(chosen, key=_drafts_last)}
    writes = (
        hooked_write(
            unit,
            layout,
            "delete",
            document_id=entry.document_id,
            locale=entry.locale,
            source=entry,
        )
        for entry in sources.values()
    )
    return [hooked for hooked in writes if hooked is not None]


def _drafts_last(entry: EntryRow) -> bool:
    return not entry.published


def _emit_delete_event(unit: UnitOfWork, uid: str, entry: EntryRow) -> Program[WrittenEntry]:
    yield from unit.happened(
        EventName.DELETE,
        uid=uid,
        document_id=entry.document_id,
        locale=entry.locale,
        entry_id=entry.id,
        published=entry.published,
    )
    return WrittenEntry(
        uid=uid,
        document_id=entry.document_id,
        entry_id=entry.id,
        locale=entry.locale,
        published=entry.published,
    )
