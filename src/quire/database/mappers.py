"""From fetched rows to what JSON shows: a function generated per plan, without a branch per row."""

from collections.abc import Callable, Sequence
from typing import Any

from quire.database.dialect import Dialect
from quire.database.program import Row
from quire.schema.attributes.base import StorageKind

Item = dict[str, Any]
RowMapper = Callable[[Sequence[Row]], list[Item]]

Shown = tuple[str, StorageKind, int]
"""A member of the answer: its name, the kind of its column, its position in the row."""


def build_mapper(dialect: Dialect, shown: Sequence[Shown], width: int) -> RowMapper:
    """Generate the mapper of rows that are ``width`` columns wide.

    The generated source holds positions, decode expressions of the dialect, and the names of
    members as literals; nothing of it comes from a request.
    """
    members = ", ".join(
        f"{name!r}: {dialect.decode_expression(kind, f'c{position}')}"
        for name, kind, position in shown
    )
    used = {position for _, _, position in shown}
    targets = [f"c{position}" if position in used else "_" for position in range(width)]
    source = f"lambda rows: [{{{members}}} for ({', '.join(targets)},) in rows]"
    if not width:
        source = f"lambda rows: [{{{members}}} for _ in rows]"
    mapper: RowMapper = eval(source, dict(dialect.decode_names()))  # noqa: S307 - see above
    return mapper
