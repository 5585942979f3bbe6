"""Routes of a project's Python code: the decorators, and checked routes as values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from msgspec import Struct, field

from quire.errors import AppError
from quire.hooks.checked_function import CheckedFunction
from quire.hooks.marks import Replaces, add_mark
from quire.hooks.policies import Policy, PolicyFunction

F = TypeVar("F", bound=Callable[..., Any])
Source = Literal["path", "query", "body"]


class RouteMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    method: str
    path: Any
    action: Any
    public: Any
    timeout: Any
    policies: Any
    rate: Any
    errors: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return f"route.{self.method.lower()}"


class RouteDecorator:
    """A decorator for route functions of one method: ``@route.get("/articles/popular")``."""

    def __init__(self, method: str) -> None:
        self._method = method

    def __call__(
        self,
        path: str,
        *,
        action: str | None = None,
        public: bool = False,
        policies: Sequence[PolicyFunction] = (),
        rate: str | None = None,
        timeout: float | None = None,
        errors: Sequence[type[AppError]] = (),
        replaces: Replaces = (),
    ) -> Callable[[F], F]:
        """Mark a function as a route.

        ``path`` is below the prefix of the API; a segment such as ``:slug`` is a parameter of the
        function. ``action`` is the required permission, by default
        ``api::<folder>.<folder>.<function>``; a ``public`` route needs none. ``policies`` are
        functions of a `PolicyContext` that are called first. ``rate`` limits the calls of one
        caller: ``"30/minute"``, by second, minute, hour or day. ``timeout`` is in seconds, by
        default `extensions.route_seconds` (30). ``errors`` are the errors of ``quire`` that the
        function raises, such as ``[Conflict]``, for OpenAPI; any other but those of requests and
        permissions is then a mistake. ``replaces`` are JavaScript files that the route takes the
        place of.
        """
        mark = RouteMark(
            method=self._method,
            path=path,
            action=action,
            public=public,
            policies=policies,
            rate=rate,
            timeout=timeout,
            errors=errors,
        )
        return lambda function: add_mark(function, mark, replaces)


class RouteDecorators:
    """The decorators of routes, one for each method."""

    get = RouteDecorator("GET")
    post = RouteDecorator("POST")
    put = RouteDecorator("PUT")
    patch = RouteDecorator("PATCH")
    delete = RouteDecorator("DELETE")


route = RouteDecorators()


class CallRate(Struct, frozen=True):
    """How many calls one caller may make in an interval."""

    limit: int
    interval_ms: int


class RouteParameter(Struct, frozen=True, kw_only=True):
    """A parameter of a route's function: the source of its value, and its type.

    ``is_list`` says that the query may contain it several times.
    """

    name: str
    source: Source
    type: Any
    required: bool
    is_list: bool = False


class CustomRoute(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked route of a project.

    ``path`` has no slash at its ends; ``timeout`` is in seconds, ``None`` for that of the
    settings. ``action`` is the full name of the
    permission, also if the route is ``public`` and needs none. ``returns`` is the return
    annotation, ``errors`` are those that the function may raise; with none they are not declared.
    """

    method: str
    path: str
    action: str
    public: bool
    timeout: float | None
    function: Callable[..., Any]
    returns: Any = None
    summary: str = ""
    policies: tuple[Policy, ...] = ()
    rate: CallRate | None = None
    errors: tuple[type[AppError], ...] = ()
    parameters: Mapping[str, RouteParameter] = field(default_factory=dict)
