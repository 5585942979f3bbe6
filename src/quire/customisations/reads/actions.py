"""Analyses controller actions that read entries themselves and respond with them.

The statements are analysed in order: a read, calls of a service of the project that reads, handling
of a missing entry, sanitizing, and the response. With any other statement the action is not
understood.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from quire.customisations.error_responses import error_response
from quire.customisations.query_changes import QueryBranch, QueryStep
from quire.customisations.reads.calls import ReadCall, core_call, read_call
from quire.customisations.reads.model import (
    ENTRY_COUNT,
    DocumentRead,
    ResponseObject,
)
from quire.customisations.reads.not_found import NotFoundCheck
from quire.customisations.reads.populates import checked_query
from quire.customisations.request_expressions import RequestValues
from quire.customisations.statements import (
    UNKNOWN_CODE,
    NotUnderstoodError,
    has_no_effect,
    is_harmless,
    statements_of,
    without_await,
    without_try,
    without_unused,
)
from quire.customisations.value_expressions import WholeQuery
from quire.javascript.scope import Module, NotPlainError
from quire.javascript.syntax import (
    ArrayPattern,
    Assign,
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
)
from quire.schema.model import Schema, TypeKind

_DEEPEST_CALL = 4
_COMPUTED_RESPONSE = "responds with something that it computes"


Services = Callable[[str], tuple[Module, Mapping[str, Expression]] | None]
"""Returns the module and the methods of a service, by uid."""


class ReadContext(Struct, frozen=True):
    """The context of a read; ``note_call`` records which methods of services it calls."""

    schema: Schema
    services: Services
    note_call: Callable[[str, str], None]


def understand_read(
    module: Module, uid: str, function: Function, project: ReadContext
) -> DocumentRead:
    """Return the read of an action of a type's controller. Raises NotUnderstoodError."""
    match function.parameters:
        case (Name(ctx), *_):
            values = RequestValues(module, ctx, frozenset({"super"}))
        case ():
            values = RequestValues(module, None)
        case _:
            raise NotUnderstoodError("is not a function of ctx")
    result = _ReadingFunction(values, project, uid).run(statements_of(function))
    return _check_read(result, uid, project.schema)


def _check_read(read: DocumentRead, uid: str, schema: Schema) -> DocumentRead:
    """Return a read that was checked against the schema."""
    if read.uid != uid and (read.sanitized or read.enveloped):
        raise NotUnderstoodError("sanitizes entries of another type")
    model = schema.content_types[read.uid]
    query = checked_query(
        read.query, model, schema, sanitized=read.sanitized, of_rows=read.of_any_version
    )
    return replace(read, query=query)


class _ReadingFunction(Struct):
    """Analyses the statements of one function.

    ``uid`` is the type of the controller, ``None`` in a service, which has no request.
    """

    values: RequestValues
    project: ReadContext
    uid: str | None
    depth: int = 0
    service: str = ""
    """The service of the function, if it is a method."""
    calls: set[Call] = field(default_factory=set)
    """The reads so far: only one is supported, since the use of a second is unknown."""
    reads: dict[str, DocumentRead] = field(default_factory=dict)
    """Variables with the result of a read."""
    takes_page: bool = False
    """Whether a page of the core's service is destructured."""
    not_found_message: str | None = None
    """The message for a missing entry."""
    declared: set[str] = field(default_factory=set)
    """Variables without a value so far."""
    pages: str = ""
    """The variable with the pagination of a list."""
    validates: bool = False
    checks: list[QueryStep] = field(default_factory=list)
    body: DocumentRead | None = None
    """The value that was assigned to ``ctx.body``."""

    def run(self, statements: Sequence[Statement]) -> DocumentRead:
        """Return the response, or the result of a service."""
        statements = without_unused(without_try(statements), self.values.ctx)
        constants = [statement for statement in statements if self._is_constant(statement)]
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
                self.body = self._read_response(value)
            case Evaluate(Assign("=", Name(name), value)):
                self._assign_variable(name, value)
            case Evaluate(value) if self._is_own(value, "validateQuery"):
                self.validates = True
            case Evaluate(value) if self._response_of_send(value) is not None:
                self.body = self._read_response(value)
            case If(test, then, ()):
                self._check(test, then)
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    def _check(self, test: Expression, then: Sequence[Statement]) -> None:
        """Add an error for some requests, or for a missing entry."""
        if not self._refuses(test, then):
            check = NotFoundCheck(self.values, self._read_of)
            self.not_found_message = check.message(test, then, self.not_found_message)

    def _assign_variable(self, name: str, value: Expression) -> None:
        if name in self.reads:
            self.reads[name] = self._read(value)
        elif name in self.declared:
            self.declared.remove(name)
            self._declare_variable(name, value)
        else:
            raise NotUnderstoodError(UNKNOWN_CODE)

    def _refuses(self, test: Expression, then: Sequence[Statement]) -> bool:
        """Add a check of the request before everything else."""
        response = error_response(self.values, then)
        if response is None or not self.values.mentions_request(test):
            return False
        value = self.values.value(test)
        if self.calls or self.validates:
            raise NotUnderstoodError("checks the request after it has read")
        self.checks.append(QueryBranch(value, (response,)))
        return True

    # Variables

    def _declaration(self, target: object, value: Expression) -> None:
        match target:
            case Name(name):
                self._declare_variable(name, value)
            case ObjectPattern((("results", results), ("pagination", pages))) | ObjectPattern(
                (("pagination", pages), ("results", results))
            ):
                self._page(results, pages, value)
            case ObjectPattern((("results", results),)):
                self._page(results, "", value)
            case ObjectPattern() if self.values.mentions_request(value):
                self.values.declare_parts(target, value)
            case ArrayPattern((name,)) if name:
                self.reads[name] = _first_of(self._read(value))
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    def _page(self, results: str, pages: str, value: Expression) -> None:
        """Add the variables with the result of the core's service for a list."""
        self.takes_page = True
        read = self._read(value)
        self.takes_page = False
        if not (read.is_core and read.is_list):
            raise NotUnderstoodError(UNKNOWN_CODE)
        self.reads[results] = read
        self.pages = pages

    def _declare_variable(self, name: str, value: Expression) -> None:
        if value == Opaque():
            self.declared.add(name)
            return
        read = self._maybe_read(value)
        if read is not None:
            self.reads[name] = read
        elif self._is_own(value, "sanitizeQuery"):
            self.values.symbols[name] = WholeQuery()
        elif self.values.mentions_request(value):
            self.values.declare(name, value)
        elif not has_no_effect(value):
            raise NotUnderstoodError(UNKNOWN_CODE)

    # Reads

    def _read(self, value: Expression) -> DocumentRead:
        """Return the read of an expression. Raises NotUnderstoodError."""
        result = self._maybe_read(value)
        if result is None:
            raise NotUnderstoodError(UNKNOWN_CODE)
        return result

    def _maybe_read(self, value: Expression) -> DocumentRead | None:
        """Return the read of an expression, ``None`` if it does not read at all."""
        value = without_await(value)
        match value:
            case Name(name):
                return self.reads.get(name)
            case Member(inner, key) if key in {"0", Literal(0)}:
                list_read = self._maybe_read(inner)
                return None if list_read is None else _first_of(list_read)
            case Conditional(Call(Member(Name("Array"), "isArray"), (tested,)), then, _):
                list_read = self._maybe_read(tested)
                is_list = list_read is not None and list_read.is_list
                return self._maybe_read(then) if is_list else None
            case Call(Member(Name("this"), "sanitizeOutput"), (inner, ctx)):
                read = self._maybe_read(inner)
                is_own = self.uid is not None and self.values.is_ctx(ctx)
                return replace(_without_envelope(read), sanitized=True) if read and is_own else None
            case Call(Member(Call(Member(Name("strapi"), "service"), (uid,)), str() as name)):
                return self._service_read(self._uid_of(uid), name, value)
            case Call(Member(Name("this"), str() as name)) if self.uid is None:
                return self._service_read(self.service, name, value)
            case _:
                return self._call(value)

    def _read_of(self, value: Expression) -> DocumentRead | None:
        """Return the read of a variable, or of the first entry of one."""
        return self._maybe_read(value) if isinstance(value, Name | Member) else None

    def _call(self, value: Expression) -> DocumentRead | None:
        call = read_call(value, self.values)
        return None if call is None else self._build_read(call, value)

    def _build_read(self, call: ReadCall, value: Expression) -> DocumentRead:
        self._count_call(value)
        uid = self._uid_of(call.uid)
        is_single = self.project.schema.content_types[uid].kind is TypeKind.SINGLE
        return DocumentRead(
            uid=uid,
            query=call.query,
            is_list=call.is_list and not (is_single and call.first_of_single),
            of_any_version=call.of_any_version,
            is_core=call.is_core,
        )

    def _count_call(self, call: Expression) -> None:
        if isinstance(call, Call):
            self.calls.add(call)
        if len(self.calls) > 1:
            raise NotUnderstoodError("reads more than once")

    def _uid_of(self, value: Expression) -> str:
        try:
            result = self.values.module.value(value)
        except NotPlainError:
            raise NotUnderstoodError("computes what it reads") from None
        if result not in {content_type.uid for content_type in self.project.schema.api_types}:
            raise NotUnderstoodError("reads something else than content of the project")
        return str(result)

    def _service_read(self, uid: str, name: str, call: Call) -> DocumentRead:
        """Return the result of a method of a service: one of the project's own, or of the core."""
        arguments = call.arguments
        service = self.project.services(uid)
        if service is not None and name not in service[1]:
            core = core_call(Literal(uid), name, arguments, self.values)
            if core is not None and core.is_list and not self.takes_page:
                raise NotUnderstoodError("uses a page of the core's service as a whole")
            if core is not None:
                return self._build_read(core, call)
        if service is None or name not in service[1] or self.depth >= _DEEPEST_CALL:
            raise NotUnderstoodError(f"calls {name} of a service")
        self._count_call(call)
        module, methods = service
        function = module.followed(methods[name])
        if not isinstance(function, Function):
            raise NotUnderstoodError(f"calls {name} of a service")
        for argument in arguments[len(function.parameters) :]:
            self.values.value(argument)  # its value is not used
        inner = RequestValues(module, None)
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            if not isinstance(parameter, Name):
                raise NotUnderstoodError(f"calls {name} of a service")
            inner.symbols[parameter.text] = self.values.value(argument)
        if len(arguments) < len(function.parameters):
            raise NotUnderstoodError(f"calls {name} of a service")
        method = _ReadingFunction(inner, self.project, None, self.depth + 1, uid)
        result = method.run(statements_of(function))
        self.project.note_call(uid, name)
        return result

    def _is_own(self, value: Expression, name: str) -> bool:
        """Whether an expression is ``this.name(ctx)`` in a controller."""
        match without_await(value):
            case Call(Member(Name("this"), str() as called), (ctx,)):
                return self.uid is not None and called == name and self.values.is_ctx(ctx)
            case _:
                return False

    # The response

    def _response(self, value: Expression | None) -> DocumentRead:
        read = self.body if value is None else self._read_response(value)
        if read is None:
            raise NotUnderstoodError("does not respond")
        return replace(
            read,
            not_found_message=read.not_found_message or self.not_found_message,
            validates=read.validates or self.validates,
            checks=(*self.checks, *read.checks),
        )

    def _read_response(self, value: Expression) -> DocumentRead:
        value = self._response_of_send(value) or without_await(value)
        match value:
            case Call(Member(Name("this"), "transformResponse"), (inner,)):
                return replace(_without_envelope(self._read(inner)), enveloped=True)
            case Call(
                Member(Name("this"), "transformResponse"),
                (inner, Object((Property("pagination", Name(pages)),))),
            ) if pages and pages == self.pages:
                read = _without_envelope(self._read(inner))
                return replace(read, enveloped=True, shows_pages=True)
            case Object((Property(), *_) as members):
                return self._object(members)
            case _:
                return self._read(value)

    def _response_of_send(self, value: Expression) -> Expression | None:
        """Return the response of ``ctx.send(value)``."""
        match without_await(value):
            case Call(Member(Name(ctx), "send"), (sent,)) if ctx == self.values.ctx:
                return sent
            case _:
                return None

    def _object(self, members: Sequence[object]) -> DocumentRead:
        """Return the response of an object: one read, constants, and the number of entries."""
        result: DocumentRead | None = None
        entries: list[str] = []
        other_members: dict[str, Expression] = {}
        for member in members:
            if not isinstance(member, Property) or not isinstance(member.key, str):
                raise NotUnderstoodError(_COMPUTED_RESPONSE)
            read = self._maybe_read(member.value)
            if read is None:
                other_members[member.key] = member.value
            elif result is None:
                result = read
                entries.append(member.key)
            else:
                raise NotUnderstoodError("responds with more than one read")
        if result is None:
            raise NotUnderstoodError(_COMPUTED_RESPONSE)
        constants = {
            key: self._constant_value(value, result) for key, value in other_members.items()
        }
        return replace(_without_envelope(result), wrapped=ResponseObject(tuple(entries), constants))

    def _constant_value(self, value: Expression, read: DocumentRead) -> object:
        match value:
            case Object(members):
                pairs = [member for member in members if isinstance(member, Property)]
                if len(pairs) == len(members):
                    return {str(pair.key): self._constant_value(pair.value, read) for pair in pairs}
            case Member(inner, "length") if read.is_list and self._read_of(inner) is not None:
                return ENTRY_COUNT
        try:
            constant = self.values.module.value(value)
        except NotPlainError:
            raise NotUnderstoodError(_COMPUTED_RESPONSE) from None
        if constant is not None and not isinstance(constant, str | int | float | dict | list):
            raise NotUnderstoodError(_COMPUTED_RESPONSE)
        return constant


def _first_of(read: DocumentRead) -> DocumentRead:
    """Return the read of the first entry of a list."""
    if not read.is_list:
        raise NotUnderstoodError(UNKNOWN_CODE)
    return replace(_without_envelope(read), is_list=False)


def _without_envelope(read: DocumentRead) -> DocumentRead:
    """Return a read that is not a response yet."""
    if read.enveloped or read.wrapped is not None:
        raise NotUnderstoodError("changes a response")
    return read
