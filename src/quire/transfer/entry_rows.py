"""Converts the lines of an archive to rows of tables, and counts those that cannot be stored.

Rows keep their ids of the archive: links, components and files refer to them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from quire.clock import ms_from_iso
from quire.database.copying.values import PortableValue, restorer
from quire.database.dialect import Dialect
from quire.database.program import Value
from quire.database.tables.table_map import (
    BackColumnEdge,
    ColumnEdge,
    ComponentEdge,
    LinkEdge,
    LocalizationsEdge,
    MorphColumnEdge,
    MorphListEdge,
    TableMap,
)
from quire.errors import TransferError
from quire.schema.attributes.base import ComponentAttribute, ScalarAttribute, StorageKind
from quire.schema.model import Component, Model, Schema
from quire.transfer.archive_format import EntityLine, LinkLine

_COMPONENT_KEY = "__component"
_MAX_INT64 = 2**63 - 1
_MIN_INT64 = -(2**63)
_MAX_ID = 2**31 - 1
"""The largest id of a row."""
_ROUNDED_LARGEST = float(2**63)
"""The largest integers of 64 bits as floats, as Strapi writes them."""


class ArchiveRow(NamedTuple):
    """A row to insert. One with ``joins`` refers to rows that have to be inserted before it."""

    table: str
    columns: tuple[str, ...]
    values: tuple[Value, ...]
    joins: bool


class ColumnChange(NamedTuple):
    """Columns to set in an existing row."""

    table: str
    row_id: int
    values: Mapping[str, Value]


class EntryRows:
    """Makes the rows of entries with their components.

    ``known`` has the ids of all rows and components so far, by uid; ``renumbered`` counts
    components that two entries shared and that one of them has a copy of now.
    """

    def __init__(self, schema: Schema, tables: TableMap, dialect: Dialect) -> None:
        self.known: dict[str, set[int]] = defaultdict(set)
        self.renumbered = 0
        self._schema = schema
        self._tables = tables
        self._copies: dict[str, int] = {}
        self._layouts: dict[str, _ModelLayout] = {}
        self._dialect = dialect

    def rows(self, line: EntityLine) -> Iterator[ArchiveRow]:
        """Return the row of a line and those of its components.

        Raises TransferError for a value that its attribute does not accept.
        """
        if line.id in self.known[line.type]:
            raise TransferError(f"{line.type} {line.id} is in the archive twice.")
        yield from self._rows(self._layout(line.type), line.id, line.data, str(line.id))

    def _rows(
        self, layout: "_ModelLayout", row_id: int, data: Mapping[str, object], location: str
    ) -> Iterator[ArchiveRow]:
        uid = layout.model.uid
        if not 0 < row_id <= _MAX_ID:
            raise TransferError(f"{uid} has a row of an impossible id in the archive: {row_id}.")
        self.known[uid].add(row_id)
        values = [row_id]
        yield ArchiveRow(
            layout.table,
            layout.columns,
            (*values, *(encode(data.get(name), location) for name, encode in layout.encoders)),
            joins=False,
        )
        for name, edge in layout.components:
            yield from self._components(layout, row_id, name, edge, data.get(name))

    def _components(
        self, layout: "_ModelLayout", row_id: int, name: str, edge: ComponentEdge, value: object
    ) -> Iterator[ArchiveRow]:
        if value is None:
            return
        is_single = isinstance(value, Mapping)
        location = f"{layout.model.uid} {row_id}: {name}"
        for position, item in enumerate(value if isinstance(value, list) else [value], 1):
            uid, component_id = self._component(layout.model, name, edge, item, location)
            yield from self._rows(self._layout(uid), component_id, item, f"{row_id}, {name}")
            order = None if is_single else float(position)
            yield ArchiveRow(
                edge.table,
                edge.columns,
                (row_id, component_id, uid, edge.field, order),
                joins=True,
            )

    def _component(
        self, model: Model, name: str, edge: ComponentEdge, item: object, location: str
    ) -> tuple[str, int]:
        """Return the uid and the id that a component gets."""
        if not isinstance(item, Mapping):
            raise TransferError(f"{location} is no component.")
        attribute = model.attributes[name]
        uid = item.get(_COMPONENT_KEY)
        if isinstance(attribute, ComponentAttribute):
            uid = attribute.component
        if not isinstance(uid, str) or uid not in edge.components:
            raise TransferError(f"{location} cannot hold the component {uid}.")
        component_id = item.get("id")
        if not isinstance(component_id, int) or isinstance(component_id, bool):
            raise TransferError(f"{location} has a component without an id.")
        if component_id in self.known[uid]:
            self.renumbered += 1
            highest = self._copies.get(uid) or max(self.known[uid]) + _COPIES_FROM
            component_id = self._copies[uid] = highest + 1
        return uid, component_id

    def _layout(self, uid: str) -> "_ModelLayout":
        layout = self._layouts.get(uid)
        if layout is None:
            layout = self._layouts[uid] = _layout(
                self._schema.model(uid), self._tables, self._dialect
            )
        return layout


_COPIES_FROM = 1_000_000
"""Copies of components get ids well above those of the archive, which are not sorted."""


class LinkRows:
    """Makes the rows of links. Those to missing rows are left out and counted."""

    def __init__(
        self, schema: Schema, tables: TableMap, known_ids: Mapping[str, set[int]], dialect: Dialect
    ) -> None:
        """``known_ids`` has the ids of all rows by uid."""
        self.dangling = 0
        self._schema = schema
        self._tables = tables
        self._known = known_ids
        self._order = restorer(dialect, StorageKind.FLOAT)

    def row(self, line: LinkLine) -> ArchiveRow | ColumnChange | None:
        """Return what stores a link, ``None`` for one that needs no row.

        Raises TransferError for one whose attribute does not store links.
        """
        left, right = line.left, line.right
        if not self._is_known_type(left.type) or not self._is_known_type(right.type):
            self.dangling += 1
            return None
        table = self._tables[left.type]
        edge = table.edges.get(left.field or "")
        if isinstance(edge, LocalizationsEdge):
            return None
        source_id, target_id = left.ref, right.ref
        if not isinstance(source_id, int) or not isinstance(target_id, int):
            raise TransferError(f"{left.type}.{left.field} is linked by something else than ids.")
        if source_id not in self._known[left.type] or target_id not in self._known[right.type]:
            self.dangling += 1
            return None
        match edge:
            case LinkEdge():
                self._check_target(edge.target, line)
                return self._link(edge, line, source_id, target_id)
            case MorphListEdge():
                values = (source_id, target_id, right.type, right.field, self._order(right.pos))
                return ArchiveRow(edge.table, edge.columns, values, joins=True)
            case ColumnEdge():
                self._check_target(edge.target, line)
                return ColumnChange(table.name, source_id, {edge.column: target_id})
            case BackColumnEdge():
                self._check_target(edge.target, line)
                return ColumnChange(
                    self._tables[right.type].name, target_id, {edge.column: source_id}
                )
            case MorphColumnEdge():
                return ColumnChange(
                    table.name, source_id, {edge.id_column: target_id, edge.type_column: right.type}
                )
            case _:
                raise TransferError(f"{left.type} stores no links in {left.field}.")

    def _link(self, edge: LinkEdge, line: LinkLine, source_id: int, target_id: int) -> ArchiveRow:
        values = [source_id, target_id]
        for column, position in ((edge.order, line.left.pos), (edge.inverse_order, line.right.pos)):
            if column is not None:
                values.append(self._order(position))  # type: ignore[arg-type]  # a number or None
        return ArchiveRow(edge.table, edge.columns, tuple(values), joins=True)

    def _is_known_type(self, uid: str) -> bool:
        return uid in self._tables.tables

    @staticmethod
    def _check_target(target: str, line: LinkLine) -> None:
        if target != line.right.type:
            raise TransferError(
                f"{line.left.type}.{line.left.field} leads to {target}, "
                f"and in the archive to {line.right.type}."
            )


_Encode = Callable[[object, str], Value]


class _ModelLayout(Struct, frozen=True, kw_only=True):
    """How the values of a model are stored: its columns, their encoders, its components."""

    model: Model
    table: str
    columns: tuple[str, ...]
    encoders: tuple[tuple[str, _Encode], ...]
    components: tuple[tuple[str, ComponentEdge], ...] = field(default=())


def _layout(model: Model, tables: TableMap, dialect: Dialect) -> _ModelLayout:
    table = tables[model.uid]
    scalars = [scalar for scalar in model.scalars if scalar.name != "id"]
    return _ModelLayout(
        model=model,
        table=table.name,
        columns=("id", *(table.columns[scalar.name] for scalar in scalars)),
        encoders=tuple((scalar.name, _encoder(model, scalar, dialect)) for scalar in scalars),
        components=table.edges_of(ComponentEdge),
    )


def _encoder(model: Model, attribute: ScalarAttribute, dialect: Dialect) -> _Encode:
    """Return a function that converts a value of an archive to that of a column."""
    reduce = _PORTABLE_VALUES.get(attribute.storage, _text)
    restore = restorer(dialect, attribute.storage)
    kind = "component" if isinstance(model, Component) else "entry"

    def encode(value: object, location: str) -> Value:
        if value is None:
            return None
        try:
            return restore(reduce(value))
        except (TypeError, ValueError, OverflowError) as error:
            value_text = f"{value!r}"[:80]
            raise TransferError(
                f"{model.uid}.{attribute.name} of {kind} {location} cannot be {value_text}."
            ) from error

    return encode


def _text(value: object) -> PortableValue:
    if not isinstance(value, str):
        raise TypeError
    if "\0" in value:
        raise ValueError
    return value


def _json(value: object) -> PortableValue:
    return msgspec.json.encode(value).decode()


def _moment(value: object) -> PortableValue:
    if not isinstance(value, str):
        raise TypeError
    return ms_from_iso(value)


def _parse_integer(value: object) -> PortableValue:
    """Parse an integer of 64 bits, which may be text and rounded to a float."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError
    if isinstance(value, float) and not value.is_integer():
        raise ValueError
    number = int(value)
    if float(number) == _ROUNDED_LARGEST:
        return _MAX_INT64
    if float(number) == -_ROUNDED_LARGEST:
        return _MIN_INT64
    if not _MIN_INT64 <= number <= _MAX_INT64:
        raise OverflowError
    return number


def _convert_number(value: object) -> PortableValue:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return value


def _convert_boolean(value: object) -> PortableValue:
    if not isinstance(value, bool):
        raise TypeError
    return value


_PORTABLE_VALUES: Mapping[StorageKind, Callable[[object], PortableValue]] = {
    StorageKind.JSON: _json,
    StorageKind.DATETIME: _moment,
    StorageKind.TIMESTAMP: _moment,
    StorageKind.ID: _parse_integer,
    StorageKind.INTEGER: _parse_integer,
    StorageKind.BIGINTEGER: _parse_integer,
    StorageKind.FLOAT: _convert_number,
    StorageKind.DECIMAL: _convert_number,
    StorageKind.BOOLEAN: _convert_boolean,
}


def group_rows(
    rows: Sequence[ArchiveRow],
) -> Mapping[tuple[str, tuple[str, ...]], list[Sequence[Value]]]:
    """Group the values of rows by their table and columns."""
    values_by_table: dict[tuple[str, tuple[str, ...]], list[Sequence[Value]]] = {}
    for row in rows:
        values_by_table.setdefault((row.table, row.columns), []).append(row.values)
    return values_by_table
