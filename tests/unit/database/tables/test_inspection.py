"""Inspecting a database: its tables, and whether its layout is known."""

import pytest

from quire.database.dialects.sqlite.target import SQLITE_INSPECTOR
from quire.database.tables.inspection import (
    DatabaseState,
    FoundColumn,
    FoundForeignKey,
    FoundIndex,
    FoundTable,
    layout_problem,
    opening_program,
    wanted_tables,
)
from quire.database.tables.system_tables import CURRENT_MIGRATIONS, NEEDED_MIGRATIONS
from tests.unit.database.running import (
    awkward_schema,
    connect,
    found_in,
    golden_tables,
    new_database,
    run,
    tables_of,
)

TABLES = {"strapi_core_store_settings", "strapi_migrations_internal", "files"}


def test_a_table_is_found_with_its_columns_indexes_and_foreign_keys() -> None:
    connection = connect()
    connection.execute("""
        CREATE TABLE b (id integer PRIMARY KEY AUTOINCREMENT NOT NULL);
        CREATE TABLE "a" (
            `id` integer PRIMARY KEY NOT NULL, `n` VARCHAR(255) NULL DEFAULT 'x', `b` integer,
            FOREIGN KEY (`b`) REFERENCES `b` (`id`) ON DELETE set null,
            FOREIGN KEY (`b`) REFERENCES `b` (`id`) ON DELETE set null
        );
        CREATE UNIQUE INDEX both ON a (n, b);
        CREATE INDEX some ON a (lower(n)) WHERE b IS NOT NULL;
    """)
    found = found_in(connection)
    assert found.keys() == {"a", "b"}
    assert found["a"] == FoundTable(
        name="a",
        columns={
            "id": FoundColumn(name="id", type="integer", nullable=False, default=None),
            "n": FoundColumn(name="n", type="varchar(255)", nullable=True, default="'x'"),
            "b": FoundColumn(name="b", type="integer", nullable=True, default=None),
        },
        indexes={
            "both": FoundIndex(name="both", columns=("n", "b"), unique=True, partial=False),
            "some": FoundIndex(name="some", columns=("",), unique=False, partial=True),
        },
        foreign_keys=frozenset({FoundForeignKey(column="b", target="b", on_delete="SET NULL")}),
    )
    assert found["b"].indexes == {}


def test_a_table_is_found_by_its_name_alone() -> None:
    connection = connect()
    connection.execute("CREATE TABLE a (id integer, n text); CREATE VIEW v AS SELECT n FROM a")
    inspector = SQLITE_INSPECTOR
    assert run(connection, inspector.columns_of("a")) == {"id", "n"}
    assert run(connection, inspector.columns_of("A")) == frozenset()
    assert run(connection, inspector.columns_of("v")) == frozenset()


def test_the_wanted_tables_are_those_of_the_metadata() -> None:
    table_map, metadata = tables_of(awkward_schema())
    wanted = wanted_tables(table_map)
    assert wanted.keys() == set(metadata.tables) == set(golden_tables())
    for name, table in metadata.tables.items():
        assert wanted[name] | {"created_by_id"} >= {column.name for column in table.c}


def test_an_empty_database_can_be_opened() -> None:
    opening = run(
        connect(), opening_program(SQLITE_INSPECTOR, {"b": frozenset(), "a": frozenset()})
    )
    assert opening == DatabaseState(empty=True, problem=None, missing_tables=("a", "b"))


def test_a_new_database_of_the_current_layout_can_be_opened() -> None:
    table_map, metadata = tables_of(awkward_schema())
    connection = new_database(metadata)
    for name in CURRENT_MIGRATIONS:
        connection.execute("INSERT INTO strapi_migrations_internal (name) VALUES (?)", (name,))
    opening = run(connection, opening_program(SQLITE_INSPECTOR, wanted_tables(table_map)))
    assert opening == DatabaseState(empty=False, problem=None, missing_tables=())


def test_tables_of_a_new_content_type_are_missed() -> None:
    table_map, metadata = tables_of(awkward_schema())
    connection = new_database(metadata)
    connection.execute("DROP TABLE nodes_up_lnk")
    opening = run(connection, opening_program(SQLITE_INSPECTOR, wanted_tables(table_map)))
    assert opening.missing_tables == ("nodes_up_lnk",)


def test_columns_of_a_new_attribute_are_missed() -> None:
    connection = connect()
    connection.execute("CREATE TABLE a (id integer)")
    wanted = {"a": frozenset({"id", "size", "name"})}
    opening = run(connection, opening_program(SQLITE_INSPECTOR, wanted))
    assert opening.missing_columns == ("a.name", "a.size")


def test_a_start_looks_at_the_database_with_two_statements() -> None:
    program = opening_program(SQLITE_INSPECTOR, {})
    assert "sqlite_master" in next(program).sql
    assert "strapi_migrations_internal" in program.send([(name, "id") for name in TABLES]).sql
    with pytest.raises(StopIteration) as done:
        program.send([(name,) for name in CURRENT_MIGRATIONS])
    assert done.value.value.problem is None


@pytest.mark.parametrize(
    ("tables", "migrations", "sentence"),
    [
        ({"wp_posts", "wp_users"}, (), "made neither by Strapi nor by Quire: among its 2 tables"),
        ({"core_store", "articles"}, (), "last used by Strapi 3"),
        ({"strapi_core_store_settings", "files", "strapi_migrations"}, (), "used by Strapi 4"),
        (
            TABLES,
            (*CURRENT_MIGRATIONS, "5.60.0-turn-it-around", "core::6.0.0-split-tables"),
            "Strapi than 5.54: it has the migrations 5.60.0-turn-it-around, core::6.0.0-split",
        ),
        (TABLES, CURRENT_MIGRATIONS[:3], "is not finished; it lacks the migrations 5.0.0-04-"),
        (TABLES, (), "upgrade of the database to Strapi 5 is not finished"),
    ],
)
def test_a_layout_that_is_not_known_is_named_in_a_sentence(
    tables: set[str], migrations: tuple[str, ...], sentence: str
) -> None:
    problem = layout_problem(tables, migrations)
    assert problem is not None
    assert sentence in problem


@pytest.mark.parametrize(
    "migrations",
    [
        CURRENT_MIGRATIONS,
        NEEDED_MIGRATIONS,
        (*CURRENT_MIGRATIONS, "content-releases::5.0.0-add-entry-document-id-to-release-actions"),
        (*CURRENT_MIGRATIONS, "my-plugin::rename-things"),
    ],
)
def test_migrations_of_earlier_fives_and_of_plugins_are_no_obstacle(
    migrations: tuple[str, ...],
) -> None:
    assert layout_problem(TABLES, migrations) is None
