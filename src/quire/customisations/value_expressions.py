"""Values that understood code computes from a request.

A value is a tree that is built from JavaScript once.
"""

from msgspec import Struct


class Constant(Struct, frozen=True, eq=False):
    """A constant in the code."""

    value: object


class Parameter(Struct, frozen=True):
    """A parameter of the query, ``ctx.query.name``."""

    name: str


class PathParameter(Struct, frozen=True):
    """The value of a path parameter, ``ctx.params.name``."""

    name: str


class MemberAccess(Struct, frozen=True, eq=False):
    """``value.name``; ``is_optional`` for ``value?.name``."""

    value: "Value"
    name: str
    is_optional: bool = False


class ConditionalValue(Struct, frozen=True, eq=False):
    """``test ? then : otherwise``."""

    test: "Value"
    then: "Value"
    otherwise: "Value"


class ArrayLiteral(Struct, frozen=True, eq=False):
    """An array literal."""

    items: tuple["Value", ...]


class WholeQuery(Struct, frozen=True):
    """The query itself, ``ctx.query``."""


class ObjectLiteral(Struct, frozen=True, eq=False):
    """An object literal: members by name, and spread values (name ``None``)."""

    members: tuple[tuple[str | None, "Value"], ...]


class Or(Struct, frozen=True, eq=False):
    """``left || right`` or ``left ?? right``."""

    left: "Value"
    right: "Value"
    only_missing: bool = False


class And(Struct, frozen=True, eq=False):
    """``left && right``."""

    left: "Value"
    right: "Value"


class Not(Struct, frozen=True, eq=False):
    """``!value``."""

    value: "Value"


class Equals(Struct, frozen=True, eq=False):
    """``left === right``; ``loose`` for ``==``, where ``null`` equals ``undefined``."""

    left: "Value"
    right: "Value"
    loose: bool = False


class Split(Struct, frozen=True, eq=False):
    """``text.split(separator)``."""

    text: "Value"
    separator: str


class Trim(Struct, frozen=True, eq=False):
    """``text.trim()``."""

    text: "Value"


class Includes(Struct, frozen=True, eq=False):
    """``list.includes(value)``."""

    items: "Value"
    value: "Value"


class IsArray(Struct, frozen=True, eq=False):
    """``Array.isArray(value)``."""

    value: "Value"


Value = (
    Constant
    | Parameter
    | PathParameter
    | MemberAccess
    | ConditionalValue
    | ArrayLiteral
    | WholeQuery
    | ObjectLiteral
    | Or
    | And
    | Not
    | Equals
    | Split
    | Trim
    | Includes
    | IsArray
)


def uses_path(part: object) -> bool:
    """Tell whether steps or values use parameters of the path."""
    match part:
        case PathParameter():
            return True
        case tuple():
            return any(map(uses_path, part))
        case Struct():
            return any(uses_path(getattr(part, name)) for name in part.__struct_fields__)
        case _:
            return False


def is_json(value: object) -> bool:
    """Whether JSON can represent a constant."""
    if isinstance(value, dict):
        return all(map(is_json, value.values()))
    if isinstance(value, list):
        return all(map(is_json, value))
    return value is None or isinstance(value, str | int | float)


def is_text(value: Value) -> bool:
    """Whether a value certainly is a text: parameters of the path are."""
    match value:
        case PathParameter() | Constant(str()):
            return True
        case Or(left, right):
            return is_text(left) and is_text(right)
        case _:
            return False


def is_wire_value(value: object) -> bool:
    """Whether a query string could say the same: text, numbers, true, false, and such in others."""
    if isinstance(value, dict):
        return all(map(is_wire_value, value.values()))
    if isinstance(value, list):
        return all(map(is_wire_value, value))
    return isinstance(value, str | int | float)
