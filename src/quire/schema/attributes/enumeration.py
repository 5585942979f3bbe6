"""``enumeration``: one of the values that the schema lists."""

from collections.abc import Mapping, Sequence

from quire.javascript.text import string_of
from quire.schema.attributes.base import (
    AttributeType,
    OptionProblem,
    ScalarAttribute,
    SearchMode,
    StorageKind,
    build_scalar,
    name_option,
    names_option,
)
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers
from quire.schema.attributes.validation import (
    NOT_TEXT_WHEN_NULL,
    Refusal,
    RefusedValue,
    ValueRules,
    not_of_type,
)


def _check(raw: Mapping[str, object]) -> Sequence[OptionProblem]:
    values = raw["enum"]
    if not isinstance(values, list) or not values:
        return [("enum", "needs at least one value")]
    if len(set(values)) != len(values):
        return [("enum", "lists a value twice")]
    default = raw.get("default")
    if default is not None and default not in values:
        return [("default", "is not one of the listed values")]
    return ()


def accept_enumeration(attribute: ScalarAttribute) -> ValueRules:
    """Accept one of the listed values; a number or boolean is compared as text."""
    allowed_values = attribute.raw["enum"]
    values = tuple(allowed_values) if isinstance(allowed_values, list) else ()
    choices = frozenset(values)
    # The empty end of the list stands for null, which is a member of it.
    outside = f"must be one of the following values: {', '.join([*values, ''])}"

    def accept(value: object) -> object:
        if isinstance(value, dict | list):
            mistyped = Refusal(message=not_of_type("string", value), value=value)
            raise RefusedValue(mistyped, Refusal(message=outside, value=value))
        text = string_of(value)
        if text not in choices:
            raise RefusedValue(Refusal(message=outside, value=text))
        return text

    return ValueRules(draft=accept, full=accept, null=NOT_TEXT_WHEN_NULL)


def _described(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return {"type": "string", "enum": attribute.raw["enum"]}


ENUMERATION = AttributeType(
    name="enumeration",
    build=build_scalar,
    json=JsonForm(response=_described, request=_described),
    options={"enum": names_option, "enumName": name_option},
    needs=("enum",),
    check=_check,
    storage=StorageKind.STRING,
    accept=accept_enumeration,
    search=SearchMode.TEXT,
    few_values=True,
)
