"""Reads by shapes: the query of a shape, and its values from documents."""

from typing import Any, TypeVar

import msgspec

from quire.hooks.errors import UnknownFieldError
from quire.hooks.shape import Shape, nested_shapes
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, Model, Schema

S = TypeVar("S", bound=Shape[Any])

_ALWAYS = frozenset({"id", "documentId"})


def query_of_shape(shape: type[Shape[Any]], model: Model, schema: Schema) -> dict[str, Any]:
    """Return the ``fields`` and ``populate`` of a shape.

    Raises UnknownFieldError for a field that the model does not have, and TypeError for a relation
    whose annotation is not a shape of the model.
    """
    fields: list[str] = []
    populate: dict[str, Any] = {}
    for name, inner in nested_shapes(shape).items():
        if name in _ALWAYS:
            fields.append(name)
            continue
        attribute = model.attributes.get(name)
        if attribute is None and name in schema.computed.get(model.uid, ()):
            fields.append(name)
            continue
        if attribute is None:
            raise UnknownFieldError(getattr(model, "uid", shape.__name__), name, model.attributes)
        if isinstance(attribute, ScalarAttribute):
            fields.append(name)
        elif inner is None:
            populate[name] = True
        else:
            populate[name] = query_of_shape(inner, _target(attribute, schema), schema)
    query: dict[str, Any] = {"fields": fields or ["documentId"]}
    if populate:
        query["populate"] = populate
    return query


def as_shape(shape: type[S], document: object) -> S:
    """Return a document in a shape. Raises TypeError for values of other types than it says."""
    try:
        value: S = msgspec.convert(document, shape)
    except msgspec.ValidationError as error:
        message = f"{shape.__name__} does not fit what is stored: {error}"
        raise TypeError(message) from error
    return value


def _target(attribute: Attribute, schema: Schema) -> Model:
    match attribute:
        case RelationAttribute(target=str(uid)) | LocalizationsAttribute(target=uid):
            return schema.content_types[uid]
        case MediaAttribute():
            return schema.content_types[FILE_UID]
        case ComponentAttribute(component=uid):
            return schema.components[uid]
        case _:
            message = f"{attribute.name} holds several kinds of values: annotate it as list[dict]"
            raise TypeError(message)
