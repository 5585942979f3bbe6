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


def _build(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    return ComponentAttribute(
        name=name,
        type=type_,
        component=str(raw["component"]),
        repeatable=raw.get("repeatable") is True,
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


COMPONENT = AttributeType(
    name="component",
    build=_build,
    options={
        "component": name_option,
        "repeatable": boolean_option,
        "min": count_option,
        "max": count_option,
    },
    needs=("component",),
)
