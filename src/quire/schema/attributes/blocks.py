"""``blocks``: a rich text document, a list of nodes stored as JSON.

Each kind of node is a table of its members and their readers. Reading casts values (``"2"`` is
level 2, text may be given as a number) and keeps unknown members. Nodes are checked in drafts as
well.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

import orjson

from quire.javascript.text import string_of
from quire.schema.attributes.base import AttributeType, ScalarAttribute, StorageKind, build_scalar
from quire.schema.attributes.blocks_schema import BLOCKS_FORM
from quire.schema.attributes.boolean import read_boolean
from quire.schema.attributes.number import read_plain_number
from quire.schema.attributes.validation import (
    ABSENT,
    Refusal,
    RefusedValue,
    Step,
    ValueRules,
    accept_structured,
    mistyped,
    not_of_type,
)

_REQUIRED = "is a required field"
_NO_TEXT = "Text must be defined with at least an empty string"
_NO_LINK = "Please specify a valid link."
_NO_BLOCK = "Block node is of invalid type"
_NO_INLINE = "Inline node must be Text or Link"
_NO_ITEM = "Inline node must be list-item or list"

Place = tuple[Step, ...]


class _BlockProblems(list[Refusal]):
    """The problems so far."""

    def refuse(self, path: Place, message: str, value: object = ABSENT) -> None:
        """Record an invalid value, with a message that follows its path."""
        self.append(Refusal(message=message, value=value, value_path=path))

    def refuse_plainly(self, path: Place, message: str, value: object = ABSENT) -> None:
        """Record an invalid value, with a message that stands alone."""
        self.append(Refusal(message=message, value=value, value_path=path, after_path=False))


Member = Callable[[_BlockProblems, Place, object], object]
"""Reads the value of one member, ``ABSENT`` if it is missing; returns the stored value."""

Members = Mapping[str, Member]


def _parsed(value: object) -> object:
    """Parse text as JSON; ``None`` if it is not JSON."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return None


def _listed(problems: _BlockProblems, path: Place, value: object) -> list[object] | None:
    """Return a list, also one given as JSON text."""
    items = _parsed(value)
    if isinstance(items, list):
        return items
    problems.refuse(path, not_of_type("array", None, ABSENT if value is None else value), None)
    return None


def _members(
    members: Members, problems: _BlockProblems, path: Place, node: Mapping[str, object]
) -> dict[str, object]:
    """Read the known members of a node; the others are unchanged."""
    known_members = dict(node)
    for name, member in members.items():
        value = member(problems, (*path, name), node.get(name, ABSENT))
        if value is not ABSENT:
            known_members[name] = value
    return known_members


def _object(members: Members) -> Member:
    """Read an object; anything else counts as missing."""

    def read(problems: _BlockProblems, path: Place, value: object) -> object:
        parsed = _parsed(value)
        if isinstance(parsed, dict):
            return _members(members, problems, path, parsed)
        problems.refuse(path, not_of_type("object", None, ABSENT if value is None else value), None)
        return value

    return read


def _text(
    *, required: bool = False, nullable: bool = False, choices: tuple[str, ...] = ()
) -> Member:
    """Read a text, also one given as a number or boolean; required text is not empty."""

    def read(problems: _BlockProblems, path: Place, value: object) -> object:
        if value is ABSENT:
            if required:
                problems.refuse(path, _REQUIRED)
            return value
        if value is None and nullable:
            return value
        text = value if _is_no_text(value) else string_of(value)
        if _is_no_text(value):
            problems.refuse(path, not_of_type("string", value), value)
        elif required and not text:
            problems.refuse(path, _REQUIRED, value)
        if choices and text not in choices:
            problems.refuse(path, _one_of(choices), text)
        return text

    return read


def _is_no_text(value: object) -> bool:
    return value is None or isinstance(value, dict | list)


def _one_of(choices: tuple[object, ...]) -> str:
    return f"must be one of the following values: {', '.join(str(choice) for choice in choices)}"


def _own_words(message: str, rule: Callable[[str], bool] | None = None) -> Member:
    """Read a text that has its own message for being absent, or for violating a rule."""

    def read(problems: _BlockProblems, path: Place, value: object) -> object:
        if value is ABSENT:
            problems.refuse_plainly(path, message)
            return value
        if _is_no_text(value):
            problems.refuse(path, not_of_type("string", value), value)
            return value
        text = string_of(value)
        if rule is not None and not rule(text):
            problems.refuse_plainly(path, message, text)
        return text

    return read


def _number(*choices: int) -> Member:
    """Read a required number, also one given as text."""

    def read(problems: _BlockProblems, path: Place, value: object) -> object:
        if value is ABSENT:
            problems.refuse(path, _REQUIRED)
            return value
        number = read_plain_number(value)
        if number is None:
            cast_from = ABSENT if value is None else value
            problems.refuse(path, mistyped("number", "NaN", cast_from), None)
        if choices and number not in choices:
            problems.refuse(path, _one_of(choices), number)
        return number

    return read


def _flag(problems: _BlockProblems, path: Place, value: object) -> object:
    """Read a text format, such as ``bold``."""
    if value is ABSENT:
        return value
    flag = read_boolean(value)
    if flag is None:
        problems.refuse(path, not_of_type("boolean", value), value)
    return flag


def _children(
    child: Callable[[_BlockProblems, Place, object], object], *, when_empty: str | None = None
) -> Member:
    """Read the nodes within a node; ``when_empty`` is the message when there must be one."""

    def read(problems: _BlockProblems, path: Place, value: object) -> object:
        if value is ABSENT:
            problems.refuse(path, _REQUIRED)
            return value
        nodes = _listed(problems, path, value)
        if nodes is None:
            return value
        if not nodes and when_empty is not None:
            problems.refuse_plainly(path, when_empty, nodes)
        return [child(problems, (*path, index), node) for index, node in enumerate(nodes)]

    return read


def _node_of(kinds: Callable[[], Mapping[str, Members]], otherwise: str) -> Member:
    """Read a node of one of several kinds, by its ``type``."""

    def read(problems: _BlockProblems, path: Place, value: object) -> object:
        name = value.get("type") if isinstance(value, dict) else None
        members = kinds().get(name) if isinstance(name, str) else None
        if members is None or not isinstance(value, dict):
            problems.refuse_plainly(path, otherwise, value)
            return value
        return _members(members, problems, path, value)

    return read


_WEB = re.compile(
    r"(?:https?|ftp):[/\\]*(?:[^/\\?#@]*@)?"
    r"(?:\[[0-9a-f:.]+\]|[^\x00-\x20/\\?#@:<>^|%\[\]\x7f]+)"
    r"(?P<port>:[0-9]*)?(?=[/\\?#]|\Z)",
    re.IGNORECASE,
)
_MAIL_OR_PHONE = re.compile(r"(?:mailto|tel):", re.IGNORECASE)
_IGNORED_IN_URL = re.compile(r"[\t\n\r]+")
_BLANKS_AROUND_URL = "".join(chr(code) for code in range(0x21))
_MAX_PORT = 65535


def is_link(text: str) -> bool:
    """Tell whether a link target is valid: a path, or an absolute URL of the usual schemes."""
    if text.startswith("/"):
        return True
    url = _IGNORED_IN_URL.sub("", text.strip(_BLANKS_AROUND_URL))
    if _MAIL_OR_PHONE.match(url):
        return True
    web = _WEB.match(url)
    if web is None:
        return False
    port = (web["port"] or ":")[1:].lstrip("0")
    return len(port) <= len(str(_MAX_PORT)) and int(port or 0) <= _MAX_PORT


_TEXT_MEMBERS: Members = {
    "type": _text(required=True, choices=("text",)),
    "text": _own_words(_NO_TEXT),
    "bold": _flag,
    "italic": _flag,
    "underline": _flag,
    "strikethrough": _flag,
    "code": _flag,
}
_TEXTS = _object(_TEXT_MEMBERS)
_INLINE_KINDS: Mapping[str, Members] = {
    "text": _TEXT_MEMBERS,
    "link": {"url": _own_words(_NO_LINK, is_link), "children": _children(_TEXTS)},
}
_INLINE = _node_of(lambda: _INLINE_KINDS, _NO_INLINE)
_ITEM = _node_of(lambda: _ITEM_KINDS, _NO_ITEM)


def _at_least_one(kind: str) -> str:
    return f"{kind} node children must have at least one Text or Link node"


_LIST: Members = {
    "format": _text(required=True, choices=("ordered", "unordered")),
    "children": _children(
        _ITEM, when_empty="List node children must have at least one ListItem or ListNode"
    ),
}
_ITEM_KINDS: Mapping[str, Members] = {
    "list": _LIST,
    "list-item": {"children": _children(_INLINE)},
}
_IMAGE_OBJECT = _object(
    {
        "name": _text(required=True),
        "alternativeText": _text(nullable=True),
        "url": _text(required=True),
        "caption": _text(nullable=True),
        "width": _number(),
        "height": _number(),
        "hash": _text(required=True),
        "ext": _text(required=True),
        "mime": _text(required=True),
        "size": _number(),
        "previewUrl": _text(nullable=True),
        "provider": _text(required=True),
        "createdAt": _text(required=True),
        "updatedAt": _text(required=True),
    }
)


def _image(problems: _BlockProblems, path: Place, value: object) -> object:
    """Read the file of an image; without one everything that it needs is missing."""
    return _IMAGE_OBJECT(problems, path, {} if value is ABSENT else value)


_BLOCK_KINDS: Mapping[str, Members] = MappingProxyType(
    {
        "paragraph": {"children": _children(_INLINE, when_empty=_at_least_one("Paragraph"))},
        "heading": {
            "level": _number(1, 2, 3, 4, 5, 6),
            "children": _children(_INLINE, when_empty=_at_least_one("Heading")),
        },
        "quote": {"children": _children(_INLINE, when_empty=_at_least_one("Quote"))},
        "code": {
            "language": _text(nullable=True),
            # Strapi mentions quotes here too.
            "children": _children(_TEXTS, when_empty=_at_least_one("Quote")),
        },
        "list": _LIST,
        "image": {"image": _image, "children": _children(_INLINE)},
    }
)
"""Kinds of node at the top level of a document, with their members."""

_BLOCK = _node_of(lambda: _BLOCK_KINDS, _NO_BLOCK)


def _accept_nodes(value: list[object]) -> object:
    problems = _BlockProblems()
    nodes = [_BLOCK(problems, (index,), node) for index, node in enumerate(value)]
    if problems:
        raise RefusedValue(*problems)
    return accept_structured(nodes)


def accept_blocks(attribute: ScalarAttribute) -> ValueRules:
    """Accept a list of nodes, also one given as JSON text; anything else counts as null."""

    def accept_draft(value: object) -> object:
        nodes = _parsed(value)
        return _accept_nodes(nodes) if isinstance(nodes, list) else None

    def accept_full(value: object) -> object:
        nodes = accept_draft(value)
        if nodes is None and attribute.required:
            raise RefusedValue(Refusal(message=not_of_type("array", None, value), value=None))
        return nodes

    return ValueRules(draft=accept_draft, full=accept_full, null=not_of_type("array", None))


BLOCKS = AttributeType(
    name="blocks",
    build=build_scalar,
    json=BLOCKS_FORM,
    storage=StorageKind.JSON,
    accept=accept_blocks,
)
