"""``component``: a group of attributes, once or as a list."""

from collections.abc import Mapping

from quire.schema.attributes.base import (
    Attribute,
    AttributeType,
    ComponentAttribute,
    boolean_option,
    common_fields,
    count_option,
    name_option,
)
from quire.schema.attributes.json_schema import COUNTS, JsonForm, JsonSchema, Pointers, list_schema


def _build(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    return ComponentAttribute(
        name=name,
        type=type_,
        component=str(raw["component"]),
        repeatable=raw.get("repeatable") is True,
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


def _shown(attribute: ComponentAttribute, pointers: Pointers) -> JsonSchema:
    item = pointers.component(attribute.component)
    return {"type": "array", "items": item} if attribute.repeatable else item


def _written(attribute: ComponentAttribute, pointers: Pointers) -> JsonSchema:
    item = pointers.component(attribute.component)
    return list_schema(item, attribute.raw) if attribute.repeatable else item


COMPONENT = AttributeType(
    name="component",
    build=_build,
    json=JsonForm(response=_shown, request=_written, published_only=COUNTS),
    options={
        "component": name_option,
        "repeatable": boolean_option,
        "min": count_option,
        "max": count_option,
    },
    needs=("component",),
)
