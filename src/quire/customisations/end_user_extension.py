"""Finds what ``src/extensions/users-permissions/strapi-server`` changes of the plugin.

The file exports a function of the plugin's object. Actions that get other code are closed; actions
of new routes do not exist here. A statement that might change anything else is not understood.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct, field

from quire.customisations.end_user_routes import (
    END_USER_PLUGIN,
    END_USER_ROUTES,
    ROUTES_PATH,
    SERVICE_ACTIONS,
    EndUserRoute,
    PluginPath,
    actions_of,
    covered_actions,
)
from quire.customisations.statements import NotUnderstoodError, is_harmless, without_await
from quire.javascript.scope import Module, NotPlainError, is_harmless_call
from quire.javascript.syntax import (
    Array,
    Assign,
    Binary,
    Call,
    Declaration,
    Evaluate,
    Export,
    Expression,
    Function,
    If,
    Import,
    Literal,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    OptionalCall,
    Return,
    Spread,
    Statement,
    Throw,
    Try,
    Unary,
    Update,
)

_FACTORIES = frozenset({"auth"})
"""Controllers that are functions: other properties of theirs are not read."""
_START_UP = frozenset({"bootstrap", "register", "destroy"})
_OWN_CODE = frozenset({"policies", "middlewares"})
_PLAIN_SETTINGS = frozenset({"pluginOptions", "info"})
"""Parts of a content type's schema that only the admin panel reads."""
_TIMERS = frozenset({"setInterval", "setTimeout"})
_FACTORY_DEPTH = 2
"""The length of the path of a controller or service."""
_MAX_DEPTH = 4
_UNKNOWN = "holds code that is not understood"


class ExtensionChanges(Struct):
    """What an extension changes.

    ``actions`` have other code: ``auth.callback``, or all of `AUTHENTICATION`. ``routes`` are new,
    with the actions that they name. ``notes`` are other effects that are missing here.
    """

    actions: set[str] = field(default_factory=set)
    routes: list[EndUserRoute] = field(default_factory=list)
    notes: set[str] = field(default_factory=set)


class UnknownChangeError(NotUnderstoodError):
    """A statement that may change anything, in a line of a file."""

    def __init__(self, reason: str, line: int) -> None:
        """``line`` is 0 if it is not known."""
        super().__init__(f"{reason}, line {line}" if line else reason)


class _SelectedRoutes(Struct, frozen=True):
    """Existing routes that code looks up, by their actions."""

    actions: frozenset[str]


class _FactoryInstance(Struct, frozen=True):
    """The object that the factory of a controller or service has returned."""

    path: PluginPath


_Part = PluginPath | _SelectedRoutes | _FactoryInstance


def analyse_extension(module: Module, *, ignores_members_of_factories: bool) -> ExtensionChanges:
    """Return what an extension changes. Raises UnknownChangeError.

    With ``ignores_members_of_factories``, members that are set on functions have no effect.
    """
    for statement in module.statements:
        if not _is_harmless_at_start(statement):
            raise UnknownChangeError("runs code when it is loaded", module.line_of(statement) or 0)
    exported = module.exported
    if not isinstance(exported, Function):
        raise UnknownChangeError("does not export a function alone", 0)
    changes = ExtensionChanges()
    match exported.parameters:
        case (Name(plugin), *_):
            analysis = _ExtensionAnalysis(
                module,
                {plugin: ()},
                changes,
                ignores_members_of_factories=ignores_members_of_factories,
            )
            analysis.run_all(exported)
        case _:
            raise UnknownChangeError("does not export a function of the plugin", 0)
    return changes


def _is_harmless_at_start(statement: Statement) -> bool:
    match statement:
        case Declaration() | Import() | Export() | Evaluate(Literal()):
            return True
        case Evaluate(Assign("=", Member(Name("module"), "exports"), _)):
            return True
        case Evaluate(Call(Name(name), (Function(), *_))) if name in _TIMERS:
            return True
        case Evaluate(Call(Member(Name("Object"), "defineProperty"), (Name("exports"), *_))):
            return True
        case _:
            return is_harmless(statement)


class _ExtensionAnalysis:
    """Analysis of a function that has the plugin, or a part of it."""

    def __init__(
        self,
        module: Module,
        values: Mapping[str, _Part],
        changes: ExtensionChanges,
        depth: int = 0,
        *,
        ignores_members_of_factories: bool,
    ) -> None:
        """``values`` are the variables with parts of the plugin, ``depth`` counts calls."""
        self._module = module
        self.values = dict(values)
        self.local_names: set[str] = set()
        self._changes = changes
        self._depth = depth
        self._ignores_members_of_factories = ignores_members_of_factories
        self.line = 0

    # Statements

    def run_all(self, function: Function) -> None:
        """Read a function that returns the plugin. Raises UnknownChangeError."""
        body = function.body
        if isinstance(body, tuple):
            self.run(body)
        elif self._part_of(body) != ():
            raise UnknownChangeError("does not return the plugin", self.line)

    def run(self, statements: Sequence[Statement]) -> None:
        """Read the statements of a function. Raises UnknownChangeError."""
        self.statements(statements)
        # A function may use variables that are declared after it.
        second_pass = self._analysis_of(self._module, self.values, ExtensionChanges(), self._depth)
        second_pass.local_names = self.local_names
        second_pass.statements(statements)

    def statements(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self.line = self._module.line_of(statement) or self.line
            try:
                self._statement(statement)
            except UnknownChangeError:
                raise
            except NotUnderstoodError as error:
                raise UnknownChangeError(str(error), self.line) from None

    def _statement(  # noqa: C901 - a case for each kind of statement
        self, statement: Statement
    ) -> None:
        match statement:
            case Declaration(target, value):
                self._declare(target, value)
            case Evaluate(expression):
                self._evaluate(without_await(expression))
            case If(test, then, otherwise):
                self._require_reading(test)
                self.statements(then)
                self.statements(otherwise)
            case Try(body, handler, finalizer):
                for statements in (body, handler, finalizer):
                    self.statements(statements)
            case Return(None):
                pass
            case Return(value) if value is not None:
                if self._part_of(value) != ():
                    self._require_harmless(value)
                    if not self._depth:
                        raise NotUnderstoodError("does not return the plugin")
            case Throw(value):
                self._require_harmless(value)
            case Opaque(names):
                self._require_unrelated(names)
            case _:
                raise NotUnderstoodError(_UNKNOWN)

    def _declare(self, target: object, value: Expression) -> None:
        self.local_names |= set(_names_of(target))
        part = self._part_of(value)
        match target:
            case Name(name) if part is not None:
                self.values[name] = part
            case Name(name) if name in self.values:
                raise NotUnderstoodError(f"declares {name} again")
            case Name():
                self._require_harmless(value)
            case ObjectPattern(names) if isinstance(part, tuple):
                self.values |= {variable: (*part, key) for key, variable in names}
            case _:
                self._require_harmless(value)

    def _evaluate(self, expression: Expression) -> None:
        match expression:
            case Assign("=", target, value):
                self._assign(target, value)
            case Unary("delete", target):
                path = self._part_of(target)
                if not (isinstance(path, tuple) and path[:1] == ("controllers",)):
                    raise NotUnderstoodError("deletes a part of the plugin")
                self._change_controller(path[1], path[2:3])
            case Call(callee, arguments) if is_harmless_call(callee):
                for argument in arguments:
                    self._require_reading(argument)
            case Call(callee, arguments):
                self._call(callee, arguments)
            case _:
                self._require_harmless(expression)

    def _call(self, callee: Expression, arguments: Sequence[Expression]) -> None:
        method = callee.key if isinstance(callee, Member) else None
        receiver = self._part_of(callee.object) if isinstance(callee, Member) else None
        match receiver, method, arguments:
            case path, "push" | "unshift", _ if path == ROUTES_PATH:
                for argument in arguments:
                    self._add_routes(argument, is_first=method == "unshift")
                return
            case _SelectedRoutes(actions), _, _:
                self._changes.actions |= actions
                return
            case _, "assign", (target, *sources) if isinstance(
                callee, Member
            ) and callee.object == Name("Object"):
                path = self._part_of(target)
                if (
                    isinstance(path, tuple)
                    and len(path) == _FACTORY_DEPTH
                    and path[0] == "controllers"
                ):
                    for source in sources:
                        self._require_harmless_members(source)
                        self._change_controller(path[1], self._keys(self._module, source))
                    return
        inner = self._function(callee)
        parts = [self._part_of(argument) for argument in arguments]
        if inner is not None and any(_is_container(part) for part in parts):
            self._call_function(*inner, arguments, parts)
            return
        self._require_harmless(Call(callee, tuple(arguments)))

    def _function(self, callee: Expression) -> tuple[Module, Function] | None:
        if not isinstance(callee, Name) or callee.text in self.local_names | self.values.keys():
            return None
        function = self._module.function(callee.text)
        if function is None and callee.text in self._module.imports:
            try:
                module, value = self._module.imported(callee.text)
            except NotPlainError:
                return None
            return (module, value) if isinstance(value, Function) else None
        return function

    def _call_function(
        self,
        module: Module,
        function: Function,
        arguments: Sequence[Expression],
        parts: Sequence[_Part | None],
    ) -> None:
        """Read a function of the project that gets the plugin or a part of it."""
        if self._depth >= _MAX_DEPTH or not isinstance(function.body, tuple):
            raise NotUnderstoodError(_UNKNOWN)
        values: dict[str, _Part] = {}
        for index, (argument, part) in enumerate(zip(arguments, parts, strict=True)):
            if part is None:
                self._require_harmless(argument)
                continue
            parameter = function.parameters[index] if index < len(function.parameters) else None
            if not isinstance(parameter, Name):
                raise NotUnderstoodError(_UNKNOWN)
            values[parameter.text] = part
        inner = self._analysis_of(module, values, self._changes, self._depth + 1)
        try:
            inner.run(function.body)
        except UnknownChangeError as error:
            raise UnknownChangeError(f"calls a function that {error}", self.line) from None

    # Assignments

    def _assign(self, target: Expression, value: Expression) -> None:
        path = self._part_of(target)
        match path:
            case _SelectedRoutes(actions):
                self._changes.actions |= actions
                self._require_harmless(value)
            case _FactoryInstance():
                raise NotUnderstoodError(_UNKNOWN)
            case None:
                self._assign_other(target, value)
            case _ if isinstance(target, Name):
                if self._part_of(value) != path and not self._is_passed_through(path, value):
                    raise NotUnderstoodError("assigns to a variable with a part of the plugin")
            case _:
                self._change(path, value)

    def _is_passed_through(self, path: PluginPath, value: Expression) -> bool:
        """Read ``plugin = extend(plugin)``; the function is one of the project."""
        value = without_await(value)
        if path != () or not isinstance(value, Call):
            return False
        self._call(value.callee, value.arguments)
        return self._function(value.callee) is not None

    def _assign_other(self, target: Expression, value: Expression) -> None:
        """Read an assignment to something else than the plugin."""
        root = _root(target)
        if not isinstance(root, Name):
            raise NotUnderstoodError(_UNKNOWN)
        root_value = self.values.get(root.text)
        if isinstance(root_value, _SelectedRoutes):
            self._changes.actions |= root_value.actions
        elif root_value is not None or root.text in self._module.imports or root.text == "strapi":
            raise NotUnderstoodError(f"changes {root.text}")
        if not isinstance(self._part_of(value), tuple) or self._may_change(self._part_of(value)):
            self._require_harmless(value)

    def _change(  # noqa: C901, PLR0912 - a case for each part of a plugin
        self, path: PluginPath, value: Expression
    ) -> None:
        """Read an assignment to a part of the plugin."""
        match value:
            case Binary("||" | "??", left, right) if self._part_of(left) == path:
                self._require_harmless(right)
                return
            case _:
                pass
        match path:
            case ("controllers", controller):
                self._require_harmless_members(value)
                keys = self._replaced_keys(path, value)
                self._change_controller(controller, keys)
            case (kind, name, member) if kind in {"controllers", "services"} and (
                self._ignores_members_of_factories and _is_function(path[:2])
            ):
                self._require_harmless(value)
                self._changes.notes.add(f"sets {name}.{member}, which has no effect in Strapi")
            case ("controllers", controller, action):
                self._require_harmless(value)
                self._change_controller(controller, (action,))
            case ("services", service):
                self._require_harmless_members(value)
                self._change_service(service, self._replaced_keys(path, value))
            case ("services", service, method):
                self._require_harmless(value)
                self._change_service(service, (method,))
            case _ if path == ROUTES_PATH:
                self._replace_routes(value)
            case (name,) if name in _START_UP:
                self._require_harmless(value)
                self._changes.notes.add("has functions that do not run at the start")
            case ("contentTypes", _, "lifecycles", *_):
                self._require_harmless(value)
                self._changes.notes.add("has hooks that do not run")
            case ("contentTypes", _, "schema", name, *_) if name in _PLAIN_SETTINGS:
                self._require_harmless(value)
            case (kind, name) if kind in _OWN_CODE and name != "rateLimit":
                self._require_harmless(value)
            case _:
                raise NotUnderstoodError(f"changes {'.'.join(('plugin', *path))}")

    def _change_controller(self, controller: str, keys: Sequence[str] | None) -> None:
        actions = actions_of(controller)
        if keys is not None:
            actions &= {f"{controller}.{key}" for key in keys}
        self._changes.actions |= actions

    def _change_service(self, service: str, methods: Sequence[str] | None) -> None:
        by_method = SERVICE_ACTIONS.get(service, {})
        for method in by_method if methods is None else methods:
            self._changes.actions |= by_method.get(method, frozenset())

    # Controllers and services

    def _replaced_keys(self, path: PluginPath, value: Expression) -> Sequence[str] | None:
        """Return the members that differ in the new value of a controller or service.

        ``None`` stands for all of them.
        """
        value = self._followed(value)
        if isinstance(value, Function):
            return self._keys_of_factory(path, value)
        return self.changed_keys(path, value)

    def _keys_of_factory(self, path: PluginPath, factory: Function) -> Sequence[str] | None:
        """Return the members that differ in the object that a function returns."""
        if not isinstance(factory.body, tuple):
            return self.changed_keys(path, factory.body)
        inner = self._nested(_bound_names(factory))
        keys: list[str] = []
        for statement in factory.body:
            match statement:
                case Declaration(Name(name), value) if inner.is_instance(path, value):
                    inner.values[name] = _FactoryInstance(path)
                case Evaluate(Assign("=", Member(Name(name), str() as key), value)) if (
                    inner.values.get(name) == _FactoryInstance(path)
                ):
                    inner.require_unshared_instance(value)
                    keys.append(key)
                case Return(value) if value is not None:
                    if not inner.is_instance(path, value):
                        inner.require_unshared_instance(value)
                    other_keys = inner.changed_keys(path, value)
                    return None if other_keys is None else [*keys, *other_keys]
                case Declaration(_, value):
                    inner.require_unshared_instance(value)
                case _ if is_harmless(statement):
                    continue
                case _:
                    return None
        return None

    def require_unshared_instance(  # noqa: C901, PLR0912 - a case for each kind of expression
        self, value: object
    ) -> None:
        """Check that an expression passes the original object to nothing but its own methods."""
        match value:
            case Object(members):
                for member in members:
                    if not (
                        isinstance(member, Spread)
                        and isinstance(self._part_of(member.value), _FactoryInstance)
                    ):
                        self.require_unshared_instance(member.value)
            case Member(Name(), _):
                return
            case Call(Member(Member(Name(name), _), "bind" | "call"), (Name(), *arguments)) if (
                isinstance(self.values.get(name), _FactoryInstance)
            ):
                self.require_unshared_instance(tuple(arguments))
            case Name(name):
                if isinstance(self.values.get(name), _FactoryInstance):
                    raise NotUnderstoodError("hands on a part of the plugin")
            case Assign(_, target, _) if isinstance(_root(target), Name):
                self.require_unshared_instance(_root(target))
            case tuple():
                for item in value:
                    self.require_unshared_instance(item)
            case Struct():
                for name in value.__struct_fields__:
                    self.require_unshared_instance(getattr(value, name))
            case _:
                return

    def _analysis_of(
        self,
        module: Module,
        values: Mapping[str, _Part],
        changes: ExtensionChanges,
        depth: int,
    ) -> "_ExtensionAnalysis":
        return _ExtensionAnalysis(
            module,
            values,
            changes,
            depth,
            ignores_members_of_factories=self._ignores_members_of_factories,
        )

    def _nested(self, hidden_names: AbstractSet[str]) -> "_ExtensionAnalysis":
        """Return an analysis of the code in a function that binds some names itself."""
        values = {name: part for name, part in self.values.items() if name not in hidden_names}
        inner = self._analysis_of(self._module, values, self._changes, self._depth)
        inner.line = self.line
        inner.local_names = self.local_names | hidden_names
        return inner

    def _followed(self, value: Expression) -> Expression:
        """Return the value of a name of the module, and other expressions as they are."""
        is_local = isinstance(value, Name) and value.text in self.local_names | self.values.keys()
        return value if is_local else self._module.followed(value)

    def is_instance(self, path: PluginPath, value: Expression) -> bool:
        """Whether an expression is the original controller or service."""
        return self._part_of(value) in {path, _FactoryInstance(path)}

    def changed_keys(self, path: PluginPath, value: Expression) -> Sequence[str] | None:
        """Return the keys of an object other than those that it has from the original."""
        value = self._followed(value)
        if self.is_instance(path, value):
            return ()
        if not isinstance(value, Object):
            return None
        keys: list[str] = []
        has_original = False
        for member in value.members:
            if isinstance(member, Spread) and self.is_instance(path, member.value):
                has_original = True
                continue
            member_keys = self._keys(self._module, Object((member,)))
            if member_keys is None:
                return None
            keys += member_keys
        return keys if has_original else None

    def _keys(self, module: Module, value: Expression) -> Sequence[str] | None:
        """Return the keys of an object of the project, ``None`` if they are not known."""
        value = self._followed(value) if module is self._module else module.followed(value)
        if isinstance(value, Name) and module is self._module and value.text in self.local_names:
            return None
        if isinstance(value, Name) and value.text in module.imports:
            try:
                return self._keys(*module.imported(value.text))
            except (NotPlainError, RecursionError):
                return None
        if not isinstance(value, Object):
            return None
        keys: list[str] = []
        for member in value.members:
            if isinstance(member, Spread):
                inner_keys = self._keys(module, member.value)
                if inner_keys is None:
                    return None
                keys += inner_keys
            elif isinstance(member.key, str):
                keys.append(member.key)
            else:
                return None
        return keys

    # Routes

    def _add_routes(self, value: Expression, *, is_first: bool) -> None:
        """Read routes that are added after the others, or before them."""
        self._require_harmless(value.value if isinstance(value, Spread) else value)
        try:
            plain = self._module.value(
                value.value if isinstance(value, Spread) else value, partial=True
            )
        except NotPlainError:
            plain = None
        routes = plain if isinstance(value, Spread) and isinstance(plain, list) else [plain]
        for route in routes:
            method, path, handler = (_text(route, name) for name in ("method", "path", "handler"))
            if method and path and handler:
                self._changes.routes.append(EndUserRoute(method.upper(), path, handler))
            else:
                self._changes.notes.add("has routes of its own that are not served")
            if is_first:
                self._changes.actions |= covered_actions(method.upper(), path)

    def _replace_routes(self, value: Expression) -> None:
        """Read ``routes = [...routes, { … }]``."""
        match value:
            case Array(items) if Spread in map(type, items):
                is_first = any(
                    isinstance(item, Spread) and self._part_of(item.value) == ROUTES_PATH
                    for item in items
                )
                if not is_first:
                    raise NotUnderstoodError("replaces the routes of the plugin")
                for item in items:
                    if isinstance(item, Spread) and self._part_of(item.value) == ROUTES_PATH:
                        is_first = False
                    else:
                        self._add_routes(item, is_first=is_first)
            case Call(Member(inner, "concat"), arguments) if self._part_of(inner) == ROUTES_PATH:
                for argument in arguments:
                    self._add_routes(
                        argument if isinstance(argument, Object) else Spread(argument),
                        is_first=False,
                    )
            case _:
                raise NotUnderstoodError("replaces the routes of the plugin")

    # Values

    def _part_of(self, value: Expression) -> _Part | None:
        """Return the part of the plugin of an expression. Raises NotUnderstoodError."""
        match value:
            case Name(name):
                return self.values.get(name)
            case Unary("()" | "await", inner):
                return self._part_of(inner)
            case Binary("??" | "||", left, right):
                first, second = self._part_of(left), self._part_of(right)
                if isinstance(first, _SelectedRoutes) and isinstance(second, _SelectedRoutes):
                    return _SelectedRoutes(first.actions | second.actions)
                return None
            case Member(inner, key):
                return self._member_of(self._part_of(inner), key)
            case Call(Member(inner, "find"), (Function() as test,)) if (
                self._part_of(inner) == ROUTES_PATH
            ):
                return _SelectedRoutes(_selected_actions(test))
            case Call(callee, _):
                path = self._part_of(callee)
                if isinstance(path, tuple) and len(path) == _FACTORY_DEPTH and _is_function(path):
                    return _FactoryInstance(path)
                return None
            case _:
                return None

    def _member_of(self, value: _Part | None, key: str | Expression) -> _Part | None:
        if not isinstance(value, tuple):
            # Members of a route that is looked up belong to it; those of an instance are functions.
            return value if isinstance(value, _SelectedRoutes) else None
        if not isinstance(key, str):
            raise NotUnderstoodError("computes the name of a part of the plugin")
        return (*value, key)

    def _require_reading(self, value: Expression) -> None:
        """Check a condition, which may look at parts of the plugin."""
        match value:
            case Unary("!" | "typeof" | "()", inner):
                self._require_reading(inner)
            case Binary(_, left, right):
                self._require_reading(left)
                self._require_reading(right)
            case Call(Member(Name("Array"), "isArray"), (inner,)):
                self._require_reading(inner)
            case _ if self._part_of(value) is not None:
                pass
            case _:
                self._require_harmless(value)

    def _require_harmless_members(self, value: Expression) -> None:
        """Check the new value of a controller or service, which may contain the original."""
        match value:
            case Object(members):
                for member in members:
                    inner = member.value
                    if not (isinstance(member, Spread) and isinstance(self._part_of(inner), tuple)):
                        self._require_harmless(inner)
            case _:
                self._require_harmless(value)

    def _require_harmless(self, value: object) -> None:
        """Check that an expression does not change the plugin. Raises NotUnderstoodError."""
        match value:
            case Function(parameters, body):
                self._nested(_bound_names(value)).require_unchanged((parameters, body))
            case Assign() | Update() | Unary("delete" | "++" | "--", _):
                raise NotUnderstoodError(_UNKNOWN)
            case Name() | Member() if (part := self._part_of(value)) is not None:
                self._note_passed_part(part)
            case Call(callee, arguments) | OptionalCall(callee=callee, arguments=arguments):
                part = self._part_of(callee)
                if part is not None and _is_container(part):
                    raise NotUnderstoodError("calls a part of the plugin")
                self._require_harmless(arguments if part is not None else (callee, *arguments))
            case _:
                self._require_parts(value, self._require_harmless)

    def require_unchanged(self, value: object) -> None:
        """Check that code that runs later does not change the plugin."""
        match value:
            case Function(parameters, body):
                self._nested(_bound_names(value)).require_unchanged((parameters, body))
            case Unary("delete", target) if self._part_of(target) is not None:
                raise NotUnderstoodError("changes the plugin in a function")
            case Call(callee, arguments) if self._is_original(callee):
                self.require_unchanged(arguments)
            case Assign(_, target, assigned):
                root = _root(target)
                if isinstance(root, Name) and self.values.get(root.text) is not None:
                    raise NotUnderstoodError("changes the plugin in a function")
                self.require_unchanged((target, assigned))
            case Name() | Member() if (part := self._part_of(value)) is not None:
                self._note_passed_part(part)
            case _:
                self._require_parts(value, self.require_unchanged)

    def _require_parts(self, value: object, check: Callable[[object], None]) -> None:
        """Check the parts of a syntax tree; skipped code must not name the plugin."""
        if type(value) is Opaque:
            self._require_unrelated(value.names)
        elif isinstance(value, tuple):
            for item in value:
                check(item)
        elif isinstance(value, Struct):
            for name in value.__struct_fields__:
                check(getattr(value, name))

    def _note_passed_part(self, part: _Part) -> None:
        """Record that code gets a part of the plugin.

        Raises NotUnderstoodError if the code may change the plugin by it.
        """
        if isinstance(part, _SelectedRoutes):
            self._changes.actions |= part.actions
        elif self._may_change(part):
            raise NotUnderstoodError("hands on a part of the plugin")

    def _may_change(self, part: _Part | None) -> bool:
        """Whether code that has a part of the plugin can change the plugin by it."""
        match part:
            case ("controllers", controller) if controller in _FACTORIES:
                # It is an object in former versions.
                return not self._ignores_members_of_factories
            case _:
                return _is_container(part)

    def _is_original(self, value: Expression) -> bool:
        """Whether an expression is a function of the plugin."""
        part = self._part_of(value)
        return isinstance(part, tuple) and _is_function(part)

    def _require_unrelated(self, names: frozenset[str]) -> None:
        if names & self.values.keys():
            raise NotUnderstoodError(_UNKNOWN)


def _root(value: Expression) -> Expression:
    """Return what a chain of members begins with."""
    while isinstance(value, Member):
        value = value.object
    return value


def _bound_names(function: Function) -> frozenset[str]:
    """Return the names of the parameters and variables of a function."""
    statements = function.body if isinstance(function.body, tuple) else ()
    targets = [statement.target for statement in statements if isinstance(statement, Declaration)]
    return frozenset(
        name for target in (*function.parameters, *targets) for name in _names_of(target)
    )


def _names_of(pattern: object) -> Iterator[str]:
    match pattern:
        case Name(name):
            yield name
        case ObjectPattern(names):
            yield from (variable for _, variable in names)
        case _:
            return


def _is_container(value: _Part | None) -> bool:
    """Whether a part of the plugin can be changed by who has it."""
    if isinstance(value, tuple):
        return not _is_function(value)
    return value is not None


def _is_function(path: PluginPath) -> bool:
    """Whether a part of the plugin is a function, or a member of one."""
    match path:
        case ("controllers", controller, *others):
            return bool(others) or controller in _FACTORIES
        case ("services" | "policies" | "middlewares", _, *_):
            return True
        case _:
            return False


def _selected_actions(test: Function) -> frozenset[str]:
    """Return the actions of the routes that ``(route) => …`` may be true for."""
    match test:
        case Function((Name(route),), body) if not isinstance(body, tuple):
            selected = [
                known_route for known_route in END_USER_ROUTES if _may_be(body, route, known_route)
            ]
            return frozenset(known_route.action for known_route in selected)
        case _:
            raise NotUnderstoodError("looks up routes in a way that is not understood")


def _may_be(test: Expression, name: str, route: EndUserRoute) -> bool:
    """Whether a test of a route may be true: tests that are not known may."""
    match test:
        case Binary("&&", left, right):
            return _may_be(left, name, route) and _may_be(right, name, route)
        case Binary("||", left, right):
            return _may_be(left, name, route) or _may_be(right, name, route)
        case Binary("==" | "===", Member(Name(of), "method"), Literal(text)) if of == name:
            return route.method == text
        case Binary("==" | "===", Member(Name(of), "handler"), Literal(text)) if of == name:
            return route.action == text
        case Binary("==" | "===", Member(Name(of), "path"), Literal(str() as text)) if of == name:
            return text.strip("/") in {route.path, route.path.removeprefix(f"{END_USER_PLUGIN}/")}
        case _:
            return True


def _text(value: object, key: str) -> str:
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""
