"""Reads stored entries in the form in which values are validated."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import ComponentLink, component_links
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program, Row
from quire.schema.attributes.base import ComponentAttribute


def read_stored(store: EntryStore, layout: EntryLayout, row_id: int) -> Program[dict[str, object]]:
    """Return a row's own values and, nested, those of its components, without relations.

    Values are those of JSON, timestamps are epoch milliseconds; components have their ``id``, those
    of dynamic zones ``__component`` too. Raises LookupError when there is no such row.
    """
    entries = yield from read_all_stored(store, layout, [row_id])
    if row_id not in entries:
        raise LookupError(f"{layout.table.name} has no row {row_id}")
    return entries[row_id]


def read_all_stored(
    store: EntryStore, layout: EntryLayout, ids: Sequence[int]
) -> Program[dict[int, dict[str, object]]]:
    """Return rows as `read_stored` does, by their ids, without those that do not exist."""
    scalars = layout.own_scalars
    columns = [layout.table.columns[attribute.name] for attribute in scalars]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        member = store.dialect.member_of(table.c("id"), builder.parents())
        return sa.select(table.c("id"), *(table.c(name) for name in columns)).where(member)

    rows = yield from store.writes.run_listed(("stored", layout.model.uid), build, ids)
    values_by_id = {int(row[0] or 0): _values(store, layout, row) for row in rows}
    links = yield from component_links(store, layout, ids)
    inner = yield from _read_components(store, links)
    _attach_components(layout, values_by_id, links, inner)
    return values_by_id


def _values(store: EntryStore, layout: EntryLayout, row: Row) -> dict[str, object]:
    decode = store.dialect.decode_value
    return {
        attribute.name: decode(attribute.storage, value)
        for attribute, value in zip(layout.own_scalars, row[1:], strict=True)
    }


def _read_components(
    store: EntryStore, links: Sequence[ComponentLink]
) -> Program[dict[tuple[str, int], dict[str, object]]]:
    groups: dict[str, list[int]] = {}
    for link in links:
        groups.setdefault(link.uid, []).append(link.id)
    components: dict[tuple[str, int], dict[str, object]] = {}
    for uid, ids in groups.items():
        values = yield from read_all_stored(store, store.layout(uid), ids)
        for id_, component in values.items():
            components[uid, id_] = component
    return components


def _attach_components(
    layout: EntryLayout,
    rows_by_id: Mapping[int, dict[str, object]],
    links: Sequence[ComponentLink],
    inner: Mapping[tuple[str, int], dict[str, object]],
) -> None:
    """Put components into their entries, in the order of their links."""
    lists: dict[tuple[int, str], list[dict[str, object]]] = {}
    for link in links:
        component = inner.get((link.uid, link.id))
        if component is not None:
            lists.setdefault((link.entity, link.field), []).append(
                {"__component": link.uid, "id": link.id, **component}
            )
    for id_, values in rows_by_id.items():
        for attribute in layout.components:
            components = lists.get((id_, attribute.name), [])
            if isinstance(attribute, ComponentAttribute):
                for component in components:
                    component.pop("__component", None)
            single = isinstance(attribute, ComponentAttribute) and not attribute.repeatable
            values[attribute.name] = (
                (components[0] if components else None) if single else components
            )
