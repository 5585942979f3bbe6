"""Filters of lists for administrators: unknown keys are dropped, as Strapi does."""

from quire.query.filter_operators import GROUPS, NOT, OPERATORS
from quire.query.querystring import QueryValue
from quire.schema.attributes.base import RelationAttribute
from quire.schema.model import ContentType, Model, Schema


def known_filters(filters: QueryValue, content_type: ContentType, schema: Schema) -> QueryValue:
    """Return filters without unknown attributes and operators, at every depth.

    An empty condition is dropped as a whole; private attributes stay, and are rejected later.
    """
    return _known_members(filters, content_type, schema) if isinstance(filters, dict) else filters


def _known_members(
    filters: dict[str, QueryValue], model: Model | None, schema: Schema
) -> dict[str, QueryValue]:
    """Return the known members of an object; without a model, only operators."""
    known_members: dict[str, QueryValue] = {}
    for name, value in filters.items():
        if name in GROUPS:
            # An object instead of a list stays, and is rejected later.
            is_known = isinstance(value, list) or name == NOT
            known_members[name] = _known_items(value, model, schema) if is_known else value
        elif model is None:
            if name in OPERATORS or name in schema.operators:
                known_members[name] = value
        elif (attribute := model.attributes.get(name)) is not None:
            target = attribute.target if isinstance(attribute, RelationAttribute) else None
            related = None if target is None else schema.content_types[target]
            inner = _known_members(value, related, schema) if isinstance(value, dict) else value
            known_members[name] = (inner or "") if attribute.private else inner
    return {name: value for name, value in known_members.items() if value not in ({}, [])}


def _known_items(value: QueryValue, model: Model | None, schema: Schema) -> QueryValue:
    if isinstance(value, list):
        items = [
            _known_members(item, model, schema) if isinstance(item, dict) else item
            for item in value
        ]
        return [item for item in items if item != {}]
    return _known_members(value, model, schema) if isinstance(value, dict) else value
