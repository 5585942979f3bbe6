"""``password``: hashed on writing, never shown, never filtered, sorted or searched."""

from quire.schema.attributes.base import (
    AttributeType,
    StorageKind,
    build_scalar,
    object_option,
)
from quire.schema.attributes.text import LENGTHS, TEXT_FORM, accept_plain_text, pattern_option

PASSWORD = AttributeType(
    name="password",
    build=build_scalar,
    json=TEXT_FORM,
    options={**LENGTHS, "regex": pattern_option, "encryption": object_option},
    storage=StorageKind.STRING,
    accept=accept_plain_text,
    secret=True,
)
