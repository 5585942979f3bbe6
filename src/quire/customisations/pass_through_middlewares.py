"""Recognises global middlewares that pass every request on, so that they guard no content.

Such a middleware calls ``next`` once in each branch, before which nothing can fail. Besides it only
sets headers, logs, measures time, handles errors, and responds to ``OPTIONS``. It is followed for
the requests to one path, for which its conditions on the path may be known.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum

from msgspec import Struct, field
from msgspec.structs import replace

from quire.customisations.statements import (
    NotUnderstoodError,
    is_harmless,
    statements_of,
    without_await,
)
from quire.javascript.scope import Module, is_harmless_call
from quire.javascript.syntax import (
    Array,
    ArrayPattern,
    Binary,
    Call,
    Conditional,
    Declaration,
    Evaluate,
    Expression,
    Function,
    If,
    Literal,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    Property,
    Regex,
    Return,
    Statement,
    Template,
    Try,
    Unary,
)

_TEXTS = frozenset({"method", "url", "path", "originalUrl", "host", "hostname", "protocol"})
"""Members of the request that are texts."""
_TEXT_PATHS = frozenset((*owner, name) for owner in ((), ("request",)) for name in _TEXTS)
"""The same, as members of the context."""
_VALUES = _TEXTS | {
    *("status", "ip", "origin", "href", "querystring", "search", "secure", "type", "length"),
    *("message", "body", "query", "header", "headers", "state", "params", "req", "res"),
}
"""Members of the context, the request and the response that can be read without failing."""
_OWNERS = frozenset[tuple[str, ...]]({(), ("request",), ("response",)})
"""The context, the request and the response, as members of the context."""
_HEADERS = frozenset((*owner, name) for owner in _OWNERS for name in ("header", "headers"))
_OBJECTS = _HEADERS | {("query",), ("request", "query"), ("state",)}
"""Members of the context that are always objects."""
_CLOCKS = frozenset(
    {
        *("Date.now", "performance.now", "process.hrtime", "process.hrtime.bigint"),
        *("process.uptime", "crypto.randomUUID"),
    }
)
_CONVERSIONS = frozenset({"Number", "String", "Boolean", "parseInt", "parseFloat", "isNaN"})
_TEXT_METHODS = frozenset(
    {
        *("startsWith", "endsWith", "includes", "indexOf", "toLowerCase", "toUpperCase"),
        *("trim", "slice", "substring", "replace"),
    }
)
_LIST_METHODS = frozenset({"includes", "indexOf", "some", "every", "find"})
_NUMBER_METHODS = frozenset({"toFixed", "toString", "toISOString", "getTime"})
_PATHS = frozenset((*owner, name) for owner in ((), ("request",)) for name in ("path", "url"))
_HEADER_METHODS = frozenset({"set", "append", "remove", "vary"})
_FAILING_OPERATORS = frozenset({"in", "instanceof"})


class _NextCall(Enum):
    """What a handler has done with ``next``."""

    PENDING = "pending"
    AWAITED = "awaited"
    RETURNED = "returned"
    """The handler has ended."""


def require_pass_through(module: Module, path: str) -> frozenset[str]:
    """Return the headers that a middleware sets for requests to a path and to those below it.

    Raises NotUnderstoodError if it may refuse such a request.
    """
    exported = module.exported
    if not module.is_known or not isinstance(exported, Function):
        raise NotUnderstoodError("does not export a function alone")
    *setup, last = statements_of(exported) or (Return(None),)
    if not all(isinstance(statement, Declaration) or is_harmless(statement) for statement in setup):
        raise NotUnderstoodError("does something before it returns the handler")
    scope = module.inner(setup)
    if not isinstance(last, Return) or last.value is None:
        raise NotUnderstoodError("does not return a function of ctx and next")
    setup_names = {
        statement.target.text
        for statement in setup
        if isinstance(statement, Declaration) and isinstance(statement.target, Name)
    }
    options = {name.text for name in exported.parameters[:1] if isinstance(name, Name)}
    return require_pass_through_handler(scope, last.value, path, setup_names, frozenset(options))


def require_pass_through_handler(
    module: Module,
    value: Expression,
    path: str,
    known_names: AbstractSet[str] = frozenset(),
    object_names: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Do what `require_pass_through` does, for ``(ctx, next) => …``.

    ``known_names`` can be read without failing, and so can members of ``object_names``.
    """
    match module.followed(value):
        case Function((Name(ctx), Name(next_name))) as handler:
            analysis = _HandlerAnalysis(
                module,
                ctx,
                next_name,
                path,
                known_names=set(known_names),
                object_names=object_names,
            )
            if analysis.run(statements_of(handler), _NextCall.PENDING) is _NextCall.PENDING:
                raise NotUnderstoodError("does not pass all requests on")
            return frozenset(analysis.headers)
        case _:
            raise NotUnderstoodError("does not return a function of ctx and next")


class _HandlerAnalysis(Struct):
    """Analysis of ``(ctx, next) => …``."""

    module: Module
    ctx: str
    """The name of the context."""
    next_name: str
    """The name of the next handler."""
    path: str
    """The path of the requests, or the folder that they are in."""
    path_names: set[str] = field(default_factory=set)
    """Names of the path of the request."""
    texts_by_name: dict[str, str] = field(default_factory=dict)
    """Names of items of constant lists."""
    known_names: set[str] = field(default_factory=set)
    number_names: set[str] = field(default_factory=set)
    text_names: set[str] = field(default_factory=set)
    existing_paths: frozenset[tuple[str, ...]] = frozenset()
    """Members of the context that are known to have a value."""
    object_names: frozenset[str] = frozenset()
    """Names of the options, which are always an object."""
    headers: set[str] = field(default_factory=set)

    def run(self, statements: Sequence[Statement], state: _NextCall) -> _NextCall:
        """Return the state after statements. Raises NotUnderstoodError."""
        for statement in statements:
            if state is _NextCall.RETURNED:
                break
            state = self._statement(statement, state)
        return state

    def _statement(  # noqa: C901 - a case for each kind of statement
        self, statement: Statement, state: _NextCall
    ) -> _NextCall:
        match statement:
            case Evaluate(Unary("await", value)) if self._calls_next(value):
                return self._pass_on(state, _NextCall.AWAITED)
            case Return(value) if value is not None and self._calls_next(without_await(value)):
                return self._pass_on(state, _NextCall.RETURNED)
            case Return(value) if state is _NextCall.AWAITED:
                if value is not None:
                    self._require_safe(value)
                return _NextCall.RETURNED
            case Declaration(target, value):
                self._declare(target, value)
            case Evaluate(Call(callee, arguments)):
                self._call(callee, arguments)
            case If(test, then, otherwise):
                self._require_safe(test)
                known = self._known(test)
                if known is not None:
                    return self.run(then if known else otherwise, state)
                return _joined(self.run(then, state), self.run(otherwise, state))
            case Try(body, handler, finalizer):
                if self._mentions_next((handler, finalizer)):
                    raise NotUnderstoodError("passes requests on after an error")
                state = self.run(body, state)
                self.run(finalizer, _NextCall.AWAITED)
            case _:
                raise NotUnderstoodError("holds code that may refuse a request")
        return state

    def _pass_on(self, state: _NextCall, next_state: _NextCall) -> _NextCall:
        if state is not _NextCall.PENDING:
            raise NotUnderstoodError("passes requests on twice")
        return next_state

    def _calls_next(self, value: Expression) -> bool:
        return value == Call(Name(self.next_name), ())

    def _mentions_next(self, part: object) -> bool:
        match part:
            case Name(name):
                return name == self.next_name
            case tuple():
                return any(map(self._mentions_next, part))
            case Struct():
                return any(
                    self._mentions_next(getattr(part, name)) for name in part.__struct_fields__
                ) or self.next_name in getattr(part, "names", ())
            case _:
                return False

    def _known(self, test: object) -> bool | None:  # noqa: C901 - a case for each condition
        """Whether a condition holds for each request to the path, ``None`` if for some.

        Requests with the method ``OPTIONS`` need no guard.
        """
        match test:
            case Unary("()", inner):
                return self._known(inner)
            case Unary("!", inner):
                known = self._known(inner)
                return None if known is None else not known
            case Binary("&&" | "||" as operator, left, right):
                sides = {self._known(left), self._known(right)}
                decisive = operator == "||"
                if decisive in sides:
                    return decisive
                return None if None in sides else not decisive
            case Binary("===" | "==", left, Literal("OPTIONS")):
                is_method = self._member(left) in {("method",), ("request", "method")}
                return False if is_method else None
            case Binary("===" | "==", left, right) if self._is_path(left):
                return self._known_equality(right)
            case Binary("!==" | "!=", left, right):
                return self._known(Unary("!", Binary("===", left, right)))
            case Call(Member(left, "startsWith"), (start,)) if self._is_path(left):
                return self._known_start(start)
            case Call(Member(items, "includes"), (value,)) if self._is_path(value):
                return _any_known(map(self._known_equality, self._items(items)))
            case Call(Member(items, "some"), (Function((Name(name),), body),)):
                return _any_known(
                    self._known_for_item(body, name, item) for item in self._items(items)
                )
            case _:
                return None

    def _known_equality(self, value: object) -> bool | None:
        """Whether the path is equal to a text: never or maybe."""
        text = self._constant_text(value)
        return None if text is None or self._may_begin_with(text) else False

    def _known_start(self, value: object) -> bool | None:
        """Whether the path begins with a text."""
        text = self._constant_text(value)
        if text is None:
            return None
        if self.path.startswith(text):
            return True
        return None if self._may_begin_with(text) else False

    def _may_begin_with(self, text: str) -> bool:
        """Whether the path may begin with a text that is not shorter than its folder."""
        end = len(self.path)
        return text.startswith(self.path) and text[end : end + 1] in {"", "/", "?"}

    def _known_for_item(self, test: object, name: str, item: Expression) -> bool | None:
        """Whether a condition holds if a name stands for an item of a list."""
        text = self._constant_text(item)
        if text is None:
            return None
        branch = replace(self, texts_by_name={**self.texts_by_name, name: text})
        return branch._known(test)  # noqa: SLF001 - of the same class

    def _items(self, value: Expression) -> Sequence[Expression]:
        """Return the items of a constant list, or an unknown item."""
        constant = self._constant(value)
        return constant.items if isinstance(constant, Array) else (Opaque(),)

    def _constant(self, value: Expression) -> Expression:
        """Return the value of a name that is declared once, or the expression itself."""
        is_ambiguous = isinstance(value, Name) and value.text in self.module.ambiguous_names
        return value if is_ambiguous else self.module.followed(value)

    def _constant_text(self, value: object) -> str | None:
        match value:
            case Literal(str() as text):
                return text
            case Name(name) if name in self.texts_by_name:
                return self.texts_by_name[name]
            case Name():
                constant = self._constant(value)
                return None if isinstance(constant, Name) else self._constant_text(constant)
            case _:
                return None

    def _is_path(self, value: Expression) -> bool:
        """Whether an expression is the path of the request, maybe with a query."""
        match value:
            case Name(name):
                return name in self.path_names and name not in self.texts_by_name
            case Unary("()", inner) | Binary("||" | "??", inner, Literal("")):
                return self._is_path(inner)
            case Call(Member(inner, "toLowerCase"), ()):
                return self._is_path(inner) and self.path == self.path.lower()
            case _:
                return self._member(value) in _PATHS

    def _declare(self, target: object, value: Expression) -> None:
        match target:
            case Name(name):
                self._require_safe(value)
                self.known_names.add(name)
                self.path_names.discard(name)
                if self._is_path(value):
                    self.path_names.add(name)
                if self._is_number(value):
                    self.number_names.add(name)
                if self._is_text(value):
                    self.text_names.add(name)
            case ObjectPattern(names) if self._member(value) in _OWNERS:
                for key, variable in names:
                    member = Member(value, key)
                    self._require_safe(member)
                    self.known_names.add(variable)
                    if self._is_path(member):
                        self.path_names.add(variable)
                    if self._is_text(member):
                        self.text_names.add(variable)
            case ArrayPattern(names) if _dotted(value) == "process.hrtime":
                self._require_safe(value)
                self.known_names |= set(names)
            case _:
                raise NotUnderstoodError("holds code that may refuse a request")

    def _call(self, callee: Expression, arguments: Sequence[Expression]) -> None:
        match callee:
            case Member(of, str() as method) if method in _HEADER_METHODS and self._member(of) in {
                (),
                ("response",),
            }:
                self._header(arguments)
            case _ if _is_log_call(callee):
                pass
            case _:
                raise NotUnderstoodError("holds code that may refuse a request")
        for argument in arguments:
            self._require_safe(argument)

    def _header(self, arguments: Sequence[Expression]) -> None:
        match arguments:
            case (Literal(str() as name), *_):
                self.headers.add(name)
            case (Object(members),):
                self.headers |= {
                    member.key
                    for member in members
                    if isinstance(member, Property) and isinstance(member.key, str)
                }
            case _:
                pass

    # Expressions that neither fail nor change anything

    def _member(self, value: Expression) -> tuple[str, ...] | None:
        """Return the members of the context that lead to a value, ``None`` for other values."""
        match value:
            case Name(name):
                return () if name == self.ctx else None
            case Member(inner, str() as key):
                path = self._member(inner)
                return None if path is None else (*path, key)
            case _:
                return None

    def _require_safe(  # noqa: C901, PLR0912 - a case for each kind of expression
        self, value: object
    ) -> None:
        match value:
            case Literal() | Regex():
                return
            case Name(name) if name in self.known_names or name == "undefined":
                return
            case Name(name) if name in self.module.bindings or name in self.module.imports:
                return
            case Template(parts):
                inner_values: Sequence[object] = [
                    part for part in parts if not isinstance(part, str)
                ]
            case Array(items):
                inner_values = items
            case Object(members):
                inner_values = [member.value for member in members]
                if not all(isinstance(member, Property) for member in members):
                    raise NotUnderstoodError("holds code that may refuse a request")
            case Unary("!" | "-" | "+" | "typeof" | "()", inner):
                inner_values = (inner,)
            case Binary("&&", left, right):
                self._require_safe(left)
                if self._known(left) is not False:
                    self._require_safe_after(left, right)
                return
            case Binary(operator, left, right) if operator not in _FAILING_OPERATORS:
                inner_values = (left, right)
            case Conditional(test, then, otherwise):
                inner_values = (test, then, otherwise)
            case Member():
                inner_values = self._parts_of_member(value)
            case Call(callee, arguments):
                self._require_safe_call(callee)
                inner_values = arguments
            case Function((Name(name),), body) if not isinstance(body, tuple):
                # Only the methods of constant lists call functions, with items of the list.
                self.known_names.add(name)
                inner_values = (body,)
            case _:
                raise NotUnderstoodError("holds code that may refuse a request")
        for part in inner_values:
            self._require_safe(part)

    def _require_safe_after(self, test: Expression, value: Expression) -> None:
        """Check an expression that is evaluated only if another one has a value."""
        path = self._member(test)
        existing_paths = self.existing_paths
        if path is not None:
            self.existing_paths = existing_paths | {path}
        self._require_safe(value)
        self.existing_paths = existing_paths

    def _is_list(self, value: Expression) -> bool:
        constant = self.module.bindings.get(value.text) if isinstance(value, Name) else value
        return isinstance(constant, Array)

    def _parts_of_member(self, value: Member) -> Sequence[object]:
        """Return the parts of a member that must be safe, if reading it cannot fail."""
        path = self._member(value)
        if path is not None:
            if path[:-1] in self.existing_paths:
                return ()
            is_value = path[:-1] in _OWNERS and path[-1] in _VALUES
            if path in _OWNERS or is_value or path[:-1] in _OBJECTS:
                return ()
        elif isinstance(value.object, Name) and value.object.text in self.object_names:
            return ()
        elif self._is_computed_header(value):
            return (value.key,)
        if not value.is_optional:
            raise NotUnderstoodError("reads what may be missing")
        return (value.object,)

    def _is_computed_header(self, value: Member) -> bool:
        return self._member(value.object) in _HEADERS

    def _require_safe_call(self, callee: Expression) -> None:
        """Check a called function: clocks, conversions, and methods of texts and numbers."""
        dotted = _dotted(callee)
        if dotted in _CLOCKS or dotted == "Date":
            return
        match callee:
            case Name(name) if name in _CONVERSIONS:
                return
            case Member(Name("Math"), str()):
                return
            case Member(of, "get") if self._member(of) in _OWNERS:
                return
            case Member(Regex(), "test"):
                return
            case Member(of, str() as method):
                if method in _TEXT_METHODS and (self._is_text(of) or callee.is_optional):
                    self._require_safe(of)
                    return
                if method in _LIST_METHODS and self._is_list(of):
                    return
                if method in _NUMBER_METHODS and self._is_number(of):
                    self._require_safe(of)
                    return
            case _:
                pass
        raise NotUnderstoodError("calls what may refuse a request")

    def _is_text(self, value: Expression) -> bool:
        match value:
            case Template():
                return True
            case Unary("()", inner) | Binary("||" | "??", inner, Literal(str())):
                return self._is_text(inner)
            case Name(name):
                return name in self.text_names
            case Call(Member(of, "get")):
                return self._member(of) in _OWNERS
            case Call(Member(of, str() as method)) if method in _TEXT_METHODS:
                return method not in {"includes", "indexOf"} and self._is_text(of)
            case _:
                return self._member(value) in _TEXT_PATHS

    def _is_number(self, value: Expression) -> bool:
        match value:
            case Binary("-" | "*" | "/" | "+"):
                return True
            case Call(callee):
                name = _dotted(callee) or ""
                return name == "Date" or name in _CLOCKS or name.startswith("Math.")
            case Name(name):
                return name in self.number_names
            case _:
                return False


def _any_known(conditions: Iterable[bool | None]) -> bool | None:
    """Whether one of several conditions holds, ``None`` if that is not known."""
    results = set(conditions)
    if True in results:
        return True
    return None if None in results else False


def _is_log_call(callee: Expression) -> bool:
    """Whether a call writes to a log, which cannot fail."""
    return is_harmless_call(callee) and (_dotted(callee) or "").startswith(("console.", "strapi."))


def _joined(state: _NextCall, other_state: _NextCall) -> _NextCall:
    """Return the state after two branches."""
    if state is other_state or other_state is _NextCall.RETURNED:
        return state
    if state is _NextCall.RETURNED:
        return other_state
    raise NotUnderstoodError("does not pass all requests on")


def _dotted(value: Expression) -> str | None:
    """Return a chain of names such as ``process.hrtime``, also that of a call."""
    match value:
        case Name(name):
            return name
        case Member(inner, str() as key):
            head = _dotted(inner)
            return None if head is None else f"{head}.{key}"
        case Call(callee):
            return _dotted(callee)
        case _:
            return None
