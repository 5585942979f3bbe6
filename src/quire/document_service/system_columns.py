"""The columns that the server sets itself: creators and timestamps."""

from quire.database.entries.entry_layout import EntryLayout
from quire.database.program import Value
from quire.database.tables.table_map import ColumnEdge
from quire.document_service.unit_of_work import UnitOfWork


def stamp(unit: UnitOfWork, layout: EntryLayout, **values: object) -> dict[str, Value]:
    """Return automatic attributes by column; timestamps are epoch milliseconds."""
    return unit.encode(layout, values)


def signature(unit: UnitOfWork, layout: EntryLayout, *, creating: bool) -> dict[str, Value]:
    """Return creator and editor of an entry, by column; empty without an administrator."""
    signed = signed_by(unit, layout, creating=creating)
    edges = {name: layout.table.edges[name] for name in signed}
    return {
        edge.column: signed[name] for name, edge in edges.items() if isinstance(edge, ColumnEdge)
    }


def signed_by(unit: UnitOfWork, layout: EntryLayout, *, creating: bool) -> dict[str, int]:
    """Return creator and editor of an entry, by attribute; empty without an administrator."""
    if unit.editor is None:
        return {}
    names = ("createdBy", "updatedBy") if creating else ("updatedBy",)
    return {name: unit.editor for name in names if name in layout.table.edges}
