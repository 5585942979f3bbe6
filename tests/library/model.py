"""The content types and components of the library."""

from collections.abc import Mapping
from functools import cache

from quire.access.ability import FullAccess, Granted
from quire.database.tables.table_map import TableMap, map_tables
from quire.schema.load import build_schema
from quire.schema.model import Schema
from quire.schema.source_files import SchemaFile

BOOK = "api::book.book"
PERSON = "api::person.person"
TAG = "api::tag.tag"
NOTE = "api::note.note"
HOMEPAGE = "api::homepage.homepage"
SEO, LINK, QUOTE = "shared.seo", "shared.link", "shared.quote"

LOCALIZED = {"i18n": {"localized": True}}

Attributes = Mapping[str, Mapping[str, object]]


def relation(kind: str, target: str, **more: object) -> dict[str, object]:
    """Describe a relation as schema files do."""
    return {"type": "relation", "relation": kind, "target": target, **more}


BOOK_ATTRIBUTES: Attributes = {
    "title": {"type": "string", "pluginOptions": LOCALIZED},
    "summary": {"type": "text"},
    "body": {"type": "richtext"},
    "slug": {"type": "uid", "targetField": "title"},
    "contact": {"type": "email"},
    "kind": {"type": "enumeration", "enum": ["novel", "poem", "essay"]},
    "rating": {"type": "integer"},
    "copies": {"type": "biginteger"},
    "weight": {"type": "float"},
    "price": {"type": "decimal"},
    "lent": {"type": "boolean"},
    "printed": {"type": "date"},
    "opens": {"type": "time"},
    "happens": {"type": "datetime"},
    "stamped": {"type": "timestamp"},
    "extra": {"type": "json"},
    "content": {"type": "blocks"},
    "remark": {"type": "string", "private": True},
    "code": {"type": "password"},
    "shelf": {"type": "string", "searchable": False},
    "author": relation("manyToOne", PERSON, inversedBy="books"),
    "editors": relation("manyToMany", PERSON, inversedBy="edited"),
    "sequel": relation("oneToOne", BOOK, inversedBy="prequel"),
    "prequel": relation("oneToOne", BOOK, mappedBy="sequel"),
    "tags": relation("oneToMany", TAG),
    "owner": relation("oneToOne", PERSON, private=True),
    "cover": {"type": "media", "multiple": False},
    "pictures": {"type": "media", "multiple": True},
    "seo": {"type": "component", "component": SEO},
    "links": {"type": "component", "component": LINK, "repeatable": True},
    "sections": {"type": "dynamiczone", "components": [LINK, QUOTE]},
    "notes": relation("morphMany", NOTE, morphBy="about"),
    "marginal": relation("morphOne", NOTE, morphBy="subject"),
}


def content_type(
    name: str,
    attributes: Attributes,
    *,
    draft_and_publish: bool = False,
    localized: bool = False,
    **more: object,
) -> SchemaFile:
    """Make the source of a content type of the project."""
    raw: dict[str, object] = {
        "kind": "collectionType",
        "collectionName": f"{name}s",
        "info": {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()},
        "options": {"draftAndPublish": draft_and_publish},
        "pluginOptions": LOCALIZED if localized else {},
        "attributes": attributes,
        **more,
    }
    return SchemaFile(f"api::{name}.{name}", f"src/api/{name}/schema.json", raw)


def component(uid: str, attributes: Attributes) -> SchemaFile:
    """Make the source of a component."""
    raw: dict[str, object] = {
        "collectionName": f"components_{uid.replace('.', '_')}",
        "info": {"displayName": uid},
        "attributes": attributes,
    }
    return SchemaFile(uid, f"src/components/{uid.replace('.', '/')}.json", raw)


SOURCES = (
    content_type("book", BOOK_ATTRIBUTES, draft_and_publish=True, localized=True),
    content_type(
        "person",
        {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "pin": {"type": "password"},
            "books": relation("oneToMany", BOOK, mappedBy="author"),
            "edited": relation("manyToMany", BOOK, mappedBy="editors"),
            "photo": {"type": "media"},
        },
    ),
    content_type("tag", {"label": {"type": "string"}}),
    content_type(
        "note",
        {
            "text": {"type": "string"},
            "subject": {"type": "relation", "relation": "morphToOne"},
            "about": {"type": "relation", "relation": "morphToMany"},
        },
    ),
    content_type(
        "homepage",
        {
            "heading": {"type": "string"},
            "seo": {"type": "component", "component": SEO},
            "featured": relation("oneToMany", BOOK),
        },
        kind="singleType",
        draft_and_publish=True,
        options={"draftAndPublish": True, "populateCreatorFields": True},
    ),
    component(
        SEO,
        {
            "title": {"type": "string"},
            "description": {"type": "text"},
            "image": {"type": "media"},
            "tag": relation("oneToOne", TAG),
        },
    ),
    component(
        LINK,
        {
            "label": {"type": "string"},
            "url": {"type": "string"},
            "to": relation("oneToOne", BOOK),
        },
    ),
    component(
        QUOTE,
        {
            "text": {"type": "text"},
            "by": relation("oneToOne", PERSON),
            "source": {"type": "component", "component": LINK},
        },
    ),
)

EVERYTHING = FullAccess()
READER = Granted(
    frozenset(
        {f"{BOOK}.find", f"{BOOK}.findOne", f"{PERSON}.find", f"{HOMEPAGE}.find", f"{NOTE}.find"}
    )
)
"""May read books, people, notes and the homepage, but no tags."""


@cache
def library_schema() -> Schema:
    """Return the schema of the library."""
    return build_schema(SOURCES)


@cache
def library_tables() -> TableMap:
    """Return where the library's content lives."""
    return map_tables(library_schema())
