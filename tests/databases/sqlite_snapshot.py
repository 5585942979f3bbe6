"""The rows of a SQLite file, to be restored while it is served (a `RowSnapshot`)."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw

_TABLES = """
SELECT name FROM {schema}.sqlite_master
WHERE type = 'table' AND (name NOT LIKE 'sqlite!_%' ESCAPE '!' OR name = 'sqlite_sequence')
"""


class SqliteSnapshot:
    """See `RowSnapshot`."""

    def __init__(self, path: Path) -> None:
        """The file is there."""
        self._connection = apsw.Connection(str(path))
        self._connection.set_busy_timeout(5000)
        self._connection.execute("ATTACH ':memory:' AS before")
        with (
            closing(apsw.Connection(str(path))) as source,
            self._connection.backup("before", source, "main") as backup,
        ):
            backup.step()

    def restore(self) -> None:
        """See `RowSnapshot.restore`."""
        restored = "".join(f'DELETE FROM main."{name}";' for name in self._tables("main"))
        restored += "".join(
            f'INSERT INTO main."{name}" SELECT * FROM before."{name}";'
            for name in self._tables("before")
        )
        self._connection.execute(f"BEGIN IMMEDIATE;{restored}COMMIT").fetchall()

    def close(self) -> None:
        """See `RowSnapshot.close`."""
        self._connection.close()

    def _tables(self, schema: str) -> Sequence[str]:
        return [name for (name,) in self._connection.execute(_TABLES.format(schema=schema))]
