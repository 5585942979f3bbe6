"""Filters as the rules of the format say, worked out in plain Python.

Written from the rules and not from the server: there is no plan here, nothing is pushed down, and
nothing is SQL. A filter is a tree of dictionaries and lists as a query string spells it, a row is a
dictionary of values, and each filter through a relation looks at *one* related row, or at the row
of nothing but nulls where none is related. So a filter may come out in several ways for a row,
depending on which related rows are looked at; the row is found when one of the ways is true.

Truth has three values: ``None`` is unknown, what comparing with null gives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import product
from typing import Any

Truth = bool | None
Row = Mapping[str, Any]
"""Values by attribute; related rows are lists of rows."""

Tree = Any
Kinds = Mapping[str, "str | Kinds"]
"""What the attributes of a model are: the name of a type, or the attributes of related rows."""


def found(tree: Tree, row: Row, kinds: Kinds) -> bool:
    """Tell whether a filter finds a row."""
    return True in ways(tree, row, kinds)


def ways(tree: Tree, row: Row, kinds: Kinds) -> set[Truth]:
    """Return every verdict that a filter can come to."""
    return _all_of(_member(key, value, row, kinds) for key, value in tree.items())


def _member(key: str, value: Tree, row: Row, kinds: Kinds) -> set[Truth]:
    if key == "$and":
        return _all_of(ways(item, row, kinds) for item in value)
    if key == "$or":
        return _any_of(ways(item, row, kinds) for item in value)
    if key == "$not":
        return {_not(verdict) for verdict in ways(value, row, kinds)}
    kind = kinds[key]
    if isinstance(kind, str):
        return {scalar(value, row[key], kind)}
    return set().union(
        *(_related(value, related, kind) for related in row[key] or [_nothing(kind)])
    )


def _related(value: Tree, row: Row, kinds: Kinds) -> set[Truth]:
    """Anything but attributes and groups is about the id of the related row."""
    if isinstance(value, dict) and not any(key in _OPERATORS for key in value):
        return ways(value, row, kinds)
    return {scalar(value, row["id"], "id")}


def _nothing(kinds: Kinds) -> Row:
    return {name: None if isinstance(kind, str) else [] for name, kind in kinds.items()}


# Three-valued logic ------------------------------------------------------------------------------


def _not(verdict: Truth) -> Truth:
    return None if verdict is None else not verdict


def _and(verdicts: Iterable[Truth]) -> Truth:
    several = list(verdicts)
    if False in several:
        return False
    return None if None in several else True


def _or(verdicts: Iterable[Truth]) -> Truth:
    return _not(_and(_not(verdict) for verdict in verdicts))


def _all_of(parts: Iterable[set[Truth]]) -> set[Truth]:
    return {_and(choice) for choice in product(*parts)}


def _any_of(parts: Iterable[set[Truth]]) -> set[Truth]:
    return {_or(choice) for choice in product(*parts)}


# Scalars -----------------------------------------------------------------------------------------


def scalar(tree: Tree, value: Any, kind: str) -> Truth:  # noqa: ANN401 - a value of any type
    """Return the verdict of what stands below an attribute."""
    if isinstance(tree, list):
        return _in(tree, value, kind)
    if isinstance(tree, dict):
        return _and(_operation(name, operand, value, kind) for name, operand in tree.items())
    return _equal(tree, value, kind)


def _operation(name: str, operand: Tree, value: Any, kind: str) -> Truth:  # noqa: ANN401 - likewise
    if name in _LISTS:
        items = operand if isinstance(operand, list) else [operand]
        return _LISTS[name](items, value, kind)
    if name in ("$null", "$notNull"):
        wanted = operand is not None and operand not in ("", "false", "f", "0")
        return (value is None) is (wanted is (name == "$null"))
    if isinstance(operand, list):
        return _or(_operation(name, item, value, kind) for item in operand)
    if name == "$not":
        return _not(scalar(operand, value, kind))
    return _OPERATIONS[name](operand, value, kind)


def _equal(operand: str | None, value: Any, kind: str) -> Truth:  # noqa: ANN401 - likewise
    if operand is None:
        return value is None
    return None if value is None else bool(value == cast(operand, kind))


def _in(items: Sequence[str | None], value: Any, kind: str) -> Truth:  # noqa: ANN401 - likewise
    """Null is a member of no list, and in a list it might be anything."""
    if value is None:
        return None
    return _or(None if item is None else _equal(item, value, kind) for item in items)


def _between(items: Sequence[str], value: Any, kind: str) -> Truth:  # noqa: ANN401 - likewise
    low, high = (cast(item, kind) for item in items)
    return None if value is None else bool(low <= value <= high)


def _compared(holds: Callable[[Any, Any], bool]) -> "_Operation":
    def operation(operand: str | None, value: Any, kind: str) -> Truth:  # noqa: ANN401 - likewise
        if operand is None or value is None:
            return None
        return holds(value, cast(operand, kind))

    return operation


def _like(holds: Callable[[str, str], bool]) -> "_Operation":
    """Compare texts: letters of ASCII match in either case, every other character is itself."""

    def operation(operand: str | None, value: Any, kind: str) -> Truth:  # noqa: ANN401 - likewise
        wanted = fold("null" if operand is None else operand)
        return None if value is None else holds(fold(text(value, kind)), wanted)

    return operation


def _equal_folded(operand: str | None, value: Any, kind: str) -> Truth:  # noqa: ANN401 - likewise
    if operand is None:
        return value is None
    return None if value is None else fold(text(value, kind)) == fold(operand)


_Operation = Callable[[str | None, Any, str], Truth]


def _turned(operation: _Operation) -> _Operation:
    return lambda operand, value, kind: _not(operation(operand, value, kind))


_CONTAINS = _like(lambda value, wanted: wanted in value)
_STARTS = _like(lambda value, wanted: value.startswith(wanted))
_ENDS = _like(lambda value, wanted: value.endswith(wanted))

_OPERATIONS: Mapping[str, _Operation] = {
    "$eq": _equal,
    "$ne": _turned(_equal),
    "$eqi": _equal_folded,
    "$nei": _turned(_equal_folded),
    "$lt": _compared(lambda value, other: bool(value < other)),
    "$lte": _compared(lambda value, other: bool(value <= other)),
    "$gt": _compared(lambda value, other: bool(value > other)),
    "$gte": _compared(lambda value, other: bool(value >= other)),
    "$contains": _CONTAINS,
    "$containsi": _CONTAINS,
    "$notContains": _turned(_CONTAINS),
    "$notContainsi": _turned(_CONTAINS),
    "$startsWith": _STARTS,
    "$startsWithi": _STARTS,
    "$endsWith": _ENDS,
    "$endsWithi": _ENDS,
}
_LISTS: Mapping[str, Callable[[Any, Any, str], Truth]] = {
    "$in": _in,
    "$notIn": lambda items, value, kind: _not(_in(items, value, kind)),
    "$between": _between,
}
_OPERATORS = {*_OPERATIONS, *_LISTS, "$null", "$notNull", "$not"}


def fold(characters: str) -> str:
    """Write the capitals of ASCII small, and leave all other characters alone."""
    return "".join(c.lower() if c.isascii() else c for c in characters)


def cast(operand: str, kind: str) -> Any:  # noqa: ANN401 - a value of the attribute's type
    """Read an operand as a value of an attribute's type."""
    match kind:
        case "integer" | "biginteger" | "id":
            return int(operand)
        case "float" | "decimal":
            return float(operand)
        case "boolean":
            return operand not in ("false", "f", "0", "")
        case "date":
            return date.fromisoformat(operand).isoformat()
        case "time":
            return (operand + ".000")[:12] if "." not in operand else operand.ljust(12, "0")
        case "datetime":
            since = datetime.fromisoformat(operand) - datetime(1970, 1, 1, tzinfo=UTC)
            return round(since.total_seconds() * 1000)
        case _:
            return operand


def text(value: Any, kind: str) -> str:  # noqa: ANN401 - a value of the attribute's type
    """Write a value as the database does where texts are compared."""
    match kind:
        case "boolean":
            return "1" if value else "0"
        case "float" | "decimal":
            digits, exponent, power = f"{value:.15g}".partition("e")
            return (digits if "." in digits else f"{digits}.0") + exponent + power
        case _:
            return str(value)
