"""Row rules for writes: checked before and after a change.

What they may not find is not there for them, so that nothing they write can lead to it.

All versions of a document have to keep the rule, in every locale: otherwise a row that is out of
reach could be changed through another one.
"""

from collections.abc import Collection

from quire.access.ability import rules_of
from quire.database.entries.versions_query import entries_of, first_document_id
from quire.database.program import Program
from quire.document_service.commands import (
    CloneDocument,
    Command,
    CreateDocument,
    DeleteDocument,
    WrittenEntry,
)
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ForbiddenError

_FIND, _CREATE, _UPDATE, _DELETE = "find", "create", "update", "delete"
_DELETING = {"plugin::users-permissions.user": "destroy"}
"""What deleting is called, where not ``delete``."""


def rule_of(unit: UnitOfWork, command: Command) -> str | None:
    """Return the rule that an intent is held against, ``None`` where there is none."""
    if unit.principal is None:
        return None
    rules = rules_of(unit.principal.ability)
    if not rules:
        return None
    match command:
        case CreateDocument() | CloneDocument():
            action = _CREATE
        case DeleteDocument():
            action = _DELETING.get(command.uid, _DELETE)
        case _:
            action = _UPDATE
    return rules.get(f"{command.uid}.{action}")


def require_before(unit: UnitOfWork, command: Command, rule: str) -> Program[None]:
    """Refuse to change a document that does not keep the rule. Raises ForbiddenError."""
    if isinstance(command, CreateDocument | CloneDocument):
        return
    document_id = command.document_id
    if document_id is None:
        document_id = yield from first_document_id(unit.store, unit.layout(command.uid))
    if document_id is not None:
        yield from _require(unit, command.uid, document_id, rule)


def require_after(
    unit: UnitOfWork, command: Command, rule: str, written: list[WrittenEntry]
) -> Program[None]:
    """Refuse to leave a document that does not keep the rule. Raises ForbiddenError."""
    if isinstance(command, DeleteDocument):
        return
    for document_id in dict.fromkeys(one.document_id for one in written):
        yield from _require(unit, command.uid, document_id, rule)


def visible_rows(unit: UnitOfWork, uid: str, ids: Collection[int]) -> Program[frozenset[int]]:
    """Return those of some rows that who writes may find: all, where no rule narrows them."""
    rules = {} if unit.principal is None else rules_of(unit.principal.ability)
    rule = rules.get(f"{uid}.{_FIND}")
    if rule is None or not ids:
        return frozenset(ids)
    return (yield from unit.engine.reads.kept_among(uid, ids, rule))


def _require(unit: UnitOfWork, uid: str, document_id: str, rule: str) -> Program[None]:
    entries = yield from entries_of(unit.store, unit.layout(uid), document_id)
    kept = yield from unit.engine.reads.kept(uid, document_id, rule)
    if any(entry.id not in kept for entry in entries):
        raise ForbiddenError
