"""What a SQLite database says of its own tables."""

from collections import defaultdict
from types import MappingProxyType

from quire.database.inspect import (
    FoundColumn,
    FoundForeignKey,
    FoundIndex,
    FoundTable,
    FoundTables,
)
from quire.database.program import Program, Rows, Statement

_NAMES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
"""
_COLUMNS = """
SELECT m.name, c.name, lower(c.type), c."notnull", c.dflt_value
FROM sqlite_master AS m, pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY m.name, c.cid
"""
_INDEXES = """
SELECT m.name, i.name, i."unique", i.partial, c.name
FROM sqlite_master AS m, pragma_index_list(m.name) AS i, pragma_index_info(i.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY m.name, i.name, c.seqno
"""
_FOREIGN_KEYS = """
SELECT DISTINCT m.name, f."from", f."table", upper(f.on_delete)
FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
"""


class SqliteInspector:
    """Asks a SQLite database about itself (an `Inspector`)."""

    def table_names(self) -> Program[frozenset[str]]:
        """List the tables, without SQLite's own."""
        rows = yield Statement(_NAMES)
        return frozenset(str(name) for (name,) in rows)

    def tables(self) -> Program[FoundTables]:
        """Describe all tables, with three statements whatever their number."""
        columns = _columns((yield Statement(_COLUMNS)))
        indexes = _indexes((yield Statement(_INDEXES)))
        foreign_keys = _foreign_keys((yield Statement(_FOREIGN_KEYS)))
        return MappingProxyType(
            {
                name: FoundTable(
                    name=name,
                    columns=MappingProxyType(found),
                    indexes=MappingProxyType(indexes[name]),
                    foreign_keys=frozenset(foreign_keys[name]),
                )
                for name, found in columns.items()
            }
        )


def _columns(rows: Rows) -> dict[str, dict[str, FoundColumn]]:
    found: dict[str, dict[str, FoundColumn]] = defaultdict(dict)
    for table, name, kind, not_null, default in rows:
        found[str(table)][str(name)] = FoundColumn(
            name=str(name),
            type=str(kind),
            nullable=not not_null,
            default=None if default is None else str(default),
        )
    return found


def _indexes(rows: Rows) -> dict[str, dict[str, FoundIndex]]:
    """Gather the columns of each index; an expression has no name and stands as ``""``."""
    found: dict[str, dict[str, FoundIndex]] = defaultdict(dict)
    for table, name, unique, partial, column in rows:
        known = found[str(table)].get(str(name))
        earlier = known.columns if known is not None else ()
        found[str(table)][str(name)] = FoundIndex(
            name=str(name),
            columns=(*earlier, "" if column is None else str(column)),
            unique=bool(unique),
            partial=bool(partial),
        )
    return found


def _foreign_keys(rows: Rows) -> dict[str, set[FoundForeignKey]]:
    found: dict[str, set[FoundForeignKey]] = defaultdict(set)
    for table, column, target, on_delete in rows:
        found[str(table)].add(
            FoundForeignKey(column=str(column), target=str(target), on_delete=str(on_delete))
        )
    return found
