"""Opens the database of a project."""

from quire.database.interface import Database
from quire.database.settings_target import kind_of, target_of
from quire.database.tables.inspection import DatabaseState, opening_program, wanted_tables
from quire.database.tables.table_map import TableMap
from quire.database.target import DatabaseTarget
from quire.errors import DatabaseOpenError
from quire.settings import Settings

_MAX_LISTED = 5


async def open_database(settings: Settings, tables: TableMap) -> Database:
    """Open the database of a project for serving, without changing tables or rows.

    Raises DatabaseOpenError when it does not exist, when it is of another kind or a newer layout,
    or when tables of the schema are missing; ConfigurationError for a kind that cannot be served.
    """
    target = target_of(settings)
    expected_tables = wanted_tables(tables)
    return await target.open_checked(
        lambda: opening_program(target.kind.inspector, expected_tables),
        lambda state: _require_sound(target.place, state),
    )


async def require_project_database(target: DatabaseTarget) -> None:
    """Check that a database is one of Strapi or Quire, whatever tables of the schema it lacks.

    Raises DatabaseOpenError when it is not, or when it is empty or cannot be opened.
    """
    async with target.look() as connection:
        state = await connection.run(opening_program(target.kind.inspector, {}))
    _require_sound(target.place, state)


async def require_tables(settings: Settings, database: Database, tables: TableMap) -> None:
    """Check that an open database has the tables of a schema. Raises DatabaseOpenError."""
    inspector = kind_of(settings).inspector
    expected_tables = wanted_tables(tables)
    state = await database.read(lambda: opening_program(inspector, expected_tables))
    if state.missing_tables or state.missing_columns:
        raise DatabaseOpenError(_describe_missing(state))


def _require_sound(place: str, state: DatabaseState) -> None:
    """Check that a database can be served. Raises DatabaseOpenError that says why not."""
    if state.empty:
        raise DatabaseOpenError(
            f"{place} is an empty database; make the tables with `quire new` or Strapi"
        )
    if state.problem is not None:
        raise DatabaseOpenError(state.problem)
    if state.missing_tables or state.missing_columns:
        raise DatabaseOpenError(_describe_missing(state))


def _describe_missing(state: DatabaseState) -> str:
    tables = [f"the table {name}" for name in state.missing_tables]
    columns = [f"the column {name}" for name in state.missing_columns]
    missing_structure = tables + columns
    listed_names = ", ".join(missing_structure[:_MAX_LISTED])
    unlisted_count = len(missing_structure) - _MAX_LISTED
    suffix = f" and {unlisted_count} more" if unlisted_count > 0 else ""
    return (
        f"The database lacks what the schema wants: {listed_names}{suffix}.\n"
        "`quire migrate` shows what there is to do, `quire migrate --apply` does it."
    )
