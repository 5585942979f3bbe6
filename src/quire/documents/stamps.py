"""The columns that the server writes by itself: who a row is, and when it was written."""

from quire.database.content.layout import Layout
from quire.database.program import Value
from quire.documents.unit import UnitOfWork


def stamp(unit: UnitOfWork, layout: Layout, **values: object) -> dict[str, Value]:
    """Return automatic attributes by column; moments are epoch milliseconds."""
    return unit.encode(layout, values)


def entry_locale(unit: UnitOfWork, layout: Layout, asked: str | None) -> str | None:
    """Return the locale that an entry is written in: none where the type is not localized."""
    if not layout.is_localized():
        return None
    return asked or unit.engine.default_locale
