"""``/admin/x/model``: the plan of a change, and the archive of what changes removed."""

from collections.abc import Iterator

from msgspec import Struct

from quire.admin_api.content_type_builder.apply import plan_draft
from quire.admin_api.content_type_builder.errors import (
    BuilderError,
    definition_problems,
    uids_of_files,
)
from quire.admin_api.content_type_builder.read_routes import BUILD
from quire.admin_api.content_type_builder.type_bodies import SchemaRequest
from quire.admin_api.content_type_builder.update_schema import SchemaUpdate
from quire.admin_api.response_types import CONTENT_TYPES, DataEnvelope, FreeObject, RowCount
from quire.admin_api.responses import respond_data
from quire.builder.apply import ModelEditor
from quire.builder.schema_files import InvalidDefinitionError
from quire.clock import iso_from_ms
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import id_of
from quire.database.migration.archive import Archive
from quire.database.migration.model_archive import ModelArchive
from quire.document_service.validate.problems import validation_error
from quire.errors import NotFoundError, SchemaError, ValidationError

_NOT_FOUND = "Nothing is archived under this number"


class PlanStep(Struct, rename="camel"):
    """One step of a change, and how many rows it removes."""

    step: str
    text: str
    rows_lost: int
    details: FreeObject


class PlanNotice(Struct):
    """Rows that violate a rule after the change."""

    text: str
    uid: str
    attribute: str
    rows: int
    rule: str


class PlannedFile(Struct):
    """A schema file before and after the change."""

    path: str
    before: str | None
    after: str | None


class ModelPlan(Struct):
    """The plan of a change."""

    digest: str
    version: str
    steps: list[PlanStep]
    losses: list[str]
    notices: list[PlanNotice]
    files: list[PlannedFile]


class ModelState(Struct):
    """Whether the model can be changed here, and why not."""

    writable: bool
    reason: str | None


class ArchivedChange(Struct, rename="camel"):
    """An archive of a change of the model."""

    id: int
    title: str
    made_at: str
    tables: list[str]


class ModelPlanningApi:
    """Plans changes, and restores and deletes archives."""

    def __init__(self, remodeller: ModelEditor, archive: ModelArchive) -> None:
        self._remodeller = remodeller
        self._archives = archive

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(CONTENT_TYPES, "admin/x/model/")
        yield route(
            "POST", "plan", BUILD, self.plan, body=SchemaRequest, response=DataEnvelope[ModelPlan]
        )
        yield route("GET", "state", BUILD, self.state, response=DataEnvelope[ModelState])
        yield route(
            "GET", "archive", BUILD, self.archive, response=DataEnvelope[list[ArchivedChange]]
        )
        path = "archive/:id"
        yield route("POST", f"{path}/restore", BUILD, self.restore, response=DataEnvelope[RowCount])
        yield route("DELETE", path, BUILD, self.forget, response=DataEnvelope[ArchivedChange])

    async def plan(self, request: Request) -> Response:
        """Plan the changes of the body of an ``update-schema``; nothing is changed."""
        schema = self._remodeller.schema
        try:
            update = SchemaUpdate(schema, request.body)
        except BuilderError as error:
            raise ValidationError(str(error.error)) from error
        problems = list(update.problems())
        if problems:
            raise validation_error(problems)
        try:
            draft = await self._remodeller.draw(update)
        except (SchemaError, InvalidDefinitionError) as error:
            raise validation_error(definition_problems(error, uids_of_files(schema))) from error
        return respond_data(await plan_draft(self._remodeller, draft))

    async def state(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Tell whether the model can be changed here, and why not."""
        reason = await self._remodeller.obstacle()
        return respond_data({"writable": reason is None, "reason": reason})

    async def archive(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List what changes of the model have archived, the latest first."""
        archives = await self._archives.all()
        return respond_data([_serialize_archive(change) for change in reversed(archives)])

    async def restore(self, request: Request) -> Response:
        """Restore the archived rows of a change, as far as the model has their tables again."""
        count = await self._archives.restore(await self._archive_in_path(request))
        return respond_data({"count": count})

    async def forget(self, request: Request) -> Response:
        """Delete the archive of a change."""
        archive = await self._archive_in_path(request)
        await self._archives.delete(archive)
        return respond_data(_serialize_archive(archive))

    async def _archive_in_path(self, request: Request) -> Archive:
        archive_id = id_of(request.parameters["id"])
        for archive in await self._archives.all():
            if archive.id == archive_id:
                return archive
        raise NotFoundError(_NOT_FOUND)


def _serialize_archive(archive: Archive) -> ArchivedChange:
    tables = sorted({table.table for table in archive.tables})
    made_at = iso_from_ms(archive.made_at)
    return ArchivedChange(archive.id, archive.title, made_at, tables)
