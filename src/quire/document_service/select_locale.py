"""Selects among the entries of a document by locale."""

from collections.abc import Collection

from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow
from quire.document_service.commands import AllLocales, DeleteDocument, PublishDocument
from quire.document_service.unit_of_work import UnitOfWork


def in_locale(
    unit: UnitOfWork,
    layout: EntryLayout,
    entries: Collection[EntryRow],
    locale: str | AllLocales | None,
) -> list[EntryRow]:
    """Return the entries of one locale (``None`` is the default one), or of every locale.

    Types that are not localized have a single locale, whatever their rows say.
    """
    if locale is AllLocales.LOCALE or not layout.is_localized():
        return list(entries)
    wanted = locale or unit.engine.default_locale
    return [entry for entry in entries if entry.locale == wanted]


def in_locales(
    unit: UnitOfWork,
    layout: EntryLayout,
    entries: Collection[EntryRow],
    command: DeleteDocument | PublishDocument,
) -> list[EntryRow]:
    """Return the entries of the locale or the locales that an intent is about."""
    if command.locales is not None and layout.is_localized():
        return [entry for entry in entries if entry.locale in command.locales]
    return in_locale(unit, layout, entries, command.locale)
