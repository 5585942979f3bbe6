"""Reads the exports of a module that are plain data.

Plain data are literals, references to constants with plain data, functions that do nothing or only
return plain data, calls of ``env``, and calls of the three core factories.
"""

from msgspec import Struct

from quire.javascript.scope import (
    CODE,
    FACTORIES,
    Code,
    EnvironmentVariable,
    Factory,
    Module,
    NotPlainError,
)
from quire.javascript.syntax import Function

__all__ = [
    "CODE",
    "FACTORIES",
    "Code",
    "EmptyFunction",
    "EnvironmentVariable",
    "Factory",
    "plain_export",
    "read_module",
]


class EmptyFunction(Struct, frozen=True):
    """A function that does nothing."""


def read_module(source: str, *, partial: bool = False) -> object:
    """Return the exports of a module, or :data:`CODE`.

    Objects are dictionaries, arrays are lists; a function that returns plain data stands for its
    result, since configuration and empty services are written that way. With ``partial``, members
    and items that are not plain are ``CODE`` each; otherwise one makes all of it code.
    """
    return plain_export(Module(source), partial=partial)


def plain_export(module: Module, *, partial: bool = False) -> object:
    """Do what `read_module` does, for a parsed module."""
    exported = module.exported
    if exported is None or not module.is_known:
        return CODE
    try:
        return _without_functions(module, module.value(exported, partial=partial), partial=partial)
    except (NotPlainError, RecursionError):
        return CODE


def _without_functions(module: Module, value: object, *, partial: bool) -> object:
    """Return a value with functions replaced by their results."""
    match value:
        case Function(_, ()):
            return EmptyFunction()
        case Function():
            try:
                result = module.returned_value(value, partial=partial)
            except NotPlainError:
                if partial:
                    return CODE
                raise
            return _without_functions(module, result, partial=partial)
        case dict():
            return {
                key: _without_functions(module, inner, partial=partial)
                for key, inner in value.items()
            }
        case list():
            return [_without_functions(module, inner, partial=partial) for inner in value]
        case Factory(name, arguments):
            replaced_arguments = (
                _without_functions(module, argument, partial=partial) for argument in arguments
            )
            return Factory(name, tuple(replaced_arguments))
        case _:
            return value
