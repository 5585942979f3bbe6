"""A controller's ``sanitizeInput`` on data of a client."""

from quire.access.ability import Ability, can_find
from quire.javascript.interpreter.values import UnsupportedError
from quire.javascript.scope import UNDEFINED
from quire.schema.attributes.base import ComponentAttribute, DynamicZoneAttribute, RelationAttribute
from quire.schema.model import ContentType, Model, Schema

_SET_BY_SERVER = frozenset({"id", "documentId", "createdAt", "updatedAt"})


def sanitized_input(
    value: object, content_type: ContentType, schema: Schema, ability: Ability | None
) -> object:
    """Return data without server-set attributes, and without relations the caller may not read.

    ``ability`` is ``None`` on routes that need no permission, where relations stay. Unknown members
    stay, too. Raises UnsupportedError for data that are no object.
    """
    if isinstance(value, list):
        return [sanitized_input(item, content_type, schema, ability) for item in value]
    if value is UNDEFINED or value is None:
        return {}
    if not isinstance(value, dict):
        raise UnsupportedError("sanitizes data that are no object")
    attributes = content_type.attributes
    allowed_data = {
        name: inner
        for name, inner in value.items()
        if name not in _SET_BY_SERVER and not (name in attributes and not attributes[name].writable)
    }
    return (
        allowed_data
        if ability is None
        else _remove_unreachable(allowed_data, content_type, schema, ability)
    )


def _remove_unreachable(value: object, model: Model, schema: Schema, ability: Ability) -> object:
    """Return an entry without relations to types that the caller may not read."""
    if isinstance(value, list):
        return [_remove_unreachable(item, model, schema, ability) for item in value]
    if not isinstance(value, dict):
        return value
    reachable_data: dict[str, object] = {}
    for name, inner in value.items():
        match model.attributes.get(name):
            case RelationAttribute(target=None):
                raise UnsupportedError("sanitizes relations to any type")
            case RelationAttribute(target=str(uid)):
                if can_find(ability, uid):
                    reachable_data[name] = inner
            case ComponentAttribute(component=uid):
                reachable_data[name] = _remove_unreachable(
                    inner, schema.components[uid], schema, ability
                )
            case DynamicZoneAttribute():
                reachable_data[name] = _zone(inner, schema, ability)
            case _:
                reachable_data[name] = inner
    return reachable_data


def _zone(value: object, schema: Schema, ability: Ability) -> object:
    if not isinstance(value, list):
        return value
    return [
        _remove_unreachable(item, schema.components[item["__component"]], schema, ability)
        if isinstance(item, dict) and item.get("__component") in schema.components
        else item
        for item in value
    ]
