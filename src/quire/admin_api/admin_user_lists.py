"""Lists of administrators and roles, with the query language of content.

Secrets and relations to them are no attributes here, so that they cannot be filtered, sorted or
searched.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from quire.access.ability import FullAccess
from quire.database.execute.row_mappers import members
from quire.document_service.read_planner import Mode
from quire.document_service.read_service import ReadService
from quire.errors import InvalidKeyError, PaginationError, ValidationError
from quire.query.lenient_filters import known_filters
from quire.query.querystring import QueryValue
from quire.query.resolve import ReadLimits
from quire.schema.attributes.base import Attribute, ScalarAttribute
from quire.schema.model import ADMIN_USER_UID, ContentType
from quire.settings import Settings

_PAGE_SIZE = 10
_LIST = ("filters", "sort", "_q", "fields")
_WINDOW = (*_LIST, "start", "limit")
_HIDDEN = frozenset(
    {
        "password",
        "resetPasswordToken",
        "resetPasswordTokenExpiresAt",
        "registrationToken",
        "roles",
        "apiTokens",
    }
)
BAD_PAGE = "Invalid '{}' parameter. Expected an integer > 0, received: {}"


class ListPage(Struct, frozen=True, kw_only=True):
    """The ids of the rows of a page, the requested fields, and the pagination."""

    ids: list[int]
    fields: frozenset[str] | None
    pagination: Mapping[str, int]


class AdminLists:
    """Finds rows of the types that administrators manage."""

    def __init__(self, settings: Settings, reader: ReadService) -> None:
        """``reader`` is the read service of the content API."""
        schema = reader.schema
        admin_users = schema.content_types[ADMIN_USER_UID]
        types = {**schema.content_types, ADMIN_USER_UID: _unhide_attributes(admin_users)}
        self._schema = replace(schema, content_types=types)
        self._reader = reader.with_schema(
            self._schema, list_limits(settings), plans=settings.cache.plans
        )

    async def page(
        self, uid: str, query: Mapping[str, QueryValue], version: int | None
    ) -> ListPage:
        """Return a page of a list. Raises ValidationError or PaginationError."""
        names = (*_LIST, "populate")
        page_query: dict[str, QueryValue] = {name: query[name] for name in names if name in query}
        page_query["pagination"] = {
            "page": parse_positive(query, "page", 1),
            "pageSize": parse_positive(query, "pageSize", _PAGE_SIZE),
        }
        return await self._read(uid, "list", page_query, version)

    async def all(self, uid: str, query: Mapping[str, QueryValue], version: int | None) -> ListPage:
        """Return a list without pages."""
        window_query = {name: query[name] for name in _WINDOW if name in query}
        return await self._read(uid, "window", window_query, version)

    async def _read(
        self, uid: str, mode: Mode, query: dict[str, QueryValue], version: int | None
    ) -> ListPage:
        content_type = self._schema.content_types[uid]
        if "filters" in query:
            query["filters"] = known_filters(query["filters"], content_type, self._schema)
        try:
            prepared_read = self._reader.prepare_small(content_type, mode, query, FullAccess())
        except InvalidKeyError as error:
            raise ValidationError(error.message) from error
        items, total = await self._reader.rows(prepared_read, version)
        rows = [members(item) for item in items]
        pagination = prepared_read.pagination
        return ListPage(
            ids=[int(item["id"]) for item in rows],
            fields=None
            if query.get("fields") in (None, "*")
            else frozenset(prepared_read.plan.root.fields),
            pagination={} if pagination is None else pagination.meta(total),
        )


def list_limits(settings: Settings) -> ReadLimits:
    """Return the limits of a list of system rows."""
    return ReadLimits(
        rows=settings.limits.rows,
        filter_values=settings.limits.filter_values,
        response_size=settings.limits.response_size,
        followed_relations=settings.limits.followed_relations,
    )


def parse_positive(query: Mapping[str, QueryValue], name: str, default: int) -> str:
    """Parse the number of a page, or its size. Raises PaginationError."""
    value = query.get(name)
    if value is None:
        return str(default)
    is_digits = isinstance(value, str) and value.isascii() and value.isdecimal()
    if not isinstance(value, str) or not is_digits or not value.strip("0"):
        raise PaginationError(BAD_PAGE.format(name, value if isinstance(value, str) else "object"))
    return value


def _unhide_attributes(content_type: ContentType) -> ContentType:
    """Return a type whose attributes are all readable, without secrets."""
    attributes: dict[str, Attribute] = {}
    for name, attribute in content_type.attributes.items():
        if name in _HIDDEN:
            attributes[name] = replace(attribute, private=True)
        elif isinstance(attribute, ScalarAttribute):
            attributes[name] = replace(attribute, private=False)
        else:
            attributes[name] = attribute
    return replace(content_type, attributes=attributes)
