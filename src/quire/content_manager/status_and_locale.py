"""Status and locale of a request to the content manager."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from quire.errors import ValidationError
from quire.query.plan import Order, PublicationFilter, Status
from quire.query.querystring import QueryValue
from quire.query.resolve.sort import BAD_ORDER
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


class StatusOptions(Struct, frozen=True, kw_only=True):
    """The status of the entries of a list, apart from ``status`` and ``publicationFilter``.

    ``publication`` restricts the entries, but not those that they are related to.
    """

    publication: PublicationFilter | None = None
    order: Order | None = None


ANY_STATUS = StatusOptions()


def split_status(query: Query, content_type: ContentType) -> tuple[Query, StatusOptions]:
    """Split what Strapi's lists call status off a query.

    These are filters ``{"__status": {"$eq": …}}`` in ``$and``, ``publicationStatusFilter``, and an
    order by ``status``, which comes last. As in Strapi, a list that is filtered by status is not
    sorted by it. Raises ValidationError for an invalid status or order.
    """
    parameters = _apply_status_filters(query)
    state = parameters.pop("publicationStatusFilter", None)
    is_filtered = state is not None or any(
        parameters.get(name) is not None for name in ("status", "hasPublishedVersion")
    )
    publication = _PUBLICATION_STATES.get(state) if isinstance(state, str) else None
    if publication is not None:
        status_of(parameters)
        parameters["status"] = PUBLISHED_STATUS
        if not content_type.draft_and_publish:
            parameters["filters"] = _NO_ENTRY
    order = None
    if content_type.draft_and_publish or is_filtered:
        parameters["sort"], order = _split_order(parameters.get("sort"))
    return parameters, StatusOptions(publication=publication, order=None if is_filtered else order)


_STATUS_FILTERS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "draft": {"status": DRAFT_STATUS, "publicationFilter": "never-published"},
        "published": {"status": PUBLISHED_STATUS},
        "published-modified": {"publicationStatusFilter": "published-modified"},
        "published-unmodified": {"publicationStatusFilter": "published-unmodified"},
    }
)
_PUBLICATION_STATES: Mapping[str, PublicationFilter] = MappingProxyType(
    {
        "published-modified": PublicationFilter.MODIFIED,
        "published-unmodified": PublicationFilter.UNMODIFIED,
    }
)
_NO_ENTRY: QueryValue = {"id": {"$null": "true"}}
_ORDERS: Mapping[str, Order] = MappingProxyType(
    {"": "ascending", "asc": "ascending", "desc": "descending"}
)


def _apply_status_filters(query: Query) -> dict[str, QueryValue]:
    """Return a query in which filters by status are parameters."""
    parameters = {**query}
    filters = parameters.get("filters")
    if isinstance(filters, dict) and isinstance(parts := filters.get("$and"), list):
        statuses = [_filtered_status(part) for part in parts]
        for status in statuses:
            parameters.update(_STATUS_FILTERS.get(status or "", {}))
        other_parts = [part for part, status in zip(parts, statuses, strict=True) if status is None]
        parameters["filters"] = {**filters, "$and": other_parts}
    return parameters


def _filtered_status(part: QueryValue) -> str | None:
    """Return the status that an item of ``$and`` asks for, ``None`` if it is another filter."""
    condition = part.get("__status") if isinstance(part, dict) else None
    value = condition.get("$eq") if isinstance(condition, dict) else None
    return None if value is None else str(value)


def _split_order(sort: QueryValue) -> tuple[QueryValue, Order | None]:
    """Split the order by status off a ``sort`` parameter. Raises ValidationError for no order."""
    match sort:
        case str():
            orders = {key: _order_of(key) for key in sort.split(",")}
            rest: QueryValue = ",".join(key for key, order in orders.items() if order is None)
            return rest, _first(orders.values())
        case list():
            split_items = [_split_order(item) for item in sort]
            return [item for item, _ in split_items], _first(order for _, order in split_items)
        case dict() if "status" in sort:
            other_keys = {name: value for name, value in sort.items() if name != "status"}
            return other_keys, _order_of(f"status:{sort['status'] or ''}")
        case _:
            return sort, None


def _first(orders: Iterable[Order | None]) -> Order | None:
    return next((order for order in orders if order is not None), None)


def _order_of(key: str) -> Order | None:
    """Return the order of a key by status, ``None`` for another key."""
    name, _, order = key.strip().partition(":")
    if name != "status":
        return None
    if order.strip().lower() not in _ORDERS:
        raise ValidationError(BAD_ORDER)
    return _ORDERS[order.strip().lower()]


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
