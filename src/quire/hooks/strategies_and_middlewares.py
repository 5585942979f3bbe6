"""Code of a project for requests: authentication strategies, and middlewares."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.marks import Replaces, add_mark

F = TypeVar("F", bound=Callable[..., Any])


class Request(Struct, frozen=True, kw_only=True):
    """A request for authentication strategies.

    ``path`` and ``query`` are percent-encoded; ``headers`` have lower-case names; ``client`` is the
    address of the client, ``None`` if it is unknown.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    client: str | None


class Credential(Struct, frozen=True, kw_only=True):
    """The sender of a request: an end user, by e-mail or by the id of their row.

    Their permissions are those of their role, as always.
    """

    user_email: str | None = None
    user_id: int | None = None


class AuthStrategyMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    name: Any
    order: Any

    phase = "auth_strategy"


class AsgiMiddlewareMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    order: Any

    phase = "asgi_middleware"


def auth_strategy(name: str, *, order: int = 0) -> Callable[[F], F]:
    """Register an ``async def`` that authenticates requests to the content API.

    It takes a `quire.Request` and returns a `quire.Credential`, or ``None`` for a request without
    its credentials: then the next strategy is called, in the order of ``order``, and last of all
    the ``Authorization`` header is checked. Any exception is a 401.
    """
    mark = AuthStrategyMark(name=name, order=order)
    return lambda function: add_mark(function, mark)


def asgi_middleware(*, order: int = 0, replaces: Replaces = ()) -> Callable[[F], F]:
    """Wrap the server in an ASGI middleware: a class or function that takes the application.

    The one with the lowest ``order`` is the outermost. ``replaces`` are JavaScript files that it
    takes the place of.
    """
    mark = AsgiMiddlewareMark(order=order)
    return lambda decorated: add_mark(decorated, mark, replaces)


class AuthStrategy(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked strategy."""

    order: int
    function: Callable[[Request], Awaitable[Credential | None]]


class AsgiMiddleware(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked middleware; ``wrap`` takes an application and returns another one."""

    order: int
    wrap: Callable[[Any], Any]
