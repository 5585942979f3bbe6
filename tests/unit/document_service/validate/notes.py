"""A content type with every writable attribute type, and validation of its entries."""

from collections.abc import Mapping
from functools import cache

from quire.document_service.validate import CheckedEntry, ValidationRules, check_entry, check_stored
from quire.schema.load import build_schema
from quire.schema.model import Schema
from tests.library.model import Attributes, component, content_type, relation

NOTE = "api::note.note"
TAG = "api::tag.tag"
ITEM, PART, MARK = "shared.item", "shared.part", "shared.mark"

CREATE = ValidationRules(draft=False, creating=True)
UPDATE = ValidationRules(draft=False, creating=False)
CREATE_DRAFT = ValidationRules(draft=True, creating=True)
UPDATE_DRAFT = ValidationRules(draft=True, creating=False)
STRICT = ValidationRules(draft=False, creating=True, strict_relations=True)
EVERY_RULE = [CREATE, UPDATE, CREATE_DRAFT, UPDATE_DRAFT]

NOTE_ATTRIBUTES: Attributes = {
    "title": {"type": "string", "maxLength": 9, "minLength": 2},
    "slug": {"type": "uid"},
    "count": {"type": "integer", "min": 1, "max": 9},
    "big": {"type": "biginteger", "default": "7"},
    "flag": {"type": "boolean"},
    "kind": {"type": "enumeration", "enum": ["a", "b"], "default": "a"},
    "day": {"type": "date"},
    "at": {"type": "datetime", "unique": True},
    "code": {"type": "string", "unique": True},
    "extra": {"type": "json", "unique": True},
    "pin": {"type": "password", "maxLength": 8},
    "tag": relation("manyToOne", TAG),
    "tags": relation("manyToMany", TAG),
    "anything": {"type": "relation", "relation": "morphToMany"},
    "cover": {"type": "media"},
    "item": {"type": "component", "component": ITEM},
    "items": {"type": "component", "component": ITEM, "repeatable": True, "min": 2, "max": 3},
    "zone": {"type": "dynamiczone", "components": [ITEM, PART], "max": 2},
}
ITEM_ATTRIBUTES: Attributes = {
    "label": {"type": "string", "required": True, "maxLength": 5},
    "size": {"type": "integer", "default": 3},
    "key": {"type": "string", "unique": True},
    "day": {"type": "date"},
    "part": {"type": "component", "component": PART},
    "parts": {"type": "component", "component": PART, "repeatable": True},
}


@cache
def notes_schema() -> Schema:
    """Return the schema of notes."""
    sources = (
        content_type("note", NOTE_ATTRIBUTES, draft_and_publish=True),
        content_type("tag", {"label": {"type": "string"}}),
        component(ITEM, ITEM_ATTRIBUTES),
        component(MARK, {"name": {"type": "string"}}),
        component(PART, {"text": {"type": "text"}, "tag": relation("oneToOne", TAG)}),
    )
    return build_schema(sources)


def check(data: object, rules: ValidationRules = CREATE) -> CheckedEntry:
    """Check a payload for a note."""
    schema = notes_schema()
    return check_entry(schema, schema.content_types[NOTE], data, rules)


def check_note(stored: Mapping[str, object], rules: ValidationRules = CREATE) -> CheckedEntry:
    """Check a note that is stored."""
    schema = notes_schema()
    return check_stored(schema, schema.content_types[NOTE], stored, rules)


def check_one(
    options: Mapping[str, object], data: Mapping[str, object], rules: ValidationRules = CREATE
) -> CheckedEntry:
    """Check a payload for a type with one attribute, ``field``, next to a boolean, ``on``."""
    attributes = {"field": options, "on": {"type": "boolean"}}
    sources = (
        content_type("one", attributes),
        content_type("tag", {"label": {"type": "string"}}),
        component(PART, {"text": {"type": "text"}}),
    )
    schema = build_schema(sources)
    return check_entry(schema, schema.content_types["api::one.one"], data, rules)


def problems_of(checked: CheckedEntry) -> list[tuple[str, str]]:
    """Return the problems that were found, each with its dotted path."""
    return [(".".join(problem.path), problem.message) for problem in checked.problems]


def no(type_name: str, shown: str) -> str:
    """Say that a value, shown so, is not of a type."""
    return f"must be a `{type_name}` type, but the final value was: `{shown}`"
