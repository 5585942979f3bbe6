"""Plans a change of the model, and applies it to files, tables and servers."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog
from msgspec import Struct

from quire.builder.file_changes import FileChange, file_changes, unwritable_folder
from quire.builder.file_transaction import FileTransaction
from quire.builder.schema_files import SchemaFiles
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.migration.migrate import MigrationRequest, migrate_to, plan_migration_to
from quire.database.migration.plan import PlannedMigration
from quire.database.migration.schema_pair import Renames
from quire.database.migration.steps import SeveralDocuments
from quire.database.planner_statistics import renew_statistics
from quire.database.program import Program
from quire.database.schema_version import Requirement
from quire.database.target import DatabaseKind
from quire.errors import (
    ConflictError,
    InternalServerError,
    SchemaError,
    SchemaProblem,
    UncertainOutcomeError,
)
from quire.schema.load import build_schema, in_file_order, read_sources
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_options

Adopt = Callable[[Schema], Awaitable[None]]
"""Switches this process to another schema, whose tables exist."""

FindCodeProblems = Callable[[Schema], Sequence[SchemaProblem]]
"""Returns the problems of the project's Python code with another schema."""

_SCHEMA_DRIFT = (
    "The schema files are not those that the server works by: somebody has changed them. "
    "Let the database follow them first (quire migrate), or put them back."
)
_HALF_DONE = "The database was migrated, but not all schema files could be written"
_log = structlog.get_logger("quire.schema")


class SeveralDocumentsError(Exception):
    """A collection type with several documents cannot become a single type."""

    def __init__(self, documents: SeveralDocuments) -> None:
        """``documents`` is the type, with its number of documents."""
        super().__init__(str(documents))


class EditableProject(Struct, frozen=True, kw_only=True):
    """The project that the builder edits.

    ``require`` raises when the tables are not those of ``schema``; ``adopt`` is called when they
    have another one. ``code_problems`` finds what would prevent the server from adopting a schema.
    """

    settings: Settings
    database: Database
    kind: DatabaseKind
    clock: Clock
    schema: Schema
    require: Requirement
    adopt: Adopt
    code_problems: FindCodeProblems


class ModelDraft(Struct, frozen=True, kw_only=True):
    """A possible change of the model: the schema afterwards, and the changed files."""

    schema: Schema
    renames: Renames
    files: tuple[FileChange, ...]


class ModelEditor:
    """Plans changes of the model, and applies them."""

    def __init__(self, project: EditableProject) -> None:
        self._project = project
        self._busy = 0

    @property
    def is_busy(self) -> bool:
        """Whether a change is being applied."""
        return self._busy > 0

    @property
    def schema(self) -> Schema:
        """The present schema."""
        return self._project.schema

    async def require_present(self) -> None:
        """Check that the tables are those of the present schema.

        Raises StaleSchemaError when another process has changed them.
        """
        await self._project.database.read(self._project.require)

    async def obstacle(self) -> str | None:
        """Return why the files of the project cannot be changed; ``None`` if they can."""
        return await asyncio.to_thread(self._find_obstacle)

    async def draw(self, change: Callable[[SchemaFiles], None]) -> ModelDraft:
        """Return the result of a change of the model, without applying it.

        Raises ConflictError when the files were changed since, what ``change`` raises, and
        SchemaError with every error of the resulting files, and with the Python code of the project
        that needs something that would be removed.
        """
        return await asyncio.to_thread(self._draft_change, change)

    async def plan(self, draft: ModelDraft) -> PlannedMigration:
        """Return the plan for the database.

        Raises MigrationConflictError, SeveralDocumentsError, and AppError when the database does
        not respond.
        """
        request = self._migration_request(draft, title="", may_lose=True)
        kind = self._project.kind
        return _check_documents(
            await self._project.database.read(lambda: plan_migration_to(kind, request))
        )

    async def apply(self, draft: ModelDraft, *, title: str, may_lose: bool) -> PlannedMigration:
        """Apply a draft to the tables, the files and this process.

        ``title`` describes the change in the archive. Raises UnwritableFilesError,
        ConsentNeededError, MigrationConflictError, SeveralDocumentsError, StaleSchemaError and
        other AppErrors; then nothing has changed.
        """
        self._busy += 1
        try:
            return await self._apply(
                draft, self._migration_request(draft, title=title, may_lose=may_lose)
            )
        finally:
            self._busy -= 1

    async def _apply(self, draft: ModelDraft, request: MigrationRequest) -> PlannedMigration:
        project = self._project
        file_transaction = FileTransaction(
            project.settings.project, draft.schema.version, draft.files
        )
        await asyncio.to_thread(file_transaction.prepare)
        try:
            migration_plan = await project.database.write(self._migrate(request))
        except (UncertainOutcomeError, asyncio.CancelledError):
            # The journal stays until the result is known: a thread may still commit a cancelled
            # write.
            raise
        except BaseException:
            await asyncio.to_thread(file_transaction.discard)
            raise
        try:
            await asyncio.to_thread(file_transaction.finish)
        except OSError as error:
            _log.error(
                "schema files cannot be written", version=draft.schema.version, reason=str(error)
            )
            raise InternalServerError(_HALF_DONE) from error
        finally:
            await project.adopt(draft.schema)
        kind = project.kind
        await renew_statistics(project.database, kind.statistics, kind.inspector)
        return migration_plan

    def _find_obstacle(self) -> str | None:
        settings = self._project.settings
        locked = unwritable_folder(settings.project)
        if locked is not None:
            return f"The folder {locked} of the project cannot be written by the server"
        try:
            schema = build_schema(read_sources(settings.project), load_options(settings))
        except SchemaError as error:
            return str(error)
        return None if schema.version == self.schema.version else _SCHEMA_DRIFT

    def _draft_change(self, change: Callable[[SchemaFiles], None]) -> ModelDraft:
        settings = self._project.settings
        sources, options = read_sources(settings.project), load_options(settings)
        if build_schema(sources, options).version != self.schema.version:
            raise ConflictError(_SCHEMA_DRIFT)
        schema_files = SchemaFiles(self.schema, sources)
        change(schema_files)
        drawn = schema_files.files()
        new_schema = build_schema(in_file_order(drawn.sources), options)
        _refuse_unknown_custom_fields(self.schema, new_schema)
        problems = self._project.code_problems(new_schema)
        if problems:
            raise SchemaError(problems)
        return ModelDraft(
            schema=new_schema,
            renames=Renames(models=drawn.models, attributes=drawn.attributes),
            files=tuple(file_changes(settings.project, sources, drawn)),
        )

    def _migration_request(
        self, draft: ModelDraft, *, title: str, may_lose: bool
    ) -> MigrationRequest:
        return MigrationRequest(
            schema=draft.schema,
            options=load_options(self._project.settings),
            renames=draft.renames,
            former=self.schema,
            title=title,
            may_lose=may_lose,
        )

    def _migrate(self, request: MigrationRequest) -> Program[PlannedMigration]:
        yield from self._project.require()
        kind, now = self._project.kind, self._project.clock()
        return _check_documents((yield from migrate_to(kind, request, now=now)))


def _refuse_unknown_custom_fields(current_schema: Schema, new_schema: Schema) -> None:
    """Reject new custom fields with an assumed type: Strapi does not start with them.

    Raises SchemaError.
    """
    known_fields = {
        (custom_field.file, custom_field.path) for custom_field in current_schema.custom_fields
    }
    problems = [
        SchemaProblem(
            custom_field.file,
            f"{custom_field.path}.type",
            "no plugin registers these custom fields",
        )
        for custom_field in new_schema.custom_fields
        if custom_field.type.origin == "assumed"
        and (custom_field.file, custom_field.path) not in known_fields
    ]
    if problems:
        raise SchemaError(problems)


def _check_documents(planned: PlannedMigration) -> PlannedMigration:
    for documents in planned.plan.several_documents:
        raise SeveralDocumentsError(documents)
    return planned
