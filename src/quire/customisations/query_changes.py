"""Changes of a request's query by a middleware or a controller.

A list of steps is derived from JavaScript once, and applied to the parsed query of each request.
Values are constants, parameters of the query itself, or combinations of both.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.customisations.error_responses import ErrorResponse
from quire.customisations.evaluate_values import Evaluator, Query, is_truthy
from quire.customisations.value_expressions import Value
from quire.javascript.scope import UNDEFINED
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, Model, Schema


class QueryChange(Struct, frozen=True, eq=False):
    """One assignment: to a parameter, or to the whole query (name ``None``)."""

    name: str | None
    value: Value


class QueryBranch(Struct, frozen=True, eq=False):
    """Changes that are made if a condition holds, and others if it does not."""

    test: Value
    then: "tuple[QueryStep, ...]" = ()
    otherwise: "tuple[QueryStep, ...]" = ()


QueryStep = QueryChange | QueryBranch | ErrorResponse


_COMPARISON_OPERATORS = frozenset({"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$notIn"})
_AS_WORD = frozenset(
    {
        *("$eqi", "$nei", "$contains", "$containsi", "$notContains", "$notContainsi"),
        *("$startsWith", "$startsWithi", "$endsWith", "$endsWithi"),
    }
)
"""Operators with a representation of undefined values."""
_AS_NULL = {"$eq": "$null", "$ne": "$notNull"}
_TEXTS = frozenset({"string", "text", "richtext", "email", "uid", "enumeration"})
_NULLS = frozenset({"boolean", "json"})
_GROUPS = frozenset({"$and", "$or", "$not"})
_NO_ROWS: Mapping[str, object] = {"id": {"$in": []}}
"""A filter that matches no row, and no entry either that is linked to no row."""


def apply_steps(
    steps: Sequence[QueryStep], query: Mapping[str, object], path: Mapping[str, str]
) -> Query:
    """Return the changed query of a request; steps run in the order of the statements.

    ``path`` are the parameters of the path. Raises ValidationError where the code would fail
    because something is missing in the query, and the errors that the code raises.
    """
    return without_undefined(_apply_to_query(steps, dict(query), path))


def _apply_to_query(steps: Sequence[QueryStep], query: Query, path: Mapping[str, str]) -> Query:
    for step in steps:
        evaluator = Evaluator(query, path)
        if isinstance(step, ErrorResponse):
            raise step.error()
        if isinstance(step, QueryBranch):
            branch = step.then if is_truthy(evaluator.value(step.test)) else step.otherwise
            query = _apply_to_query(branch, query, path)
        else:
            query = _apply_change(step, evaluator)
    return query


def without_undefined(query: Mapping[str, object]) -> Query:
    """Return a query without undefined values; an undefined filter matches nothing."""
    return {
        name: _condition(value) if name == "filters" else _remove_undefined(value)
        for name, value in query.items()
        if value is not UNDEFINED
    }


def _remove_undefined(value: object) -> object:
    if isinstance(value, dict):
        return {
            name: _condition(inner) if name == "filters" else _remove_undefined(inner)
            for name, inner in value.items()
            if inner is not UNDEFINED
        }
    return [_remove_undefined(item) for item in value] if isinstance(value, list) else value


def _condition(value: object) -> object:
    """Return a filter as it works with undefined values in it: nothing matches these.

    Nor does anything match the negation of a filter with one. The result is undefined where the
    condition on an attribute is.
    """
    if isinstance(value, list):
        items = [_condition(item) for item in value]
        return UNDEFINED if UNDEFINED in items else items
    if not isinstance(value, dict):
        return value
    conditions: dict[str, object] = {}
    for name, inner in value.items():
        is_negation = name == "$not" and has_undefined(inner)
        condition = UNDEFINED if is_negation else _condition(inner)
        if condition is not UNDEFINED:
            conditions[name] = condition
        elif name.startswith("$") and name not in _GROUPS:
            return UNDEFINED
    return conditions if len(conditions) == len(value) else {"$and": [conditions, _NO_ROWS]}


def has_undefined(value: object) -> bool:
    """Tell whether an undefined value is in a filter."""
    if isinstance(value, dict):
        return any(map(has_undefined, value.values()))
    if isinstance(value, list):
        return any(map(has_undefined, value))
    return value is UNDEFINED


def defined_filters(filters: object, model: Model, schema: Schema) -> object:
    """Return filters of a read without undefined operands of attributes.

    Strapi compares them with an empty text, ``null`` or an invalid value instead, depending on the
    type of the attribute.
    """
    if isinstance(filters, list):
        return [defined_filters(item, model, schema) for item in filters]
    if not isinstance(filters, dict):
        return filters
    return {
        name: defined_filters(value, model, schema)
        if name in _GROUPS
        else _fill_operand(name, value, model.attributes.get(name), schema)
        for name, value in filters.items()
    }


def _fill_operand(name: str, value: object, attribute: Attribute | None, schema: Schema) -> object:
    if name == "documentId":
        return _fill_undefined(value, "")
    if not isinstance(attribute, ScalarAttribute):
        target = _target(attribute, schema)
        return value if target is None else defined_filters(value, target, schema)
    if attribute.type.name in _NULLS:
        return _fill_undefined(value, None)
    return _fill_undefined(value, "" if attribute.type.name in _TEXTS else "undefined")


def _target(attribute: Attribute | None, schema: Schema) -> Model | None:
    """Return the model that filters of an attribute are about, ``None`` if that is not fixed."""
    match attribute:
        case RelationAttribute(target=str(uid)):
            return schema.content_types.get(uid)
        case MediaAttribute():
            return schema.content_types.get(FILE_UID)
        case ComponentAttribute():
            return schema.components[attribute.component]
        case _:
            return None


def _fill_undefined(condition: object, undefined: str | None) -> object:
    """Return a condition with placeholders for undefined values in it."""
    if condition is UNDEFINED:
        return {"$null": True} if undefined is None else undefined
    if isinstance(condition, list) and undefined is not None:
        return [undefined if item is UNDEFINED else item for item in condition]
    if not isinstance(condition, dict):
        return condition
    result: dict[str, object] = {}
    for operator, operand in condition.items():
        value = operand
        if isinstance(value, list) and undefined is not None:
            word = "undefined" if operator in _AS_WORD else undefined
            value = [word if item is UNDEFINED else item for item in value]
        if value is UNDEFINED and undefined is not None and operator in _COMPARISON_OPERATORS:
            result[operator] = [undefined] if operator in {"$in", "$notIn"} else undefined
        elif value is UNDEFINED and operator in _AS_WORD:
            result[operator] = "undefined"
        elif value is UNDEFINED and undefined is None and operator in _AS_NULL:
            result[_AS_NULL[operator]] = True
        else:
            result[operator] = value
    return result


def _apply_change(change: QueryChange, evaluator: Evaluator) -> Query:
    value = evaluator.value(change.value)
    if change.name is None:
        return dict(value) if isinstance(value, dict) else {}
    if value is UNDEFINED:
        return {
            name: parameter for name, parameter in evaluator.query.items() if name != change.name
        }
    return {**evaluator.query, change.name: value}
