"""Content types and components, in the form that the admin UI needs.

Unlike in the content-type builder, attributes that the server adds are included, and relations
describe their target in two more fields. Polymorphic relations are left out: nobody edits them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from quire.schema.attributes.base import RelationAttribute
from quire.schema.describe import in_order
from quire.schema.model import Component, ContentType, Model, Schema

_PLUGIN = "content-manager"
_ROW = 12
_TEXT: Mapping[str, object] = {"type": "string"}
_NUMBER: Mapping[str, object] = {"type": "integer"}
_MOMENT: Mapping[str, object] = {"type": "datetime"}
_CREATOR: Mapping[str, object] = {
    "type": "relation",
    "relation": "oneToOne",
    "target": "admin::user",
    "configurable": False,
    "writable": False,
    "visible": False,
    "useJoinTable": False,
    "targetModel": "admin::user",
    "relationType": "oneToOne",
}

_WIDE = "dynamiczone component json richtext blocks"
_NARROW = "checkbox boolean date time biginteger decimal float integer number"
_HALF = "datetime email enumeration media password relation string text timestamp uid"

FIELD_SIZES: Mapping[str, Mapping[str, object]] = {
    type_: {"default": size, "isResizable": size < _ROW}
    for size, types in ((_ROW, _WIDE), (4, _NARROW), (6, _HALF))
    for type_ in types.split()
}
"""How many of twelve columns a form gives to a field of each type, and whether that may change."""


def describe_types(schema: Schema) -> list[dict[str, Any]]:
    """Describe all content types."""
    return [describe_type(content_type) for content_type in in_order(schema)]


def describe_type(content_type: ContentType) -> dict[str, Any]:
    """Describe one content type."""
    raw = content_type.raw
    description: dict[str, Any] = {
        "uid": content_type.uid,
        "isDisplayed": is_displayed(content_type),
        "apiID": content_type.singular_name,
        "kind": content_type.kind.value,
        "info": _mapping(raw, "info"),
        "options": {
            **_mapping(raw, "options"),
            "draftAndPublish": content_type.draft_and_publish,
        },
        "attributes": described_attributes(content_type),
    }
    if "pluginOptions" in raw:
        description["pluginOptions"] = raw["pluginOptions"]
    return description


def describe_parts(schema: Schema) -> list[dict[str, Any]]:
    """Describe all components."""
    return [describe_part(component) for component in schema.components.values()]


def describe_part(component: Component) -> dict[str, Any]:
    """Describe one component."""
    raw = component.raw
    description: dict[str, Any] = {
        "uid": component.uid,
        "isDisplayed": True,
        "apiID": component.uid.partition(".")[2],
        "category": component.category,
        "info": _mapping(raw, "info"),
        "options": _mapping(raw, "options"),
        "attributes": described_attributes(component),
    }
    if "pluginOptions" in raw:
        description["pluginOptions"] = raw["pluginOptions"]
    return description


def is_displayed(content_type: ContentType) -> bool:
    """Tell whether the entries of a type are shown in the content manager."""
    return (
        _mapping(_mapping(content_type.raw, "pluginOptions"), _PLUGIN).get("visible") is not False
    )


def described_attributes(model: Model) -> dict[str, Mapping[str, object]]:
    """Describe the attributes of a model, including those that the server adds."""
    descriptions: dict[str, Mapping[str, object]] = {"id": _NUMBER, **dict(_own_attributes(model))}
    if isinstance(model, ContentType):
        descriptions |= {"createdAt": _MOMENT, "updatedAt": _MOMENT}
        creator = {**_CREATOR, "private": not model.populate_creator_fields}
        descriptions |= {"createdBy": creator, "updatedBy": creator}
    return {**descriptions, "documentId": _TEXT}


def _own_attributes(model: Model) -> Iterator[tuple[str, Mapping[str, object]]]:
    for attribute in model.own_attributes:
        if not isinstance(attribute, RelationAttribute):
            yield attribute.name, attribute.raw
        elif attribute.target is not None:
            target_keys = {
                "targetModel": attribute.target,
                "relationType": attribute.relation.value,
            }
            yield attribute.name, {**attribute.raw, **target_keys}


def _mapping(raw: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = raw.get(name)
    return value if isinstance(value, Mapping) else {}
