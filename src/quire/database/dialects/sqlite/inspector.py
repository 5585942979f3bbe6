"""Reads the tables of a SQLite database."""

from quire.database.program import Program, Statement
from quire.database.tables.description import column_names, found_tables
from quire.database.tables.inspection import ColumnNames, FoundTables

_NAMES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
"""
_COLUMNS = """
SELECT m.name, c.name, lower(c.type), c."notnull", c.dflt_value
FROM sqlite_master AS m, pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY m.name, c.cid
"""
_COLUMNS_OF_TABLE = """
SELECT c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name = ?
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

    def column_names(self) -> Program[ColumnNames]:
        """List the columns of all tables."""
        return column_names((yield Statement(_COLUMNS)))

    def columns_of(self, table: str) -> Program[frozenset[str]]:
        """List the columns of one table: none if it is not there."""
        rows = yield Statement(_COLUMNS_OF_TABLE, (table,))
        return frozenset(str(name) for (name,) in rows)

    def tables(self) -> Program[FoundTables]:
        """Describe all tables, with three statements whatever their number."""
        columns = yield Statement(_COLUMNS)
        indexes = yield Statement(_INDEXES)
        foreign_keys = yield Statement(_FOREIGN_KEYS)
        return found_tables(columns, indexes, foreign_keys)
