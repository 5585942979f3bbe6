"""Inspects a SQLite file without changing it, also beside a running server."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TypeVar

import apsw

from quire.database.dialects.sqlite.database_file import SqliteOptions, open_connection, open_error
from quire.database.dialects.sqlite.errors import translate
from quire.database.integrity.findings import SHOWN_IDS, Damage, DamageKind, count_noun
from quire.database.program import Program, Rows, Statement, run_program
from quire.errors import DatabaseOpenError

T = TypeVar("T")

_MOST_FAULTS = 20
_LOST_REFERENCES = """
SELECT "table", parent, "rowid" FROM pragma_foreign_key_check ORDER BY "table", parent, "rowid"
"""


class ReadOnlyFile:
    """A SQLite file that is only read."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Use :func:`open_readonly`."""
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
def open_readonly(options: SqliteOptions) -> Iterator[ReadOnlyFile]:
    """Open a file for reading. Raises DatabaseOpenError when it cannot be opened as it is."""
    # Not with the flag for reading alone: then a file that a crash left in the midst of a write
    # could not be opened, because it has to be put right first.
    connection = open_connection(options, readonly=False)
    try:
        connection.execute("PRAGMA query_only = ON")
        yield ReadOnlyFile(connection)
    finally:
        connection.close()


def require_sound(options: SqliteOptions) -> None:
    """Raise DatabaseOpenError when a file is damaged; all of it is read."""
    connection = open_connection(options, readonly=False)
    try:
        found = connection.execute("PRAGMA integrity_check(1)").fetchall()
    except apsw.Error as error:
        raise open_error(options.path, error) from error
    finally:
        connection.close()
    if found != [("ok",)]:
        raise DatabaseOpenError(f"{options.path} is damaged: {found[0][0]}")


def damage_program() -> Program[tuple[str, ...]]:
    """Look for damage of the file, which reads all of it; returns what was found, a line each."""
    rows = yield Statement(f"PRAGMA integrity_check({_MOST_FAULTS})")
    found = tuple(str(line) for (line,) in rows)
    return () if found == ("ok",) else found


def foreign_keys_program(told: Collection[str] = ()) -> Program[list[Damage]]:
    """Let SQLite itself look for rows whose foreign keys lead nowhere.

    Tables that are ``told`` of already are left out. What remains is in tables, or under columns,
    that the schema does not know, so nothing is said of a repair.
    """
    rows = yield Statement(_LOST_REFERENCES)
    lost: dict[tuple[str, str], list[int]] = defaultdict(list)
    for table, parent, id_ in rows:
        if table not in told:
            lost[str(table), str(parent)].append(int(id_ or 0))
    return [
        Damage(
            kind=DamageKind.FOREIGN_KEY,
            table=table,
            count=len(ids),
            ids=tuple(ids[:SHOWN_IDS]),
            sentence=f"{count_noun(len(ids), 'row')} with a foreign key to a row of {parent} "
            "that is gone",
        )
        for (table, parent), ids in lost.items()
    ]
