"""A controller's ``sanitizeOutput`` on entries that code has made or read."""

from collections.abc import Mapping

from quire.access.ability import Ability, can_find
from quire.javascript.interpreter.values import SECRET, UnsupportedError
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, Model, Schema

_CREATORS = frozenset({"createdBy", "updatedBy"})


def sanitized(value: object, model: Model, schema: Schema, ability: Ability) -> object:
    """Return entries without private, secret and forbidden attributes.

    Raises UnsupportedError if that is unknown.
    """
    if isinstance(value, list):
        return [sanitized(item, model, schema, ability) for item in value]
    if not isinstance(value, dict):
        return value
    visible_fields: dict[str, object] = {}
    for name, inner in value.items():
        attribute = model.attributes.get(name)
        if name in _CREATORS:
            raise UnsupportedError("shows who has written an entry")
        if attribute is None:
            visible_fields[name] = inner
        elif not (attribute.private or inner is SECRET or _is_secret(attribute)):
            sanitized_value = _attribute(attribute, inner, schema, ability)
            if sanitized_value is not SECRET:
                visible_fields[name] = sanitized_value
    return visible_fields


def _is_secret(attribute: Attribute) -> bool:
    return isinstance(attribute, ScalarAttribute) and attribute.secret


def _attribute(attribute: Attribute, value: object, schema: Schema, ability: Ability) -> object:
    """Return the shown value of an attribute, `SECRET` if it is left out."""
    match attribute:
        case RelationAttribute(target=None):
            raise UnsupportedError("shows entries of any type")
        case RelationAttribute(target=str(uid)) | LocalizationsAttribute(target=uid):
            if not can_find(ability, uid) and not ability.allows(f"{uid}.findOne"):
                return SECRET
            return sanitized(value, schema.content_types[uid], schema, ability)
        case MediaAttribute():
            return sanitized(value, schema.content_types[FILE_UID], schema, ability)
        case ComponentAttribute(component=uid):
            return sanitized(value, schema.components[uid], schema, ability)
        case DynamicZoneAttribute():
            return _zone(value, schema, ability)
        case _:
            return value


def _zone(value: object, schema: Schema, ability: Ability) -> object:
    if not isinstance(value, list):
        return value
    components: list[object] = []
    for item in value:
        uid = item.get("__component") if isinstance(item, dict) else None
        if not isinstance(uid, str) or uid not in schema.components:
            raise UnsupportedError("shows a component that is not known")
        components.append(sanitized(item, schema.components[uid], schema, ability))
    return components


def with_secrets(value: object, model: Model, schema: Schema, requested: object) -> object:
    """Return entries as they are stored, with placeholders for values that are never read.

    ``requested`` is the query; if it names fields, others are missing.
    """
    if isinstance(value, list):
        return [with_secrets(item, model, schema, requested) for item in value]
    if not isinstance(value, dict):
        return value
    result: dict[str, object] = {
        name: _add_secrets(
            model.attributes.get(name), inner, schema, _populate_query(requested, name)
        )
        for name, inner in value.items()
    }
    if isinstance(requested, dict) and requested.get("fields"):
        fields = requested["fields"]
        requested_names = {fields} if isinstance(fields, str) else set(fields)
        if requested_names.isdisjoint(
            {"*", *(name for name, attribute in model.attributes.items() if _is_secret(attribute))}
        ):
            return result
    secrets = [name for name, attribute in model.attributes.items() if _is_secret(attribute)]
    return {**result, **dict.fromkeys(secrets, SECRET)}


def _populate_query(requested: object, name: str) -> object:
    """Return the query of a populated attribute."""
    populate = requested.get("populate") if isinstance(requested, dict) else None
    return populate.get(name) if isinstance(populate, dict) else None


def _add_secrets(
    attribute: Attribute | None, value: object, schema: Schema, requested: object
) -> object:
    match attribute:
        case RelationAttribute(target=str(uid)) | LocalizationsAttribute(target=uid):
            return with_secrets(value, schema.content_types[uid], schema, requested)
        case ComponentAttribute(component=uid):
            return with_secrets(value, schema.components[uid], schema, requested)
        case DynamicZoneAttribute() | RelationAttribute(target=None):
            return _add_secrets_to_mixed_items(value, schema)
        case _:
            return value


def _add_secrets_to_mixed_items(value: object, schema: Schema) -> object:
    if not isinstance(value, list):
        return value
    return [
        with_secrets(item, _model(item, schema), schema, None) if isinstance(item, dict) else item
        for item in value
    ]


def _model(item: Mapping[str, object], schema: Schema) -> Model:
    uid = item.get("__component", item.get("__type"))
    if isinstance(uid, str) and uid in schema.components:
        return schema.components[uid]
    if isinstance(uid, str) and uid in schema.content_types:
        return schema.content_types[uid]
    raise UnsupportedError("an entry of a type that is not known")
