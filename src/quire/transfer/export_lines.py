"""The program that reads the content of a database as lines of an archive."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from msgspec import Struct, field

from quire.clock import iso_from_ms
from quire.content_manager.review.workflows import REVIEW_ROLES_KEY
from quire.database.content_rows import ContentRows
from quire.database.copying.values import reducer
from quire.database.entries.components import component_links
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program, Row, Statement, Value
from quire.database.stores.auth_rows import CUSTOM_GRANTS_KEY
from quire.database.stores.core_store import decode_setting
from quire.database.stores.webhooks import Webhooks
from quire.database.tables.table_map import (
    ColumnEdge,
    Edge,
    LinkEdge,
    MorphColumnEdge,
    MorphListEdge,
)
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    RelationAttribute,
    StorageKind,
)
from quire.schema.model import FILE_UID, Model, Schema
from quire.transfer.import_program import is_exported, is_exported_setting
from quire.transfer.review_roles import archived_review_roles

_ROWS_AT_ONCE = 500
_MOMENTS = frozenset({StorageKind.DATETIME, StorageKind.TIMESTAMP})
_CREATORS = frozenset({"createdBy", "updatedBy"})

Write = Callable[[object], None]
"""Takes a line."""


class ExportLines(Struct, frozen=True, kw_only=True):
    """The destinations of the lines of each stage.

    ``files`` collects the rows of the media library.
    """

    entities: Write
    links: Write
    configuration: Write
    files: list[dict[str, Any]] = field(default_factory=list)


def export_program(store: EntryStore, lines: ExportLines) -> Program[None]:
    """Read all content in one snapshot; run it on a connection of its own."""
    yield Statement("BEGIN")
    export = _LineExport(store=store, lines=lines, rows=ContentRows(store.writes))
    models = [model for model in store.schema.models() if is_exported(model.uid)]
    for content_type in store.schema.content_types.values():
        if is_exported(content_type.uid):
            yield from export.entries(content_type)
    for model in models:
        yield from export.links(model)
    yield from export.configuration()
    yield Statement("COMMIT")


class _LineExport(Struct, frozen=True, kw_only=True):
    store: EntryStore
    lines: ExportLines
    rows: ContentRows
    written_ids: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The ids of all written rows and components, by uid."""

    @property
    def schema(self) -> Schema:
        return self.store.schema

    def entries(self, model: Model) -> Program[None]:
        """Write the rows of a content type with their components."""
        columns = _columns(self.store, model)
        last_id = 0
        while True:
            table = self.store.tables[model.uid].name
            rows = yield from self.rows.page(table, columns, after=last_id, size=_ROWS_AT_ONCE)
            data_by_id = {_id(row): self._values(model, row) for row in rows}
            yield from self._components(model, data_by_id)
            for row_id, data in data_by_id.items():
                self.written_ids[model.uid].add(row_id)
                self.lines.entities({"type": model.uid, "id": row_id, "data": data})
                if model.uid == FILE_UID:
                    self.lines.files.append({"id": row_id, **data})
            if len(rows) < _ROWS_AT_ONCE:
                return
            last_id = _id(rows[-1])

    def links(self, model: Model) -> Program[None]:
        """Write the links that a model owns."""
        for name, edge in self.store.tables[model.uid].edges.items():
            attribute = model.attributes[name]
            if name in _CREATORS or not isinstance(attribute, RelationAttribute):
                continue
            link_storage = _link_storage(self.store, model, edge)
            if link_storage is None:
                continue
            table, columns, line = link_storage
            last_id = 0
            while True:
                rows = yield from self.rows.page(table, columns, after=last_id, size=_ROWS_AT_ONCE)
                for row in rows:
                    self._link(line(attribute, row))
                if len(rows) < _ROWS_AT_ONCE:
                    break
                last_id = _id(rows[-1])

    def configuration(self) -> Program[None]:
        """Write the settings and webhooks."""
        rows = yield from self.rows.settings()
        for row_id, key, stored_value, type_, environment, tag in rows:
            if not is_exported_setting(str(key)):
                continue
            value = decode_setting(stored_value)
            if key == CUSTOM_GRANTS_KEY:
                value = {"roles": value.get("roles", {}) if isinstance(value, Mapping) else {}}
            elif key == REVIEW_ROLES_KEY:
                value = yield from archived_review_roles(self.store, value)
            self.lines.configuration(
                {
                    "type": "core-store",
                    "value": {
                        "id": row_id,
                        "key": key,
                        "value": value,
                        "type": type_,
                        "environment": environment,
                        "tag": tag,
                    },
                }
            )
        for webhook in (yield from Webhooks(self.store.writes).all()):
            self.lines.configuration({"type": "webhook", "value": webhook})

    def _values(self, model: Model, row: Row) -> dict[str, Any]:
        """Return the values of a row by attribute, without its id."""
        scalars = [attribute for attribute in model.scalars if attribute.name != "id"]
        return {
            scalar.name: self._value(scalar.storage, value)
            for scalar, value in zip(scalars, row[1:], strict=True)
        }

    def _value(self, kind: StorageKind, stored_value: Value) -> object:
        if stored_value is None:
            return None
        dialect = self.store.dialect
        if kind is StorageKind.JSON:
            return dialect.decode_value(kind, stored_value)
        if kind in _MOMENTS:
            moment = dialect.epoch_ms(stored_value)
            return None if moment is None else iso_from_ms(moment)
        value = reducer(dialect, kind)(stored_value)
        if kind is StorageKind.BIGINTEGER:
            return str(value)
        return float(value) if isinstance(value, Decimal) else value

    def _components(self, model: Model, entries: Mapping[int, dict[str, Any]]) -> Program[None]:
        """Add the components of rows to their values, at every depth."""
        layout = self.store.layout(model.uid)
        for part in layout.components:
            attribute = model.attributes[part.name]
            for data in entries.values():
                data[part.name] = None if _is_single(attribute) else []
        links = yield from component_links(self.store, layout, tuple(entries))
        by_uid: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
        for uid in dict.fromkeys(link.uid for link in links):
            component = self.schema.components[uid]
            ids = [link.id for link in links if link.uid == uid]
            rows_by_id = yield from self.rows.by_id(self.store.tables[uid], ids)
            by_uid[uid] = {
                row_id: self._values(component, row) for row_id, row in rows_by_id.items()
            }
            yield from self._components(component, by_uid[uid])
        for link in links:
            values = by_uid[link.uid].get(link.id)
            if values is None or link.field not in model.attributes:
                continue
            attribute = model.attributes[link.field]
            self.written_ids[link.uid].add(link.id)
            item = {"id": link.id, **values}
            if not isinstance(attribute, ComponentAttribute):
                item["__component"] = link.uid
            if _is_single(attribute):
                entries[link.entity][link.field] = item
            else:
                entries[link.entity][link.field].append(item)

    def _link(self, line: "_LinkRow") -> None:
        """Write a link, unless one of its ends is not in the archive."""
        left, right = line.left, line.right
        if (
            left["ref"] in self.written_ids[left["type"]]
            and right["ref"] in self.written_ids[right["type"]]
        ):
            self.lines.links(
                {"kind": line.kind, "relation": line.relation, "left": left, "right": right}
            )


class _LinkRow(Struct, frozen=True):
    kind: str
    relation: str
    left: dict[str, Any]
    right: dict[str, Any]


_LineOf = Callable[[RelationAttribute, Row], _LinkRow]


def _link_storage(
    store: EntryStore, model: Model, edge: Edge
) -> tuple[str, Sequence[str], _LineOf] | None:
    """Return where the links of an edge are stored, and a function that makes a line of a row.

    ``None`` for an edge whose other side stores them.
    """
    table = store.tables[model.uid].name
    match edge:
        case LinkEdge(owning=True):

            def linked(attribute: RelationAttribute, row: Row) -> _LinkRow:
                _, source, target, *positions = row
                order_values = dict(zip(edge.orders, positions, strict=True))
                return _relation_link(
                    model,
                    attribute,
                    (source, order_values.get(edge.order or "")),
                    (target, order_values.get(edge.inverse_order or "")),
                )

            return edge.table, edge.columns, linked
        case MorphListEdge():

            def morphed(attribute: RelationAttribute, row: Row) -> _LinkRow:
                _, source, target, type_, name, order = row
                return _morph_link(model, attribute, source, _end(type_, name, target, order))

            return edge.table, edge.columns, morphed
        case ColumnEdge():
            return (
                table,
                edge.columns,
                lambda attribute, row: _relation_link(
                    model, attribute, (row[0], None), (row[1], None)
                ),
            )
        case MorphColumnEdge():
            return (
                table,
                edge.columns,
                lambda attribute, row: _morph_link(
                    model, attribute, row[0], _end(row[2], None, row[1], None)
                ),
            )
        case _:
            return None


def _relation_link(
    model: Model,
    attribute: RelationAttribute,
    source: tuple[Value, Value],
    target: tuple[Value, Value],
) -> _LinkRow:
    return _LinkRow(
        "relation.circular" if attribute.target == model.uid else "relation.basic",
        attribute.relation,
        _end(model.uid, attribute.name, *source),
        _end(attribute.target, attribute.inversed_by, *target),
    )


def _morph_link(
    model: Model, attribute: RelationAttribute, source: Value, right: dict[str, Any]
) -> _LinkRow:
    left = _end(model.uid, attribute.name, source, None)
    return _LinkRow("relation.morph", attribute.relation, left, right)


def _end(type_: Value, name: Value, row_id: Value, position: Value) -> dict[str, Any]:
    end: dict[str, Any] = {"type": type_, "ref": row_id}
    if name is not None:
        end["field"] = name
    if isinstance(position, int | float):
        end["pos"] = int(position) if float(position).is_integer() else position
    return end


def _is_single(attribute: Attribute) -> bool:
    return isinstance(attribute, ComponentAttribute) and not attribute.repeatable


def _columns(store: EntryStore, model: Model) -> list[str]:
    table = store.tables[model.uid]
    return [table.columns[scalar.name] for scalar in model.scalars if scalar.name != "id"]


def _id(row: Row) -> int:
    return int(row[0] or 0)
