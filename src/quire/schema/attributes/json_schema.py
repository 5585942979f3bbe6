"""JSON Schema (2020-12) of attribute values.

Every attribute type says it in its own module: how answers show a value and how requests write it.
Null is not spoken of there; whoever describes a whole model knows where it may stand. What a value
leads to (documents, components) is only pointed at, by `Pointers`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

JsonSchema = Mapping[str, object]


class Pointers(Protocol):
    """Points to what is described elsewhere. Answers and requests have pointers of their own."""

    def document(self, uid: str) -> JsonSchema:
        """Point to the documents of a content type; in requests, to what may name one."""

    def component(self, uid: str) -> JsonSchema:
        """Point to a component."""

    def zone_item(self, uid: str) -> JsonSchema:
        """Point to a component as an item of a dynamic zone, which says which component it is."""

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:
        """Point to a description that many attributes share."""


Describe = Callable[[Any, Pointers], JsonSchema]
"""Describes the values of an attribute, of the class of attributes that the type makes."""


class JsonForm(Struct, frozen=True, kw_only=True):
    """The values of one attribute type in JSON.

    ``written`` is what a published entry is held to; drafts are not held to the keywords of it that
    are ``published_only``. ``compared`` is what filters compare with, where that is not any text or
    what is shown.
    """

    shown: Describe
    written: Describe
    published_only: frozenset[str] = frozenset()
    compared: JsonSchema | None = None


LIMITS = {"minLength": "minLength", "maxLength": "maxLength", "min": "minimum", "max": "maximum"}
"""Options of a schema file, and the keywords that say the same."""


def plain(schema: JsonSchema, *options: str) -> JsonForm:
    """Make the form of values that are written as they are shown.

    Written ones are held to the limits that the ``options`` of the attribute set; drafts to no
    lower ones.
    """

    def shown(attribute: object, pointers: Pointers) -> JsonSchema:  # noqa: ARG001 - a `Describe`
        return schema

    def written(attribute: Any, pointers: Pointers) -> JsonSchema:  # noqa: ANN401, ARG001
        return {**schema, **limits_of(attribute.raw, *options)}

    return JsonForm(shown=shown, written=written, published_only=frozenset({"minimum"}))


def limits_of(raw: Mapping[str, object], *options: str) -> JsonSchema:
    """Return the limits that options of a schema file set, as keywords."""
    found = ((LIMITS[option], _number(raw.get(option))) for option in options)
    return {keyword: limit for keyword, limit in found if limit is not None}


def list_schema(schema: JsonSchema, raw: Mapping[str, object]) -> JsonSchema:
    """Describe a list of items, held to the counts that a schema file sets."""
    counts = (("minItems", _number(raw.get("min"))), ("maxItems", _number(raw.get("max"))))
    limits = {keyword: limit for keyword, limit in counts if limit is not None}
    return {"type": "array", "items": schema, **limits}


COUNTS = frozenset({"minItems", "maxItems"})
"""The keywords of `list_schema`, of which drafts are free."""


def _number(limit: object) -> int | float | None:
    """Read a limit, which a schema file may write as text."""
    if isinstance(limit, bool) or not isinstance(limit, int | float | str):
        return None
    try:
        number = float(limit)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number
