"""What code filters by, held against the schema: what something undefined is compared as."""

from quire.customisations.values import ArrayLiteral, Compared, Constant, ObjectLiteral, Value
from quire.schema.attributes.base import Attribute, ScalarAttribute
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
    if name == "documentId" or _type_of(attribute) in _TEXTS:
        return name, Compared(value, is_text=True)
    if _type_of(attribute) in _NULLS:
        return name, Compared(value, is_text=False)
    return name, value


def _type_of(attribute: Attribute | None) -> str:
    return attribute.type.name if isinstance(attribute, ScalarAttribute) else ""
