"""Shapes: classes that determine which fields of documents are read, and their types."""

import types
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from quire.hooks.document import Document

D_co = TypeVar("D_co", bound=Document, covariant=True)


# Not frozen: type checkers would require frozen=True of every subclass.
class Shape(msgspec.Struct, Generic[D_co], kw_only=True):
    """The fields of a document that code needs, as a struct.

    A read by a shape loads only these fields, relations and components by their nested shapes::

        class AuthorName(Shape[Author]):
            name: str

        class ArticleCard(Shape[Article]):
            documentId: str
            title: str
            author: AuthorName | None = None
    """


S = TypeVar("S", bound=Shape[Any])


def nested_shapes(shape: type[Shape[Any]]) -> dict[str, type[Shape[Any]] | None]:
    """Return the fields of a shape, each with the shape of its values, ``None`` for plain ones."""
    hints = get_type_hints(shape)
    return {name: _find_shape(hints[name]) for name in shape.__struct_fields__}


def _find_shape(hint: Any) -> type[Shape[Any]] | None:  # noqa: ANN401 - any annotation
    origin = get_origin(hint)
    if isinstance(hint, type) and issubclass(hint, Shape):
        return hint
    if isinstance(origin, type) and issubclass(origin, Shape):
        return origin
    if origin in {Union, types.UnionType, list, tuple}:
        return next(filter(None, map(_find_shape, get_args(hint))), None)
    return None
