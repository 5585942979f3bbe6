"""Reads and writes review workflows, in Strapi's tables for them.

Who may move entries out of a stage is stored in the core store: Strapi deletes permissions of
unknown actions at its start.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.stores.core_store import read_setting, write_setting
from quire.errors import NotFoundError, ValidationError

WORKFLOW_UID = "plugin::review-workflows.workflow"
STAGE_UID = "plugin::review-workflows.workflow-stage"
REVIEW_ROLES_KEY = "quire_review_roles"
"""The key in the core store of the roles that may move entries out of stages."""

MAX_WORKFLOWS = 200
MAX_STAGES = 200

_NAME_IN_USE = 'There is a workflow with the name "{}"'
_TYPE_IN_USE = "{uid} is in the workflow {name}"
_TOO_MANY = f"There may be {MAX_WORKFLOWS} workflows at most"
_NO_STAGE = "The workflow has no stage {id}"


class Stage(Struct, frozen=True, kw_only=True):
    """A stage; ``roles`` may move entries out of it, every role if it is empty."""

    id: int
    name: str
    color: str
    roles: tuple[int, ...] = ()


class Workflow(Struct, frozen=True, kw_only=True):
    """A workflow of content types; entries can only be published in the stage ``required``."""

    id: int
    name: str
    content_types: tuple[str, ...]
    stages: tuple[Stage, ...]
    required: int | None = None

    def stage(self, stage_id: int | None) -> Stage:
        """Return the stage of an entry: the first one if it is in none of these."""
        return next(
            (candidate for candidate in self.stages if candidate.id == stage_id), self.stages[0]
        )


class StageChange(Struct, frozen=True, kw_only=True):
    """The new values of a stage.

    ``id`` is that of an existing one. ``required`` is for publishing.
    """

    id: int | None
    name: str
    color: str
    roles: tuple[int, ...]
    required: bool


class WorkflowChange(Struct, frozen=True, kw_only=True):
    """The new values of a workflow; its stages are in order, and there is at least one."""

    name: str
    content_types: tuple[str, ...]
    stages: tuple[StageChange, ...]


class _WorkflowRow(Struct, frozen=True, kw_only=True, rename="camel"):
    id: int
    name: str = ""
    content_types: tuple[str, ...] = ()


class _StageRow(Struct, frozen=True, kw_only=True):
    id: int
    name: str = ""
    color: str = ""


class WorkflowStore:
    """Programs that read and write workflows."""

    def __init__(self, tables: ContentTables) -> None:
        self._workflows = tables.table_for(WORKFLOW_UID, _WorkflowRow)
        self._stages = tables.table_for(STAGE_UID, _StageRow)
        self._writes = tables.store.writes

    def all(self) -> Program[list[Workflow]]:
        """Return all workflows that have stages, by their ids."""
        workflow_rows = yield from self._workflows.select()
        if not workflow_rows:
            return []
        ids = [row.id for row in workflow_rows]
        stages = yield from self._workflows.linked("stages", ids)
        required = yield from self._workflows.linked("stageRequiredToPublish", ids)
        stage_ids = [stage_id for linked_ids in stages.values() for stage_id in linked_ids]
        rows = yield from self._stages.by_ids(stage_ids)
        roles = yield from self._roles()
        stages_by_id = {row.id: _stage(row, roles) for row in rows}
        return [
            Workflow(
                id=row.id,
                name=row.name,
                content_types=row.content_types,
                stages=tuple(
                    stages_by_id[stage_id]
                    for stage_id in stages[row.id]
                    if stage_id in stages_by_id
                ),
                required=next(iter(required[row.id]), None),
            )
            for row in workflow_rows
            if any(stage_id in stages_by_id for stage_id in stages[row.id])
        ]

    def of_type(self, uid: str) -> Program[Workflow | None]:
        """Return the workflow of a content type."""
        workflows = yield from self.all()
        return next((workflow for workflow in workflows if uid in workflow.content_types), None)

    def get(self, workflow_id: int) -> Program[Workflow]:
        """Return a workflow. Raises NotFoundError."""
        workflows = yield from self.all()
        workflow = next((candidate for candidate in workflows if candidate.id == workflow_id), None)
        if workflow is None:
            raise NotFoundError
        return workflow

    def create(self, change: WorkflowChange, now: int) -> Program[Workflow]:
        """Create a workflow. Raises ValidationError."""
        workflows = yield from self.all()
        if len(workflows) >= MAX_WORKFLOWS:
            raise ValidationError(_TOO_MANY)
        _require_free(change, workflows)
        values = {"name": change.name, "contentTypes": list(change.content_types)}
        workflow_id = yield from self._workflows.create(values, now=now)
        yield from self._set_stages(workflow_id, change, (), now)
        return (yield from self.get(workflow_id))

    def change(
        self, workflow_id: int, change: WorkflowChange, now: int
    ) -> Program[tuple[Workflow, list[int]]]:
        """Change a workflow; returns it with the ids of the deleted stages.

        Raises NotFoundError and ValidationError.
        """
        workflow = yield from self.get(workflow_id)
        workflows = yield from self.all()
        _require_free(change, [other for other in workflows if other.id != workflow_id])
        former_stage_ids = [stage.id for stage in workflow.stages]
        for stage in change.stages:
            if stage.id is not None and stage.id not in former_stage_ids:
                raise ValidationError(_NO_STAGE.format(id=stage.id))
        values = {"name": change.name, "contentTypes": list(change.content_types)}
        yield from self._workflows.change(workflow_id, values, now=now)
        yield from self._set_stages(workflow_id, change, former_stage_ids, now)
        stage_ids = {stage.id for stage in change.stages}
        return (yield from self.get(workflow_id)), [
            stage_id for stage_id in former_stage_ids if stage_id not in stage_ids
        ]

    def delete(self, workflow_id: int) -> Program[Workflow]:
        """Delete a workflow with its stages. Raises NotFoundError."""
        workflow = yield from self.get(workflow_id)
        stages = [stage.id for stage in workflow.stages]
        yield from self._save_roles(dict.fromkeys(stages, ()))
        yield from self._stages.delete_ids(stages)
        yield from self._workflows.delete_ids([workflow_id])
        return workflow

    def _set_stages(
        self, workflow_id: int, change: WorkflowChange, stage_ids: Collection[int], now: int
    ) -> Program[None]:
        ids: list[int] = []
        required: list[int] = []
        roles: dict[int, tuple[int, ...]] = {}
        for stage in change.stages:
            values = {"name": stage.name, "color": stage.color}
            if stage.id is None:
                stage_id = yield from self._stages.create(values, now=now)
            else:
                stage_id = stage.id
                yield from self._stages.change(stage_id, values, now=now)
            ids.append(stage_id)
            roles[stage_id] = stage.roles
            if stage.required:
                required.append(stage_id)
        removed_ids = [existing_id for existing_id in stage_ids if existing_id not in ids]
        yield from self._stages.delete_ids(removed_ids)
        creating = not stage_ids
        yield from self._workflows.link("stages", workflow_id, ids, creating=creating)
        yield from self._workflows.link(
            "stageRequiredToPublish", workflow_id, required, creating=creating
        )
        yield from self._save_roles({**dict.fromkeys(removed_ids, ()), **roles})

    def _roles(self) -> Program[Mapping[str, object]]:
        setting = yield from read_setting(self._writes, REVIEW_ROLES_KEY)
        return setting if isinstance(setting, Mapping) else {}

    def _save_roles(self, roles: Mapping[int, Sequence[int]]) -> Program[None]:
        """Replace the roles that may move entries out of stages; empty ones are left out."""
        current_roles = yield from self._roles()
        changes = {str(stage_id): list(ids) for stage_id, ids in roles.items()}
        new_roles = {key: ids for key, ids in {**current_roles, **changes}.items() if ids}
        if new_roles != current_roles:
            yield from write_setting(self._writes, REVIEW_ROLES_KEY, new_roles)


def _require_free(change: WorkflowChange, workflows: Sequence[Workflow]) -> None:
    for other in workflows:
        if other.name == change.name:
            raise ValidationError(_NAME_IN_USE.format(change.name))
        for uid in change.content_types:
            if uid in other.content_types:
                raise ValidationError(_TYPE_IN_USE.format(uid=uid, name=other.name))


def _stage(row: _StageRow, roles: Mapping[str, object]) -> Stage:
    ids = roles.get(str(row.id))
    return Stage(
        id=row.id,
        name=row.name,
        color=row.color,
        roles=tuple(role_id for role_id in ids if isinstance(role_id, int))
        if isinstance(ids, list)
        else (),
    )
