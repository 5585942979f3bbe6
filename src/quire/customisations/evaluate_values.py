"""Values of understood code for a request."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.customisations.value_expressions import (
    And,
    ArrayLiteral,
    ConditionalValue,
    Constant,
    Equals,
    Includes,
    IsArray,
    MemberAccess,
    Not,
    ObjectLiteral,
    Or,
    Parameter,
    PathParameter,
    Split,
    Trim,
    Value,
    WholeQuery,
)
from quire.errors import ValidationError
from quire.javascript.scope import UNDEFINED

Query = dict[str, object]
"""A parsed query: texts, lists and objects, and the constants of changes."""
_WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Characters that JavaScript's ``trim`` removes."""


class Evaluator(Struct):
    """The present query of a request, and the parameters of its path."""

    query: Query
    path: Mapping[str, str]

    def value(self, value: Value) -> object:
        """Return a value. Raises ValidationError where the code would fail."""
        match value:
            case Constant(constant):
                return constant
            case Parameter() | PathParameter() | WholeQuery():
                return self._request_value(value)
            case MemberAccess(inner, name, is_optional):
                return self._member(self.value(inner), name, is_optional=is_optional)
            case ArrayLiteral(items):
                values = [self.value(item) for item in items]
                return [None if item is UNDEFINED else item for item in values]
            case ObjectLiteral(members):
                return self._merge_members(members)
            case ConditionalValue() | Or() | And() | Not() | Equals():
                return self._choose_value(value)
            case _:
                return self._call_result(value)

    def _request_value(self, value: Parameter | PathParameter | WholeQuery) -> object:
        match value:
            case Parameter(name):
                return self.query.get(name, UNDEFINED)
            case PathParameter(name):
                return self._path_parameter(name)
            case WholeQuery():
                return dict(self.query)

    def _call_result(self, value: Split | Trim | Includes | IsArray) -> object:
        match value:
            case Split(text, separator):
                return _text(self.value(text), "split").split(separator)
            case Trim(text):
                return _text(self.value(text), "trim").strip(_WHITE_SPACE)
            case Includes(items, inner):
                expected = self.value(inner)
                return any(_is_equal(item, expected, loose=False) for item in self._items(items))
            case IsArray(inner):
                return isinstance(self.value(inner), list)

    def _items(self, value: Value) -> list[object]:
        items = self.value(value)
        if not isinstance(items, list):
            raise ValidationError("Something has to be a list")
        return items

    def _choose_value(self, value: ConditionalValue | Or | And | Not | Equals) -> object:
        match value:
            case ConditionalValue(test, then, otherwise):
                return self.value(then if is_truthy(self.value(test)) else otherwise)
            case Or(left, right, only_missing):
                first = self.value(left)
                is_kept = not _is_nullish(first) if only_missing else is_truthy(first)
                return first if is_kept else self.value(right)
            case And(left, right):
                first = self.value(left)
                return self.value(right) if is_truthy(first) else first
            case Not(inner):
                return not is_truthy(self.value(inner))
            case Equals(left, right, loose):
                return _is_equal(self.value(left), self.value(right), loose=loose)

    def _path_parameter(self, name: str) -> object:
        """Return a parameter of the path; the one of core routes is called ``id`` in the code."""
        parameter = self.path.get(name)
        if parameter is None and name == "id":
            parameter = self.path.get("documentId")
        return UNDEFINED if parameter is None else parameter

    def _member(self, value: object, name: str, *, is_optional: bool) -> object:
        if isinstance(value, dict):
            return value.get(name, UNDEFINED)
        if name == "length" and isinstance(value, list | str):
            return len(value) if isinstance(value, list) else len(value.encode("utf-16-le")) // 2
        if isinstance(value, list) and name.isdigit():
            return value[int(name)] if int(name) < len(value) else UNDEFINED
        if _is_nullish(value) and not is_optional:
            raise ValidationError(f"The query has to say what {name} is")
        return UNDEFINED

    def _merge_members(self, members: Sequence[tuple[str | None, Value]]) -> Query:
        result_query: Query = {}
        for name, value in members:
            result = self.value(value)
            if name is None:
                result_query |= _spread(result)
            else:
                result_query[name] = result
        return result_query


def _spread(value: object) -> Query:
    """Return the members that spreading a value gives: those of a list or text by index."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list | str):
        return {str(index): item for index, item in enumerate(value)}
    return {}


def _is_nullish(value: object) -> bool:
    return value is UNDEFINED or value is None


def _text(value: object, method: str) -> str:
    if not isinstance(value, str):
        raise ValidationError(f"Something that is to {method} has to be a text")
    return value


def is_truthy(value: object) -> bool:
    """Return the truth value of a value."""
    return isinstance(value, dict | list) or not (_is_nullish(value) or not value)


def _is_equal(value: object, other: object, *, loose: bool) -> bool:
    if _is_nullish(value) and _is_nullish(other):
        return loose or value is other
    if _is_number(value) and _is_number(other):
        return value == other
    return type(value) is type(other) and value == other


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
