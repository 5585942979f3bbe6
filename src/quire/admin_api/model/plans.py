"""The plan of a change as JSON, and the consent that a request gives to it."""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from quire.builder.apply import ModelDraft
from quire.database.migration.plan import PlannedMigration
from quire.database.migration.steps import MigrationNotice, Step, rows_lost
from quire.errors import ValidationError

PLAN_CHANGED = "The plan is another one by now: the model or the content has changed meanwhile"


class Consent(Struct, frozen=True, kw_only=True):
    """What somebody agrees to: to losing rows and values, and to one plan or to any."""

    may_lose: bool = True
    digest: str | None = None


def consent_of(query: Mapping[str, Any]) -> Consent:
    """Read what a request agrees to. Raises ValidationError for what is neither yes nor no."""
    may_lose, digest = query.get("mayLose", "true"), query.get("plan")
    if may_lose not in {"true", "false"}:
        raise ValidationError("mayLose must be true or false")
    if not isinstance(digest, str | None):
        raise ValidationError("plan must be the digest of a plan")
    return Consent(may_lose=may_lose == "true", digest=digest)


def digest_of(draft: ModelDraft, planned: PlannedMigration) -> str:
    """Return what tells a plan from others: of the same model it is another when rows are."""
    lines = [draft.schema.version, *planned.plan.lines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def serialize_plan(draft: ModelDraft, planned: PlannedMigration) -> dict[str, Any]:
    """Show what a change would do to the database and to files."""
    return {
        "digest": digest_of(draft, planned),
        "version": draft.schema.version,
        "steps": [_shown_step(step) for step in planned.plan.steps],
        "losses": [str(step) for step in planned.plan.losses],
        "notices": [_shown_notice(notice) for notice in planned.plan.notices],
        "files": [
            {"path": one.path, "before": one.before, "after": one.after} for one in draft.files
        ],
    }


def _shown_step(step: Step) -> dict[str, Any]:
    kind = type(step).__name__
    return {
        "step": f"{kind[0].lower()}{kind[1:]}",
        "text": str(step),
        "rowsLost": rows_lost(step),
        "details": msgspec.to_builtins(msgspec.structs.asdict(step), enc_hook=_plain),
    }


def _plain(value: object) -> str:
    """Return a name as text: those of columns are of a class of SQLAlchemy's own."""
    if isinstance(value, str):
        return str(value)
    message = f"{type(value).__name__} is nothing that a step tells"
    raise TypeError(message)


def _shown_notice(notice: MigrationNotice) -> dict[str, Any]:
    return {"text": str(notice), **msgspec.structs.asdict(notice)}
