"""Expressions that read: calls of the engines, of services, and variables with entries."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from quire.customisations.reads.calls import ReadCall, core_call, read_call
from quire.customisations.reads.model import DocumentRead
from quire.customisations.request_expressions import RequestValues
from quire.customisations.statements import (
    UNKNOWN_CODE,
    NotUnderstoodError,
    statements_of,
    without_await,
)
from quire.javascript.scope import Module, NotPlainError
from quire.javascript.syntax import (
    Call,
    Conditional,
    Expression,
    Function,
    Literal,
    Member,
    Name,
    Statement,
)
from quire.schema.model import Schema, TypeKind

Services = Callable[[str], tuple[Module, Mapping[str, Expression]] | None]
"""Returns the module and the methods of a service, by uid."""


class ReadContext(Struct, frozen=True):
    """The context of a read; ``note_call`` records which methods of services it calls."""

    schema: Schema
    services: Services
    note_call: Callable[[str, str], None]


Interpret = Callable[[RequestValues, ReadContext, str, int, Sequence[Statement]], DocumentRead]
"""Returns the result of a method of a service, at a depth of calls."""

_DEEPEST_CALL = 4


class ReadingFunction(Struct):
    """The state of the analysis of one function that reads.

    ``uid`` is the type of the controller, ``None`` in a service, which has no request.
    """

    values: RequestValues
    project: ReadContext
    interpret: Interpret
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

    def read(self, value: Expression) -> DocumentRead:
        """Return the read of an expression. Raises NotUnderstoodError."""
        result = self.maybe_read(value)
        if result is None:
            raise NotUnderstoodError(UNKNOWN_CODE)
        return result

    def maybe_read(self, value: Expression) -> DocumentRead | None:
        """Return the read of an expression, ``None`` if it does not read at all."""
        value = without_await(value)
        match value:
            case Name(name):
                return self.reads.get(name)
            case Member(inner, key) if key in {"0", Literal(0)}:
                list_read = self.maybe_read(inner)
                return None if list_read is None else first_of(list_read)
            case Conditional(Call(Member(Name("Array"), "isArray"), (tested,)), then, _):
                list_read = self.maybe_read(tested)
                is_list = list_read is not None and list_read.is_list
                return self.maybe_read(then) if is_list else None
            case Call(Member(Name("this"), "sanitizeOutput"), (inner, ctx)):
                read = self.maybe_read(inner)
                is_own = self.uid is not None and self.values.is_ctx(ctx)
                return replace(without_envelope(read), sanitized=True) if read and is_own else None
            case Call(Member(Call(Member(Name("strapi"), "service"), (uid,)), str() as name)):
                return self._service_read(self._uid_of(uid), name, value)
            case Call(Member(Name("this"), str() as name)) if self.uid is None:
                return self._service_read(self.service, name, value)
            case _:
                return self._call(value)

    def read_of(self, value: Expression) -> DocumentRead | None:
        """Return the read of a variable, or of the first entry of one."""
        return self.maybe_read(value) if isinstance(value, Name | Member) else None

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
        result = self.interpret(inner, self.project, uid, self.depth + 1, statements_of(function))
        self.project.note_call(uid, name)
        return result

    def is_own(self, value: Expression, name: str) -> bool:
        """Whether an expression is ``this.name(ctx)`` in a controller."""
        match without_await(value):
            case Call(Member(Name("this"), str() as called), (ctx,)):
                return self.uid is not None and called == name and self.values.is_ctx(ctx)
            case _:
                return False


def first_of(read: DocumentRead) -> DocumentRead:
    """Return the read of the first entry of a list."""
    if not read.is_list:
        raise NotUnderstoodError(UNKNOWN_CODE)
    return replace(without_envelope(read), is_list=False)


def without_envelope(read: DocumentRead) -> DocumentRead:
    """Return a read that is not a response yet."""
    if read.enveloped or read.wrapped is not None:
        raise NotUnderstoodError("changes a response")
    return read
