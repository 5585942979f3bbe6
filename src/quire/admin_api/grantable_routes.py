"""The routes of the content API, as administrators see them when they grant actions."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from quire.customisations import ServedRoute, usual_routes
from quire.hooks.routes import CustomRoute
from quire.schema.model import ContentType, Schema


class PluginRoute(Struct, frozen=True, kw_only=True):
    """A route of a plugin; ``own_path`` says that its path does not begin with the plugin."""

    plugin: str
    method: str
    path: str
    handler: str
    limited: bool = False
    own_path: bool = False


def _of(plugin: str, *routes: tuple[str, str, str]) -> Iterator[PluginRoute]:
    for method, path, handler in routes:
        yield PluginRoute(plugin=plugin, method=method, path=path, handler=handler)


def _accounts(*routes: tuple[str, str, str], limited: bool = False) -> Iterator[PluginRoute]:
    for method, path, handler in routes:
        yield PluginRoute(
            plugin="users-permissions",
            method=method,
            path=path,
            handler=handler,
            limited=limited,
            own_path=True,
        )


PLUGIN_ROUTES: tuple[PluginRoute, ...] = (
    *_of(
        "content-type-builder",
        ("GET", "/content-type-builder/content-types", "content-types.getContentTypes"),
        ("GET", "/content-type-builder/content-types/:uid", "content-types.getContentType"),
        ("GET", "/content-type-builder/components", "components.getComponents"),
        ("GET", "/content-type-builder/components/:uid", "components.getComponent"),
    ),
    *_of("email", ("POST", "/email/", "email.send")),
    *_of(
        "upload",
        ("POST", "/upload/", "content-api.upload"),
        ("GET", "/upload/files", "content-api.find"),
        ("GET", "/upload/files/page", "content-api.findPage"),
        ("GET", "/upload/files/:id", "content-api.findOne"),
        ("DELETE", "/upload/files/:id", "content-api.destroy"),
    ),
    *_of("i18n", ("GET", "/i18n/locales", "locales.listLocales")),
    *_accounts(
        ("GET", "/connect/(.*)", "auth.connect"),
        ("POST", "/auth/local", "auth.callback"),
        ("POST", "/auth/local/register", "auth.register"),
        limited=True,
    ),
    *_accounts(("GET", "/auth/:provider/callback", "auth.callback")),
    *_accounts(
        ("POST", "/auth/forgot-password", "auth.forgotPassword"),
        ("POST", "/auth/reset-password", "auth.resetPassword"),
        limited=True,
    ),
    *_accounts(("GET", "/auth/email-confirmation", "auth.emailConfirmation")),
    *_accounts(
        ("POST", "/auth/send-email-confirmation", "auth.sendEmailConfirmation"),
        ("POST", "/auth/change-password", "auth.changePassword"),
        limited=True,
    ),
    *_accounts(
        ("POST", "/auth/refresh", "auth.refresh"),
        ("POST", "/auth/logout", "auth.logout"),
        ("GET", "/auth/sessions", "auth.getSessions"),
        ("DELETE", "/auth/sessions/:sessionId", "auth.revokeSession"),
        ("GET", "/users/count", "user.count"),
        ("GET", "/users", "user.find"),
        ("GET", "/users/me", "user.me"),
        ("GET", "/users/:id", "user.findOne"),
        ("POST", "/users", "user.create"),
        ("PUT", "/users/:id", "user.update"),
        ("DELETE", "/users/:id", "user.destroy"),
    ),
    *_of(
        "users-permissions",
        ("GET", "/users-permissions/roles/:id", "role.findOne"),
        ("GET", "/users-permissions/roles", "role.find"),
        ("POST", "/users-permissions/roles", "role.createRole"),
        ("PUT", "/users-permissions/roles/:role", "role.updateRole"),
        ("DELETE", "/users-permissions/roles/:role", "role.deleteRole"),
        ("GET", "/users-permissions/permissions", "permissions.getPermissions"),
    ),
)

Described = dict[str, object]


def described_routes(
    schema: Schema,
    prefix: str,
    served: Mapping[str, Sequence[ServedRoute]],
    custom: Sequence[CustomRoute] = (),
) -> dict[str, list[Described]]:
    """Describe all routes by their owner: an API of the project, or a plugin.

    ``served`` are the routes of the content types that have not just the usual ones, ``custom``
    those of the project's Python code.
    """
    found: dict[str, list[Described]] = {}
    for content_type in sorted(schema.api_types, key=lambda type_: type_.uid):
        owner = content_type.uid.rpartition(".")[0]
        found.setdefault(owner, []).extend(
            _of_type(content_type, prefix, served.get(content_type.uid))
        )
    for one in custom:
        owner = one.action.partition(".")[0]
        found.setdefault(owner, []).append(_of_code(one, prefix))
    for route in PLUGIN_ROUTES:
        found.setdefault(f"plugin::{route.plugin}", []).append(_of_plugin(route, prefix))
    return found


def _of_type(
    content_type: ContentType, prefix: str, served: Sequence[ServedRoute] | None
) -> Iterator[Described]:
    uid = content_type.uid
    api = uid.removeprefix("api::").partition(".")[0]
    for route in usual_routes(content_type) if served is None else served:
        path = f"{prefix}{route.path.replace(':documentId', ':id')}"
        scope = route.permission
        yield {
            "method": route.method,
            "path": path,
            "handler": f"{uid}.{route.action}",
            "config": {"auth": False if scope is None else {"scope": [scope]}},
            "info": {"apiName": api, "type": "content-api"},
        }


def _of_code(route: CustomRoute, prefix: str) -> Described:
    api = route.action.partition(".")[0].partition("::")[2]
    return {
        "method": route.method,
        "path": f"{prefix}/{route.path}",
        "handler": route.action,
        "config": {"auth": False if route.public else {"scope": [route.action]}},
        "info": {"apiName": api, "type": "content-api"},
    }


def _of_plugin(route: PluginRoute, prefix: str) -> Described:
    config: Described = {}
    if route.limited:
        config["middlewares"] = ["plugin::users-permissions.rateLimit"]
    if route.own_path:
        config["prefix"] = ""
    config["auth"] = {"scope": [f"plugin::{route.plugin}.{route.handler}"]}
    return {
        "method": route.method,
        "path": f"{prefix}{route.path}",
        "handler": route.handler,
        "config": config,
        "info": {"pluginName": route.plugin, "type": "content-api"},
    }
