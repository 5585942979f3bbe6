"""The review stages of entries, who may move them, and whether they may be published."""

from collections.abc import Collection

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.content_manager.review.workflows import Stage, WorkflowStore
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.stores.entry_stages import EntryStages
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ValidationError
from quire.query.querystring import QueryValue

MAX_LISTED_ENTRIES = 1000
"""How many moved or assigned entries of a type a filtered list may have."""

_NO_WORKFLOW = "{uid} is in no workflow"
_NO_STAGE = "The workflow has no stage {id}"
_TOO_MANY = f"More than {MAX_LISTED_ENTRIES} entries were moved or assigned"
_NOT_READY = 'Only entries in the stage "{required}" can be published; this one is in "{present}"'


class EntryReview(Struct, frozen=True):
    """Programs about entries in review; the table `ENTRY_STAGES` has to exist."""

    workflows: WorkflowStore
    stages: EntryStages

    def document_filter(
        self, uid: str, locale: str | None, *, stage: int | None, assignee: int | None
    ) -> Program[dict[str, QueryValue]]:
        """Return the filter of the entries in a stage, with an assignee, or both.

        Raises ValidationError for a type without a workflow, for an unknown stage, and if more than
        `MAX_LISTED_ENTRIES` entries were moved or assigned.
        """
        workflow = yield from self.workflows.of_type(uid)
        if workflow is None:
            raise ValidationError(_NO_WORKFLOW.format(uid=uid))
        if stage is not None and workflow.stage(stage).id != stage:
            raise ValidationError(_NO_STAGE.format(id=stage))
        entry_stages = yield from self.stages.of_type(uid, locale, MAX_LISTED_ENTRIES + 1)
        if len(entry_stages) > MAX_LISTED_ENTRIES:
            raise ValidationError(_TOO_MANY)
        first = workflow.stages[0].id
        if stage == first and assignee is None:
            # Entries that were never moved have no row.
            moved_ids: list[QueryValue] = [
                entry_stage.document_id
                for entry_stage in entry_stages
                if workflow.stage(entry_stage.stage_id).id != first
            ]
            return {"documentId": {"$notIn": moved_ids}}
        document_ids: list[QueryValue] = [
            entry_stage.document_id
            for entry_stage in entry_stages
            if (stage is None or workflow.stage(entry_stage.stage_id).id == stage)
            and (assignee is None or entry_stage.assignee_id == assignee)
        ]
        return {"documentId": {"$in": document_ids}}

    def require_publishable(
        self, uid: str, entries: Collection[tuple[str, str | None]]
    ) -> Program[None]:
        """Check that entries are in the stage that their workflow requires for publishing.

        They are documents of one type, each with a locale. Raises ValidationError for the first one
        that is in another stage.
        """
        workflow = yield from self.workflows.of_type(uid)
        if workflow is None or workflow.required is None:
            return
        stages = yield from self.stages.of_documents(uid, {document for document, _ in entries})
        stage_ids = {(stage.document_id, stage.locale): stage.stage_id for stage in stages}
        for entry in entries:
            stage = workflow.stage(stage_ids.get(entry))
            if stage.id != workflow.required:
                required = workflow.stage(workflow.required).name
                raise ValidationError(_NOT_READY.format(required=required, present=stage.name))


def entry_review(engine: WriteEngine) -> EntryReview:
    """Return the programs for the content of one schema."""
    tables = ContentTables(store=engine.store, new_id=engine.new_id)
    return EntryReview(WorkflowStore(tables), EntryStages(engine.store.writes))


def may_move_from(ability: AdminAbility, stage: Stage) -> bool:
    """Tell whether roles may move entries out of a stage."""
    return ability.super_admin or not stage.roles or not ability.role_ids.isdisjoint(stage.roles)
