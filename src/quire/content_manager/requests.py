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
    """Which version of documents: its status, and its locale (``None`` where there is none).

    ``related`` is the version in which related entries are shown: where there are no drafts of an
    entry itself, what is published of them. ``named`` says that the locale was asked for by name.
    """

    status: Status
    locale: str | None
    related: Status = "draft"
    named: bool = True

    @property
    def locales(self) -> tuple[str, ...] | None:
        """The locales that are read, ``None`` for every one."""
        return None if self.locale in {None, EVERY_LOCALE} else (str(self.locale),)


def requested_version(
    query: Query, content_type: ContentType, default_locale: str | None
) -> RequestedVersion:
    """Understand ``status`` and ``locale``; drafts in the default locale unless told otherwise.

    Raises ValidationError for values that cannot be.
    """
    status = status_of(query)
    versioned = content_type.draft_and_publish or "status" in query
    return RequestedVersion(
        status,
        locale_of(query, content_type, default_locale),
        status if versioned else "published",
        named="locale" in query,
    )


def status_of(query: Query) -> Status:
    """Understand ``status``. Raises ValidationError for anything but the two there are."""
    match query.get("status", DRAFT_STATUS):
        case "draft":
            return "draft"
        case "published":
            return PUBLISHED_STATUS  # type: ignore[return-value]  # the same text, as a constant
        case _:
            raise invalid_value("status", "Invalid status")


def locale_of(query: Query, content_type: ContentType, default_locale: str | None) -> str | None:
    """Understand ``locale``: one of a localized type, none of others.

    Raises ValidationError for what is no text.
    """
    asked = query.get("locale")
    if isinstance(asked, list | dict):
        raise invalid_value("locale", _NOT_TEXT.format(_kind(asked)))
    if asked is not None and "\0" in asked:
        raise invalid_value("locale", f"locale {_NUL}")
    return (asked or default_locale) if content_type.localized else None


def missing_locale_of(query: Query, content_type: ContentType) -> str | None:
    """Understand ``missingLocale``: the locale in which listed documents have no version.

    Raises ValidationError for what is no text, and for a type that has no locales.
    """
    asked = query.get("missingLocale")
    if asked is None:
        return None
    if not isinstance(asked, str):
        raise invalid_value("missingLocale", _NOT_TEXT.format(_kind(asked)))
    if not asked or "\0" in asked:
        raise invalid_value("missingLocale", f"missingLocale {_NUL if asked else _EMPTY}")
    if not content_type.localized:
        raise invalid_value("missingLocale", _NO_LOCALES.format(uid=content_type.uid))
    return asked


def locales_of(
    query: Query, content_type: ContentType, default_locale: str | None
) -> tuple[str | None, ...]:
    """Understand ``locale`` where there may be several of them.

    Raises ValidationError for what is no text.
    """
    asked = query.get("locale")
    if not isinstance(asked, list):
        return (locale_of(query, content_type, default_locale),)
    codes: dict[str, None] = {}
    for item in asked:
        if not isinstance(item, str):
            raise invalid_value("locale", _NOT_TEXT.format(_kind(item)))
        if "\0" in item:
            raise invalid_value("locale", f"locale {_NUL}")
        if item:
            codes[item] = None
    return (tuple(codes) or (default_locale,)) if content_type.localized else (None,)


def invalid_value(path: str | Sequence[str], message: str) -> ValidationError:
    """Make the error for one value of a request."""
    steps = [path] if isinstance(path, str) else list(path)
    problem = {"path": steps, "message": message, "name": ValidationError.name}
    return ValidationError(message, {"errors": [problem]})


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return "array" if isinstance(value, list) else "object"
