"""Reads the router files of a project: the core routes, their guards, and the paths of types."""

import re
from collections.abc import Container, Mapping, Sequence
from itertools import takewhile

from msgspec import Struct, field
from msgspec.structs import replace

from quire.customisations.combined_router_files import combined_routes
from quire.customisations.controllers import Actions
from quire.customisations.end_user_routes import END_USER_PREFIX, END_USER_ROUTES
from quire.customisations.javascript_files import SourceFile
from quire.customisations.route_config import GuardCode, GuardProblem, RouteGuard
from quire.customisations.served_routes import (
    CORE_ACTIONS,
    ServedRoute,
    UnservedRoute,
    core_routes,
    usual_routes,
)
from quire.javascript.scope import CODE, Factory
from quire.schema.model import FILE_UID, ContentType

ADMIN_PATHS = ("/admin", "/content-manager")
_PATHS_OF_PLUGINS = {
    END_USER_PREFIX: ("/users", "/users-permissions"),
    "plugin::upload.": ("/upload",),
    "plugin::i18n.": ("/i18n",),
}
_PUBLIC_FILES = "/uploads"
"""The folder of uploaded files, which Strapi serves after all middlewares."""

_PLAIN_PATH = re.compile(r"(?:/(?::?[\w.~-]+))+/?")
_ID = ":id"

_ROUTER_OPTIONS = frozenset({"prefix", "only", "except", "config", "type"})

_LIST_OPTIONS = frozenset({"routes", "type", "prefix"})


def is_route(route: object) -> bool:
    """Whether an entry of a list of routes can be analysed."""
    match route:
        case {"method": str(), "path": str() as path, "handler": handler, **options}:
            has_known_options = {"config", "info"}.issuperset(options)
            return has_known_options and handler is not CODE and bool(_PLAIN_PATH.fullmatch(path))
        case _:
            return False


def can_be_served(method: str, path: str, action: str, content_type: ContentType) -> bool:
    """Whether a path of a core action has the parameters that the action needs."""
    methods_by_action = {name: core_method for core_method, _, name in core_routes(content_type)}
    if methods_by_action.get(action) != method:
        return False
    needs_id = any(
        name == action and ":" in route_path for _, route_path, name in core_routes(content_type)
    )
    if action == "find":
        return True
    return (_ID in path.split("/")) == needs_id and path.count("/:") == int(needs_id)


def covers(registered: tuple[str, str], route: tuple[str, str]) -> bool:
    """Whether every request for a route matches one that was registered before."""
    segments, route_segments = registered[1].strip("/").split("/"), route[1].strip("/").split("/")
    return (
        registered[0] == route[0]
        and len(segments) == len(route_segments)
        and all(
            segment.startswith(":") or segment.lower() == route_segment.lower()
            for segment, route_segment in zip(segments, route_segments, strict=True)
        )
    )


def with_document_id(path: str) -> str:
    """Return a path with the name of the id that is used here."""
    return "/".join(":documentId" if part == _ID else part for part in path.split("/"))


class RouterFile(Struct, frozen=True):
    """One file of routes, with the API that it belongs to."""

    api: str
    file: SourceFile


class RegisteredRoute(Struct, frozen=True, kw_only=True):
    """A route to a core action, as a file registers it."""

    uid: str
    route: ServedRoute
    problems: tuple[GuardProblem, ...]
    file: str


class Routes(Struct):
    """The routes of all router files of a project.

    ``served`` are the routes to core actions by uid, in the order in which they are registered;
    ``opaque`` are files whose routes are not known.
    """

    registered: dict[str, list[RegisteredRoute]] = field(default_factory=dict)
    unserved: list[UnservedRoute] = field(default_factory=list)
    opaque: list[RouterFile] = field(default_factory=list)
    problems: list[tuple[str, GuardProblem]] = field(default_factory=list)
    """Why actions are disabled, by the name of the action."""


def read_routes(
    files: Sequence[RouterFile],
    types: Mapping[str, ContentType],
    code: GuardCode,
    controllers: Mapping[str, Actions],
) -> Routes:
    """Read router files. ``controllers`` are those of types that have others than the core's."""
    reader = _Reader(types, code, controllers)
    for router_file in files:
        reader.take(router_file)
    return reader.routes


class _Reader(Struct):
    types: Mapping[str, ContentType]
    code: GuardCode
    controllers: Mapping[str, Actions]
    routes: Routes = field(default_factory=Routes)
    registered: list[tuple[str, str]] = field(default_factory=list)
    """Methods and paths in the order of registration: the first match counts."""

    def take(self, router_file: RouterFile) -> None:
        if router_file.file.path.endswith(".json"):
            exported = router_file.file.exported
        else:
            module = router_file.file.module
            if module.is_empty:
                return
            exported = module.exported_value(partial=True)
        match exported:
            case Factory("createCoreRouter", (str() as uid,)) if uid in self.types:
                self._add_core_router(router_file, uid, {})
            case Factory("createCoreRouter", (str() as uid, dict() as router)) if (
                uid in self.types and _ROUTER_OPTIONS.issuperset(router)
            ):
                self._add_core_router(router_file, uid, router)
            case {"routes": list() as routes, **others} if _LIST_OPTIONS.issuperset(others):
                self._add_routes(router_file, routes, others)
            case []:
                return
            case _:
                combined_list = combined_routes(router_file.file.module, self.types)
                if combined_list is None:
                    self.routes.opaque.append(router_file)
                else:
                    self._add_routes(router_file, combined_list, {})

    def _add_core_router(
        self, router_file: RouterFile, uid: str, options: dict[str, object]
    ) -> None:
        content_type = self.types[uid]
        included_names, excluded_names = options.get("only"), options.get("except")
        config, prefix = options.get("config", {}), options.get("prefix", "")
        is_plain = all(
            _is_names(names) for names in (included_names, excluded_names)
        ) and isinstance(prefix, str)
        if not is_plain or not isinstance(config, dict) or CODE in config.values():
            self.routes.opaque.append(router_file)
            return
        self.routes.registered.setdefault(uid, [])
        if options.get("type", "content-api") != "content-api":
            return
        for method, path, action in core_routes(content_type):
            if isinstance(included_names, list) and action not in included_names:
                continue
            if isinstance(excluded_names, list) and action in excluded_names:
                continue
            full_path = f"{prefix}{path}"
            if self._is_taken(method, full_path) and not self._is_unserved(method, full_path):
                continue
            guard = self.code.guard(config.get(action, {}), router_file.api, router_file.file)
            self._register(uid, method, full_path, action, guard, router_file)

    def _register(
        self,
        uid: str,
        method: str,
        path: str,
        action: str,
        guard: RouteGuard,
        router_file: RouterFile,
        id_name: str = "id",
    ) -> None:
        name = f"{uid}.{action}"
        self.registered.append((method, path))
        if guard.has_scripts and self._needs_script(uid, action):
            sentence = f"guards {action}, which reads by itself, with code that does not run"
            guard.problems.append(GuardProblem(router_file.file.path, "routes", sentence))
        is_closed = bool(guard.problems)
        route = ServedRoute(
            method=method,
            path=path,
            action=action,
            permission=None if guard.is_open and not is_closed else guard.permission or name,
            needs_user=guard.needs_user,
            is_refused=guard.is_refused,
            steps=guard.steps,
            policies=guard.policies,
            middlewares=guard.middlewares,
            id_name=id_name,
        )
        registered = RegisteredRoute(
            uid=uid, route=route, problems=tuple(guard.problems), file=router_file.file.path
        )
        self.routes.registered.setdefault(uid, []).append(registered)

    def _needs_script(self, uid: str, action: str) -> bool:
        """Tell whether an action can only be served if no code precedes it."""
        actions = self.controllers.get(uid)
        return (
            actions is not None and action in actions.reads and action not in actions.read_scripts
        )

    def _add_routes(
        self, router_file: RouterFile, routes: list[object], options: Mapping[object, object]
    ) -> None:
        prefix = options.get("prefix", "")
        if options.get("type", "content-api") != "content-api":
            return
        if not isinstance(prefix, str) or not all(map(is_route, routes)):
            self.routes.opaque.append(router_file)
            return
        for route in routes:
            if isinstance(route, dict):
                self._add_listed_route(router_file, route, prefix)

    def _add_listed_route(
        self, router_file: RouterFile, route: Mapping[str, object], prefix: str
    ) -> None:
        method, path = str(route["method"]).upper(), f"{prefix}{route['path']}".rstrip("/")
        handler = route["handler"]
        target = self._target(handler, router_file.api)
        if target is not None:
            self.routes.registered.setdefault(target[0], [])
        if self._is_taken(method, path):
            return
        guard = self.code.guard(route.get("config", {}), router_file.api, router_file.file)
        if target is not None and self._register_understood(
            router_file, method, path, target, guard
        ):
            return
        self.registered.append((method, path))
        handler_name = handler if isinstance(handler, str) else "a function"
        reason = self._reason(target, guard) if target is not None else ""
        unserved_route = UnservedRoute(method, path, handler_name, router_file.file.path, reason)
        controller = handler_name.strip().rpartition(".")[0]
        owner = controller if "::" in controller else f"api::{router_file.api}.{controller}"
        if owner in self.types:
            # In Strapi, a type whose router file lists other routes has no core routes.
            self.routes.registered.setdefault(owner, [])
        self.routes.unserved.append(unserved_route)
        for content_type in self.types.values():
            self._disable_shadowed(unserved_route, content_type)

    def _register_understood(
        self,
        router_file: RouterFile,
        method: str,
        path: str,
        target: tuple[str, str],
        guard: RouteGuard,
    ) -> bool:
        """Register a route to an understood action; tell whether it can be served."""
        uid, action = target
        actions = self.controllers.get(uid)
        is_core = action in CORE_ACTIONS
        core = action if actions is None else actions.core.get(action, action)
        if not is_core and (actions is None or not actions.is_understood(action)):
            return False
        if not is_core and guard.problems:
            return False
        if actions is not None and action in actions.scripts:
            self._register(uid, method, path, action, guard, router_file, "documentId")
            return True
        is_read = actions is not None and action in actions.reads
        if is_read and method != "GET":
            return False
        if not is_read and not can_be_served(method, path, core, self.types[uid]):
            return False
        self._register(uid, method, with_document_id(path), action, guard, router_file)
        return True

    def _is_taken(self, method: str, path: str) -> bool:
        """Tell whether requests for a route match one that is registered before it.

        In Strapi, the first matching route counts, in the order of folders and files.
        """
        return any(covers(registered_route, (method, path)) for registered_route in self.registered)

    def _is_unserved(self, method: str, path: str) -> bool:
        """Tell whether that route is not served: then the core route is disabled."""
        return any(
            covers((route.method, route.path), (method, path)) for route in self.routes.unserved
        )

    def _reason(self, target: tuple[str, str], guard: RouteGuard) -> str:
        """Return why an action of the project's own is not served."""
        actions = self.controllers.get(target[0])
        if actions is not None and target[1] in actions.own:
            return actions.own[target[1]]
        return guard.problems[0].sentence if guard.problems else ""

    def _disable_shadowed(self, unserved_route: UnservedRoute, content_type: ContentType) -> None:
        """Disable core actions whose requests run code of the project's own in Strapi."""
        if not content_type.is_api:
            return
        for method, path, action in core_routes(content_type):
            if covers((unserved_route.method, unserved_route.path), (method, path)):
                sentence = f"serves {method} {unserved_route.path} with code that does not run"
                problem = GuardProblem(unserved_route.file, "routes", sentence)
                self.routes.problems.append((f"{content_type.uid}.{action}", problem))

    def _target(self, handler: object, api: str) -> tuple[str, str] | None:
        """Return the type and the action of a handler."""
        if not isinstance(handler, str):
            return None
        controller, _, action = handler.strip().rpartition(".")
        uid = controller if "::" in controller else f"api::{api}.{controller}"
        return (uid, action) if uid in self.types and uid.startswith("api::") else None


def served_routes(
    routes: Routes,
    controllers: Mapping[str, Actions],
    closed: Container[str],
    types: Mapping[str, ContentType],
) -> dict[str, tuple[ServedRoute, ...]]:
    """Return the routes of the types with other than the usual ones.

    A route to a disabled action needs the usual permission, which nobody has then.
    """
    routes_by_type: dict[str, tuple[ServedRoute, ...]] = {}
    for uid, registered_routes in routes.registered.items():
        all_routes: list[ServedRoute] = []
        for registered_route in registered_routes:
            route = registered_route.route
            name = f"{uid}.{route.action}"
            is_core = route.action in CORE_ACTIONS
            if uid in closed and not is_core:
                continue
            if uid in closed or name in closed:
                route = ServedRoute(
                    method=route.method, path=route.path, action=route.action, permission=name
                )
            elif uid in controllers:
                route = _complete_route(route, controllers[uid])
            all_routes.append(route)
        if set(all_routes) != set(usual_routes(types[uid])):
            routes_by_type[uid] = tuple(all_routes)
    return routes_by_type


def _complete_route(route: ServedRoute, actions: Actions) -> ServedRoute:
    """Return a route with the behaviour of its action."""
    if route.is_scripted and route.action in actions.reads:
        return replace(route, script=actions.read_scripts[route.action])
    steps = actions.steps.get(route.action, ())
    if route.is_scripted and steps:
        route = replace(route, middlewares=(*route.middlewares, steps))
    return replace(
        route,
        steps=(*route.steps, *steps),
        core=actions.core.get(route.action, ""),
        read=actions.reads.get(route.action),
        script=actions.scripts.get(route.action),
    )


def _is_names(value: object) -> bool:
    return value is None or (
        isinstance(value, list) and all(isinstance(name, str) for name in value)
    )


def request_paths(
    types: Mapping[str, ContentType], routes: Routes, prefix: str
) -> dict[str, tuple[str, ...]]:
    """Return the folders of the paths of requests, by uid of a type or name of an account action.

    Types that have no routes are left out. ``prefix`` is that of the content API.
    """
    below = prefix.rstrip("/")
    paths = {
        uid: tuple(f"{below}{path}" for path in type_paths)
        for uid, content_type in types.items()
        if (type_paths := _paths_of_type(content_type, routes))
    }
    if FILE_UID in paths:
        paths[FILE_UID] = (*paths[FILE_UID], _PUBLIC_FILES)
    for route in END_USER_ROUTES:
        name = f"{END_USER_PREFIX}{route.action}"
        paths[name] = (*paths.get(name, ()), f"{below}{_folder(f'/{route.path}')}")
    return paths


def _paths_of_type(content_type: ContentType, routes: Routes) -> tuple[str, ...]:
    uid = content_type.uid
    if content_type.is_api:
        registered = (_folder(one.route.path) for one in routes.registered.get(uid, ()))
        return tuple(dict.fromkeys((f"/{content_type.route_name}", *registered)))
    for start, paths in _PATHS_OF_PLUGINS.items():
        if uid.startswith(start):
            return paths
    return ()


def _folder(path: str) -> str:
    """Return the segments of a path before the first one with a parameter."""
    segments = takewhile(lambda segment: not {":", "(", "*"} & {*segment}, path.split("/"))
    return "/".join(segments)
