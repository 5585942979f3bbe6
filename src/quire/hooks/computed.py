"""Computed fields: the decorator, and checked fields as values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.document import Document, Kind
from quire.hooks.marks import F, add_mark


class ComputedMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    kind: Any
    needs: Any
    reveals: Any
    batch: Any
    default: Any
    volatile: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "computed"


def computed(
    kind: Kind,
    *,
    needs: Sequence[str],
    reveals: Sequence[str] = (),
    batch: bool = False,
    default: bool = True,
    volatile: bool = False,
) -> Callable[[F], F]:
    """Show the result of a function as a field of documents, with the name of the function.

    The function gets a document with the fields in ``needs``; with ``batch`` it gets all documents
    of a page, may be an ``async def``, and returns a list with a value for each of them. Private
    fields in ``needs`` have to be in ``reveals``, too. Without ``default`` the field is shown if
    ``fields`` names it. A response with a ``volatile`` field is not cached.
    """
    mark = ComputedMark(
        kind=kind,
        needs=needs,
        reveals=reveals,
        batch=batch,
        default=default,
        volatile=volatile,
    )
    return lambda function: add_mark(function, mark)


class ComputedField(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked computed field of a content type; ``json_schema`` is the form of its values."""

    uid: str
    function: Callable[..., Any]
    needs: tuple[str, ...]
    reveals: tuple[str, ...]
    batch: bool
    default: bool
    volatile: bool
    json_schema: Mapping[str, Any]
    document: type[Document] = Document


ComputedFields = Mapping[str, Mapping[str, ComputedField]]
"""Computed fields by content type and name."""
