"""The types that no schema file may name: the row's own ``id`` and its ``documentId``."""

from quire.schema.attributes.base import AttributeType, Search, StorageKind, build_scalar

ID = AttributeType(name="id", build=build_scalar, storage=StorageKind.ID)
DOCUMENT_ID = AttributeType(
    name="documentId", build=build_scalar, storage=StorageKind.STRING, search=Search.TEXT
)
