"""Evaluates filters in plain Python, by the rules of the format.

Written from the rules and not from the server: there is no plan here, nothing is pushed down, and
nothing is SQL. A filter is a tree of dictionaries and lists as a query string spells it, a row is a
dictionary of values, and each filter through a relation looks at *one* related row, or at the row
of nothing but nulls where none is related. So a filter may come out in several ways for a row,
depending on which related rows are looked at; the row is found when one of the ways is true.

What text is differs by database: `Texts`, of which there is one for each kind.

Truth has three values: ``None`` is unknown, what comparing with null gives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

Truth = bool | None
Row = Mapping[str, Any]
"""Values by attribute; related rows are lists of rows."""

Tree = Any
Kinds = Mapping[str, "str | Kinds"]
"""What the attributes of a model are: the name of a type, or the attributes of related rows."""


class Texts(NamedTuple):
    """What a database knows of text.

    ``fold`` is what it makes of letters in order to disregard their case, ``text`` what it makes of
    a value that is looked into; operators that end in ``i`` disregard case, the others do so unless
    they ``regard_case``. Those look into values of ``looked_into`` alone, and are rejected for any
    other; ``None`` is all of them.
    """

    fold: Callable[[str], str]
    text: Callable[[Any, str], str]
    regard_case: bool
    looked_into: frozenset[str] | None


def found(tree: Tree, row: Row, kinds: Kinds, texts: Texts) -> bool:
    """Tell whether a filter finds a row."""
    return True in ways(tree, row, kinds, texts)


def refused(tree: Tree, kinds: Kinds, texts: Texts) -> bool:
    """Tell whether a filter looks for text where the database refuses to look for any."""
    if texts.looked_into is None:
        return False
    return any(_refused_member(key, value, kinds, texts) for key, value in tree.items())


def _refused_member(key: str, value: Tree, kinds: Kinds, texts: Texts) -> bool:
    if key in ("$and", "$or", "$not"):
        inner = value if isinstance(value, list) else [value]
        return any(refused(item, kinds, texts) for item in inner)
    kind = kinds[key]
    if isinstance(kind, str):
        return kind not in (texts.looked_into or ()) and bool(_named(value) & _PLAIN_LIKE.keys())
    if isinstance(value, dict) and not any(name in _OPERATORS for name in value):
        return refused(value, kind, texts)
    return bool(_named(value) & _PLAIN_LIKE.keys())


def _named(tree: Tree) -> set[str]:
    """Return all operators of what stands below an attribute."""
    if isinstance(tree, list):
        return set().union(*map(_named, tree))
    return set(tree).union(*map(_named, tree.values())) if isinstance(tree, dict) else set()


def ways(tree: Tree, row: Row, kinds: Kinds, texts: Texts) -> set[Truth]:
    """Return every verdict that a filter can come to."""
    return _all_of(_member(key, value, row, kinds, texts) for key, value in tree.items())


def _member(key: str, value: Tree, row: Row, kinds: Kinds, texts: Texts) -> set[Truth]:
    if key == "$and":
        return _all_of(ways(item, row, kinds, texts) for item in value)
    if key == "$or":
        return _any_of(ways(item, row, kinds, texts) for item in value)
    if key == "$not":
        return {_not(verdict) for verdict in ways(value, row, kinds, texts)}
    kind = kinds[key]
    if isinstance(kind, str):
        return {scalar(value, row[key], kind, texts)}
    return set().union(
        *(_related(value, related, kind, texts) for related in row[key] or [_nothing(kind)])
    )


def _related(value: Tree, row: Row, kinds: Kinds, texts: Texts) -> set[Truth]:
    """Anything but attributes and groups is about the id of the related row."""
    if isinstance(value, dict) and not any(key in _OPERATORS for key in value):
        return ways(value, row, kinds, texts)
    return {scalar(value, row["id"], "id", texts)}


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


def scalar(tree: Tree, value: Any, kind: str, texts: Texts) -> Truth:  # noqa: ANN401 - a value of any type
    """Return the verdict of what stands below an attribute."""
    if isinstance(tree, list):
        return _in(tree, value, kind)
    if isinstance(tree, dict):
        return _and(_operation(name, item, value, kind, texts) for name, item in tree.items())
    return _equal(tree, value, kind)


def _operation(name: str, operand: Tree, value: Any, kind: str, texts: Texts) -> Truth:  # noqa: ANN401 - likewise
    if name in _LISTS:
        items = operand if isinstance(operand, list) else [operand]
        return _LISTS[name](items, value, kind)
    if name in ("$null", "$notNull"):
        wanted = operand is not None and operand not in ("", "false", "f", "0")
        return (value is None) is (wanted is (name == "$null"))
    if isinstance(operand, list):
        return _or(_operation(name, item, value, kind, texts) for item in operand)
    if name == "$not":
        return _not(scalar(operand, value, kind, texts))
    if name in _TEXT_OPERATIONS:
        return _TEXT_OPERATIONS[name](operand, value, kind, texts)
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


def _like(holds: Callable[[str, str], bool], *, folding: bool) -> "_TextOperation":
    """Compare texts, character by character."""

    def operation(operand: str | None, value: Any, kind: str, texts: Texts) -> Truth:  # noqa: ANN401 - likewise
        wanted = "null" if operand is None else operand
        if value is None:
            return None
        shown = texts.text(value, kind)
        if texts.regard_case and not folding:
            return holds(shown, wanted)
        return holds(texts.fold(shown), texts.fold(wanted))

    return operation


def _equal_folded(operand: str | None, value: Any, kind: str, texts: Texts) -> Truth:  # noqa: ANN401 - likewise
    if operand is None:
        return value is None
    return None if value is None else texts.fold(texts.text(value, kind)) == texts.fold(operand)


_Operation = Callable[[str | None, Any, str], Truth]
_TextOperation = Callable[[str | None, Any, str, Texts], Truth]


def _turned(operation: _Operation) -> _Operation:
    return lambda operand, value, kind: _not(operation(operand, value, kind))


def _turned_text(operation: _TextOperation) -> _TextOperation:
    return lambda operand, value, kind, texts: _not(operation(operand, value, kind, texts))


def _contains(value: str, wanted: str) -> bool:
    return wanted in value


_PLAIN_LIKE: Mapping[str, _TextOperation] = {
    "$contains": _like(_contains, folding=False),
    "$notContains": _turned_text(_like(_contains, folding=False)),
    "$startsWith": _like(str.startswith, folding=False),
    "$endsWith": _like(str.endswith, folding=False),
}
_TEXT_OPERATIONS: Mapping[str, _TextOperation] = {
    **_PLAIN_LIKE,
    "$eqi": _equal_folded,
    "$nei": _turned_text(_equal_folded),
    "$containsi": _like(_contains, folding=True),
    "$notContainsi": _turned_text(_like(_contains, folding=True)),
    "$startsWithi": _like(str.startswith, folding=True),
    "$endsWithi": _like(str.endswith, folding=True),
}
_OPERATIONS: Mapping[str, _Operation] = {
    "$eq": _equal,
    "$ne": _turned(_equal),
    "$lt": _compared(lambda value, other: bool(value < other)),
    "$lte": _compared(lambda value, other: bool(value <= other)),
    "$gt": _compared(lambda value, other: bool(value > other)),
    "$gte": _compared(lambda value, other: bool(value >= other)),
}
_LISTS: Mapping[str, Callable[[Any, Any, str], Truth]] = {
    "$in": _in,
    "$notIn": lambda items, value, kind: _not(_in(items, value, kind)),
    "$between": _between,
}
_OPERATORS = {*_OPERATIONS, *_TEXT_OPERATIONS, *_LISTS, "$null", "$notNull", "$not"}


def _fold_ascii(characters: str) -> str:
    """Write the capitals of ASCII small, and leave all other characters alone."""
    return "".join(c.lower() if c.isascii() else c for c in characters)


def _fold_each(characters: str) -> str:
    """Write all capitals small, each as one character."""
    return "".join(c.lower()[0] for c in characters)


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


def _text_in_sqlite(value: Any, kind: str) -> str:  # noqa: ANN401 - a value of the attribute's type
    """Write a value as it is stored."""
    match kind:
        case "boolean":
            return "1" if value else "0"
        case "float" | "decimal":
            digits, exponent, power = f"{value:.15g}".partition("e")
            return (digits if "." in digits else f"{digits}.0") + exponent + power
        case _:
            return str(value)


def _text_in_postgresql(value: Any, kind: str) -> str:  # noqa: ANN401 - likewise
    """Write a value as its type is written, with no more digits than it has."""
    match kind:
        case "boolean":
            return "true" if value else "false"
        case "float" | "decimal":
            return f"{value:.15g}"
        case "time":
            return _without_zeros(value)
        case "datetime":
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value)
            return _without_zeros(f"{moment:%Y-%m-%d %H:%M:%S.%f}")
        case _:
            return str(value)


def _without_zeros(clock: str) -> str:
    return clock.rstrip("0").rstrip(".")


IN_SQLITE = Texts(_fold_ascii, _text_in_sqlite, regard_case=False, looked_into=None)
IN_POSTGRESQL = Texts(
    _fold_each,
    _text_in_postgresql,
    regard_case=True,
    looked_into=frozenset({"string", "text", "enumeration"}),
)
