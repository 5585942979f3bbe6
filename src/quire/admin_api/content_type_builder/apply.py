"""Makes, plans and applies a change of the model for a request.

The plan is shown as JSON, and a request may give its consent to it.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from quire.admin_api.content_type_builder.errors import (
    BuilderError,
    body_error,
    definition_problems,
    uids_of_files,
)
from quire.builder.apply import ModelDraft, ModelEditor, SeveralDocumentsError
from quire.builder.file_transaction import UnwritableFilesError
from quire.builder.schema_files import InvalidDefinitionError, SchemaFiles
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.database.migration.migrate import ConsentNeededError
from quire.database.migration.plan import PlannedMigration
from quire.database.migration.schema_diff import MigrationConflictError
from quire.database.migration.steps import MigrationNotice, Step, rows_lost
from quire.errors import ConflictError, SchemaError, ValidationError

PLAN_CHANGED = "The plan is another one by now: the model or the content has changed meanwhile"


class Consent(Struct, frozen=True, kw_only=True):
    """The consent: to losing rows and values, and to one plan or to any."""

    may_lose: bool = True
    digest: str | None = None


def consent_of(query: Mapping[str, Any]) -> Consent:
    """Parse the consent of a request. Raises ValidationError for invalid values."""
    may_lose, digest = query.get("mayLose", "true"), query.get("plan")
    if may_lose not in ("true", "false"):  # it may be a list
        raise ValidationError("mayLose must be true or false")
    if not isinstance(digest, str | None):
        raise ValidationError("plan must be the digest of a plan")
    return Consent(may_lose=may_lose == "true", digest=digest)


def digest_of(draft: ModelDraft, migration: PlannedMigration) -> str:
    """Return the digest of a plan, which depends on the numbers of rows."""
    lines = [draft.schema.version, *migration.plan.lines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def serialize_plan(draft: ModelDraft, migration: PlannedMigration) -> dict[str, Any]:
    """Return a plan for the database and the files in its response form."""
    return {
        "digest": digest_of(draft, migration),
        "version": draft.schema.version,
        "steps": [_serialize_step(step) for step in migration.plan.steps],
        "losses": [str(step) for step in migration.plan.losses],
        "notices": [_serialize_notice(notice) for notice in migration.plan.notices],
        "files": [
            {"path": file.path, "before": file.before, "after": file.after} for file in draft.files
        ],
    }


def _serialize_step(step: Step) -> dict[str, Any]:
    kind = type(step).__name__
    return {
        "step": f"{kind[0].lower()}{kind[1:]}",
        "text": str(step),
        "rowsLost": rows_lost(step),
        "details": msgspec.to_builtins(msgspec.structs.asdict(step), enc_hook=_plain_name),
    }


def _plain_name(value: object) -> str:
    """Return a name as a plain text: those of columns are of a class of SQLAlchemy."""
    if isinstance(value, str):
        return str(value)
    message = f"{type(value).__name__} is nothing that a step tells"
    raise TypeError(message)


def _serialize_notice(notice: MigrationNotice) -> dict[str, Any]:
    return {"text": str(notice), **msgspec.structs.asdict(notice)}


Handler = Callable[[Request], Awaitable[Response]]
Change = Callable[[SchemaFiles], None]
_MULTIPLE_ENTRIES = (
    "You cannot convert a collectionType to a singleType when having multiple entries in DB"
)
_WOULD_LOSE = "The change would take away what people have written"


async def make_draft(remodeller: ModelEditor, change: Change) -> ModelDraft:
    """Return the result of a change of the model. Raises BuilderError for an impossible one."""
    try:
        return await remodeller.draw(change)
    except (SchemaError, InvalidDefinitionError) as error:
        raise _definition_error(remodeller, error) from error


def _definition_error(
    remodeller: ModelEditor, error: SchemaError | InvalidDefinitionError
) -> BuilderError:
    return body_error(definition_problems(error, uids_of_files(remodeller.schema)))


async def plan_draft(remodeller: ModelEditor, draft: ModelDraft) -> dict[str, Any]:
    """Return the plan of a draft, in its response form. Raises BuilderError and ConflictError."""
    try:
        return serialize_plan(draft, await remodeller.plan(draft))
    except SchemaError as error:
        raise _definition_error(remodeller, error) from error
    except (MigrationConflictError, SeveralDocumentsError) as error:
        raise ConflictError(str(error)) from error


async def apply_change(
    remodeller: ModelEditor, request: Request, change: Change, title: str
) -> ModelDraft:
    """Apply a change of the model with the consent of the request.

    Raises BuilderError, ConflictError, and other AppErrors; then nothing has changed.
    """
    consent = consent_of(request.query)
    draft = await make_draft(remodeller, change)
    try:
        if consent.digest is not None:
            migration = await remodeller.plan(draft)
            if digest_of(draft, migration) != consent.digest:
                raise ConflictError(PLAN_CHANGED)
        if not draft.files:
            return draft
        await remodeller.apply(draft, title=title, may_lose=consent.may_lose)
    except ConsentNeededError as error:
        losses = [str(step) for step in error.plan.losses]
        raise ConflictError(_WOULD_LOSE, {"losses": losses}) from error
    except SchemaError as error:
        raise _definition_error(remodeller, error) from error
    except SeveralDocumentsError as error:
        raise BuilderError(_MULTIPLE_ENTRIES) from error
    except (MigrationConflictError, UnwritableFilesError) as error:
        raise ConflictError(str(error)) from error
    return draft


def builder_errors(handler: Handler) -> Handler:
    """Let a handler respond to errors of the content-type builder in their own form."""

    async def response(request: Request) -> Response:
        try:
            return await handler(request)
        except BuilderError as error:
            return respond_bare({"error": error.error}, error.status)

    response.__doc__ = handler.__doc__
    return response
