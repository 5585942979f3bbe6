"""Discard draft: replace the draft by the published version."""

from collections.abc import Sequence

from msgspec.structs import replace

from quire.database.entries.copy_version import VersionReplacement, link_to_itself, replace_version
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow, entries_of
from quire.database.program import Program
from quire.document_service.commands import DiscardDraft, WrittenEntry
from quire.document_service.hook_phases import hooked_write
from quire.document_service.known_locales import in_locale
from quire.document_service.shared_attributes import (
    SharedValues,
    by_locale,
    shared_values_before,
    sync_locales_later,
)
from quire.document_service.system_columns import stamp
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import NotFoundError
from quire.webhooks.events import EventName


def discard_draft(
    unit: UnitOfWork, commands: Sequence[DiscardDraft]
) -> Program[list[WrittenEntry]]:
    """Replace drafts by their published versions; returns them.

    Raises NotFoundError if nothing is published in the locale.
    """
    written: list[WrittenEntry] = []
    for command in commands:
        layout = unit.layout(command.uid)
        entries = yield from entries_of(unit.store, layout, command.document_id)
        chosen = in_locale(unit, layout, entries, command.locale)
        live = by_locale(entry for entry in chosen if entry.published)
        if not live:
            raise NotFoundError
        before = yield from shared_values_before(unit, layout, entries, live[0].locale)
        for place, entry in enumerate(live):
            if place:
                entries = yield from entries_of(unit.store, layout, command.document_id)
            leading = None if place else before
            written.append((yield from _discard(unit, layout, entry, entries, leading)))
    return written


def _discard(
    unit: UnitOfWork,
    layout: EntryLayout,
    live: EntryRow,
    entries: Sequence[EntryRow],
    before: SharedValues | None,
) -> Program[WrittenEntry]:
    uid = layout.model.uid
    drafts = [entry for entry in entries if not entry.published]
    prior = next((entry for entry in drafts if entry.locale == live.locale), None)
    hooked = hooked_write(
        unit,
        layout,
        "discard_draft",
        document_id=live.document_id,
        locale=live.locale,
        source=prior or live,
    )
    if hooked is not None:
        yield from hooked.before()
        # Hooks may have written other versions of the document.
        entries = yield from entries_of(unit.store, layout, live.document_id)
    replacement = VersionReplacement(
        source=live.id,
        replaced_id=None if prior is None else prior.id,
        published=False,
        siblings=frozenset(entry.id for entry in entries),
    )
    unit.tick()
    new = yield from replace_version(
        unit.store, layout, replacement, stamp(unit, layout, publishedAt=None)
    )
    yield from unit.happened(
        EventName.DRAFT_DISCARD,
        uid=uid,
        document_id=live.document_id,
        locale=live.locale,
        entry_id=new.id,
        published=False,
    )
    draft = replace(live, id=new.id, published=False)
    unit.postpone(lambda: link_to_itself(unit.store, new))
    sync_locales_later(unit, layout, draft, before, copied=True)
    if hooked is not None:
        yield from hooked.after(published=False)
    return WrittenEntry(
        uid=uid,
        document_id=live.document_id,
        entry_id=new.id,
        locale=live.locale,
        published=False,
    )
