"""The values that understood code makes of a request, and of entries that it has read.

A value is a tree that is made of JavaScript once.
"""

from msgspec import Struct


class Constant(Struct, frozen=True, eq=False):
    """A value that stands in the code."""

    value: object


class Parameter(Struct, frozen=True):
    """A parameter of the query, ``ctx.query.name``."""

    name: str


class PathParameter(Struct, frozen=True):
    """What stands in the path in the place of a parameter, ``ctx.params.name``."""

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
    """An object literal: members by name, and values that are spread in it (name ``None``)."""

    members: tuple[tuple[str | None, "Value"], ...]


class Or(Struct, frozen=True, eq=False):
    """``left || right`` or, where only what is missing counts, ``left ?? right``."""

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
    """``left === right``; ``loose`` for ``==``, where ``null`` also stands for what is missing."""

    left: "Value"
    right: "Value"
    loose: bool = False


class Variable(Struct, frozen=True):
    """What code names: the entry that was read (`ENTRY`), or the parameter of a function."""

    number: int


ENTRY = Variable(0)


class WithEntry(Struct, frozen=True, eq=False):
    """A value that is made of another, which stands in the place of the entry."""

    entry: "Value"
    value: "Value"


class Split(Struct, frozen=True, eq=False):
    """``text.split(separator)``."""

    text: "Value"
    separator: str


class Trim(Struct, frozen=True, eq=False):
    """``text.trim()``."""

    text: "Value"


class MapItems(Struct, frozen=True, eq=False):
    """``list.map((variable) => value)``."""

    items: "Value"
    variable: Variable
    value: "Value"


class FilterItems(Struct, frozen=True, eq=False):
    """``list.filter((variable) => test)``."""

    items: "Value"
    variable: Variable
    test: "Value"


class Includes(Struct, frozen=True, eq=False):
    """``list.includes(value)``."""

    items: "Value"
    value: "Value"


class ComparedValue(Struct, frozen=True, eq=False):
    """What an attribute is compared with; ``undefined`` stands for what is undefined.

    In the reference that is an empty text, ``null`` or something that is no value of the attribute,
    as the type of the attribute has it.
    """

    value: "Value"
    undefined: str | None


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
    | Variable
    | WithEntry
    | Split
    | Trim
    | MapItems
    | FilterItems
    | Includes
    | IsArray
    | ComparedValue
)


def uses_path(part: object) -> bool:
    """Tell whether steps or values look at parameters of the path."""
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
    """Whether JSON can say a constant."""
    if isinstance(value, dict):
        return all(map(is_json, value.values()))
    if isinstance(value, list):
        return all(map(is_json, value))
    return value is None or isinstance(value, str | int | float)


def is_text(value: Value) -> bool:
    """Whether a value is a text for sure: parameters of the path are."""
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
