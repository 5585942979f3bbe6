"""What code filters by, held against the schema: what something undefined is compared as."""

from quire.customisations.values import ArrayLiteral, ComparedValue, Constant, ObjectLiteral, Value
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import Model

_TEXTS = frozenset({"string", "text", "richtext", "email", "uid", "enumeration"})
_NULLS = frozenset({"boolean", "json"})
_GROUPS = frozenset({"$and", "$or", "$not"})


def typed_filters(filters: Value, model: Model) -> Value:
    """Return filters in which the attributes of a model are compared as their types say."""
    match filters:
        case ObjectLiteral(members):
            return ObjectLiteral(tuple(_typed(name, value, model) for name, value in members))
        case ArrayLiteral(items):
            return ArrayLiteral(tuple(typed_filters(item, model) for item in items))
        case _:
            return filters


def _typed(name: str | None, value: Value, model: Model) -> tuple[str | None, Value]:
    if name in _GROUPS:
        return name, typed_filters(value, model)
    attribute = model.attributes.get(name or "")
    if isinstance(value, Constant):
        return name, value
    if name == "documentId":
        return name, ComparedValue(value, "")
    if isinstance(attribute, ScalarAttribute):
        return name, ComparedValue(value, _undefined(attribute.type.name))
    return name, value


def _undefined(type_name: str) -> str | None:
    """Return what stands for something undefined that is compared with a type of attribute."""
    if type_name in _NULLS:
        return None
    return "" if type_name in _TEXTS else "undefined"
