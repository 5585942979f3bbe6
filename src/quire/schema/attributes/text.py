"""Text: ``string`` (255 characters in the database), ``text``, ``richtext`` and ``email``."""

from quire.schema.attributes.base import (
    AttributeType,
    OptionCheck,
    Search,
    StorageKind,
    build_scalar,
    count_option,
    text_option,
)

LENGTHS: dict[str, OptionCheck] = {"minLength": count_option, "maxLength": count_option}

STRING = AttributeType(
    name="string",
    build=build_scalar,
    options={**LENGTHS, "regex": text_option},
    storage=StorageKind.STRING,
    search=Search.TEXT,
)
TEXT = AttributeType(
    name="text",
    build=build_scalar,
    options={**LENGTHS, "regex": text_option},
    storage=StorageKind.TEXT,
    search=Search.TEXT,
)
RICHTEXT = AttributeType(
    name="richtext",
    build=build_scalar,
    options=LENGTHS,
    storage=StorageKind.TEXT,
    search=Search.TEXT,
)
EMAIL = AttributeType(
    name="email",
    build=build_scalar,
    options=LENGTHS,
    storage=StorageKind.STRING,
    search=Search.TEXT,
)
