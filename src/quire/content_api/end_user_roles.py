"""Roles of end users and their permissions."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from quire.access.ability import NO_PERMISSIONS, Ability, FullAccess, Granted
from quire.access.actions import RoutedActions, all_actions, controllers
from quire.access.declared_routes import ProjectFields
from quire.auth.end_user_roles import NOT_FOUND, NewRole, Roles
from quire.content_api.account_types import AnyText
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_types import OK_RESPONSE, OkResponse
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.upload_routes import row_id
from quire.database.execute.row_mappers import members
from quire.database.stores.auth_rows import Accounts
from quire.document_service.read_service import ReadService
from quire.errors import NotFoundError, ValidationError
from quire.query.resolve.row_rules import check_rule
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import ROLE_UID

EMPTY_BODY = "Request body cannot be empty"
NO_ROWS = "{} is not taken on rows that a rule could choose"
_ON_ROWS = frozenset({"find", "findOne", "create", "update", "delete", "destroy"})
_NO_RULES: Mapping[str, object] = {}
_MAX_LENGTH = 255

_ALWAYS = ("id", "documentId")


def _role_fields(models: Any) -> Mapping[str, JsonSchema]:  # noqa: ANN401 - see `ProjectFields`
    model = models.schema.content_types[ROLE_UID]
    relations = {attribute.name for attribute in model.relations}
    return {
        name: property_schema
        for name, property_schema in models.response_properties(model).items()
        if name not in relations
    }


class ActionPermission(Struct):
    """Whether an action is granted, and on which rows."""

    enabled: Annotated[object, Meta(extra_json_schema={"type": "boolean"})] = False
    policy: AnyText = UNSET
    rule: Annotated[
        object | UnsetType,
        Meta(
            extra_json_schema={"type": ["object", "null"], "additionalProperties": {}},
            description="Filters that rows must match.",
        ),
    ] = UNSET


class ControllerPermissions(Struct):
    """Actions by controller."""

    controllers: dict[str, dict[str, ActionPermission]]


class GrantedControllers(Struct):
    """Actions by controller."""

    controllers: dict[str, dict[str, ActionPermission] | None] | UnsetType | None = UNSET


class PermissionTree(Struct):
    """Actions by plugin or API."""

    permissions: dict[str, ControllerPermissions]


_Text = Annotated[str | UnsetType | None, Meta(extra_json_schema={"maxLength": _MAX_LENGTH})]


class RoleInput(RequestBody, forbid_unknown_fields=False):
    """A role of end users, and all that it is to grant."""

    longest_text: ClassVar[int] = _MAX_LENGTH
    name: _Text = UNSET
    description: _Text = UNSET
    type: _Text = UNSET
    permissions: dict[str, GrantedControllers] | UnsetType | None = UNSET

    def granted(self) -> Iterator[tuple[str, ActionPermission]]:
        """Yield all actions with what is said of them."""
        for owner, permissions in (self.permissions or {}).items():
            for controller, actions in (permissions.controllers or {}).items():
                for name, permission in (actions or {}).items():
                    yield f"{owner}.{controller}.{name}", permission

    def enabled(self) -> frozenset[str]:
        """Return the actions that are switched on."""
        return frozenset(name for name, setting in self.granted() if setting.enabled is True)


class RoleWithCount(Struct):
    """A role, and how many users have it."""

    nb_users: int


class RoleList(Struct):
    """All roles."""

    roles: list[Annotated[RoleWithCount, ProjectFields(_role_fields, _ALWAYS)]]


class RoleWithPermissions(PermissionTree):
    """A role with everything that it grants and does not."""


class RoleResponse(Struct):
    """One role."""

    role: Annotated[RoleWithPermissions, ProjectFields(_role_fields, _ALWAYS)]


class RoleApi:
    """``/users-permissions/roles`` and ``/users-permissions/permissions``."""

    def __init__(
        self, reader: ReadService, accounts: Accounts, roles: Roles, *, routed: RoutedActions
    ) -> None:
        self._reader = reader
        self._roles = roles
        self._action_names = all_actions(reader.schema, routed)
        self._routed_actions = routed
        self._accounts = accounts
        self._type = reader.schema.content_types[ROLE_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup("Roles", "users-permissions/", "plugin::users-permissions.", ROLE_UID)
        body, create, update = RoleInput, "role.createRole", "role.updateRole"
        path, delete = "roles/:id", "role.deleteRole"
        yield route("GET", "roles", "role.find", self.list_roles, response=RoleList)
        yield route("POST", "roles", create, self.create_role, body=body, response=OkResponse)
        yield route("GET", path, "role.findOne", self.find_role, response=RoleResponse)
        yield route("PUT", path, update, self.update_role, body=body, response=OkResponse)
        yield route("DELETE", path, delete, self.delete_role, response=OkResponse)
        action, handler = "permissions.getPermissions", self.list_permissions
        yield route("GET", "permissions", action, handler, response=PermissionTree)

    async def list_roles(self, request: Request) -> Response:
        """List the roles of end users, with the number of their users.

        The query does not count.
        """
        prepared = self._reader.prepare_small(self._type, "window", b"sort=id", FullAccess())
        items, _ = await self._reader.rows(prepared, request.version)
        users = await self._reader.database.read(self._accounts.users_by_role)
        rows = [members(item) for item in items]
        roles = [{**role, "nb_users": users.get(role["id"], 0)} for role in rows]
        return respond_bare({"roles": roles})

    async def find_role(self, request: Request) -> Response:
        """Show a role with everything that it grants and does not."""
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

    async def list_permissions(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all that can be granted."""
        return respond_bare(PermissionTree(self._tree(NO_PERMISSIONS)))

    def _tree(
        self, ability: Ability, rules: Mapping[str, object] = _NO_RULES
    ) -> dict[str, ControllerPermissions]:
        tree: dict[str, ControllerPermissions] = {}
        for controller in controllers(self._reader.schema, self._routed_actions):
            owner = tree.setdefault(controller.owner, ControllerPermissions({}))
            owner.controllers[controller.name] = {
                name: ActionPermission(
                    enabled=ability.allows(controller.action(name)),
                    policy="",
                    rule=rules.get(controller.action(name), UNSET),
                )
                for name in controller.actions
            }
        return tree

    async def create_role(self, request: Request) -> Response:
        """Make a role."""
        body = _read(request)
        role = NewRole(
            name=_text(body.name),
            description=_text(body.description),
            type=_text(body.type),
            actions=body.enabled() & self._action_names,
            rules=self._rules(body),
        )
        await self._roles.create(role, principal=request.principal)
        return respond_bare(OK_RESPONSE)

    async def update_role(self, request: Request) -> Response:
        """Change a role; actions that are not enabled in the body are revoked."""
        body = _read(request)
        role_id = self._id(request)
        texts = {"name": body.name, "description": body.description}
        await self._roles.update(
            role_id,
            {name: text for name, text in texts.items() if text is not UNSET},
            body.enabled(),
            self._rules(body),
            known_names=self._action_names,
            principal=request.principal,
        )
        return respond_bare(OK_RESPONSE)

    async def delete_role(self, request: Request) -> Response:
        """Delete a role; its users become public."""
        await self._roles.delete(self._id(request), principal=request.principal)
        return respond_bare(OK_RESPONSE)

    def _id(self, request: Request) -> int:
        role_id = row_id(request.parameters["id"])
        if role_id is None:
            raise NotFoundError(NOT_FOUND)
        return role_id

    def _rules(self, body: RoleInput) -> dict[str, object]:
        """Return the row rules in a body by action; ``None`` for those that are to go.

        Raises ValidationError or InvalidKeyError for an invalid rule, or one on an action without
        rows.
        """
        rules_by_action = {}
        for action, permission in body.granted():
            if permission.rule is UNSET:
                continue
            rule = rules_by_action[action] = permission.rule
            if rule is None:
                continue
            uid, _, action_name = action.rpartition(".")
            content_type = self._reader.schema.content_types.get(uid)
            if content_type is None or action_name not in _ON_ROWS:
                raise ValidationError(NO_ROWS.format(action))
            check_rule(rule, content_type, self._reader.schema)
        return rules_by_action


def _read(request: Request) -> RoleInput:
    """Return the role in a body. Raises ValidationError."""
    if not request.body_fields:
        raise ValidationError(EMPTY_BODY)
    return read_body(request.body, RoleInput)


def _text(value: str | UnsetType | None) -> str | None:
    return None if value is UNSET else value


def _add_granted(tree: Mapping[str, ControllerPermissions], actions: Iterable[str]) -> None:
    """Add the granted actions of code that is not served, so that saving the role keeps them."""
    for action in actions:
        owner, controller, name = action.rsplit(".", 2) if action.count(".") > 1 else ("", "", "")
        result = tree[owner].controllers.get(controller) if owner in tree else None
        if result is not None and name not in result:
            result[name] = ActionPermission(enabled=True, policy="")
