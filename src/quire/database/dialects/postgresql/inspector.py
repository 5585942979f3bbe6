"""Reads the tables of a PostgreSQL schema."""

from quire.database.program import Program, Statement
from quire.database.tables.description import column_names, found_tables
from quire.database.tables.inspection import ColumnNames, FoundTables

_NAMES = """
SELECT c.relname::text FROM pg_catalog.pg_class AS c
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND c.relkind IN ('r', 'p')
"""
_COLUMNS = """
SELECT c.relname::text, a.attname::text,
  replace(format_type(a.atttypid, a.atttypmod), 'character varying', 'varchar'), a.attnotnull,
  pg_get_expr(d.adbin, d.adrelid)
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND c.relkind IN ('r', 'p')
ORDER BY c.relname, a.attnum
"""
_COLUMN_NAMES = """
SELECT c.relname::text, a.attname::text FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND c.relkind IN ('r', 'p')
"""
_INDEXES = """
SELECT c.relname::text, i.relname::text, x.indisunique, x.indpred IS NOT NULL, a.attname::text
FROM pg_catalog.pg_index AS x
JOIN pg_catalog.pg_class AS c ON c.oid = x.indrelid
JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k(number, place)
LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND k.place <= x.indnkeyatts
  AND x.indisvalid AND NOT x.indisprimary
ORDER BY c.relname, i.relname, k.place
"""
_FOREIGN_KEYS = """
SELECT c.relname::text, a.attname::text, t.relname::text,
  CASE f.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
    WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END
FROM pg_catalog.pg_constraint AS f
JOIN pg_catalog.pg_class AS c ON c.oid = f.conrelid
JOIN pg_catalog.pg_class AS t ON t.oid = f.confrelid
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = f.conkey[1]
WHERE f.contype = 'f'
  AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
"""


class PostgresInspector:
    """Asks a PostgreSQL database about itself (an `Inspector`)."""

    def table_names(self) -> Program[frozenset[str]]:
        """List the tables, without PostgreSQL's own and those of other schemas."""
        rows = yield Statement(_NAMES)
        return frozenset(str(name) for (name,) in rows)

    def column_names(self) -> Program[ColumnNames]:
        """List the columns of all tables."""
        return column_names((yield Statement(_COLUMN_NAMES)))

    def columns_of(self, table: str) -> Program[frozenset[str]]:
        """List the columns of one table: none if it is not there."""
        rows = yield Statement(f"{_COLUMN_NAMES}  AND c.relname = $1", (table,))
        return frozenset(str(name) for _, name in rows)

    def tables(self) -> Program[FoundTables]:
        """Describe all tables, with three statements whatever their number."""
        columns = yield Statement(_COLUMNS)
        indexes = yield Statement(_INDEXES)
        foreign_keys = yield Statement(_FOREIGN_KEYS)
        return found_tables(columns, indexes, foreign_keys)
