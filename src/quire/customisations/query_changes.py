"""What a middleware or a controller does to the query of a request before it is served.

A list of steps is made of JavaScript once, and applied to the parsed query of each request.
Values are constants, parameters of the query itself, or made of both; nothing else can be said.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

Query = dict[str, object]
"""A parsed query: texts, lists and objects, and the constants that changes put into it."""


class Constant(Struct, frozen=True, eq=False):
    """A value that stands in the code."""

    value: object


class Parameter(Struct, frozen=True):
    """A parameter of the query, ``ctx.query.name``."""

    name: str


class WholeQuery(Struct, frozen=True):
    """The query itself, ``ctx.query``."""


class Merged(Struct, frozen=True, eq=False):
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


Value = Constant | Parameter | WholeQuery | Merged | Or | And | Not | Equals


class QueryChange(Struct, frozen=True, eq=False):
    """One assignment: to a parameter, or to the whole query (name ``None``)."""

    name: str | None
    value: Value


class QueryBranch(Struct, frozen=True, eq=False):
    """Changes that are made if a condition holds, and others if it does not."""

    test: Value
    then: "tuple[QueryStep, ...]" = ()
    otherwise: "tuple[QueryStep, ...]" = ()


QueryStep = QueryChange | QueryBranch


class Missing(Struct, frozen=True):
    """The value of a parameter that a query does not have."""


_MISSING = Missing()


def apply_steps(steps: Sequence[QueryStep], query: Mapping[str, object]) -> Query:
    """Return the query that a request is served with, in the order of the statements."""
    current = dict(query)
    for step in steps:
        if isinstance(step, QueryBranch):
            chosen = step.then if _is_truthy(_evaluate(step.test, current)) else step.otherwise
            current = apply_steps(chosen, current)
        else:
            current = _changed(step, current)
    return current


def _changed(change: QueryChange, query: Query) -> Query:
    value = _evaluate(change.value, query)
    if change.name is None:
        return dict(value) if isinstance(value, dict) else {}
    if value is _MISSING:
        return {name: kept for name, kept in query.items() if name != change.name}
    return {**query, change.name: value}


def _evaluate(value: Value, query: Query) -> object:
    match value:
        case Constant(constant):
            return constant
        case Parameter(name):
            return query.get(name, _MISSING)
        case WholeQuery():
            return dict(query)
        case Merged(members):
            return _merged(members, query)
        case Or(left, right, only_missing):
            first = _evaluate(left, query)
            is_kept = not _is_missing(first) if only_missing else _is_truthy(first)
            return first if is_kept else _evaluate(right, query)
        case And(left, right):
            first = _evaluate(left, query)
            return _evaluate(right, query) if _is_truthy(first) else first
        case Not(inner):
            return not _is_truthy(_evaluate(inner, query))
        case Equals(left, right, loose):
            return _is_equal(_evaluate(left, query), _evaluate(right, query), loose=loose)


def _merged(members: Sequence[tuple[str | None, Value]], query: Query) -> Query:
    merged: Query = {}
    for name, value in members:
        found = _evaluate(value, query)
        if name is None:
            merged |= _spread(found)
        elif found is _MISSING:
            merged.pop(name, None)
        else:
            merged[name] = found
    return merged


def _spread(value: object) -> Query:
    """Return the members that spreading a value gives: those of a list or text are its indexes."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list | str):
        return {str(index): item for index, item in enumerate(value)}
    return {}


def _is_missing(value: object) -> bool:
    return value is _MISSING or value is None


def _is_truthy(value: object) -> bool:
    return isinstance(value, dict | list) or not (_is_missing(value) or not value)


def _is_equal(left: object, right: object, *, loose: bool) -> bool:
    if _is_missing(left) and _is_missing(right):
        return loose or left is right
    return type(left) is type(right) and left == right
