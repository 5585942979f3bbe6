"""Row rules for writes: checked before and after a change.

The check after the change prevents that a principal gives a document away, or creates one outside
of the rule. Rows outside of a rule are missing for the principal, so that nothing can be linked to
them. All versions of a document have to satisfy the rule, in every locale: otherwise a forbidden
row could be changed through another one.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from quire.access.ability import NO_PROJECT_RULES, rules_of, without_project_rules
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
from quire.hooks.policies import RuleAction
from quire.hooks.write import WriteAction
from quire.schema.model import Schema

_CACHE_SIZE = 1000
_FIND: RuleAction = "find"


class CommandRules(Struct, frozen=True, kw_only=True):
    """The bound rules of a command.

    A document that does not satisfy ``find`` is missing. ``changed`` are rules for a document both
    before and after its change, ``create`` for a new one.
    """

    find: str | None
    changed: tuple[str, ...]
    create: tuple[str, ...]


class _RuleNames(NamedTuple):
    """The names of the permissions whose rules apply to a command, as `CommandRules`.

    ``granted`` is the permission that allows the command.
    """

    find: str
    changed: tuple[str, ...]
    create: tuple[str, ...]
    granted: str
    of_project: frozenset[str]


_ACTIONS: Mapping[type[Command], tuple[WriteAction, WriteAction]] = {
    CreateDocument: ("create", "create"),
    CloneDocument: ("clone", "create"),
    UpdateDocument: ("update", "update"),
    DeleteDocument: ("delete", "delete"),
    PublishDocument: ("publish", "update"),
    UnpublishDocument: ("unpublish", "update"),
    DiscardDraft: ("discard_draft", "update"),
}
"""The action of a command, and the action of the permission that allows it."""
_PUBLISHING_COMMANDS = (CreateDocument, UpdateDocument)


def rules_for(unit: UnitOfWork, command: Command) -> CommandRules | None:
    """Return the rules of a command, ``None`` if there are none.

    Raises ProjectCodeError if one of them has failed for the administrator who writes.
    """
    actions_with_rules = unit.engine.rules.actions
    caller = unit.caller
    role_rules = {} if caller is None else rules_of(without_project_rules(caller.ability))
    if not actions_with_rules and not role_rules:
        return None
    publishes = _publishes(unit.engine.schema, command)
    names = _rule_names(command.uid, type(command), publishes=publishes)
    role_rule = role_rules.get(names.granted)
    rules = NO_PROJECT_RULES if names.of_project.isdisjoint(actions_with_rules) else unit.rules
    project = rules.rules
    if role_rule is None and names.of_project.isdisjoint(project):
        return None
    is_clone = isinstance(command, CloneDocument)
    rules.require(names.find, *names.changed, *(names.create if is_clone else ()))
    changed = tuple(project[name] for name in names.changed if name in project)
    create = tuple(project[name] for name in names.create if name in project)
    if role_rule is not None:
        create = (*create, role_rule)
        # The rule of a role on creating is for the copy, not for its source.
        if not is_clone:
            changed = (*changed, role_rule)
    return CommandRules(find=project.get(names.find), changed=changed, create=create)


@lru_cache(_CACHE_SIZE)
def _rule_names(uid: str, command_type: type[Command], *, publishes: bool) -> _RuleNames:
    action, granted = _ACTIONS[command_type]

    def names_of(*actions: WriteAction) -> tuple[str, ...]:
        all_actions = (*actions, "publish") if publishes else actions
        return tuple(f"{uid}.{action_name(uid, each)}" for each in all_actions)

    find, changed, create = f"{uid}.{_FIND}", names_of(action), names_of("create")
    return _RuleNames(
        find=find,
        changed=changed,
        create=create,
        granted=f"{uid}.{action_name(uid, granted)}",
        of_project=frozenset((find, *changed, *create)),
    )


def command_actions(schema: Schema, command: Command) -> tuple[WriteAction, ...]:
    """Return the actions of a command: its own, and publishing if it does that, too."""
    action, _ = _ACTIONS[type(command)]
    return (action, "publish") if _publishes(schema, command) else (action,)


def _publishes(schema: Schema, command: Command) -> bool:
    """Tell whether a document is published after it was created or changed."""
    if not isinstance(command, _PUBLISHING_COMMANDS) or not command.publish:
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
    yield from _require(unit, command.uid, document_id, rules.changed)
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
        required_rules = rules.create if is_new else rules.changed
        yield from _require(unit, command.uid, document_id, required_rules)


def visible_rows(unit: UnitOfWork, uid: str, ids: Collection[int]) -> Program[frozenset[int]]:
    """Return those of some rows that the principal may find: all, if there is no rule."""
    action = f"{uid}.{_FIND}"
    has_rules = action in unit.engine.rules.actions
    # Without a rule on the action, none of them is evaluated.
    principal = unit.principal if has_rules else unit.caller
    if principal is not None:
        rule = rules_of(principal.ability).get(action)
    else:
        rule = unit.rules.rules.get(action) if has_rules else None
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
