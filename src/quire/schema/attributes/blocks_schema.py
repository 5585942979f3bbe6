"""The nodes of a ``blocks`` document in JSON Schema; unknown members are allowed.

Each node has its own name, so that generated clients have a class for it.
"""

from collections.abc import Mapping

from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers

_TEXT: JsonSchema = {"type": "string"}
_TEXT_OR_NULL: JsonSchema = {"type": ["string", "null"]}
_FLAG: JsonSchema = {"type": "boolean"}
_NUMBER: JsonSchema = {"type": "number"}


def _object(members: Mapping[str, object], *required: str) -> JsonSchema:
    return {"type": "object", "properties": members, "required": [*required]}


def _node(kind: str, members: Mapping[str, object], *required: str) -> JsonSchema:
    return _object({"type": {"const": kind}, **members}, "type", *required)


def _several(item: JsonSchema, *, least: int = 0) -> JsonSchema:
    return {"type": "array", "items": item, **({"minItems": least} if least else {})}


_WORDS = _node(
    "text",
    {
        "text": _TEXT,
        **dict.fromkeys(("bold", "italic", "underline", "strikethrough", "code"), _FLAG),
    },
    "text",
)
_LIST_ITEM = _object(
    {
        "type": {"type": "string", "enum": ["list-item", "list"]},
        "format": {"type": "string", "enum": ["ordered", "unordered"]},
        "children": _several({"type": "object", "additionalProperties": {}}),
    },
    "type",
    "children",
)
_IMAGE = _object(
    {
        **dict.fromkeys(("name", "url", "hash", "ext", "mime", "provider"), _TEXT),
        **dict.fromkeys(("width", "height", "size"), _NUMBER),
        **dict.fromkeys(("createdAt", "updatedAt"), _TEXT),
        **dict.fromkeys(("alternativeText", "caption", "previewUrl"), _TEXT_OR_NULL),
    },
    *("name", "url", "width", "height", "hash", "ext", "mime", "size", "provider"),
    *("createdAt", "updatedAt"),
)


def _described(attribute: object, pointers: Pointers) -> JsonSchema:  # noqa: ARG001 - a `Describe`
    words = pointers.shared("BlockText", _WORDS)
    link = _node("link", {"url": _TEXT, "children": _several(words)}, "url", "children")
    inline = {"oneOf": [words, pointers.shared("BlockLink", link)]}
    item = pointers.shared("BlockListItem", _LIST_ITEM)
    image = pointers.shared("BlockImageFile", _IMAGE)
    level = {"type": "integer", "enum": [1, 2, 3, 4, 5, 6]}
    order = {"type": "string", "enum": ["ordered", "unordered"]}
    members: Mapping[str, Mapping[str, object]] = {
        "paragraph": {"children": _several(inline, least=1)},
        "heading": {"level": level, "children": _several(inline, least=1)},
        "quote": {"children": _several(inline, least=1)},
        "code": {"children": _several(words, least=1)},
        "list": {"format": order, "children": _several(item, least=1)},
        "image": {"image": image, "children": _several(inline)},
    }
    optional = {"code": {"language": _TEXT_OR_NULL}}
    nodes = [
        pointers.shared(
            f"Block{kind.capitalize()}",
            _node(kind, {**optional.get(kind, {}), **required}, *required),
        )
        for kind, required in members.items()
    ]
    return pointers.shared("Blocks", _several({"oneOf": nodes}))


BLOCKS_FORM = JsonForm(response=_described, request=_described)
