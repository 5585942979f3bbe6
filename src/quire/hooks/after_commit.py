"""Functions that receive changes after the commit: the decorator, and checked values."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.document import Kind
from quire.hooks.marks import add_mark
from quire.hooks.shape import S, Shape
from quire.hooks.write import WriteAction

ReadStatus = Literal["published", "draft"]
T_contra = TypeVar("T_contra", contravariant=True)


class LinkedDocument(Struct, frozen=True, order=True):
    """A document of the content type ``uid`` on the other side of a relation."""

    uid: str
    document_id: str


class Change(Struct, Generic[S], frozen=True, kw_only=True):
    """One action on one locale of a document, after the commit.

    ``id`` is the same when a change is delivered a second time. ``fields`` are the attributes that
    were written, ``kept`` the values of those in ``keep`` as they were then. ``document`` is read
    at the delivery: ``None`` if it no longer exists. ``also_locales`` are as in `Write`. ``linked``
    are the documents that a relation of both sides led to before or afterwards and not both; they
    are known if the function asks for them. There are no changes for them.
    """

    id: int
    action: WriteAction
    uid: str
    document_id: str
    locale: str | None
    at: datetime
    fields: tuple[str, ...]
    kept: Mapping[str, Any]
    document: S | None
    also_locales: tuple[str, ...] = ()
    linked: tuple[LinkedDocument, ...] = ()


class ChangeMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    kind: Any
    on: Any
    shape: Any
    keep: Any
    coalesce: Any
    retries: Any
    status: Any
    linked: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "after_commit"


class ChangeListener(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A function that receives the changes to one content type.

    ``key`` is stored with each change: it is the name of the function with its module.
    """

    key: str
    uid: str
    on: tuple[WriteAction, ...]
    shape: type[Shape[Any]]
    function: Callable[[Sequence[Change[Any]]], Awaitable[None]]
    keep: tuple[str, ...] = ()
    coalesce: bool = False
    retries: int = 12
    status: ReadStatus = "published"
    linked: bool = False


class ChangeFunction(Protocol[T_contra]):
    """A function of changes."""

    async def __call__(self, changes: Sequence[T_contra], /) -> None:
        """Process the changes."""


def after_commit(
    kind: Kind,
    *,
    on: Sequence[WriteAction],
    shape: type[S],
    keep: Sequence[str] = (),
    coalesce: bool = False,
    retries: int = 12,
    status: ReadStatus = "published",
    linked: bool = False,
) -> Callable[[ChangeFunction[Change[S]]], ChangeFunction[Change[S]]]:
    """Call a coroutine function with changes that were committed, at least once for each.

    Changes of one document come in the order of their commits, up to 100 of different documents at
    once. ``shape`` says what is read of each document, without permissions, when the function is
    called: its published version, or its draft with the ``status`` ``draft``. ``keep`` are fields
    whose values are stored with the change, for what is deleted. With ``coalesce`` only the newest
    change of a document is kept. Changes are delivered again when the function raises or takes
    longer than `extensions.delivery_seconds` (30), up to ``retries`` times. With ``linked`` changes
    name the documents that were linked or unlinked, which takes more statements in each write.
    """
    mark = ChangeMark(
        kind=kind,
        on=on,
        shape=shape,
        keep=keep,
        coalesce=coalesce,
        retries=retries,
        status=status,
        linked=linked,
    )
    return lambda function: add_mark(function, mark)
