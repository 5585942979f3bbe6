"""Differences between two versions of an entry, field by field."""

from collections.abc import Iterable, Mapping
from typing import Any

from quire.content_manager.entry_reads import EntryReader, find_version
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status_and_locale import RequestedVersion
from quire.database.program import Program
from quire.errors import NotFoundError
from quire.query.plan import Status
from quire.schema.model import ContentType

VERSIONS: tuple[Status, ...] = ("draft", "published")
_OF_FILES = ("id", "documentId", "name", "url", "mime", "alternativeText", "caption")


def draft_and_published(
    reading: EntryReader, permissions: TypePermissions, document_id: str, locale: str | None
) -> Program[dict[str, object]]:
    """Return the fields in which the draft of a document differs from its published version.

    Each has both values, as far as the caller may see them. Raises NotFoundError if one of the two
    does not exist, and ForbiddenError if one may not be read.
    """
    versions = yield from reading.every_version(permissions, document_id)
    sides: dict[str, EntryJson] = {}
    for status in VERSIONS:
        requested_version = RequestedVersion(status, locale, status)
        version = find_version(permissions.content_type, versions, requested_version)
        if version is None or not permissions.content_type.draft_and_publish:
            raise NotFoundError
        rules = permissions.require_on(entry_origin(version))
        entry = yield from reading.entry(permissions, version["id"], requested_version, None)
        sides[status] = reading.sanitizer(permissions, requested_version).entry(entry, rules)
    fields = differences(permissions.content_type, sides["draft"], sides["published"])
    return {
        "documentId": document_id,
        "locale": locale,
        "fields": {
            name: {"draft": draft, "published": published}
            for name, (draft, published) in fields.items()
        },
    }


def differences(
    content_type: ContentType,
    first: EntryJson,
    second: EntryJson,
    names: Iterable[str] | None = None,
) -> dict[str, tuple[object, object]]:
    """Return both values of each field that differs, of all fields or of the given ones."""
    own_names = [attribute.name for attribute in content_type.own_attributes]
    requested_names = frozenset(own_names if names is None else names)
    differing = {}
    for name in own_names:
        if name in requested_names and (name in first or name in second):
            first_value = without_row_fields(first.get(name))
            second_value = without_row_fields(second.get(name))
            if first_value != second_value:
                differing[name] = (first_value, second_value)
    return differing


def without_row_fields(value: object) -> object:
    """Return a value without ids and timestamps, which differ between any two versions."""
    if isinstance(value, list):
        return [without_row_fields(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if "mime" in value and "hash" in value:
        return {name: value[name] for name in _OF_FILES if name in value}
    if "documentId" in value:
        return _reference(value)
    return {name: without_row_fields(inner) for name, inner in value.items() if name != "id"}


def _reference(entry: Mapping[str, Any]) -> dict[str, object]:
    left_out = {"id", "createdAt", "updatedAt", "publishedAt", "createdBy", "updatedBy"}
    return {name: value for name, value in entry.items() if name not in left_out}
