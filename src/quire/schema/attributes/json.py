"""``json``: any JSON value."""

from quire.schema.attributes.base import AttributeType, StorageKind, build_scalar
from quire.schema.attributes.json_schema import scalar_form

JSON = AttributeType(
    name="json", build=build_scalar, json=scalar_form({}), storage=StorageKind.JSON
)
