"""Selects the tests of the quick run: ``pytest -m quick`` takes less than a minute.

Of each test function that needs neither PostgreSQL nor a separate process, one case is chosen; of
those that replay what was recorded, every twentieth. Where each function takes a database through a
whole command or change, every third function is enough. Generated tests and those of what happens
to servers under load are none of them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType

import pytest

from tests.databases.kinds import POSTGRESQL

_OTHERS = ("tests/property/", "tests/reliability/")
_COMMANDS = (
    *("tests/unit/admin_api/", "tests/unit/cli/", "tests/unit/uploads/"),
    *("tests/unit/database/integrity/", "tests/unit/database/migration/"),
)
"""Folders of which every third function is enough."""
_RECORDED = frozenset({"scenario", "group", "case"})
"""Parameters whose values were recorded."""
_EVERY_CASE, _EVERY_FUNCTION = 20, 3
_COSTLY = frozenset({"create_subprocess_exec", "POSTGRESQL", "new_database", "Cluster"})
"""Names of what leads to a process, or to PostgreSQL whatever the kind is."""
_PROCESSES = frozenset({"subprocess", "multiprocessing"})
"""Modules that start processes."""
_OURS = ("tests.", "bench.")


def mark_quick(items: Sequence[pytest.Item]) -> None:
    """Mark the tests of the daily round."""
    cases: Counter[str] = Counter()
    commands: set[str] = set()
    for item in items:
        if isinstance(item, pytest.Function) and _is_quick(item):
            name = item.nodeid.partition("[")[0]
            if name not in cases and name.startswith(_COMMANDS):
                commands.add(name)
            skipped = name in commands and len(commands) % _EVERY_FUNCTION != 1
            every = _EVERY_CASE if _RECORDED & _parameters(item).keys() else len(items)
            if not skipped and cases[name] % every == 0:
                item.add_marker("quick")
            cases[name] += 1


def _parameters(item: pytest.Function) -> dict[str, object]:
    return item.callspec.params if hasattr(item, "callspec") else {}


def _is_quick(item: pytest.Function) -> bool:
    """Tell whether a test needs one process and SQLite alone."""
    if item.nodeid.startswith(_OTHERS) or getattr(item.obj, "is_hypothesis_test", False):
        return False
    if any(value is POSTGRESQL for value in _parameters(item).values()):
        return False
    return not any(_is_costly(function) for function in _functions(item))


def _functions(item: pytest.Function) -> Iterator[Callable[..., object]]:
    """Yield what a test runs: itself and its fixtures."""
    yield item.function
    for definitions in item._fixtureinfo.name2fixturedefs.values():  # noqa: SLF001 - has no other name
        yield definitions[-1].func


@cache
def _is_costly(function: Callable[..., object]) -> bool:
    """Tell whether a function of the tests leads to what is costly, by the names that it uses."""
    found: set[object] = set()
    return any(_names(function, found))


def _names(used: object, found: set[object]) -> Iterator[bool]:
    """Yield for each name that is used, here or by what is named, whether it is a costly one."""
    if isinstance(used, type) and used.__module__.startswith(_OURS):
        for member in vars(used).values():
            yield from _names(member, found)
    function = unwrap(used) if callable(used) else None
    if not isinstance(function, FunctionType) or function in found:
        return
    found.add(function)
    if not function.__module__.startswith(_OURS):
        return
    for name in _used(function.__code__):
        value = function.__globals__.get(name)
        yield name in _COSTLY or _module_of(value) in _PROCESSES
        yield from _names(value, found)


def _module_of(value: object) -> object:
    """Return the name of a module, or of the one that something is from."""
    return getattr(value, "__name__" if isinstance(value, ModuleType) else "__module__", None)


def _used(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _used(constant)
