"""``/admin/x/review``: review workflows, and the stages of entries."""

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from quire.access.admin_actions import UPDATE
from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.response_types import CREATED, EXTRAS, DataEnvelope, IdText, LocaleQuery
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.user_rows import AdminUser, AdminUserRows
from quire.clock import Clock
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import (
    MaxLength,
    Range,
    RowId,
    id_of,
    ids_of,
    path_id,
    single_line,
)
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.review.entry_stages import EntryReview, entry_review, may_move_from
from quire.content_manager.review.workflows import (
    MAX_STAGES,
    StageChange,
    Workflow,
    WorkflowChange,
)
from quire.content_manager.status_and_locale import locale_of
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.entry_stages import ENTRY_STAGES, EntryStage
from quire.database.stores.quire_tables import QuireTables
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ForbiddenError, ValidationError
from quire.schema.model import Schema

_MANAGE = "admin::project-settings.update"
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_Name = Annotated[str, MaxLength(100), single_line]
_USUAL_COLOR = "#4945FF"
_NO_COLOR = "color must be six hexadecimal digits after #, such as #4945FF"
_TWO_NAMES = 'two stages have the name "{}"'
_ONE_STAGE = "two stages have the same id"
_ONE_REQUIRED = "one stage at most can be required to publish"
_NO_TYPE = "{uid} is no content type with drafts"
_NO_WORKFLOW = "{uid} is in no workflow"
_NO_STAGE = "The workflow has no stage {id}"
_NO_ASSIGNEE = "There is no administrator {id} who may sign in"
_MAY_NOT_MOVE = 'Your roles may not move entries out of the stage "{name}"'


class StageInput(RequestBody, kw_only=True):
    """A stage of a workflow; one with an id exists already."""

    id: IdText | UnsetType = UNSET
    name: _Name
    color: str = _USUAL_COLOR
    roles: list[IdText] = field(default_factory=list)
    required_to_publish: bool = False


class ReviewWorkflowInput(RequestBody):
    """A review workflow with its requested stages."""

    name: _Name
    content_types: list[str]
    stages: Annotated[list[StageInput], Range(1, MAX_STAGES)]


class EntryReviewChange(RequestBody):
    """A new stage or assignee of an entry."""

    stage: IdText | UnsetType = UNSET
    assignee: Annotated[int | str | None, RowId(nullable=True)] | UnsetType = UNSET


class ReviewStage(Struct, rename="camel"):
    """A stage of a workflow, and the roles that may move entries out of it."""

    id: int
    name: str
    color: str
    roles: list[int]
    required_to_publish: bool


class ReviewWorkflow(Struct, rename="camel"):
    """A review workflow with its stages."""

    id: int
    name: str
    content_types: list[str]
    stages: list[ReviewStage]


class Assignee(Struct):
    """An administrator who can be assigned an entry."""

    id: int
    name: str


class EntryReviewResponse(Struct, rename="camel"):
    """The review stage of an entry."""

    schema_name: ClassVar[str] = "EntryReview"
    workflow: ReviewWorkflow
    stage: int
    assignee: Assignee | None
    may_move: bool


class ReviewApi:
    """Shows and changes workflows, and moves entries from stage to stage."""

    def __init__(
        self,
        database: Database,
        engine: WriteEngine,
        admin_users: AdminUserRows,
        tables: QuireTables,
        clock: Clock,
    ) -> None:
        self._database = database
        self._engine = engine
        self._admin_users = admin_users
        self._tables = tables
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(EXTRAS, "admin/x/review/")
        workflow_response = DataEnvelope[ReviewWorkflow]
        path, body, query = "workflows", ReviewWorkflowInput, LocaleQuery
        yield route(
            "GET", path, SIGNED_IN, self.workflows, response=DataEnvelope[list[ReviewWorkflow]]
        )
        yield route(
            "POST",
            path,
            _MANAGE,
            self.create,
            body=body,
            response=workflow_response,
            status=CREATED,
        )
        path = "workflows/:id"
        yield route("PUT", path, _MANAGE, self.change, body=body, response=workflow_response)
        yield route("DELETE", path, _MANAGE, self.delete, response=workflow_response)
        path, review_response = "entries/:uid/:id", DataEnvelope[EntryReviewResponse | None]
        yield route("GET", path, SIGNED_IN, self.of_entry, query=query, response=review_response)
        yield route(
            "PUT",
            path,
            SIGNED_IN,
            self.move,
            body=EntryReviewChange,
            query=query,
            response=DataEnvelope[EntryReviewResponse],
        )
        path = "assignees/:uid"
        yield route("GET", path, SIGNED_IN, self.assignees, response=DataEnvelope[list[Assignee]])

    @property
    def _review(self) -> EntryReview:
        return entry_review(self._engine)

    async def workflows(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List the review workflows with their stages."""
        stored_workflows = await self._database.read(self._review.workflows.all, snapshot=True)
        return respond_data([_serialize_workflow(workflow) for workflow in stored_workflows])

    async def create(self, request: Request) -> Response:
        """Create a review workflow."""
        change = _change(request.body, self._engine.schema)
        await self._tables.ensure(ENTRY_STAGES)
        program = self._review.workflows.create(change, self._clock())
        return respond_data(_serialize_workflow(await self._database.write(program)), CREATED)

    async def change(self, request: Request) -> Response:
        """Change a review workflow; entries in a deleted stage go back to the first one."""
        change, workflow_id = _change(request.body, self._engine.schema), path_id(request)
        await self._tables.ensure(ENTRY_STAGES)

        def program() -> Program[Workflow]:
            review = self._review
            workflow, deleted_stages = yield from review.workflows.change(
                workflow_id, change, self._clock()
            )
            yield from review.stages.forget_stages(deleted_stages)
            return workflow

        return respond_data(_serialize_workflow(await self._database.write(program())))

    async def delete(self, request: Request) -> Response:
        """Delete a review workflow; its entries are unchanged."""
        workflow_id = path_id(request)
        await self._tables.ensure(ENTRY_STAGES)

        def program() -> Program[Workflow]:
            review = self._review
            workflow = yield from review.workflows.delete(workflow_id)
            yield from review.stages.forget_stages([stage.id for stage in workflow.stages])
            return workflow

        return respond_data(_serialize_workflow(await self._database.write(program())))

    async def of_entry(self, request: Request) -> Response:
        """Show the review stage of an entry, ``null`` if its type has no workflow."""
        permissions = permissions_of(self._engine.schema, request)
        await self._tables.ensure(ENTRY_STAGES)

        def program() -> Program[EntryReviewResponse | None]:
            review = yield from self._review_of_entry(request, permissions)
            workflow = yield from self._review.workflows.of_type(review.uid)
            if workflow is None:
                return None
            return (yield from self._serialize_review(request, workflow, review))

        return respond_data(await self._database.read(program, snapshot=True))

    async def move(self, request: Request) -> Response:
        """Move an entry to another ``stage``, or change its ``assignee``."""
        permissions = permissions_of(self._engine.schema, request)
        body = read_body(request.body, EntryReviewChange)
        await self._tables.ensure(ENTRY_STAGES)

        def program() -> Program[EntryReviewResponse]:
            review = yield from self._review_of_entry(request, permissions, UPDATE)
            workflow = yield from self._workflow(review.uid)
            if body.stage is not UNSET:
                stage_id = id_of(body.stage)
                if all(stage.id != stage_id for stage in workflow.stages):
                    raise ValidationError(_NO_STAGE.format(id=stage_id))
                current_stage = workflow.stage(review.stage_id)
                if current_stage.id != stage_id:
                    if not may_move_from(permissions.ability, current_stage):
                        raise ForbiddenError(_MAY_NOT_MOVE.format(name=current_stage.name))
                    review = replace(review, stage_id=stage_id)
            if body.assignee is not UNSET:
                assignee = yield from self._assignee(body.assignee)
                review = replace(review, assignee_id=None if assignee is None else assignee.id)
            yield from self._review.stages.save(review)
            return (yield from self._serialize_review(request, workflow, review))

        return respond_data(await self._database.write(program()))

    async def assignees(self, request: Request) -> Response:
        """List the possible assignees of entries of a type, without addresses."""
        permissions_of(self._engine.schema, request, UPDATE)
        admin_users = await self._database.read(self._admin_users.all, snapshot=True)
        candidates = [_assignee(admin_user) for admin_user in admin_users if admin_user.may_sign_in]
        return respond_data(sorted(candidates, key=lambda assignee: assignee.name.casefold()))

    def _workflow(self, uid: str) -> Program[Workflow]:
        workflow = yield from self._review.workflows.of_type(uid)
        if workflow is None:
            raise ValidationError(_NO_WORKFLOW.format(uid=uid))
        return workflow

    def _review_of_entry(
        self, request: Request, permissions: TypePermissions, action: str | None = None
    ) -> Program[EntryStage]:
        """Return the stage of the entry in the path.

        Raises NotFoundError, and ForbiddenError for one that may not be read or changed.
        """
        content_type, document_id = permissions.content_type, request.parameters["id"]
        locale = locale_of(request.query, content_type, self._engine.default_locale)
        reading = EntryReader(self._engine)
        yield from reading.require_entry(permissions, document_id, locale, action)
        return (yield from self._review.stages.get(content_type.uid, document_id, locale))

    def _serialize_review(
        self, request: Request, workflow: Workflow, review: EntryStage
    ) -> Program[EntryReviewResponse]:
        stage = workflow.stage(review.stage_id)
        assignee = None
        if review.assignee_id is not None:
            assignee = yield from self._admin_users.admin_user(review.assignee_id)
        return EntryReviewResponse(
            workflow=_serialize_workflow(workflow),
            stage=stage.id,
            assignee=None if assignee is None else _assignee(assignee),
            may_move=may_move_from(request.administrator.ability, stage),
        )

    def _assignee(self, value: object) -> Program[AdminUser | None]:
        """Return the administrator of a body. Raises ValidationError for an unknown one."""
        if value is None:
            return None
        admin_user = yield from self._admin_users.admin_user(id_of(value) or 0)
        if admin_user is None or not admin_user.may_sign_in:
            raise ValidationError(_NO_ASSIGNEE.format(id=value))
        return admin_user


def _change(body: object, schema: Schema) -> WorkflowChange:
    """Return the requested changes of a workflow. Raises ValidationError."""
    workflow_input = read_body(body, ReviewWorkflowInput)
    for uid in workflow_input.content_types:
        content_type = schema.content_types.get(uid)
        if content_type is None or not content_type.draft_and_publish:
            raise ValidationError(_NO_TYPE.format(uid=uid))
    stages = tuple(map(_stage, workflow_input.stages))
    names = [stage.name for stage in stages]
    for name in names:
        if names.count(name) > 1:
            raise ValidationError(_TWO_NAMES.format(name))
    ids = [stage.id for stage in stages if stage.id is not None]
    if len(set(ids)) < len(ids):
        raise ValidationError(_ONE_STAGE)
    if sum(stage.required for stage in stages) > 1:
        raise ValidationError(_ONE_REQUIRED)
    return WorkflowChange(
        name=workflow_input.name,
        content_types=tuple(dict.fromkeys(workflow_input.content_types)),
        stages=stages,
    )


def _stage(stage: StageInput) -> StageChange:
    color = stage.color or _USUAL_COLOR
    if not _COLOR.fullmatch(color):
        raise ValidationError(_NO_COLOR)
    return StageChange(
        id=id_of(stage.id),
        name=stage.name,
        color=color,
        roles=tuple(ids_of(stage.roles)),
        required=stage.required_to_publish,
    )


def _serialize_workflow(workflow: Workflow) -> ReviewWorkflow:
    stages = [
        build_response(ReviewStage, stage, required_to_publish=stage.id == workflow.required)
        for stage in workflow.stages
    ]
    return build_response(ReviewWorkflow, workflow, stages=stages)


def _assignee(admin_user: AdminUser) -> Assignee:
    row = admin_user.row
    name = " ".join(part for part in (row.firstname, row.lastname) if part) or row.username
    return Assignee(admin_user.id, name or f"#{admin_user.id}")
