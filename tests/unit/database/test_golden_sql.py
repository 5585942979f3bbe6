"""The SQL of a dozen reads equals the recorded one, and runs."""

import apsw
import pytest

from quire.database.dialect import Dialect
from tests.library.rows import new_connection
from tests.unit.database.golden_sql import DIALECTS, FOLDER, READS, golden, names

CASES = [(database, name) for database in DIALECTS for name in names(database)]


@pytest.mark.parametrize(("database", "name"), CASES)
def test_the_statements_are_those_that_were_written_down(database: str, name: str) -> None:
    expected = (FOLDER / database / f"{name}.sql").read_text("utf-8")
    assert golden(name, DIALECTS[database]) == expected, (
        "If the change is wanted: python -m tests.unit.database.golden_sql"
    )


@pytest.mark.parametrize("database", DIALECTS)
def test_nothing_is_written_down_that_is_not_asked_for(database: str) -> None:
    assert {file.stem for file in (FOLDER / database).glob("*.sql")} == set(names(database))


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    return new_connection()


@pytest.mark.parametrize("name", READS)
def test_sqlite_accepts_every_statement(name: str, connection: apsw.Connection) -> None:
    dialect: Dialect = DIALECTS["sqlite"]
    for statement in golden(name, dialect).split(";\n"):
        sql = "\n".join(line for line in statement.splitlines() if not line.startswith("--"))
        if sql.strip():
            connection.execute(f"EXPLAIN {sql}", [None] * sql.count("?")).fetchall()
