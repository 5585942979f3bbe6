"""Resolves operands of the filter operators that a project's code defines."""

from typing import Any

import msgspec

from quire.errors import ValidationError
from quire.hooks.operators import CustomOperator
from quire.query.querystring import QueryValue
from quire.query.resolve.scope import SlotValue


def operand_values(operator: CustomOperator, operand: QueryValue) -> list[SlotValue]:
    """Return the bound values of an operand, in the order of the operator's fields.

    Raises ValidationError for an operand of another type; the message names the field.
    """
    (first, *_) = operator.fields
    operands: Any = operand
    if first.is_list and not first.name and not isinstance(operand, list):
        operands = [operand]
    try:
        value = msgspec.convert(operands, operator.operand, strict=False)
    except msgspec.ValidationError as error:
        raise ValidationError(f"{operator.name}: {error}") from None
    if not first.name:
        return [value]
    return [getattr(value, field.name) for field in operator.fields]
