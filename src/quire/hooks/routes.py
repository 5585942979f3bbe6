"""Routes of a project's Python code: the decorators, and checked routes as values."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from msgspec import Struct, field

from quire.hooks.marks import add_mark

F = TypeVar("F", bound=Callable[..., Any])
Source = Literal["path", "query", "body"]


class RouteMark(Struct, frozen=True, kw_only=True, eq=False):
    """What a decorator said of a function; nothing of it has been checked."""

    method: str
    path: Any
    action: Any
    public: Any
    timeout: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return f"route.{self.method.lower()}"


class RouteMarker:
    """The decorators of routes, one for each method: ``@route.get("/articles/popular")``.

    ``path`` is below the prefix of the API; a segment such as ``:slug`` is a parameter of the
    function. ``action`` is what a role or a token has to grant, by default
    ``api::<folder>.<folder>.<function>``; a route that is ``public`` asks for no permission.
    ``timeout`` is in seconds.
    """

    def get(
        self, path: str, *, action: str | None = None, public: bool = False, timeout: float = 30
    ) -> Callable[[F], F]:
        """Serve GET requests."""
        return _marker("GET", path, action, public, timeout)

    def post(
        self, path: str, *, action: str | None = None, public: bool = False, timeout: float = 30
    ) -> Callable[[F], F]:
        """Serve POST requests."""
        return _marker("POST", path, action, public, timeout)

    def put(
        self, path: str, *, action: str | None = None, public: bool = False, timeout: float = 30
    ) -> Callable[[F], F]:
        """Serve PUT requests."""
        return _marker("PUT", path, action, public, timeout)

    def patch(
        self, path: str, *, action: str | None = None, public: bool = False, timeout: float = 30
    ) -> Callable[[F], F]:
        """Serve PATCH requests."""
        return _marker("PATCH", path, action, public, timeout)

    def delete(
        self, path: str, *, action: str | None = None, public: bool = False, timeout: float = 30
    ) -> Callable[[F], F]:
        """Serve DELETE requests."""
        return _marker("DELETE", path, action, public, timeout)


route = RouteMarker()


def _marker(
    method: str, path: object, action: object, public: object, timeout: object
) -> Callable[[F], F]:
    mark = RouteMark(method=method, path=path, action=action, public=public, timeout=timeout)
    return lambda function: add_mark(function, mark)


class RouteParameter(Struct, frozen=True, kw_only=True):
    """A parameter of a route's function: where its value comes from, and of which type it is.

    ``is_list`` says that the query may hold it several times.
    """

    name: str
    source: Source
    type: Any
    required: bool
    is_list: bool = False


class CustomRoute(Struct, frozen=True, kw_only=True, eq=False):
    """A checked route of a project. ``path`` has no slash at its ends; ``timeout`` is in seconds.

    ``action`` is the full name of what has to be granted, also where the route is ``public`` and
    asks for nothing. ``returns`` is the annotation of what the function returns.
    """

    method: str
    path: str
    action: str
    public: bool
    timeout: float
    function: Callable[..., Any]
    name: str
    file: str
    line: int
    returns: Any = None
    summary: str = ""
    parameters: Mapping[str, RouteParameter] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The file and line of the function."""
        return f"{self.file}:{self.line}"
