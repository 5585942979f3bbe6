"""The statements that create tables and indexes on SQLite."""

import re

import apsw
import pytest
from sqlalchemy import Index

from quire.database.tables.ddl import create_program
from tests.unit.database.running import (
    WRITER,
    awkward_schema,
    content_type,
    new_database,
    run,
    schema_of,
    tables_of,
)

LINK_TABLE = (
    "CREATE TABLE `nodes_up_lnk` (`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,"
    " `node_id` integer NULL, `plain_id` integer NULL, `node_ord` float NULL,"
    " CONSTRAINT `nodes_up_lnk_fk` FOREIGN KEY (`node_id`)"
    " REFERENCES `nodes` (`id`) ON DELETE CASCADE,"
    " CONSTRAINT `nodes_up_lnk_ifk` FOREIGN KEY (`plain_id`)"
    " REFERENCES `plains` (`id`) ON DELETE CASCADE)"
)

WORDS = """
CREATE TABLE UNIQUE INDEX on PRIMARY KEY AUTOINCREMENT NOT NULL DEFAULT
CONSTRAINT FOREIGN KEY REFERENCES ON DELETE CASCADE SET WHERE IS
integer bigint float boolean date time datetime json text varchar
"""


def test_a_table_carries_its_foreign_keys_from_the_beginning() -> None:
    _, metadata = tables_of(awkward_schema())
    assert WRITER.create_table(metadata.tables["nodes_up_lnk"]) == LINK_TABLE


def test_columns_say_type_null_and_default() -> None:
    source = content_type(
        "note",
        {
            "title": {"type": "string", "column": {"notNullable": True}},
            "stars": {"type": "integer", "column": {"defaultTo": 7}},
            "mood": {"type": "string", "column": {"defaultTo": "it's"}},
            "done": {"type": "boolean", "column": {"defaultTo": False}},
            "extra": {"type": "json", "column": {"defaultTo": {}}},
            "long": {"type": "string", "columnType": {"type": "text"}},
        },
    )
    _, metadata = tables_of(schema_of(source))
    text = WRITER.create_table(metadata.tables["notes"])
    for column in (
        "`title` varchar(255) NOT NULL,",
        "`stars` integer NULL DEFAULT '7',",
        "`mood` varchar(255) NULL DEFAULT 'it''s',",
        "`done` boolean NULL DEFAULT '0',",
        "`extra` json NULL,",
        "`long` text NULL,",
    ):
        assert column in text


def test_an_index_is_made_over_its_columns_in_their_order() -> None:
    _, metadata = tables_of(awkward_schema())
    indexes = {str(index.name): index for index in metadata.tables["nodes_up_lnk"].indexes}
    assert WRITER.create_index(indexes["nodes_up_lnk_uq"]) == (
        "CREATE UNIQUE INDEX `nodes_up_lnk_uq` on `nodes_up_lnk` (`node_id`, `plain_id`)"
    )
    assert WRITER.drop_index("nodes_up_lnk_uq", "nodes_up_lnk") == "DROP INDEX `nodes_up_lnk_uq`"


def test_every_name_is_quoted() -> None:
    """A parser that meets a bare name such as ``order`` takes it for a word of SQL."""
    _, metadata = tables_of(awkward_schema())
    program = create_program(metadata, WRITER)
    known = set(WORDS.split())
    for statement in program:
        bare = re.sub(r"`[^`]*`|'(?:[^']|'')*'|[(),]|\b\d+\b", " ", statement.sql)
        assert set(bare.split()) <= known


def test_the_tables_of_a_new_database_keep_their_references() -> None:
    connection = new_database(tables_of(awkward_schema())[1])
    connection.execute("INSERT INTO nodes (id) VALUES (1); INSERT INTO plains (id) VALUES (2)")
    connection.execute("INSERT INTO nodes_up_lnk (node_id, plain_id) VALUES (1, 2)")
    connection.execute("INSERT INTO nodes (id, column_2_plain_id) VALUES (3, 2)")
    connection.execute("DELETE FROM plains")
    assert connection.execute("SELECT count(*) FROM nodes_up_lnk").fetchall() == [(0,)]
    rows = connection.execute("SELECT column_2_plain_id FROM nodes WHERE id = 3").fetchall()
    assert rows == [(None,)]


def test_ids_are_never_used_again() -> None:
    connection = new_database(tables_of(awkward_schema())[1])
    for _ in range(2):
        connection.execute("INSERT INTO nodes (name) VALUES ('a'); DELETE FROM nodes")
    connection.execute("INSERT INTO nodes (name) VALUES ('b')")
    assert connection.execute("SELECT id FROM nodes").fetchall() == [(3,)]


def test_tables_that_are_there_are_not_made_again() -> None:
    _, metadata = tables_of(awkward_schema())
    connection = new_database(metadata)
    with pytest.raises(apsw.SQLError, match="already exists"):
        run(connection, create_program(metadata, WRITER))


def test_an_index_without_a_table_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="belongs to no table"):
        WRITER.create_index(Index("lonely", "column"))
