"""``uid``: a unique, URL-friendly name, often made from another attribute."""

from quire.schema.attributes.base import (
    AttributeType,
    Search,
    StorageKind,
    build_scalar,
    name_option,
    object_option,
    text_option,
)
from quire.schema.attributes.text import LENGTHS

UID = AttributeType(
    name="uid",
    build=build_scalar,
    options={
        **LENGTHS,
        "regex": text_option,
        "targetField": name_option,
        "options": object_option,
    },
    storage=StorageKind.STRING,
    search=Search.TEXT,
    per_entry=True,
)
