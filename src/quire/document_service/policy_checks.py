"""Checks the policies of a project before actions."""

from collections.abc import Iterable, Mapping, Sequence

import structlog

from quire.document_service.commands import (
    AllLocales,
    CloneDocument,
    Command,
    CreateDocument,
    UpdateDocument,
)
from quire.errors import AccessDeniedError, AppError
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.function_times import call_plain
from quire.hooks.policies import Policy, PolicyContext
from quire.hooks.principal import Principal
from quire.hooks.write import WriteAction

_log = structlog.get_logger("quire.extensions")
_READS = {"find": "find", "findOne": "find_one", "count": "count"}
"""The actions of policies on reads, by the permission's action."""


class PolicyTable:
    """The policies of a project by content type and action."""

    def __init__(self, policies: Iterable[Policy]) -> None:
        policies_by_action: dict[tuple[str, str], tuple[Policy, ...]] = {}
        for policy in policies:
            for action in policy.on:
                key = (policy.uid, action)
                policies_by_action[key] = (*policies_by_action.get(key, ()), policy)
        self._policies: Mapping[tuple[str, str], tuple[Policy, ...]] = policies_by_action
        self._read_permissions = {
            f"{uid}.{name}"
            for name, action in _READS.items()
            for uid, policy_action in policies_by_action
            if policy_action == action
        }
        self.is_empty = not policies_by_action

    def guard_read(self, permission: str | None) -> bool:
        """Tell whether there are policies on the read of a permission."""
        return permission in self._read_permissions

    def require_read(
        self,
        permission: str | None,
        principal: Principal,
        *,
        document_id: str | None,
        query: Mapping[str, object],
    ) -> None:
        """Check the policies on a read. Raises ForbiddenError.

        Policies on writes are checked where documents are written.
        """
        uid, _, name = (permission or "").rpartition(".")
        action = _READS.get(name)
        policies = None if action is None else self._policies.get((uid, action))
        if action is not None and policies is not None:
            context = PolicyContext(
                principal=principal, action=action, uid=uid, document_id=document_id, query=query
            )
            ask_policies(policies, context)

    def require_write(
        self, command: Command, actions: Iterable[WriteAction], principal: Principal
    ) -> None:
        """Check the policies on the actions of a command. Raises ForbiddenError."""
        for action in actions:
            policies = self._policies.get((command.uid, action))
            if policies is not None:
                ask_policies(policies, _context(command, action, principal))


def _context(command: Command, action: str, principal: Principal) -> PolicyContext:
    data: object = {}
    if isinstance(command, CreateDocument | UpdateDocument | CloneDocument):
        data = command.data
    created = isinstance(command, CreateDocument)
    locale = command.locale
    return PolicyContext(
        principal=principal,
        action=action,
        uid=command.uid,
        document_id=None if created else command.document_id,
        locale=locale.value if isinstance(locale, AllLocales) else locale,
        data=data if isinstance(data, Mapping) else {},
    )


def ask_policies(policies: Sequence[Policy], context: PolicyContext) -> None:
    """Call policies one after the other.

    Raises AccessDeniedError when one refuses, and their AppErrors unchanged.
    """
    for policy in policies:
        verdict = _verdict(policy, context)
        if verdict is not None:
            raise AccessDeniedError(f"the policy {policy.name} ({policy.place}) {verdict}")


def _verdict(policy: Policy, context: PolicyContext) -> str | None:
    """Call a policy; return how it refuses, ``None`` if it does not."""
    try:
        verdict: object = call_plain(policy, policy.function, context)
    except AppError:
        raise
    except CODE_ERRORS as error:  # whatever fails in a policy refuses
        _log.error("a policy failed", policy=policy.name, place=policy.place, exc_info=error)
        return "failed"
    if verdict is None or isinstance(verdict, bool):
        return "denied" if verdict is False else None
    returned = type(verdict).__name__
    _log.error(
        "a policy returned no verdict", policy=policy.name, place=policy.place, returned=returned
    )
    return "returned no verdict"
