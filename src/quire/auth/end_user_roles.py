"""Roles of end users and their permissions.

Changes apply from the next request on, in every process: abilities are cached for one content
version only.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from quire.access.ability import rules_of, without_project_rules
from quire.access.principal import ApiToken, Principal
from quire.database.program import Program
from quire.database.stores.auth_rows import ROW_RULES_KEY, Accounts, write_grants
from quire.database.stores.core_store import read_setting, write_setting
from quire.database.stores.end_user_roles import RoleRow, RoleRows
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError, ForbiddenError, NotFoundError
from quire.schema.name_words import without_accents

NOT_FOUND = "Role not found"
PUBLIC_STAYS = "Cannot delete public role"
PUBLIC = "public"
_SINGLE_CHARACTER_WORDS = r"\u2700-\u27bf\U00010000-\U0010ffff"
_SEPARATORS = r"\s\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\xd7\xf7\u2000-\u206f"
_WORD = re.compile(
    rf"[0-9]+|[{_SINGLE_CHARACTER_WORDS}]|[^0-9{_SINGLE_CHARACTER_WORDS}{_SEPARATORS}]+"
)
"""Numbers, single emoji, and words between spaces and punctuation."""


class NewRole(Struct, frozen=True, kw_only=True):
    """A new role; without a ``type`` it is derived from the name.

    ``rules`` are row rules by action.
    """

    name: str | None
    description: str | None
    type: str | None
    actions: Collection[str]
    rules: Mapping[str, object]


class Roles:
    """Writes roles, each change in one transaction."""

    def __init__(self, documents: DocumentService, accounts: Accounts) -> None:
        self._documents = documents
        self._accounts = accounts

    async def create(self, new_role: NewRole, *, principal: Principal) -> None:
        """Create a role. Raises ForbiddenError when it grants more than the principal has."""
        require_grantable(principal, new_role.actions)

        def act(unit: UnitOfWork) -> Program[None]:
            rows = _rows(unit)
            type_ = new_role.type or type_of(new_role.name or "")
            role_id = yield from rows.insert(new_role.name, new_role.description, type_)
            yield from self._grant(unit, role_id, rows, new_role.actions, new_role.actions)
            role = yield from _get_role(rows, role_id)
            yield from _store_rules(unit, role, new_role.actions, new_role.rules)

        await self._documents.run(act, principal=principal)

    async def update(
        self,
        role_id: int,
        texts: Mapping[str, str | None],
        actions: Collection[str],
        rules: Mapping[str, object],
        *,
        known_names: Collection[str],
        principal: Principal,
    ) -> None:
        """Update the texts and the ``actions`` of a role.

        Actions that are not ``known_names`` are kept, because they may mean something to another
        server, but not added. ``rules`` are row rules by action, ``None`` removes one; rules of
        other actions are kept. Raises NotFoundError, and ForbiddenError for additional actions that
        the principal does not have.
        """

        def act(unit: UnitOfWork) -> Program[None]:
            rows = _rows(unit)
            role = yield from _get_role(rows, role_id)
            present_actions = yield from self._accounts.granted_custom_actions("roles", role_id)
            present_actions |= role.permissions.keys()
            added_actions = [
                name for name in actions if name in known_names and name not in present_actions
            ]
            require_grantable(principal, added_actions)
            revoked_ids = [ids for action, ids in role.permissions.items() if action not in actions]
            yield from rows.update(role_id, texts)
            yield from rows.revoke([row_id for ids in revoked_ids for row_id in ids])
            yield from self._grant(
                unit,
                role_id,
                rows,
                added_actions,
                {*added_actions, *(present_actions & {*actions})},
            )
            require_grantable(principal, rules)
            yield from _store_rules(unit, role, actions, rules)

        await self._documents.run(act, principal=principal)

    async def delete(self, role_id: int, *, principal: Principal) -> None:
        """Delete a role; its users get the public role.

        Raises NotFoundError, and ApplicationError for the public role.
        """

        def act(unit: UnitOfWork) -> Program[None]:
            rows = _rows(unit)
            public = yield from self._accounts.role_of_type(PUBLIC)
            if public is None or public == role_id:
                raise ApplicationError(PUBLIC_STAYS)
            role = yield from _get_role(rows, role_id)
            yield from rows.delete(role, public)
            yield from write_grants(unit.store.writes, "roles", role_id, ())
            yield from _store_rules(unit, role, (), {})

        await self._documents.run(act, principal=principal)

    def _grant(
        self,
        unit: UnitOfWork,
        role_id: int,
        rows: RoleRows,
        added_actions: Collection[str],
        actions: Collection[str],
    ) -> Program[None]:
        """Grant the ``added_actions``; ``actions`` is the complete list for Python routes."""
        custom_actions = self._accounts.custom_actions
        yield from rows.grant(
            role_id, sorted(name for name in added_actions if name not in custom_actions)
        )
        if custom_actions:
            custom_grants = {action for action in actions if action in custom_actions}
            yield from write_grants(unit.store.writes, "roles", role_id, custom_grants)


def type_of(name: str) -> str:
    """Return the type of a role with a name: its words in lower case, of any script, emoji too."""
    return "_".join(_WORD.findall(without_accents(name).lower()))


def _store_rules(
    unit: UnitOfWork, role: RoleRow, actions: Collection[str], rules: Mapping[str, object]
) -> Program[None]:
    """Store the row rules of a role: the present and the new ones, for actions that it grants."""
    writes = unit.store.writes
    setting = yield from read_setting(writes, ROW_RULES_KEY)
    rules_by_role = dict(setting) if isinstance(setting, Mapping) else {}
    stored_rules = rules_by_role.get(role.document_id)
    previous_rules = stored_rules if isinstance(stored_rules, Mapping) else {}
    new_rules = {
        action: rule
        for action, rule in {**previous_rules, **rules}.items()
        if action in actions and rule is not None
    }
    if new_rules == previous_rules:
        return
    rules_by_role[role.document_id] = new_rules
    nonempty_rules = {
        document_id: role_rules for document_id, role_rules in rules_by_role.items() if role_rules
    }
    yield from write_setting(writes, ROW_RULES_KEY, nonempty_rules)


def _get_role(rows: RoleRows, role_id: int) -> Program[RoleRow]:
    role = yield from rows.find(role_id)
    if role is None:
        raise NotFoundError(NOT_FOUND)
    return role


def _rows(unit: UnitOfWork) -> RoleRows:
    return RoleRows(unit.store, unit.tick(), unit.engine.new_id)


_OWN_ACCOUNT = ("plugin::users-permissions.auth.", "plugin::users-permissions.user.me")
"""Actions that concern only the caller's own account."""


def require_grantable(principal: Principal | None, actions: Collection[str]) -> None:
    """Check that a principal may grant actions, or act on a user who has them: it has them too.

    Otherwise the permission to edit end users and roles would include all others. API tokens are
    exempt, because an administrator chooses their actions one by one; visitors and end users are
    not.

    Raises ForbiddenError when the principal does not have one of them, or on some rows only.
    """
    if principal is None or isinstance(principal, ApiToken):
        return
    # Rules of the project also apply to whoever receives the action.
    ability = without_project_rules(principal.ability)
    row_rules = rules_of(ability)
    for action in _actions_on_others(actions):
        if action in row_rules or not ability.allows(action):
            raise ForbiddenError


def _actions_on_others(actions: Iterable[str]) -> Iterable[str]:
    return (action for action in actions if not action.startswith(_OWN_ACCOUNT))
