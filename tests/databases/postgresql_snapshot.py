"""The rows of a PostgreSQL database, to be restored while it is served (a `RowSnapshot`)."""

from tests.postgresql.session import Row, Session

_SEQUENCES = """
SELECT c.oid::int, quote_ident(c.relname) FROM pg_class AS c
WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace
"""
_RESTART = """
SELECT setval(c.oid, coalesce(b.last_value, 1), coalesce(b.is_called, false))
FROM pg_class AS c LEFT JOIN sequences_before AS b ON b.oid = c.oid
WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace
  AND pg_sequence_last_value(c.oid) IS DISTINCT FROM CASE WHEN b.is_called THEN b.last_value END
"""


class PostgresqlSnapshot:
    """See `RowSnapshot`.

    The rows are kept in temporary tables, which nobody else sees. A table was changed if it has
    another number of rows or a row of a younger transaction.
    """

    def __init__(self, url: str) -> None:
        """The database is there."""
        self._session = Session(url)
        # Foreign keys do not matter while rows are restored: at the end all are as they were.
        self._session.script("SET session_replication_role = replica")
        sequences = " UNION ALL ".join(
            f"SELECT {oid} AS oid, last_value, is_called FROM public.{name}"
            for oid, name in self._session.execute(_SEQUENCES)
        )
        copies = "".join(
            f'CREATE TEMP TABLE "before {name}" AS TABLE public."{name}";'
            for name in self._tables()
        )
        self._session.script(f"{copies}CREATE TEMP TABLE sequences_before AS {sequences}")
        self._restored_in = self._transaction()
        self._numbers = {name: number for name, number, _ in self._states()}
        """How many rows each table had."""

    def restore(self) -> None:
        """See `RowSnapshot.restore`."""
        changed = [
            name
            for name, number, young in self._states()
            if young or number != self._numbers.get(name, 0)
        ]
        if changed:
            # Vacuumed while they are empty, tables have their rows in the same order as before.
            self._session.script("".join(f'DELETE FROM public."{name}";' for name in changed))
            self._session.script("VACUUM " + ", ".join(f'public."{name}"' for name in changed))
        restored = "".join(
            f'INSERT INTO public."{name}" SELECT * FROM "before {name}";'
            for name in changed
            if name in self._numbers
        )
        self._session.script(f"BEGIN; {restored} {_RESTART}")
        self._restored_in = self._transaction()
        self._session.script("COMMIT")

    def close(self) -> None:
        """See `RowSnapshot.close`."""
        self._session.close()

    def _tables(self) -> list[str]:
        found = self._session.execute(
            "SELECT relname FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        return [name for (name,) in found]

    def _states(self) -> list[Row]:
        """Return each table with the number of its rows, and of those of younger transactions."""
        counted = "SELECT '{0}', count(*), count(*) FILTER (WHERE xmin::text::bigint > $1)"
        tables = (f'{counted} FROM public."{{0}}"'.format(name) for name in self._tables())
        return self._session.execute(" UNION ALL ".join(tables), [self._restored_in])

    def _transaction(self) -> int:
        """Return the number of this transaction; younger ones have higher numbers."""
        ((number,),) = self._session.execute("SELECT pg_current_xact_id()::text::bigint")
        return int(number)
