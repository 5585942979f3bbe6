"""Tables of a database, built from the rows of its own description."""

from collections import defaultdict
from types import MappingProxyType

from quire.database.program import Rows
from quire.database.tables.inspection import (
    ColumnNames,
    FoundColumn,
    FoundForeignKey,
    FoundIndex,
    FoundTable,
    FoundTables,
)


def found_tables(columns: Rows, indexes: Rows, foreign_keys: Rows) -> FoundTables:
    """Build tables from their description.

    Rows of ``columns`` are table, name, type, whether it is NOT NULL, and its default; of
    ``indexes`` table, name, whether it is unique, whether it is partial, and one of its columns, in
    their order; of ``foreign_keys`` table, column, target and delete action, in capitals.
    """
    of_table, keys = _indexes(indexes), _foreign_keys(foreign_keys)
    return MappingProxyType(
        {
            name: FoundTable(
                name=name,
                columns=MappingProxyType(columns_by_name),
                indexes=MappingProxyType(of_table[name]),
                foreign_keys=frozenset(keys[name]),
            )
            for name, columns_by_name in _columns(columns).items()
        }
    )


def column_names(columns: Rows) -> ColumnNames:
    """Group the names of columns by table; for the rows see `found_tables`."""
    names: dict[str, set[str]] = defaultdict(set)
    for table, name, *_ in columns:
        names[str(table)].add(str(name))
    return {table: frozenset(column_set) for table, column_set in names.items()}


def _columns(rows: Rows) -> dict[str, dict[str, FoundColumn]]:
    columns_by_table: dict[str, dict[str, FoundColumn]] = defaultdict(dict)
    for table, name, kind, not_null, default in rows:
        columns_by_table[str(table)][str(name)] = FoundColumn(
            name=str(name),
            type=str(kind),
            nullable=not not_null,
            default=None if default is None else str(default),
        )
    return columns_by_table


def _indexes(rows: Rows) -> dict[str, dict[str, FoundIndex]]:
    """Group the columns of each index; an expression has the name ``""``."""
    indexes_by_table: dict[str, dict[str, FoundIndex]] = defaultdict(dict)
    for table, name, unique, partial, column in rows:
        index = indexes_by_table[str(table)].get(str(name))
        previous_columns = index.columns if index is not None else ()
        indexes_by_table[str(table)][str(name)] = FoundIndex(
            name=str(name),
            columns=(*previous_columns, "" if column is None else str(column)),
            unique=bool(unique),
            partial=bool(partial),
        )
    return indexes_by_table


def _foreign_keys(rows: Rows) -> dict[str, set[FoundForeignKey]]:
    foreign_keys_by_table: dict[str, set[FoundForeignKey]] = defaultdict(set)
    for table, column, target, on_delete in rows:
        foreign_keys_by_table[str(table)].add(
            FoundForeignKey(column=str(column), target=str(target), on_delete=str(on_delete))
        )
    return foreign_keys_by_table
