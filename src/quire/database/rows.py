"""Single rows as statements, for the tables of `build_metadata`.

Content is written elsewhere; this is for the few rows that the server writes for itself.
"""

from collections.abc import Mapping

import orjson
from sqlalchemy import Table

from quire.database.dialect import Dialect
from quire.database.program import Statement, Value
from quire.database.tables import column_kind
from quire.schema.attributes.base import StorageKind


def insert_row(dialect: Dialect, table: Table, row: Mapping[str, object]) -> Statement:
    """Insert a row, given by columns; the statement returns its ``id``.

    Moments are epoch milliseconds. What goes into a JSON column is anything that JSON has a form
    for; other columns take scalars. Raises TypeError for what a column cannot hold.
    """
    insert = table.insert().values(dict(row)).returning(table.c.id)
    compiled = insert.compile(dialect=dialect.sqlalchemy_dialect())
    values = tuple(_encode(dialect, table, name, row[name]) for name in compiled.positiontup or ())
    return Statement(str(compiled), values)


def _encode(dialect: Dialect, table: Table, name: str, value: object) -> Value:
    kind = column_kind(table.c[name])
    if value is None:
        return None
    if kind is StorageKind.JSON:
        return orjson.dumps(value).decode()
    if isinstance(value, str | int | float):
        return dialect.encoder(kind)(value)
    raise TypeError(f"{table.name}.{name} cannot hold {type(value).__name__}")
