"""Generates values of ``uid`` attributes, and finds unused ones."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.content_manager.status_and_locale import invalid_value
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ValidationError
from quire.javascript.regular_expressions import compile_pattern
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, LocaleScope, PlanNode, ReadPlan
from quire.query.resolve import ResolvedRead
from quire.query.resolve.scope import Slots
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.attributes.uid import UID, URL_FRIENDLY
from quire.schema.model import ContentType, Schema
from quire.schema.slugs import slug_of

NO_TYPE = "ContentType not found"

NO_UID = "{} must be a valid `uid` attribute"

BAD_VALUE = f'Must match the custom regex or the default one "/{URL_FRIENDLY}/"'

_UNEXPECTED_TYPE = "Invalid input: expected {}, received {}"

_MAX_LENGTH = 255
"""The longest value that the database stores."""
_MAX_TEXT = 4 * _MAX_LENGTH
"""The longest text whose value is not shortened, as Strapi shortens none: people do it in the form.

A longer one is the content of an entry, of any size: only its beginning is read, more of it than
`_MAX_LENGTH` because some characters leave nothing in a value, and the value can be stored.
"""

_FIRST_BATCH, _MAX_BATCH = 10, 1000
"""How many numbers are tried at once: at first, at most, and the growth factor."""


class UidField(Struct, frozen=True):
    """A ``uid`` attribute of a content type."""

    content_type: ContentType
    attribute: ScalarAttribute


def uid_field(schema: Schema, body: Mapping[str, object]) -> UidField:
    """Return the attribute that a body names. Raises ValidationError when there is none."""
    content_type = schema.content_types.get(str(body["contentTypeUID"]))
    if content_type is None:
        raise ValidationError(NO_TYPE)
    attribute = content_type.attributes.get(str(body["field"]))
    if not isinstance(attribute, ScalarAttribute) or attribute.type is not UID:
        raise ValidationError(NO_UID.format(body["field"]))
    return UidField(content_type, attribute)


def check_body(body: object, last: str, kind: str) -> Mapping[str, object]:
    """Return a body with ``contentTypeUID``, ``field`` and one more member of a kind.

    Raises ValidationError with all its problems.
    """
    values = body if isinstance(body, Mapping) else {}
    expected_types = {"contentTypeUID": "string", "field": "string", last: kind}
    problems = [
        {
            "path": [name],
            "message": _UNEXPECTED_TYPE.format(expected, _kind_of(values, name)),
            "name": ValidationError.name,
        }
        for name, expected in expected_types.items()
        if _kind_of(values, name) != expected
    ]
    if problems:
        raise ValidationError(str(problems[0]["message"]), {"errors": problems})
    return values


def _kind_of(body: Mapping[str, object], name: str) -> str:
    if name not in body:
        return "undefined"
    match body[name]:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"


def check_value(field: UidField, value: str) -> None:
    """Check that a value is allowed in a URL. Raises ValidationError."""
    pattern_source = field.attribute.raw.get("regex")
    pattern = compile_pattern(pattern_source if isinstance(pattern_source, str) else URL_FRIENDLY)
    if not pattern.found_in(value) or "\0" in value:
        raise invalid_value("value", BAD_VALUE)


def generate_uid(
    engine: WriteEngine, field: UidField, data: Mapping[str, object], locale: str | None
) -> Program[str]:
    """Return an unused value made from the attribute that the schema names for it.

    Without a text in it, the name of the type is used. What the document has whose ``documentId``
    is in the data counts as unused.
    """
    target = field.attribute.raw.get("targetField")
    text = data.get(target) if isinstance(target, str) else None
    if not isinstance(text, str) or not text:
        text = field.content_type.singular_name
    value = slug_of(text[:_MAX_TEXT])
    if len(text) > _MAX_TEXT:
        value = value[:_MAX_LENGTH]
    if not value:
        return ""
    document_id = data.get("documentId")
    return (yield from make_unique(engine, field, value, locale, except_of=document_id))


def make_unique(
    engine: WriteEngine,
    field: UidField,
    value: str,
    locale: str | None,
    *,
    except_of: object = None,
) -> Program[str]:
    """Return a value, with the first number that makes it unused if it is taken.

    The values of the document with the id ``except_of`` are not counted as taken.
    """
    if not (yield from _used_values(engine, field, [value], locale, except_of)):
        return value
    first, count = 1, _FIRST_BATCH
    while True:
        candidates = [f"{value}-{number}" for number in range(first, first + count)]
        used_values = yield from _used_values(engine, field, candidates, locale, except_of)
        for candidate in candidates:
            if candidate not in used_values:
                return candidate
        first, count = first + count, min(count * _FIRST_BATCH, _MAX_BATCH)


def _used_values(
    engine: WriteEngine,
    field: UidField,
    values: Sequence[str],
    locale: str | None,
    except_of: object,
) -> Program[set[str]]:
    """Return the values that entries in a locale have, except those of one document."""
    slots, name = Slots(), field.attribute.name
    condition = Comparison(name, Predicate.IN, (slots.add([*values]),))
    root = PlanNode(uid=field.content_type.uid, fields=(name, "documentId"), filter=condition)
    localized = field.content_type.localized and locale is not None
    plan = ReadPlan(
        root=root,
        locale=LocaleScope.ONE if localized else LocaleScope.IGNORED,
        locale_slot=slots.add(locale) if localized else None,
    )
    resolved = ResolvedRead(plan=plan, values=tuple(slots.values))
    rows, _ = yield from engine.reads.planned(resolved).entries()
    return {str(row[name]) for row in rows if row["documentId"] != except_of}
