"""The attributes that every content type has.

A type's own attributes are preceded by ``id`` and ``documentId``, and followed by the times, the
creators, the locale and the localizations, in this order, which is also the order of columns.
Components only get ``id``.
"""

from collections.abc import Mapping

from quire.schema.attributes.base import (
    Attribute,
    AttributeType,
    SearchMode,
    StorageKind,
    build_scalar,
)
from quire.schema.attributes.json_schema import scalar_form
from quire.schema.attributes.relation import LOCALIZATIONS, RELATION
from quire.schema.attributes.temporal import DATETIME
from quire.schema.attributes.text import STRING

ID = AttributeType(
    name="id", build=build_scalar, json=scalar_form({"type": "integer"}), storage=StorageKind.ID
)
DOCUMENT_ID = AttributeType(
    name="documentId",
    build=build_scalar,
    json=scalar_form({"type": "string"}),
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
"""Names, in snake case, that are not allowed in schema files."""
CREATORS = frozenset({"created_by", "updated_by"})
"""Those that are not the names of columns."""
RESERVED_IN_BUILDER = RESERVED_NAMES | {"entry_id", "meta"}
"""Names that are not allowed for new attributes; existing ones are still served."""

RESERVED_MEMBERS = frozenset({"__component", "__content_type", "__contentType", "__type"})
"""Case-sensitive names that distinguish the kinds of rows in a response's list."""

RESERVED_PREFIXES = ("strapi", "_strapi", "__strapi")


def leading_attributes(*, component: bool) -> list[Attribute]:
    """Return the attributes before a model's own."""
    first = ID.build(ID, "id", {"writable": False})
    return [first] if component else [first, DOCUMENT_ID.build(DOCUMENT_ID, "documentId", {})]


def trailing_attributes(
    uid: str, *, localized: bool, creators_private: bool, first_published: bool
) -> list[Attribute]:
    """Return the attributes after a content type's own.

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
