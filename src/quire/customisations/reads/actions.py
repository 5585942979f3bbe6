"""Understands controller actions that read entries themselves and respond with them.

The statements are gone through in order: a read, calls of a service of the project that reads, what
is done when nothing is found, sanitizing, and the response. One statement more, and the action
counts as not understood.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from quire.customisations.query_changes import WholeQuery
from quire.customisations.reads.absence import Absence
from quire.customisations.reads.calls import ReadCall, core_call, read_call
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
from quire.schema.model import Kind, Schema

Services = Callable[[str], tuple[Module, Mapping[str, Expression]] | None]
"""Returns the module and the methods of a service, by uid."""


class Project(Struct, frozen=True):
    """What a read is held against; ``note_call`` is told which methods of services it calls."""

    schema: Schema
    services: Services
    note_call: Callable[[str, str], None]


_DEEPEST_CALL = 4


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
    query = checked_query(
        found.query, model, schema, sanitized=found.sanitized, of_rows=found.of_any_version
    )
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
    pages: str = ""
    """The variable that holds the pagination of a list."""
    takes_page: bool = False
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
                self.missing = Absence(self.values, self._read_of).message(test, then, self.missing)
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    # Variables

    def _declaration(self, target: object, value: Expression) -> None:
        match target:
            case Name(name):
                self._named(name, value)
            case ObjectPattern((("results", results), ("pagination", pages))) | ObjectPattern(
                (("pagination", pages), ("results", results))
            ):
                self._page(results, pages, value)
            case ObjectPattern((("results", results),)):
                self._page(results, "", value)
            case ObjectPattern() if self.values.mentions_request(value):
                self.values.declare_parts(target, value)
            case ArrayPattern((name,)) if name:
                self.found[name] = _first(self._read(value))
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    def _page(self, results: str, pages: str, value: Expression) -> None:
        """Take in the variables that hold what the core's service returns for a list."""
        self.takes_page = True
        read = self._read(value)
        self.takes_page = False
        if not (read.is_core and read.is_list):
            raise NotUnderstoodError(UNKNOWN_CODE)
        self.found[results] = read
        self.pages = pages

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
                return self._called(self._uid_of(uid), name, value)
            case Call(Member(Name("this"), str() as name)) if self.uid is None:
                raise NotUnderstoodError(f"calls {name} of its service")
            case _:
                return self._call(value)

    def _read_of(self, value: Expression) -> DocumentRead | None:
        """Return what a variable, or the first of one, was read as."""
        return self._maybe_read(value) if isinstance(value, Name | Member) else None

    def _call(self, value: Expression) -> DocumentRead | None:
        call = read_call(value, self.values)
        return None if call is None else self._counted(call, value)

    def _counted(self, call: ReadCall, value: Expression) -> DocumentRead:
        self._count(value)
        uid = self._uid_of(call.uid)
        is_single = self.project.schema.content_types[uid].kind is Kind.SINGLE
        return DocumentRead(
            uid=uid,
            query=call.query,
            is_list=call.is_list and not (is_single and call.first_of_single),
            of_any_version=call.of_any_version,
            is_core=call.is_core,
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

    def _called(self, uid: str, name: str, call: Call) -> DocumentRead:
        """Return what a method of a service returns: one of the project's own, or of the core."""
        arguments = call.arguments
        service = self.project.services(uid)
        if service is not None and name not in service[1]:
            core = core_call(Literal(uid), name, arguments, self.values)
            if core is not None and core.is_list and not self.takes_page:
                raise NotUnderstoodError("uses a page of the core's service as a whole")
            if core is not None:
                return self._counted(core, call)
        if service is None or name not in service[1] or self.depth >= _DEEPEST_CALL:
            raise NotUnderstoodError(f"calls {name} of a service")
        self._count(call)
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
            case Call(
                Member(Name("this"), "transformResponse"),
                (inner, Object((Property("pagination", Name(pages)),))),
            ) if pages and pages == self.pages:
                return replace(self._read(inner), enveloped=True, shows_pages=True)
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
