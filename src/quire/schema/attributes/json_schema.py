"""JSON Schema (2020-12) of attribute values.

Every attribute type defines it in its own module: the form of values in responses and in requests.
Null is not included; whoever describes a whole model knows where it is allowed. Related documents
and components are references, by `Pointers`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

JsonSchema = Mapping[str, object]


class Pointers(Protocol):
    """References to other schemas, which differ for responses and requests."""

    def document(self, uid: str) -> JsonSchema:
        """Return the reference to documents of a content type; in requests, to document ids."""

    def component(self, uid: str) -> JsonSchema:
        """Return the reference to a component."""

    def zone_item(self, uid: str) -> JsonSchema:
        """Return the reference to a component as an item of a dynamic zone, with its uid."""

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:
        """Return the reference to a schema that many attributes share."""


Describe = Callable[[Any, Pointers], JsonSchema]
"""Describes the values of an attribute, by the attribute class of the type."""


class JsonForm(Struct, frozen=True, kw_only=True):
    """The JSON form of the values of one attribute type.

    ``request`` is the form of requests for published entries; drafts are exempt from the keywords
    that are ``published_only``. ``operand`` is the form of filter operands, if it differs from
    text and from the shown form.
    """

    response: Describe
    request: Describe
    published_only: frozenset[str] = frozenset()
    operand: JsonSchema | None = None


LIMITS = {"minLength": "minLength", "maxLength": "maxLength", "min": "minimum", "max": "maximum"}
"""Options of a schema file, and the equivalent keywords."""


def scalar_form(schema: JsonSchema, *options: str) -> JsonForm:
    """Make the form of values that are written as they are shown.

    Written ones have the limits of the ``options`` of the attribute; drafts have no lower limits.
    """

    def shown(attribute: object, pointers: Pointers) -> JsonSchema:  # noqa: ARG001 - a `Describe`
        return schema

    def written(attribute: Any, pointers: Pointers) -> JsonSchema:  # noqa: ANN401, ARG001
        return {**schema, **limits_of(attribute.raw, *options)}

    return JsonForm(response=shown, request=written, published_only=frozenset({"minimum"}))


def limits_of(raw: Mapping[str, object], *options: str) -> JsonSchema:
    """Return the limits that options of a schema file set, as keywords."""
    limits = ((LIMITS[option], _number(raw.get(option))) for option in options)
    return {keyword: limit for keyword, limit in limits if limit is not None}


def list_schema(schema: JsonSchema, raw: Mapping[str, object]) -> JsonSchema:
    """Describe a list of items, with the limits of a schema file."""
    counts = (("minItems", _number(raw.get("min"))), ("maxItems", _number(raw.get("max"))))
    limits = {keyword: limit for keyword, limit in counts if limit is not None}
    return {"type": "array", "items": schema, **limits}


COUNTS = frozenset({"minItems", "maxItems"})
"""The keywords of `list_schema` that do not apply to drafts."""


def _number(limit: object) -> int | float | None:
    """Parse a limit, which a schema file may give as text."""
    if isinstance(limit, bool) or not isinstance(limit, int | float | str):
        return None
    try:
        number = float(limit)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number
