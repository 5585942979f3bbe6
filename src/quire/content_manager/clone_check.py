"""Finds the attributes that prevent an entry from being cloned without changes."""

from collections.abc import Iterator

from quire.schema.attributes.base import ComponentAttribute, Relation, RelationAttribute
from quire.schema.model import Model, Schema

NO_CLONE = (
    "Entity could not be cloned as it has unique and/or relational fields. "
    "Please edit those fields manually and save to complete the cloning."
)
_OWNED = frozenset({Relation.ONE_TO_ONE, Relation.ONE_TO_MANY})
_DEEPEST = 20

Prohibited = list[object]
"""The path of an attribute, and the reason."""


def prohibited_fields(schema: Schema, model: Model) -> list[Prohibited]:
    """Return the attributes whose values must be unique, including those in components."""
    return [[list(path), why] for path, why in _prohibited(schema, model, ())]


def _prohibited(
    schema: Schema, model: Model, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    if len(path) > _DEEPEST:
        return
    for attribute in model.own_attributes:
        own = (*path, attribute.name)
        if attribute.name in model.unique_names:
            yield own, "unique"
        elif isinstance(attribute, RelationAttribute):
            both = attribute.inversed_by is not None or attribute.mapped_by is not None
            if both and attribute.relation in _OWNED:
                yield own, "relation"
        elif isinstance(attribute, ComponentAttribute):
            yield from _prohibited(schema, schema.components[attribute.component], own)
