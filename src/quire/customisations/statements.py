"""Statements of functions as they run while nothing fails, and which of them do nothing."""

from collections.abc import Sequence

from msgspec import Struct

from quire.javascript.scope import is_harmless_call
from quire.javascript.syntax import (
    Assign,
    Call,
    Evaluate,
    Expression,
    Function,
    Member,
    Name,
    Opaque,
    Return,
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
