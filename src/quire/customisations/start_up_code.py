"""Finds code that changes the plugin for end users, or the server, when the server starts.

``register`` and ``bootstrap`` may assign to the members of ``strapi.plugin('users-permissions')``.
Reading them, and calling their functions, changes nothing. A variable may stand for whatever any
function of the module assigns to its name.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from quire.customisations.end_user_routes import (
    END_USER_ACTIONS,
    END_USER_PLUGIN,
    END_USER_PREFIX,
    ROUTES_PATH,
    SERVICE_ACTIONS,
    PluginPath,
    actions_of,
)
from quire.customisations.pass_through_middlewares import require_pass_through_handler
from quire.customisations.statements import NotUnderstoodError
from quire.javascript.scope import Module, NotPlainError, is_harmless_call, walk
from quire.javascript.syntax import (
    Array,
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
    Destructuring,
    Expression,
    ForOf,
    Function,
    Literal,
    Member,
    Name,
    ObjectPattern,
    Opaque,
    Property,
    Return,
    Unary,
    Update,
    WithDefault,
)

Paths = AbstractSet[PluginPath]

_ANY = "*"
"""A key that is computed."""
_CHANGING_METHODS = frozenset(
    {"push", "unshift", "splice", "pop", "shift", "set", "extend", "add", "forEach", "map"}
)
_CHANGING_FUNCTIONS = frozenset(
    {"assign", "defineProperty", "defineProperties", "extend", "merge", "set", "setPrototypeOf"}
)
"""Functions of ``Object``, ``Reflect`` and lodash that change their first argument."""
_OF_PLUGIN = frozenset({"controller", "controllers", "routes", "extend"})
"""Names that code which changes the plugin has, unlike most code that uses it."""
_ADDED_MIDDLEWARE = frozenset({"strapi", "server", "use"})
_SERVER_PARTS = frozenset({"app", "router"})
_NO_ACTIONS: frozenset[str] = frozenset()


class _UnboundedChangeError(Exception):
    """Code that may change more of the plugin than single actions."""


def changed_plugin_actions(module: Module) -> frozenset[str] | None:
    """Return the actions of the plugin that a module changes, ``None`` if it may change more."""
    try:
        return _PluginChangeAnalysis(module).changed_actions()
    except _UnboundedChangeError:
        return None


def guards_path(module: Module, path: str) -> bool:
    """Whether a module adds a middleware to ``strapi.server`` that may refuse requests to a path.

    Those to paths below it count, too.
    """
    parts = list(walk(module.statements))
    servers: set[str] = set()
    for part in parts:
        match part:
            case Declaration(Name(name), value) if _is_server(value, servers):
                servers.add(name)
            case Declaration(ObjectPattern(names), value) if _is_strapi(value):
                servers |= {variable for key, variable in names if key == "server"}
            case Declaration(ObjectPattern(names), value) if _is_server(value, servers):
                servers |= {variable for key, variable in names if key in _SERVER_PARTS}
            case _:
                continue
    for part in parts:
        match part:
            case Opaque(skipped) if type(part) is Opaque and skipped >= _ADDED_MIDDLEWARE:
                return True
            case Call(Member(inner, "use"), arguments) if _is_server(inner, servers):
                if any(_may_refuse(module, argument, path) for argument in arguments):
                    return True
            case _:
                continue
    return False


def _may_refuse(module: Module, middleware: Expression, path: str) -> bool:
    if isinstance(middleware, Literal):  # a path
        return False
    try:
        require_pass_through_handler(module, middleware, path)
    except NotUnderstoodError:
        return True
    return False


def _is_server(value: Expression, servers: AbstractSet[str]) -> bool:
    """Whether an expression is ``strapi.server``, a part of it with middlewares, or named so."""
    match value:
        case Name(name):
            return name in servers
        case Unary("()" | "await", inner):
            return _is_server(inner, servers)
        case Member(inner, "server"):
            return _is_strapi(inner)
        case Member(inner, key) if key in _SERVER_PARTS:
            return _is_server(inner, servers)
        case Call(Member(inner, "use")):
            return _is_server(inner, servers)
        case _:
            return False


def _is_strapi(value: Expression) -> bool:
    """Whether an expression is the server, by its own name or as a member of something."""
    return value == Name("strapi") or (isinstance(value, Member) and value.key == "strapi")


class _PluginChangeAnalysis:
    """Analysis of a module, with the members of the plugin that its variables may stand for."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._parts = list(walk(module.statements))
        self._aliases: defaultdict[str, set[PluginPath]] = defaultdict(set)
        count = -1
        # A variable may stand for what another one does, in any order.
        while count < (count := sum(map(len, self._aliases.values()))):
            for part in self._parts:
                self._add_aliases(part)

    def changed_actions(self) -> frozenset[str]:
        """Return the actions that have other code. Raises _UnboundedChangeError."""
        return _NO_ACTIONS.union(*map(self._changes_of, self._parts))

    # Variables

    def _add_aliases(self, part: object) -> None:
        match part:
            case Declaration(target, value):
                self._bind(target, self._paths(value))
            case Assign(_, Name() as target, value):
                self._bind(target, self._paths(value))
            case WithDefault(target=target, default=value):
                self._bind(target, self._paths(value))
            case ForOf(target=target, items=items):
                self._bind(target, {(*path, _ANY) for path in self._paths(items)})
            case _:
                return

    def _bind(self, target: object, paths: Paths) -> None:
        if not paths:
            return
        match target:
            case Name(name):
                self._aliases[name] |= paths
            case ObjectPattern(names):
                for key, variable in names:
                    self._aliases[variable] |= {(*path, key) for path in paths}
            case WithDefault(target=inner):
                self._bind(inner, paths)
            case Destructuring(members=members, rest=rest):
                for key, inner in members:
                    self._bind(inner, {(*path, key) for path in paths})
                if rest is not None:
                    self._bind(rest, paths)
            case _:
                raise _UnboundedChangeError

    # Changes

    def _changes_of(self, part: object) -> frozenset[str]:  # noqa: C901 - a case for each part
        match part:
            case Assign(_, Name(), _):
                return _NO_ACTIONS
            case Assign(_, target, value):
                self._require_no_container(value, known=self._paths(target))
                return self._actions_in(target)
            case Unary("delete", target) | Update(target=target):
                return self._actions_in(target)
            case Call(callee, arguments) if not is_harmless_call(callee):
                return self._changes_of_call(callee, arguments)
            case Return(value) if value is not None:
                self._require_no_container(value)
            case Property(_, value):
                self._require_no_container(value)
            case Array(items):
                for item in items:
                    self._require_no_container(item)
            case Function(_, body) if not isinstance(body, tuple):
                self._require_no_container(body)
            case Opaque(names) if type(part) is Opaque:
                if "strapi" in names and names & _OF_PLUGIN:
                    raise _UnboundedChangeError
            case _:
                pass
        return _NO_ACTIONS

    def _actions_in(self, target: object) -> frozenset[str]:
        """Return the actions of the members in what is assigned to."""
        if isinstance(target, Member):
            return _NO_ACTIONS.union(*map(_actions_at, self._paths(target)))
        members = (part for part in walk(target) if isinstance(part, Member))
        if any(self._paths(member) for member in members):
            raise _UnboundedChangeError
        return _NO_ACTIONS

    def _changes_of_call(
        self, callee: Expression, arguments: Iterable[Expression]
    ) -> frozenset[str]:
        arguments = tuple(arguments)
        actions = _NO_ACTIONS
        if isinstance(callee, Member) and isinstance(callee.key, str):
            self._require_unchanging_method(callee.object, callee.key, arguments)
            if callee.key in _CHANGING_FUNCTIONS and arguments:
                services = {path for path in self._paths(arguments[0]) if path[:1] == ("services",)}
                actions = actions.union(*map(_actions_at, services))
        for argument in arguments:
            self._require_no_container(argument)
        return actions

    def _require_unchanging_method(
        self, receiver: Expression, method: str, arguments: tuple[Expression, ...]
    ) -> None:
        """Check that a method changes no part of the plugin. Raises _UnboundedChangeError."""
        paths = self._paths(receiver)
        for path in paths:
            is_new_route = path == ROUTES_PATH and method == "push"
            is_change = method in _CHANGING_METHODS and path[:1] != ("services",)
            # Other methods of routes look some up, which may be changed then.
            if (path[:1] == ("routes",) or is_change) and not is_new_route:
                raise _UnboundedChangeError
        names = [item.value for item in arguments if isinstance(item, Literal)]
        is_registered = any(str(name).startswith(END_USER_PREFIX) for name in names)
        if not paths and is_registered and method in {"set", "extend"}:
            raise _UnboundedChangeError

    def _require_no_container(self, value: Expression, *, known: Paths = frozenset()) -> None:
        """Check that code does not get another member by which it can change the plugin."""
        if any(map(_is_container, self._paths(value) - known)):
            raise _UnboundedChangeError

    # Members of the plugin

    def _paths(self, value: Expression) -> Paths:
        """Return the members of the plugin that an expression may stand for."""
        match value:
            case Unary("()" | "await", inner) | Assign(_, _, inner):
                return self._paths(inner)
            case Binary("||" | "??" | "&&", left, right) | Conditional(_, left, right):
                return self._paths(left) | self._paths(right)
            case Name(name):
                return self._aliases.get(name, frozenset())
            case Call(Member(_, "plugin"), (key, *_)) | Member(
                Name("plugins") | Member(_, "plugins"), key
            ):
                return {()} if self._text(key) in {END_USER_PLUGIN, None} else frozenset()
            case Call(Member(inner, "controller" | "service" as getter), (key, *_)):
                return self._item(inner, f"{getter}s", key)
            case Member(Member(inner, "controllers" | "services" as registry), key):
                return self._item(inner, registry, key)
            case Member(inner, key):
                name = self._text(key) or _ANY
                return {(*path, name) for path in self._paths(inner)}
            case _:
                return frozenset()

    def _item(self, owner: Expression, registry: str, key: str | Expression) -> Paths:
        """Return a controller or service of the plugin, or of ``strapi`` by its full name."""
        name = self._text(key)
        owner_paths = self._paths(owner)
        if owner_paths:
            return {(*path, registry, name or _ANY) for path in owner_paths}
        if name is None:
            return {(registry, _ANY)} if _is_strapi(owner) else frozenset()
        is_of_plugin = name.startswith(END_USER_PREFIX)
        return {(registry, name.removeprefix(END_USER_PREFIX))} if is_of_plugin else frozenset()

    def _text(self, key: str | Expression) -> str | None:
        """Return a key, ``None`` if it is not known."""
        if isinstance(key, str):
            return key
        try:
            value = self._module.value(key)
        except NotPlainError:
            return None
        return value if isinstance(value, str) else None


def _actions_at(path: PluginPath) -> frozenset[str]:
    """Return the actions that use a member of the plugin. Raises _UnboundedChangeError."""
    match path:
        case ("controllers", controller) if controller != _ANY:
            return actions_of(controller)
        case ("controllers", controller, action, *_) if _ANY not in {controller, action}:
            return END_USER_ACTIONS & {f"{controller}.{action}"}
        case ("services", service) if service != _ANY:
            return _NO_ACTIONS.union(*_methods_of(service).values())
        case ("services", service, method, *_) if _ANY not in {service, method}:
            return _methods_of(service).get(method, _NO_ACTIONS)
        case _:
            raise _UnboundedChangeError


def _methods_of(service: str) -> Mapping[str, frozenset[str]]:
    return SERVICE_ACTIONS.get(service, {})


def _is_container(path: PluginPath) -> bool:
    """Whether code that has a member of the plugin can change the plugin by it."""
    match path:
        case () | ("routes", *_) | ("controllers",) | ("controllers", _):
            return True
        case _:
            return False
