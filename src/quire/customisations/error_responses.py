"""Requests that code rejects before it does anything: ``return ctx.badRequest(message)``."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.customisations.request_expressions import RequestValues
from quire.customisations.statements import is_harmless
from quire.errors import AppError, BadRequestError, ForbiddenError, NotFoundError, UnauthorizedError
from quire.javascript.scope import NotPlainError
from quire.javascript.syntax import (
    Call,
    Evaluate,
    Expression,
    Literal,
    Member,
    Name,
    Return,
    Statement,
)

_METHODS: Mapping[str, int] = {
    "badRequest": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "notFound": 404,
}
_ERRORS: Mapping[int, tuple[type[AppError], str]] = {
    400: (BadRequestError, "Bad Request"),
    401: (UnauthorizedError, "Unauthorized"),
    403: (ForbiddenError, "Forbidden"),
    404: (NotFoundError, "Not Found"),
}


class ErrorResponse(Struct, frozen=True):
    """An error response. Methods of the response give details, ``throw`` none."""

    status: int
    message: str | None
    has_details: bool

    def error(self) -> AppError:
        """Return the error for the client."""
        kind, default_message = _ERRORS[self.status]
        error = kind(default_message if self.message is None else self.message)
        error.details = {} if self.has_details else None
        return error


def error_response(values: RequestValues, statements: Sequence[Statement]) -> ErrorResponse | None:
    """Return the error response of statements, ``None`` if they do something else."""
    match [statement for statement in statements if not is_harmless(statement)]:
        case [Return(Call(Member(Name(ctx), str() as method), arguments))] if ctx == values.ctx:
            return _error_response(values, method, arguments)
        case [Evaluate(Call(Member(Name(ctx), "throw"), arguments))] if ctx == values.ctx:
            return _error_response(values, "throw", arguments)
        case _:
            return None


def _error_response(
    values: RequestValues, method: str, arguments: tuple[Expression, ...]
) -> ErrorResponse | None:
    is_thrown = method == "throw"
    match arguments:
        case (Literal(int() as thrown), *rest) if is_thrown and thrown in _ERRORS:
            status, message = int(thrown), tuple(rest)
        case _ if method in _METHODS:
            status, message = _METHODS[method], arguments
        case _:
            return None
    text: object = None
    if message:
        try:
            text = values.module.value(message[0])
        except NotPlainError:
            return None
        if len(message) > 1 or not isinstance(text, str):
            return None
    return ErrorResponse(status, text if isinstance(text, str) else None, has_details=not is_thrown)
