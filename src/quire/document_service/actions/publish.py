"""Publish: replace the published version by the draft."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from quire.database.entries.copy_version import VersionReplacement, link_to_itself, replace_version
from quire.database.entries.entry_layout import FIRST_PUBLISHED, EntryLayout
from quire.database.entries.versions_query import EntryRow, entries_of
from quire.database.program import Program
from quire.document_service.commands import PublishDocument, WrittenEntry
from quire.document_service.content_types import content_type_of
from quire.document_service.hook_phases import hooked_write
from quire.document_service.known_locales import entry_locale, in_locales
from quire.document_service.parse_input import check_publishable
from quire.document_service.relations import WrittenVersion
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


def publish(unit: UnitOfWork, commands: Sequence[PublishDocument]) -> Program[list[WrittenEntry]]:
    """Publish the drafts of documents; returns their published entries.

    Raises NotFoundError if there is no draft in the locale, and ValidationError for an invalid
    draft and for an unknown locale.
    """
    written: list[WrittenEntry] = []
    for command in commands:
        layout = unit.layout(command.uid)
        if isinstance(command.locale, str):
            yield from entry_locale(unit, layout, command.locale)
        entries = yield from entries_of(unit.store, layout, command.document_id)
        chosen = in_locales(unit, layout, entries, command)
        drafts = by_locale(entry for entry in chosen if not entry.published)
        if not drafts:
            raise NotFoundError
        before = yield from shared_values_before(unit, layout, entries, drafts[0].locale)
        for place, draft in enumerate(drafts):
            if place:
                entries = yield from entries_of(unit.store, layout, command.document_id)
            leading = None if place else before
            written.append((yield from publish_draft(unit, layout, draft, entries, leading)))
    return written


def publish_draft(
    unit: UnitOfWork,
    layout: EntryLayout,
    draft: EntryRow,
    entries: Collection[EntryRow],
    before: SharedValues | None = None,
) -> Program[WrittenEntry]:
    """Publish one draft and replace its published version; ``entries`` are all of its document.

    The published row has the update time of the draft, so that equal times mean that there is
    nothing new to publish. Shared values that differ from ``before`` are published in the other
    published locales too.
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
    )
    if hooked is not None:
        yield from hooked.before()
        # Hooks may have written other versions of the document.
        entries = yield from entries_of(unit.store, layout, draft.document_id)
    yield from check_publishable(unit, layout, draft.id, version, draft.document_id)
    now = unit.tick()
    columns = stamp(unit, layout, publishedAt=now)
    if FIRST_PUBLISHED in layout.model.attributes:
        yield from _stamp_first(unit, layout, draft, now)
    prior = next((e for e in entries if e.published and e.locale == draft.locale), None)
    replacement = VersionReplacement(
        source=draft.id,
        replaced_id=None if prior is None else prior.id,
        published=True,
        siblings=frozenset(entry.id for entry in entries),
    )
    new = yield from replace_version(unit.store, layout, replacement, columns)
    yield from unit.happened(
        EventName.PUBLISH,
        uid=content_type.uid,
        document_id=draft.document_id,
        locale=draft.locale,
        entry_id=new.id,
        published=True,
    )
    live = replace(draft, id=new.id, published=True)
    unit.postpone(lambda: link_to_itself(unit.store, new))
    sync_locales_later(unit, layout, live, before, copied=True)
    if hooked is not None:
        yield from hooked.after(published=True)
    return WrittenEntry(
        uid=content_type.uid,
        document_id=draft.document_id,
        entry_id=new.id,
        locale=draft.locale,
        published=True,
    )


def _stamp_first(unit: UnitOfWork, layout: EntryLayout, draft: EntryRow, now: int) -> Program[None]:
    """Set the time of the first publication on the draft, once."""
    writes = unit.store.writes
    column = layout.table.columns[FIRST_PUBLISHED]
    moment = stamp(unit, layout, **{FIRST_PUBLISHED: now})[column]
    yield from writes.fill(layout.table.name, draft.id, column, moment)
