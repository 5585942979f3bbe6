"""Reads the router files of a project: which core routes there are, and what guards them."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from msgspec import Struct, field

from quire.customisations.controllers import Actions
from quire.customisations.guards import GuardCode, Problem, RouteGuard
from quire.customisations.served import (
    CORE_ACTIONS,
    ServedRoute,
    UnservedRoute,
    core_routes,
    usual_routes,
)
from quire.customisations.tree import SourceFile
from quire.javascript.scope import CODE, Factory
from quire.schema.model import ContentType

_ROUTER_OPTIONS = frozenset({"prefix", "only", "except", "config", "type"})
_LIST_OPTIONS = frozenset({"routes", "type", "prefix"})
_PLAIN_PATH = re.compile(r"(?:/(?::?[\w.~-]+))+/?")
_ID = ":id"


class RouterFile(Struct, frozen=True):
    """One file of routes, with the API that it belongs to."""

    api: str
    file: SourceFile


class Registered(Struct, frozen=True, kw_only=True):
    """A route to a core action, as one file registers it."""

    uid: str
    route: ServedRoute
    problems: tuple[Problem, ...]
    file: str


class Routes(Struct):
    """What all router files of a project say.

    ``served`` are the routes to core actions by uid, in the order in which they are registered;
    ``opaque`` are files whose routes are not known.
    """

    registered: dict[str, list[Registered]] = field(default_factory=dict)
    unserved: list[UnservedRoute] = field(default_factory=list)
    opaque: list[RouterFile] = field(default_factory=list)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    """Why actions are closed, by the name of the action."""


def read_routes(
    files: Sequence[RouterFile],
    types: Mapping[str, ContentType],
    code: GuardCode,
) -> Routes:
    """Read router files."""
    reader = _Reader(types, code)
    for one in files:
        reader.take(one)
    return reader.found


class _Reader(Struct):
    types: Mapping[str, ContentType]
    code: GuardCode
    found: Routes = field(default_factory=Routes)

    def take(self, one: RouterFile) -> None:
        if one.file.path.endswith(".json"):
            exported = one.file.exported
        else:
            module = one.file.module
            if module.is_empty:
                return
            exported = module.exported_value(partial=True)
        match exported:
            case Factory("createCoreRouter", (str() as uid,)) if uid in self.types:
                self._core_router(one, uid, {})
            case Factory("createCoreRouter", (str() as uid, dict() as router)) if (
                uid in self.types and _ROUTER_OPTIONS.issuperset(router)
            ):
                self._core_router(one, uid, router)
            case {"routes": list() as routes, **others} if _LIST_OPTIONS.issuperset(others):
                self._list(one, routes, others)
            case []:
                return
            case _:
                self.found.opaque.append(one)

    def _core_router(self, one: RouterFile, uid: str, options: dict[str, object]) -> None:
        content_type = self.types[uid]
        only, without = options.get("only"), options.get("except")
        config, prefix = options.get("config", {}), options.get("prefix", "")
        is_plain = all(_is_names(names) for names in (only, without)) and isinstance(prefix, str)
        if not is_plain or not isinstance(config, dict) or CODE in config.values():
            self.found.opaque.append(one)
            return
        self.found.registered.setdefault(uid, [])
        if options.get("type", "content-api") != "content-api":
            return
        for method, path, action in core_routes(content_type):
            if isinstance(only, list) and action not in only:
                continue
            if isinstance(without, list) and action in without:
                continue
            guard = self.code.guard(config.get(action, {}), one.api, one.file)
            self._register(uid, method, f"{prefix}{path}", action, guard, one)

    def _register(
        self, uid: str, method: str, path: str, action: str, guard: RouteGuard, one: RouterFile
    ) -> None:
        name = f"{uid}.{action}"
        is_closed = bool(guard.problems)
        route = ServedRoute(
            method=method,
            path=path,
            action=action,
            permission=None if guard.is_open and not is_closed else guard.permission or name,
            needs_user=guard.needs_user,
            steps=guard.steps,
        )
        registered = Registered(
            uid=uid, route=route, problems=tuple(guard.problems), file=one.file.path
        )
        self.found.registered.setdefault(uid, []).append(registered)

    def _list(
        self, one: RouterFile, routes: list[object], options: Mapping[object, object]
    ) -> None:
        prefix = options.get("prefix", "")
        if options.get("type", "content-api") != "content-api":
            return
        if not isinstance(prefix, str) or not all(map(_is_route, routes)):
            self.found.opaque.append(one)
            return
        for route in routes:
            if isinstance(route, dict):
                self._listed(one, route, prefix)

    def _listed(self, one: RouterFile, route: Mapping[str, object], prefix: str) -> None:
        method, path = str(route["method"]).upper(), f"{prefix}{route['path']}".rstrip("/")
        handler = route["handler"]
        target = self._target(handler, one.api)
        guard = self.code.guard(route.get("config", {}), one.api, one.file)
        if target is not None and _can_be_served(method, path, target[1], self.types[target[0]]):
            uid, action = target
            self._register(uid, method, _with_document_id(path), action, guard, one)
            return
        shown = handler if isinstance(handler, str) else "a function"
        unserved = UnservedRoute(method, path, shown, one.file.path)
        controller = shown.strip().rpartition(".")[0]
        owner = controller if "::" in controller else f"api::{one.api}.{controller}"
        if owner in self.types:
            # In the reference, a type whose router file lists other routes has no core routes.
            self.found.registered.setdefault(owner, [])
        self.found.unserved.append(unserved)
        for content_type in self.types.values():
            self._shadow(unserved, content_type)

    def _shadow(self, unserved: UnservedRoute, content_type: ContentType) -> None:
        """Close core actions whose requests reach code of the project's own in the reference."""
        if not content_type.is_api:
            return
        for method, path, action in core_routes(content_type):
            if method == unserved.method and _shadows(unserved.path, path):
                sentence = f"serves {method} {unserved.path} with code that does not run"
                problem = Problem(unserved.file, "routes", sentence)
                self.found.problems.append((f"{content_type.uid}.{action}", problem))

    def _target(self, handler: object, api: str) -> tuple[str, str] | None:
        """Return the type and the core action that a handler names."""
        if not isinstance(handler, str):
            return None
        controller, _, action = handler.strip().rpartition(".")
        uid = controller if "::" in controller else f"api::{api}.{controller}"
        if action in CORE_ACTIONS and uid in self.types and uid.startswith("api::"):
            return uid, action
        return None


def served_routes(
    routes: Routes,
    controllers: Mapping[str, Actions],
    closed: Container[str],
    types: Mapping[str, ContentType],
) -> dict[str, tuple[ServedRoute, ...]]:
    """Return the routes of the types that have others than the usual ones.

    The first of equal ones counts.

    A route to something closed asks for the usual permission, which nobody has then.
    """
    served: dict[str, tuple[ServedRoute, ...]] = {}
    for uid, registered in routes.registered.items():
        actions = controllers.get(uid)
        first: dict[tuple[str, str], ServedRoute] = {}
        for one in registered:
            route = one.route
            name = f"{uid}.{route.action}"
            if uid in closed or name in closed:
                route = ServedRoute(
                    method=route.method, path=route.path, action=route.action, permission=name
                )
            own = actions.steps.get(route.action, ()) if actions is not None else ()
            with_steps = ServedRoute(
                method=route.method,
                path=route.path,
                action=route.action,
                permission=route.permission,
                needs_user=route.needs_user,
                steps=(*route.steps, *own),
            )
            first.setdefault((route.method, route.path), with_steps)
        if set(first.values()) != usual_routes(types[uid]):
            served[uid] = tuple(first.values())
    return served


def conflicts(routes: Routes) -> Iterator[tuple[str, Problem]]:
    """Yield routes that two files register in different ways: which one counts is not said."""
    for uid, registered in routes.registered.items():
        seen: dict[tuple[str, str], Registered] = {}
        for one in registered:
            key = (one.route.method, one.route.path)
            first = seen.setdefault(key, one)
            if first.route != one.route:
                sentence = f"registers {key[0]} {key[1]} in another way than {first.file}"
                yield f"{uid}.{one.route.action}", Problem(one.file, "routes", sentence)


def _is_names(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _is_route(route: object) -> bool:
    """Whether an entry of a list of routes is one that can be read."""
    match route:
        case {"method": str(), "path": str() as path, "handler": handler, **options}:
            known = {"config", "info"}.issuperset(options)
            return known and handler is not CODE and bool(_PLAIN_PATH.fullmatch(path))
        case _:
            return False


def _can_be_served(method: str, path: str, action: str, content_type: ContentType) -> bool:
    """Whether a path leads to a core action that finds what it needs in it."""
    usual = {name: verb for verb, _, name in core_routes(content_type)}
    if usual.get(action) != method:
        return False
    needs_id = any(name == action and ":" in of for _, of, name in core_routes(content_type))
    return (_ID in path.split("/")) == needs_id and path.count("/:") == int(needs_id)


def _with_document_id(path: str) -> str:
    return "/".join(":documentId" if part == _ID else part for part in path.split("/"))


def _shadows(own: str, core: str) -> bool:
    """Whether requests for a core path reach a route of the project's own."""
    mine, usual = own.strip("/").split("/"), core.strip("/").split("/")
    return len(mine) == len(usual) and all(
        part.startswith(":") or part.lower() == other.lower()
        for part, other in zip(mine, usual, strict=True)
    )
