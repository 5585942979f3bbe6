"""Checks functions that are marked as routes, and determines the sources of their arguments."""

import inspect
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from quire.access.declared_routes import SERVER_PATHS
from quire.customisations import usual_routes
from quire.errors import AppError
from quire.extension_loading.mark_check import takes_arguments
from quire.extension_loading.module_import import ExtensionProblem
from quire.hooks.argument_types import server_class_in, undecodable_reason
from quire.hooks.policies import Policy
from quire.hooks.principal import Principal
from quire.hooks.routes import CallRate, CustomRoute, RouteMark, RouteParameter, Source
from quire.schema.model import Schema

_SEGMENT = re.compile(r":[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9._~-]+")
_ACTION = re.compile(r"api::[a-z0-9-]+\.[A-Za-z0-9-]+\.[A-Za-z0-9_]+")
_LONGEST_TIMEOUT = 600
_INTERVALS = {"second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
_RATE = re.compile(f"(?P<calls>[1-9][0-9]{{0,5}})/(?P<interval>{'|'.join(_INTERVALS)})")
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_PARAMETER_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_LISTS = (list, Sequence, tuple, set, frozenset)


class RouteCheck:
    """The check of the routes of a project, and its problems."""

    def __init__(self, schema: Schema) -> None:
        self.problems: list[ExtensionProblem] = []
        self.routes: list[CustomRoute] = []
        self._schema = schema
        self._taken: dict[tuple[str, str], str] | None = None

    def add(self, file: str, name: str, function: object, mark: RouteMark) -> None:
        """Check one mark of a function."""
        code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]  # anything may be marked
        line: int = getattr(code, "co_firstlineno", 1)
        problems = [*self._problems(file, name, function, mark)]
        mark_text = f'{mark.phase}("{mark.path}")'
        self.problems += (
            ExtensionProblem(file, line, f"{mark_text}: {problem}") for problem in problems
        )
        if problems:
            return
        path = mark.path.strip("/")
        route = CustomRoute(
            method=mark.method,
            path=path,
            action=mark.action or _action_of(file, name) or "",
            public=mark.public,
            timeout=mark.timeout,
            function=function,  # type: ignore[arg-type]  # it was checked
            name=name,
            file=file,
            line=line,
            returns=_hints(function).get("return"),
            summary=(inspect.getdoc(function) or "").partition("\n")[0],
            policies=tuple(_policies(file, line, mark)),
            rate=_call_rate(mark.rate),
            errors=tuple(mark.errors),
            parameters={parameter.name: parameter for parameter in _parameters(function, path)},  # type: ignore[arg-type]  # likewise
        )
        key = (mark.method, _shape(path))
        previous_place = self._route_places().setdefault(key, route.place)
        if previous_place != route.place:
            problem = f"{mark.method} /{path} is served by {previous_place} already"
            self.problems.append(ExtensionProblem(file, line, f"{mark_text}: {problem}"))
        self.routes.append(route)

    def _route_places(self) -> dict[tuple[str, str], str]:
        """Return the present routes of the server, by method and shape of the path."""
        if self._taken is None:
            places = {(method, _shape(path)): "the server" for method, path in SERVER_PATHS}
            for content_type in self._schema.api_types:
                for route in usual_routes(content_type):
                    places[route.method, _shape(route.path.strip("/"))] = str(route.permission)
            self._taken = places
        return self._taken

    def _problems(
        self,
        file: str,
        name: str,
        function: object,
        mark: RouteMark,
    ) -> Iterator[str]:
        """Yield the problems of a mark and of the signature of its function."""
        if not inspect.isfunction(function):
            yield f"{name} is not a function"
            return
        path = mark.path
        if not isinstance(path, str) or not path.startswith("/"):
            yield "the path must be a text that begins with a slash"
            return
        segments = path.strip("/").split("/")
        for segment in segments:
            if not _SEGMENT.fullmatch(segment):
                yield f'the path has the segment "{segment}"; a parameter is written as ":name"'
        if mark.action is None and _action_of(file, name) is None:
            yield 'name what has to be granted: action="api::<api>.<controller>.<name>"'
        if mark.action is not None and not _is_action(mark.action):
            yield f'action must be like "api::article.article.popular", not {mark.action!r}'
        if not isinstance(mark.public, bool):
            yield f"public must be True or False, not {mark.public!r}"
        if mark.timeout is not None and not _is_timeout(mark.timeout):
            yield f"timeout must be from 1 to {_LONGEST_TIMEOUT} seconds, not {mark.timeout!r}"
        if mark.rate is not None and _call_rate(mark.rate) is None:
            yield f'rate must be like "30/minute", not {mark.rate!r}'
        yield from _policy_problems(mark.policies)
        yield from _error_problems(mark.errors)
        yield from self._core_action(mark.action or _action_of(file, name) or "")
        yield from _signature_problems(name, function, mark.method, segments)

    def _core_action(self, action: str) -> Iterator[str]:
        for content_type in self._schema.api_types:
            if action in {route.permission for route in usual_routes(content_type)}:
                yield f"{action} is an action of the core: name another one"


def _policy_problems(policies: object) -> Iterator[str]:
    if not isinstance(policies, list | tuple):
        yield f"policies must be a list of functions, not {policies!r}"
        return
    for policy in policies:
        if not inspect.isfunction(policy) or inspect.iscoroutinefunction(policy):
            yield f"the policy {getattr(policy, '__name__', policy)!r} is not a plain function"
        elif not takes_arguments(policy, 1):
            yield f"the policy {policy.__name__} must take one argument, the context"


def _error_problems(errors: object) -> Iterator[str]:
    if not isinstance(errors, list | tuple):
        yield f"errors must be a list of error classes, such as [Conflict], not {errors!r}"
        return
    for error in errors:
        if not (isinstance(error, type) and issubclass(error, AppError)):
            name = getattr(error, "__name__", repr(error))
            yield f"{name} in errors is no error of quire, such as Conflict or NotFound"


def _policies(file: str, line: int, mark: RouteMark) -> Iterator[Policy]:
    for policy in mark.policies:
        yield Policy(
            uid=f"{mark.method} {mark.path}",
            on=("route",),
            function=policy,
            name=policy.__name__,
            file=file,
            line=getattr(getattr(policy, "__code__", None), "co_firstlineno", line),
        )


def _call_rate(rate: object) -> CallRate | None:
    """Parse a rate such as ``"30/minute"``, ``None`` if it is invalid."""
    match = _RATE.fullmatch(rate) if isinstance(rate, str) else None
    if match is None:
        return None
    return CallRate(limit=int(match["calls"]), interval_ms=_INTERVALS[match["interval"]])


def _signature_problems(
    name: str,
    function: Callable[..., Any],
    method: str,
    segments: Sequence[str],
) -> Iterator[str]:
    signature = inspect.signature(function)
    in_path = {segment[1:] for segment in segments if segment.startswith(":")}
    for missing_name in sorted(in_path - signature.parameters.keys()):
        yield f"{name} has no parameter {missing_name}, which the path has"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        yield f"{name} is a generator; it must return, not yield"
    try:
        hints = _hints(function)
    except Exception as error:  # noqa: BLE001 - an annotation may be any expression
        yield f"an annotation of {name} cannot be evaluated: {type(error).__name__}: {error}"
        return
    yield from _parameter_problems(signature, hints, method, in_path)


def _parameter_problems(
    signature: inspect.Signature, hints: Mapping[str, Any], method: str, in_path: set[str]
) -> Iterator[str]:
    bodies = []
    for parameter in signature.parameters.values():
        if parameter.kind not in _PARAMETER_KINDS:
            yield f"the parameter {parameter.name} must have a name that it is passed by"
            continue
        if parameter.name not in hints:
            yield f"the parameter {parameter.name} needs a type, such as {parameter.name}: str"
            continue
        hint = hints[parameter.name]
        server_class = server_class_in(hint)
        if server_class is not None:
            use = "call principal()" if issubclass(server_class, Principal) else "leave it out"
            yield (
                f"the parameter {parameter.name} has the type {server_class.__name__}, which a "
                f"client could invent: {use}"
            )
            continue
        problem = undecodable_reason(hint)
        if problem is not None:
            yield f"the parameter {parameter.name} has a type that no request can give: {problem}"
            continue
        if _source(parameter.name, hint, in_path) == "body":
            bodies.append(parameter.name)
    if len(bodies) > 1:
        yield f"{' and '.join(bodies)} are both the body of the request: make them one type"
    if bodies and method not in _WITH_BODY:
        yield f"the parameter {bodies[0]} is the body of the request, which {method} does not have"


def _parameters(function: Callable[..., Any], path: str) -> Iterator[RouteParameter]:
    in_path = {segment[1:] for segment in path.split("/") if segment.startswith(":")}
    hints = _hints(function)
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        source = _source(parameter.name, hint, in_path)
        yield RouteParameter(
            name=parameter.name,
            source=source,
            type=hint,
            required=parameter.default is parameter.empty,
            is_list=source == "query"
            and any(_is_list(alternative) for alternative in _alternatives(hint)),
        )


def _hints(function: object) -> dict[str, Any]:
    return get_type_hints(function, include_extras=True)


def _source(name: str, hint: Any, in_path: set[str]) -> Source:  # noqa: ANN401 - any annotation
    if name in in_path:
        return "path"
    return "query" if all(map(_is_plain, _alternatives(hint))) else "body"


def _alternatives(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any annotation
    """Return the types that an annotation allows, without None and `Annotated` metadata."""
    if hasattr(hint, "__metadata__"):
        hint = hint.__origin__
    if get_origin(hint) in {Union, types.UnionType}:
        return tuple(argument for argument in get_args(hint) if argument is not type(None))
    return (hint,)


def _is_list(hint: Any) -> bool:  # noqa: ANN401 - any annotation
    return (get_origin(hint) or hint) in _LISTS


def _is_plain(hint: Any) -> bool:  # noqa: ANN401 - any annotation
    """Tell whether a value is one text of a query, or a list of such texts."""
    if hasattr(hint, "__metadata__"):
        return _is_plain(hint.__origin__)
    if _is_list(hint):
        return all(_is_plain(argument) for argument in get_args(hint) if argument is not Ellipsis)
    if get_origin(hint) is Literal:
        return True
    is_record = (
        get_origin(hint) in {dict, Mapping}
        or hint in {dict, Mapping, Any, object}
        or hasattr(hint, "__struct_fields__")
        or hasattr(hint, "__dataclass_fields__")
        or hasattr(hint, "__total__")
    )
    return not is_record


def _action_of(file: str, name: str) -> str | None:
    """Return the action of a function by its file: below ``src/api/<api>``, or elsewhere."""
    parts = PurePosixPath(file).parts
    owner = parts[2] if parts[:2] == ("src", "api") and len(parts) > 3 else PurePosixPath(file).stem
    action = f"api::{owner.replace('_', '-')}.{owner.replace('_', '-')}.{name}"
    return action if _is_action(action) else None


def _is_action(action: object) -> bool:
    return isinstance(action, str) and _ACTION.fullmatch(action) is not None


def _is_timeout(timeout: object) -> bool:
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    return is_number and 1 <= float(str(timeout)) <= _LONGEST_TIMEOUT


def _shape(path: str) -> str:
    """Return a path without the names of its parameters, in lower case."""
    return "/".join(":" if part.startswith(":") else part.lower() for part in path.split("/"))
