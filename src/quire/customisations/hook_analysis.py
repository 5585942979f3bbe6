"""Tells whether JavaScript that Strapi calls around actions on documents may guard them.

Document middlewares and lifecycles are called for each read and write of documents. Without those
that only add something (logs, mails, entries of other types, computed values) content is served as
it should be; those that may refuse an action, or restrict what it reads or writes, are guards. The
code is followed for one content type and one action at a time, for which its conditions on these
are known. Code that is not understood counts as a guard.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import zip_longest

from quire.customisations.hook_changes import (
    HookChangeAnalysis,
)
from quire.customisations.hook_values import (
    ANY,
    DATA,
    GLOBAL_FUNCTIONS,
    MUTATORS,
    NOT_UNDERSTOOD,
    PARSERS,
    RESULT,
    UNKNOWN,
    HookCall,
    JavaScriptProject,
    ValuePath,
    root_name,
)
from quire.javascript.scope import (
    Module,
    is_harmless_call,
    walk,
)
from quire.javascript.syntax import (
    Array,
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
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
    Return,
    Spread,
    Statement,
    Switch,
    Template,
    Throw,
    Try,
    Unary,
    Update,
)

_DEEPEST_CALL = 6
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
_CHANGING_FUNCTIONS = frozenset(
    {
        *("assign", "assignIn", "extend", "merge", "mergeWith", "set", "unset", "update", "pull"),
        *("pullAll", "remove", "defaults", "defaultsDeep", "defineProperty", "freeze"),
        *("setPrototypeOf", "deleteProperty"),
    }
)
"""Functions of ``Object``, ``Reflect`` and lodash that change their first argument."""
_OWNERS_OF_CHANGING_FUNCTIONS = frozenset({"Object", "Reflect", "_", "lodash"})
_CALLBACK_METHODS = frozenset(
    {"map", "forEach", "filter", "find", "some", "every", "flatMap", "reduce", "findIndex", "sort"}
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
_REMOVALS = frozenset({"delete", "deleteMany", "unpublish", "discardDraft"})
_SQL = frozenset({"connection", "getConnection", "getSchemaConnection", "queryBuilder"})
"""Members of ``strapi.db`` that run SQL."""
_READS_OF_REQUEST = _BUILT_IN_METHODS - {"delete", "clear", "set"} | {"is", "accepts", "header"}
_FOLLOWED = frozenset({"params", "result"})
"""Members of the hook's argument whose changes are checked."""
_KEEPING_NOTHING = _BUILT_IN_METHODS - {
    *("push", "unshift", "splice", "fill", "concat", "set", "add"),
}
"""Methods that keep nothing that they are called with."""
_GLOBAL_OBJECTS = frozenset(
    {"JSON", "Object", "Array", "Promise", "String", "Number", "Boolean", "Date", "Math", "console"}
)
"""Global objects whose functions do not either, but for objects and lists that are written out."""
_KEEPING_FUNCTIONS = frozenset({"fromEntries", "groupBy", "create", "defineProperties"})
"""Their functions that keep the items of lists."""
_KEEPING_CONSTRUCTORS = frozenset({"Array", "Map", "Object", "Set", "WeakMap", "WeakSet", "Proxy"})
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
_CORE_METHODS = frozenset({"find", "findOne", "create", "update", "delete", "createOrUpdate"})


class _Flow(Enum):
    """Where code goes on after a statement."""

    NEXT = "next"
    BLOCK_END = "block end"
    """After ``break`` or ``continue``."""
    FUNCTION_END = "function end"


def require_no_guard(
    code: JavaScriptProject,
    module: Module,
    function: Function,
    call: HookCall,
    *,
    is_middleware: bool,
) -> None:
    """Check that a function guards nothing when it is called. Raises GuardingCodeError."""
    analysis = _HookAnalysis(code, module, call)
    try:
        analysis.run_hook(function, is_middleware=is_middleware)
    except RecursionError:
        raise analysis.guard(NOT_UNDERSTOOD) from None


class _HookAnalysis(HookChangeAnalysis):
    """The analysis of a function, and of those that it calls."""

    def __init__(
        self, code: JavaScriptProject, module: Module, call: HookCall, depth: int = 0
    ) -> None:
        super().__init__(code, module, call, depth)
        self._is_middleware = False
        self._has_called_next = False
        self._handled_errors = 0
        self._running: dict[int, Sequence[ValuePath | None]] = {}
        """The members of the hook's argument that the functions being followed have received."""

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

    def run_function(self, function: Function) -> None:
        """Follow a function. Raises GuardingCodeError."""
        if isinstance(function.body, Opaque):
            raise self.guard(NOT_UNDERSTOOD)
        self._note_declarations(function)
        self._bind_all(function.body)
        if isinstance(function.body, tuple):
            end = self._run(function.body)
            if end is _Flow.NEXT and self._is_middleware:
                raise self.guard("does not return what next returns")
        else:
            self._return(function.body)

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
                self.bind(target, Opaque(), None if path is None else (*path, ANY))
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
        if known is not UNKNOWN:
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
        if value is not UNKNOWN and UNKNOWN not in labels:
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
            is_result = (
                self._path(result) == RESULT and root_name(result) not in self._ambiguous_names
            )
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
                if known is UNKNOWN or known:
                    yield from self._alternatives(then)
                if known is UNKNOWN or not known:
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
                if known is UNKNOWN:
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
                if known is UNKNOWN:
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
        elif self._is_of_request(target.object):
            raise self.guard("changes the request or the response")
        is_followed = isinstance(target.object, Name) if path is None else path[0] in _FOLLOWED
        if not is_followed and value is not None:
            self._require_not_kept((value,))

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
                item = None if receiver is None else (*receiver, ANY)
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
        root = root_name(inner)
        owner = inner.key if isinstance(inner, Member) else root
        is_log = method in _LOG_METHODS and "log" in str(owner).lower()
        if not is_own_method and (is_harmless_call(callee) or is_log):
            return
        path = self._path(inner)
        if self._is_of_request(inner) and method not in _READS_OF_REQUEST:
            raise self.guard(f"calls {method} of the request")
        if method in _REFUSALS and not self._handled_errors:
            raise self.guard(f"calls {method}")
        if path is not None and method not in _CALLS_OF_FUNCTIONS:
            if method in MUTATORS:
                self._change_path((*path, ANY), None)
            return
        if method in _CHANGING_FUNCTIONS and (
            root_name(inner) in _OWNERS_OF_CHANGING_FUNCTIONS or self._package_of(inner) is not None
        ):
            self._call_changing_function(method, arguments)
        if method in _CALLS_OF_FUNCTIONS:
            self._call_unknown(f"a function by {method}", arguments)
            return
        expanded = self._expanded(callee)
        if isinstance(expanded, Member) and root_name(expanded) == "strapi":
            self._call_strapi(expanded, arguments)
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
            self._call_foreign_method(inner, method, arguments)

    def _call_foreign_method(
        self, inner: Expression, method: str, arguments: Sequence[Expression]
    ) -> None:
        """Check a call of a method of a package, or of an object of JavaScript."""
        package, root = self._package_of(inner), root_name(inner)
        if package is not None:
            self._require_package(package)
            if method.startswith(_REFUSING_NAMES) and not self._handled_errors:
                raise self.guard(f"calls {method}")
        if method == "parse" and root not in PARSERS and not self._handled_errors:
            raise self.guard("calls parse")
        if package is not None:
            self._require_not_passed_to_package(arguments)
        elif root not in _GLOBAL_OBJECTS and method not in _KEEPING_NOTHING:
            self._require_not_kept(arguments)
        else:
            self._require_not_kept(
                part
                for part in arguments
                if isinstance(part, Object)
                or (isinstance(part, Array) and method in _KEEPING_FUNCTIONS)
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
            self._change_path((*path, ANY), None)
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
            case [Member(_, "db"), Member(_, name) | Call(Member(_, name)), *_] if name in _SQL:
                raise self.guard("runs SQL")
            case [Call(Member(_, "documents"), (uid, *_)), *_] | [
                _,
                Call(Member(_, "query"), (uid, *_)),
                *_,
            ]:
                self._require_no_undoing(callee, uid, arguments)
                is_safe = True
            case [Member(_, "entityService"), *_] if arguments:
                self._require_no_undoing(callee, arguments[0], arguments)
                is_safe = True
            case [Member(_, "config"), *_] if callee.key not in _BUILT_IN_METHODS:
                self._call_unknown("a function of the configuration", arguments)
                return
            case [Member(_, str() as name) | Call(Member(_, str() as name)), *_]:
                is_safe = name in _SAFE_OF_STRAPI or name in {"plugin", "service"}
            case _:
                is_safe = False
        if not is_safe:
            raise self.guard("calls a part of strapi that is not known")

    def _require_no_undoing(
        self, callee: Member, uid: Expression, arguments: Sequence[Expression]
    ) -> None:
        """Check that a call does not remove or reset entries of the type that is read or written.

        Deletions may delete others.
        """
        known_uid = self._known(uid)
        if known_uid is not UNKNOWN and known_uid != self._content_type.uid:
            return
        if callee.key in _REMOVALS and "elete" not in self._call.action:
            raise self.guard("removes entries of its type")
        if callee.key not in {"update", "updateMany"} or known_uid is UNKNOWN:
            return
        for member in self._written_members(arguments):
            if not isinstance(member, Property) or not isinstance(member.key, str):
                continue
            if not self._may_set((*RESULT, member.key), member.value, self._tests):
                raise self.guard(f"sets {member.key} of entries of its type")

    def _written_members(self, arguments: Sequence[Expression]) -> Iterator[Property | Spread]:
        """Yield the members of the data that a call of ``update`` writes."""
        for argument in arguments:
            options = self._followed(argument)
            for option in options.members if isinstance(options, Object) else ():
                if isinstance(option, Property) and option.key == "data":
                    data = self._followed(option.value)
                    yield from data.members if isinstance(data, Object) else ()

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
        package = None if name in GLOBAL_FUNCTIONS else self._package_of(Name(name))
        if package is not None:
            self._require_package(package)
            imported_name = self._module.imports.get(name, ("", name))[1]
            name = name if imported_name in {"default", "*"} else imported_name
            if name.startswith(_REFUSING_NAMES) and not self._handled_errors:
                raise self.guard(f"calls {name}")
            if name in _CHANGING_FUNCTIONS:
                self._call_changing_function(name, arguments)
            self._require_not_passed_to_package(arguments)
            return
        function = None if name in self._values else self._own_function(name)
        is_declared = name in self._values or name in self._module.imports
        if function is not None:
            self._run_other(*function, arguments)
        elif name == "resolve" and name in self._shadowed:
            return
        elif name in _KEEPING_CONSTRUCTORS and not is_declared:
            self._require_not_kept(arguments)
        elif name not in GLOBAL_FUNCTIONS or is_declared or name in self._module.bindings:
            self._call_unknown(name, arguments)

    def _call_unknown(self, name: str, arguments: Sequence[Expression]) -> None:
        """Check a call of an unknown function, which may throw or change its arguments."""
        paths = map(self._path, arguments)
        if not self._handled_errors or any(
            path is not None and len(path) <= len(DATA) for path in paths
        ):
            raise self.guard(f"calls {name}, which is not known")

    def _require_package(self, origin: str) -> None:
        if origin.startswith("."):
            raise self.guard("calls what is not known")
        if origin in _VALIDATORS and not self._handled_errors:
            raise self.guard(f"calls {origin}, which may refuse data")

    def _require_not_passed_to_package(self, arguments: Sequence[Expression]) -> None:
        """Check that a package cannot change what is read."""
        if not self._call.is_read:
            return
        for argument in arguments:
            path = self._path(argument)
            if path is not None and len(path) <= len(DATA):
                raise self.guard("passes what it reads to a package")

    def _require_not_kept(self, arguments: Iterable[Expression]) -> None:
        """Check that no other object keeps what may be changed later by that object."""
        if not self._call.is_late and any(map(self._holds, arguments)):
            raise self.guard(NOT_UNDERSTOOD)

    def _is_of_request(self, value: Expression) -> bool:
        """Whether an expression is the request of the caller, or the response to it."""
        return any(
            isinstance(part, Member) and part.key == "requestContext"
            for part in self._origins(value)
        )

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


def _refuses(part: object) -> bool:
    match part:
        case Throw() | Call(Member(_, "throw" | "reject")):
            return True
        case Opaque(names) if type(part) is Opaque:
            return "throw" in names
        case _:
            return False


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
