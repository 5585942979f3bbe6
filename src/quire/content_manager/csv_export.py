"""Entries as CSV in UTF-8 (RFC 4180).

A cell has one text: relations are document ids, files are URLs, objects and lists are JSON. A text
that a spreadsheet would take for a formula gets an apostrophe prefix, since anybody may have
written it and it would run on the computer of the reader.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from quire.content_manager.permissions import TypePermissions, covers
from quire.content_manager.query_scope import is_hidden
from quire.schema.attributes.base import (
    Attribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.model import AUTOMATIC_NAMES

_LEADING_COLUMNS = ("documentId", "locale")
_TRAILING_COLUMNS = ("createdAt", "updatedAt", "publishedAt")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?")


def columns_of(permissions: TypePermissions, locales: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns of a table: what may be read of some entry of the type."""
    rules = permissions.rules(locales)
    attribute_names = (
        attribute.name
        for attribute in permissions.content_type.attributes.values()
        if attribute.name not in AUTOMATIC_NAMES
        and not isinstance(attribute, LocalizationsAttribute)
        and not is_hidden(permissions.content_type, attribute)
        and covers(rules, attribute.name)
    )
    return (*_LEADING_COLUMNS, *attribute_names, *_TRAILING_COLUMNS)


def lines_of(
    permissions: TypePermissions,
    columns: Sequence[str],
    entries: Sequence[Mapping[str, object]],
    *,
    with_header: bool,
) -> bytes:
    """Return the lines of entries, after a header line if they are ``with_header``."""
    text = io.StringIO()
    writer = csv.writer(text)
    if with_header:
        writer.writerow(columns)
    attributes = permissions.content_type.attributes
    for entry in entries:
        writer.writerow([_cell(attributes.get(name), entry.get(name)) for name in columns])
    return text.getvalue().encode()


def _cell(attribute: Attribute | None, value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return _escape_formula(value)
        case bool() | int() | float():
            return msgspec.json.encode(value).decode()
        case _ if isinstance(attribute, RelationAttribute):
            return " ".join(_property_values(value, "documentId"))
        case _ if isinstance(attribute, MediaAttribute):
            return " ".join(_property_values(value, "url"))
        case _:
            return msgspec.json.encode(value).decode()


def _escape_formula(text: str) -> str:
    if text.startswith(_FORMULA) and _NUMBER.fullmatch(text) is None:
        return f"'{text}"
    return text


def _property_values(value: object, name: str) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Mapping) and item.get(name) is not None:
            yield str(item[name])
