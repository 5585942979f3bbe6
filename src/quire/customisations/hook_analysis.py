"""Tells whether JavaScript that Strapi calls around actions on documents may guard them.

Document middlewares and lifecycles are called for each read and write of documents. Without those
that only add something (logs, mails, entries of other types, computed values) content is served as
it should be; those that may refuse an action, or restrict what it reads or writes, are guards. The
code is followed for one content type and one action at a time, for which its conditions on these
are known. Code that is not understood counts as a guard.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct

from quire.javascript.scope import (
    Module,
    NotPlainError,
    bound_names,
    is_harmless_call,
    walk,
)
from quire.javascript.syntax import (
    Array,
    ArrayPattern,
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
    Destructuring,
    Evaluate,
    Expression,
    ForOf,
    Function,
    If,
    Jump,
    Literal,
    Loop,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    OptionalCall,
    Property,
    Regex,
    RestParameter,
    Return,
    Spread,
    Statement,
    Switch,
    Template,
    Throw,
    Try,
    Unary,
    Update,
    WithDefault,
)
from quire.schema.model import AUTOMATIC_NAMES, ContentType

ValuePath = tuple[str, ...]
"""A member of the function's first argument, such as ``("params", "data")``.

``("result",)`` is also what a middleware gets from ``next``; ``"*"`` is any member.
"""
FindService = Callable[[str], "tuple[Module, Mapping[str, Expression]] | None"]

_ANY = "*"
_DATA: ValuePath = ("params", "data")
_RESULT: ValuePath = ("result",)
_CONTAINERS: frozenset[ValuePath] = frozenset({(), ("params",), _DATA, _RESULT})
"""Objects by which the action can be changed."""
_DEEPEST_CALL = 6
NOT_UNDERSTOOD = "contains code that is not understood"
_UNKNOWN = object()
_PARAMETERS = frozenset(
    {
        *("filters", "where", "fields", "select", "status", "locale", "lookup", "documentId"),
        *("start", "limit", "offset", "page", "pageSize", "pagination", "_q", "data", "populate"),
        *("hasPublishedVersion", "publicationFilter"),
    }
)
"""Parameters of actions that may restrict them."""
_RESTRICTING = frozenset({"filters", "where", "fields", "select", "status", "limit", "on"})
"""Options of ``populate`` that may restrict what is populated."""
_NOTHING = (Object(()), Array(()), Literal(None), Literal(value=False), Literal(""))
"""Values by which nothing is populated."""
_LISTS_OF_RESULTS = frozenset({"results", "entries", "data", "length"})
_REFUSALS = frozenset(
    {
        *("throw", "badRequest", "notFound", "forbidden", "unauthorized", "internalServerError"),
        *("reject", "assert", "validate", "validateSync", "validateAsync", "parseAsync", "exit"),
    }
)
_VALIDATORS = frozenset(
    {
        *("assert", "node:assert", "yup", "zod", "joi", "ajv", "superstruct", "valibot", "ow"),
        *("class-validator", "tiny-invariant", "invariant", "http-assert", "@hapi/joi"),
    }
)
_EMPTY = (Literal(None), Literal(""), Name("undefined"), Literal("undefined"))
"""What a missing value, or its type, is equal to."""
_EMPTINESS_TESTS = frozenset({"isEmpty", "isNil", "isNull", "isUndefined", "isNaN"})
_MUTATORS = frozenset(
    {"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "delete", "clear"}
)
_CHANGING_FUNCTIONS = frozenset(
    {
        *("assign", "assignIn", "extend", "merge", "mergeWith", "set", "unset", "update", "pull"),
        *("pullAll", "remove", "defaults", "defaultsDeep", "defineProperty", "freeze"),
        *("setPrototypeOf", "deleteProperty"),
    }
)
"""Functions of ``Object``, ``Reflect`` and lodash that change their first argument."""
_OWNERS_OF_CHANGING_FUNCTIONS = frozenset({"Object", "Reflect", "_", "lodash"})
_ITEM_METHODS = frozenset(
    {"filter", "slice", "find", "at", "flat", "concat", "values", "entries", "sort", "reverse"}
)
_CALLBACK_METHODS = frozenset(
    {"map", "forEach", "filter", "find", "some", "every", "flatMap", "reduce", "findIndex", "sort"}
)
_PARSERS = frozenset({"JSON", "Date", "path", "qs", "querystring", "url", "marked"})
_GLOBAL_FUNCTIONS = frozenset(
    {
        *("Number", "String", "Boolean", "BigInt", "Symbol", "Array", "Object", "Date", "Promise"),
        *("Error", "TypeError", "RangeError", "Set", "Map", "WeakMap", "RegExp", "URL", "Buffer"),
        *("URLSearchParams", "FormData", "Blob", "AbortController", "Headers", "Intl"),
        *("parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent", "encodeURI"),
        *("decodeURIComponent", "decodeURI", "setTimeout", "setImmediate", "setInterval"),
        *("clearTimeout", "clearInterval", "queueMicrotask", "structuredClone", "fetch", "require"),
    }
)
_BUILT_IN_METHODS = frozenset(
    {
        *("map", "forEach", "filter", "find", "findIndex", "some", "every", "flatMap", "reduce"),
        *("sort", "reverse", "slice", "splice", "concat", "join", "includes", "indexOf", "push"),
        *("pop", "shift", "unshift", "keys", "values", "entries", "at", "flat", "fill", "has"),
        *("get", "set", "add", "delete", "clear", "split", "trim", "replace", "replaceAll", "test"),
        *("match", "toLowerCase", "toUpperCase", "startsWith", "endsWith", "substring", "padStart"),
        *("toString", "toFixed", "toISOString", "getTime", "then", "catch", "finally", "charAt"),
        *("localeCompare", "normalize", "repeat", "lastIndexOf", "exec", "hasOwnProperty"),
    }
)
_LOG_METHODS = frozenset({"debug", "info", "log", "warn", "error"})
_CALLS_OF_FUNCTIONS = frozenset({"call", "apply", "bind"})
_REFUSING_NAMES = ("validate", "assert", "ensure", "check", "verify", "invariant")
"""What names of functions that refuse data begin with."""
_DEFERRED = frozenset({"setTimeout", "setImmediate", "setInterval", "queueMicrotask", "nextTick"})
"""Functions that call others later, when nothing can be refused any more."""
_SAFE_OF_STRAPI = frozenset(
    {
        *("log", "documents", "db", "query", "entityService", "requestContext", "config", "io"),
        *("getModel", "contentType", "contentTypes", "components", "eventHub", "store", "cron"),
        *("webhookRunner", "webhookStore", "telemetry", "fs", "dirs", "server", "cache", "ai"),
    }
)
_SAFE_PLUGINS = frozenset(
    {
        *("email", "upload", "users-permissions", "i18n", "content-manager", "content-releases"),
        *("review-workflows", "documentation", "sentry", "graphql"),
    }
)
_GLOBAL_OBJECTS = frozenset(
    {
        *("strapi", "console", "JSON", "Math", "process", "Reflect", "globalThis", "crypto", "_"),
        *("performance", "Atomics", "undefined", "this", "exports", "module"),
    }
)
_CONTAINER_NAMES = frozenset(
    {"params", "data", "where", "filters", "populate", "result", "results", "entries", _ANY}
)
"""Members of the hook's argument that are objects or lists, which others may change."""
_CORE_METHODS = frozenset({"find", "findOne", "create", "update", "delete", "createOrUpdate"})
_CALLER = frozenset({"requestContext", "user", "auth"})
"""Members that say who the caller is."""


class GuardingCodeError(Exception):
    """Code that may guard content: what it does, its file and its line."""

    def __init__(self, reason: str, file: str, line: int | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.line = line


class HookCall(Struct, frozen=True, kw_only=True):
    """The call of a hook for a content type and an action, such as ``beforeCreate``.

    ``attributes`` are the names of the attributes of all types.
    """

    content_type: ContentType
    action: str
    attributes: frozenset[str] = frozenset()

    @property
    def is_read(self) -> bool:
        """Whether the action changes nothing."""
        return any(word in self.action for word in ("find", "Find", "count", "Count"))

    @property
    def is_late(self) -> bool:
        """Whether it is called after the action, when its data are written."""
        return self.action.startswith("after")


class ProjectCode(Struct, frozen=True):
    """The code of a project that hooks may call; ``types_used`` records conditions on types."""

    folder: Path
    find_service: FindService
    types_used: set[str]


class _Flow(Enum):
    """Where code goes on after a statement."""

    NEXT = "next"
    BLOCK_END = "block end"
    """After ``break`` or ``continue``."""
    FUNCTION_END = "function end"


def require_no_guard(
    code: ProjectCode, module: Module, function: Function, call: HookCall, *, is_middleware: bool
) -> None:
    """Check that a function guards nothing when it is called. Raises GuardingCodeError."""
    analysis = _HookAnalysis(code, module, call)
    try:
        analysis.run_hook(function, is_middleware=is_middleware)
    except RecursionError:
        raise analysis.guard(NOT_UNDERSTOOD) from None


class _HookAnalysis:
    """The analysis of a function, and of those that it calls.

    It follows which variables stand for members of the hook's argument.
    """

    def __init__(self, code: ProjectCode, module: Module, call: HookCall, depth: int = 0) -> None:
        self._code = code
        self._module = module
        self._call = call
        self._depth = depth
        self._paths: dict[str, ValuePath] = {}
        self._values: dict[str, list[Expression]] = {}
        self._shadowed = set(module.parameter_names)
        """Names that may stand for several values."""
        self._members: dict[tuple[str, str], ValuePath] = {}
        """What members of variables stand for; ``"*"`` for a spread object."""
        self._ambiguous_names: set[str] = set()
        """Names that stand for a member of the hook's argument, or for something else."""
        self._changed_names: set[str] = set()
        """Names of objects and lists that are changed."""
        self._resolved_functions: frozenset[int] = frozenset()
        self._functions: dict[str, Function] = {}
        self._next_name: str | None = None
        self._is_middleware = False
        self._has_called_next = False
        self._handled_errors = 0
        self._running: dict[int, Sequence[ValuePath | None]] = {}
        """The members of the hook's argument that the functions being followed have received."""
        self._tests: list[Expression] = []
        self._statement: Statement | None = None

    @property
    def _content_type(self) -> ContentType:
        uid = self._call.content_type.uid
        self._code.types_used.add(uid)
        return self._call.content_type

    def guard(self, reason: str) -> GuardingCodeError:
        """Return the error for the present statement."""
        path = self._module.path
        file = "" if path is None else path.name
        if path is not None:
            folder = self._code.folder.resolve()
            resolved_path = path.resolve()
            if resolved_path.is_relative_to(folder):
                file = resolved_path.relative_to(folder).as_posix()
        line = None if self._statement is None else self._module.line_of(self._statement)
        return GuardingCodeError(reason, file, line)

    def run_hook(self, function: Function, *, is_middleware: bool) -> None:
        """Follow a hook. Raises GuardingCodeError."""
        self._is_middleware = is_middleware
        context, *others = function.parameters or (Name(""),)
        self.bind(context, Name(""), ())
        match others:
            case [Name(next_name)] if is_middleware:
                self._next_name = next_name
            case [] if not is_middleware:
                pass
            case _:
                raise self.guard(NOT_UNDERSTOOD)
        self.run_function(function)
        if is_middleware and not self._has_called_next:
            raise self.guard("does not call next in each case")

    def run_function(  # noqa: C901, PLR0912 - a case for each binding
        self, function: Function
    ) -> None:
        if isinstance(function.body, Opaque):
            raise self.guard(NOT_UNDERSTOOD)
        self._shadowed |= bound_names(function.parameters)
        for part in walk(function.body):
            match part:
                case Declaration(Name(name), value) | Assign(_, Name(name), value):
                    self._values.setdefault(name, []).append(value)
                    if isinstance(value, Function) and isinstance(part, Declaration):
                        self._functions[name] = value
                case Declaration(target, value):
                    self._shadowed |= bound_names(target)
                    for name in bound_names(target):
                        self._values.setdefault(name, []).append(value)
                case Update(target=target) | ForOf(target=target):
                    self._shadowed |= bound_names(target)
                case Function(parameters):
                    self._shadowed |= bound_names(parameters)
                case Call(Member(Name(name), method), _) if method in _MUTATORS | {"add"}:
                    self._changed_names.add(name)
                case Assign(_, Member(target), _):
                    self._changed_names.add(_root(target) or "")
                case _:
                    continue
        self._bind_all(function.body)
        if isinstance(function.body, tuple):
            end = self._run(function.body)
            if end is _Flow.NEXT and self._is_middleware:
                raise self.guard("does not return what next returns")
        else:
            self._return(function.body)

    def _bind_all(self, body: object) -> None:
        """Note what variables stand for anywhere in a function, also before they get a value."""
        count = -1
        while count < (count := len(self._paths) + len(self._members)):
            for part in walk(body):
                match part:
                    case Declaration(Name(name), Object(members)):
                        self._bind_members(name, members)
                    case Assign("=", Member(Name(name), str() as key), value) if (
                        name not in self._paths
                    ):
                        self._bind_members(name, (Property(key, value),))
                    case Declaration(target, value) | Assign(_, Name() as target, value):
                        self.bind(target, value, self._path(value))
                    case ForOf(target=target, items=items):
                        path = self._path(items)
                        self.bind(target, items, None if path is None else (*path, _ANY))
                    case _:
                        continue
        self._note_ambiguous_names(body)

    def _note_ambiguous_names(self, body: object) -> None:
        for part in walk(body):
            match part:
                case Declaration(Name(name), value) if self._path(value) is not None:
                    is_ambiguous = not self._has_path_always(value)
                case Assign(_, Name(name), value):
                    is_ambiguous = name in self._paths and not self._has_path_always(value)
                case _:
                    continue
            if is_ambiguous:
                self._ambiguous_names.add(name)

    def _bind_members(self, name: str, members: Iterable[Property | Spread]) -> None:
        for member in members:
            path = self._path(member.value)
            if path is not None and _is_container(path):
                key = _ANY
                if isinstance(member, Property) and isinstance(member.key, str):
                    key = member.key
                self._members.setdefault((name, key), path)

    def _has_path_always(self, value: object) -> bool:
        """Whether each value of an expression is a member of the hook's argument."""
        match value:
            case Conditional(_, left, right) | Binary("||" | "??" | "&&", left, right):
                return self._has_path_always(left) and self._has_path_always(right)
            case Unary("()" | "await", inner):
                return self._has_path_always(inner)
            case _:
                return self._path(value) is not None

    # Statements

    def _run(self, statements: Sequence[Statement]) -> _Flow:
        for statement in statements:
            self._statement = statement
            end = self._follow(statement)
            if end is not _Flow.NEXT:
                return end
        return _Flow.NEXT

    def _follow(  # noqa: C901, PLR0912 - a case for each kind of statement
        self, statement: Statement
    ) -> _Flow:
        match statement:
            case Declaration(target, value):
                if not isinstance(value, Function):
                    self._evaluate(value)
                self.bind(target, value, self._path(value))
            case Evaluate(value):
                self._evaluate(value)
            case If(test, then, otherwise):
                return self._follow_if(test, then, otherwise)
            case Return(value):
                self._return(value)
                return _Flow.FUNCTION_END
            case Throw(value):
                if not self._handled_errors:
                    raise self.guard("throws an error")
                self._evaluate(value)
                return _Flow.FUNCTION_END
            case Try():
                return self._follow_try(statement)
            case ForOf(target=target, items=items, body=body):
                self._evaluate(items)
                path = self._path(items)
                self.bind(target, Opaque(), None if path is None else (*path, _ANY))
                self._follow_optional(body)
            case Loop(start=start, test=test, step=step, body=body):
                self._run(start)
                self._evaluate_all(part for part in (test, step) if part is not None)
                self._follow_optional(body)
            case Switch():
                return self._follow_switch(statement)
            case Jump():
                return _Flow.BLOCK_END
            case Opaque(names) if type(statement) is Opaque and not names:
                pass
            case _:
                raise self.guard(NOT_UNDERSTOOD)
        return _Flow.NEXT

    def _follow_if(
        self, test: Expression, then: Sequence[Statement], otherwise: Sequence[Statement]
    ) -> _Flow:
        known = self._known(test)
        if known is not _UNKNOWN:
            return self._run(then if known else otherwise)
        self._evaluate(test)
        tests = (test, Unary("!", test))
        end, other_end = self._follow_branches((then, otherwise), tests)
        if (end is _Flow.NEXT) != (other_end is _Flow.NEXT):
            self._tests.append(tests[end is not _Flow.NEXT])
        if _Flow.NEXT in {end, other_end}:
            return _Flow.NEXT
        return end if end is other_end else _Flow.BLOCK_END

    def _follow_branches(
        self, branches: Iterable[Sequence[Statement]], tests: Iterable[Expression] = ()
    ) -> list[_Flow]:
        """Follow branches, one of which is taken; after them, all that go on called ``next``.

        ``tests`` are true in the branches.
        """
        had_called_next = self._has_called_next
        ends: list[_Flow] = []
        states: list[bool] = []
        for branch, test in zip_longest(branches, tests):
            self._has_called_next = had_called_next
            count = len(self._tests)
            if test is not None:
                self._tests.append(test)
            end = self._run(branch)
            del self._tests[count:]
            ends.append(end)
            if end is not _Flow.FUNCTION_END:
                states.append(self._has_called_next)
        self._has_called_next = all(states) if states else True
        return ends

    def _follow_optional(self, statements: Sequence[Statement]) -> None:
        self._follow_branches((statements, ()))

    def _follow_try(self, statement: Try) -> _Flow:
        is_handled = bool(statement.handler or not statement.finalizer) and not any(
            _refuses(part) for part in walk(statement.handler)
        )
        had_called_next = self._has_called_next
        self._handled_errors += is_handled
        end = self._run(statement.body)
        self._handled_errors -= is_handled
        has_called_next = self._has_called_next
        self._has_called_next = had_called_next
        handler_end = self._run(statement.handler)
        if self._is_middleware and is_handled and handler_end is _Flow.NEXT:
            # An error of the action itself may be handled, too.
            self._has_called_next = has_called_next and self._has_called_next
        else:
            self._has_called_next = has_called_next
        self._run(statement.finalizer)
        return end if end is handler_end else _Flow.NEXT

    def _follow_switch(self, statement: Switch) -> _Flow:
        self._evaluate(statement.value)
        cases = statement.cases
        value = self._known(statement.value)
        labels = [None if label is None else self._known(label) for label, _ in cases]
        start: int | None = None
        if value is not _UNKNOWN and _UNKNOWN not in labels:
            start = labels.index(value) if value in labels else None
            if start is None and any(label is None for label, _ in cases):
                start = [label for label, _ in cases].index(None)
            if start is None:
                return _Flow.NEXT
            for _, statements in cases[start:]:
                end = self._run(statements)
                if end is not _Flow.NEXT:
                    return _Flow.NEXT if end is _Flow.BLOCK_END else end
            return _Flow.NEXT
        self._follow_branches([*(statements for _, statements in cases), ()])
        return _Flow.NEXT

    def _return(self, value: Expression | None) -> None:
        if value is not None:
            self._evaluate(value)
        if not self._is_middleware:
            return
        for result in self._alternatives(value):
            is_result = self._path(result) == _RESULT and _root(result) not in self._ambiguous_names
            if not self._is_next_call(result) and not is_result:
                raise self.guard("returns something else than what next returns")
        if not self._has_called_next:
            raise self.guard("does not call next in each case")

    def _alternatives(self, value: Expression | None) -> Iterator[Expression]:
        match value:
            case None:
                raise self.guard("does not return what next returns")
            case Conditional(test, then, otherwise):
                known = self._known(test)
                if known is _UNKNOWN or known:
                    yield from self._alternatives(then)
                if known is _UNKNOWN or not known:
                    yield from self._alternatives(otherwise)
            case Unary("()" | "await", inner):
                yield from self._alternatives(inner)
            case _:
                yield value

    # Expressions

    def _evaluate_all(self, values: Iterable[object]) -> None:
        for value in values:
            self._evaluate(value)

    def _evaluate(  # noqa: C901, PLR0912, PLR0915 - a case for each expression
        self, value: object
    ) -> None:
        match value:
            case Name("arguments") if "arguments" not in self._shadowed:
                raise self.guard(NOT_UNDERSTOOD)
            case None | str() | Literal() | Name() | Regex() | Function():
                return
            case Template(parts):
                self._evaluate_all(parts)
            case Array(items):
                self._evaluate_all(items)
            case Object(members):
                self._evaluate_all(member.value for member in members)
            case Spread(inner):
                self._evaluate(inner)
            case Unary("delete", target):
                self._change(target, None)
            case Unary("++" | "--", target) | Update(target=target):
                self._change(target, target)
            case Unary(_, inner):
                self._evaluate(inner)
            case Binary("&&" | "||" | "??" as operator, left, right):
                known = self._known(left)
                self._evaluate(left)
                if known is _UNKNOWN:
                    self._tests.append(left if operator == "&&" else Unary("!", left))
                    had_called_next = self._has_called_next
                    self._evaluate(right)
                    self._has_called_next = had_called_next
                    self._tests.pop()
                elif bool(known) == (operator == "&&"):
                    self._evaluate(right)
            case Binary(_, left, right):
                self._evaluate_all((left, right))
            case Conditional(test, then, otherwise):
                known = self._known(test)
                self._evaluate(test)
                if known is _UNKNOWN:
                    self._follow_branches(((Evaluate(then),), (Evaluate(otherwise),)))
                else:
                    self._evaluate(then if known else otherwise)
            case Member(inner, key):
                self._evaluate_all((inner, key))
            case Assign(operator, target, assigned_value):
                if not isinstance(assigned_value, Function):
                    self._evaluate(assigned_value)
                if isinstance(target, Name):
                    self.bind(target, assigned_value, self._path(assigned_value))
                else:
                    self._change(target, assigned_value, operator)
            case Call(callee, arguments) | OptionalCall(callee=callee, arguments=arguments):
                self._call_function(callee, arguments)
            case Opaque(names) if type(value) is Opaque and names <= {","}:
                return
            case _:
                raise self.guard(NOT_UNDERSTOOD)

    # Values

    def bind(  # noqa: C901, PLR0912 - a case for each pattern
        self, target: object, value: Expression, path: ValuePath | None
    ) -> None:
        """Note what variables stand for."""
        match target:
            case Name(name):
                if path is None:
                    return
                if self._paths.setdefault(name, path) != path:
                    raise self.guard(NOT_UNDERSTOOD)
            case ObjectPattern(names):
                for key, name in names:
                    self.bind(Name(name), value, None if path is None else (*path, key))
            case ArrayPattern(names):
                for name in names:
                    self.bind(Name(name), value, None if path is None else (*path, _ANY))
            case Destructuring(members=members, rest=rest):
                for key, inner in members:
                    self.bind(inner, value, None if path is None else (*path, key))
                if rest is not None:
                    self.bind(rest, value, path)
            case WithDefault(target=inner) | RestParameter(target=inner):
                self.bind(inner, value, path)
            case _ if path is not None:
                raise self.guard(NOT_UNDERSTOOD)
            case _:
                return

    def _path(self, value: object) -> ValuePath | None:  # noqa: C901 - a case for each expression
        """Return the member of the hook's argument that an expression may stand for."""
        match value:
            case Name(name):
                return self._paths.get(name)
            case Unary("()" | "await", inner):
                return self._path(inner)
            case Member(inner, key):
                path = self._path(inner)
                if path is None and isinstance(inner, Name):
                    return self._path_of_member(inner.text, key)
                return None if path is None else (*path, key if isinstance(key, str) else _ANY)
            case Array(items):
                return self._path_of_items(items)
            case Binary("||" | "??" | "&&", left, right) | Conditional(_, left, right):
                path = self._path(left)
                return self._path(right) if path is None else path
            case Call() if self._is_next_call(value):
                return _RESULT
            case Call(
                Member(Name("Object"), "values" | "entries") | Member(Name("Array"), "from"),
                (inner, *_),
            ):
                path = self._path(inner)
                return None if path is None else (*path, _ANY)
            case Call(Member(Array(()), "concat"), arguments):
                return self._path_of_items(arguments)
            case (
                Call(Member(inner, str() as method), _)
                | OptionalCall(callee=Member(inner, str() as method))
            ) if method in _ITEM_METHODS:
                path = self._path(inner)
                return None if path is None else (*path, _ANY)
            case Call(callee, arguments, False):
                return self._path_of_result(callee, arguments)
            case _:
                return None

    def _path_of_member(self, name: str, key: object) -> ValuePath | None:
        """Return what a member of a variable stands for."""
        if not isinstance(key, str):
            return None
        path = self._members.get((name, key))
        if path is None and (name, _ANY) in self._members:
            path = (*self._members[name, _ANY], key)
        return path

    def _path_of_items(self, items: Iterable[object]) -> ValuePath | None:
        """Return what the items of a new list stand for."""
        for item in items:
            path = self._path(item.value if isinstance(item, Spread) else item)
            if path is not None and _is_container(path):
                return (*path, _ANY)
        return None

    def _path_of_result(
        self, callee: Expression, arguments: Sequence[Expression]
    ) -> ValuePath | None:
        """Return the member of the hook's argument that a function of the project may return."""
        paths = tuple(map(self._path, arguments))
        is_closure = isinstance(callee, Function) or (
            isinstance(callee, Name) and callee.text in self._functions
        )
        if not is_closure and not any(path is not None and _is_container(path) for path in paths):
            return None
        resolved = self._function_of(callee)
        if resolved is None or id(resolved[1]) in self._resolved_functions:
            return None
        module, function = resolved
        other = _HookAnalysis(self._code, module, self._call, self._depth + 1)
        other._statement = self._statement if module is self._module else None
        other._resolved_functions = self._resolved_functions | {id(function)}
        if is_closure:
            names = bound_names(function.parameters)
            other._paths = {name: path for name, path in self._paths.items() if name not in names}
            other._functions = self._functions
        for parameter, path in zip(function.parameters, paths, strict=False):
            other.bind(parameter, Opaque(), path)
        other._bind_all(function.body)
        values: list[object] = [
            part.value for part in walk(function.body) if isinstance(part, Return)
        ]
        if not isinstance(function.body, tuple):
            values.append(function.body)
        for value in values:
            result = other._path(value)
            if result is not None and _is_container(result):
                return result
        return None

    def _is_next_call(self, value: object) -> bool:
        return (
            isinstance(value, Call)
            and self._next_name is not None
            and value.callee == Name(self._next_name)
        )

    def _known(self, value: object) -> object:  # noqa: C901, PLR0912 - a case for each form
        """Return the value of an expression for this call, ``_UNKNOWN`` if it is not known."""
        match value:
            case Literal(literal):
                return literal
            case Unary("()", inner):
                return self._known(inner)
            case Unary("!", inner):
                known = self._known(inner)
                return _UNKNOWN if known is _UNKNOWN else not known
            case Binary("&&" | "||" as operator, left, right):
                known = self._known(left)
                other_known = self._known(right)
                for one in (known, other_known):
                    if one is not _UNKNOWN and bool(one) == (operator == "||"):
                        return one
                return _UNKNOWN if _UNKNOWN in {known, other_known} else other_known
            case Binary("===" | "==" | "!==" | "!=" as operator, left, right):
                known, other_known = self._known(left), self._known(right)
                if _UNKNOWN in (known, other_known):
                    return _UNKNOWN
                return (known == other_known) == (operator in {"===", "=="})
            case Call(Member(inner, "includes" | "has" as method), (item,)):
                return self._known_membership(inner, item, method)
            case Call(Member(inner, "startsWith" | "endsWith" as method), (item,)):
                text, part = self._known(inner), self._known(item)
                if not isinstance(text, str) or not isinstance(part, str):
                    return _UNKNOWN
                return text.startswith(part) if method == "startsWith" else text.endswith(part)
            case Name() | Member():
                path = self._path(value)
                if _root(value) in self._ambiguous_names:
                    return _UNKNOWN
                if path is not None:
                    return self._known_member(path)
                return self._constant(value)
            case _:
                return _UNKNOWN

    def _known_member(self, path: ValuePath) -> object:
        match path:
            case ("uid",) | ("contentType", "uid") | ("model", "uid"):
                return self._content_type.uid
            case ("action",):
                return self._call.action
            case ("model" | "contentType", "singularName" | "modelName"):
                return self._content_type.uid.rpartition(".")[2]
            case _:
                return _UNKNOWN

    def _known_membership(self, container: Expression, item: Expression, method: str) -> object:
        known = self._known(item)
        if known is _UNKNOWN:
            return _UNKNOWN
        text = self._known(container)
        if isinstance(text, str) and isinstance(known, str) and method == "includes":
            return known in text
        match self._followed(container):
            case Array(items):
                known_items = [self._known(inner) for inner in items]
            case Call(Name("Set"), (inner,), True) if isinstance(
                array := self._followed(inner), Array
            ):
                known_items = [self._known(item) for item in array.items]
            case Call(Member(Name("Object"), "keys"), (inner,)) if isinstance(
                constant := self._followed(inner), Object
            ):
                known_items = [
                    member.key
                    if isinstance(member, Property) and isinstance(member.key, str)
                    else _UNKNOWN
                    for member in constant.members
                ]
            case _:
                return _UNKNOWN
        if known in known_items:
            return True
        return _UNKNOWN if _UNKNOWN in known_items else False

    def _followed(self, value: Expression) -> Expression:
        """Return what a constant stands for."""
        if isinstance(value, Name):
            values = self._values.get(value.text, [])
            if (
                len(values) > 1
                or value.text in self._shadowed | self._changed_names
                or value.text in self._paths
            ):
                return Opaque()
            if values:
                return self._followed(values[0])
            if value.text in self._module.imports:
                try:
                    module, imported_value = self._module.imported(value.text)
                except NotPlainError:
                    return value
                return module.followed(imported_value)
        return self._module.followed(value)

    def _constant(self, value: Expression) -> object:
        followed_value = self._followed(value)
        if isinstance(followed_value, Literal):
            return followed_value.value
        name = _root(value)
        if name in self._values or name in self._shadowed:
            return _UNKNOWN
        try:
            constant = self._module.value(value)
        except NotPlainError:
            return _UNKNOWN
        return constant if isinstance(constant, str | bool) else _UNKNOWN

    # Changes of the hook's argument

    def _change(self, target: object, value: Expression | None, operator: str = "=") -> None:
        """Check an assignment to a member; without ``value``, it is removed."""
        if not isinstance(target, Member):
            if any(self._path(part) is not None for part in walk(target)):
                raise self.guard(NOT_UNDERSTOOD)
            return
        self._evaluate(target.object)
        path = self._path(target)
        if path is not None:
            self._change_path(path, value, operator)

    def _change_path(self, path: ValuePath, value: Expression | None, operator: str = "=") -> None:
        match path:
            case ("result", *keys):
                self._change_result(keys)
            case ("params",):
                self._change_members(path, value)
            case ("params", "data", *keys):
                if not self._call.is_read and not self._call.is_late:
                    self._change_data(keys, value, operator)
            case ("params", "populate", *_) if value is not None and not _restricts(value):
                return
            case ("params", name, *_) if name in _PARAMETERS or name == _ANY:
                if not self._call.is_late:
                    raise self.guard(f"changes params.{name}")
            case () | (("uid" | "action" | "*"), *_):
                raise self.guard(NOT_UNDERSTOOD)
            case _:
                return

    def _change_members(self, path: ValuePath, value: Expression | None) -> None:
        """Check that an object with what was there before takes the place of another one."""
        if not isinstance(value, Object):
            raise self.guard(f"replaces {'.'.join(path)}")
        keeps_others = False
        for member in value.members:
            match member:
                case Spread(inner) if self._path(inner) == path:
                    keeps_others = True
                case Property(str() as key, inner):
                    is_same = self._path(inner) == (*path, key)
                    if not is_same:
                        self._change_path((*path, key), inner)
                case _:
                    raise self.guard(f"replaces {'.'.join(path)}")
        if not keeps_others:
            raise self.guard(f"replaces {'.'.join(path)}")

    def _change_result(self, keys: Sequence[str]) -> None:
        names = [key for key in keys if key != _ANY]
        restricted_names = self._call.attributes | AUTOMATIC_NAMES | _LISTS_OF_RESULTS
        if not names or not restricted_names.isdisjoint(names):
            raise self.guard(f"changes {'.'.join(('result', *keys))}")

    def _change_data(self, keys: Sequence[str], value: Expression | None, operator: str) -> None:
        """Check a change of the data: what is computed from others may be left out."""
        if not keys:
            self._change_members(_DATA, value)
            return
        name = keys[0]
        known_names = {*self._content_type.attributes, *AUTOMATIC_NAMES, _ANY}
        if name not in known_names or operator in {"??=", "||="}:
            return
        if value is None:
            raise self.guard(f"removes {'.'.join(('data', *keys))}")
        path = (*_DATA, name)
        if not self._may_set(path, value, self._tests):
            raise self.guard(f"sets {'.'.join(('data', *keys))}")

    def _may_set(self, path: ValuePath, value: Expression, tests: Sequence[Expression]) -> bool:
        """Whether a value is computed, or a default for one that is missing."""
        match value:
            case Unary("()", inner):
                return self._may_set(path, inner, tests)
            case Conditional(test, then, otherwise) if self._mentions(test, path):
                return self._may_set(path, then, (*tests, test)) and self._may_set(
                    path, otherwise, (*tests, Unary("!", test))
                )
            case _:
                is_default = any(self._is_missing(test, path) for test in tests)
                return is_default or self._is_computed(value)

    def _mentions(self, value: object, path: ValuePath) -> bool:
        """Whether an expression depends on a member of the hook's argument."""
        paths = map(self._path, walk(value))
        return any(other is not None and other[: len(path)] == path for other in paths)

    def _is_missing(self, test: Expression, path: ValuePath, *, negated: bool = False) -> bool:
        """Whether a member of the hook's argument has no value if a test is true, or not."""
        match test:
            case Unary("()", inner):
                return self._is_missing(inner, path, negated=negated)
            case Unary("!", inner):
                return self._is_missing(inner, path, negated=not negated)
            case Binary("&&" | "||" as operator, left, right):
                both = (self._is_missing(part, path, negated=negated) for part in (left, right))
                return all(both) if negated == (operator == "&&") else any(both)
            case Binary("===" | "==" | "!==" | "!=" as operator, left, right):
                is_of_length = isinstance(left, Member) and left.key == "length"
                is_empty = left in _EMPTY or right in _EMPTY
                is_empty |= is_of_length and right == Literal(0)
                is_equal = negated == operator.startswith("!")
                return is_empty and is_equal and self._mentions(test, path)
            case Binary("in", Literal(str() as key), owner):
                owner_path = self._path(owner)
                return negated and owner_path is not None and (*owner_path, key) == path
            case Call(Member(_, name) | Name(name), (inner, *_)) if name in _EMPTINESS_TESTS:
                return not negated and self._mentions(inner, path)
            case Call(Member(Name("Array"), "isArray"), (inner, *_)):
                return negated and self._mentions(inner, path)
            case Name() | Member() | Call(Member(_, "trim"), ()):
                return negated and self._mentions(test, path)
            case _:
                return False

    def _is_computed(self, value: Expression) -> bool:
        """Whether a value is computed, and not from the caller."""
        parts = list(self._parts(value))
        if any(isinstance(part, Member) and part.key in _CALLER for part in parts):
            return False
        return any(
            isinstance(part, Call | OptionalCall)
            or (isinstance(part, Member | Name) and self._path(part) is not None)
            for part in parts
        )

    def _parts(self, value: object) -> Iterator[object]:
        """Yield the parts of an expression, and of those that its variables stand for."""
        pending, seen = [value], set[str]()
        while pending:
            for part in walk(pending.pop()):
                yield part
                if isinstance(part, Name) and part.text not in seen:
                    seen.add(part.text)
                    pending += self._values.get(part.text, ())

    # Calls

    def _call_function(  # noqa: C901 - a case for each callee
        self, callee: Expression, arguments: Sequence[Expression]
    ) -> None:
        if self._next_name is not None and callee == Name(self._next_name):
            self._evaluate_all(arguments)
            self._has_called_next = True
            return
        match callee:
            case Member(inner, "catch"):
                handlers = [self._function_of(argument) for argument in arguments]
                is_handled = bool(handlers) and not any(
                    handler is None or any(map(_refuses, walk(handler[1].body)))
                    for handler in handlers
                )
                self._handled_errors += is_handled
                self._evaluate(inner)
                self._handled_errors -= is_handled
            case Member(inner, str() as method):
                self._evaluate(inner)
                self._call_method(inner, method, callee, arguments)
            case Name(name):
                self._call_name(name, arguments)
                if name in _DEFERRED:
                    return
            case Function():
                self._run_other(self._module, callee, arguments, is_closure=True)
            case Call(Name("require"), (Literal(str() as origin),)):
                self._require_package(origin)
            case Unary("()" | "await", inner):
                self._call_function(inner, arguments)
                return
            case Call() | Member():
                self._evaluate(callee)
                if self._package_of(callee) is None:
                    self._call_unknown("a computed function", arguments)
            case _:
                raise self.guard("calls what is not known")
        self._pass_arguments(callee, arguments)

    def _pass_arguments(self, callee: Expression, arguments: Sequence[Expression]) -> None:
        receiver = self._path(callee.object) if isinstance(callee, Member) else None
        if receiver is None:
            # Such as `Array.from(list, callback)`.
            receiver = next(filter(None, map(self._path, arguments)), None)
        for argument in arguments:
            function = self._function_of(argument)
            if function is not None:
                module, target = function
                item = None if receiver is None else (*receiver, _ANY)
                self._run_callback(module, target, item)
                continue
            self._evaluate(argument)
            if (
                isinstance(callee, Member)
                and callee.key in _CALLBACK_METHODS
                and isinstance(argument, Name | Member | Call)
                and self._is_own(argument)
            ):
                name = argument.text if isinstance(argument, Name) else "a computed function"
                self._call_unknown(name, (callee.object,))

    def _call_method(  # noqa: C901, PLR0912 - a case for each receiver
        self, inner: Expression, method: str, callee: Member, arguments: Sequence[Expression]
    ) -> None:
        is_own_method = self._has_method(inner, method) or (
            isinstance(inner, Name)
            and self._is_own_module(inner.text)
            and self._own_member(inner.text, method) is not None
        )
        if not is_own_method and (is_harmless_call(callee) or method in _LOG_METHODS):
            return
        path = self._path(inner)
        if method in _MUTATORS and any(self._path(part) in _CONTAINERS for part in arguments):
            raise self.guard(NOT_UNDERSTOOD)
        if method in _REFUSALS and not self._handled_errors:
            raise self.guard(f"calls {method}")
        if path is not None and method not in _CALLS_OF_FUNCTIONS:
            if method in _MUTATORS:
                self._change_path((*path, _ANY), None)
            return
        if method in _CHANGING_FUNCTIONS and (
            _root(inner) in _OWNERS_OF_CHANGING_FUNCTIONS or self._package_of(inner) is not None
        ):
            self._call_changing_function(method, arguments)
        if method in _CALLS_OF_FUNCTIONS:
            self._call_unknown(f"a function by {method}", arguments)
            return
        root = _root(inner)
        if root == "strapi":
            self._call_strapi(callee, arguments)
        elif root == "this":
            raise self.guard(f"calls this.{method}")
        elif isinstance(inner, Name) and self._is_own_module(inner.text):
            function = self._own_member(inner.text, method)
            if function is None:
                self._call_unknown(f"{inner.text}.{method}", arguments)
            else:
                self._run_other(*function, arguments)
        elif is_own_method or (method not in _BUILT_IN_METHODS and self._is_own(inner)):
            self._call_own_method(inner, method, arguments)
        else:
            package = self._package_of(inner)
            if package is not None:
                self._require_package(package)
                if method.startswith(_REFUSING_NAMES) and not self._handled_errors:
                    raise self.guard(f"calls {method}")
            if method == "parse" and root not in _PARSERS and not self._handled_errors:
                raise self.guard("calls parse")
            if package is not None:
                self._keep_from_packages(arguments)

    def _has_method(self, inner: Expression, method: str) -> bool:
        """Whether an expression is an object of the project that has a method."""
        owner = self._followed(inner)
        return isinstance(owner, Object) and any(
            isinstance(member, Property) and member.key == method for member in owner.members
        )

    def _call_own_method(
        self, inner: Expression, method: str, arguments: Sequence[Expression]
    ) -> None:
        """Check a call of a method of an object of the project."""
        owner = self._followed(inner)
        if isinstance(owner, Object):
            for member in owner.members:
                if isinstance(member, Property) and member.key == method:
                    function = self._function_of(member.value)
                    if function is not None:
                        self._run_other(*function, arguments, is_closure=True)
                        return
        self._call_unknown(method, arguments)

    def _call_changing_function(self, method: str, arguments: Sequence[Expression]) -> None:
        path = self._path(arguments[0]) if arguments else None
        if path is None:
            return
        if method not in {"assign", "extend", "merge"}:
            self._change_path((*path, _ANY), None)
        for argument in arguments[1:]:
            if not isinstance(argument, Object):
                raise self.guard(NOT_UNDERSTOOD)
            for member in argument.members:
                if not isinstance(member, Property) or not isinstance(member.key, str):
                    raise self.guard(NOT_UNDERSTOOD)
                self._change_path((*path, member.key), member.value)

    def _call_strapi(self, callee: Member, arguments: Sequence[Expression]) -> None:
        """Check a call of a member of ``strapi``."""
        match _strapi_members(callee):
            case [Call(Member(_, "plugin"), (Literal(str() as name), *_)), *_]:
                is_safe = name in _SAFE_PLUGINS
            case [Member(_, "plugins"), Member(_, str() as name), *_]:
                is_safe = name in _SAFE_PLUGINS
            case [Call(Member(_, "service"), (uid_expression, *_)), *_]:
                self._call_service(uid_expression, callee, arguments)
                return
            case [Call(Member(_, "documents"), (uid, *_)), *_] if self._removes(callee, uid):
                raise self.guard("removes entries of its type")
            case [_, Call(Member(_, "query"), (uid, *_)), *_] if self._removes(callee, uid):
                raise self.guard("removes entries of its type")
            case [Member(_, "entityService"), *_] if arguments and self._removes(
                callee, arguments[0]
            ):
                raise self.guard("removes entries of its type")
            case [Member(_, "config"), *_] if callee.key not in _BUILT_IN_METHODS:
                self._call_unknown("a function of the configuration", arguments)
                return
            case [Member(_, str() as name) | Call(Member(_, str() as name)), *_]:
                is_safe = name in _SAFE_OF_STRAPI or name in {"plugin", "service"}
            case _:
                is_safe = False
        if not is_safe:
            raise self.guard("calls a part of strapi that is not known")

    def _removes(self, callee: Member, uid: Expression) -> bool:
        """Whether a call removes entries of the type that is written, which undoes the write."""
        is_removal = callee.key in {"delete", "deleteMany", "unpublish"}
        is_new = "create" in self._call.action.lower() or "pdate" in self._call.action
        return is_removal and is_new and self._known(uid) == self._content_type.uid

    def _call_service(
        self, uid_expression: Expression, callee: Member, arguments: Sequence[Expression]
    ) -> None:
        uid = self._known(uid_expression)
        if callee.key == "service" and isinstance(callee, Member):
            return
        method = callee.key
        if isinstance(uid, str) and uid.startswith("plugin::"):
            if uid.removeprefix("plugin::").partition(".")[0] in _SAFE_PLUGINS:
                return
            raise self.guard("calls a part of strapi that is not known")
        service = self._code.find_service(uid) if isinstance(uid, str) else None
        if service is None or not isinstance(method, str):
            self._call_unknown("a service", arguments)
            return
        module, methods = service
        function = module.followed(methods[method]) if method in methods else None
        if isinstance(function, Function):
            self._run_other(module, function, arguments)
        elif method in methods or method not in _CORE_METHODS:
            self._call_unknown(f"the method {method} of a service", arguments)

    def _call_name(self, name: str, arguments: Sequence[Expression]) -> None:
        if name in self._functions and len(self._values.get(name, ())) > 1:
            self._call_unknown(name, arguments)
            return
        if name in self._functions:
            self._run_other(self._module, self._functions[name], arguments, is_closure=True)
            return
        package = None if name in _GLOBAL_FUNCTIONS else self._package_of(Name(name))
        if package is not None:
            self._require_package(package)
            imported_name = self._module.imports.get(name, ("", name))[1]
            name = name if imported_name in {"default", "*"} else imported_name
            if name.startswith(_REFUSING_NAMES) and not self._handled_errors:
                raise self.guard(f"calls {name}")
            if name in _CHANGING_FUNCTIONS:
                self._call_changing_function(name, arguments)
            self._keep_from_packages(arguments)
            return
        function = None if name in self._values else self._own_function(name)
        is_declared = name in self._values or name in self._module.imports
        if function is not None:
            self._run_other(*function, arguments)
        elif name == "resolve" and name in self._shadowed:
            return
        elif name not in _GLOBAL_FUNCTIONS or is_declared or name in self._module.bindings:
            self._call_unknown(name, arguments)

    def _call_unknown(self, name: str, arguments: Sequence[Expression]) -> None:
        """Check a call of an unknown function, which may throw or change its arguments."""
        paths = map(self._path, arguments)
        if not self._handled_errors or any(
            path is not None and len(path) <= len(_DATA) for path in paths
        ):
            raise self.guard(f"calls {name}, which is not known")

    def _require_package(self, origin: str) -> None:
        if origin.startswith("."):
            raise self.guard("calls what is not known")
        if origin in _VALIDATORS and not self._handled_errors:
            raise self.guard(f"calls {origin}, which may refuse data")

    def _keep_from_packages(self, arguments: Sequence[Expression]) -> None:
        """Check that a package cannot change what is read."""
        if not self._call.is_read:
            return
        for argument in arguments:
            path = self._path(argument)
            if path is not None and len(path) <= len(_DATA):
                raise self.guard("passes what it reads to a package")

    def _package_of(self, value: Expression) -> str | None:
        """Return the package that an expression comes from, ``None`` for others."""
        for part in self._origins(value):
            match part:
                case Name(name) if name in self._module.imports:
                    origin = self._module.imports[name][0]
                    return None if origin.startswith(".") else origin
                case Call(Name("require"), (Literal(str() as origin),)):
                    return None if origin.startswith(".") else origin
                case _:
                    continue
        return None

    def _is_own(self, value: Expression) -> bool:
        """Whether an object may be one of the project, with methods of its own."""
        for part in self._origins(value):
            match part:
                case Object() | Function() | Call(Name("require"), (Literal("." | ".."),)):
                    return True
                case Call(Name("require"), (Literal(str() as origin),)):
                    return origin.startswith(".")
                case Call(Name("require")) | Member(_, "config"):
                    return True
                case Name(name) if name in self._module.imports:
                    return self._module.imports[name][0].startswith(".")
                case Name(name) if not self._is_declared(name):
                    return True
                case Call(Name(name)) if name in self._functions:
                    return True
                case _:
                    continue
        return False

    def _is_declared(self, name: str) -> bool:
        """Whether a name is a global one, or declared by more than a class."""
        return (
            name in self._values
            or name in self._paths
            or name in self._shadowed
            or name in self._module.bindings
            or name in _GLOBAL_FUNCTIONS | _GLOBAL_OBJECTS | _PARSERS
        )

    def _origins(self, value: Expression) -> Iterator[Expression]:
        """Yield an expression and what it is a member or a result of, also by variables."""
        pending, seen = [value], set[str]()
        while pending:
            part = pending.pop()
            yield part
            match part:
                case Name(name) if name not in seen and name not in self._paths:
                    seen.add(name)
                    pending += self._values.get(name, ())
                    if name not in self._values and name in self._module.bindings:
                        pending.append(self._module.bindings[name])
                case Call(Name("require")):
                    continue
                case Member(inner) | Unary("()" | "await", inner) | Call(inner):
                    pending.append(inner)
                case Binary("||" | "??" | "&&", left, right) | Conditional(_, left, right):
                    pending += (left, right)
                case _:
                    continue

    def _is_own_module(self, name: str) -> bool:
        return name in self._module.imports and self._module.imports[name][0].startswith(".")

    def _own_member(self, name: str, member: str) -> tuple[Module, Function] | None:
        """Return a function of another module of the project, by the name of that module."""
        origin, imported_name = self._module.imports[name]
        other = self._module.other(origin)
        if other is None or imported_name not in {"default", "*"}:
            return None
        return exported_function(other, member)

    def _own_function(self, name: str) -> tuple[Module, Function] | None:
        """Return a function of this module, or an imported one of the project."""
        if name in self._module.imports:
            origin, imported_name = self._module.imports[name]
            other = self._module.other(origin)
            return None if other is None else exported_function(other, imported_name)
        return self._module.function(name)

    def _function_of(self, value: Expression) -> tuple[Module, Function] | None:
        """Return the function that an expression is, or is the name of."""
        match value:
            case Function():
                return self._module, value
            case Name(name) if name in self._functions:
                return self._module, self._functions[name]
            case Name(name) if name not in self._values and name not in self._paths:
                return self._own_function(name)
            case _:
                return None

    def _run_callback(self, module: Module, function: Function, item: ValuePath | None) -> None:
        paths = (item,) * max(1, len(function.parameters))
        if id(function) in self._running:
            self._require_same_arguments(self._running[id(function)], paths)
            return
        other = self._inner(module, function, is_closure=module is self._module)
        other.note_running(function, paths)
        for parameter in function.parameters:
            other.bind(parameter, Opaque(), item)
        other.run_function(function)

    def _run_other(
        self,
        module: Module,
        function: Function,
        arguments: Sequence[Expression],
        *,
        is_closure: bool = False,
    ) -> None:
        paths = tuple(map(self._path, arguments))
        if id(function) in self._running:
            self._require_same_arguments(self._running[id(function)], paths)
            return
        other = self._inner(module, function, is_closure=is_closure)
        other.note_running(function, paths)
        for index, parameter in enumerate(function.parameters):
            argument = arguments[index] if index < len(arguments) else Opaque()
            path = self._path(argument)
            if self._next_name is not None and argument == Name(self._next_name):
                raise self.guard("passes next to another function")
            if isinstance(argument, Object):
                self._bind_object(other, parameter, argument)
                continue
            other.bind(parameter, argument, path)
        other.run_function(function)

    def note_running(self, function: Function, paths: Sequence[ValuePath | None]) -> None:
        """Record that a function is being followed."""
        self._running[id(function)] = paths

    def _require_same_arguments(
        self, paths: Sequence[ValuePath | None], other_paths: Sequence[ValuePath | None]
    ) -> None:
        """Check that a function that calls itself passes nothing else on."""
        for index, path in enumerate(other_paths):
            if path is not None and (index >= len(paths) or paths[index] is None):
                raise self.guard(NOT_UNDERSTOOD)

    def _bind_object(self, other: "_HookAnalysis", parameter: object, argument: Object) -> None:
        """Bind a parameter to an object, whose members may be parts of the hook's argument."""
        paths = {
            member.key: self._path(member.value)
            for member in argument.members
            if isinstance(member, Property) and isinstance(member.key, str)
        }
        has_paths = any(path is not None for path in paths.values()) or any(
            isinstance(member, Spread) and self._path(member.value) is not None
            for member in argument.members
        )
        if not has_paths:
            other.bind(parameter, argument, None)
        elif isinstance(parameter, ObjectPattern):
            for key, name in parameter.names:
                other.bind(Name(name), argument, paths.get(key))
        elif self._call.is_read:
            raise self.guard(NOT_UNDERSTOOD)

    def _inner(self, module: Module, function: Function, *, is_closure: bool) -> "_HookAnalysis":
        """Return the analysis of a function that this code calls."""
        if self._depth >= _DEEPEST_CALL:
            raise self.guard("calls functions that are too deeply nested")
        other = _HookAnalysis(self._code, module, self._call, self._depth + 1)
        other._statement = self._statement if is_closure else None
        other._running = {**self._running}
        other._handled_errors = self._handled_errors
        other._tests = [*self._tests] if is_closure else []
        if is_closure:
            names = {part.text for part in walk(function.parameters) if isinstance(part, Name)}
            other._paths = {name: path for name, path in self._paths.items() if name not in names}
            other._values = {name: [*values] for name, values in self._values.items()}
            other._shadowed = {*self._shadowed}
            other._functions = {**self._functions}
        return other


def exported_function(module: Module, name: str) -> tuple[Module, Function] | None:
    """Return a function that a module exports."""
    function = None if name in {"default", "*"} else module.function(name)
    if function is not None:
        return function
    exported = module.exported
    if name in {"default", "*"}:
        return (module, exported) if isinstance(exported, Function) else None
    for member in exported.members if isinstance(exported, Object) else ():
        if isinstance(member, Property) and member.key == name:
            value = module.followed(member.value)
            return (module, value) if isinstance(value, Function) else None
    return None


def _is_container(path: ValuePath) -> bool:
    return not path or path[-1] in _CONTAINER_NAMES


def _refuses(part: object) -> bool:
    match part:
        case Throw() | Call(Member(_, "throw" | "reject")):
            return True
        case Opaque(names) if type(part) is Opaque:
            return "throw" in names
        case _:
            return False


def _restricts(value: object) -> bool:
    """Whether a value of ``populate`` may restrict what is populated."""
    if value in _NOTHING:
        return True
    return any(isinstance(part, Property) and part.key in _RESTRICTING for part in walk(value))


def _root(value: object) -> str | None:
    """Return the name that a chain of members and calls begins with, ``strapi`` also as a key."""
    while isinstance(value, Member | Call | OptionalCall | Unary):
        if isinstance(value, Member):
            if value.key == "strapi":
                return "strapi"
            value = value.object
        elif isinstance(value, Unary):
            value = value.operand
        else:
            value = value.callee
    return value.text if isinstance(value, Name) else None


def _strapi_members(value: Expression) -> list[Expression]:
    """Return the chain of members and calls of ``strapi`` in an expression, outermost last."""
    chain: list[Expression] = []
    current: object = value
    while isinstance(current, Member | Call | OptionalCall | Unary):
        if isinstance(current, Member):
            if current.key == "strapi":
                break
            if not (chain and isinstance(chain[-1], Call) and chain[-1].callee is current):
                chain.append(current)
            current = current.object
        elif isinstance(current, Unary):
            current = current.operand
        else:
            if isinstance(current, Call):
                chain.append(current)
            current = current.callee
    return chain[::-1]
