"""Structured values kept as JSON: ``json`` (anything) and ``blocks`` (a rich text document)."""

from quire.schema.attributes.base import AttributeType, StorageKind, build_scalar

JSON = AttributeType(name="json", build=build_scalar, storage=StorageKind.JSON)
BLOCKS = AttributeType(name="blocks", build=build_scalar, storage=StorageKind.JSON)
