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


def _build(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    components = raw["components"]
    return DynamicZoneAttribute(
        name=name,
        type=type_,
        components=tuple(components) if isinstance(components, list) else (),
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


DYNAMIC_ZONE = AttributeType(
    name="dynamiczone",
    build=_build,
    options={"components": names_option, "min": count_option, "max": count_option},
    needs=("components",),
)
