"""Deletes all rows of content types, for imports that replace what a database holds."""

from collections.abc import Collection, Iterator

from quire.database.program import Program, Statement
from quire.database.tables.inspection import Inspector
from quire.database.tables.system import HISTORY_VERSIONS
from quire.database.tables.table_map import (
    ComponentEdge,
    LinkEdge,
    ModelTable,
    MorphListEdge,
    TableMap,
)

_REVISIONS = "quire_revisions"
_WEBHOOK_DELIVERIES = "quire_deliveries"


def delete_all_rows(tables: TableMap, uids: Collection[str], inspector: Inspector) -> Program[None]:
    """Delete all rows of models with their links, components, revisions and webhook deliveries.

    ``uids`` are those of content types and components.
    """
    mapped = [tables[uid] for uid in uids]
    joins = {name for table in mapped for name in _join_tables(table)}
    own = [table.name for table in mapped]
    present = yield from inspector.table_names()
    records = [
        name for name in (HISTORY_VERSIONS, _REVISIONS, _WEBHOOK_DELIVERIES) if name in present
    ]
    for name in (*sorted(joins), *own, *records):
        quoted = name.replace('"', '""')
        yield Statement(f'DELETE FROM "{quoted}"')  # noqa: S608 - a table of the schema


def _join_tables(table: ModelTable) -> Iterator[str]:
    for edge in table.edges.values():
        if isinstance(edge, ComponentEdge | LinkEdge | MorphListEdge):
            yield edge.table
