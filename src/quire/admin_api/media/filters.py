"""Filters without what is no attribute: here such a part of a query counts for nothing."""

from quire.query.querystring import QueryValue
from quire.schema.attributes.base import RelationAttribute
from quire.schema.model import ContentType, Schema


def known_filters(filters: QueryValue, content_type: ContentType, schema: Schema) -> QueryValue:
    """Return filters with the attributes that there are, at every depth, and all operators."""
    if isinstance(filters, list):
        return [known_filters(one, content_type, schema) for one in filters]
    if not isinstance(filters, dict):
        return filters
    kept: dict[str, QueryValue] = {}
    for name, value in filters.items():
        if name.startswith("$"):
            kept[name] = known_filters(value, content_type, schema)
            continue
        attribute = content_type.attributes.get(name)
        if attribute is None:
            continue
        if isinstance(attribute, RelationAttribute) and attribute.target is not None:
            kept[name] = known_filters(value, schema.content_types[attribute.target], schema)
        else:
            kept[name] = value
    return kept
