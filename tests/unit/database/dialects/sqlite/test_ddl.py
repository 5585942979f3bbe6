"""Columns with a foreign key, which SQLite itself cannot drop."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from quire.database.dialects.sqlite.ddl import SqliteDdl
from quire.database.program import run_program
from quire.database.tables.inspection import FoundForeignKey, FoundTable

BY_STRAPI = """CREATE TABLE `notes` (`id` integer not null primary key autoincrement,
 `title` varchar(255) null, `memo_id` integer null, `memo` varchar(255) null, constraint
 `notes_memo_id_fk` foreign key(`memo_id`) references `memos`(`id`) on delete SET NULL, constraint
 `notes_memo_fk` foreign key(`memo`) references `memos`(`id`) on delete CASCADE)"""
IN_COLUMN = """CREATE TABLE "notes" (id INTEGER PRIMARY KEY, title TEXT, memo_id integer NULL
 CONSTRAINT [a key] REFERENCES "memos" ("id") ON DELETE SET NULL ON UPDATE NO ACTION, memo TEXT
 REFERENCES memos(id))"""
DEFERRED = """CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, memo_id integer
 REFERENCES memos ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, memo TEXT REFERENCES memos)"""
OTHER_FORM = """CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, memo_id integer
 REFERENCES memos(id) MATCH SIMPLE, memo TEXT REFERENCES memos(id))"""
KEY = FoundForeignKey(column="memo_id", target="memos", on_delete="SET NULL")


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("CREATE TABLE memos (id INTEGER PRIMARY KEY)")
        yield connection


def drop_memo_id(connection: sqlite3.Connection, definition: str) -> list[str]:
    """Drop the column from a table with a row; returns the columns that are left."""
    connection.execute(definition)
    connection.execute("INSERT INTO memos VALUES (1)")
    connection.execute("INSERT INTO notes (title, memo_id, memo) VALUES ('one', 1, 1)")
    table = FoundTable(name="notes", columns={}, indexes={}, foreign_keys=frozenset({KEY}))
    connection.execute("BEGIN")
    run_program(
        SqliteDdl().drop_column(table, "memo_id"),
        lambda statement: connection.execute(statement.sql, statement.values or ()).fetchall(),
    )
    connection.execute("COMMIT")
    return [row[1] for row in connection.execute("PRAGMA table_info(notes)")]


@pytest.mark.parametrize("definition", [BY_STRAPI, IN_COLUMN, DEFERRED])
def test_a_column_is_dropped_with_its_foreign_key_alone(
    connection: sqlite3.Connection, definition: str
) -> None:
    assert drop_memo_id(connection, definition) == ["id", "title", "memo"]
    keys = [row[3] for row in connection.execute("PRAGMA foreign_key_list(notes)")]
    assert keys == ["memo"]
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO notes (memo) VALUES (7)")


def test_a_column_with_a_key_of_another_form_is_emptied(connection: sqlite3.Connection) -> None:
    assert "memo_id" in drop_memo_id(connection, OTHER_FORM)
    assert connection.execute("SELECT memo_id FROM notes").fetchall() == [(None,)]
