"""Understands policies that always allow, always refuse, or ask for a signed-in user."""

from collections.abc import Sequence
from enum import Enum

from quire.customisations.statements import NotUnderstoodError, is_harmless, statements_of
from quire.javascript.scope import UNDEFINED, Module, NotPlainError, is_truthy
from quire.javascript.syntax import (
    Call,
    Declaration,
    Expression,
    Function,
    If,
    Member,
    Name,
    Return,
    Statement,
    Unary,
)


class PolicyResult(Enum):
    """What a policy decides."""

    ALLOW = "allow"
    DENY = "deny"
    SIGNED_IN = "signed in"
    """Allows end users who are signed in, and nobody else."""


def understand_policy(module: Module) -> PolicyResult:
    """Return what a module's policy decides. Raises NotUnderstoodError."""
    exported = module.exported
    if not module.is_known or not isinstance(exported, Function):
        raise NotUnderstoodError("does not export a function alone")
    match exported.parameters:
        case (Name(context), *_):
            name = context
        case ():
            name = ""
        case _:
            raise NotUnderstoodError("is not a function of the context")
    statements = statements_of(exported)
    return _policy(module.inner(statements), name, statements)


def _policy(module: Module, context: str, statements: Sequence[Statement]) -> PolicyResult:
    for index, statement in enumerate(statements):
        match statement:
            case Declaration():
                continue
            case Return(value) if value is not None:
                return _returned(module, context, value)
            case If(test, then, ()):
                chosen = _decision(module, context, test)
                rest = statements[index + 1 :]
                if chosen is PolicyResult.ALLOW:
                    return _policy(module, context, then)
                if chosen is PolicyResult.DENY:
                    return _policy(module, context, rest)
                inside, after = _policy(module, context, then), _policy(module, context, rest)
                if (inside, after) == (PolicyResult.ALLOW, PolicyResult.DENY):
                    return PolicyResult.SIGNED_IN
                raise NotUnderstoodError("decides by more than whether somebody is signed in")
            case _ if is_harmless(statement):
                continue
            case _:
                break
    raise NotUnderstoodError("decides by code that does not run")


def _returned(module: Module, context: str, value: Expression) -> PolicyResult:
    """Return what a policy that returns a value decides: nothing but ``true`` lets pass."""
    match value:
        case Unary("!", _) | Call(Name("Boolean"), _):
            return _decision(module, context, value)
        case _:
            pass
    try:
        found = module.value(value)
    except NotPlainError:
        raise NotUnderstoodError("decides by code that does not run") from None
    if found is UNDEFINED:
        return PolicyResult.ALLOW
    return PolicyResult.ALLOW if found is True else PolicyResult.DENY


def _decision(module: Module, context: str, value: Expression) -> PolicyResult:
    match value:
        case Unary("!", Unary("!", inner)) | Call(Name("Boolean"), (inner,)):
            return _decision(module, context, inner)
        case Member(Member(Name(of), "state"), "user") if of == context and context:
            return PolicyResult.SIGNED_IN
    try:
        return PolicyResult.ALLOW if is_truthy(module.value(value)) else PolicyResult.DENY
    except NotPlainError:
        raise NotUnderstoodError("decides by code that does not run") from None
