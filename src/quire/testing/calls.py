"""Counts how often the hooks of a project are called."""

import functools
import inspect
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

from msgspec.structs import replace

from quire.extensions import ImportedModules
from quire.hooks.marks import MARKS

_UNCOUNTED = frozenset({"rule", "policy", "computed", "on_start", "on_stop"})
"""Marked functions that are no events; how often they run depends on what is remembered."""


def count_calls(modules: ImportedModules, fired: Counter[str]) -> ImportedModules:
    """Return the modules with hooks that are counted by name whenever they are called."""
    return replace(
        modules, files={file: _counted(module, fired) for file, module in modules.files.items()}
    )


def _counted(module: ModuleType, fired: Counter[str]) -> ModuleType:
    copy = ModuleType(module.__name__)
    for name, value in vars(module).items():
        is_hook = inspect.isfunction(value) and any(map(_is_event, getattr(value, MARKS, ())))
        setattr(copy, name, _wrap(name, value, fired) if is_hook else value)
    return copy


def _is_event(mark: object) -> bool:
    phase = getattr(mark, "phase", None)
    return isinstance(phase, str) and phase not in _UNCOUNTED and not phase.startswith("route.")


def _wrap(name: str, function: Callable[..., Any], fired: Counter[str]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def called(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - those of the function
            fired[name] += 1
            return await function(*arguments, **named)

        return called

    @functools.wraps(function)
    def called_in_place(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - those of the function
        fired[name] += 1
        return function(*arguments, **named)

    return called_in_place
