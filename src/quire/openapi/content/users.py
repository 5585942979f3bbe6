"""Describes the routes for end users and their roles."""

from quire.openapi.content.endpoint import DescriptionContext, Table
from quire.openapi.operations import (
    DescribedOperation,
    DescribedResponse,
    json_body,
    path_parameter,
)
from quire.openapi.schemas import FLAG, FREE_OBJECT, TEXT, WHOLE, any_of, nullable, record, several
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import ROLE_UID, USER_UID, ContentType

_USERS, _ROLES = "Users", "Roles"
_ID = path_parameter("id", WHOLE, "The id of the user; documentIds are unknown here.")
_ROLE_ID = path_parameter("id", WHOLE, "The id of the role.")
_NOBODY = DescribedResponse(status=204, description="There is no such user.")
_DONE = DescribedResponse(schema=record({"ok": {"const": True}}))
_OWN = ("username", "email", "password", "role")
_HIDDEN = frozenset({"resetPasswordToken", "confirmationToken", "provider"})


def _type(describing: DescriptionContext) -> ContentType:
    return describing.models.schema.content_types[USER_UID]


def _user(describing: DescriptionContext) -> JsonSchema:
    return describing.models.document(USER_UID)


def _find(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="listUsers",
        summary="List end users",
        tag=_USERS,
        parameters=describing.queries.window(_type(describing)),
        responses=[DescribedResponse(schema=several(_user(describing)), description="All users.")],
    )


def _count(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="countUsers",
        summary="Count end users",
        tag=_USERS,
        parameters=describing.queries.narrowing(_type(describing)),
        responses=[DescribedResponse(schema=WHOLE, description="How many there are.")],
    )


def _me(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="showMe",
        summary="Show the end user who asks",
        tag=_USERS,
        parameters=describing.queries.one(_type(describing)),
        responses=[DescribedResponse(schema=_user(describing), description="The user."), _NOBODY],
    )


def _find_one(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="findUser",
        summary="Show an end user",
        tag=_USERS,
        parameters=[_ID, *describing.queries.one(_type(describing))],
        responses=[DescribedResponse(schema=_user(describing), description="The user."), _NOBODY],
    )


def _form(describing: DescriptionContext) -> dict[str, object]:
    """Describe the body of a user; unknown fields are ignored."""
    role_id: JsonSchema = {"type": ["integer", "string"]}
    entry = record({"id": role_id, "documentId": TEXT}, required=())
    role = any_of(
        role_id, describing.schemas.shared("RoleConnect", record({"connect": several(entry)}))
    )
    written = describing.models.writable(_type(describing))
    further = {name: s for name, s in written.items() if name not in {*_HIDDEN, *_OWN}}
    texts: dict[str, object] = {
        "username": {"type": "string", "minLength": 3},
        "email": {"type": "string", "format": "email"},
        "password": {"type": "string", "format": "password", "minLength": 6},
    }
    return {**texts, "role": role, **further}


def _create(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="createUser",
        summary="Make an end user",
        tag=_USERS,
        body=json_body(record(_form(describing), required=_OWN)),
        responses=[
            DescribedResponse(status=201, schema=_user(describing), description="The user.")
        ],
    )


def _update(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="updateUser",
        summary="Change an end user",
        tag=_USERS,
        parameters=[_ID],
        body=json_body(record(_form(describing), required=())),
        responses=[DescribedResponse(schema=_user(describing), description="The user.")],
        errors=(400, 401, 403, 404),
    )


def _destroy(describing: DescriptionContext) -> DescribedOperation:
    gone = DescribedResponse(schema=_user(describing), description="The user that it was.")
    return DescribedOperation(
        id="deleteUser",
        summary="Delete an end user",
        tag=_USERS,
        parameters=[_ID],
        responses=[gone, _NOBODY],
    )


def _permissions(describing: DescriptionContext) -> JsonSchema:
    """Return the reference to the tree of permissions: owner, controller, action."""
    switch = record(
        {
            "enabled": FLAG,
            "policy": TEXT,
            "rule": {
                **nullable(FREE_OBJECT),
                "description": "Filters that rows must match.",
            },
        },
        required=(),
    )
    by_action = {"type": "object", "additionalProperties": switch}
    controllers = record({"controllers": {"type": "object", "additionalProperties": by_action}})
    tree = {"type": "object", "additionalProperties": controllers}
    return describing.schemas.shared("Permissions", tree)


def _role_members(describing: DescriptionContext) -> dict[str, object]:
    model = describing.models.schema.content_types[ROLE_UID]
    relations = {attribute.name for attribute in model.relations}
    shown = describing.models.shown(model)
    return {name: schema for name, schema in shown.items() if name not in relations}


def _find_roles(describing: DescriptionContext) -> DescribedOperation:
    members = {**_role_members(describing), "nb_users": WHOLE}
    role = record(members, required=("id", "documentId", "nb_users"))
    return DescribedOperation(
        id="listRoles",
        summary="List the roles of end users",
        tag=_ROLES,
        responses=[
            DescribedResponse(schema=record({"roles": several(role)}), description="All roles.")
        ],
        errors=(401, 403),
    )


def _find_role(describing: DescriptionContext) -> DescribedOperation:
    members = {**_role_members(describing), "permissions": _permissions(describing)}
    role = record(members, required=("id", "documentId", "permissions"))
    return DescribedOperation(
        id="findRole",
        summary="Show a role with everything that it grants and does not",
        tag=_ROLES,
        parameters=[_ROLE_ID],
        responses=[DescribedResponse(schema=record({"role": role}), description="The role.")],
        errors=(401, 403, 404),
    )


def _role_form(describing: DescriptionContext) -> JsonSchema:
    text: JsonSchema = {"type": ["string", "null"], "maxLength": 255}
    members = {"name": text, "description": text, "type": text}
    form = record({**members, "permissions": _permissions(describing)}, required=())
    return {**form, "minProperties": 1}


def _create_role(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="createRole",
        summary="Make a role",
        tag=_ROLES,
        body=json_body(_role_form(describing)),
        responses=[_DONE],
    )


def _update_role(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="updateRole",
        summary="Change a role; what is not enabled is granted no longer",
        tag=_ROLES,
        parameters=[_ROLE_ID],
        body=json_body(_role_form(describing)),
        responses=[_DONE],
        errors=(400, 401, 403, 404),
    )


def _delete_role(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="deleteRole",
        summary="Delete a role; its users become public",
        tag=_ROLES,
        parameters=[_ROLE_ID],
        responses=[_DONE],
        errors=(400, 401, 403, 404),
    )


def _list_permissions(describing: DescriptionContext) -> DescribedOperation:
    tree = record({"permissions": _permissions(describing)})
    return DescribedOperation(
        id="listPermissions",
        summary="Show all that can be granted",
        tag=_ROLES,
        responses=[DescribedResponse(schema=tree, description="Every action, not enabled.")],
        errors=(401, 403),
    )


USER_ROUTES: Table = {
    ("GET", "users/count"): _count,
    ("GET", "users/me"): _me,
    ("GET", "users"): _find,
    ("GET", "users/:id"): _find_one,
    ("POST", "users"): _create,
    ("PUT", "users/:id"): _update,
    ("DELETE", "users/:id"): _destroy,
    ("GET", "users-permissions/roles"): _find_roles,
    ("POST", "users-permissions/roles"): _create_role,
    ("GET", "users-permissions/roles/:id"): _find_role,
    ("PUT", "users-permissions/roles/:id"): _update_role,
    ("DELETE", "users-permissions/roles/:id"): _delete_role,
    ("GET", "users-permissions/permissions"): _list_permissions,
}
