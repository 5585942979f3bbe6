"""The rows of a database, table by table, for comparison."""

from collections.abc import Iterator, Mapping

from tests.databases.kind import Row
from tests.databases.kind import Rows as Database

OWN = ("strapi_", "sqlite_", "admin_permissions", "up_permissions")
"""Tables that the reference keeps for itself and writes at every start."""

Rows = Mapping[str, list[Row]]


def rows_of(database: Database) -> Rows:
    """Return the rows of all tables of content, links and components, in order."""
    return {
        name: database.execute(f'SELECT * FROM "{name}" ORDER BY 1')
        for name in database.tables()
        if not name.startswith(OWN)
    }


def differences(before: Rows, after: Rows) -> Iterator[str]:
    """Say in which tables rows were added, changed or lost."""
    for name, rows in before.items():
        found = after.get(name)
        if found != rows:
            count = "none" if found is None else str(len(found))
            yield f"{name}: {len(rows)} rows before, {count} after, not the same"
