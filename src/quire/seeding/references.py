"""References between documents of content files."""

from collections.abc import Iterator
from itertools import chain

from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    RelationAttribute,
)
from quire.schema.model import ContentType, Model, Schema
from quire.seeding.seed_values import SeedDocument, Values
from quire.seeding.wire_format import as_list, components_of

Reference = tuple[str, str]
"""A content type and the key of one of its documents."""


def references(schema: Schema, document: SeedDocument) -> set[Reference]:
    """Return the documents that any entry of a document refers to, including its components."""
    content_type = schema.content_types[document.content_type]
    entries = chain.from_iterable(version.entries() for version in document.versions)
    return set(chain.from_iterable(_references(schema, content_type, values) for values in entries))


def _references(schema: Schema, model: Model, values: Values) -> Iterator[Reference]:
    for name, value in values.items():
        attribute = model.attributes.get(name)
        match attribute:
            case RelationAttribute(target=str(target)):
                yield from ((target, key) for key in as_list(value) if isinstance(key, str))
            case ComponentAttribute() | DynamicZoneAttribute():
                for component, component_values in components_of(schema, attribute, value):
                    yield from _references(schema, component, component_values)
            case _:
                continue


def target_locale(
    source: ContentType, locale: str | None, target: ContentType, default: str
) -> str | None:
    """Return the locale of a relation's target.

    Between localized types it is the same; an entry that is not localized refers to the default
    locale.
    """
    if not target.localized:
        return None
    return locale if source.localized else default
