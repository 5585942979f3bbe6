"""Inspects a SQLite file without changing it, even next to a running server."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TypeVar

import apsw

from quire.database.dialects.sqlite.errors import translate
from quire.database.dialects.sqlite.file_handles import SqliteOptions, open_connection, open_error
from quire.database.integrity.findings import MAX_IDS, Damage, DamageKind, count_noun
from quire.database.program import Program, Rows, Statement, run_program
from quire.errors import DatabaseOpenError

T = TypeVar("T")

_MAX_PROBLEMS = 20
_LOST_REFERENCES = """
SELECT "table", parent, "rowid" FROM pragma_foreign_key_check ORDER BY "table", parent, "rowid"
"""


class SqliteFile:
    """A SQLite file that runs programs, one after the other."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    async def run(self, program: Program[T]) -> T:
        """Run a program that only reads. Raises what the server would raise."""
        try:
            return run_program(program, self._rows)
        except apsw.Error as error:
            raise translate(error) from error

    def _rows(self, statement: Statement) -> Rows:
        return self._connection.execute(statement.sql, statement.values).fetchall()


@contextmanager
def open_readonly(options: SqliteOptions) -> Iterator[SqliteFile]:
    """Open a file for reading. Raises DatabaseOpenError when it cannot be opened as it is."""
    # Not opened read-only: a file that a crash left in the middle of a write could not be opened,
    # because it has to be recovered first.
    connection = open_connection(options, readonly=False)
    try:
        connection.execute("PRAGMA query_only = ON")
        yield SqliteFile(connection)
    finally:
        connection.close()


def require_sound(options: SqliteOptions) -> None:
    """Read the whole file. Raises DatabaseOpenError when it is damaged."""
    connection = open_connection(options, readonly=False)
    try:
        problems = connection.execute("PRAGMA integrity_check(1)").fetchall()
    except apsw.Error as error:
        raise open_error(options.path, error) from error
    finally:
        connection.close()
    if problems != [("ok",)]:
        raise DatabaseOpenError(f"{options.path} is damaged: {problems[0][0]}")


def damage_program() -> Program[tuple[str, ...]]:
    """Check the whole file for damage; returns one line per problem."""
    rows = yield Statement(f"PRAGMA integrity_check({_MAX_PROBLEMS})")
    problems = tuple(str(line) for (line,) in rows)
    return () if problems == ("ok",) else problems


def foreign_keys_program(reported: Collection[str] = ()) -> Program[list[Damage]]:
    """Find rows whose foreign keys refer to missing rows, by SQLite's own check.

    Tables in ``reported`` are left out, because they were reported already. The remaining tables or
    columns are unknown to the schema, so no repair is offered.
    """
    rows = yield Statement(_LOST_REFERENCES)
    lost: dict[tuple[str, str], list[int]] = defaultdict(list)
    for table, parent, id_ in rows:
        if table not in reported:
            lost[str(table), str(parent)].append(int(id_ or 0))
    return [
        Damage(
            kind=DamageKind.FOREIGN_KEY,
            table=table,
            count=len(ids),
            ids=tuple(ids[:MAX_IDS]),
            sentence=f"{count_noun(len(ids), 'row')} with a foreign key to a row of {parent} "
            "that is gone",
        )
        for (table, parent), ids in lost.items()
    ]
