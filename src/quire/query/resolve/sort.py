"""``sort``: attributes and directions, also through relations."""

from collections.abc import Iterator, Mapping

from quire.query.plan import SortKey
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import Pass
from quire.query.resolve.scope import Scope, join_path
from quire.schema.attributes.base import DynamicZoneAttribute, RelationAttribute, ScalarAttribute
from quire.schema.model import Model

BAD_ORDER = "Invalid order. order can only be one of asc|desc|ASC|DESC"
BAD_SORT = "Invalid sort query"
MAX_PATH_LENGTH = 20
"""The maximum number of names in a dotted path or in brackets."""
MAX_KEYS = 100
"""The maximum number of keys of one order."""

_ORDERS = {"asc": False, "desc": True}
_INHERITED_NAMES = frozenset(
    {
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)
"""Names that every JavaScript object inherits. Strapi rejects the whole parameter for them."""

_NO_ORDER = ":"
"""Stands for a missing direction after a colon."""

_Path = tuple[str, ...]
_RequestedOrder = tuple[_Path, str | None]
"""A dotted name and the requested direction; ``None`` when none was given."""


def resolve_sort(value: QueryValue, model: Model, scope: Scope) -> tuple[SortKey, ...]:
    """Parse a ``sort`` parameter for rows of a model."""
    keys = [
        _resolve_definition(path, order, model, scope) for path, order in _definitions(value, scope)
    ]
    # A repeated key has no effect in SQL, and would count towards the limit.
    unique_keys = dict.fromkeys(key for key in keys if key is not None)
    if len(unique_keys) > MAX_KEYS:
        scope.report_unconvertible(f"Cannot sort by more than {MAX_KEYS} keys")
    else:
        scope.follow(sum(len(key.path) for key in unique_keys))
    return tuple(unique_keys)


def _definitions(value: QueryValue, scope: Scope) -> Iterator[_RequestedOrder]:
    match value:
        case str():
            yield from _from_text(value, scope)
        case dict():
            yield from _from_object(value, ())
        case list() if all(isinstance(item, str) for item in value):
            for item in value:
                yield from _from_text(str(item), scope)
        case list() if all(isinstance(item, dict | list) for item in value):
            for item in value:
                if isinstance(item, dict):
                    yield from _from_object(item, ())
        case list() if any(item is not None for item in value):
            yield ("0",), "asc"
        case _:
            return


def _from_text(text: str, scope: Scope) -> Iterator[_RequestedOrder]:
    for definition in text.split(","):
        name, *options = definition.strip().split(":")
        if not name:
            continue
        path = tuple(name.split("."))
        if not _INHERITED_NAMES.isdisjoint(path):
            scope.report_malformed(BAD_SORT)
            continue
        if not options or (options[0] == "" and len(path) > 1):
            yield path, None
        else:
            yield path, options[0] or _NO_ORDER


def _from_object(value: Mapping[str, QueryValue], path: _Path) -> Iterator[_RequestedOrder]:
    for key, inner in value.items():
        match inner:
            case dict():
                yield from _from_object(inner, (*path, key))
            case str():
                yield (*path, key), inner
            case None:
                yield (*path, key), ""
            case list():
                continue


def _resolve_definition(
    path: _Path, order: str | None, model: Model, scope: Scope
) -> SortKey | None:
    """Follow a name through relations to the scalar attribute at its end."""
    order = None if order is None else order.strip()
    if len(path) > MAX_PATH_LENGTH:
        scope.report_malformed(f"Cannot sort through more than {MAX_PATH_LENGTH} names")
        return None
    current_model: Model = model
    parent_path: str | None = None
    for position, name in enumerate(path):
        attribute = current_model.attributes.get(name)
        if attribute is None:
            scope.report_invalid_key(name, parent_path)
            return None
        own_path = join_path(parent_path, name)
        if scope.ignores(own_path):
            return None
        scope.report_if_hidden(attribute, own_path)
        if isinstance(attribute, ScalarAttribute):
            if position + 1 < len(path):
                is_known_order = order is None or order.lower() in {*_ORDERS, ""}
                problem = f"{own_path} has no attribute {path[position + 1]}"
                scope.report_unconvertible(problem if is_known_order else BAD_ORDER)
                return None
            return _sort_key(path[:-1], name, order, scope)
        target = scope.target(attribute)
        if target is None or isinstance(attribute, DynamicZoneAttribute):
            scope.report_invalid_key(name, own_path, Pass.SHAPE)
            return None
        if isinstance(attribute, RelationAttribute) and not scope.may_follow(
            current_model, attribute
        ):
            scope.report_invalid_key(name, own_path, Pass.FORBIDDEN)
        current_model, parent_path = target, own_path
    _report_incomplete(path[-1], order, str(parent_path), scope)
    return None


def _report_incomplete(name: str, order: str | None, path: str, scope: Scope) -> None:
    """Record an error for a name that ends at a relation, component or file."""
    if order:
        scope.report_invalid_key(order, path)
    else:
        scope.report_invalid_key(name, path, Pass.SHAPE)


def _sort_key(path: _Path, attribute: str, order: str | None, scope: Scope) -> SortKey | None:
    if scope.nested and path:
        scope.report_operand("Related entries can only be sorted by their own attributes")
        return None
    if order is None:
        return SortKey(path, attribute, descending=False)
    if order == "":
        return None
    descending = _ORDERS.get(order.lower())
    if descending is None:
        scope.report_unconvertible(BAD_ORDER)
        return None
    return SortKey(path, attribute, descending=descending)
