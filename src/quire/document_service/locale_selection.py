"""Selects the locale of a write, and checks that the project has it.

Strapi stores a row under any text. Such a row appears in no list of the admin UI and in no request
without the same text, so a mistyped locale would hide an entry that was created successfully.
"""

from collections.abc import Collection, Iterable

from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow
from quire.database.program import Program
from quire.document_service.commands import AllLocales, DeleteDocument, PublishDocument
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine
from quire.errors import ValidationError
from quire.query.plan import PlanNode, ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.model import LOCALE_UID

_PLAN = ResolvedRead(plan=ReadPlan(root=PlanNode(uid=LOCALE_UID, fields=("code",))), values=())


def in_locale(
    unit: UnitOfWork,
    layout: EntryLayout,
    entries: Collection[EntryRow],
    locale: str | AllLocales | None,
) -> list[EntryRow]:
    """Return the entries of one locale (``None`` is the default one), or of every locale.

    Types that are not localized have a single locale, whatever their rows contain.
    """
    if locale is AllLocales.LOCALE or not layout.is_localized():
        return list(entries)
    locale_code = locale or unit.engine.default_locale
    return [entry for entry in entries if entry.locale == locale_code]


def in_locales(
    unit: UnitOfWork,
    layout: EntryLayout,
    entries: Collection[EntryRow],
    command: DeleteDocument | PublishDocument,
) -> list[EntryRow]:
    """Return the entries of the locales of a command."""
    if command.locales is not None and layout.is_localized():
        return [entry for entry in entries if entry.locale in command.locales]
    return in_locale(unit, layout, entries, command.locale)


def has_unknown_locale(
    unit: UnitOfWork, layout: EntryLayout, locales: Iterable[str | None]
) -> Program[bool]:
    """Return whether one of the locales is not in the project; ``None`` is the default locale.

    Always false for types that are not localized. The default locale is not looked up.
    """
    if not layout.is_localized():
        return False
    codes = {code for code in locales if code is not None} - {unit.engine.default_locale}
    return bool(codes) and not codes.issubset((yield from _codes(unit)))


def entry_locale(
    unit: UnitOfWork, layout: EntryLayout, requested_locale: str | None
) -> Program[str | None]:
    """Return the locale that an entry is written in; ``None`` if the type is not localized.

    Raises ValidationError, which lists the locales of the project, for any other locale.
    """
    if not layout.is_localized():
        return None
    if (yield from has_unknown_locale(unit, layout, [requested_locale])):
        codes = yield from _codes(unit)
        message = f"locale must be one of the following values: {', '.join(codes)}"
        raise ValidationError(message)
    return requested_locale or unit.engine.default_locale


def locale_codes(engine: WriteEngine) -> Program[tuple[str, ...]]:
    """Return the codes of all locales of the project, in the order in which they were added."""
    rows, _ = yield from engine.reads.planned(_PLAN).entries()
    return tuple(str(row["code"]) for row in rows)


def _codes(unit: UnitOfWork) -> Program[tuple[str, ...]]:
    """Return the codes of all locales, read once per transaction."""
    if unit.locale_codes is None:
        unit.locale_codes = yield from locale_codes(unit.engine)
    return unit.locale_codes
