"""``boolean``: true, false or not set."""

from quire.schema.attributes.base import AttributeType, FilterValue, StorageKind, build_scalar

_FALSE = frozenset({"false", "f", "0", ""})


def cast_boolean(text: str) -> FilterValue:
    """Read a filter operand: ``false``, ``f``, ``0`` and empty are false, all else is true."""
    return text not in _FALSE


BOOLEAN = AttributeType(
    name="boolean", build=build_scalar, storage=StorageKind.BOOLEAN, cast=cast_boolean
)
