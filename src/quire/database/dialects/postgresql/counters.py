"""The sequences of PostgreSQL tables."""

from collections.abc import Mapping

from quire.database.dialects.postgresql.ddl import quote
from quire.database.program import Program, Statement

_READ = """
SELECT t.relname::text, pg_catalog.pg_sequence_last_value(s.oid)
FROM pg_catalog.pg_class AS s
JOIN pg_catalog.pg_depend AS d ON d.objid = s.oid AND d.deptype IN ('a', 'i')
  AND d.classid = 'pg_catalog.pg_class'::regclass
JOIN pg_catalog.pg_class AS t ON t.oid = d.refobjid
WHERE s.relkind = 'S'
  AND t.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
"""


class PostgresCounters:
    """See `quire.database.target.Counters`."""

    def read(self) -> Program[Mapping[str, int]]:
        """Return the highest id that each table has given."""
        rows = yield Statement(_READ)
        return {str(name): int(highest) for name, highest in rows if highest is not None}

    def raise_to(self, table: str, highest: int) -> Program[None]:
        """Let the next id of a table be higher than this, and than those of its rows."""
        name = quote(table)
        text = name.replace("'", "''")
        yield Statement(
            f"SELECT setval(pg_get_serial_sequence('{text}', 'id'), "  # noqa: S608 - a table's name
            f"greatest($1::bigint, found.id, 1), greatest($1::bigint, found.id) > 0) "
            f"FROM (SELECT coalesce(max(id), 0) AS id FROM {name}) AS found "
            f"WHERE pg_get_serial_sequence('{text}', 'id') IS NOT NULL",
            (highest,),
        )
