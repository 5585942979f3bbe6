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
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers
from quire.schema.attributes.relation import links


def _build(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    allowed = raw.get("allowedTypes")
    return MediaAttribute(
        name=name,
        type=type_,
        multiple=raw.get("multiple") is True,
        allowed_types=tuple(allowed) if isinstance(allowed, list) else (),
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


_FILE_UID = "plugin::upload.file"


def _shown(attribute: MediaAttribute, pointers: Pointers) -> JsonSchema:
    file = pointers.document(_FILE_UID)
    return {"type": "array", "items": file} if attribute.multiple else file


def _written(attribute: MediaAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return links(pointers)


MEDIA = AttributeType(
    name="media",
    build=_build,
    json=JsonForm(response=_shown, request=_written),
    options={"multiple": boolean_option, "allowedTypes": any_option},
)
