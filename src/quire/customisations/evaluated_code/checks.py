"""Checks that code does nothing but what can be evaluated, before any request.

Every name has to be known, every method one that is evaluated, and only known members of the
request and the server may be used (`quire.customisations.evaluated_code.paths`). Called functions
of the project are checked, too. Everything else raises NotUnderstoodError.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from quire.customisations.end_user_routes import END_USER_PLUGIN
from quire.customisations.evaluated_code.globals import (
    KnownNames,
    Path,
    global_of,
    package_member,
    package_of,
    path_text,
    require_constant,
    require_global_member,
    require_known_locale,
    require_package_member,
)
from quire.customisations.evaluated_code.model import FindService, Script, ScriptKind, ServiceCode
from quire.customisations.evaluated_code.paths import (
    CONTROLLER_METHODS,
    CTX_METHODS,
    DATA,
    DOCUMENT_READS,
    DOCUMENT_WRITES,
    ENTITY_METHODS,
    LIVE,
    ROW_READS,
    ROW_WRITES,
    SERVER_STATE,
    SERVICE_READS,
    SET,
    TRANSACTION_METHODS,
)
from quire.customisations.served_routes import CORE_ACTIONS
from quire.customisations.statements import UNKNOWN_CODE, NotUnderstoodError
from quire.javascript.interpreter.builtins import GLOBAL_FUNCTIONS, GLOBAL_NAMES, STRAPI_ERRORS
from quire.javascript.interpreter.dates import CHANGING_DATE_METHODS
from quire.javascript.interpreter.methods import METHOD_NAMES
from quire.javascript.interpreter.packages import PACKAGES
from quire.javascript.scope import Module, NotPlainError
from quire.javascript.syntax import (
    ArrayPattern,
    Assign,
    Binary,
    Call,
    Declaration,
    Destructuring,
    Expression,
    ForOf,
    Function,
    Getter,
    If,
    Literal,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    OptionalCall,
    Pattern,
    Property,
    Regex,
    RestParameter,
    Return,
    Statement,
    Template,
    Try,
    Unary,
    Update,
    WithDefault,
)

_CLASSES = frozenset({"Date", "Set", "Map", "Error", "TypeError", *STRAPI_ERRORS})
_UTILITIES = "@strapi/utils"
_NO_VALUES = frozenset({"next", "method", "with strapi", "service", "engine", "token"})
_MUTATING_METHODS = CHANGING_DATE_METHODS | {
    *("push", "pop", "shift", "unshift", "splice", "sort", "reverse", "set", "add", "delete")
}
"""Methods that change their object."""
_SERVER_NAMES = frozenset({"strapi", "process", "this", "super"})
_MAX_PATH_LENGTH = {"service": 3, "engine": 4}
_JWT_SERVICES = (
    Call(
        Member(Call(Member(Name("strapi"), "plugin"), (Literal(END_USER_PLUGIN),)), "service"),
        (Literal("jwt"),),
    ),
    Member(Member(Member(Member(Name("strapi"), "plugins"), END_USER_PLUGIN), "services"), "jwt"),
)
"""Expressions for the service with the function that verifies a JWT."""
_ENGINES = {"documents": DOCUMENT_READS | DOCUMENT_WRITES, "query": ROW_READS | ROW_WRITES}


class ScriptProject(Struct, frozen=True):
    """The project of scripts: its services, by uid."""

    services: FindService
    note_call: Callable[[str, str], None]
    types: frozenset[str]
    """The types that may be read and written, by uid."""
    single_row_types: frozenset[str]
    """Types whose documents have one row each."""


def check_action(
    module: Module,
    expression: Expression,
    uid: str,
    name: str,
    project: ScriptProject,
    *,
    is_core: bool,
) -> Script:
    """Return an action of a controller as a script. Raises NotUnderstoodError."""
    checker = _Checker(project, is_core=is_core, of_service=False)
    checker.method(module, expression, name, (("ctx",), ("next",)))
    return Script(
        kind=ScriptKind.ACTION,
        module=module,
        factory=expression,
        name=name,
        uid=uid,
        is_core=is_core,
        services=project.services,
    )


def check_guard(
    module: Module,
    expression: Expression,
    kind: ScriptKind,
    project: ScriptProject,
    config: Mapping[str, object],
) -> Script:
    """Return a policy or a middleware as a script. Raises NotUnderstoodError."""
    checker = _Checker(project, is_core=False, of_service=False)
    function = module.followed(expression)
    if not isinstance(function, Function):
        raise NotUnderstoodError("does not export a function alone")
    if kind is ScriptKind.POLICY:
        checker.function(module, function, (("policy",), None, ("with strapi",)))
    elif kind is ScriptKind.HANDLER:
        checker.function(module, function, (("ctx",), ("next",)))
    else:
        checker.check_middleware_factory(module, function)
    return Script(
        kind=kind, module=module, factory=function, services=project.services, config=config
    )


class _Checker(Struct):
    project: ScriptProject
    is_core: bool
    of_service: bool
    this_object: tuple[Module, Expression] | None = None
    """The object whose methods ``this`` has."""
    checked_calls: set[tuple[int, tuple[Path | None, ...], str]] = field(default_factory=set)
    alive: list[object] = field(default_factory=list)
    """The checked nodes, which are kept so that no id is reused."""
    methods: set[str] = field(default_factory=set)
    """The names of functions in objects that code creates, which it may call later."""

    # Functions

    def method(
        self, module: Module, expression: Expression, name: str, kinds: Sequence[Path | None]
    ) -> None:
        """Check a method of an object, or of the object that a function returns."""
        self.this_object = module, expression
        names, object_literal = self._object(module, expression)
        value = _member(object_literal, name)
        if value is None:
            raise NotUnderstoodError(f"has no {name}")
        function = value if isinstance(value, Function) else module.followed(value)
        if not isinstance(function, Function):
            raise NotUnderstoodError(f"computes {name}")
        self._body(names, function, kinds)

    def _object(self, module: Module, expression: Expression) -> tuple[KnownNames, Object]:
        """Return the object of an expression, or that a function returns, with its known names."""
        expression = module.followed(expression)
        names = KnownNames(module)
        if isinstance(expression, Function):
            names = self._bind_parameters(names, expression, (("with strapi",),))
            body = expression.body
            if isinstance(body, tuple):
                *setup, last = body or (Opaque(),)
                self._statements(setup, names)
                if not isinstance(last, Return) or last.value is None:
                    raise NotUnderstoodError(UNKNOWN_CODE)
                body = last.value
            expression = module.followed(body)
        if not isinstance(expression, Object):
            raise NotUnderstoodError("has code of its own in place of the core")
        if not all(map(_is_plain_member, expression.members)):
            raise NotUnderstoodError("has actions that are computed")
        return names, expression

    def check_middleware_factory(self, module: Module, function: Function) -> None:
        """Check a function that returns a middleware."""
        names = self._bind_parameters(KnownNames(module), function, (None, ("with strapi",)))
        body = function.body
        if isinstance(body, tuple):
            *setup, last = body or (Opaque(),)
            self._statements(setup, names)
            if not isinstance(last, Return) or last.value is None:
                raise NotUnderstoodError("does not return a handler")
            body = last.value
        result = module.followed(body)
        if not isinstance(result, Function):
            raise NotUnderstoodError("does not return a function")
        self._body(names, result, (("ctx",), ("next",)))

    def function(self, module: Module, function: Function, kinds: Sequence[Path | None]) -> None:
        """Check a function of a module, once for the kinds of its arguments."""
        key = (id(function), tuple(kinds), f"{self.of_service}")
        if key in self.checked_calls:
            return
        self.checked_calls.add(key)
        self.alive.append(function)
        self._body(KnownNames(module), function, kinds)

    def _body(self, names: KnownNames, function: Function, kinds: Sequence[Path | None]) -> None:
        inner = self._bind_parameters(names, function, kinds)
        if isinstance(function.body, tuple):
            self._statements(function.body, inner)
        elif type(function.body) is Opaque:
            raise NotUnderstoodError(UNKNOWN_CODE)
        else:
            self.value(function.body, inner)

    def _bind_parameters(
        self, names: KnownNames, function: Function, kinds: Sequence[Path | None]
    ) -> KnownNames:
        inner = names.inner()
        for index, parameter in enumerate(function.parameters):
            kind = kinds[index] if index < len(kinds) else None
            self._bind(parameter, kind, inner)
        return inner

    # Patterns

    def _bind(  # noqa: C901 - a case for each kind of pattern
        self, target: Pattern, kind: Path | None, names: KnownNames
    ) -> None:
        match target:
            case Name(name):
                names.bind(name, kind)
            case ObjectPattern(members):
                for key, variable in members:
                    names.bind(variable, self._member_path(kind, key))
            case ArrayPattern(members) if kind not in LIVE:
                for variable in members:
                    names.bind(variable, None)
            case WithDefault():
                self.value(target.default, names)
                self._bind(target.target, kind, names)
            case RestParameter():
                self._bind(target.target, None, names)
            case Destructuring():
                for key, inner in target.members:
                    self._bind(inner, self._member_path(kind, key), names)
                if target.rest is not None:
                    self._require_plain(kind)
                    self._bind(target.rest, None, names)
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    def _member_path(self, kind: Path | None, key: str) -> Path | None:
        if kind is None:
            return None
        if kind == ("with strapi",):
            if key != "strapi":
                raise NotUnderstoodError(f"uses {key}")
            return ("strapi",)
        return self._path((*kind, key))

    # Statements

    def _statements(self, statements: Sequence[Statement], names: KnownNames) -> None:
        for statement in statements:
            if isinstance(statement, Declaration) and isinstance(statement.target, Name):
                value = statement.value
                kind = _function_path(names.keep(value)) if isinstance(value, Function) else None
                names.bind(statement.target.text, kind)
        for statement in statements:
            self._statement(statement, names)

    def _statement(self, statement: Statement, names: KnownNames) -> None:
        match statement:
            case Declaration(target, value):
                self._declaration(target, value, names)
            case Try(body, handler, finalizer, caught):
                self._statements(body, names.inner())
                inner = names.inner()
                if caught is not None:
                    self._bind(caught, None, inner)
                self._statements(handler, inner)
                self._statements(finalizer, names.inner())
            case ForOf():
                self.value(statement.items, names)
                inner = names.inner()
                self._bind(statement.target, None, inner)
                self._statements(statement.body, inner)
            case If(test, then, otherwise):
                self._test(test, names)
                self._statements(then, names.inner())
                self._statements(otherwise, names.inner())
            case _ if type(statement) is Opaque:
                raise NotUnderstoodError(UNKNOWN_CODE)
            case _:
                self._parts(statement, names.inner())

    def _test(self, value: Expression, names: KnownNames) -> None:
        """Check a condition: it may test whether there is a value that cannot be passed on."""
        match value:
            case Unary("!" | "()", inner):
                self._test(inner, names)
            case Binary("&&" | "||", left, right):
                self._test(left, names)
                self._test(right, names)
            case _:
                path = self._check_expression(value, names)
                if path is not None and path[0] == "service":
                    self._require_service(path[1])

    def _require_service(self, uid: str) -> ServiceCode:
        service = self.project.services(uid)
        if service is None:
            raise NotUnderstoodError(f"calls the service {uid}")
        return service

    def _declaration(self, target: Pattern, value: Expression, names: KnownNames) -> None:
        if type(value) is Opaque:
            if value.names:
                raise NotUnderstoodError(UNKNOWN_CODE)
            self._bind(target, None, names)
            return
        kind = self._path_of(value, names)
        if kind is None:
            kind = self._check_expression(value, names)
            if kind is not None and kind[0] not in {"service", "engine"}:
                self._require_plain(kind)
        if isinstance(target, Name) and isinstance(value, Function):
            return  # bound before, so that functions may call each other
        self._bind(target, kind, names)

    def _parts(self, part: object, names: KnownNames) -> None:
        """Check all parts of a statement or an expression."""
        for key in part.__struct_fields__ if isinstance(part, Struct) else ():
            value = getattr(part, key)
            if key == "names":
                continue
            self._check_children(value, names)

    def _check_children(self, value: object, names: KnownNames) -> None:
        if isinstance(value, tuple):
            if value and all(_is_statement(item) for item in value):
                self._statements(value, names.inner())
            else:
                for item in value:
                    self._check_children(item, names)
        elif isinstance(value, Property):
            if not isinstance(value.key, str):
                self.value(value.key, names)
            elif isinstance(value.value, Function) or _is_of_this(value.value):
                self.methods.add(value.key)
            self.value(value.value, names)
        elif _is_statement(value):
            self._statement(value, names)  # type: ignore[arg-type]
        elif isinstance(value, Struct):
            self.value(value, names)  # type: ignore[arg-type]

    # Expressions

    def value(self, value: Expression, names: KnownNames) -> None:
        """Check an expression with a plain value."""
        path = self._check_expression(value, names)
        if path is None or path[:2] != ("method", "this") or not self._has_own_method(path[2]):
            self._require_plain(path)

    def _has_own_method(self, name: str) -> bool:
        """Whether ``this`` has a function of a name; checks it, as it may be called later."""
        if self.this_object is None:
            return False
        module, expression = self.this_object
        _, object_literal = self._object(module, expression)
        if not isinstance(_member(object_literal, name), Function):
            return False
        self._check_this_call(name, (), KnownNames(module))
        return True

    def _require_plain(self, kind: Path | None) -> None:
        if kind is not None and (kind in LIVE or kind[0] in _NO_VALUES):
            raise NotUnderstoodError(f"hands on {path_text(kind)}")

    def _check_expression(  # noqa: C901, PLR0912 - a case for each kind of expression
        self, value: Expression, names: KnownNames
    ) -> Path | None:
        """Check an expression; return its path, if it has one."""
        match value:
            case Name(name):
                return self._check_name(name, names)
            case Member() | Unary("()", _):
                return self._path_of(value, names, check=True)
            case Call(callee, arguments, is_new):
                if is_new:
                    return self._check_new(callee, arguments, names)
                return self._call(callee, arguments, names)
            case OptionalCall():
                return self._call(value.callee, value.arguments, names)
            case Function():
                self._body(names, value, ())
            case Assign(_, target, assigned):
                self._assign(target, assigned, names)
            case Update():
                self._assign(value.target, Literal(1), names)
            case Unary("++" | "--", target):
                self._assign(target, Literal(1), names)
            case Template(parts):
                for part in parts:
                    if not isinstance(part, str):
                        self.value(part, names)
            case Literal() | Regex():
                pass
            case _ if type(value) in {Opaque, Getter}:
                raise NotUnderstoodError(UNKNOWN_CODE)
            case _:
                self._parts(value, names)
        return None

    def _check_name(self, name: str, names: KnownNames) -> Path | None:
        if name in {"this", "super"}:
            return (name,)
        if names.knows(name):
            return names.kind(name)
        module = names.module
        if name in module.bindings:
            self._check_binding(module, name)
            return None
        if name in module.imports:
            self._import(module, name)
            return None
        if name in {"strapi", "process"}:
            return (name,)
        if name not in GLOBAL_NAMES:
            raise NotUnderstoodError("uses a package" if name == "require" else f"uses {name}")
        return None

    def _check_binding(self, module: Module, name: str) -> None:
        """Check what a module binds a name to, once."""
        key = (id(module), (), name)
        if key in self.checked_calls:
            return
        self.checked_calls.add(key)
        self.alive.append(module)
        expression = module.bindings[name]
        if isinstance(expression, Function):
            self.function(module, expression, ())
        else:
            require_constant(expression, module)
            self.value(expression, KnownNames(module))

    def _import(self, module: Module, name: str) -> None:
        origin, imported_name = module.imports[name]
        if origin == _UTILITIES:
            if imported_name not in {"errors", "*", "default"}:
                raise NotUnderstoodError(f"uses {imported_name} of {origin}")
            return
        if origin in PACKAGES:
            require_package_member(origin, imported_name)
            return
        try:
            other, inner = module.imported(name)
        except NotPlainError:
            raise NotUnderstoodError(f"uses {name} of {origin}") from None
        self.value(inner, KnownNames(other))

    # Paths

    def _path_of(  # noqa: C901, PLR0912 - a case for each kind of expression
        self, value: Expression, names: KnownNames, *, check: bool = False
    ) -> Path | None:
        """Return the path of a chain of members of the request or the server."""
        match value:
            case Call() | Member() if value in _JWT_SERVICES:
                return ("token",)
            case Name(name) if names.knows(name) or name in _SERVER_NAMES:
                return self._check_name(name, names)
            case Unary("()" | "await", inner):
                return self._path_of(inner, names, check=check)
            case Member(inner, str() as key):
                constant = self._constant_object(inner, names)
                if constant is not None:
                    self._constant_member(*constant, key)
                    return None
                path = self._path_of(inner, names, check=check)
                if path is not None:
                    return self._path((*path, key))
                if check:
                    self._member(inner, key, names)
            case Member(inner, computed):
                path = self._path_of(inner, names, check=check)
                self._require_plain(path)
                if not isinstance(computed, str):
                    self.value(computed, names)
                if path is None and check:
                    self._member(inner, "", names)
            case Call(Name("require"), (Literal(origin),)) if origin == _UTILITIES:
                return ("utilities",)
            case _:
                if check:
                    self.value(value, names)
        return None

    def _member(self, inner: Expression, key: str, names: KnownNames) -> None:
        """Check a member of a value that is no part of the request."""
        package = package_of(inner, names)
        if package is not None:
            require_package_member(package, key)
            return
        global_name = global_of(inner, names)
        if global_name is not None:
            require_global_member(global_name, key)
            return
        match inner:
            case Name(name) if not names.knows(name) and name in names.module.imports:
                origin, imported_name = names.module.imports[name]
                is_errors = imported_name == "errors" and key in STRAPI_ERRORS
                if origin == _UTILITIES and not is_errors and key != "errors":
                    raise NotUnderstoodError(f"uses {key} of {origin}")
                self._import(names.module, name)
            case Name() | Member():
                pass
            case _:
                return

    def _path(self, path: Path) -> Path | None:
        """Return the path of a known part, ``None`` for plain values. Raises for others."""
        if path in LIVE:
            return path
        head = path[:-1]
        if head in LIVE:
            return self._check_live_member(head, path)
        if path == ("token", "verify"):
            return path
        if head == ("utilities",) and path[-1] == "errors":
            return path
        if head == ("utilities", "errors") and path[-1] in STRAPI_ERRORS:
            return None
        if (
            head[0] in {"service", "engine"}
            and len(path) == len(head) + 1 <= _MAX_PATH_LENGTH[head[0]]
        ):
            return path
        if head[0] in {"method", "function", "next", "service", "engine", "utilities", "token"}:
            raise NotUnderstoodError(f"uses {path_text(path)}")
        return None

    def _check_live_member(self, head: Path, path: Path) -> Path | None:
        name = path[-1]
        if path in DATA:
            return None
        if head[-1] == "state" and head[0] in {"ctx", "policy"}:
            if name in SERVER_STATE:
                raise NotUnderstoodError(f"uses {path_text(path)}")
            return None
        is_method = (
            (head in {("ctx",), ("policy",)} and name in CTX_METHODS)
            or head == ("strapi", "log")
            or (head == ("strapi",) and name in {"documents", "query", "service"})
            or path in {("strapi", "db", "query"), ("strapi", "db", "transaction")}
            or (head == ("transaction",) and name in TRANSACTION_METHODS)
            or (head == ("strapi", "entityService") and name in ENTITY_METHODS)
            or head in {("this",), ("super",)}
        )
        if not is_method:
            raise NotUnderstoodError(f"uses {path_text(path)}")
        return ("method", *path)

    # Calls

    def _check_new(
        self, callee: Expression, arguments: Sequence[Expression], names: KnownNames
    ) -> Path | None:
        name = callee.key if isinstance(callee, Member) else getattr(callee, "text", "")
        if name not in _CLASSES:
            raise NotUnderstoodError(f"makes a {name}")
        self.value(callee, names)
        self._values(arguments, names)
        return None

    def _values(self, values: Sequence[Expression], names: KnownNames) -> None:
        for value in values:
            self.value(value, names)

    def _call(
        self, callee: Expression, arguments: Sequence[Expression], names: KnownNames
    ) -> Path | None:
        if callee == Name("require") and arguments == (Literal(_UTILITIES),):
            return ("utilities",)
        if self._engine_call(callee, arguments, names):
            return None
        path = self._path_of(callee, names)
        if path is not None:
            return self._path_call(path, arguments, names)
        if isinstance(callee, Name):
            self._check_function_call(callee.text, arguments, names)
            return None
        if isinstance(callee, Member) and isinstance(callee.key, str):
            self._method_call(callee.object, callee.key, arguments, names)
            return None
        raise NotUnderstoodError("calls something that is computed")

    def _engine_call(
        self, callee: Expression, arguments: Sequence[Expression], names: KnownNames
    ) -> bool:
        """Check a call of ``strapi.documents(uid).findOne(…)`` and the like."""
        if not (isinstance(callee, Member) and isinstance(callee.object, Call)):
            return False
        inner = callee.object
        path = self._path_of(inner.callee, names)
        key = callee.key
        if path is None or path[:2] != ("method", "strapi") or not isinstance(key, str):
            return False
        result = self._create_engine(path[-1], inner.arguments, names)
        self._path_call((*result, key), arguments, names)
        return True

    def _create_engine(self, engine: str, uids: Sequence[Expression], names: KnownNames) -> Path:
        """Check ``strapi.service(uid)``, ``strapi.documents(uid)`` or ``strapi.query(uid)``."""
        self._values(uids, names)
        try:
            uid = names.module.value(uids[0]) if len(uids) == 1 else None
        except NotPlainError:
            uid = None
        if engine == "service":
            if not isinstance(uid, str):
                raise NotUnderstoodError("calls a service that is computed")
            return ("service", uid)
        if uid is not None:
            self._require_type(uid)
        return ("engine", engine, uid if isinstance(uid, str) else "")

    def _require_type(self, uid: object, *, writes: bool = False) -> None:
        """Check that a type is one of the project, and that users are not written."""
        if uid not in self.project.types or (writes and not str(uid).startswith("api::")):
            raise NotUnderstoodError(f"{'writes' if writes else 'reads'} {uid}")

    def _entity_call(self, name: str, arguments: Sequence[Expression], names: KnownNames) -> None:
        """Check a call of the entity service."""
        self._values(arguments, names)
        try:
            uid = names.module.value(arguments[0]) if arguments else None
        except NotPlainError:
            return
        self._require_type(uid, writes=name in DOCUMENT_WRITES)

    def _call_service(
        self, uid: str, key: str, arguments: Sequence[Expression], names: KnownNames
    ) -> None:
        kinds = [self._argument(argument, names) for argument in arguments]
        service = self._require_service(uid)
        checker = self._object_checker(is_core=service.is_core)
        call_key = (id(service.factory), tuple(kinds), key)
        if call_key in self.checked_calls:
            return
        self.checked_calls.add(call_key)
        self.alive.append(service)
        _, object_literal = checker._object(service.module, service.factory)  # noqa: SLF001 - of the same class
        if _member(object_literal, key) is None and service.is_core and key in SERVICE_READS:
            return
        checker.method(service.module, service.factory, key, kinds)
        self.project.note_call(uid, key)

    def _object_checker(self, *, is_core: bool) -> "_Checker":
        """Return the check of the methods of another object, a service or a constant."""
        return _Checker(
            self.project,
            is_core=is_core,
            of_service=True,
            checked_calls=self.checked_calls,
            alive=self.alive,
            methods=self.methods,
        )

    def _constant_object(
        self, expression: Expression, names: KnownNames
    ) -> tuple[Module, Object] | None:
        """Return the object of a name of a module, here or where it is imported from."""
        if not isinstance(expression, Name) or names.knows(expression.text):
            return None
        module, value = names.module, names.module.followed(expression)
        if expression.text in module.imports:
            try:
                module, value = module.imported(expression.text)
            except NotPlainError:
                return None
            value = module.followed(value)
        return (module, value) if isinstance(value, Object) else None

    def _constant_method(
        self, module: Module, node: Object, key: str, kinds: Sequence[Path | None]
    ) -> None:
        """Check a method of an object of a module."""
        mark = (id(node), tuple(kinds), key)
        if mark in self.checked_calls:
            return
        self.checked_calls.add(mark)
        self.alive.append(node)
        self._object_checker(is_core=False).method(module, node, key, kinds)
        self._constant_values(module, node)

    def _constant_member(self, module: Module, node: Object, key: str) -> None:
        """Check a member of an object of a module, which may be a function that is called later."""
        if isinstance(_member(node, key), Function):
            self._constant_method(module, node, key, ())
        else:
            self._constant_values(module, node)

    def _constant_values(self, module: Module, node: Object) -> None:
        """Check the values of an object of a module other than functions."""
        mark = (id(node), (), "values of the object")
        if mark in self.checked_calls:
            return
        self.checked_calls.add(mark)
        self.alive.append(node)
        names = KnownNames(module)
        for member in node.members:
            if isinstance(member, Property) and not isinstance(member.key, str):
                self.value(member.key, names)
            if not isinstance(member.value, Function):
                require_constant(member.value, module)
                self.value(member.value, names)

    def _argument(self, value: Expression, names: KnownNames) -> Path | None:
        """Check an argument of a function of the project; the request may be passed on."""
        path = self._path_of(value, names)
        if path in {("ctx",), ("strapi",)}:
            return path
        self.value(value, names)
        return None

    def _path_call(  # noqa: C901, PLR0912 - a case for each kind of function of the server
        self, path: Path, arguments: Sequence[Expression], names: KnownNames
    ) -> Path | None:
        match path:
            case ("next",):
                self._values(arguments, names)
            case ("function", _):
                kinds = [self._argument(argument, names) for argument in arguments]
                mark = (id(names.function(int(path[1]))), tuple(kinds), "local")
                if any(kinds) and mark not in self.checked_calls:
                    self.checked_calls.add(mark)
                    self._body(names, names.function(int(path[1])), kinds)
            case ("method", "this", name):
                self._check_this_call(name, arguments, names)
            case ("method", "super", name) if self.is_core and name in CORE_ACTIONS:
                if self.of_service:
                    if name not in SERVICE_READS:
                        raise NotUnderstoodError(f"calls {name} of the core's service")
                    self._values(arguments, names)
                else:
                    self._require_only_ctx(arguments, names)
            case ("method", "ctx", _) | ("method", "strapi", "log", _):
                self._values(arguments, names)
            case ("method", "strapi", "entityService", name):
                self._entity_call(name, arguments, names)
            case ("method", "strapi", "service" | "documents" | "query") | (
                "method",
                "strapi",
                "db",
                "query",
            ):
                return self._create_engine(path[-1], arguments, names)
            case ("service", uid, name):
                self._call_service(uid, name, arguments, names)
            case ("engine", engine, uid, name):
                self._engine_method(engine, uid, name)
                self._values(arguments, names)
            case ("method", "strapi", "db", "transaction"):
                self._transaction(arguments, names)
            case ("method", "transaction", _):
                self._values(arguments, names)
            case ("token", "verify"):
                self._values(arguments, names)
            case ("method", "policy", name) if name in CTX_METHODS:
                self._values(arguments, names)
            case _:
                raise NotUnderstoodError(f"calls {path_text(path)}")
        return None

    def _engine_method(self, engine: str, uid: str, name: str) -> None:
        """Check the method of ``strapi.documents(uid)`` or ``strapi.db.query(uid)``."""
        if name not in _ENGINES[engine]:
            raise NotUnderstoodError(f"uses {engine}(…).{name}")
        if engine == "query" and name in ROW_WRITES:
            if uid not in self.project.single_row_types:
                raise NotUnderstoodError(f"uses query(…).{name} on a type with several rows")
        elif uid and name in DOCUMENT_WRITES:
            self._require_type(uid, writes=True)

    def _transaction(self, arguments: Sequence[Expression], names: KnownNames) -> None:
        """Check ``strapi.db.transaction(async ({ commit }) => …)``."""
        match arguments:
            case (Function() as function,):
                self._body(names, function, (("transaction",),))
            case _:
                raise NotUnderstoodError("uses a transaction that no function ends")

    def _require_only_ctx(self, arguments: Sequence[Expression], names: KnownNames) -> None:
        if not arguments or self._path_of(arguments[0], names) != ("ctx",):
            raise NotUnderstoodError("calls the core with another request")

    def _check_this_call(
        self, name: str, arguments: Sequence[Expression], names: KnownNames
    ) -> None:
        if self.this_object is not None:
            module, expression = self.this_object
            _, object_literal = self._object(module, expression)
            if _member(object_literal, name) is not None:
                kinds = tuple(self._argument(argument, names) for argument in arguments)
                key = (id(expression), kinds, f"this {name}")
                if key not in self.checked_calls:
                    self.checked_calls.add(key)
                    self.method(module, expression, name, kinds)
                return
        if self.is_core and not self.of_service and name in CONTROLLER_METHODS:
            for argument in arguments:
                if self._path_of(argument, names) != ("ctx",):
                    self.value(argument, names)
            return
        if self.is_core and self.of_service and name in SERVICE_READS:
            self._values(arguments, names)
            return
        raise NotUnderstoodError(f"calls this.{name}")

    def _check_function_call(
        self, name: str, arguments: Sequence[Expression], names: KnownNames
    ) -> None:
        """Check a call of a function by its name."""
        if names.knows(name):
            raise NotUnderstoodError(f"calls {name}")
        result = names.module.function(name)
        if result is None:
            origin, imported_name = names.module.imports.get(name, ("", ""))
            value = names.module.followed(Name(name))
            if origin in PACKAGES:
                require_package_member(origin, imported_name)
            elif package_member(value, KnownNames(names.module)):
                pass
            elif global_of(Name(name), names) not in GLOBAL_FUNCTIONS:
                raise NotUnderstoodError(f"calls {name}")
            self._values(arguments, names)
            return
        module, function = result
        kinds = [self._argument(argument, names) for argument in arguments]
        self.function(module, function, kinds)

    def _method_call(
        self,
        callee_object: Expression,
        key: str,
        arguments: Sequence[Expression],
        names: KnownNames,
    ) -> None:
        """Check a call of a method of a value."""
        package, global_name = package_of(callee_object, names), global_of(callee_object, names)
        if package is not None or global_name is not None:
            if package is not None:
                require_package_member(package, key)
            elif global_name is not None:
                require_global_member(global_name, key)
            self._values(arguments, names)
            return
        constant = self._constant_object(callee_object, names)
        if constant is not None and _member(constant[1], key) is not None:
            kinds = [self._argument(argument, names) for argument in arguments]
            self._constant_method(*constant, key, kinds)
            return
        if key not in METHOD_NAMES and key not in self.methods:
            raise NotUnderstoodError(f"calls {key}")
        require_known_locale(key, arguments, names.module)
        if key in _MUTATING_METHODS:
            self._require_own_value(callee_object, names)
        self.value(callee_object, names)
        self._values(arguments, names)

    def _require_own_value(self, value: Expression, names: KnownNames) -> None:
        """Check that code does not change a constant of a module, which requests would share."""
        while isinstance(value, Member):
            value = value.object
        if not isinstance(value, Name) or value.text in {"this", "super"}:
            return
        if not names.knows(value.text):
            raise NotUnderstoodError("changes what requests share")

    # Assignments

    def _assign(self, target: Expression, value: Expression, names: KnownNames) -> None:
        self.value(value, names)
        match target:
            case Name(name):
                if not names.knows(name):
                    raise NotUnderstoodError("assigns to what requests share")
                if names.kind(name) is not None:
                    raise NotUnderstoodError(f"assigns to {name}")
            case Member(inner, str() as key):
                path = self._path_of(inner, names)
                if path is None:
                    self._require_own_value(inner, names)
                    self.value(inner, names)
                    return
                assigned_path = (*path, key)
                is_state = path[-1] == "state" and key not in {*SERVER_STATE, "auth"}
                if assigned_path not in SET and not is_state:
                    raise NotUnderstoodError(f"sets {path_text(assigned_path)}")
            case Member(inner, _):
                self._require_own_value(inner, names)
                self.value(target, names)
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)


def _function_path(index: int) -> Path:
    return ("function", str(index))


def _is_of_this(value: Expression) -> bool:
    return isinstance(value, Member) and value.object == Name("this")


def _is_plain_member(member: object) -> bool:
    is_named = isinstance(member, Property) and isinstance(member.key, str)
    return is_named and not isinstance(getattr(member, "value", None), Getter)


def _member(node: Object, name: str) -> Expression | None:
    for member in node.members:
        if isinstance(member, Property) and member.key == name:
            return member.value
    return None


def _is_statement(value: object) -> bool:
    return isinstance(value, Statement) and not isinstance(
        value, Regex | OptionalCall | Update | Getter
    )
