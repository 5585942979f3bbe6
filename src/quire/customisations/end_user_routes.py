"""The routes, actions and services of the plugin for end users, as its extensions name them."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

END_USER_PLUGIN = "users-permissions"
END_USER_PREFIX = f"plugin::{END_USER_PLUGIN}."
"""What the uids of the plugin's types and the full names of its actions begin with."""


PluginPath = tuple[str, ...]
"""A member of the plugin's object, such as ``("controllers", "user", "me")``."""
ROUTES_PATH: PluginPath = ("routes", "content-api", "routes")


class EndUserRoute(Struct, frozen=True):
    """A route of the plugin; the action is without the name of the plugin."""

    method: str
    path: str
    action: str


_ROUTES = """
GET connect/(.*) auth.connect
POST auth/local auth.callback
POST auth/local/register auth.register
GET auth/:provider/callback auth.callback
POST auth/forgot-password auth.forgotPassword
POST auth/reset-password auth.resetPassword
GET auth/email-confirmation auth.emailConfirmation
POST auth/send-email-confirmation auth.sendEmailConfirmation
POST auth/change-password auth.changePassword
POST auth/refresh auth.refresh
POST auth/logout auth.logout
GET auth/sessions auth.getSessions
DELETE auth/sessions/:sessionId auth.revokeSession
GET users/count user.count
GET users user.find
GET users/me user.me
GET users/:id user.findOne
POST users user.create
PUT users/:id user.update
DELETE users/:id user.destroy
GET users-permissions/roles/:id role.findOne
GET users-permissions/roles role.find
POST users-permissions/roles role.createRole
PUT users-permissions/roles/:role role.updateRole
DELETE users-permissions/roles/:role role.deleteRole
GET users-permissions/permissions permissions.getPermissions
"""
END_USER_ROUTES = tuple(EndUserRoute(*line.split()) for line in _ROUTES.split("\n") if line)
END_USER_ACTIONS = frozenset(route.action for route in END_USER_ROUTES)

AUTHENTICATION = "authentication"
"""Stands for the authentication of each request, of all content types."""

_JWT_ISSUERS = (
    "auth.callback auth.register auth.changePassword auth.resetPassword auth.emailConfirmation "
    "auth.refresh"
)
_SERVICES: Mapping[str, Mapping[str, str]] = {
    "jwt": {"getToken": AUTHENTICATION, "verify": AUTHENTICATION, "issue": _JWT_ISSUERS},
    "permission": {
        "findRolePermissions": AUTHENTICATION,
        "findPublicPermissions": AUTHENTICATION,
        "toContentAPIPermission": AUTHENTICATION,
    },
    "providers": {
        "connect": "auth.callback auth.connect",
        "buildRedirectUri": "auth.callback auth.connect",
    },
    "providers-registry": {
        "run": "auth.callback auth.connect",
        "getAll": "auth.callback auth.connect",
        "get": "auth.callback auth.connect",
        "add": "auth.callback auth.connect",
        "register": "auth.callback auth.connect",
    },
    "role": {
        "createRole": "role.createRole",
        "findOne": "role.findOne",
        "find": "role.find",
        "updateRole": "role.updateRole",
        "deleteRole": "role.deleteRole",
    },
    "user": {
        "add": "auth.register auth.callback user.create",
        "ensureHashedPasswords": "auth.register auth.callback user.create user.update "
        "auth.changePassword auth.resetPassword",
        "edit": "user.update auth.changePassword auth.resetPassword auth.forgotPassword "
        "auth.emailConfirmation auth.register auth.sendEmailConfirmation",
        "count": "user.count",
        "fetch": "user.findOne user.me user.update",
        "fetchAll": "user.find",
        "fetchAuthenticatedUser": AUTHENTICATION,
        "remove": "user.destroy",
        "validatePassword": "auth.callback auth.changePassword",
        "sendConfirmationEmail": "auth.register auth.sendEmailConfirmation",
    },
    "users-permissions": {
        "getActions": "permissions.getPermissions role.findOne role.createRole role.updateRole",
        "getRoutes": "",
        "getPlugins": "",
        "syncPermissions": "",
        "initialize": "",
        "updateUserRole": "role.deleteRole",
        "template": "auth.forgotPassword auth.register auth.sendEmailConfirmation",
    },
}
SERVICE_ACTIONS: Mapping[str, Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        service: {method: frozenset(actions.split()) for method, actions in methods.items()}
        for service, methods in _SERVICES.items()
    }
)
"""The actions that depend on a method of a service."""


def actions_of(controller: str) -> frozenset[str]:
    """Return the actions of a controller that have routes, none for a new one."""
    return frozenset(action for action in END_USER_ACTIONS if action.startswith(f"{controller}."))


def covered_actions(method: str, path: str) -> frozenset[str]:
    """Return the actions of the routes that a route before them takes the requests of.

    An empty method or path is not known, and takes all.
    """
    return frozenset(
        route.action
        for route in END_USER_ROUTES
        if method in {"", "ALL", route.method} and (not path or _covers(path, route.path))
    )


def _covers(path: str, other_path: str) -> bool:
    """Whether a path, with or without the plugin's prefix, matches all requests of another."""
    return any(
        _matches(prefixed_path.strip("/").split("/"), other_path.split("/"))
        for prefixed_path in (path, f"{END_USER_PLUGIN}/{path.strip('/')}")
    )


def _matches(segments: list[str], other_segments: list[str]) -> bool:
    if any("*" in segment or "(" in segment for segment in segments):
        return True
    return len(segments) == len(other_segments) and all(
        segment.startswith(":") or segment.lower() == other_segment.lower()
        for segment, other_segment in zip(segments, other_segments, strict=True)
    )
