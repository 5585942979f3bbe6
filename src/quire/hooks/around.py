"""Functions around actions: the decorator, the calls that they get, and their results."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, overload

from msgspec import Struct
from msgspec.structs import replace

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.document import D, Document, Filters, Input, Kind
from quire.hooks.marks import Replaces, add_mark
from quire.hooks.policies import READ_ACTIONS, RuleAction
from quire.hooks.write import WITH_DATA


class Call(Struct, Generic[D, Filters, Input], frozen=True, kw_only=True):
    """One action that somebody takes on documents of a content type.

    ``document_id`` is ``None`` for lists and for the document of a single type. ``locale`` is
    ``"*"`` for several locales, and ``None`` where a read names none. ``query`` are the parameters
    of a read, ``data`` the attributes that a create, update or clone writes, both in the form of
    the content API. ``Filters`` and ``Input`` type what `narrow` and `with_data` take.
    """

    action: RuleAction
    uid: str
    document_id: str | None = None
    locale: str | None = None
    query: Mapping[str, Any] = {}
    data: Mapping[str, Any] = {}
    conditions: tuple[Mapping[str, Any], ...] = ()
    """The filters that `narrow` has added."""

    def __repr__(self) -> str:
        """Return a description of the call, without its data: they may include passwords."""
        return f"Call({self.action} {self.uid} {self.document_id} {self.locale})"

    def narrow(self, filters: Filters) -> "Call[D, Filters, Input]":
        """Return the same read, limited to documents that satisfy filters, too.

        The filters may name private fields; a condition with ``None`` in it matches no document.
        Raises TypeError for an action that writes.
        """
        if self.action not in READ_ACTIONS:
            message = f"{self.action} is not narrowed: raise an error of quire, or write a @rule"
            raise TypeError(message)
        return replace(self, conditions=(*self.conditions, filters)) if filters else self

    def with_data(
        self, data: Input | None = None, /, **values: object
    ) -> "Call[D, Filters, Input]":
        """Return the same write with other values, which are validated like those of the caller.

        Raises TypeError for an action without data.
        """
        if self.action not in WITH_DATA:
            message = f"{self.action} takes no data"
            raise TypeError(message)
        new_values = values if data is None else {**data, **values}
        return replace(self, data={**self.data, **new_values})


class Result(ABC, Generic[D]):
    """The result of an action: the documents that were read or written.

    ``count`` is the number of documents for the action ``count``, ``None`` for others.
    """

    count: int | None = None

    @abstractmethod
    async def documents(self) -> list[D]:
        """Return the documents, as the caller gets them; none after a delete.

        Raises ValidationError for a client that asks for the format of Strapi 4.
        """

    @abstractmethod
    def with_documents(self, documents: Sequence[D]) -> "Result[D]":
        """Return the result of a find or find_one with other documents, as many for find_one.

        Raises TypeError for other actions, and ValueError for documents that were read
        `as_system`.
        """


class Proceed(Protocol[D]):
    """Takes the action: calls the next function around it, or reads or writes."""

    async def __call__(self, call: Call[D, Any, Any], /) -> Result[D]:
        """Return the result of the action.

        Raises what the action raises, and NotFound where find_one finds no document. What a write
        has changed is then rolled back, so that it can be tried with another call.
        """


AroundFunction = Callable[[Call[D, Any, Any], Proceed[D]], Awaitable[Result[D]]]


class AroundMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    kind: Any
    on: Any
    order: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "around"


class AroundDecorator(Protocol[D]):
    """A decorator of functions that take a `Call` and `Proceed`."""

    def __call__(self, function: AroundFunction[D], /) -> AroundFunction[D]:
        """Mark the function, and return it."""


@overload
def around(
    kind: type[D], *, on: Sequence[RuleAction], order: int = 0, replaces: Replaces = ()
) -> AroundDecorator[D]: ...
@overload
def around(
    kind: str, *, on: Sequence[RuleAction], order: int = 0, replaces: Replaces = ()
) -> AroundDecorator[Document]: ...
def around(
    kind: Kind, *, on: Sequence[RuleAction], order: int = 0, replaces: Replaces = ()
) -> AroundDecorator[Any]:
    """Call an ``async def`` around an action on documents, whoever takes it.

    It gets a `Call` and a function that takes the action, and returns the result of that function.
    It may change the call before, and the documents that were read after it, or refuse by raising
    an error of ``quire``. The function with the lowest ``order`` is the outermost; those of equal
    order are called in the order of file and line. ``replaces`` are JavaScript files that it takes
    the place of.
    """
    mark = AroundMark(kind=kind, on=on, order=order)
    return lambda function: add_mark(function, mark, replaces)


class AroundCall(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked function around actions on one content type."""

    uid: str
    on: tuple[RuleAction, ...]
    function: AroundFunction[Any]
    document: type[Document] = Document
    order: int = 0


AroundCalls = Mapping[tuple[str, str], tuple[AroundCall, ...]]
"""Functions around actions by content type and action, the outermost first."""


def around_calls(functions: Sequence[AroundCall]) -> AroundCalls:
    """Return functions by content type and action."""
    calls_by_key: dict[tuple[str, str], tuple[AroundCall, ...]] = {}
    for call in sorted(functions, key=lambda call: (call.order, call.file, call.line, call.name)):
        for action in call.on:
            key = (call.uid, action)
            calls_by_key[key] = (*calls_by_key.get(key, ()), call)
    return calls_by_key
