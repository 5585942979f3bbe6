"""Checks of PostgreSQL: damaged pages, foreign keys."""

from collections.abc import Collection

from quire.database.dialects.postgresql.ddl import quote
from quire.database.integrity.findings import MAX_IDS, Damage, DamageKind, count_noun
from quire.database.program import Program, Statement

_CHECKSUMS = """
SELECT checksum_failures FROM pg_catalog.pg_stat_database WHERE datname = current_database()
"""
_FOREIGN_KEYS = """
SELECT c.relname::text, a.attname::text, t.relname::text, b.attname::text,
  EXISTS (SELECT 1 FROM pg_catalog.pg_attribute AS i
          WHERE i.attrelid = c.oid AND i.attname = 'id' AND NOT i.attisdropped)
FROM pg_catalog.pg_constraint AS f
JOIN pg_catalog.pg_class AS c ON c.oid = f.conrelid
JOIN pg_catalog.pg_class AS t ON t.oid = f.confrelid
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = f.conkey[1]
JOIN pg_catalog.pg_attribute AS b ON b.attrelid = t.oid AND b.attnum = f.confkey[1]
WHERE f.contype = 'f' AND cardinality(f.conkey) = 1
  AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND t.relnamespace = c.relnamespace
ORDER BY c.relname, a.attnum, t.relname
"""


def damage_program() -> Program[tuple[str, ...]]:
    """Read how many pages were found damaged when they were read, if checksums are on."""
    rows = yield Statement(_CHECKSUMS)
    failures = int(rows[0][0] or 0) if rows else 0
    if not failures:
        return ()
    return (f"{count_noun(failures, 'page')} with a wrong checksum, says pg_stat_database",)


def foreign_keys_program(reported: Collection[str] = ()) -> Program[list[Damage]]:
    """Find rows whose foreign keys refer to missing rows, as loads with disabled triggers leave.

    Tables in ``reported`` are left out, because they were reported already. The remaining tables or
    columns are unknown to the schema, so no repair is offered.
    """
    keys = yield Statement(_FOREIGN_KEYS)
    findings = []
    for table, column, target, key, has_id in keys:
        if table in reported or not has_id:
            continue
        rows = yield Statement(_select_broken(str(table), str(column), str(target), str(key)))
        if rows:
            count = int(rows[0][1] or 0)
            sentence = (
                f"{count_noun(count, 'row')} with a foreign key to a row of {target!s} that is gone"
            )
            ids = tuple(int(id_ or 0) for id_, _ in rows)
            findings.append(
                Damage(
                    kind=DamageKind.FOREIGN_KEY,
                    table=str(table),
                    count=count,
                    ids=ids,
                    sentence=sentence,
                )
            )
    return findings


def _select_broken(table: str, column: str, target: str, key: str) -> str:
    """Return a statement that selects the first rows with broken references, and their number."""
    return (
        f"SELECT s.id, count(*) OVER () FROM {quote(table)} AS s "  # noqa: S608 - names of the database
        f"WHERE s.{quote(column)} IS NOT NULL AND NOT EXISTS "
        f"(SELECT 1 FROM {quote(target)} AS t WHERE t.{quote(key)} = s.{quote(column)}) "
        f"ORDER BY s.id LIMIT {MAX_IDS}"
    )
