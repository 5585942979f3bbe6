"""Finds code outside of extensions that changes the plugin for end users when the server starts.

``register`` and ``bootstrap`` may assign to the members of ``strapi.plugin('users-permissions')``.
Reading them, and calling their functions, changes nothing.
"""

from collections.abc import Iterator

from msgspec import Struct

from quire.customisations.end_user_routes import (
    END_USER_ACTIONS,
    END_USER_PLUGIN,
    PREFIX,
    SERVICE_ACTIONS,
    actions_of,
)
from quire.customisations.passing_middlewares import require_passing_handler
from quire.customisations.statements import NotUnderstoodError
from quire.javascript.scope import Module, is_harmless_call
from quire.javascript.syntax import (
    Assign,
    Call,
    Declaration,
    Expression,
    Literal,
    Member,
    Name,
    ObjectPattern,
    Property,
    Return,
    Unary,
)

_ROUTES = ("routes", "content-api", "routes")
_GETTERS = frozenset({"controller", "service"})
_REGISTRIES = frozenset({"controllers", "services"})
_CHANGING_METHODS = frozenset(
    {"push", "unshift", "splice", "pop", "shift", "set", "extend", "add", "forEach", "map"}
)

Path = tuple[str, ...]


def start_up_changes(module: Module) -> frozenset[str] | None:
    """Return the actions of the plugin that a module changes, ``None`` if it may change more."""
    parts = list(_parts(module.statements))
    aliases: dict[str, Path] = {}
    for part in parts:
        match part:
            case Declaration(Name(name), value):
                path = _path(value, aliases)
                if path is not None:
                    aliases[name] = path
            case Declaration(ObjectPattern(names), value):
                path = _path(value, aliases)
                if path is not None:
                    aliases |= {variable: (*path, key) for key, variable in names}
            case _:
                continue
    actions: set[str] = set()
    for part in parts:
        changed = _changed_actions(part, aliases)
        if changed is None:
            return None
        actions |= changed
    return frozenset(actions)


def guards_all_routes(module: Module) -> bool:
    """Whether a module adds a middleware to ``strapi.server`` that may refuse requests."""
    for part in _parts(module.statements):
        match part:
            case Call(Member(Member(inner, "server"), "use"), arguments) | Call(
                Member(Member(Member(inner, "server"), "app"), "use"), arguments
            ) if _is_strapi(inner):
                pass
            case _:
                continue
        for argument in arguments:
            try:
                require_passing_handler(module, argument)
            except NotUnderstoodError:
                return True
    return False


def _is_strapi(value: Expression) -> bool:
    """Whether an expression is the server, by its own name or as a member of something."""
    return value == Name("strapi") or (isinstance(value, Member) and value.key == "strapi")


def _changed_actions(part: object, aliases: dict[str, Path]) -> frozenset[str] | None:
    """Return the actions that a part of code changes, ``None`` if it may change others."""
    match part:
        case Assign(_, Member() as target, _) | Unary("delete", Member() as target):
            path = _path(target, aliases)
            return frozenset() if path is None else _actions_at(path)
        case Call(callee, arguments) if not is_harmless_call(callee):
            if isinstance(callee, Member) and callee.key in _CHANGING_METHODS:
                path = _path(callee.object, aliases)
                names = [item.value for item in arguments if isinstance(item, Literal)]
                is_registered = any(str(name).startswith(PREFIX) for name in names)
                is_new_route = path == _ROUTES and callee.key == "push"
                is_call = path is not None and path[:1] == ("services",)
                if path is not None and not is_new_route and not is_call:
                    return None
                if path is None and is_registered and callee.key in {"set", "extend"}:
                    return None
            if any(_is_container(_path(argument, aliases)) for argument in arguments):
                return None
            return frozenset()
        case Return(value) if value is not None and _is_container(_path(value, aliases)):
            return None
        case Property(_, value) if _is_container(_path(value, aliases)):
            return None
        case _:
            return frozenset()


def _actions_at(path: Path) -> frozenset[str] | None:
    """Return the actions that use a member of the plugin, ``None`` if they are not known."""
    match path:
        case ("controllers", controller):
            return actions_of(controller)
        case ("controllers", controller, action, *_):
            return END_USER_ACTIONS & {f"{controller}.{action}"} if action != "*" else None
        case ("services", service, method, *_) if method != "*":
            return SERVICE_ACTIONS.get(service, {}).get(method, frozenset())
        case _:
            return None


def _is_container(path: Path | None) -> bool:
    """Whether code that has a member of the plugin can change the plugin by it."""
    match path:
        case None:
            return False
        case () | ("routes", *_) | ("controllers",) | ("controllers", _):
            return True
        case _:
            return False


def _path(value: Expression, aliases: dict[str, Path]) -> Path | None:
    """Return the member of the plugin of an expression; an unknown key is ``*``."""
    match value:
        case Unary("()" | "await", inner):
            return _path(inner, aliases)
        case Name(name):
            return aliases.get(name)
        case Call(Member(_, "plugin"), (Literal(text),)) if text == END_USER_PLUGIN:
            return ()
        case Member(Name("plugins") | Member(_, "plugins"), key) if key == END_USER_PLUGIN:
            return ()
        case Call(Member(inner, str() as getter), (Literal(str() as name), *_)) if (
            getter in _GETTERS
        ):
            path = _path(inner, aliases)
            if path == ():
                return (f"{getter}s", name)
            is_of_plugin = path is None and name.startswith(PREFIX)
            return (f"{getter}s", name.removeprefix(PREFIX)) if is_of_plugin else None
        case Member(Member(_, str() as registry), str() as name) if (
            registry in _REGISTRIES and name.startswith(PREFIX)
        ):
            return (registry, name.removeprefix(PREFIX))
        case Member(inner, key):
            path = _path(inner, aliases)
            return None if path is None else (*path, key if isinstance(key, str) else "*")
        case _:
            return None


def _parts(part: object) -> Iterator[object]:
    """Yield every part of a syntax tree."""
    if isinstance(part, tuple):
        for inner in part:
            yield from _parts(inner)
    elif isinstance(part, Struct):
        yield part
        for name in part.__struct_fields__:
            yield from _parts(getattr(part, name))
