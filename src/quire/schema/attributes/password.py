"""``password``: hashed on writing, never shown, never filtered, sorted or searched."""

from quire.schema.attributes.base import (
    AttributeType,
    StorageKind,
    build_scalar,
    object_option,
    text_option,
)
from quire.schema.attributes.text import LENGTHS

PASSWORD = AttributeType(
    name="password",
    build=build_scalar,
    options={**LENGTHS, "regex": text_option, "encryption": object_option},
    storage=StorageKind.STRING,
    secret=True,
)
