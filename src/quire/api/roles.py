"""Roles of end users and what they grant, for reading."""

from collections.abc import Iterator
from typing import Any

from quire.access.ability import NOTHING, Ability, FullAccess, Granted
from quire.access.actions import controllers
from quire.api.envelope import respond_bare
from quire.api.files import row_id
from quire.api.messages import Answer, Request
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.database.accounts import Accounts
from quire.database.mappers import members
from quire.errors import NotFoundError, UnimplementedError, ValidationError
from quire.schema.model import ROLE_UID

NOT_FOUND = "Role not found"
EMPTY_BODY = "Request body cannot be empty"
NOT_WRITABLE = "Writing roles is not available yet"
_OWNER = "plugin::users-permissions"


class RoleApi:
    """``/users-permissions/roles`` and ``/users-permissions/permissions``."""

    def __init__(self, reader: Reader, accounts: Accounts) -> None:
        self._reader = reader
        self._accounts = accounts
        self._type = reader.schema.content_types[ROLE_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        roles = "users-permissions/roles"
        for method, path, action, handler in (
            ("GET", roles, "role.find", self.find),
            ("POST", roles, "role.createRole", self.write),
            ("GET", f"{roles}/:id", "role.findOne", self.find_one),
            ("PUT", f"{roles}/:id", "role.updateRole", self.write),
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

    async def find(self, request: Request) -> Answer:
        """List roles with the number of their users; the query does not count."""
        prepared = self._reader.prepare(self._type, "window", b"", FullAccess())
        items, _ = await self._reader.rows(prepared, request.version)
        users = await self._reader.database.read(self._accounts.users_by_role)
        shown = [members(item) for item in items]
        roles = [{**role, "nb_users": users.get(role["id"], 0)} for role in shown]
        return respond_bare({"roles": roles})

    async def find_one(self, request: Request) -> Answer:
        """Show a role and everything it grants and does not grant."""
        role_id = row_id(request.parameters["id"])
        prepared = self._reader.prepare(self._type, "entry", b"", FullAccess())
        role = None if role_id is None else await self._reader.row(prepared, role_id)
        if role is None or role_id is None:
            raise NotFoundError(NOT_FOUND)
        actions = await self._reader.database.read(lambda: self._accounts.role_actions(role_id))
        return respond_bare(
            {"role": {**members(role), "permissions": self._tree(Granted(actions))}}
        )

    async def permissions(self, request: Request) -> Answer:  # noqa: ARG002 - a handler
        """Show everything that can be granted."""
        return respond_bare({"permissions": self._tree(NOTHING)})

    def _tree(self, ability: Ability) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for controller in controllers(self._reader.schema):
            owner = tree.setdefault(controller.owner, {"controllers": {}})
            owner["controllers"][controller.name] = {
                name: {"enabled": ability.allows(controller.action(name)), "policy": ""}
                for name in controller.actions
            }
        return tree

    async def write(self, request: Request) -> Answer:
        """Check what can be checked of a role; none can be written yet."""
        if not request.body:
            raise ValidationError(EMPTY_BODY)
        raise UnimplementedError(NOT_WRITABLE)

    async def delete(self, request: Request) -> Answer:
        """Answer for roles that are not there; none can be deleted yet."""
        await self.find_one(request)
        raise UnimplementedError(NOT_WRITABLE)
