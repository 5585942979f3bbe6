"""Reads expressions that are made of a request: its query, the parameters of its path, constants.

Everything else that code may look at, such as who asks, counts as not understood.
"""

from collections.abc import Sequence

from msgspec import Struct, field

from quire.customisations.query_changes import (
    And,
    ArrayLiteral,
    ConditionalValue,
    Constant,
    Equals,
    MemberAccess,
    Not,
    ObjectLiteral,
    Or,
    Parameter,
    PathParameter,
    Value,
    WholeQuery,
)
from quire.javascript.scope import Module, NotPlainError, is_harmless_call
from quire.javascript.syntax import (
    Array,
    Assign,
    Binary,
    Call,
    Conditional,
    Evaluate,
    Expression,
    Function,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    Property,
    Return,
    Spread,
    Statement,
    Throw,
    Try,
    Unary,
)

_FAILURES = frozenset(
    {"throw", "internalServerError", "badRequest", "notFound", "forbidden", "unauthorized"}
)
UNKNOWN_CODE = "holds code that does not run"


class NotUnderstoodError(Exception):
    """Code that does more than what is recognised; the message says what."""


class PathParameters(Struct, frozen=True):
    """All parameters of the path, ``ctx.params``."""


Symbol = Value | PathParameters


class RequestValues(Struct):
    """Reads expressions in one function. ``ctx`` is its parameter that holds the request.

    ``own`` are other names by which the function speaks of the request, such as ``next``.
    """

    module: Module
    ctx: str | None
    own: frozenset[str] = frozenset()
    symbols: dict[str, Symbol] = field(default_factory=dict)
    """Variables that hold parts of the request."""

    def value(self, value: Expression) -> Value:
        """Return what an expression stands for. Raises NotUnderstoodError."""
        symbol = self.symbol(value)
        if isinstance(symbol, PathParameters):
            raise NotUnderstoodError("uses all parameters of the path at once")
        if symbol is not None:
            return symbol
        if not self.mentions_request(value):
            return self._constant(value)
        return self._made(value)

    def _made(self, value: Expression) -> Value:
        match value:
            case Object(members):
                return ObjectLiteral(tuple(self._member(member) for member in members))
            case Array(items) if not any(isinstance(item, Spread) for item in items):
                return ArrayLiteral(tuple(map(self.value, items)))
            case Binary("||" | "??" as operator, left, right):
                only_missing = operator == "??"
                return Or(self.value(left), self.value(right), only_missing=only_missing)
            case Binary("&&", left, right):
                return And(self.value(left), self.value(right))
            case Binary("===" | "==" as operator, left, right):
                return Equals(self.value(left), self.value(right), loose=operator == "==")
            case Binary("!==" | "!=" as operator, left, right):
                return Not(Equals(self.value(left), self.value(right), loose=operator == "!="))
            case Unary("!", inner):
                return Not(self.value(inner))
            case Conditional(test, then, otherwise):
                return ConditionalValue(self.value(test), self.value(then), self.value(otherwise))
            case _:
                raise NotUnderstoodError("uses more of the request than its query and path")

    def symbol(self, value: Expression) -> Symbol | None:
        """Return the part of the request that an expression names, if it is one."""
        match value:
            case Name(name):
                return self.symbols.get(name)
            case Member(inner, "query") if self.is_ctx(inner):
                return WholeQuery()
            case Member(Member(inner, "request"), "query") if self.is_ctx(inner):
                return WholeQuery()
            case Member(inner, "params") if self.is_ctx(inner):
                return PathParameters()
            case Member(inner, str() as key, is_optional):
                return self._part(self.symbol(inner), key, is_optional=is_optional)
            case _:
                return None

    def _part(self, whole: Symbol | None, key: str, *, is_optional: bool) -> Symbol | None:
        match whole:
            case None:
                return None
            case WholeQuery():
                return Parameter(key)
            case PathParameters():
                return PathParameter(key)
            case _:
                return MemberAccess(whole, key, is_optional=is_optional)

    def declare(self, name: str, value: Expression) -> None:
        """Take in a variable that holds something of the request. Raises NotUnderstoodError."""
        symbol = self.symbol(value)
        self.symbols[name] = self.value(value) if symbol is None else symbol

    def declare_parts(self, target: ObjectPattern, value: Expression) -> None:
        """Take in variables that hold parts of the request. Raises NotUnderstoodError."""
        whole = self.symbol(value)
        is_whole = isinstance(whole, WholeQuery | PathParameters)
        if not is_whole and not self.is_ctx(value):
            raise NotUnderstoodError(UNKNOWN_CODE)
        for key, bound in target.names:
            part = self.symbol(Member(value, key))
            if part is None:
                raise NotUnderstoodError(f"uses ctx.{key}")
            self.symbols[bound] = part

    def is_ctx(self, value: Expression) -> bool:
        """Whether an expression is the request itself."""
        return isinstance(value, Name) and value.text == self.ctx

    def mentions_request(self, value: object) -> bool:
        """Whether the request, or a part of it, occurs in an expression."""
        match value:
            case Name(name):
                return name == self.ctx or name in self.own or name in self.symbols
            case tuple():
                return any(map(self.mentions_request, value))
            case Struct():
                return any(
                    self.mentions_request(getattr(value, name)) for name in value.__struct_fields__
                )
            case _:
                return False

    def _member(self, member: Property | Spread) -> tuple[str | None, Value]:
        if isinstance(member, Spread):
            return None, self.value(member.value)
        if not isinstance(member.key, str):
            raise NotUnderstoodError("computes the name of a parameter")
        return member.key, self.value(member.value)

    def _constant(self, value: Expression) -> Constant:
        try:
            found = self.module.value(value)
        except NotPlainError:
            raise NotUnderstoodError("computes a value") from None
        if not _is_wire_value(found):
            raise NotUnderstoodError("sets a value that no query can have")
        return Constant(found)


def statements_of(function: Function) -> Sequence[Statement]:
    """Return the statements of a function. Raises NotUnderstoodError for those not parsed."""
    if isinstance(function.body, Opaque):
        raise NotUnderstoodError(UNKNOWN_CODE)
    if isinstance(function.body, tuple):
        return function.body
    return (Return(function.body),)


def without_try(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return statements as they run while nothing fails."""
    found: list[Statement] = []
    for statement in statements:
        is_plain = isinstance(statement, Try) and all(map(is_harmless, statement.finalizer))
        if is_plain and isinstance(statement, Try) and all(map(_is_failure, statement.handler)):
            found += without_try(statement.body)
        else:
            found.append(statement)
    return found


def _is_failure(statement: Statement) -> bool:
    """Whether a statement only tells that something failed: logs, and errors in the response."""
    match statement:
        case Throw():
            return True
        case Return(Call(Member(Name(), str() as name))) | Evaluate(
            Call(Member(Name(), str() as name))
        ):
            return name in _FAILURES or is_harmless(statement)
        case _:
            return is_harmless(statement)


def without_await(value: Expression) -> Expression:
    """Return what an expression waits for, or the expression itself."""
    while isinstance(value, Unary) and value.operator == "await":
        value = value.operand
    return value


def is_harmless(statement: Statement) -> bool:
    """Whether a statement only writes a line to a log."""
    match statement:
        case Evaluate(Call(callee, arguments)):
            return is_harmless_call(callee) and all(map(has_no_effect, arguments))
        case _:
            return False


def has_no_effect(value: object) -> bool:
    """Whether evaluating an expression changes nothing and waits for nothing."""
    match value:
        case Call(callee, arguments):
            return is_harmless_call(callee) and all(map(has_no_effect, arguments))
        case Assign() | Opaque() | Function() | Unary("await" | "delete" | "++" | "--", _):
            return False
        case tuple():
            return all(map(has_no_effect, value))
        case Struct():
            return all(has_no_effect(getattr(value, name)) for name in value.__struct_fields__)
        case _:
            return True


def _is_wire_value(value: object) -> bool:
    """Whether a query string could say the same: text, numbers, true, false, and such in others."""
    if isinstance(value, dict):
        return all(map(_is_wire_value, value.values()))
    if isinstance(value, list):
        return all(map(_is_wire_value, value))
    return isinstance(value, str | int | float)
