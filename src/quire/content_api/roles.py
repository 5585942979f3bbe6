"""Roles of end users and their permissions."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from quire.access.ability import NOTHING, Ability, FullAccess, Granted
from quire.access.actions import Routed, all_actions, controllers
from quire.auth.roles import NOT_FOUND, NewRole, Roles
from quire.content_api.envelope import respond_bare
from quire.content_api.files import row_id
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.execute.row_mappers import members
from quire.database.stores.accounts import Accounts
from quire.document_service.read_service import ReadService
from quire.document_service.validate import ABSENT
from quire.errors import NotFoundError, ValidationError
from quire.query.resolve.row_rules import check_rule
from quire.schema.attributes.validation import NUL_MESSAGE, not_of_type
from quire.schema.model import ROLE_UID

EMPTY_BODY = "Request body cannot be empty"
TOO_LONG = "must be at most 255 characters"
NO_ROWS = "{} is not taken on rows that a rule could choose"
_LONGEST = 255
_ON_ROWS = frozenset({"find", "findOne", "create", "update", "delete", "destroy"})
_NO_RULES: Mapping[str, object] = {}
_DONE = {"ok": True}
_OWNER = "plugin::users-permissions"


class RoleApi:
    """``/users-permissions/roles`` and ``/users-permissions/permissions``."""

    def __init__(
        self, reader: ReadService, accounts: Accounts, roles: Roles, *, routed: Routed
    ) -> None:
        self._reader = reader
        self._roles = roles
        self._known = all_actions(reader.schema, routed)
        self._routed = routed
        self._accounts = accounts
        self._type = reader.schema.content_types[ROLE_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        roles = "users-permissions/roles"
        for method, path, action, handler in (
            ("GET", roles, "role.find", self.find),
            ("POST", roles, "role.createRole", self.create),
            ("GET", f"{roles}/:id", "role.findOne", self.find_one),
            ("PUT", f"{roles}/:id", "role.updateRole", self.update),
            ("DELETE", f"{roles}/:id", "role.deleteRole", self.delete),
            (
                "GET",
                "users-permissions/permissions",
                "permissions.getPermissions",
                self.permissions,
            ),
        ):
            yield Route(
                method=method,
                path=path,
                action=f"{_OWNER}.{action}",
                handler=handler,
                uid=ROLE_UID,
            )

    async def find(self, request: Request) -> Response:
        """List roles with the number of their users; the query is ignored."""
        prepared = self._reader.prepare_small(self._type, "window", b"sort=id", FullAccess())
        items, _ = await self._reader.rows(prepared, request.version)
        users = await self._reader.database.read(self._accounts.users_by_role)
        shown = [members(item) for item in items]
        roles = [{**role, "nb_users": users.get(role["id"], 0)} for role in shown]
        return respond_bare({"roles": roles})

    async def find_one(self, request: Request) -> Response:
        """Show a role with all actions, granted or not."""
        role_id = row_id(request.parameters["id"])
        prepared = self._reader.prepare_small(self._type, "entry", b"", FullAccess())
        role = None if role_id is None else await self._reader.row(prepared, role_id)
        if role is None or role_id is None:
            raise NotFoundError(NOT_FOUND)
        database = self._reader.database
        actions = await database.read(lambda: self._accounts.role_actions(role_id))
        rules = await database.read(lambda: self._accounts.role_rules(role_id))
        tree = self._tree(Granted(actions), rules)
        _add_granted(tree, actions)
        return respond_bare({"role": {**members(role), "permissions": tree}})

    async def permissions(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all actions that can be granted."""
        return respond_bare({"permissions": self._tree(NOTHING)})

    def _tree(self, ability: Ability, rules: Mapping[str, object] = _NO_RULES) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for controller in controllers(self._reader.schema, self._routed):
            owner = tree.setdefault(controller.owner, {"controllers": {}})
            owner["controllers"][controller.name] = {
                name: {
                    "enabled": ability.allows(controller.action(name)),
                    "policy": "",
                    **_rule(rules, controller.action(name)),
                }
                for name in controller.actions
            }
        return tree

    async def create(self, request: Request) -> Response:
        """Make a role."""
        body = _body(request)
        new = NewRole(
            name=_text(body, "name"),
            description=_text(body, "description"),
            type=_text(body, "type"),
            actions=_enabled(body) & self._known,
            rules=self._rules(body),
        )
        await self._roles.create(new, principal=request.principal)
        return respond_bare(_DONE)

    async def update(self, request: Request) -> Response:
        """Change a role; actions that are not enabled in the body are revoked."""
        body = _body(request)
        role_id = self._id(request)
        texts = {name: _text(body, name) for name in ("name", "description") if name in body}
        await self._roles.update(
            role_id,
            texts,
            _enabled(body),
            self._rules(body),
            known=self._known,
            principal=request.principal,
        )
        return respond_bare(_DONE)

    async def delete(self, request: Request) -> Response:
        """Delete a role."""
        await self._roles.delete(self._id(request), principal=request.principal)
        return respond_bare(_DONE)

    def _id(self, request: Request) -> int:
        role_id = row_id(request.parameters["id"])
        if role_id is None:
            raise NotFoundError(NOT_FOUND)
        return role_id

    def _rules(self, body: Mapping[str, object]) -> dict[str, object]:
        """Return the row rules in a body by action; ``None`` removes one.

        Raises ValidationError or InvalidKeyError for an invalid rule, or one on an action without
        rows.
        """
        found = {}
        for action, switch in _switches(body):
            if "rule" not in switch:
                continue
            rule = found[action] = switch["rule"]
            if rule is None:
                continue
            uid, _, verb = action.rpartition(".")
            content_type = self._reader.schema.content_types.get(uid)
            if content_type is None or verb not in _ON_ROWS:
                raise ValidationError(NO_ROWS.format(action))
            check_rule(rule, content_type, self._reader.schema)
        return found


def _add_granted(tree: dict[str, Any], actions: Iterable[str]) -> None:
    """Add the granted actions of code that is not served, so that saving the role keeps them."""
    for action in actions:
        owner, controller, name = action.rsplit(".", 2) if action.count(".") > 1 else ("", "", "")
        found = tree.get(owner, {"controllers": {}})["controllers"].get(controller)
        if found is not None and name not in found:
            found[name] = {"enabled": True, "policy": ""}


def _rule(rules: Mapping[str, object], action: str) -> dict[str, object]:
    return {"rule": rules[action]} if action in rules else {}


def _body(request: Request) -> Mapping[str, object]:
    body = request.body
    if not isinstance(body, Mapping) or not body:
        raise ValidationError(EMPTY_BODY)
    return body


def _text(body: Mapping[str, object], name: str) -> str | None:
    """Return a text of a body, ``None`` if it is missing. Raises ValidationError."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValidationError(f"{name} {not_of_type('string', value, ABSENT)}")
    if "\0" in value:
        raise ValidationError(f"{name} {NUL_MESSAGE}")
    if len(value) > _LONGEST:
        raise ValidationError(f"{name} {TOO_LONG}")
    return value


def _enabled(body: Mapping[str, object]) -> frozenset[str]:
    """Return the enabled actions in the tree of a body. Raises ValidationError."""
    return frozenset(action for action, switch in _switches(body) if switch.get("enabled") is True)


def _switches(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield all actions in the tree of a body with their values. Raises ValidationError."""
    for owner, about in _members(body.get("permissions"), "permissions"):
        for controller, actions in _members(_member(about, owner).get("controllers"), owner):
            for action, switch in _members(actions, controller):
                yield f"{owner}.{controller}.{action}", _member(switch, action)


def _members(value: object, name: str) -> Iterator[tuple[str, object]]:
    if value is not None:
        yield from _member(value, name).items()


def _member(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValidationError(f"{name} {not_of_type('object', value)}")
    return value
