"""Row rules for writes: checked before and after a change.

The check after the change prevents that a principal gives a document away, or creates one outside
of the rule. Rows outside of a rule are missing for the principal, so that nothing can be linked to
them. All versions of a document have to satisfy the rule, in every locale: otherwise a forbidden
row could be changed through another one.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct

from quire.access.ability import rules_of, without_project_rules
from quire.database.entries.versions_query import entries_of, first_document_id
from quire.database.program import Program
from quire.document_service.commands import (
    CloneDocument,
    Command,
    CreateDocument,
    DeleteDocument,
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
    UpdateDocument,
    WrittenEntry,
)
from quire.document_service.project_rules import action_name
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AccessDeniedError, NotFoundError
from quire.hooks.write import WriteAction
from quire.schema.model import Schema

_FIND = "find"


class CommandRules(Struct, frozen=True, kw_only=True):
    """The bound rules of a command.

    A document that does not satisfy ``find`` is missing. ``before`` are rules for a document before
    its change, ``after`` for the result, ``create`` for a new one.
    """

    find: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    create: tuple[str, ...]


_NO_RULES = CommandRules(find=None, before=(), after=(), create=())


def rules_for(unit: UnitOfWork, command: Command) -> CommandRules | None:
    """Return the rules of a command, ``None`` if there are none.

    Raises ProjectCodeError if one of them has failed for the administrator who writes.
    """
    project = unit.rules.rules
    principal = unit.principal
    role_rules = {} if principal is None else rules_of(without_project_rules(principal.ability))
    if not project and not role_rules:
        return None
    uid = command.uid
    written = [action_name(uid, action) for action in command_actions(unit.engine.schema, command)]
    unit.rules.require(uid, _FIND, *written)
    action, granted = _actions_of(command)
    role_rule = role_rules.get(f"{uid}.{action_name(uid, granted)}")

    def rules_on(action: WriteAction, *extra_rules: str | None) -> tuple[str, ...]:
        actions = [action, "publish"] if _publishes(unit.engine.schema, command) else [action]
        project_rules = [
            project.get(f"{uid}.{action_name(uid, write_action)}") for write_action in actions
        ]
        return tuple(rule for rule in (*project_rules, *extra_rules) if rule is not None)

    # The rule of a role on creating is for the copy, not for its source.
    action_rules = rules_on(action) if action == "clone" else rules_on(action, role_rule)
    rules = CommandRules(
        find=project.get(f"{uid}.{_FIND}"),
        before=action_rules,
        after=action_rules,
        create=rules_on("create", role_rule),
    )
    return None if rules == _NO_RULES else rules


def _actions_of(command: Command) -> tuple[WriteAction, WriteAction]:
    """Return the action of a command, and the action of the permission that allows it."""
    match command:
        case CreateDocument():
            return "create", "create"
        case CloneDocument():
            return "clone", "create"
        case UpdateDocument():
            return "update", "update"
        case DeleteDocument():
            return "delete", "delete"
        case PublishDocument():
            return "publish", "update"
        case UnpublishDocument():
            return "unpublish", "update"
        case DiscardDraft():
            return "discard_draft", "update"


def command_actions(schema: Schema, command: Command) -> tuple[WriteAction, ...]:
    """Return the actions of a command: its own, and publishing if it does that, too."""
    action, _ = _actions_of(command)
    return (action, "publish") if _publishes(schema, command) else (action,)


def _publishes(schema: Schema, command: Command) -> bool:
    """Tell whether a document is published after it was created or changed."""
    if not isinstance(command, CreateDocument | UpdateDocument) or not command.publish:
        return False
    return schema.content_types[command.uid].draft_and_publish


def require_before(unit: UnitOfWork, command: Command, rules: CommandRules) -> Program[bool]:
    """Check a document before its change; returns whether it exists.

    Raises NotFoundError for a hidden one, and ForbiddenError if it does not satisfy the rules.
    """
    if isinstance(command, CreateDocument):
        return False
    document_id = command.document_id
    if document_id is None:
        document_id = yield from first_document_id(unit.store, unit.layout(command.uid))
    if document_id is None:
        return False
    if rules.find is not None and not (
        yield from _satisfies(unit, command.uid, document_id, (rules.find,))
    ):
        raise NotFoundError
    yield from _require(unit, command.uid, document_id, rules.before)
    return True


def require_after(
    unit: UnitOfWork,
    command: Command,
    rules: CommandRules,
    written_entries: Sequence[WrittenEntry],
    *,
    existed: bool,
) -> Program[None]:
    """Check the document after its change. Raises ForbiddenError."""
    if isinstance(command, DeleteDocument):
        return
    is_new = not existed or isinstance(command, CloneDocument)
    for document_id in dict.fromkeys(entry.document_id for entry in written_entries):
        required_rules = rules.create if is_new else rules.after
        yield from _require(unit, command.uid, document_id, required_rules)


def visible_rows(unit: UnitOfWork, uid: str, ids: Collection[int]) -> Program[frozenset[int]]:
    """Return those of some rows that the principal may find: all, if there is no rule."""
    principal = unit.principal
    rules = unit.rules.rules if principal is None else rules_of(principal.ability)
    rule = rules.get(f"{uid}.{_FIND}")
    if rule is None or not ids:
        return frozenset(ids)
    return (yield from unit.engine.reads.rows_matching_among(uid, ids, rule))


def _require(unit: UnitOfWork, uid: str, document_id: str, rules: Collection[str]) -> Program[None]:
    if not (yield from _satisfies(unit, uid, document_id, rules)):
        raise AccessDeniedError(f"a rule excludes the document {document_id} of {uid}")


def _satisfies(
    unit: UnitOfWork, uid: str, document_id: str, rules: Collection[str]
) -> Program[bool]:
    """Tell whether all versions of a document satisfy rules."""
    if not rules:
        return True
    entries = yield from entries_of(unit.store, unit.layout(uid), document_id)
    for rule in rules:
        matching_ids = yield from unit.engine.reads.rows_matching(uid, document_id, rule)
        if any(entry.id not in matching_ids for entry in entries):
            return False
    return True
