"""Values of attributes as columns of files and folders."""

from collections.abc import Mapping

from quire.database.entries.store import EntryStore
from quire.database.program import Value
from quire.database.tables.table_map import ColumnEdge
from quire.schema.attributes.base import ScalarAttribute, StorageKind

AUTHORS = ("createdBy", "updatedBy")


def encode_columns(store: EntryStore, uid: str, values: Mapping[str, object]) -> dict[str, Value]:
    """Return the columns of values by attribute; authors are ids of administrators.

    Raises TypeError for what a column cannot hold, KeyError for unknown attributes.
    """
    layout = store.layout(uid)
    row: dict[str, Value] = {}
    for name, value in values.items():
        edge = layout.table.edges.get(name)
        if isinstance(edge, ColumnEdge):
            row[edge.column] = value if isinstance(value, int) else None
            continue
        attribute = layout.model.attributes[name]
        if not isinstance(attribute, ScalarAttribute):
            raise TypeError(f"{uid}.{name} is no column")
        row[layout.table.columns[name]] = _value(store, attribute.storage, value)
    return row


def _value(store: EntryStore, kind: StorageKind, value: object) -> Value:
    if value is None:
        return None
    if kind is StorageKind.JSON:
        return store.dialect.encode_json(value)
    if isinstance(value, str | int | float):
        return store.dialect.encoder(kind)(value)
    raise TypeError(f"a {kind.name} column cannot hold {type(value).__name__}")
