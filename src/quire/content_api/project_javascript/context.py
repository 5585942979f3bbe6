"""The context of evaluated code: the request, and its response."""

import re
from http import HTTPStatus

import msgspec

from quire.content_api.http_messages import JSON, TEXT, Response
from quire.content_api.project_javascript.queries import sent_again
from quire.errors import AppError, NotFoundError
from quire.javascript.interpreter.builtins import function
from quire.javascript.interpreter.values import (
    ErrorValue,
    HostFunction,
    HostObject,
    ThrownError,
    UnsupportedError,
    as_json,
    is_nullish,
)
from quire.javascript.scope import UNDEFINED

_ERRORS = {
    "badRequest": 400,
    "unauthorized": 401,
    "paymentRequired": 402,
    "forbidden": 403,
    "notFound": 404,
    "conflict": 409,
    "gone": 410,
    "unprocessableEntity": 422,
    "tooManyRequests": 429,
    "internalServerError": 500,
    "notImplemented": 501,
    "badGateway": 502,
    "serviceUnavailable": 503,
}
_PHRASES = {422: "Unprocessable Entity"}
_WITHOUT_WORDS = frozenset({"UnauthorizedError", "ForbiddenError"})
"""Errors of Strapi whose message and details are not shown when they are thrown."""
_SERVER_ERROR = 500
_ERROR_STATUSES = range(400, 600)
_EMPTY = frozenset({204, 205, 304})
_UNKNOWN_STATUS = 404
_SERVER_STATE = frozenset({"session", "isAuthenticated", "userAbility"})
_FIXED_STATE = frozenset({"route", "auth"})
_HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
_SERVER_HEADERS = frozenset(
    {
        *("connection", "content-encoding", "content-length", "content-type", "date"),
        *("keep-alive", "server", "set-cookie", "trailer", "transfer-encoding", "upgrade", "vary"),
    }
)
"""Headers that the server sets itself, or that frame a response."""


def phrase(status: int) -> str:
    """Return the usual message of a status. Raises UnsupportedError for an unknown one."""
    try:
        return _PHRASES.get(status) or HTTPStatus(status).phrase
    except ValueError:
        raise UnsupportedError(f"the status {status}") from None


def error_name(status: int) -> str:
    """Return the name of the error of a status."""
    words = phrase(status).replace("-", " ").replace("'", "").split()
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name.endswith("Error") else f"{name}Error"


def error_response(status: int, name: str, message: str, details: object) -> Response:
    """Return the response to a request that code rejects."""
    error: dict[str, object] = {"status": status, "name": name, "message": message}
    if details is not UNDEFINED:
        error["details"] = as_json(details)
    return Response(status, msgspec.json.encode({"data": None, "error": error}))


class State(HostObject):
    """``ctx.state``: the principal, and values of the code."""

    def member(self, name: str) -> object:
        """Return a member; an unset one is undefined."""
        if name in _SERVER_STATE:
            raise UnsupportedError(f"{name} of the state")
        return self.members.get(name, UNDEFINED)

    def assign(self, name: str, value: object) -> None:
        """Set a member. Raises UnsupportedError for those of the principal."""
        if name in _SERVER_STATE or name in _FIXED_STATE:
            raise UnsupportedError(f"sets {name} of the state")
        self.members[name] = value


class Context(HostObject):
    """``ctx``. The body and the status are those of the response, by Koa's rules."""

    def __init__(self, request: HostObject, state: State, members: dict[str, object]) -> None:
        methods = {name: _refusal(self, status) for name, status in _ERRORS.items()}
        super().__init__(
            {
                **members,
                **methods,
                "request": request,
                "state": state,
                "throw": function(_throw),
                "send": HostFunction(self._send),
                "created": HostFunction(self._respond_created),
                "set": HostFunction(self._set),
            }
        )
        self._request = request
        self._status: int | None = None
        self._headers: dict[str, str] = {}
        self.body: object = UNDEFINED
        self.refusal: Response | None = None
        """The response of ``ctx.badRequest()`` and the like, if that is the body."""

    def member(self, name: str) -> object:
        """Return a member."""
        match name:
            case "body":
                if self.refusal is not None:
                    raise UnsupportedError("the body of an error")
                return self.body
            case "status":
                return _UNKNOWN_STATUS if self._status is None else self._status
            case "query":
                return self._request.member("query")
            case _:
                return super().member(name)

    def assign(self, name: str, value: object) -> None:
        """Set the body, the status or the query."""
        match name:
            case "body":
                self.respond(value)
            case "status":
                self.set_status(value)
            case "query":
                if not isinstance(value, dict):
                    raise UnsupportedError("a query that is no object")
                query = sent_again(value)
                self._request.assign("query", {} if query is UNDEFINED else query)
            case _:
                super().assign(name, value)

    def set_status(self, value: object) -> None:
        """Set the status of the response. Raises UnsupportedError for an unknown one."""
        if not isinstance(value, int) or isinstance(value, bool):
            raise UnsupportedError("a status that is no number")
        phrase(value)
        self._status = value

    def respond(self, value: object) -> None:
        """Set the body of the response."""
        if is_nullish(value):
            raise UnsupportedError("an empty body")
        self.refusal = None
        self.body = value
        if self._status is None:
            self._status = 200

    def refuse(self, status: int, response: Response) -> None:
        """Respond with an error; code goes on after it."""
        self._status = status
        self.body = None
        self.refusal = response

    @property
    def has_body(self) -> bool:
        """Whether there is a response."""
        return self.refusal is not None or not is_nullish(self.body)

    def response(self) -> Response:
        """Return the response. Raises NotFoundError if there is none, UnsupportedError."""
        response = self._bare_response()
        response.headers = tuple(
            (name.encode(), value.encode("latin-1")) for name, value in self._headers.items()
        )
        return response

    def _bare_response(self) -> Response:
        if self._status in _EMPTY:
            return Response(self._status, b"", None)
        if self.refusal is not None:
            response = self.refusal
            return Response(self._status or response.status, response.body)
        if self._status is None:
            raise NotFoundError
        if is_nullish(self.body):
            raise UnsupportedError("a status without a body")
        if isinstance(self.body, str):
            if self.body.lstrip().startswith("<"):
                raise UnsupportedError("responds with HTML")
            return Response(self._status, self.body.encode(), TEXT)
        return Response(self._status, msgspec.json.encode(as_json(self.body)), JSON)

    async def _send(self, arguments: list[object]) -> object:
        self.set_status(arguments[1] if len(arguments) > 1 else 200)
        self.respond(arguments[0] if arguments else UNDEFINED)
        return UNDEFINED

    async def _set(self, arguments: list[object]) -> object:
        """Set a header of the response. Raises UnsupportedError for those of the server."""
        match arguments:
            case (str() as name, str() | int() as value) if not isinstance(value, bool):
                text = str(value)
            case _:
                raise UnsupportedError("sets a header in a way that is not known")
        is_plain = _HEADER.fullmatch(name) and text.isascii() and text.isprintable()
        lower_name = name.lower()
        if (
            not is_plain
            or lower_name in _SERVER_HEADERS
            or lower_name.startswith("access-control-")
        ):
            raise UnsupportedError(f"sets the header {name}")
        self._headers[lower_name] = text
        return UNDEFINED

    async def _respond_created(self, arguments: list[object]) -> object:
        self.set_status(201)
        self.respond(arguments[0] if arguments else UNDEFINED)
        return UNDEFINED


def _refusal(context: Context, status: int) -> HostFunction:
    async def refuse(arguments: list[object]) -> object:
        message = arguments[0] if arguments and arguments[0] is not UNDEFINED else phrase(status)
        details = arguments[1] if len(arguments) > 1 and arguments[1] is not UNDEFINED else {}
        if not isinstance(message, str):
            raise UnsupportedError("an error message that is no text")
        response = error_response(status, error_name(status), message, _details(details))
        context.refuse(status, response)
        return UNDEFINED

    return HostFunction(refuse)


def _details(details: object) -> object:
    """Return the JSON form of details: error objects are not shown."""
    if isinstance(details, dict):
        return {name: _details(inner) for name, inner in details.items()}
    if isinstance(details, ErrorValue):
        raise UnsupportedError("shows an error")
    return details


def _throw(*value: object) -> object:
    match value:
        case (int() as status,) if not isinstance(status, bool):
            message = phrase(status)
        case (int() as status, str() as message) if not isinstance(status, bool):
            phrase(status)
        case _:
            raise UnsupportedError("throws in a way that is not known")
    raise ThrownError(ErrorValue(error_name(status), message, status=status))


def thrown_response(error: ThrownError) -> Response | None:
    """Return the response to a thrown value, ``None`` for an internal error of the code.

    Raises the error of the server that it represents.
    """
    value = error.value
    if not isinstance(value, ErrorValue):
        return None
    if isinstance(value.cause, AppError):
        raise value.cause
    details = value.members.get("details", value.details)
    if value.status is None:
        return _response_of_plain(value, details)
    if value.is_application and value.name in _WITHOUT_WORDS:
        return error_response(value.status, value.name, phrase(value.status), {})
    if not value.is_application and value.status >= _SERVER_ERROR:
        return error_response(value.status, value.name, phrase(value.status), UNDEFINED)
    return error_response(value.status, value.name, value.message, details)


def _response_of_plain(error: ErrorValue, details: object) -> Response | None:
    """Return the response to an error with a status set by the code, ``None`` for others."""
    status = error.members.get("status") or error.members.get("statusCode")
    if not isinstance(status, int) or status not in _ERROR_STATUSES:
        return None
    if status >= _SERVER_ERROR:
        return error_response(status, error_name(status), phrase(status), UNDEFINED)
    phrase(status)
    return error_response(status, error.name, error.message, details)
