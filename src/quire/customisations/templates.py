"""Recognises files that a generator wrote and nobody has touched since.

Such a file only asks for the behaviour that every content type has, so nothing is lost when its
JavaScript does not run. What a file exports is plain data as ``modules.py`` reads them.
"""

from quire.javascript.modules import EmptyFunction, Factory
from quire.schema.model import ContentType, TypeKind

_NOTHING: tuple[object, ...] = ({}, EmptyFunction())
_NO_CONFIG: tuple[object, ...] = ({}, {"policies": [], "middlewares": []})
_HOOKS = frozenset({"register", "bootstrap", "destroy"})


def is_empty(exported: object) -> bool:
    """Whether a module exports an object with nothing in it."""
    return exported == {}


def is_core_controller(exported: object, uid: str) -> bool:
    """Whether a module exports the core controller of the type, or no actions at all."""
    return exported == {} or _is_factory(exported, "createCoreController", uid)


def is_core_service(exported: object, uid: str) -> bool:
    """Whether a module exports the core service of the type, or a service without methods."""
    return exported == {} or _is_factory(exported, "createCoreService", uid)


def routed_uid(exported: object) -> str | None:
    """The uid whose core routes a module exports unchanged, else ``None``."""
    match exported:
        case Factory("createCoreRouter", (str() as uid, *rest)) if rest in ([], [{}]):
            return uid
    return None


def is_without_routes(exported: object) -> bool:
    """Whether a module exports a list of routes with nothing in it."""
    return exported in ({"routes": []}, [])


def are_core_routes(exported: object, content_type: ContentType) -> bool:
    """Whether a module lists the routes that the type has anyway, and guards none of them."""
    match exported:
        case {"routes": [*routes], **rest} if not rest:
            expected = _core_routes(content_type)
            found = [_plain_route(route) for route in routes]
            return len(found) == len(expected) and set(expected) == set(found)
        case _:
            return False


def is_empty_start_up(exported: object) -> bool:
    """Whether the functions that a module exports for the start of the server do nothing."""
    if not isinstance(exported, dict):
        return False
    return _HOOKS.issuperset(exported) and all(one in _NOTHING for one in exported.values())


def _is_factory(exported: object, name: str, uid: str) -> bool:
    match exported:
        case Factory(found, (str() as of, *rest)) if found == name and of == uid:
            return rest in ([], [{}])
    return False


def _plain_route(route: object) -> tuple[object, ...] | None:
    """Method, path and action of a route whose configuration is empty, else ``None``."""
    match route:
        case {"method": str() as method, "path": str() as path, "handler": str() as name, **rest}:
            if any(value not in _NO_CONFIG for value in rest.values()) or rest.keys() - {"config"}:
                return None
            return method, path, name
        case _:
            return None


def _core_routes(content_type: ContentType) -> list[tuple[object, ...]]:
    path = f"/{content_type.route_name}"
    if content_type.kind is TypeKind.SINGLE:
        routes = [("GET", path, "find"), ("PUT", path, "update"), ("DELETE", path, "delete")]
    else:
        routes = [
            ("GET", path, "find"),
            ("GET", f"{path}/:id", "findOne"),
            ("POST", path, "create"),
            ("PUT", f"{path}/:id", "update"),
            ("DELETE", f"{path}/:id", "delete"),
        ]
    name = content_type.uid.rpartition(".")[2]
    return [(method, route, f"{name}.{action}") for method, route, action in routes]
