"""Converts a request to a command: checks before anything is written."""

from collections.abc import Mapping

from quire.access.ability import Ability
from quire.content_api.http_messages import Request
from quire.document_service.commands import AllLocales, Data
from quire.document_service.input_keys import check_input
from quire.errors import ValidationError
from quire.query.querystring import QueryValue
from quire.schema.model import PUBLISHED_STATUS, ContentType, Schema

MISSING_DATA = 'Missing "data" payload in the request body'
DRAFT_DELETION = "Cannot delete a draft document"
NUL_LOCALE = "locale must not contain a NUL character"
IF_MATCH = b"if-match"
_ROW_SELECTING_PARAMETERS = ("filters", "_q", "start")


def data_of(schema: Schema, content_type: ContentType, body: object, ability: Ability) -> Data:
    """Return the data in a request body, after checking its keys.

    Raises ValidationError when there are none, and InvalidKeyError for a key that does not exist or
    that the caller may not write.
    """
    data = body.get("data") if isinstance(body, Mapping) else None
    if isinstance(data, list):
        # A list is rejected later, with the values, but its keys are checked here.
        for item in data:
            if isinstance(item, dict):
                check_input(schema, content_type, item, ability)
        return data
    if not isinstance(data, Mapping):
        raise ValidationError(MISSING_DATA)
    check_input(schema, content_type, data, ability)
    return data


def is_published(query: Mapping[str, QueryValue]) -> bool:
    """Tell whether the written version is published, which is the default."""
    return query.get("status", PUBLISHED_STATUS) == PUBLISHED_STATUS


def one_locale(query: Mapping[str, QueryValue]) -> str | None:
    """Return the locale to write, ``None`` for the default one.

    Any text that every database can store is accepted here. Raises ValidationError for others.
    """
    value = query.get("locale")
    if isinstance(value, str) and "\0" in value:
        raise ValidationError(NUL_LOCALE)
    return value if isinstance(value, str) and value else None


def deleted_locales(
    query: Mapping[str, QueryValue],
) -> tuple[str | AllLocales | None, tuple[str, ...] | None]:
    """Return the locale to delete, or the list of locales."""
    value = query.get("locale")
    if isinstance(value, list):
        return None, tuple(code for code in value if isinstance(code, str))
    if value == AllLocales.LOCALE.value:
        return AllLocales.LOCALE, None
    return (value if isinstance(value, str) and value else None), None


def is_narrowed(query: Mapping[str, QueryValue]) -> bool:
    """Tell whether a deletion is restricted to matching rows."""
    return any(query.get(name) is not None for name in _ROW_SELECTING_PARAMETERS)


def refuse_draft_deletion(content_type: ContentType, query: Mapping[str, QueryValue]) -> None:
    """Reject deleting only one status of a document. Raises ValidationError."""
    if content_type.draft_and_publish and not is_published(query):
        raise ValidationError(DRAFT_DELETION)


def expected_tags(request: Request) -> frozenset[str] | None:
    """Return the tags of ``If-Match``, without quotes; ``None`` when there is no such header.

    A star in quotes is a tag that no version has, unlike the star without quotes.
    """
    header = request.headers.get(IF_MATCH)
    if header is None:
        return None
    tags = (tag.strip().removeprefix("W/") for tag in header.decode("latin-1").split(","))
    return frozenset(tag.strip('"') for tag in tags if tag and tag != '"*"')
