"""Checks strategies of authentication and ASGI middlewares."""

import inspect
from collections.abc import Iterator

from quire.extensions.modules import ExtensionProblem, line_of
from quire.hooks.requests import (
    AsgiMiddleware,
    AsgiMiddlewareMark,
    AuthStrategy,
    AuthStrategyMark,
)


class AuthStrategyCheck:
    """The check of strategies, with all problems that were found."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self._strategies: list[AuthStrategy] = []

    @property
    def strategies(self) -> tuple[AuthStrategy, ...]:
        """All strategies in the order in which they are asked."""
        return tuple(sorted(self._strategies, key=lambda one: (one.order, one.file, one.line)))

    def add(self, file: str, name: str, function: object, mark: AuthStrategyMark) -> None:
        """Check one mark of a function."""
        found = [*_order_problems(mark.order)]
        if not isinstance(mark.name, str) or not mark.name:
            found.append(f"the name must be a text, not {mark.name!r}")
        elif any(one.name == mark.name for one in self._strategies):
            found.append("there is a strategy of this name already")
        if not inspect.iscoroutinefunction(function):
            found.append(f"{name} must be an async def")
        elif _required(function) != 1:
            found.append(f"{name}{inspect.signature(function)} must take one argument, the request")
        line = line_of(function)
        at = f'auth_strategy("{mark.name}")'
        self.problems += (ExtensionProblem(file, line, f"{at}: {one}") for one in found)
        if not found:
            self._strategies.append(
                AuthStrategy(
                    name=mark.name,
                    order=mark.order,
                    function=function,  # type: ignore[arg-type]  # it was checked
                    file=file,
                    line=line,
                )
            )


class AsgiMiddlewareCheck:
    """The check of middlewares, with all problems that were found."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self._middlewares: list[AsgiMiddleware] = []

    @property
    def middlewares(self) -> tuple[AsgiMiddleware, ...]:
        """All middlewares, the outermost first."""
        return tuple(sorted(self._middlewares, key=lambda one: (one.order, one.file, one.line)))

    def add(self, file: str, name: str, decorated: object, mark: AsgiMiddlewareMark) -> None:
        """Check one mark of a class or function."""
        found = [*_order_problems(mark.order)]
        if inspect.iscoroutinefunction(decorated) or not callable(decorated):
            found.append(f"{name} must be a class or a function that takes the application")
        elif _required(decorated) != 1:
            found.append(f"{name} must take one argument, the application")
        elif isinstance(decorated, type) and "__call__" not in _members(decorated):
            found.append(f"{name} must have a method __call__(self, scope, receive, send)")
        line = line_of(decorated)
        self.problems += (ExtensionProblem(file, line, f"asgi_middleware: {one}") for one in found)
        if not found:
            self._middlewares.append(
                AsgiMiddleware(
                    name=name,
                    order=mark.order,
                    wrap=decorated,  # type: ignore[arg-type]  # it was checked
                    file=file,
                    line=line,
                )
            )


def _order_problems(order: object) -> Iterator[str]:
    if not isinstance(order, int) or isinstance(order, bool):
        yield f"order must be an integer, not {order!r}"


def _required(function: object) -> int:
    """Return how many arguments have to be passed."""
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]  # it is callable
    return sum(1 for one in parameters if one.default is one.empty)


def _members(decorated: type) -> frozenset[str]:
    return frozenset(name for base in decorated.__mro__[:-1] for name in vars(base))
