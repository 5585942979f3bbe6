"""Makes, plans and applies a change of the model for a request."""

from collections.abc import Awaitable, Callable
from typing import Any

from quire.admin_api.model.errors import (
    BuilderError,
    body_error,
    definition_problems,
    uids_of_files,
)
from quire.admin_api.model.plans import PLAN_CHANGED, consent_of, digest_of, serialize_plan
from quire.builder.apply import ModelDraft, ModelEditor, SeveralDocumentsError
from quire.builder.file_transaction import UnwritableFilesError
from quire.builder.schema_files import InvalidDefinitionError, SchemaFiles
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.database.migration.migrate import ConsentNeededError
from quire.database.migration.schema_diff import MigrationConflictError
from quire.errors import ConflictError, SchemaError

Handler = Callable[[Request], Awaitable[Response]]
Change = Callable[[SchemaFiles], None]
_CROWDED = "You cannot convert a collectionType to a singleType when having multiple entries in DB"
_WOULD_LOSE = "The change would take away what people have written"


async def make_draft(remodeller: ModelEditor, change: Change) -> ModelDraft:
    """Return what the model becomes by a change. Raises ToldError for what it cannot become."""
    try:
        return await remodeller.draw(change)
    except (SchemaError, InvalidDefinitionError) as error:
        raise body_error(definition_problems(error, uids_of_files(remodeller.schema))) from error


async def plan_draft(remodeller: ModelEditor, draft: ModelDraft) -> dict[str, Any]:
    """Return what a draft would do, as it is shown. Raises ConflictError."""
    try:
        return serialize_plan(draft, await remodeller.plan(draft))
    except (MigrationConflictError, SeveralDocumentsError) as error:
        raise ConflictError(str(error)) from error


async def apply_change(
    remodeller: ModelEditor, request: Request, change: Change, title: str
) -> ModelDraft:
    """Change the model as a request agrees to it.

    Raises ToldError, ConflictError, and other AppErrors; then nothing has
    changed.
    """
    consent = consent_of(request.query)
    draft = await make_draft(remodeller, change)
    try:
        if consent.digest is not None:
            found = await remodeller.plan(draft)
            if digest_of(draft, found) != consent.digest:
                raise ConflictError(PLAN_CHANGED)
        if not draft.files:
            return draft
        await remodeller.apply(draft, title=title, may_lose=consent.may_lose)
    except ConsentNeededError as error:
        losses = [str(step) for step in error.plan.losses]
        raise ConflictError(_WOULD_LOSE, {"losses": losses}) from error
    except SeveralDocumentsError as error:
        raise BuilderError(_CROWDED) from error
    except (MigrationConflictError, UnwritableFilesError) as error:
        raise ConflictError(str(error)) from error
    return draft


def builder_errors(handler: Handler) -> Handler:
    """Let a handler answer errors of the content-type builder in their own form."""

    async def response(request: Request) -> Response:
        try:
            return await handler(request)
        except BuilderError as error:
            return respond_bare({"error": error.told}, error.status)

    response.__doc__ = handler.__doc__
    return response
