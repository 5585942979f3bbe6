"""Missing indexes are listed and created on request; sorts get recommendations."""

import apsw
import pytest

from quire.database.tables.indexes import (
    SortHint,
    apply_indexes_program,
    missing_indexes,
    sort_hints_program,
)
from tests.unit.database.running import (
    WRITER,
    awkward_schema,
    content_type,
    found_in,
    new_database,
    run,
    schema_of,
    tables_of,
)

SCHEMA = schema_of(
    content_type(
        "note",
        {
            "title": {"type": "string"},
            "body": {"type": "text"},
            "key": {"type": "password"},
            "stars": {"type": "integer"},
            "extra": {"type": "json"},
        },
    ),
    content_type("home", {"title": {"type": "string"}}, kind="singleType"),
)


@pytest.fixture
def database() -> apsw.Connection:
    connection = new_database(tables_of(SCHEMA)[1])
    for table in ("notes", "homes"):
        connection.executemany(f"INSERT INTO {table} (title) VALUES (?)", [("a",), ("b",), ("c",)])
    return connection


def hints(database: apsw.Connection, *, large: int) -> list[SortHint]:
    table_map, _ = tables_of(SCHEMA)
    return run(database, sort_hints_program(SCHEMA, table_map, found_in(database), large=large))


def test_missing_indexes_are_made_one_by_one_until_none_is_missing() -> None:
    _, metadata = tables_of(awkward_schema())
    database = new_database(metadata)
    database.execute("DROP INDEX quire_nodes_status; DROP INDEX nodes_up_lnk_fk")
    missing = missing_indexes(metadata, found_in(database), WRITER)
    assert [finding.name for finding in missing] == ["nodes_up_lnk_fk", "quire_nodes_status"]
    for finding in missing:
        run(database, apply_indexes_program(finding.statements))
    assert missing_indexes(metadata, found_in(database), WRITER) == []


def test_a_missing_table_is_no_missing_index() -> None:
    _, metadata = tables_of(awkward_schema())
    database = new_database(metadata)
    database.execute("DROP TABLE nodes_up_lnk")
    assert missing_indexes(metadata, found_in(database), WRITER) == []


def test_a_large_table_hints_at_sorts_that_read_all_of_it(database: apsw.Connection) -> None:
    assert hints(database, large=3) == [
        SortHint(
            uid="api::note.note",
            table="notes",
            rows=3,
            attributes=("documentId", "title", "stars", "createdAt", "updatedAt", "publishedAt"),
        )
    ]


def test_an_index_over_locale_and_column_takes_its_hint_away(database: apsw.Connection) -> None:
    database.execute("CREATE INDEX own ON notes (locale, title)")
    (hint,) = hints(database, large=3)
    assert "title" not in hint.attributes
    assert "reads them all" in str(hint)
    assert "stars" in str(hint)


def test_small_tables_are_quick_to_sort(database: apsw.Connection) -> None:
    assert hints(database, large=4) == []
