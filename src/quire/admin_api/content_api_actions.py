"""The routes and actions of the content API, for those who grant them to tokens and end users."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.access.actions import controllers
from quire.admin_api.response_types import END_USERS, PROJECT, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.customisations import Customisations, ServedRoute, usual_routes
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


def _plugin_routes(plugin: str, *routes: tuple[str, str, str]) -> Iterator[PluginRoute]:
    for method, path, handler in routes:
        yield PluginRoute(plugin=plugin, method=method, path=path, handler=handler)


def _account_routes(*routes: tuple[str, str, str], limited: bool = False) -> Iterator[PluginRoute]:
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
    *_plugin_routes(
        "content-type-builder",
        ("GET", "/content-type-builder/content-types", "content-types.getContentTypes"),
        ("GET", "/content-type-builder/content-types/:uid", "content-types.getContentType"),
        ("GET", "/content-type-builder/components", "components.getComponents"),
        ("GET", "/content-type-builder/components/:uid", "components.getComponent"),
    ),
    *_plugin_routes("email", ("POST", "/email/", "email.send")),
    *_plugin_routes(
        "upload",
        ("POST", "/upload/", "content-api.upload"),
        ("GET", "/upload/files", "content-api.find"),
        ("GET", "/upload/files/page", "content-api.findPage"),
        ("GET", "/upload/files/:id", "content-api.findOne"),
        ("DELETE", "/upload/files/:id", "content-api.destroy"),
    ),
    *_plugin_routes("i18n", ("GET", "/i18n/locales", "locales.listLocales")),
    *_account_routes(
        ("GET", "/connect/(.*)", "auth.connect"),
        ("POST", "/auth/local", "auth.callback"),
        ("POST", "/auth/local/register", "auth.register"),
        limited=True,
    ),
    *_account_routes(("GET", "/auth/:provider/callback", "auth.callback")),
    *_account_routes(
        ("POST", "/auth/forgot-password", "auth.forgotPassword"),
        ("POST", "/auth/reset-password", "auth.resetPassword"),
        limited=True,
    ),
    *_account_routes(("GET", "/auth/email-confirmation", "auth.emailConfirmation")),
    *_account_routes(
        ("POST", "/auth/send-email-confirmation", "auth.sendEmailConfirmation"),
        ("POST", "/auth/change-password", "auth.changePassword"),
        limited=True,
    ),
    *_account_routes(
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
    *_plugin_routes(
        "users-permissions",
        ("GET", "/users-permissions/roles/:id", "role.findOne"),
        ("GET", "/users-permissions/roles", "role.find"),
        ("POST", "/users-permissions/roles", "role.createRole"),
        ("PUT", "/users-permissions/roles/:role", "role.updateRole"),
        ("DELETE", "/users-permissions/roles/:role", "role.deleteRole"),
        ("GET", "/users-permissions/permissions", "permissions.getPermissions"),
    ),
)

DescribedAction = dict[str, object]


def described_routes(
    schema: Schema,
    prefix: str,
    served: Mapping[str, Sequence[ServedRoute]],
    custom: Sequence[CustomRoute] = (),
) -> dict[str, list[DescribedAction]]:
    """Describe all routes by their owner: an API of the project, or a plugin.

    ``served`` are the routes of content types with other than the usual ones, ``custom`` those of
    the project's Python code.
    """
    actions_by_owner: dict[str, list[DescribedAction]] = {}
    for content_type in sorted(schema.api_types, key=lambda type_: type_.uid):
        owner = content_type.uid.rpartition(".")[0]
        actions_by_owner.setdefault(owner, []).extend(
            _describe_type_routes(content_type, prefix, served.get(content_type.uid))
        )
    for custom_route in custom:
        owner = custom_route.action.partition(".")[0]
        actions_by_owner.setdefault(owner, []).append(_describe_custom_route(custom_route, prefix))
    for route in PLUGIN_ROUTES:
        actions_by_owner.setdefault(f"plugin::{route.plugin}", []).append(
            _describe_plugin_route(route, prefix)
        )
    return actions_by_owner


def _describe_type_routes(
    content_type: ContentType, prefix: str, served: Sequence[ServedRoute] | None
) -> Iterator[DescribedAction]:
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


def _describe_custom_route(route: CustomRoute, prefix: str) -> DescribedAction:
    api = route.action.partition(".")[0].partition("::")[2]
    return {
        "method": route.method,
        "path": f"{prefix}/{route.path}",
        "handler": route.action,
        "config": {"auth": False if route.public else {"scope": [route.action]}},
        "info": {"apiName": api, "type": "content-api"},
    }


def _describe_plugin_route(route: PluginRoute, prefix: str) -> DescribedAction:
    config: DescribedAction = {}
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


class ContentApiActionsApi:
    """``/admin/content-api/*`` and ``/users-permissions/routes``."""

    def __init__(
        self,
        schema: Schema,
        customisations: Customisations,
        custom: Sequence[CustomRoute],
        *,
        prefix: str,
    ) -> None:
        self._schema = schema
        self._customisations = customisations
        self._custom_routes = custom
        self._prefix = prefix.rstrip("/")

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, response = RouteGroup(PROJECT, "admin/content-api/"), DataEnvelope[FreeObject]
        yield route("GET", "permissions", SIGNED_IN, self.permissions, response=response)
        yield route("GET", "routes", SIGNED_IN, self.list_routes, response=response)
        route, path = RouteGroup(END_USERS, "users-permissions/"), "routes"
        yield route("GET", path, SIGNED_IN, self.list_routes_bare, response=FreeObject)

    async def permissions(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all actions, by their owners."""
        owners: dict[str, Any] = {}
        for controller in controllers(
            self._schema, self._customisations.routed_actions(self._schema)
        ):
            owner = owners.setdefault(controller.owner, {"controllers": {}})
            owner["controllers"][controller.name] = list(controller.actions)
        return respond_data(owners)

    async def list_routes(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all routes, by their owners."""
        return respond_data(self._describe_routes())

    async def list_routes_bare(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all routes in the form of the page of end users' roles."""
        return respond_bare({"routes": self._describe_routes()})

    def _describe_routes(self) -> dict[str, list[DescribedAction]]:
        return described_routes(
            self._schema, self._prefix, self._customisations.routes, self._custom_routes
        )
