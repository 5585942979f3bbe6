"""Unpublish: remove the published version; the draft stays as it is."""

from collections.abc import Sequence

from quire.database.entries.components import delete_entries
from quire.database.entries.versions_query import entries_of
from quire.database.program import Program
from quire.document_service.commands import UnpublishDocument, WrittenEntry
from quire.document_service.hook_phases import hooked_write
from quire.document_service.known_locales import in_locale
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import NotFoundError
from quire.webhooks.events import EventName


def unpublish(
    unit: UnitOfWork, commands: Sequence[UnpublishDocument]
) -> Program[list[WrittenEntry]]:
    """Remove published versions; returns the remaining drafts.

    Raises NotFoundError for a document without an entry in the locale.
    """
    written: list[WrittenEntry] = []
    for command in commands:
        layout = unit.layout(command.uid)
        entries = yield from entries_of(unit.store, layout, command.document_id)
        chosen = in_locale(unit, layout, entries, command.locale)
        if not chosen:
            raise NotFoundError
        live = [entry for entry in chosen if entry.published]
        writes = [
            hooked_write(
                unit,
                layout,
                "unpublish",
                document_id=entry.document_id,
                locale=entry.locale,
                source=entry,
            )
            for entry in live
        ]
        for hooked in writes:
            if hooked is not None:
                yield from hooked.before()
        unit.tick()
        for entry in live:
            yield from unit.happened(
                EventName.UNPUBLISH,
                uid=command.uid,
                document_id=entry.document_id,
                locale=entry.locale,
                entry_id=entry.id,
                published=True,
            )
        yield from delete_entries(unit.store, layout, [entry.id for entry in live])
        for hooked in writes:
            if hooked is not None:
                yield from hooked.after(published=None)
        written += [
            WrittenEntry(
                uid=command.uid,
                document_id=entry.document_id,
                entry_id=entry.id,
                locale=entry.locale,
                published=False,
            )
            for entry in chosen
            if not entry.published
        ]
    return written
