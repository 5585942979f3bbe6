"""What a middleware or a controller does to the query of a request before it is served.

A list of steps is made of JavaScript once, and applied to the parsed query of each request.
Values are constants, parameters of the query itself, or made of both; nothing else can be said.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.errors import ValidationError

Query = dict[str, object]
"""A parsed query: texts, lists and objects, and the constants that changes put into it."""


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
)


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


MISSING = Missing()
_NEVER = {"id": {"$null": True}}
"""A filter that no row passes."""
_NO_PATH: Mapping[str, str] = {}


def apply_steps(
    steps: Sequence[QueryStep],
    query: Mapping[str, object],
    path: Mapping[str, str] = _NO_PATH,
) -> Query:
    """Return the query that a request is served with, in the order of the statements.

    ``path`` are the parameters of the path. Raises ValidationError where the code would fail for
    want of something in the query.
    """
    return without_undefined(_applied(steps, dict(query), path))


def _applied(steps: Sequence[QueryStep], query: Query, path: Mapping[str, str]) -> Query:
    for step in steps:
        request = _Request(query, path)
        if isinstance(step, QueryBranch):
            chosen = step.then if _is_truthy(request.value(step.test)) else step.otherwise
            query = _applied(chosen, query, path)
        else:
            query = _changed(step, request)
    return query


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


def evaluate(value: Value, query: Mapping[str, object], path: Mapping[str, str]) -> object:
    """Return what a value is for a request, `MISSING` for what is undefined.

    Raises ValidationError as `apply_steps` does.
    """
    return _Request(dict(query), path).value(value)


def without_undefined(query: Mapping[str, object]) -> Query:
    """Return a query without what is undefined in it; a filter by that finds nothing."""
    return {
        name: _condition(value) if name == "filters" else _known_part(value)
        for name, value in query.items()
        if value is not MISSING
    }


def _known_part(value: object) -> object:
    if isinstance(value, dict):
        return {
            name: _condition(inner) if name == "filters" else _known_part(inner)
            for name, inner in value.items()
            if inner is not MISSING
        }
    return [_known_part(item) for item in value] if isinstance(value, list) else value


def _condition(value: object) -> object:
    """Return a filter as it works where something in it is undefined."""
    if isinstance(value, list):
        return [_condition(item) for item in value]
    if not isinstance(value, dict):
        return value
    known = {name: _condition(inner) for name, inner in value.items() if inner is not MISSING}
    return known if len(known) == len(value) else {"$and": [known, _NEVER]}


def _changed(change: QueryChange, request: "_Request") -> Query:
    value = request.value(change.value)
    if change.name is None:
        return dict(value) if isinstance(value, dict) else {}
    if value is MISSING:
        return {name: kept for name, kept in request.query.items() if name != change.name}
    return {**request.query, change.name: value}


class _Request(Struct):
    """The query of a request as it is by now, and the parameters of its path."""

    query: Query
    path: Mapping[str, str]

    def value(self, value: Value) -> object:
        match value:
            case Constant(constant):
                return constant
            case Parameter(name):
                return self.query.get(name, MISSING)
            case PathParameter(name):
                return self._in_path(name)
            case WholeQuery():
                return dict(self.query)
            case MemberAccess(inner, name, is_optional):
                return self._member(self.value(inner), name, is_optional=is_optional)
            case ArrayLiteral(items):
                found = [self.value(item) for item in items]
                return [None if item is MISSING else item for item in found]
            case ObjectLiteral(members):
                return self._merged(members)
            case _:
                return self._chosen(value)

    def _chosen(self, value: ConditionalValue | Or | And | Not | Equals) -> object:
        match value:
            case ConditionalValue(test, then, otherwise):
                return self.value(then if _is_truthy(self.value(test)) else otherwise)
            case Or(left, right, only_missing):
                first = self.value(left)
                is_kept = not _is_missing(first) if only_missing else _is_truthy(first)
                return first if is_kept else self.value(right)
            case And(left, right):
                first = self.value(left)
                return self.value(right) if _is_truthy(first) else first
            case Not(inner):
                return not _is_truthy(self.value(inner))
            case Equals(left, right, loose):
                return _is_equal(self.value(left), self.value(right), loose=loose)

    def _in_path(self, name: str) -> object:
        """Return a parameter of the path; the one of core routes is called ``id`` in the code."""
        found = self.path.get(name)
        if found is None and name == "id":
            found = self.path.get("documentId")
        return MISSING if found is None else found

    def _member(self, value: object, name: str, *, is_optional: bool) -> object:
        if isinstance(value, dict):
            return value.get(name, MISSING)
        if isinstance(value, list) and name.isdigit():
            return value[int(name)] if int(name) < len(value) else MISSING
        if _is_missing(value) and not is_optional:
            raise ValidationError(f"The query has to say what {name} is")
        return MISSING

    def _merged(self, members: Sequence[tuple[str | None, Value]]) -> Query:
        merged: Query = {}
        for name, value in members:
            found = self.value(value)
            if name is None:
                merged |= _spread(found)
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
    return value is MISSING or value is None


def _is_truthy(value: object) -> bool:
    return isinstance(value, dict | list) or not (_is_missing(value) or not value)


def _is_equal(left: object, right: object, *, loose: bool) -> bool:
    if _is_missing(left) and _is_missing(right):
        return loose or left is right
    return type(left) is type(right) and left == right
