"""The rows of a SQLite file, table by table, to be compared with those of another."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

OWN = ("strapi_", "sqlite_", "admin_permissions", "up_permissions")
"""Tables that the reference keeps for itself and writes at every start."""

Rows = Mapping[str, list[tuple[object, ...]]]


def rows_of(database: Path) -> Rows:
    """Return the rows of all tables of content, links and components, in order."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = sorted(name for (name,) in tables if not name.startswith(OWN))
        return {
            name: connection.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall()
            for name in names
        }


def differences(before: Rows, after: Rows) -> Iterator[str]:
    """Say in which tables rows were added, changed or lost."""
    for name, rows in before.items():
        found = after.get(name)
        if found != rows:
            count = "none" if found is None else str(len(found))
            yield f"{name}: {len(rows)} rows before, {count} after, not the same"


def fold(database: Path) -> None:
    """Fold the write-ahead log of a database that nobody has open into its file."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
