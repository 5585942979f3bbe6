"""The attributes that every content type has.

Before a type's own attributes stand ``id`` and ``documentId``; after them the times, the creators,
the locale and the localizations, in this order, which is also the order of columns. Components get
``id`` alone.
"""

from collections.abc import Mapping

from quire.schema.attributes.base import (
    Attribute,
    AttributeType,
    SearchMode,
    StorageKind,
    build_scalar,
)
from quire.schema.attributes.json_schema import plain
from quire.schema.attributes.relation import LOCALIZATIONS, RELATION
from quire.schema.attributes.temporal import DATETIME
from quire.schema.attributes.text import STRING

ID = AttributeType(
    name="id", build=build_scalar, json=plain({"type": "integer"}), storage=StorageKind.ID
)
DOCUMENT_ID = AttributeType(
    name="documentId",
    build=build_scalar,
    json=plain({"type": "string"}),
    storage=StorageKind.STRING,
    search=SearchMode.TEXT,
)


RESERVED_NAMES = frozenset(
    {
        "id",
        "document_id",
        "created_at",
        "updated_at",
        "published_at",
        "created_by_id",
        "updated_by_id",
        "created_by",
        "updated_by",
        "localizations",
        "locale",
    }
)
"""Names, in snake case, that an attribute of a schema file must not have."""
RESERVED_IN_BUILDER = RESERVED_NAMES | {"entry_id", "meta"}
"""Names that no new attribute gets; schema files that have them are served as ever."""

RESERVED_MEMBERS = frozenset({"__component", "__content_type", "__contentType", "__type"})
"""Names, exactly as written, by which answers tell the kinds of rows in a list apart."""

RESERVED_PREFIXES = ("strapi", "_strapi", "__strapi")


def leading_attributes(*, component: bool) -> list[Attribute]:
    """Return what stands before a model's own attributes."""
    first = ID.build(ID, "id", {"writable": False})
    return [first] if component else [first, DOCUMENT_ID.build(DOCUMENT_ID, "documentId", {})]


def trailing_attributes(
    uid: str, *, localized: bool, creators_private: bool, first_published: bool
) -> list[Attribute]:
    """Return what stands after a content type's own attributes.

    ``first_published`` adds the optional ``firstPublishedAt`` of draft & publish types.
    """
    creator: Mapping[str, object] = {
        "relation": "oneToOne",
        "target": "admin::user",
        "useJoinTable": False,
        "writable": False,
        "visible": False,
        "private": creators_private,
    }
    fixed: Mapping[str, object] = {"writable": False, "visible": False}
    locale: Mapping[str, object] = {"visible": False, "private": not localized}
    localizations: Mapping[str, object] = {**fixed, "target": uid, "private": not localized}
    attributes = [
        DATETIME.build(DATETIME, "createdAt", fixed),
        DATETIME.build(DATETIME, "updatedAt", fixed),
        DATETIME.build(DATETIME, "publishedAt", {"visible": False}),
        RELATION.build(RELATION, "createdBy", creator),
        RELATION.build(RELATION, "updatedBy", creator),
    ]
    if first_published:
        attributes.append(DATETIME.build(DATETIME, "firstPublishedAt", {}))
    attributes.append(STRING.build(STRING, "locale", locale))
    attributes.append(LOCALIZATIONS.build(LOCALIZATIONS, "localizations", localizations))
    return attributes
