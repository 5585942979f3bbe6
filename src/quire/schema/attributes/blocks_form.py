"""The nodes of a ``blocks`` document in JSON Schema; members not named here are kept as well."""

from collections.abc import Mapping

from quire.schema.attributes.json_form import JsonForm, JsonSchema, Pointers

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
_LINK = _node("link", {"url": _TEXT, "children": _several(_WORDS)}, "url", "children")
_INLINE: JsonSchema = {"oneOf": [_WORDS, _LINK]}
_LISTED = _object(
    {
        "type": {"enum": ["list-item", "list"]},
        "format": {"enum": ["ordered", "unordered"]},
        "children": _several({"type": "object"}),
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
_BLOCKS: JsonSchema = _several(
    {
        "oneOf": [
            _node("paragraph", {"children": _several(_INLINE, least=1)}, "children"),
            _node(
                "heading",
                {"level": {"enum": [1, 2, 3, 4, 5, 6]}, "children": _several(_INLINE, least=1)},
                *("level", "children"),
            ),
            _node("quote", {"children": _several(_INLINE, least=1)}, "children"),
            _node(
                "code",
                {"language": _TEXT_OR_NULL, "children": _several(_WORDS, least=1)},
                "children",
            ),
            _node(
                "list",
                {
                    "format": {"enum": ["ordered", "unordered"]},
                    "children": _several(_LISTED, least=1),
                },
                *("format", "children"),
            ),
            _node("image", {"image": _IMAGE, "children": _several(_INLINE)}, "image", "children"),
        ]
    }
)


def _described(attribute: object, pointers: Pointers) -> JsonSchema:  # noqa: ARG001 - a `Describe`
    return pointers.shared("Blocks", _BLOCKS)


BLOCKS_FORM = JsonForm(shown=_described, written=_described)
