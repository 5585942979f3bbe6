"""``boolean``: true, false or not set."""

from quire.javascript.text import string_of
from quire.schema.attributes.base import (
    AttributeType,
    FilterValue,
    ScalarAttribute,
    StorageKind,
    build_scalar,
)
from quire.schema.attributes.json_schema import scalar_form
from quire.schema.attributes.validation import Refusal, RefusedValue, ValueRules, not_of_type

_FALSE = frozenset({"false", "f", "0", ""})


def cast_boolean(text: str) -> FilterValue:
    """Parse a filter operand: ``false``, ``f``, ``0`` and empty are false, all else is true."""
    return text not in _FALSE


_TEXT_VALUES = {"true": True, "1": True, "false": False, "0": False}


def read_boolean(value: object) -> bool | None:
    """Parse true and false, also given as text in any case, or as 1 and 0; ``None`` for others."""
    if isinstance(value, bool):
        return value
    return None if isinstance(value, dict) else _TEXT_VALUES.get(string_of(value).lower())


def _accept(value: object) -> object:
    boolean = read_boolean(value)
    if boolean is None:
        raise RefusedValue(Refusal(message=not_of_type("boolean", value), value=value))
    return boolean


def accept_boolean(attribute: ScalarAttribute) -> ValueRules:  # noqa: ARG001 - an `Accept`
    """Accept booleans, in drafts and published entries."""
    return ValueRules(draft=_accept, full=_accept)


BOOLEAN = AttributeType(
    name="boolean",
    build=build_scalar,
    json=scalar_form({"type": "boolean"}),
    storage=StorageKind.BOOLEAN,
    cast=cast_boolean,
    accept=accept_boolean,
    few_values=True,
)
