"""Decorators that mark functions as hooks. They register nothing and return the function itself."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, Protocol, TypeVar, overload

from msgspec import Struct

from quire.hooks.document import D, Document, Kind
from quire.hooks.write import PrepareAction, Write, WriteAction

MARKS_ATTRIBUTE = "__quire__"
"""The attribute of a function that holds its marks."""

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound=Awaitable[None] | None)


class HookMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    phase: str
    kind: Any
    on: Any
    needs: Any
    batch: Any
    order: Any


class ReplacesMark(Struct, frozen=True, kw_only=True, eq=False):
    """The files in the option ``replaces`` of a decorator, unchecked."""

    files: Any

    @property
    def phase(self) -> str:
        """The name of the option."""
        return "replaces"


Replaces = str | Sequence[str]
"""Paths of JavaScript files in a project, such as ``"src/api/article/policies/is-owner.js"``."""


class HookDecorator(Protocol[D]):
    """A decorator of functions that take a `Write`."""

    def __call__(self, function: Callable[[Write[D, Any]], R], /) -> Callable[[Write[D, Any]], R]:
        """Mark the function, and return it."""


class BatchDecorator(Protocol[D]):
    """A decorator of functions that take several writes of one action."""

    def __call__(
        self, function: Callable[[Sequence[Write[D, Any]]], R], /
    ) -> Callable[[Sequence[Write[D, Any]]], R]:
        """Mark the function, and return it."""


@overload
def prepare(
    kind: type[D], *, on: Sequence[PrepareAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[D]: ...
@overload
def prepare(
    kind: str, *, on: Sequence[PrepareAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[Document]: ...
def prepare(
    kind: Kind, *, on: Sequence[PrepareAction], needs: Sequence[str] = (), order: int = 0
) -> HookDecorator[Any]:
    """Call a function before the transaction of a write, where it may wait for other servers.

    It may change the data with `Write.set`, or refuse by raising an error of ``quire``. ``needs``
    are the fields that it reads of ``write.before``, which is read before the transaction: others
    may change it meanwhile. For a clone ``document_id`` is that of the source, and ``locale`` is
    ``"*"`` for all locales. The write may still fail afterwards.
    """
    return _marker("prepare", kind, on, needs, order=order)


@overload
def before_write(
    kind: type[D],
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[False] = False,
    order: int = 0,
    replaces: Replaces = (),
) -> HookDecorator[D]: ...
@overload
def before_write(
    kind: type[D],
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[True],
    order: int = 0,
    replaces: Replaces = (),
) -> BatchDecorator[D]: ...
@overload
def before_write(
    kind: str,
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[False] = False,
    order: int = 0,
    replaces: Replaces = (),
) -> HookDecorator[Document]: ...
@overload
def before_write(
    kind: str,
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[True],
    order: int = 0,
    replaces: Replaces = (),
) -> BatchDecorator[Document]: ...
def before_write(
    kind: Kind,
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: bool = False,
    order: int = 0,
    replaces: Replaces = (),
) -> HookDecorator[Any] | BatchDecorator[Any]:
    """Call a function in the transaction of a write, before its data are validated.

    It may change the data with `Write.set`, or reject the write by raising an error of ``quire``.
    ``needs`` are the fields that it reads of ``write.before``. With ``batch`` it is called once for
    several writes of one action, with a sequence of them. Functions are called in the order of
    ``order``, then of file and line. ``replaces`` are JavaScript files that it takes the place of.
    """
    return _marker("before_write", kind, on, needs, batch=batch, order=order, replaces=replaces)


@overload
def after_write(
    kind: type[D],
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[False] = False,
    order: int = 0,
) -> HookDecorator[D]: ...
@overload
def after_write(
    kind: type[D],
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[True],
    order: int = 0,
) -> BatchDecorator[D]: ...
@overload
def after_write(
    kind: str,
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[False] = False,
    order: int = 0,
) -> HookDecorator[Document]: ...
@overload
def after_write(
    kind: str,
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: Literal[True],
    order: int = 0,
) -> BatchDecorator[Document]: ...
def after_write(
    kind: Kind,
    *,
    on: Sequence[WriteAction],
    needs: Sequence[str] = (),
    batch: bool = False,
    order: int = 0,
) -> HookDecorator[Any] | BatchDecorator[Any]:
    """Call a function in the transaction of a write, after its rows were written.

    It may write other documents with `documents`, or reject the write by raising an error of
    ``quire``: then nothing is stored. ``needs`` are the fields that it reads of ``write.before``
    and ``write.after``. With ``batch`` it is called once for several writes of one action, with a
    sequence of them.
    """
    return _marker("after_write", kind, on, needs, batch=batch, order=order)


def _marker(
    phase: str,
    kind: Kind,
    on: object,
    needs: object,
    *,
    order: int,
    batch: object = False,
    replaces: Replaces = (),
) -> HookDecorator[Any]:
    mark = HookMark(phase=phase, kind=kind, on=on, needs=needs, batch=batch, order=order)

    def decorate(function: Callable[[Write[Any, Any]], R]) -> Callable[[Write[Any, Any]], R]:
        return add_mark(function, mark, replaces)

    return decorate


def add_mark(function: F, mark: object, replaces: Replaces = ()) -> F:
    """Add a mark to a function, and the files that it replaces; returns the function itself."""
    marks: tuple[object, ...] = (*own_marks(function), mark)
    if replaces:
        marks = (*marks, ReplacesMark(files=replaces))
    setattr(function, MARKS_ATTRIBUTE, marks)
    return function


def own_marks(value: object) -> tuple[object, ...]:
    """Return the marks of a function or class itself, not those that it inherits."""
    marks = getattr(value, "__dict__", {}).get(MARKS_ATTRIBUTE, ())
    return marks if isinstance(marks, tuple) else ()
