"""``quire migrate``: adapts the tables of a database to the schema files."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from quire.cli.schema_file_recovery import recover_project
from quire.cli.terminal import (
    CANNOT,
    EXIT_OK,
    PROBLEMS,
    print_error,
    print_message,
    print_result,
    print_warning,
)
from quire.clock import now_ms
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.migration.archive import delete_expired
from quire.database.migration.migrate import (
    ConsentNeededError,
    MigrationRequest,
    migrate_to,
    plan_migration_to,
)
from quire.database.migration.plan import PlannedMigration
from quire.database.migration.schema_pair import Renames
from quire.database.migration.schema_record import recorded_schema
from quire.database.migration.steps import Plan
from quire.database.open import require_project_database
from quire.database.planner_statistics import renew_statistics
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.target import DatabaseTarget
from quire.errors import (
    ConfigurationError,
    DatabaseLockedError,
    QuireError,
    ServiceUnavailableError,
    UncertainOutcomeError,
)
from quire.settings import Settings
from quire.strapi_project.schema import load_options, load_project_schema

T = TypeVar("T")

_PAUSE_SECONDS = 0.2

DEFAULT_WAIT = 60.0
"""How many seconds to wait for other writers."""

_ARCHIVE_HINT = "What was taken away is archived: `quire archive` lists it."


class DatabaseLockTimeoutError(QuireError):
    """The lock was never free, or the result of a commit is unknown."""


class DatabaseLock:
    """Opens a database, and writes to it when its lock is free; waits for a limited time."""

    def __init__(self, *, seconds: float) -> None:
        """Starts to wait, inside an event loop."""
        self._loop = asyncio.get_running_loop()
        self._latest = self._loop.time() + seconds
        self._has_reported = False

    async def open(self, target: DatabaseTarget) -> Database:
        """Open a database.

        Raises DatabaseLockTimeoutError when others keep it locked, and DatabaseOpenError.
        """
        while True:
            try:
                await require_project_database(target)
                return await target.open()
            except DatabaseLockedError as error:
                await self._wait_for_lock(error)

    async def write(self, database: Database, make: Callable[[], Program[T]]) -> T:
        """Run a program in one transaction; ``make`` returns a fresh one for each attempt.

        Raises DatabaseLockTimeoutError when the lock is not free in time, or when the connection is
        lost during the commit.
        """
        while True:
            try:
                return await database.write(make())
            except UncertainOutcomeError as error:
                message = (
                    "The connection was lost at the very end: whether this was done is not known. "
                    "`quire migrate` shows what is left to do."
                )
                raise DatabaseLockTimeoutError(message) from error
            except ServiceUnavailableError as error:
                await self._wait_for_lock(error)

    async def _wait_for_lock(self, error: QuireError) -> None:
        reason = str(error.__cause__ or error)
        if self._loop.time() >= self._latest:
            message = (
                f"The database cannot be changed now ({reason}). "
                "Nothing was changed; try again, or wait longer with --wait."
            )
            raise DatabaseLockTimeoutError(message) from error
        if not self._has_reported:
            print_message(f"The database cannot be changed now ({reason}); waiting.")
            self._has_reported = True
        await asyncio.sleep(_PAUSE_SECONDS)


def migrate_project(
    settings: Settings,
    *,
    apply: bool,
    may_lose: bool,
    renamed: Sequence[str],
    wait: float = DEFAULT_WAIT,
) -> int:
    """Print what a migration would do, or do it; returns the exit code.

    ``renamed`` are texts such as ``api::note.note=api::memo.memo`` and
    ``api::memo.memo.title=headline``. ``wait`` is how many seconds to wait for other writers. Exit
    code 1 says that there is something to do. Raises ConfigurationError for other texts,
    SchemaError, DatabaseOpenError, MigrationConflictError, and DatabaseLockTimeoutError.
    """
    recover_project(settings)
    request = MigrationRequest(
        schema=load_project_schema(settings),
        options=load_options(settings),
        renames=read_renames(renamed),
        may_lose=may_lose,
    )
    return asyncio.run(_apply(settings, request, wait=wait) if apply else _plan(settings, request))


def read_renames(texts: Sequence[str]) -> Renames:
    """Parse renames. Raises ConfigurationError for invalid ones."""
    models: dict[str, str] = {}
    attributes: dict[str, dict[str, str]] = {}
    for text in texts:
        former_name, separator, later_name = text.partition("=")
        if not (former_name and separator and later_name):
            raise ConfigurationError(f"{text!r} is no renaming: write FORMER=LATER")
        model, _, attribute = former_name.rpartition(".")
        if "." in later_name:
            names, old_name = models, former_name
        elif "." in model:
            names, old_name = attributes.setdefault(model, {}), attribute
        else:
            raise ConfigurationError(
                f"{text!r} is no renaming: write a uid as a whole, or UID.attribute=attribute"
            )
        if names.setdefault(later_name, old_name) != old_name:
            raise ConfigurationError(
                f"{text!r} is no renaming: {names[later_name]} becomes {later_name} already"
            )
    return Renames(models=models, attributes=attributes)


def follow_files(settings: Settings) -> None:
    """Migrate the tables to the schema files if nothing is lost, and print what was done.

    Raises ConfigurationError when somebody has to decide, and what `migrate_project` raises. A
    database without tables is left alone.
    """
    request = MigrationRequest(
        schema=load_project_schema(settings), options=load_options(settings), renames=Renames()
    )
    asyncio.run(_follow(settings, request))


async def _follow(settings: Settings, request: MigrationRequest) -> None:
    target = target_of(settings)
    if not await target.has_tables():
        return
    async with target.look() as connection:
        recorded_version = await connection.run(recorded_schema(Writes(target.kind.dialect())))
        if recorded_version is not None and recorded_version.version == request.schema.version:
            return
        migration = await connection.run(plan_migration_to(target.kind, request))
    if migration.plan.losses:
        raise ConfigurationError(
            f"{ConsentNeededError(migration.plan)}\n"
            "`quire migrate --apply --may-lose` does it and archives that; "
            "--rename names what was only renamed."
        )
    if migration.plan.steps:
        await _apply(settings, request, wait=DEFAULT_WAIT)


async def _plan(settings: Settings, request: MigrationRequest) -> int:
    target = target_of(settings)
    await require_project_database(target)
    async with target.look() as connection:
        migration = await connection.run(plan_migration_to(target.kind, request))
    _show(migration.plan)
    if not migration.plan.steps:
        print_message("The database has all that the schema wants.")
        return EXIT_OK
    if migration.plan.losses:
        print_warning(
            "this takes away what people have written; "
            "`quire migrate --apply --may-lose` does it, and archives it"
        )
    else:
        print_message("`quire migrate --apply` does this.")
    return PROBLEMS


async def _apply(settings: Settings, request: MigrationRequest, *, wait: float) -> int:
    target = target_of(settings)
    lock = DatabaseLock(seconds=wait)
    database = await lock.open(target)

    def migrate() -> Program[PlannedMigration]:
        migration = yield from migrate_to(target.kind, request, now=now_ms())
        yield from delete_expired(target.kind, days=settings.database.archive_days, now=now_ms())
        return migration

    try:
        migration = await lock.write(database, migrate)
        if migration.plan.steps:
            await renew_statistics(database, target.kind.statistics, target.kind.inspector)
    except ConsentNeededError as error:
        print_error(f"{error}\nNothing was changed. Agree with --may-lose.")
        return CANNOT
    finally:
        await database.close()
    _show(migration.plan)
    count = len(migration.plan.steps)
    print_message("1 step was taken." if count == 1 else f"{count} steps were taken.")
    if migration.plan.losses:
        print_message(_ARCHIVE_HINT)
    return EXIT_OK


def _show(plan: Plan) -> None:
    for step in plan.steps:
        print_result(str(step))
    for warning in (*plan.notices, *plan.several_documents):
        print_warning(str(warning))
