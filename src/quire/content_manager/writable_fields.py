"""Selects the attributes of a request body that exist and that the caller may write.

Forms send entries back as they were shown, with read-only values. So unknown and read-only
attributes are ignored, in components too.
"""

from collections.abc import Mapping, Sequence

from quire.access.admin_ability import GrantRule
from quire.content_manager.status_and_locale import invalid_value
from quire.errors import InvalidKeyError
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.model import AUTOMATIC_NAMES, Model, Schema

_NOT_OBJECT = "Invalid input: expected object, received {}"
_IN_RELATION = frozenset({"connect", "disconnect", "set", "id", "documentId"})
_KINDS = ((bool, "boolean"), (list, "array"), (str, "string"), (int, "number"), (float, "number"))

Body = Mapping[str, object]


def body_of(body: object, *, creating: bool = False) -> Body:
    """Return the attributes in a body, none when there is no body.

    Raises ValidationError if it is not an object, and for an id of a new entry.
    """
    if body is None:
        return {}
    if not isinstance(body, Mapping):
        kind = next((name for type_, name in _KINDS if isinstance(body, type_)), "null")
        raise invalid_value((), _NOT_OBJECT.format(kind))
    if creating and "id" in body:
        raise InvalidKeyError("id", None, source="body", show_path=False)
    return body


def pick_writable(
    schema: Schema, model: Model, body: Body, rules: Sequence[GrantRule]
) -> dict[str, object]:
    """Return the writable values of a body for an entry."""
    return _pick(schema, model, body, rules, "")


def _pick(
    schema: Schema, model: Model, body: Body, rules: Sequence[GrantRule], path: str
) -> dict[str, object]:
    picked_values: dict[str, object] = {}
    for name, value in body.items():
        attribute = model.attributes.get(name)
        field_path = f"{path}{name}"
        if attribute is None or name in AUTOMATIC_NAMES or not attribute.writable:
            continue
        if not any(rule.covers_field(field_path) for rule in rules) or _says_nothing(
            attribute, value
        ):
            continue
        picked_values[name] = _pick_value(schema, attribute, value, rules, f"{field_path}.")
    return picked_values


def _pick_value(
    schema: Schema, attribute: Attribute, value: object, rules: Sequence[GrantRule], path: str
) -> object:
    """Return the writable part of the value of an attribute."""
    if isinstance(attribute, ComponentAttribute):
        component = schema.components[attribute.component]
        if isinstance(value, list):
            return [_pick_component(schema, component, item, rules, path) for item in value]
        return _pick_component(schema, component, value, rules, path)
    if isinstance(attribute, DynamicZoneAttribute) and isinstance(value, list):
        # The components of a zone are granted with it.
        return [_zone_item(schema, item) for item in value]
    return value


def _pick_component(
    schema: Schema, component: Model, value: object, rules: Sequence[GrantRule], path: str
) -> object:
    if not isinstance(value, Mapping):
        return value
    picked_values = _pick(schema, component, value, rules, path)
    return picked_values if value.get("id") is None else {"id": value["id"], **picked_values}


def _zone_item(schema: Schema, item: object) -> object:
    uid = item.get("__component") if isinstance(item, Mapping) else None
    component = schema.components.get(uid) if isinstance(uid, str) else None
    if component is None or not isinstance(item, Mapping):
        return item
    part = _pick_component(schema, component, item, (GrantRule(),), "")
    return {"__component": uid, **part} if isinstance(part, Mapping) else item


def _says_nothing(attribute: Attribute, value: object) -> bool:
    """Tell whether an object for a relation has no known member."""
    if not isinstance(attribute, RelationAttribute | MediaAttribute):
        return False
    return isinstance(value, Mapping) and _IN_RELATION.isdisjoint(value)
