"""Describes the routes for sign-in, administrators and roles."""

from quire.openapi.admin.endpoint import IDS, SORTED, RouteDescription, Told, query, ref
from quire.openapi.schemas import (
    FLAG,
    FREE_OBJECT,
    TEXT,
    WHOLE,
    nullable,
    one_of_texts,
    record,
    several,
)

_SIGNED_IN = ref("SignedIn")
_PERSON, _ROLE = ref("Administrator"), ref("AdminRole")
_PERSONS = record({"results": several(_PERSON), "pagination": ref("AdminPagination")})
_ROLE_IDS = several({"type": ["integer", "string"]})
_PASSWORD = {"type": "string", "format": "password", "minLength": 8}
_DEVICE = {"deviceId": TEXT, "rememberMe": FLAG}
_REGISTRATION = {
    "email": TEXT,
    "firstname": TEXT,
    "lastname": nullable(TEXT),
    "password": _PASSWORD,
}
_ACCESS_TOKEN = record({"token": TEXT})
_CODE = record({"code": TEXT})
_CODES = record({"recoveryCodes": several(TEXT)}, required=())
_PERMISSIONS = several(ref("AdminPermission"))
_CHANGE = {
    "email": TEXT,
    "firstname": TEXT,
    "lastname": nullable(TEXT),
    "username": nullable(TEXT),
    "password": _PASSWORD,
    "isActive": FLAG,
    "roles": _ROLE_IDS,
    "preferedLanguage": nullable(TEXT),
}

SIGNING_IN: Told = {
    ("GET", "admin/init"): RouteDescription(),
    ("GET", "admin/project-type"): RouteDescription(),
    ("GET", "admin/registration-info"): RouteDescription(query=(query("registrationToken"),)),
    ("POST", "admin/login"): RouteDescription(
        data=_SIGNED_IN,
        body=record(
            {"email": TEXT, "password": TEXT, "code": TEXT, **_DEVICE},
            required=("email", "password"),
        ),
    ),
    ("POST", "admin/access-token"): RouteDescription(data=_ACCESS_TOKEN),
    ("POST", "admin/logout"): RouteDescription(body=record({"deviceId": TEXT}, required=())),
    ("POST", "admin/register-admin"): RouteDescription(
        data=_SIGNED_IN,
        query=(query("registrationToken"),),
        body=record(
            {**_REGISTRATION, "registrationToken": TEXT, **_DEVICE},
            required=("email", "firstname", "password"),
        ),
    ),
    ("POST", "admin/register"): RouteDescription(
        data=_SIGNED_IN,
        body=record(
            {
                "registrationToken": TEXT,
                "userInfo": record(_REGISTRATION, required=("firstname", "password")),
                **_DEVICE,
            },
            required=("registrationToken", "userInfo"),
        ),
    ),
    ("POST", "admin/forgot-password"): RouteDescription(data=None, body=record({"email": TEXT})),
    ("POST", "admin/reset-password"): RouteDescription(
        data=_SIGNED_IN,
        body=record(
            {"resetPasswordToken": TEXT, "password": _PASSWORD, "code": TEXT, **_DEVICE},
            required=("resetPasswordToken", "password"),
        ),
    ),
    ("GET", "admin/x/second-factor"): RouteDescription(),
    ("POST", "admin/x/second-factor"): RouteDescription(
        data=record({"secret": TEXT, "uri": TEXT}), body=record({"password": TEXT})
    ),
    ("POST", "admin/x/second-factor/confirm"): RouteDescription(data=_CODES, body=_CODE),
    ("POST", "admin/x/second-factor/recovery-codes"): RouteDescription(data=_CODES, body=_CODE),
    ("POST", "admin/x/second-factor/remove"): RouteDescription(
        body=record({"password": TEXT, "code": TEXT}),
    ),
    ("DELETE", "admin/x/users/:id/second-factor"): RouteDescription(),
}

PEOPLE: Told = {
    ("GET", "admin/users/me"): RouteDescription(data=_PERSON),
    ("PUT", "admin/users/me"): RouteDescription(
        data=_PERSON,
        body=record({**_CHANGE, "currentPassword": TEXT}, required=()),
    ),
    ("GET", "admin/users/me/permissions"): RouteDescription(data=_PERMISSIONS),
    ("GET", "admin/users/me/sessions"): RouteDescription(data=several(FREE_OBJECT)),
    ("DELETE", "admin/users/me/sessions/:id"): RouteDescription(),
    ("GET", "admin/users"): RouteDescription(data=_PERSONS, query=SORTED),
    ("POST", "admin/users"): RouteDescription(
        data=_PERSON, body=record(_CHANGE, required=("email", "firstname", "roles"))
    ),
    ("POST", "admin/users/batch-delete"): RouteDescription(data=several(_PERSON), body=IDS),
    ("GET", "admin/users/:id"): RouteDescription(data=_PERSON),
    ("PUT", "admin/users/:id"): RouteDescription(data=_PERSON, body=record(_CHANGE, required=())),
    ("DELETE", "admin/users/:id"): RouteDescription(data=_PERSON),
    ("GET", "admin/roles"): RouteDescription(data=several(_ROLE), query=SORTED),
    ("POST", "admin/roles"): RouteDescription(
        data=_ROLE, body=record({"name": TEXT, "description": nullable(TEXT)}, required=("name",))
    ),
    ("POST", "admin/roles/batch-delete"): RouteDescription(data=several(_ROLE), body=IDS),
    ("GET", "admin/roles/:id"): RouteDescription(data=_ROLE),
    ("PUT", "admin/roles/:id"): RouteDescription(
        data=_ROLE, body=record({"name": TEXT, "description": nullable(TEXT)}, required=())
    ),
    ("DELETE", "admin/roles/:id"): RouteDescription(data=nullable(FREE_OBJECT)),
    ("GET", "admin/roles/:id/permissions"): RouteDescription(data=_PERMISSIONS),
    ("PUT", "admin/roles/:id/permissions"): RouteDescription(
        data=_PERMISSIONS, body=record({"permissions": several(FREE_OBJECT)})
    ),
    ("GET", "admin/permissions"): RouteDescription(
        data=record({"conditions": several(FREE_OBJECT), "sections": FREE_OBJECT})
    ),
    ("POST", "admin/permissions/check"): RouteDescription(
        data=several(FLAG),
        body=record(
            {
                "permissions": several(
                    record(
                        {"action": TEXT, "subject": nullable(TEXT), "field": TEXT},
                        required=("action",),
                    )
                )
            }
        ),
    ),
    ("GET", "admin/x/explain"): RouteDescription(
        data=record(
            {
                "allowed": FLAG,
                "because": one_of_texts(
                    ["granted", "narrower", "no-permission", "inactive", "super-admin"]
                ),
                "permissions": several(
                    record({"id": WHOLE, "role": FREE_OBJECT, "misses": several(TEXT)})
                ),
            }
        ),
        query=(
            query("user", WHOLE, "The id of an administrator."),
            query("action"),
            query("subject", TEXT, "A content type."),
            query("field"),
            query("locale"),
            query("documentId"),
        ),
    ),
}
