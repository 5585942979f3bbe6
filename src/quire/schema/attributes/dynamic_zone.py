"""``dynamiczone``: a list of components of several kinds."""

from collections.abc import Mapping

from quire.schema.attributes.base import (
    Attribute,
    AttributeType,
    DynamicZoneAttribute,
    common_fields,
    count_option,
    names_option,
)
from quire.schema.attributes.json_schema import COUNTS, JsonForm, JsonSchema, Pointers, list_schema


def _build(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    components = raw["components"]
    return DynamicZoneAttribute(
        name=name,
        type=type_,
        components=tuple(components) if isinstance(components, list) else (),
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


def _items(attribute: DynamicZoneAttribute, pointers: Pointers) -> JsonSchema:
    items = {uid: pointers.zone_item(uid) for uid in attribute.components}
    if not items:
        return {"type": "object"}
    references = {uid: str(item["$ref"]) for uid, item in items.items() if "$ref" in item}
    discriminator = {"propertyName": "__component", "mapping": references}
    return {"oneOf": [*items.values()], **({"discriminator": discriminator} if references else {})}


def _shown(attribute: DynamicZoneAttribute, pointers: Pointers) -> JsonSchema:
    return {"type": "array", "items": _items(attribute, pointers)}


def _written(attribute: DynamicZoneAttribute, pointers: Pointers) -> JsonSchema:
    return list_schema(_items(attribute, pointers), attribute.raw)


DYNAMIC_ZONE = AttributeType(
    name="dynamiczone",
    build=_build,
    json=JsonForm(response=_shown, request=_written, published_only=COUNTS),
    options={"components": names_option, "min": count_option, "max": count_option},
    needs=("components",),
)
