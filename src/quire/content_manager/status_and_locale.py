"""Status and locale of a request to the content manager."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.errors import ValidationError
from quire.query.plan import Status
from quire.query.querystring import QueryValue
from quire.schema.model import DRAFT_STATUS, PUBLISHED_STATUS, ContentType

EVERY_LOCALE = "*"
_NOT_TEXT = "Invalid input: expected string, received {}"
_NUL = "must not contain a NUL character"
_EMPTY = "must be the code of a locale"
_NO_LOCALES = "{uid} has no locales"

Query = Mapping[str, QueryValue]


class RequestedVersion(Struct, frozen=True):
    """The requested version of documents: its status, and its locale (``None`` if there is none).

    ``related`` is the status of related entries: published if the entry itself has no drafts.
    ``names_locale`` says that the request names the locale.
    """

    status: Status
    locale: str | None
    related: Status = "draft"
    names_locale: bool = True

    @property
    def locales(self) -> tuple[str, ...] | None:
        """The locales that are read, ``None`` for every one."""
        return None if self.locale in {None, EVERY_LOCALE} else (str(self.locale),)


def requested_version(
    query: Query, content_type: ContentType, default_locale: str | None
) -> RequestedVersion:
    """Parse ``status`` and ``locale``; by default drafts in the default locale.

    Raises ValidationError for invalid values.
    """
    status = status_of(query)
    versioned = content_type.draft_and_publish or "status" in query
    return RequestedVersion(
        status,
        locale_of(query, content_type, default_locale),
        status if versioned else "published",
        names_locale="locale" in query,
    )


def status_of(query: Query) -> Status:
    """Parse ``status``. Raises ValidationError for an unknown one."""
    match query.get("status", DRAFT_STATUS):
        case "draft":
            return "draft"
        case "published":
            return PUBLISHED_STATUS  # type: ignore[return-value]  # the same text, as a constant
        case _:
            raise invalid_value("status", "Invalid status")


def locale_of(query: Query, content_type: ContentType, default_locale: str | None) -> str | None:
    """Parse ``locale``: one of a localized type, none of others.

    Raises ValidationError if it is not text.
    """
    locale = query.get("locale")
    if isinstance(locale, list | dict):
        raise invalid_value("locale", _NOT_TEXT.format(_json_type_of(locale)))
    if locale is not None and "\0" in locale:
        raise invalid_value("locale", f"locale {_NUL}")
    return (locale or default_locale) if content_type.localized else None


def missing_locale_of(query: Query, content_type: ContentType) -> str | None:
    """Parse ``missingLocale``: the locale in which listed documents have no version.

    Raises ValidationError if it is not text, and for a type without locales.
    """
    locale = query.get("missingLocale")
    if locale is None:
        return None
    if not isinstance(locale, str):
        raise invalid_value("missingLocale", _NOT_TEXT.format(_json_type_of(locale)))
    if not locale or "\0" in locale:
        raise invalid_value("missingLocale", f"missingLocale {_NUL if locale else _EMPTY}")
    if not content_type.localized:
        raise invalid_value("missingLocale", _NO_LOCALES.format(uid=content_type.uid))
    return locale


def locales_of(
    query: Query, content_type: ContentType, default_locale: str | None
) -> tuple[str | None, ...]:
    """Parse ``locale`` where several are allowed.

    Raises ValidationError if one is not text.
    """
    locales = query.get("locale")
    if not isinstance(locales, list):
        return (locale_of(query, content_type, default_locale),)
    codes: dict[str, None] = {}
    for item in locales:
        if not isinstance(item, str):
            raise invalid_value("locale", _NOT_TEXT.format(_json_type_of(item)))
        if "\0" in item:
            raise invalid_value("locale", f"locale {_NUL}")
        if item:
            codes[item] = None
    return (tuple(codes) or (default_locale,)) if content_type.localized else (None,)


def invalid_value(path: str | Sequence[str], message: str) -> ValidationError:
    """Return the error for one value of a request."""
    steps = [path] if isinstance(path, str) else list(path)
    problem = {"path": steps, "message": message, "name": ValidationError.name}
    return ValidationError(message, {"errors": [problem]})


def _json_type_of(value: object) -> str:
    if value is None:
        return "null"
    return "array" if isinstance(value, list) else "object"
