"""Understands controller actions that read entries themselves and respond with them.

The statements are gone through in order: a read, calls of a service of the project that reads, what
is done when nothing is found, sanitizing, and the response. One statement more, and the action
counts as not understood.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from quire.customisations.query_changes import PathParameter, WholeQuery
from quire.customisations.reads.calls import read_call
from quire.customisations.reads.model import DocumentRead, Members
from quire.customisations.reads.populates import checked_query
from quire.customisations.request_values import (
    UNKNOWN_CODE,
    NotUnderstoodError,
    RequestValues,
    has_no_effect,
    is_harmless,
    statements_of,
    without_await,
    without_try,
)
from quire.javascript.scope import Module, NotPlainError
from quire.javascript.syntax import (
    ArrayPattern,
    Assign,
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
    Return,
    Statement,
    Throw,
    Unary,
)
from quire.schema.model import Kind, Schema

Services = Callable[[str], tuple[Module, Mapping[str, Expression]] | None]
"""Returns the module and the methods of a service, by uid."""


class Project(Struct, frozen=True):
    """What a read is held against; ``note_call`` is told which methods of services it calls."""

    schema: Schema
    services: Services
    note_call: Callable[[str, str], None]


_DEEPEST_CALL = 4
_NOT_FOUND = "Not Found"


def understand_read(module: Module, uid: str, function: Function, project: Project) -> DocumentRead:
    """Return what an action of a type's controller reads. Raises NotUnderstoodError."""
    match function.parameters:
        case (Name(ctx), *_):
            values = RequestValues(module, ctx, frozenset({"super"}))
        case ():
            values = RequestValues(module, None)
        case _:
            raise NotUnderstoodError("is not a function of ctx")
    found = _Interpreter(values, project, uid).run(statements_of(function))
    if found.uid != uid and (found.sanitized or found.enveloped):
        raise NotUnderstoodError("sanitizes entries of another type")
    schema = project.schema
    model = schema.content_types[found.uid]
    query = checked_query(found.query, model, schema, sanitized=found.sanitized)
    return replace(found, query=query)


class _Interpreter(Struct):
    """Goes through the statements of one function.

    ``uid`` is the type of the controller, ``None`` in a service, which has no request.
    """

    values: RequestValues
    project: Project
    uid: str | None
    depth: int = 0
    calls: set[Call] = field(default_factory=set)
    """The reads that were met: there may be one, since what is done with a second is not known."""
    declared: set[str] = field(default_factory=set)
    """Variables without a value so far."""
    found: dict[str, DocumentRead] = field(default_factory=dict)
    """Variables that hold what was read."""
    validates: bool = False
    missing: str | None = None
    body: DocumentRead | None = None
    """What was assigned to ``ctx.body``."""

    def run(self, statements: Sequence[Statement]) -> DocumentRead:
        """Return what is responded with, or what a service returns."""
        statements = without_try(statements)
        constants = [one for one in statements if self._is_constant(one)]
        self.values.module = self.values.module.inner(constants)
        for index, statement in enumerate(statements):
            if isinstance(statement, Return):
                if index + 1 < len(statements):
                    raise NotUnderstoodError(UNKNOWN_CODE)
                return self._response(statement.value)
            if self.body is not None and not is_harmless(statement):
                raise NotUnderstoodError(UNKNOWN_CODE)
            self._statement(statement)
        return self._response(None)

    def _is_constant(self, statement: Statement) -> bool:
        if not isinstance(statement, Declaration):
            return False
        return has_no_effect(statement.value) and not self.values.mentions_request(statement.value)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case _ if is_harmless(statement):
                return
            case Declaration(target, value):
                self._declaration(target, value)
            case Evaluate(Assign("=", Member(Name(ctx), "body"), value)) if ctx == self.values.ctx:
                self.body = self._wrapped(value)
            case Evaluate(Assign("=", Name(name), value)) if name in self.declared:
                self.declared.remove(name)
                self._named(name, value)
            case Evaluate(value) if self._is_own(value, "validateQuery"):
                self.validates = True
            case Evaluate(value) if self._sent(value) is not None:
                self.body = self._wrapped(value)
            case If(test, then, ()):
                self._condition(test, then)
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    # Variables

    def _declaration(self, target: object, value: Expression) -> None:
        match target:
            case Name(name):
                self._named(name, value)
            case ObjectPattern() if self.values.mentions_request(value):
                self.values.declare_parts(target, value)
            case ArrayPattern((name,)) if name:
                self.found[name] = _first(self._read(value))
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    def _named(self, name: str, value: Expression) -> None:
        if value == Opaque():
            self.declared.add(name)
            return
        read = self._maybe_read(value)
        if read is not None:
            self.found[name] = read
        elif self._is_own(value, "sanitizeQuery"):
            self.values.symbols[name] = WholeQuery()
        elif self.values.mentions_request(value):
            self.values.declare(name, value)
        elif not has_no_effect(value):
            raise NotUnderstoodError(UNKNOWN_CODE)

    # What is read

    def _read(self, value: Expression) -> DocumentRead:
        found = self._maybe_read(value)
        if found is None:
            raise NotUnderstoodError(UNKNOWN_CODE)
        return found

    def _maybe_read(self, value: Expression) -> DocumentRead | None:
        """Return what an expression reads, ``None`` if it does not read at all."""
        value = without_await(value)
        match value:
            case Name(name):
                return self.found.get(name)
            case Member(inner, key) if key in {"0", Literal(0)}:
                whole = self._maybe_read(inner)
                return None if whole is None else _first(whole)
            case Conditional(Call(Member(Name("Array"), "isArray"), (tested,)), then, _):
                whole = self._maybe_read(tested)
                return self._maybe_read(then) if whole is not None and whole.is_list else None
            case Call(Member(Name("this"), "sanitizeOutput"), (inner, ctx)):
                read = self._maybe_read(inner)
                is_own = self.uid is not None and self.values.is_ctx(ctx)
                return replace(read, sanitized=True) if read is not None and is_own else None
            case Call(Member(Call(Member(Name("strapi"), "service"), (uid,)), str() as name)):
                self._count(value)
                return self._called(self._uid_of(uid), name, value.arguments)
            case Call(Member(Name("this"), str() as name)) if self.uid is None:
                raise NotUnderstoodError(f"calls {name} of its service")
            case _:
                return self._call(value)

    def _call(self, value: Expression) -> DocumentRead | None:
        call = read_call(value, self.values)
        if call is None:
            return None
        self._count(value)
        uid = self._uid_of(call.uid)
        is_single = self.project.schema.content_types[uid].kind is Kind.SINGLE
        return DocumentRead(
            uid=uid,
            query=call.query,
            is_list=call.is_list and not (is_single and call.first_of_single),
            of_any_version=call.of_any_version,
            sanitized=False,
        )

    def _count(self, call: Expression) -> None:
        if isinstance(call, Call):
            self.calls.add(call)
        if len(self.calls) > 1:
            raise NotUnderstoodError("reads more than once")

    def _uid_of(self, value: Expression) -> str:
        try:
            found = self.values.module.value(value)
        except NotPlainError:
            raise NotUnderstoodError("computes what it reads") from None
        if found not in {one.uid for one in self.project.schema.api_types}:
            raise NotUnderstoodError("reads something else than content of the project")
        return str(found)

    def _called(self, uid: str, name: str, arguments: Sequence[Expression]) -> DocumentRead:
        """Return what a method of a service of the project returns."""
        service = self.project.services(uid)
        if service is None or name not in service[1] or self.depth >= _DEEPEST_CALL:
            raise NotUnderstoodError(f"calls {name} of a service")
        module, methods = service
        function = module.followed(methods[name])
        if not isinstance(function, Function):
            raise NotUnderstoodError(f"calls {name} of a service")
        for argument in arguments[len(function.parameters) :]:
            self.values.value(argument)  # nobody looks at what it is
        inner = RequestValues(module, None)
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            if not isinstance(parameter, Name):
                raise NotUnderstoodError(f"calls {name} of a service")
            inner.symbols[parameter.text] = self.values.value(argument)
        if len(arguments) < len(function.parameters):
            raise NotUnderstoodError(f"calls {name} of a service")
        depth = self.depth + 1
        found = _Interpreter(inner, self.project, None, depth).run(statements_of(function))
        self.project.note_call(uid, name)
        return found

    # Where nothing is found

    def _condition(self, test: Expression, then: Sequence[Statement]) -> None:
        if self._is_never(test):
            return
        if not self._finds_nothing(test):
            raise NotUnderstoodError("decides by code that does not run")
        statements = [one for one in then if not is_harmless(one)]
        match statements:
            case [Return(Call() as call)] | [Evaluate(Call() as call)] if call.callee == Member(
                Name(self.values.ctx or ""), "throw"
            ):
                self.missing = self._thrown(call.arguments)
            case [Return(Call(Member(Name(ctx), "notFound"), arguments))] if (
                ctx == self.values.ctx and len(arguments) <= 1
            ):
                self.missing = self._message(arguments)
            case [Return(None | Literal(None))] | [Return(Name("undefined"))]:
                self.missing = self.missing or _NOT_FOUND
            case [Throw(Call(callee, arguments, is_new=True))] if (
                _last_name(callee) == "NotFoundError" and len(arguments) <= 1
            ):
                self.missing = self._message(arguments)
            case _:
                raise NotUnderstoodError("does something else when nothing is found")

    def _thrown(self, arguments: Sequence[Expression]) -> str:
        match arguments:
            case (Literal(404), *message) if len(message) <= 1:
                return self._message(message)
            case _:
                raise NotUnderstoodError("does something else when nothing is found")

    def _message(self, arguments: Sequence[Expression]) -> str:
        if not arguments:
            return _NOT_FOUND
        try:
            found = self.values.module.value(arguments[0])
        except NotPlainError:
            found = None
        if not isinstance(found, str):
            raise NotUnderstoodError("computes a message")
        return found

    def _is_never(self, test: Expression) -> bool:
        """Whether a condition never holds: parameters of the path are never empty."""
        match test:
            case Unary("!", inner):
                symbol = self.values.symbol(inner)
                read = self.found.get(inner.text) if isinstance(inner, Name) else None
                is_list = read is not None and read.is_list
                return isinstance(symbol, PathParameter) or is_list
            case Binary("||", left, right):
                return self._is_never(left) and self._is_never(right)
            case _:
                return False

    def _finds_nothing(self, test: Expression) -> bool:
        """Whether a condition holds exactly where nothing was found."""
        match test:
            case Unary("!", Member(inner, "length")):
                return self._is_found(inner, is_list=True)
            case Unary("!", inner):
                return self._is_found(inner, is_list=False)
            case Binary("===" | "==", Member(inner, "length"), Literal(0)):
                return self._is_found(inner, is_list=True)
            case Binary("===" | "==", inner, Literal(None) | Name("undefined")):
                return self._is_found(inner, is_list=False)
            case Binary("||", left, right):
                if self._is_never(left):
                    return self._finds_nothing(right)
                return self._finds_nothing(left) and self._finds_nothing(right)
            case _:
                return False

    def _is_found(self, value: Expression, *, is_list: bool) -> bool:
        read = self._maybe_read(value) if isinstance(value, Name | Member) else None
        return read is not None and read.is_list == is_list

    # The response

    def _response(self, value: Expression | None) -> DocumentRead:
        read = self.body if value is None else self._wrapped(value)
        if read is None:
            raise NotUnderstoodError("does not respond")
        return replace(
            read,
            missing=read.missing or self.missing,
            validates=read.validates or self.validates,
        )

    def _wrapped(self, value: Expression) -> DocumentRead:
        value = self._sent(value) or without_await(value)
        match value:
            case Call(Member(Name("this"), "transformResponse"), (inner,)):
                return replace(self._read(inner), enveloped=True)
            case Object(members) if members:
                return self._object(members)
            case _:
                return self._read(value)

    def _sent(self, value: Expression) -> Expression | None:
        """Return what ``ctx.send(value)`` responds with."""
        match without_await(value):
            case Call(Member(Name(ctx), "send"), (sent,)) if ctx == self.values.ctx:
                return sent
            case _:
                return None

    def _object(self, members: Sequence[object]) -> DocumentRead:
        found: DocumentRead | None = None
        entries: list[str] = []
        constants: dict[str, object] = {}
        for member in members:
            if not isinstance(member, Property) or not isinstance(member.key, str):
                raise NotUnderstoodError("responds with an object that it computes")
            read = self._maybe_read(member.value)
            if read is None:
                constants[member.key] = self._plain(member.value)
            elif found is None:
                found = read
                entries.append(member.key)
            else:
                raise NotUnderstoodError("responds with more than one read")
        if found is None or found.enveloped or found.wrapped is not None:
            raise NotUnderstoodError("responds with an object that it computes")
        return replace(found, wrapped=Members(tuple(entries), constants))

    def _plain(self, value: Expression) -> object:
        try:
            found = self.values.module.value(value)
        except NotPlainError:
            raise NotUnderstoodError("responds with something that it computes") from None
        if found is not None and not isinstance(found, str | int | float | dict | list):
            raise NotUnderstoodError("responds with something that it computes")
        return found

    def _is_own(self, value: Expression, name: str) -> bool:
        """Whether an expression is ``this.name(ctx)`` in a controller."""
        match without_await(value):
            case Call(Member(Name("this"), str() as called), (ctx,)):
                return self.uid is not None and called == name and self.values.is_ctx(ctx)
            case _:
                return False


def _first(read: DocumentRead) -> DocumentRead:
    """Return the read of the first of a list."""
    if not read.is_list:
        raise NotUnderstoodError(UNKNOWN_CODE)
    return replace(read, is_list=False)


def _last_name(callee: Expression) -> str | None:
    match callee:
        case Name(name) | Member(_, str() as name):
            return name
        case _:
            return None
