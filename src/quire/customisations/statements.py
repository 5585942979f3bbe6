"""Statements of functions, without error handling and without statements that do nothing."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from quire.javascript.scope import is_harmless_call
from quire.javascript.syntax import (
    Assign,
    Call,
    Declaration,
    Evaluate,
    Expression,
    Function,
    Member,
    Name,
    ObjectPattern,
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
    """Code that does more than is supported; the message says what."""


def statements_of(function: Function) -> Sequence[Statement]:
    """Return the statements of a function. Raises NotUnderstoodError for unparsed ones."""
    if isinstance(function.body, Opaque):
        raise NotUnderstoodError(UNKNOWN_CODE)
    if isinstance(function.body, tuple):
        return function.body
    return (Return(function.body),)


def without_try(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return statements as they run without errors."""
    kept_statements: list[Statement] = []
    for statement in statements:
        is_plain = isinstance(statement, Try) and all(map(is_harmless, statement.finalizer))
        if is_plain and isinstance(statement, Try) and all(map(_is_failure, statement.handler)):
            kept_statements += without_try(statement.body)
        else:
            kept_statements.append(statement)
    return kept_statements


def _is_failure(statement: Statement) -> bool:
    """Whether a statement only reports a failure: logs, and errors in the response."""
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
    """Return the awaited expression, or the expression itself."""
    while isinstance(value, Unary) and value.operator == "await":
        value = value.operand
    return value


def is_harmless(statement: Statement) -> bool:
    """Whether a statement only writes to a log."""
    match statement:
        case Evaluate(Call(callee, arguments)):
            is_safe = all(
                has_no_effect(argument) and not _needs_user(argument) for argument in arguments
            )
            return is_harmless_call(callee) and is_safe
        case _:
            return False


def _needs_user(value: object) -> bool:
    """Whether an expression fails without a signed-in user: later code is for others."""
    match value:
        case Member(Member(Member(_, "state"), _), _, False):
            return True
        case tuple():
            return any(map(_needs_user, value))
        case Struct():
            return any(_needs_user(getattr(value, name)) for name in value.__struct_fields__)
        case _:
            return False


def without_unused(statements: Sequence[Statement], ctx: str | None) -> Sequence[Statement]:
    """Return statements without variables of the request that are only logged."""
    names = [name for statement in statements for name in _logged_names(statement, ctx)]
    unused_names = {name for name in names if not _is_used(name, statements)}
    return [
        statement
        for statement in statements
        if not (logged_names := list(_logged_names(statement, ctx)))
        or not unused_names.issuperset(logged_names)
    ]


def _logged_names(statement: Statement, ctx: str | None) -> Iterator[str]:
    """Yield the variables of a declaration that reads the request and cannot fail."""
    match statement:
        case Declaration(target, value) if _is_part_of(value, ctx):
            match target:
                case Name(name):
                    yield name
                case ObjectPattern(names) if value in _never_missing(ctx):
                    yield from (variable for _, variable in names)
                case _:
                    return
        case _:
            return


def _is_part_of(value: object, ctx: str | None) -> bool:
    """Whether an expression is ``ctx.request``, ``ctx.state``, or a member of one."""
    never_missing = _never_missing(ctx)
    if isinstance(value, Member) and isinstance(value.key, str):
        return value in never_missing or value.object in never_missing
    return False


def _never_missing(ctx: str | None) -> tuple[Member, ...]:
    """Return the parts that every request has."""
    return () if ctx is None else (Member(Name(ctx), "request"), Member(Name(ctx), "state"))


def _is_used(name: str, statements: Sequence[Statement]) -> bool:
    """Whether a variable is used other than in log calls."""
    return any(_mentions(name, statement) for statement in statements)


def _mentions(name: str, part: object) -> bool:
    match part:
        case Evaluate(Call(callee, arguments)) if is_harmless_call(callee):
            return any(
                _mentions(name, argument)
                for argument in arguments
                if not isinstance(argument, Name)
            )
        case Declaration(_, value):
            return _mentions(name, value)
        case Name(text):
            return text == name
        case Opaque(names):
            return name in names
        case tuple():
            return any(_mentions(name, item) for item in part)
        case Struct():
            return any(_mentions(name, getattr(part, key)) for key in part.__struct_fields__)
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
