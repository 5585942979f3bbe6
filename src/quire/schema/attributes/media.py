"""``media``: one file of the media library or several."""

from collections.abc import Mapping

from quire.schema.attributes.base import (
    Attribute,
    AttributeType,
    MediaAttribute,
    any_option,
    boolean_option,
    common_fields,
)


def _build(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    allowed = raw.get("allowedTypes")
    return MediaAttribute(
        name=name,
        type=type_,
        multiple=raw.get("multiple") is True,
        allowed_types=tuple(allowed) if isinstance(allowed, list) else (),
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


MEDIA = AttributeType(
    name="media",
    build=_build,
    options={"multiple": boolean_option, "allowedTypes": any_option},
)
