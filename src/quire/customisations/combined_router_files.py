"""Router files that combine core routes and others in one list, by code."""

from collections.abc import Coroutine, Mapping

from quire.customisations.served_routes import core_routes
from quire.javascript.interpreter.builtins import library
from quire.javascript.interpreter.evaluator import Machine
from quire.javascript.interpreter.scopes import Frame
from quire.javascript.interpreter.values import (
    HostFunction,
    HostObject,
    ThrownError,
    UnsupportedError,
    as_json,
)
from quire.javascript.scope import UNDEFINED, Module
from quire.schema.model import ContentType


def combined_routes(module: Module, types: Mapping[str, ContentType]) -> list[object] | None:
    """Return the routes that code lists, ``None`` if they are not known for certain.

    Core routes are listed with their paths, handlers and options.
    """
    exported = module.exported
    if not module.is_known or exported is None:
        return None
    names: dict[str, object] = {}
    machine = Machine(names, packages={"@strapi/strapi": _factories(types)})
    names |= library(machine, _run_immediately)
    scope = machine.scope_of(module)
    try:
        routers = _run(machine.evaluate(exported, scope, Frame(UNDEFINED, UNDEFINED)))
        if not isinstance(routers, dict) or routers.get("prefix", UNDEFINED) not in {UNDEFINED, ""}:
            return None
        if not {"prefix", "routes", "type"}.issuperset(routers):
            return None
        if routers.get("type", "content-api") not in {UNDEFINED, "content-api"}:
            return None
        routes = as_json(routers.get("routes"))
    except (ThrownError, UnsupportedError, RecursionError):
        return None
    return routes if isinstance(routes, list) else None


def _run_immediately() -> int:
    raise UnsupportedError("the time")


def _run(coroutine: Coroutine[object, None, object]) -> object:
    """Return the result of a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value
    coroutine.close()
    raise UnsupportedError("waits for something")


def _factories(types: Mapping[str, ContentType]) -> HostObject:
    async def router(arguments: list[object]) -> object:
        uid = arguments[0] if arguments else UNDEFINED
        options = arguments[1] if len(arguments) > 1 else {}
        if not isinstance(uid, str) or uid not in types or not isinstance(options, dict):
            raise UnsupportedError("a router that is not known")
        if not {"config", "prefix"}.issuperset(options):
            raise UnsupportedError("a router with options")
        return {
            "prefix": options.get("prefix", UNDEFINED),
            "routes": _core(types[uid], options.get("config", {})),
        }

    result = HostFunction(router)
    return HostObject(
        {"createCoreRouter": result, "factories": HostObject({"createCoreRouter": result})}
    )


def _core(content_type: ContentType, config: object) -> list[object]:
    if not isinstance(config, dict):
        raise UnsupportedError("a router with options")
    return [
        {
            "method": method,
            "path": path.replace(":documentId", ":id"),
            "handler": f"{content_type.uid}.{action}",
            "config": config.get(action, {}),
        }
        for method, path, action in core_routes(content_type)
    ]
