"""The types that no schema file may name: the row's own ``id`` and its ``documentId``."""

from quire.schema.attributes.base import AttributeType, SearchMode, StorageKind, build_scalar
from quire.schema.attributes.json_schema import plain

ID = AttributeType(
    name="id", build=build_scalar, json=plain({"type": "integer"}), storage=StorageKind.ID
)
DOCUMENT_ID = AttributeType(
    name="documentId",
    build=build_scalar,
    json=plain({"type": "string"}),
    storage=StorageKind.STRING,
    search=SearchMode.TEXT,
)
