"""Decorators that mark functions as hooks. They register nothing and return the function itself."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar, overload

from msgspec import Struct

from quire.hooks.document import D, Document, Kind
from quire.hooks.write import PrepareAction, Write, WriteAction

MARKS = "__quire__"
"""The attribute of a function that holds its marks."""

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound=Awaitable[None] | None)


class HookMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    phase: str
    kind: Any
    on: Any
    needs: Any
    order: Any


class HookDecorator(Protocol[D]):
    """A decorator of functions that take a `Write`."""

    def __call__(self, function: Callable[[Write[D]], R], /) -> Callable[[Write[D]], R]:
        """Mark the function, and return it."""


@overload
def prepare(kind: type[D], *, on: Sequence[PrepareAction], order: int = 0) -> HookDecorator[D]: ...
@overload
def prepare(
    kind: str, *, on: Sequence[PrepareAction], order: int = 0
) -> HookDecorator[Document]: ...
def prepare(kind: Kind, *, on: Sequence[PrepareAction], order: int = 0) -> HookDecorator[Any]:
    """Call a function before the transaction of a write, where it may wait for other servers.

    It may change the data with `Write.set`, or refuse by raising an error of ``quire``. Nothing
    was read yet: ``write.before`` is ``None``. The write may still fail afterwards.
    """
    return _marker("prepare", kind, on, (), order)


@overload
def before_write(
    kind: type[D], *, on: Sequence[WriteAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[D]: ...
@overload
def before_write(
    kind: str, *, on: Sequence[WriteAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[Document]: ...
def before_write(
    kind: Kind, *, on: Sequence[WriteAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[Any]:
    """Call a function in the transaction of a write, before its data are validated.

    It may change the data with `Write.set`, or reject the write by raising an error of ``quire``.
    ``needs`` are the fields that it reads of ``write.before``. Functions are called in the order of
    ``order``, then of file and line.
    """
    return _marker("before_write", kind, on, needs, order)


@overload
def after_write(
    kind: type[D], *, on: Sequence[WriteAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[D]: ...
@overload
def after_write(
    kind: str, *, on: Sequence[WriteAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[Document]: ...
def after_write(
    kind: Kind, *, on: Sequence[WriteAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[Any]:
    """Call a function in the transaction of a write, after its rows were written.

    It may write other documents with `documents`, or reject the write by raising an error of
    ``quire``: then nothing is stored. ``needs`` are the fields that it reads of ``write.before``
    and ``write.after``.
    """
    return _marker("after_write", kind, on, needs, order)


def _marker(phase: str, kind: Kind, on: object, needs: object, order: int) -> HookDecorator[Any]:
    mark = HookMark(phase=phase, kind=kind, on=on, needs=needs, order=order)

    def decorate(function: Callable[[Write[Any]], R]) -> Callable[[Write[Any]], R]:
        return add_mark(function, mark)

    return decorate


def add_mark(function: F, mark: object) -> F:
    """Add a mark to a function; returns the function itself."""
    marks: tuple[object, ...] = own_marks(function)
    setattr(function, MARKS, (*marks, mark))
    return function


def own_marks(value: object) -> tuple[object, ...]:
    """Return the marks of a function or class itself, not those that it inherits."""
    found = getattr(value, "__dict__", {}).get(MARKS, ())
    return found if isinstance(found, tuple) else ()
