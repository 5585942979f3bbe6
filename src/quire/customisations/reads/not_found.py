"""Analyses how code handles a missing entry: an error of status 404, or nothing."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from quire.customisations.reads.model import DocumentRead
from quire.customisations.request_expressions import RequestValues
from quire.customisations.statements import NotUnderstoodError, is_harmless
from quire.customisations.value_expressions import PathParameter
from quire.javascript.scope import NotPlainError
from quire.javascript.syntax import (
    Binary,
    Call,
    Evaluate,
    Expression,
    Literal,
    Member,
    Name,
    Return,
    Statement,
    Throw,
    Unary,
)

_NOT_FOUND = "Not Found"


class NotFoundCheck(Struct):
    """Analyses ``if`` statements; ``read_of`` returns the read of a variable."""

    values: RequestValues
    read_of: Callable[[Expression], DocumentRead | None]

    def message(
        self, test: Expression, then: Sequence[Statement], present_message: str | None
    ) -> str | None:
        """Return the message of ``if (test) then``, or the present one.

        Raises NotUnderstoodError for other conditions, and for other statements.
        """
        if self._is_never(test):
            return present_message
        if not self._finds_nothing(test):
            raise NotUnderstoodError("decides by code that does not run")
        statements = [statement for statement in then if not is_harmless(statement)]
        match statements:
            case [Return(Call() as call)] | [Evaluate(Call() as call)] if call.callee == Member(
                Name(self.values.ctx or ""), "throw"
            ):
                return self._thrown_message(call.arguments)
            case [Return(Call(Member(Name(ctx), "notFound"), arguments))] if (
                ctx == self.values.ctx and len(arguments) <= 1
            ):
                return self._text(arguments)
            case [Return(None | Literal(None))] | [Return(Name("undefined"))]:
                return present_message or _NOT_FOUND
            case [Throw(Call(callee, arguments, is_new=True))] if (
                _last_name(callee) == "NotFoundError" and len(arguments) <= 1
            ):
                return self._text(arguments)
            case _:
                raise NotUnderstoodError("does something else when nothing is found")

    def _thrown_message(self, arguments: Sequence[Expression]) -> str:
        match arguments:
            case (Literal(404), *message) if len(message) <= 1:
                return self._text(message)
            case _:
                raise NotUnderstoodError("does something else when nothing is found")

    def _text(self, arguments: Sequence[Expression]) -> str:
        if not arguments:
            return _NOT_FOUND
        try:
            result = self.values.module.value(arguments[0])
        except NotPlainError:
            result = None
        if not isinstance(result, str):
            raise NotUnderstoodError("computes a message")
        return result

    def _is_never(self, test: Expression) -> bool:
        """Whether a condition is always false: parameters of the path are never empty."""
        match test:
            case Unary("!", inner):
                symbol = self.values.symbol(inner)
                read = self.read_of(inner) if isinstance(inner, Name) else None
                is_list = read is not None and read.is_list
                return isinstance(symbol, PathParameter) or is_list
            case Binary("||", left, right):
                return self._is_never(left) and self._is_never(right)
            case _:
                return False

    def _finds_nothing(self, test: Expression) -> bool:
        """Whether a condition is true exactly for a missing entry."""
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
        read = self.read_of(value)
        return read is not None and read.is_list == is_list


def _last_name(callee: Expression) -> str | None:
    match callee:
        case Name(name) | Member(_, str() as name):
            return name
        case _:
            return None
