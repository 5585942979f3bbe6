"""Validates values for the attributes of one type, as in writes."""

from collections.abc import Mapping

from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.attributes.validation import Refusal, RefusedValue, ValueRules


def acceptance(type_name: str, options: Mapping[str, object] | None = None) -> ValueRules:
    """Make the acceptance of an attribute with these options."""
    type_ = ATTRIBUTE_TYPES[type_name]
    attribute = type_.build(type_, "field", {"type": type_name, **(options or {})})
    assert isinstance(attribute, ScalarAttribute)
    return type_.accept(attribute)


def accepted(type_name: str, value: object, options: Mapping[str, object] | None = None) -> object:
    """Return what a full entry keeps of a value."""
    return acceptance(type_name, options).full(value)


def refusals(
    type_name: str,
    value: object,
    options: Mapping[str, object] | None = None,
    *,
    draft: bool = False,
) -> list[Refusal]:
    """Return why a value is rejected; none when it is accepted."""
    rules = acceptance(type_name, options)
    try:
        (rules.draft if draft else rules.full)(value)
    except RefusedValue as refused:
        return list(refused.refusals)
    return []


def messages(
    type_name: str,
    value: object,
    options: Mapping[str, object] | None = None,
    *,
    draft: bool = False,
) -> list[str]:
    """Return the sentences of the refusals of a value."""
    return [refusal.message for refusal in refusals(type_name, value, options, draft=draft)]
