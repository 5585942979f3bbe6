"""Reading files and folders for administrators, by the query language of content.

They see what is private elsewhere, the folder of a file among it. Of those who made something they
are told who it is; what content leads to a file is told elsewhere, entry by entry, so relations
that lead on from here are neither shown nor looked at.
"""

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from quire.access.ability import FullAccess
from quire.admin_api.lists import positive
from quire.admin_api.media.filters import known_filters
from quire.api.reader import Mode, PreparedRead, Reader
from quire.content_manager.rights import CREATOR_FIELDS
from quire.database.compile import NOTHING_PRESENTED
from quire.database.connection import Database
from quire.database.library.folders import FOLDER_UID, all_folders, files_in_folders
from quire.database.list_cache import ListCache
from quire.database.mappers import members
from quire.database.program import Program
from quire.errors import InvalidKeyError, NotFoundError, ValidationError
from quire.query.parameters import as_query
from quire.query.querystring import QueryValue
from quire.query.resolve import ReadLimits
from quire.schema.attributes.base import Attribute, RelationAttribute, ScalarAttribute
from quire.schema.model import ADMIN_USER_UID, FILE_UID, ContentType, Schema
from quire.settings import Settings
from quire.uploads.folders import UNKNOWN
from quire.uploads.library import Library
from quire.uploads.links import presented_files
from quire.uploads.records import NO_SUCH_FILE

Shown = dict[str, Any]
Query = Mapping[str, QueryValue]

_PAGE_SIZE, _MOST_ROWS = 10, 1000
_MAKERS = ("createdBy", "updatedBy")
_WINDOW = ("filters", "sort", "_q", "fields")
_FOLLOWED: Mapping[str, Collection[str]] = {
    FILE_UID: ("folder", *_MAKERS),
    FOLDER_UID: ("parent", "children", *_MAKERS),
}
"""The relations that may be shown and asked about."""


class MediaReads:
    """Lists of files and folders, and single ones."""

    def __init__(
        self, settings: Settings, database: Database, schema: Schema, library: Library
    ) -> None:
        self._database = database
        self._store = library.rows.store
        self._signed = library.links is not None
        types = {uid: _readable(schema.content_types[uid]) for uid in (*_FOLLOWED, ADMIN_USER_UID)}
        self._schema = replace(schema, content_types={**schema.content_types, **types})
        self._reader = Reader(
            database,
            self._schema,
            self._store.tables,
            ReadLimits(rows=settings.limits.rows, max_limit=_MOST_ROWS),
            default_locale=None,
            plan_cache=settings.cache.plans,
            list_cache=ListCache(totals=settings.cache.counts, pages=settings.cache.pages),
            presented=NOTHING_PRESENTED
            if library.links is None
            else presented_files(library.links),
        )

    async def files(
        self, query: Query, makers: frozenset[int] | None, version: int | None
    ) -> Shown:
        """Return a page of the files of these administrators, of all files for ``None``.

        Raises ValidationError or PaginationError.
        """
        wanted = self._window(query, FILE_UID)
        if makers is not None:
            own = as_query({"createdBy": {"id": {"$in": sorted(makers)}}})
            asked = wanted.get("filters")
            wanted["filters"] = own if asked is None else {"$and": [asked, own]}
        wanted["pagination"] = {
            "page": positive(query, "page", 1),
            "pageSize": positive(query, "pageSize", _PAGE_SIZE),
        }
        wanted["populate"] = [*dict.fromkeys(("folder", *_asked(query, FILE_UID)))]
        prepared = self._prepare(FILE_UID, "list", wanted)
        items, total = await self._reader.rows(prepared, version)
        pagination = prepared.pagination
        return {
            "results": [self.told(members(item)) for item in items],
            "pagination": {} if pagination is None else pagination.meta(total),
        }

    def file(self, file_id: int) -> Program[Shown]:
        """Return a file with its folder and with who made it. Raises NotFoundError."""
        return (yield from self._file(file_id, ("createdBy", "folder")))

    def written(self, file_id: int) -> Program[Shown]:
        """Return a file as it is told of when it was written. Raises NotFoundError."""
        return (yield from self._file(file_id, ()))

    def stored(self, file_id: int) -> Program[Shown]:
        """Return a file as one of many, without what is said of its address."""
        shown = yield from self._file(file_id, ())
        del shown["isUrlSigned"]
        return shown

    async def folders(self, query: Query, version: int | None) -> list[Shown]:
        """Return folders, with what they hold in numbers unless relations are asked for."""
        wanted = self._window(query, FOLDER_UID)
        wanted |= {name: query[name] for name in ("start", "limit") if name in query}
        related = _asked(query, FOLDER_UID)
        wanted["populate"] = [*related]
        items, _ = await self._reader.rows(self._prepare(FOLDER_UID, "window", wanted), version)
        found = [members(item) for item in items]
        if related and not isinstance(query.get("populate"), dict):
            return found
        return await self._database.read(lambda: self._counted(found))

    async def one_folder(self, folder_id: int, query: Query) -> Shown:
        """Return one folder as `folders` does. Raises NotFoundError."""
        found = await self.folders(
            {
                "filters": {"id": str(folder_id)},
                **{name: query[name] for name in ("fields", "populate") if name in query},
            },
            None,
        )
        if not found:
            raise NotFoundError(UNKNOWN)
        return found[0]

    def folder(self, folder_id: int) -> Program[Shown]:
        """Return a folder without what it holds. Raises NotFoundError."""
        prepared = self._prepare(FOLDER_UID, "populated", {})
        items = yield from self._reader.row_program(prepared, folder_id)
        if not items:
            raise NotFoundError(UNKNOWN)
        return members(items[0])

    def told(self, shown: Shown) -> Shown:
        """Say, as the format does, whether the address of a file is signed."""
        return {**shown, "isUrlSigned": self._signed}

    def _file(self, file_id: int, populate: Collection[str]) -> Program[Shown]:
        prepared = self._prepare(FILE_UID, "populated", {"populate": [*populate]})
        items = yield from self._reader.row_program(prepared, file_id)
        if not items:
            raise NotFoundError(NO_SUCH_FILE)
        return self.told(members(items[0]))

    def _counted(self, found: list[Shown]) -> Program[list[Shown]]:
        files = yield from files_in_folders(self._store)
        children: dict[int, int] = {}
        for folder in (yield from all_folders(self._store)):
            if folder.parent is not None:
                children[folder.parent] = children.get(folder.parent, 0) + 1
        return [
            {
                **one,
                "children": {"count": children.get(one["id"], 0)},
                "files": {"count": files.get(one["id"], 0)},
            }
            for one in found
        ]

    def _window(self, query: Query, uid: str) -> dict[str, QueryValue]:
        wanted = {name: query[name] for name in _WINDOW if name in query}
        if "filters" in wanted:
            content_type = self._schema.content_types[uid]
            wanted["filters"] = known_filters(wanted["filters"], content_type, self._schema)
        return wanted

    def _prepare(self, uid: str, mode: Mode, query: dict[str, QueryValue]) -> PreparedRead:
        try:
            return self._reader.prepare_query(
                self._schema.content_types[uid], mode, query, FullAccess()
            )
        except InvalidKeyError as error:
            raise ValidationError(error.message) from error


def _asked(query: Query, uid: str) -> list[str]:
    """Return the relations that are to be shown, of those that may be."""
    value = query.get("populate")
    names: Collection[str] = ()
    if isinstance(value, str):
        names = value.split(",")
    elif isinstance(value, dict | list):
        names = [name for name in value if isinstance(name, str)]
    return [name for name in _FOLLOWED[uid] if name in names or "*" in names]


def _readable(content_type: ContentType) -> ContentType:
    """Return a type of which all is readable that administrators may know."""
    uid = content_type.uid
    attributes: dict[str, Attribute] = {}
    for name, attribute in content_type.attributes.items():
        hidden = attribute.private
        if uid == ADMIN_USER_UID:
            hidden = name not in CREATOR_FIELDS
        elif isinstance(attribute, ScalarAttribute):
            hidden = False
        elif isinstance(attribute, RelationAttribute):
            hidden = name not in _FOLLOWED[uid]
        attributes[name] = replace(attribute, private=hidden)
    return replace(content_type, attributes=attributes)
