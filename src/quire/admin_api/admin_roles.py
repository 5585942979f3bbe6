"""Roles of administrators and their permissions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType, field

from quire.access.admin_actions import (
    ADMIN_ACTIONS,
    CONDITIONS,
    FIELDS,
    LOCALES,
    AdminAction,
    PermissionSection,
    subjects,
    subjects_of,
)
from quire.access.admin_grants import Grant
from quire.admin_api.admin_user_lists import AdminLists
from quire.admin_api.profile import list_all_permissions
from quire.admin_api.response_types import ADMINISTRATORS, CREATED, DataEnvelope, ListQuery, RowIds
from quire.admin_api.responses import (
    AdminPermission,
    AdminRole,
    build_response,
    keep_fields,
    permission_response,
    respond_data,
)
from quire.auth.admin.roles import NOT_FOUND, AdminRoles, InUseError, require_editable
from quire.auth.admin.user_rows import ADMIN_ROLE_UID, AdminUserRows, StoredAdminRole
from quire.content_api.body_decoding import RequestBody, read_body, sent_values, validator_of
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import (
    Items,
    MinLength,
    Range,
    ValuePath,
    id_of,
    ids_of,
    path_id,
    required,
)
from quire.database.interface import Database
from quire.database.program import Program
from quire.document_service.validate.problems import Problem, path_of, path_text, validation_error
from quire.errors import NotFoundError
from quire.schema.attributes.validation import ABSENT
from quire.schema.model import Schema

UNKNOWN_ACTION = "action is not an existing permission action"
BAD_SUBJECT = "Invalid subject submitted"
BAD_PROPERTIES = "Invalid property set at {}"
BAD_FIELDS = "Invalid fields property at {}"
BAD_LOCALES = "Invalid locales property at {}"
BAD_NESTING = "Fields format are incorrect (bad nesting)."
REPEATED_FIELDS = "Fields format are incorrect (duplicates)."
UNKNOWN_CONDITION = "{} is not an existing condition"
NO_CONDITIONS = "{} takes no conditions: they would not limit it"
DUPLICATE_PERMISSIONS = "Some permissions are duplicated (same action and subject)"
_MAX_PERMISSIONS = 5000


class PermissionPayload(RequestBody):
    """A permission that a role should have."""

    action: str
    action_parameters: dict[str, object] | None = None
    subject: str | None = None
    properties: dict[str, object] = field(default_factory=dict)
    conditions: Annotated[list[str], Range(0, 10)] = field(default_factory=list)


class RolePermissions(RequestBody):
    """All permissions of a role."""

    permissions: Annotated[list[PermissionPayload], Range(0, _MAX_PERMISSIONS)]


class PermissionList:
    """Checks the permissions of a body against the known actions and types."""

    def __init__(self, schema: Schema) -> None:
        uids = frozenset(content_type.uid for content_type in subjects(schema))
        self._item = _Permission(uids, _readable_subjects(schema))

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        validator = Items(item=self._item, rules=(required,), maximum=_MAX_PERMISSIONS)
        has_problems = False
        for problem in validator.problems(path, value):
            has_problems = True
            yield problem
        if not has_problems and isinstance(value, list) and _has_duplicates(value):
            yield Problem(path_of(path), DUPLICATE_PERMISSIONS, value)


def _readable_subjects(schema: Schema) -> frozenset[str]:
    read_action = next(
        action for action in ADMIN_ACTIONS.values() if action.uid.endswith("explorer.read")
    )
    return frozenset(content_type.uid for content_type in subjects_of(schema, read_action))


class _Permission(Struct, frozen=True):
    subjects: frozenset[str]
    readable: frozenset[str]

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        has_problems = False
        for problem in validator_of(PermissionPayload).problems(path, value):
            has_problems = True
            yield problem
        if has_problems or not isinstance(value, Mapping):
            return
        action = ADMIN_ACTIONS.get(str(value["action"]))
        if action is None:
            yield Problem(path_of((*path, "action")), UNKNOWN_ACTION, value["action"])
            return
        yield from self._check_action(path, action, value)

    def _check_action(
        self, path: ValuePath, action: AdminAction, value: Mapping[str, object]
    ) -> Iterator[Problem]:
        subject = value.get("subject", ABSENT)
        if not self._accepts_subject(action, subject):
            yield Problem(path_of((*path, "subject")), BAD_SUBJECT, subject)
        properties = value.get("properties") or {}
        properties_path = (*path, "properties")
        if not isinstance(properties, Mapping) or set(properties).difference(action.properties):
            message = BAD_PROPERTIES.format(path_text(properties_path))
            yield Problem(path_of(properties_path), message, properties)
            return
        yield from _check_fields((*properties_path, FIELDS), properties.get(FIELDS))
        yield from _check_locales((*properties_path, "locales"), properties.get("locales"))
        for index, condition in enumerate(_sequence(value.get("conditions"))):
            condition_path = path_of((*path, "conditions", index))
            if condition not in CONDITIONS:
                yield Problem(condition_path, UNKNOWN_CONDITION.format(condition), condition)
            elif not action.takes_conditions:
                yield Problem(condition_path, NO_CONDITIONS.format(action.uid), condition)

    def _accepts_subject(self, action: AdminAction, subject: object) -> bool:
        if action.section is not PermissionSection.CONTENT:
            return subject in (None, ABSENT)
        uids = self.readable if action.uid.endswith(".read") else self.subjects
        return subject in uids


def _check_fields(path: ValuePath, fields: object) -> Iterator[Problem]:
    if fields is None:
        return
    if not isinstance(fields, list) or not all(isinstance(name, str) for name in fields):
        yield Problem(path_of(path), BAD_FIELDS.format(path_text(path)), fields)
        return
    names = set(fields)
    if len(names) < len(fields):
        yield Problem(path_of(path), REPEATED_FIELDS, fields)
    if any(parent in names for name in names for parent in _parents(name)):
        yield Problem(path_of(path), BAD_NESTING, fields)


def _check_locales(path: ValuePath, locales: object) -> Iterator[Problem]:
    if locales is None:
        return
    if not isinstance(locales, list) or not all(isinstance(code, str) for code in locales):
        yield Problem(path_of(path), BAD_LOCALES.format(path_text(path)), locales)


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _has_duplicates(permissions: Sequence[object]) -> bool:
    keys = [
        (permission.get("action"), permission.get("subject"))
        for permission in permissions
        if isinstance(permission, Mapping)
    ]
    return len(set(keys)) < len(keys)


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


_ACTION = "admin::roles"


class NewAdminRole(RequestBody):
    """A new role."""

    name: Annotated[str, MinLength(1)]
    description: str | None = None


class AdminRoleChange(RequestBody):
    """The changes of a role."""

    name: Annotated[str, MinLength(1)] | UnsetType = UNSET
    description: str | UnsetType | None = UNSET


class AdminRoleApi:
    """``/admin/roles``."""

    def __init__(
        self,
        database: Database,
        schema: Schema,
        admin_users: AdminUserRows,
        roles: AdminRoles,
        lists: AdminLists,
    ) -> None:
        self._database = database
        self._schema = schema
        self._admin_users = admin_users
        self._roles = roles
        self._lists = lists
        self._permissions = PermissionList(schema)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(ADMINISTRATORS, "admin/roles")
        read, update, delete = (f"{_ACTION}.{verb}" for verb in ("read", "update", "delete"))
        role_response, roles_response = DataEnvelope[AdminRole], DataEnvelope[list[AdminRole]]
        permissions_response = DataEnvelope[list[AdminPermission]]
        yield route("GET", "", read, self.find, query=ListQuery, response=roles_response)
        yield route(
            "POST",
            "",
            f"{_ACTION}.create",
            self.create,
            body=NewAdminRole,
            response=role_response,
            status=CREATED,
        )
        yield route(
            "POST", "/batch-delete", delete, self.delete_many, body=RowIds, response=roles_response
        )
        yield route("GET", "/:id", read, self.find_one, response=role_response)
        yield route(
            "PUT", "/:id", update, self.change, body=AdminRoleChange, response=role_response
        )
        yield route("DELETE", "/:id", delete, self.delete, response=DataEnvelope[AdminRole | None])
        path = "/:id/permissions"
        yield route("GET", path, read, self.permissions, response=permissions_response)
        yield route(
            "PUT", path, update, self.grant, body=RolePermissions, response=permissions_response
        )

    async def find(self, request: Request) -> Response:
        """List roles, with their numbers of users."""
        page = await self._lists.all(ADMIN_ROLE_UID, request.query, request.version)
        roles = await self._read_roles(page.ids)
        if page.fields is not None:
            field_names = page.fields | {"id", "documentId", "usersCount"}
            roles = [keep_fields(role, field_names) for role in roles]
        return respond_data(roles)

    async def find_one(self, request: Request) -> Response:
        """Show a role."""
        roles = await self._read_roles([path_id(request, NOT_FOUND)])
        if not roles:
            raise NotFoundError(NOT_FOUND)
        return respond_data(roles[0])

    async def create(self, request: Request) -> Response:
        """Create a role without permissions."""
        body = read_body(request.body, NewAdminRole)
        role = await self._roles.create(body.name, body.description)
        return respond_data(build_response(AdminRole, role), CREATED)

    async def change(self, request: Request) -> Response:
        """Change name or description of a role."""
        values = sent_values(read_body(request.body, AdminRoleChange))
        role = await self._roles.change(
            path_id(request, NOT_FOUND), values, request.administrator.ability
        )
        return respond_data(build_response(AdminRole, role))

    async def delete(self, request: Request) -> Response:
        """Delete a role without users; a missing one counts as deleted."""
        path_id = request.parameters["id"]
        role_id = id_of(path_id)
        ids = [] if role_id is None else [role_id]
        deleted_roles = await self._delete_roles(request, ids, "id", path_id)
        return respond_data(build_response(AdminRole, deleted_roles[0]) if deleted_roles else None)

    async def delete_many(self, request: Request) -> Response:
        """Delete several roles, all of them or none."""
        ids = read_body(request.body, RowIds).ids
        deleted_roles = await self._delete_roles(request, ids_of(ids), "ids", ids)
        return respond_data([build_response(AdminRole, role) for role in deleted_roles])

    async def permissions(self, request: Request) -> Response:
        """List the permissions of a role."""
        role_id = path_id(request, NOT_FOUND)

        def program() -> Program[list[AdminPermission]]:
            role = yield from self._roles.existing(role_id)
            permissions = yield from self._admin_users.permissions([role_id])
            if not role.is_super_admin:
                return [permission_response(permission) for permission in permissions]
            return list_all_permissions(
                self._schema, permissions, (yield from self._admin_users.locales())
            )

        return respond_data(await self._database.read(program))

    async def grant(self, request: Request) -> Response:
        """Replace the permissions of a role."""
        role_id = path_id(request, NOT_FOUND)

        def program() -> Program[str | None]:
            require_editable((yield from self._roles.existing(role_id)))
            return (yield from self._admin_users.default_locale())

        default_locale = await self._database.read(program)
        body = read_body(request.body, RolePermissions, permissions=self._permissions)
        grants = [self._grant(item, default_locale) for item in body.permissions]
        permissions = await self._roles.grant(role_id, grants, request.administrator.ability)
        return respond_data([permission_response(permission) for permission in permissions])

    def _grant(self, permission: PermissionPayload, default_locale: str | None) -> Grant:
        properties = dict(permission.properties)
        action, subject = ADMIN_ACTIONS[permission.action], permission.subject
        if action.section is PermissionSection.CONTENT and LOCALES in action.properties:
            content_type = self._schema.content_types[str(subject)]
            if content_type.localized and not properties.get(LOCALES):
                properties[LOCALES] = [] if default_locale is None else [default_locale]
        return Grant(
            action=action.uid,
            subject=subject,
            properties=properties,
            conditions=tuple(permission.conditions),
        )

    async def _delete_roles(
        self, request: Request, ids: list[int], parameter: str, value: object
    ) -> list[StoredAdminRole]:
        try:
            return await self._roles.delete(ids, request.administrator.ability)
        except InUseError as error:
            raise validation_error([Problem((parameter,), error.message, value)]) from error

    async def _read_roles(self, ids: Sequence[int]) -> list[AdminRole]:
        def program() -> Program[list[AdminRole]]:
            roles = yield from self._admin_users.roles(ids)
            members = yield from self._admin_users.members(ids)
            roles_by_id = {role.id: role for role in roles}
            return [
                build_response(
                    AdminRole, roles_by_id[role_id], users_count=len(members.get(role_id, ()))
                )
                for role_id in ids
                if role_id in roles_by_id
            ]

        return await self._database.read(program)
