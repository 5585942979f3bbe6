"""Tells what the functions of tests use, by the names in their code."""

from collections.abc import Callable, Iterator
from functools import cache
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType

import pytest

_OURS = ("tests.", "bench.")


def uses(item: pytest.Function, names: frozenset[str]) -> bool:
    """Tell whether a test or one of its fixtures uses a name, or something of a module named so.

    Functions and classes of tests and benchmarks are followed.
    """
    return any(_uses(function, names) for function in _functions(item))


def _functions(item: pytest.Function) -> Iterator[Callable[..., object]]:
    """Yield what a test runs: itself and its fixtures."""
    yield item.function
    for definitions in item._fixtureinfo.name2fixturedefs.values():  # noqa: SLF001 - has no other name
        yield definitions[-1].func


@cache
def _uses(function: Callable[..., object], names: frozenset[str]) -> bool:
    return any(one in names for one in _used_names(function, set()))


def _used_names(used: object, followed: set[object]) -> Iterator[object]:
    """Yield each name that is used, directly or indirectly, and the module of what it means."""
    if isinstance(used, type) and used.__module__.startswith(_OURS):
        for member in vars(used).values():
            yield from _used_names(member, followed)
    function = unwrap(used) if callable(used) else None
    if not isinstance(function, FunctionType) or function in followed:
        return
    followed.add(function)
    if not function.__module__.startswith(_OURS):
        return
    for name in _names_in(function.__code__):
        value = function.__globals__.get(name)
        yield name
        yield _module_of(value)
        yield from _used_names(value, followed)


def _module_of(value: object) -> object:
    """Return the name of a module, or of the one that something is from."""
    return getattr(value, "__name__" if isinstance(value, ModuleType) else "__module__", None)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
