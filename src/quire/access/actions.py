"""The catalogue of all permissions: actions of content types and of plugins."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from quire.schema.model import Schema, TypeKind

_COLLECTION = ("find", "findOne", "create", "update", "delete")
_SINGLE = ("find", "update", "delete")

WRITE_ACTIONS: Mapping[str, str] = {
    "create": "create",
    "update": "update",
    "delete": "delete",
    "publish": "update",
    "unpublish": "update",
}
"""The actions of a batch, and the last part of the permission's action."""

_PLUGINS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("plugin::content-type-builder", "components", ("getComponents", "getComponent")),
    ("plugin::content-type-builder", "content-types", ("getContentTypes", "getContentType")),
    ("plugin::email", "email", ("send",)),
    ("plugin::upload", "content-api", ("find", "findPage", "findOne", "destroy", "upload")),
    ("plugin::i18n", "locales", ("listLocales",)),
    (
        "plugin::users-permissions",
        "auth",
        (
            "callback",
            "changePassword",
            "resetPassword",
            "refresh",
            "logout",
            "getSessions",
            "revokeSession",
            "connect",
            "forgotPassword",
            "register",
            "emailConfirmation",
            "sendEmailConfirmation",
        ),
    ),
    (
        "plugin::users-permissions",
        "user",
        ("create", "update", "find", "findOne", "count", "destroy", "me"),
    ),
    (
        "plugin::users-permissions",
        "role",
        ("createRole", "findOne", "find", "updateRole", "deleteRole"),
    ),
    ("plugin::users-permissions", "permissions", ("getPermissions",)),
)


class Controller(Struct, frozen=True):
    """A group of actions: ``owner`` is an API or a plugin, as in ``api::article``."""

    owner: str
    name: str
    actions: tuple[str, ...]

    def action(self, name: str) -> str:
        """Return the full name of an action, as roles and tokens store it."""
        return f"{self.owner}.{self.name}.{name}"


RoutedActions = Mapping[str, Sequence[str]]
"""The actions of controllers by uid, if they differ from those of content types."""

NO_ROUTED_ACTIONS: RoutedActions = {}


def controllers(schema: Schema, routed: RoutedActions = NO_ROUTED_ACTIONS) -> Iterator[Controller]:
    """Yield every controller: those of the project's content types, then those of plugins."""
    for content_type in sorted(schema.api_types, key=lambda type_: type_.uid):
        owner, _, name = content_type.uid.rpartition(".")
        usual = _SINGLE if content_type.kind is TypeKind.SINGLE else _COLLECTION
        actions = tuple(routed.get(content_type.uid, usual))
        if actions:
            yield Controller(owner, name, actions)
    for uid in sorted(routed.keys() - {content_type.uid for content_type in schema.api_types}):
        owner, _, name = uid.rpartition(".")
        yield Controller(owner, name, tuple(routed[uid]))
    for owner, name, actions in _PLUGINS:
        yield Controller(owner, name, actions)


def all_actions(schema: Schema, routed: RoutedActions = NO_ROUTED_ACTIONS) -> frozenset[str]:
    """Return the full names of all actions."""
    return frozenset(
        controller.action(name)
        for controller in controllers(schema, routed)
        for name in controller.actions
    )
