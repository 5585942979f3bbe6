"""Routes of a project's Python code: arguments from the request, a response from the result."""

import asyncio
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, get_args, get_origin

import msgspec
import structlog

from quire.auth.rate_limit import RateLimiter, rate_limit_key
from quire.auth.shared_counters import SharedCounters
from quire.clock import Clock
from quire.content_api.account_rate_limits import CallLimits
from quire.content_api.http_messages import NO_CONTENT, Handler, Request, Response
from quire.content_api.raw_body import lacks_json_type
from quire.content_api.routes import Route
from quire.content_api.validators import REQUIRED, UNSPECIFIED_KEYS
from quire.document_service.policy_checks import ask_policies
from quire.document_service.prepare_calls import add_location
from quire.document_service.project_rules import acting
from quire.document_service.service import DocumentService
from quire.document_service.transaction_context import CallContext
from quire.document_service.validate.problems import (
    Problem,
    ValuePath,
    path_of,
    path_text,
    validation_error,
)
from quire.errors import AppError, ProjectCodeError, ProjectCodeTimeoutError, ValidationError
from quire.hooks.checked_function import call_in_thread
from quire.hooks.document import Document, Page, is_unrestricted
from quire.hooks.errors import CODE_ERRORS, UnitOfWorkError
from quire.hooks.function_times import FunctionTimer
from quire.hooks.policies import PolicyContext
from quire.hooks.routes import CustomRoute, RouteParameter
from quire.hooks.shape import Shape

_log = structlog.get_logger("quire.extensions")
_OF_EVERY_ROUTE = frozenset({400, 401, 403, 429, 500, 503})
"""Statuses of errors in requests and permissions, and of the server."""
_NO_JSON = "the body is not JSON: send it with the header Content-Type: application/json"
_UNRESTRICTED = (
    "the route returns a document that it has read as the system, private fields and all: "
    "return a shape or a dict with the fields that are meant for the caller"
)


def custom_route(
    route: CustomRoute, documents: DocumentService, calls: SharedCounters, clock: Clock
) -> Route:
    """Return the route of a function of the project; ``calls`` limits its rate."""
    limits = documents.engine.code_limits
    seconds = limits.route_seconds if route.timeout is None else route.timeout

    async def handle(request: Request) -> Response:
        if route.policies:
            ask_policies(route.policies, _policy_context(route, request))
        arguments = _arguments(route, request)
        context = CallContext(route.name, documents, request.principal)
        limit = asyncio.timeout(seconds)
        try:
            with context.activate(), FunctionTimer(route):
                async with limit:
                    result = await _call(route.function, arguments)
            if context.has_unrestricted:
                _refuse_unrestricted(result)
            return _response(route, result)
        except AppError as error:
            add_location(error, route)
            if route.errors and not _is_declared(route, error):
                _note_undeclared(route, error, is_mistake=documents.engine.is_development)
            raise
        except CODE_ERRORS as error:
            if isinstance(error, TimeoutError) and limit.expired():
                _log.error(
                    "a route took too long",
                    route=route.name,
                    place=route.place,
                    seconds=seconds,
                )
                raise ProjectCodeTimeoutError(route.name, route.place) from error
            _log.error("a route failed", route=route.name, place=route.place)
            raise ProjectCodeError(route.name, route.place) from error
        finally:
            context.is_ended = True

    return Route(
        method=route.method,
        path=route.path,
        action=None if route.public else route.action,
        handler=_limit_calls(handle, route, calls, clock),
        runs_in_task=route.method == "GET",
        custom=route,
    )


def _is_declared(route: CustomRoute, error: AppError) -> bool:
    """Tell whether a route may raise an error: one that it declares, or that every route may."""
    return isinstance(error, route.errors) or error.status in _OF_EVERY_ROUTE


def _note_undeclared(route: CustomRoute, error: AppError, *, is_mistake: bool) -> None:
    """Log an error that a route does not declare; raises ProjectCodeError for a mistake."""
    _log.error(
        "a route raised an error that is not in its errors",
        route=route.name,
        place=route.place,
        error=type(error).__name__,
        status=error.status,
    )
    if is_mistake:
        raise ProjectCodeError(route.name, route.place) from error


def _limit_calls(
    handler: Handler, route: CustomRoute, calls: SharedCounters, clock: Clock
) -> Handler:
    if route.rate is None:
        return handler
    name = f"{route.method} /{route.path}"
    limiter = RateLimiter(
        calls, name, limit=route.rate.limit, interval_ms=route.rate.interval_ms, clock=clock
    )
    return CallLimits(limiter).limited(handler, "", key=_rate_limit_key)


def _rate_limit_key(request: Request) -> str:
    """Return the rate limit key: the user or token, else the client address."""
    actor = acting(request.principal)
    if actor.id is not None:
        return f"{actor.kind} {actor.id}"
    return rate_limit_key(request.client[0]) if request.client else ""


def _policy_context(route: CustomRoute, request: Request) -> PolicyContext:
    body = request.body_fields
    return PolicyContext(
        principal=acting(request.principal),
        action=route.action,
        data={**body, **request.parameters},
        query=request.query,
    )


async def _call(function: Callable[..., Any], arguments: Mapping[str, object]) -> object:
    """Call a function; a plain one on a thread, as it may block."""
    if inspect.iscoroutinefunction(function):
        return await function(**arguments)
    return await call_in_thread(function, **arguments)


def _arguments(route: CustomRoute, request: Request) -> dict[str, object]:
    """Return the arguments of a function. Raises ValidationError for invalid ones."""
    arguments: dict[str, object] = {}
    for parameter in route.parameters.values():
        name = parameter.name
        if parameter.source == "body":
            value: object = request.body
        else:
            values = request.parameters if parameter.source == "path" else request.query
            value = values.get(name)
        if value is None:
            if parameter.required:
                raise _invalid(parameter, "is missing", request)
            continue
        arguments[name] = _convert_value(parameter, value, request)
    return arguments


def _convert_value(parameter: RouteParameter, value: object, request: Request) -> object:
    if parameter.is_list and not isinstance(value, list):
        value = [value]
    try:
        # Texts of a path or a query are cast to numbers and the like; a body is typed.
        return msgspec.convert(value, parameter.type, strict=parameter.source == "body")
    except msgspec.ValidationError as error:
        raise _invalid(parameter, str(error), request) from None


def _invalid(parameter: RouteParameter, message: str, request: Request) -> ValidationError:
    if parameter.source != "body":
        problem = Problem((parameter.name,), f"{parameter.name}: {message}")
    elif lacks_json_type(request.headers):
        problem = Problem((), _NO_JSON)
    else:
        problem = decoding_problem(message)
    return validation_error([problem])


def _refuse_unrestricted(result: object) -> None:
    """Raise UnitOfWorkError for documents that were read without permissions."""
    if is_unrestricted(result):
        raise UnitOfWorkError(_UNRESTRICTED)


def _response(route: CustomRoute, result: object) -> Response:
    """Return the response: documents in the envelope of the API, everything else as it is."""
    if result is None:
        return NO_CONTENT
    if isinstance(result, Page):
        pagination: dict[str, int] = {"page": result.page, "pageSize": result.page_size}
        if result.total is not None:
            pagination["pageCount"] = -(-result.total // result.page_size)
            pagination["total"] = result.total
        result = {"data": list(result), "meta": {"pagination": pagination}}
    elif _returns_documents(route.returns) or _is_documents(result):
        result = {"data": result, "meta": {}}
    return Response(200, msgspec.json.encode(result, enc_hook=_refuse_object))


def _refuse_object(value: object) -> NoReturn:
    """Raise TypeError for an object in a response that has no form in JSON."""
    if inspect.iscoroutine(value):
        value.close()  # else Python warns, without the place, that it was never awaited
        message = f"the route returned a coroutine of {value.__qualname__}: did you forget `await`?"
        raise TypeError(message)
    raise TypeError(f"the route returned an object of {type(value)}, which has no form in JSON")


def _is_documents(result: object) -> bool:
    if isinstance(result, list) and result:
        return all(isinstance(item, Document | Shape) for item in result)
    return isinstance(result, Document | Shape)


def _returns_documents(hint: object) -> bool:
    """Tell whether an annotation is a document, or a list of documents."""
    if isinstance(hint, type) and issubclass(hint, Document | Shape):
        return True
    if get_origin(hint) in {dict, Mapping}:
        return False
    return any(_returns_documents(argument) for argument in get_args(hint))


_POSITION = re.compile(r" - at (?P<key>`key` in )?`\$(?P<path>.*)`$")
_STEP = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>[0-9]+)\]")
_ANY_KEY = "[...]"
_MISSING = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")


def decoding_problem(message: str) -> Problem:
    """Return the problem that a message of `msgspec.ValidationError` describes.

    Such a message ends in the position, ``$.lines[0].product``, unless it is about the whole body.
    Keys of dictionaries are not in it: then the position is that of the dictionary.
    """
    path: ValuePath = ()
    position = _POSITION.search(message)
    if position is not None:
        message = message[: position.start()]
        path = tuple(
            step["name"] if step["index"] is None else int(step["index"])
            for step in _STEP.finditer(position["path"].partition(_ANY_KEY)[0])
        )
    if match := _MISSING.fullmatch(message):
        path = (*path, match[1])
        text = f"{path_text(path)} {REQUIRED}"
    elif match := _UNKNOWN.fullmatch(message):
        text = f"{path_text(path)} {UNSPECIFIED_KEYS.format(keys=match[1])}"
        if not path:
            text = f"the body has unspecified keys: {match[1]}"
    else:
        subject = path_text(path) if path else "the body"
        key = ", a key" if position is not None and position["key"] else ""
        text = f"{subject}{key}: {message}"
    return Problem(path_of(path), text)
