"""Generates the function that maps rows to records, for each plan.

A row becomes an *item*: a record type made for the plan, whose members are the fields of the plan
in their order, then the populated values, then the name of its kind. Records are created and
encoded faster than dictionaries; their members are accessed by position (`member`), because
attribute names need not be Python names.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec

from quire.database.dialect import Dialect
from quire.database.program import Row
from quire.schema.attributes.base import StorageKind

Item = msgspec.Struct
RowMapper = Callable[[Sequence[Row]], list[Item]]

MappedColumn = tuple[str, StorageKind, int]
"""A member of the response: its name, its column kind, its position in the row."""

_ENCODED = "__quire_encoded__"
"""The attribute of a record type for `encoded_members`."""
_PLAIN_KINDS = frozenset(StorageKind) - {StorageKind.JSON, StorageKind.DECIMAL}
"""Column kinds whose values in items are text, numbers, truth values or ``None``."""

ValueSerializer = Callable[[Any], Any]
"""Converts a value to its presented form at the time of the read."""


def member(position: int) -> str:
    """Return the Python name of an item's member at a position."""
    return f"m{position}"


@lru_cache(1000)
def member_names(record: type[Item]) -> Mapping[str, str]:
    """Return the Python names of the members of items, by their names in responses."""
    return dict(zip(record.__struct_encode_fields__, record.__struct_fields__, strict=True))


def encoded_members(record: type[Item]) -> frozenset[str]:
    """Return the names of members whose values may be JSON, or have a type that JSON does not."""
    names: frozenset[str] = getattr(record, _ENCODED)
    return names


def members(item: Item) -> dict[str, Any]:
    """Return an item as a dictionary of its set members, in their order."""
    values = {name: getattr(item, field) for name, field in member_names(type(item)).items()}
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}


def build_mapper(
    dialect: Dialect,
    columns: Sequence[MappedColumn],
    width: int,
    *,
    edges: Sequence[str] = (),
    kind: tuple[str, str] | None = None,
    computed: Sequence[str] = (),
    presented: Mapping[str, ValueSerializer] = MappingProxyType({}),
) -> RowMapper:
    """Generate the mapper of rows that are ``width`` columns wide.

    ``edges`` are members that are set later, when they are populated; ``kind`` is a member with the
    same value in every item; ``computed`` are the last members, which are set later, too;
    ``presented`` are members whose shown form differs from the stored one. The generated source
    contains positions and decode expressions of the dialect, and nothing from a request.
    """
    names = [name for name, _, _ in columns]
    encoded = frozenset(
        name for name, storage, _ in columns if storage not in _PLAIN_KINDS or name in presented
    )
    record = _define_record(names, edges, kind, computed, encoded)
    expressions = [
        dialect.decode_expression(storage, f"c{position}") for _, storage, position in columns
    ]
    presents = {f"present_{place}": presented.get(name) for place, name in enumerate(names)}
    values = ", ".join(
        f"present_{place}({value})" if presents[f"present_{place}"] else value
        for place, value in enumerate(expressions)
    )
    used_positions = {position for _, _, position in columns}
    targets = [f"c{position}" if position in used_positions else "_" for position in range(width)]
    target = f"({', '.join(targets)},)" if targets else "_"
    source = f"lambda rows: [record({values}) for {target} in rows]"
    mapper: RowMapper = eval(source, {**dialect.decode_names(), **presents, "record": record})  # noqa: S307
    return mapper


def _define_record(
    names: Sequence[str],
    edges: Sequence[str],
    kind: tuple[str, str] | None,
    computed: Sequence[str],
    encoded: frozenset[str],
) -> type[msgspec.Struct]:
    """Create the record type of a plan's rows; ``encoded`` are as in `encoded_members`."""
    fields: list[Any] = [(member(position), Any) for position in range(len(names))]
    edge_positions = range(len(names), len(names) + len(edges))
    fields += [(member(position), Any, msgspec.UNSET) for position in edge_positions]
    wire = [*names, *edges]
    if kind is not None:
        fields.append((member(len(wire)), Any, kind[1]))
        wire.append(kind[0])
    computed_positions = range(len(wire), len(wire) + len(computed))
    fields += [(member(position), Any, msgspec.UNSET) for position in computed_positions]
    wire += computed
    rename = {member(position): name for position, name in enumerate(wire)}
    namespace = {_ENCODED: encoded}
    return msgspec.defstruct("Item", fields, rename=rename, gc=False, namespace=namespace)
