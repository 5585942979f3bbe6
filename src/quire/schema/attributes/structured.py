"""``json``: any value that JSON can hold."""

from quire.schema.attributes.base import AttributeType, StorageKind, build_scalar

JSON = AttributeType(name="json", build=build_scalar, storage=StorageKind.JSON)
