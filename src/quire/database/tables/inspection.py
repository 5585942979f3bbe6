"""Reads which tables a database has, and whether Quire can open it.

Every start runs a short program (`opening_program`: names of tables, columns and migrations); the
full inspection (`Inspector.tables`) is for checks and migrations.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from quire.database.program import Program, Rows, Statement
from quire.database.tables.system_tables import (
    CORE_STORE,
    INTERNAL_MIGRATIONS,
    KNOWN_MIGRATIONS,
    NEEDED_MIGRATIONS,
    PLAIN_TABLES,
)
from quire.database.tables.table_map import TableMap


class FoundColumn(Struct, frozen=True, kw_only=True):
    """A column as the database describes it; ``type`` is in lower case: ``varchar(255)``."""

    name: str
    type: str
    nullable: bool
    default: str | None


class FoundIndex(Struct, frozen=True, kw_only=True):
    """An index over plain columns. ``partial`` ones hold only some of the rows."""

    name: str
    columns: tuple[str, ...]
    unique: bool
    partial: bool


class FoundForeignKey(Struct, frozen=True, kw_only=True):
    """A column with the id of a row of ``target``; ``on_delete`` in capitals."""

    column: str
    target: str
    on_delete: str


class FoundTable(Struct, frozen=True, kw_only=True):
    """A table with its columns and indexes by name."""

    name: str
    columns: Mapping[str, FoundColumn]
    indexes: Mapping[str, FoundIndex]
    foreign_keys: frozenset[FoundForeignKey]


FoundTables = Mapping[str, FoundTable]
"""The tables of a database, by name."""


ColumnNames = Mapping[str, frozenset[str]]
"""Names of columns by table."""


class Inspector(Struct, frozen=True, kw_only=True):
    """Inspects one kind of database with these statements.

    They leave out the tables of the database itself, and return the rows that `tables`,
    `column_names` and `columns_of` read. Those of one table have its name as their only value.
    """

    select_tables: str
    select_columns: str
    select_column_names: str
    select_columns_of_table: str
    select_indexes: str
    select_indexes_of_table: str
    select_foreign_keys: str

    def table_names(self) -> Program[frozenset[str]]:
        """List the tables."""
        return _names((yield Statement(self.select_tables)))

    def column_names(self) -> Program[ColumnNames]:
        """List the columns of all tables; rows begin with table and name."""
        names: dict[str, set[str]] = defaultdict(set)
        for table, name, *_ in (yield Statement(self.select_column_names)):
            names[str(table)].add(str(name))
        return {table: frozenset(column_set) for table, column_set in names.items()}

    def columns_of(self, table: str) -> Program[frozenset[str]]:
        """List the columns of one table: none if the table does not exist."""
        return _names((yield Statement(self.select_columns_of_table, (table,))))

    def index_names_of(self, table: str) -> Program[frozenset[str]]:
        """List the names of the indexes of one table, which unique constraints may have, too."""
        return _names((yield Statement(self.select_indexes_of_table, (table,))))

    def tables(self) -> Program[FoundTables]:
        """Describe all tables, with three statements whatever their number.

        Rows of columns are table, name, type, whether it is NOT NULL, and its default; of indexes
        table, name, whether it is unique, whether it is partial, and one of its columns, in their
        order; of foreign keys table, column, target and delete action, in capitals.
        """
        columns = _columns((yield Statement(self.select_columns)))
        indexes = _indexes((yield Statement(self.select_indexes)))
        foreign_keys = _foreign_keys((yield Statement(self.select_foreign_keys)))
        return MappingProxyType(
            {
                name: FoundTable(
                    name=name,
                    columns=MappingProxyType(columns_by_name),
                    indexes=MappingProxyType(indexes[name]),
                    foreign_keys=frozenset(foreign_keys[name]),
                )
                for name, columns_by_name in columns.items()
            }
        )


def _names(rows: Rows) -> frozenset[str]:
    return frozenset(str(name) for (name,) in rows)


def _columns(rows: Rows) -> dict[str, dict[str, FoundColumn]]:
    columns_by_table: dict[str, dict[str, FoundColumn]] = defaultdict(dict)
    for table, name, kind, not_null, default in rows:
        columns_by_table[str(table)][str(name)] = FoundColumn(
            name=str(name),
            type=str(kind),
            nullable=not not_null,
            default=None if default is None else str(default),
        )
    return columns_by_table


def _indexes(rows: Rows) -> dict[str, dict[str, FoundIndex]]:
    """Group the columns of each index; an expression has the name ``""``."""
    indexes_by_table: dict[str, dict[str, FoundIndex]] = defaultdict(dict)
    for table, name, unique, partial, column in rows:
        index = indexes_by_table[str(table)].get(str(name))
        previous_columns = index.columns if index is not None else ()
        indexes_by_table[str(table)][str(name)] = FoundIndex(
            name=str(name),
            columns=(*previous_columns, "" if column is None else str(column)),
            unique=bool(unique),
            partial=bool(partial),
        )
    return indexes_by_table


def _foreign_keys(rows: Rows) -> dict[str, set[FoundForeignKey]]:
    foreign_keys_by_table: dict[str, set[FoundForeignKey]] = defaultdict(set)
    for table, column, target, on_delete in rows:
        foreign_keys_by_table[str(table)].add(
            FoundForeignKey(column=str(column), target=str(target), on_delete=str(on_delete))
        )
    return foreign_keys_by_table


class DatabaseState(Struct, frozen=True, kw_only=True):
    """What a start needs to know about a database.

    ``empty``: there is no table, everything can be created. ``problem``: a sentence that says why
    the database must not be opened, or ``None``. ``missing_tables`` and ``missing_columns``
    (``table.column``): those that the schema needs and the database lacks, in order of name;
    columns of missing tables are left out.
    """

    empty: bool
    problem: str | None
    missing_tables: tuple[str, ...]
    missing_columns: tuple[str, ...] = ()


def opening_program(inspector: Inspector, expected_columns: ColumnNames) -> Program[DatabaseState]:
    """Check whether a database can be opened for a schema with these tables.

    Runs two short statements, whatever the size of the database.
    """
    existing_columns = yield from inspector.column_names()
    migrations = yield from _internal_migrations(existing_columns)
    lacking = (
        f"{table}.{column}"
        for table, columns in expected_columns.items()
        if table in existing_columns
        for column in columns - existing_columns[table]
    )
    return DatabaseState(
        empty=not existing_columns,
        problem=layout_problem(existing_columns, migrations) if existing_columns else None,
        missing_tables=tuple(sorted(expected_columns.keys() - existing_columns.keys())),
        missing_columns=tuple(sorted(lacking)),
    )


def wanted_tables(table_map: TableMap) -> ColumnNames:
    """Return every table of a schema with its columns, including those without documents."""
    names: dict[str, set[str]] = {
        name: {"id", *(field.name for field in fields)} for name, fields in PLAIN_TABLES.items()
    }
    for table, columns in _mapped_tables(table_map):
        names.setdefault(table, set()).update(columns)
    return {table: frozenset(columns) for table, columns in names.items()}


def layout_problem(tables: Collection[str], migrations: Collection[str]) -> str | None:
    """Return why Quire must not use a database that has tables, or ``None``.

    ``migrations`` are the names in the table of internal migrations.
    """
    if CORE_STORE not in tables:
        if "core_store" in tables:
            return _outdated_message("Strapi 3 (it keeps its settings in the table core_store)")
        return (
            f"The database was made neither by Strapi nor by Quire: among its {len(tables)} tables "
            f"there is no {CORE_STORE}. Point the settings at another database, or at an empty one."
        )
    if INTERNAL_MIGRATIONS not in tables:
        return _outdated_message(f"Strapi 4 (there is no table {INTERNAL_MIGRATIONS})")
    newer = sorted(name for name in migrations if _is_newer(name))
    if newer:
        return (
            "The database was last used by a newer Strapi than 5.54: it has the migrations "
            f"{', '.join(newer)}. Quire does not know that layout and leaves it alone."
        )
    missing_migrations = [name for name in NEEDED_MIGRATIONS if name not in migrations]
    if missing_migrations:
        return (
            "The upgrade of the database to Strapi 5 is not finished; it lacks the migrations "
            f"{', '.join(missing_migrations)}. "
            "Start the project once with Strapi 5, which finishes it."
        )
    return None


def _outdated_message(version: str) -> str:
    return (
        f"The database was last used by {version}. Upgrade the project to Strapi 5 and start it "
        "there once; Quire can open the database after that."
    )


_VERSION_PREFIX = re.compile(r"(?:[\w-]+::)?\d+\.\d+\.\d+-")


def _is_newer(migration: str) -> bool:
    """Tell whether a versioned migration is newer; other names may belong to a plugin."""
    return migration not in KNOWN_MIGRATIONS and _VERSION_PREFIX.match(migration) is not None


def _internal_migrations(tables: Collection[str]) -> Program[frozenset[str]]:
    if INTERNAL_MIGRATIONS not in tables:
        return frozenset()
    rows = yield Statement('SELECT "name" FROM "strapi_migrations_internal"')
    return frozenset(str(name) for (name,) in rows)


def _mapped_tables(table_map: TableMap) -> Iterator[tuple[str, Iterable[str]]]:
    for table in table_map.tables.values():
        yield table.name, ("id", *table.row_columns)
        for edge in table.join_edges:
            yield edge.table, ("id", *edge.columns)
