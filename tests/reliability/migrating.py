"""Migrates the recorded project to a model in which nearly everything has changed.

Migrations can be interrupted on the way: after so many statements the connection is lost, or the
process is killed.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from quire import cli
from quire.cli import migrate
from quire.database.interface import Database
from quire.database.migration.migrate import MigrationRequest, migrate_to
from quire.database.migration.schema_pair import Renames
from quire.database.program import Program, Statement
from quire.database.settings_target import target_of
from quire.database.tables.inspection import FoundTables
from quire.database.target import DatabaseKind
from quire.errors import ServiceUnavailableError
from quire.settings import load_settings
from quire.strapi_project.schema import load_options, load_project_schema
from tests.databases.kind import Kind, Row, opened
from tests.databases.kinds import SQLITE, rows_of
from tests.unit.schema.trees import type_file, write_tree

T = TypeVar("T")

NOW = 1_800_000_000_000
RENAMED = "api::passport.passport.number=serial"
RENAMES = Renames(attributes={"api::passport.passport": {"serial": "number"}})
_RETYPED = {"rating": {"type": "string"}, "views": {"type": "integer"}}
_POSTER = type_file("poster", {"motto": {"type": "string"}, "pages": {"type": "integer"}})

After = Callable[[int], Program[None]]
"""What happens after each statement of a migration, given how many there were."""


def change_files(project: Path) -> None:
    """Write the changed model: something of every kind that a migration has to deal with."""
    _edit(
        project,
        "article",
        attributes={"mood": {"type": "string"}, **_RETYPED},
        gone=["featured", "gallery"],
    )
    _edit(project, "author", attributes={}, gone=["socials"], draftAndPublish=True)
    _edit(project, "category", attributes={}, gone=["parent", "children"], draftAndPublish=False)
    _edit(project, "tag", attributes={}, gone=[], localized=False)
    number = _raw(project, "passport")["attributes"]["number"]
    _edit(project, "passport", attributes={"serial": number}, gone=["number"])
    write_tree(project, _POSTER)


def goal_of(project: Path) -> MigrationRequest:
    """What the database of a project is to be migrated to: its files as they are."""
    settings = load_settings(project, environ={})
    return MigrationRequest(
        schema=load_project_schema(settings),
        options=load_options(settings),
        renames=RENAMES,
        may_lose=True,
    )


async def migrate_project(project: Path, after: After) -> None:
    """Let the tables of a project follow its files, as ``quire migrate --apply`` does."""
    target = target_of(load_settings(project, environ={}))
    database: Database = await target.open()
    try:
        program = migrate_to(target.kind, goal_of(project), now=NOW)
        await database.write(watched(program, after))
    finally:
        await database.close()


def nothing(_: int) -> Program[None]:
    """Let a migration go on."""
    yield from ()


def watched(program: Program[T], after: After) -> Program[T]:
    """Run a program, and something else after each of its statements, given how many there were."""
    number = 0
    try:
        statement = next(program)
        while True:
            rows = yield statement
            number += 1
            yield from after(number)
            statement = program.send(rows)
    except StopIteration as done:
        result: T = done.value
        return result


async def contents(project: Path) -> tuple[FoundTables, Mapping[str, list[Row]]]:
    """Return what tables a project's database has, and their rows."""
    target = target_of(load_settings(project, environ={}))
    async with target.look() as connection:
        found = await connection.run(target.kind.inspector.tables())
    with rows_of(project) as database:
        return found, {
            name: database.execute(f'SELECT * FROM "{name}" ORDER BY 1')
            for name in database.tables()
        }


class CutError(Exception):
    """Something went wrong in the middle."""


def cut_after(point: int, kind: Kind, project: Path) -> After:
    """Lose the connection after so many statements, or, where there is none to lose, go wrong."""

    def after(number: int) -> Program[None]:
        if number == point:
            yield from _cut(kind, project)

    return after


async def cut_off(project: Path, kind: Kind, point: int) -> bool | None:
    """Migrate a project, and lose the connection after so many statements.

    Returns whether anything is left of that in the database; ``None`` when there are not so many.
    """
    before = await contents(project)
    try:
        await migrate_project(project, cut_after(point, kind, project))
    except (CutError, ServiceUnavailableError):
        return await contents(project) != before
    return None


def _cut(kind: Kind, project: Path) -> Program[None]:
    if kind is SQLITE:
        raise CutError
    [(pid,)] = yield Statement("SELECT pg_backend_pid()")
    with opened(kind, project) as other:
        other.execute("SELECT pg_terminate_backend(?)", (pid,))
        while other.execute("SELECT 1 FROM pg_stat_activity WHERE pid = ?", (pid,)):
            time.sleep(0.01)


def migrate_and_die(project: str, after: int) -> None:
    """Run ``quire migrate --apply`` in this process, which is killed after so many statements."""

    def kill(number: int) -> Program[None]:
        if number == after:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from ()

    def dying(kind: DatabaseKind, request: MigrationRequest, *, now: int) -> Program[Any]:
        return (yield from watched(migrate_to(kind, request, now=now), kill))

    vars(migrate)["migrate_to"] = dying
    cli.run(["migrate", project, "--apply", "--may-lose", "--rename", RENAMED])


def _edit(
    project: Path,
    name: str,
    *,
    attributes: Mapping[str, object],
    gone: list[str],
    localized: bool = True,
    **options: object,
) -> None:
    raw = _raw(project, name)
    for former in gone:
        del raw["attributes"][former]
    raw["attributes"] |= attributes
    raw["options"] |= options
    if not localized:
        raw["pluginOptions"] = {}
        for attribute in raw["attributes"].values():
            attribute.pop("pluginOptions", None)
    _file(project, name).write_text(json.dumps(raw), encoding="utf-8")


def _raw(project: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_file(project, name).read_bytes())
    return found


def _file(project: Path, name: str) -> Path:
    return project / f"src/api/{name}/content-types/{name}/schema.json"
