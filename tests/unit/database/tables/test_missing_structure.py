"""Missing tables and columns, and the statements that create them."""

from collections.abc import Callable

import pytest
from sqlalchemy import MetaData

from quire.database.dialects.sqlite.target import SQLITE
from quire.database.tables.metadata import build_metadata
from quire.database.tables.missing_structure import MissingItem, MissingKind, compare
from quire.database.tables.table_map import map_tables
from quire.schema.model import Schema
from tests.databases.store import Store
from tests.unit.database.running import awkward_schema


@pytest.fixture
def database(open_store: Callable[[Schema], Store]) -> Store:
    return open_store(awkward_schema())


@pytest.fixture
def metadata(database: Store) -> MetaData:
    schema = awkward_schema()
    return build_metadata(schema, map_tables(schema), database.kind.column_types)


def findings(metadata: MetaData, database: Store) -> list[MissingItem]:
    found = database.run(database.kind.inspector.tables())
    return compare(metadata, found, database.kind.ddl)


def mend(database: Store, found: list[MissingItem]) -> None:
    for finding in found:
        for sql in finding.statements:
            database.execute(sql)


def test_a_new_database_lacks_nothing(metadata: MetaData, database: Store) -> None:
    assert findings(metadata, database) == []


def test_what_is_there_beyond_the_wanted_tables_is_left_alone(
    metadata: MetaData, database: Store
) -> None:
    database.execute("CREATE TABLE own (id integer)")
    database.execute("ALTER TABLE nodes ADD COLUMN own text")
    database.execute("CREATE INDEX own_index ON nodes (own)")
    assert findings(metadata, database) == []


def test_a_missing_table_stands_for_all_that_is_in_it_and_can_be_made(
    metadata: MetaData, database: Store
) -> None:
    database.execute("DROP TABLE nodes_up_lnk")
    found = findings(metadata, database)
    assert [str(finding) for finding in found] == ["the table nodes_up_lnk is missing"]
    mend(database, found)
    assert findings(metadata, database) == []


def test_a_missing_column_is_left_to_a_migration_with_its_indexes(
    metadata: MetaData, database: Store
) -> None:
    database.execute("DROP INDEX nodes_up_lnk_oifk")
    database.execute("DROP INDEX quire_nodes_up_lnk_sources")
    database.execute("ALTER TABLE nodes_up_lnk DROP COLUMN node_ord")
    assert findings(metadata, database) == [
        MissingItem(kind=MissingKind.COLUMN, table="nodes_up_lnk", name="node_ord")
    ]


def test_a_missing_foreign_key_is_found(metadata: MetaData, database: Store) -> None:
    if database.kind is SQLITE:  # which keeps foreign keys in the text of the table
        text = database.kind.ddl.create_table(metadata.tables["nodes_up_lnk"])
        database.execute("DROP TABLE nodes_up_lnk")
        database.execute(text.partition(", CONSTRAINT `nodes_up_lnk_ifk`")[0] + ")")
    else:
        database.execute("ALTER TABLE nodes_up_lnk DROP CONSTRAINT nodes_up_lnk_ifk")
    lacks = {(finding.kind, finding.name) for finding in findings(metadata, database)}
    assert (MissingKind.FOREIGN_KEY, "nodes_up_lnk_ifk") in lacks
    assert (MissingKind.FOREIGN_KEY, "nodes_up_lnk_fk") not in lacks


def test_missing_indexes_come_last_the_reads_own_after_the_others(
    metadata: MetaData, database: Store
) -> None:
    database.execute("DROP INDEX quire_nodes_status")
    database.execute(database.kind.ddl.drop_index("nodes_parent_lnk_uq", "nodes_parent_lnk"))
    found = findings(metadata, database)
    assert [str(finding) for finding in found] == [
        "the table nodes_parent_lnk lacks the index nodes_parent_lnk_uq",
        "the table nodes lacks the read index quire_nodes_status",
    ]
    mend(database, found)
    assert findings(metadata, database) == []


def test_an_index_of_another_name_that_begins_with_the_columns_serves_reads(
    metadata: MetaData, database: Store
) -> None:
    database.execute("DROP INDEX quire_nodes_status")
    database.execute("CREATE INDEX own ON nodes (locale, published_at, name)")
    assert findings(metadata, database) == []


@pytest.mark.parametrize(
    "index",
    [
        "INDEX own ON nodes (published_at, locale)",
        "INDEX own ON nodes (locale)",
        "INDEX own ON nodes (locale, published_at) WHERE published_at IS NOT NULL",
    ],
)
def test_an_index_over_other_columns_or_some_rows_does_not_serve(
    metadata: MetaData, database: Store, index: str
) -> None:
    database.execute("DROP INDEX quire_nodes_status")
    database.execute(f"CREATE {index}")
    assert [finding.name for finding in findings(metadata, database)] == ["quire_nodes_status"]


def test_an_index_that_is_not_unique_does_not_stand_in_for_one_that_is(
    metadata: MetaData, database: Store
) -> None:
    database.execute(database.kind.ddl.drop_index("nodes_up_lnk_uq", "nodes_up_lnk"))
    database.execute("CREATE INDEX own ON nodes_up_lnk (node_id, plain_id)")
    assert [finding.name for finding in findings(metadata, database)] == ["nodes_up_lnk_uq"]


def test_an_index_that_lost_a_column_is_created_again(metadata: MetaData, database: Store) -> None:
    database.execute("DROP INDEX quire_nodes_up_lnk_sources")
    database.execute("CREATE INDEX quire_nodes_up_lnk_sources ON nodes_up_lnk (plain_id, node_id)")
    found = findings(metadata, database)
    assert [finding.kind for finding in found] == [MissingKind.READ_INDEX]
    assert found[0].statements[0] == database.kind.ddl.drop_index(
        "quire_nodes_up_lnk_sources", "nodes_up_lnk"
    )
    mend(database, found)
    assert findings(metadata, database) == []
