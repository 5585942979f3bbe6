"""Statements that write several rows have no more values than a database allows."""

import pytest

from quire.database.compile.writes import Writes
from quire.database.dialect import Dialect
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.dialects.sqlite.dialect import SqliteDialect

SQLITE_VARIABLES = 32_766


@pytest.mark.parametrize("dialect", [SqliteDialect(), PostgresDialect()], ids=["sqlite", "pg"])
def test_rows_with_many_columns_are_written_by_several_statements(dialect: Dialect) -> None:
    columns = {f"column_{number}": number for number in range(700)}
    writes = Writes(dialect)
    updates = writes.update_all("rows", dict.fromkeys(range(1, 51), columns))
    assert [len(statement.values) for statement in updates] == [45 * 701, 5 * 701]
    insertion = writes.insert_all("rows", [columns] * 50)
    first = next(insertion)
    second = insertion.send([(number,) for number in range(1, 46)])
    assert [len(first.values), len(second.values)] == [45 * 700, 5 * 700]
    assert max(45 * 701, len(first.values)) <= SQLITE_VARIABLES
