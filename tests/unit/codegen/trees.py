"""A schema with one attribute of every type, and with reserved names of languages."""

from tests.unit.schema.trees import component_file, type_file

_AUTHOR = {"type": "relation", "relation": "manyToOne", "target": "api::author.author"}
_USER = {
    "type": "relation",
    "relation": "manyToOne",
    "target": "plugin::users-permissions.user",
}
TREE = (
    type_file(
        "essay",
        {
            "title": {"type": "string", "required": True},
            "body": {"type": "blocks"},
            "date": {"type": "date"},
            "printedAt": {"type": "datetime", "required": True},
            "time": {"type": "time"},
            "class": {"type": "enumeration", "enum": ["a", 'b"c']},
            "copies": {"type": "biginteger"},
            "price": {"type": "decimal"},
            "writtenBy": {"type": "string"},
            "written_by": _AUTHOR,
            "extra": {"type": "json"},
            "margin": {"type": "string", "private": True},
            "lock": {"type": "password"},
            "author": _AUTHOR,
            "reader": _USER,
            "cover": {"type": "media", "multiple": False},
            "gallery": {"type": "media", "multiple": True},
            "parts": {"type": "dynamiczone", "components": ["part.quote", "part.image"]},
            "quotes": {"type": "component", "component": "part.quote", "repeatable": True},
        },
        options={"draftAndPublish": True},
        pluginOptions={"i18n": {"localized": True}},
    ),
    type_file("author", {"name": {"type": "string", "required": True}}),
    type_file("essay-populated", {"field": {"type": "string"}}),
    type_file("array", {"list": {"type": "integer"}}, kind="singleType"),
    component_file("part.quote", {"text": {"type": "text", "required": True}}),
    component_file("part.image", {"file": {"type": "media", "multiple": False}}),
)
