"""Generates the function that maps rows to records, for each plan.

A row becomes an *item*: a record type made for the plan, whose members are the fields of the plan
in their order, then what is populated, then what tells its kind. Records are made and written
faster than dictionaries; their members are reached by position (`member`), because names of
attributes need not be names of Python.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from quire.database.dialect import Dialect
from quire.database.program import Row
from quire.schema.attributes.base import StorageKind

Item = msgspec.Struct
RowMapper = Callable[[Sequence[Row]], list[Item]]

Shown = tuple[str, StorageKind, int]
"""A member of the answer: its name, the kind of its column, its position in the row."""

Present = Callable[[Any], Any]
"""Turns a value into what is shown of it at the moment."""


def member(position: int) -> str:
    """Return the Python name of an item's member at a position."""
    return f"m{position}"


def members(item: Item) -> dict[str, Any]:
    """Return an item as a dictionary of its present members, in their order."""
    present = {
        name: getattr(item, field)
        for name, field in zip(item.__struct_encode_fields__, item.__struct_fields__, strict=True)
    }
    return {name: value for name, value in present.items() if value is not msgspec.UNSET}


def build_mapper(
    dialect: Dialect,
    shown: Sequence[Shown],
    width: int,
    *,
    edges: Sequence[str] = (),
    kind: tuple[str, str] | None = None,
    presented: Mapping[str, Present] = MappingProxyType({}),
) -> RowMapper:
    """Generate the mapper of rows that are ``width`` columns wide.

    ``edges`` are members that are set later, when they are populated; ``kind`` is a last member
    with the same value in every item; ``presented`` are members that are shown otherwise than they
    are stored. The generated source holds positions and decode expressions
    of the dialect; nothing of it comes from a request.
    """
    names = [name for name, _, _ in shown]
    record = _record(names, edges, kind)
    decoded = [dialect.decode_expression(storage, f"c{position}") for _, storage, position in shown]
    presents = {f"present_{place}": presented.get(name) for place, name in enumerate(names)}
    values = ", ".join(
        f"present_{place}({value})" if presents[f"present_{place}"] else value
        for place, value in enumerate(decoded)
    )
    used = {position for _, _, position in shown}
    targets = [f"c{position}" if position in used else "_" for position in range(width)]
    target = f"({', '.join(targets)},)" if targets else "_"
    source = f"lambda rows: [record({values}) for {target} in rows]"
    mapper: RowMapper = eval(source, {**dialect.decode_names(), **presents, "record": record})  # noqa: S307
    return mapper


def _record(
    names: Sequence[str], edges: Sequence[str], kind: tuple[str, str] | None
) -> type[msgspec.Struct]:
    """Make the record type of a plan's rows."""
    fields: list[Any] = [(member(position), Any) for position in range(len(names))]
    later = range(len(names), len(names) + len(edges))
    fields += [(member(position), Any, msgspec.UNSET) for position in later]
    wire = [*names, *edges]
    if kind is not None:
        fields.append((member(len(wire)), Any, kind[1]))
        wire.append(kind[0])
    rename = {member(position): name for position, name in enumerate(wire)}
    return msgspec.defstruct("Item", fields, rename=rename, gc=False)
