"""``quire copy``: copies the database of a project to another one."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, PROBLEMS, print_message, print_warning, shown_progress
from quire.database.copying.copy import CopyResult, copy_database
from quire.database.settings_target import target_of
from quire.database.target import DatabaseTarget
from quire.errors import ConfigurationError
from quire.schema.model import Schema
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema

_POSTGRESQL = ("postgresql://", "postgres://")
_SQLITE = "sqlite:"


def copy_project(project: Path, *, source: str | None, target: str, replace: bool) -> int:
    """Copy a database of a project; returns the exit code.

    Raises ConfigurationError for an invalid database URL, and CopyError or DatabaseOpenError when
    it cannot be copied.
    """
    settings = load_logged(project)
    require_project(settings)
    schema = load_project_schema(settings)
    if source is not None:
        settings = load_settings(project, overrides=settings_of_url(source))
    origin = target_of(settings)
    goal = target_of(load_settings(project, overrides=settings_of_url(target)))
    if origin.place == goal.place:
        raise ConfigurationError(f"{goal.place} cannot be copied to itself.")
    outcome = asyncio.run(_copy(origin, goal, schema, replace=replace))
    return _print_result(outcome, goal)


def settings_of_url(address: str) -> Mapping[str, object]:
    """Return the settings of the database of a URL.

    Raises ConfigurationError unless it is one of PostgreSQL or a SQLite file.
    """
    if address.startswith(_POSTGRESQL):
        return {"database.client": "postgres", "database.url": address}
    path = address.removeprefix(_SQLITE).removeprefix("//")
    if not (address.startswith(_SQLITE) and path):
        raise ConfigurationError(
            f"{address.partition('://')[0]!r} names no database: "
            "write postgresql://user:password@host/name or sqlite:path/to/file.db"
        )
    return {"database.client": "sqlite", "database.filename": str(Path(path).absolute())}


async def _copy(
    origin: DatabaseTarget, target: DatabaseTarget, schema: Schema, *, replace: bool
) -> CopyResult:
    with shown_progress() as bar:
        return await copy_database(origin, target, schema, replace=replace, progress=bar)


def _print_result(outcome: CopyResult, target: DatabaseTarget) -> int:
    for name in outcome.unknown:
        print_warning(f"{name} is unknown to the project; it was copied as it is")
    for name in outcome.left_out:
        print_warning(f"{name} was left out: its like cannot be made")
    rows, tables = sum(outcome.rows.values()), len(outcome.rows)
    if outcome.differences:
        for line in outcome.differences:
            print_message(line, style="red")
        print_message(
            f"{target.place} is not the same as its source; was the source written to meanwhile? "
            "Use --replace to copy all of it again."
        )
        return PROBLEMS
    resumption = ", the first of them earlier" if outcome.resumed else ""
    print_message(
        f"{target.place} holds all {rows:,} rows of {tables} tables{resumption}; "
        "numbers and checksums are the same."
    )
    return EXIT_OK
