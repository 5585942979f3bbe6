"""Reads files and folders for administrators, with the query language of content.

Private attributes are shown, including the folder of a file. Creators are shown; relations from
files to content are neither shown nor queried, because references to a file have their own route,
which checks each entry.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from quire.access.ability import FullAccess
from quire.admin_api.admin_user_lists import list_limits, parse_positive
from quire.content_manager.permissions import CREATOR_FIELDS
from quire.database.compile.compiler import NO_SERIALIZERS
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import members
from quire.database.program import Program
from quire.database.stores.files import files_in_folders
from quire.database.stores.folders import FOLDER_UID, all_folders
from quire.document_service.read_planner import Mode
from quire.document_service.read_service import ReadService
from quire.errors import InvalidKeyError, NotFoundError, ValidationError
from quire.query.lenient_filters import known_filters
from quire.query.python_parameters import as_query
from quire.query.querystring import QueryValue
from quire.query.resolve.filters import LONG_LIST, has_longer_list
from quire.schema.attributes.base import Attribute, RelationAttribute, ScalarAttribute
from quire.schema.model import ADMIN_USER_UID, FILE_UID, ContentType
from quire.settings import Settings
from quire.uploads.file_rows import NO_SUCH_FILE
from quire.uploads.folders import UNKNOWN
from quire.uploads.service import MediaLibrary
from quire.uploads.signed_links import present_files

MediaJson = dict[str, Any]
Query = Mapping[str, QueryValue]

_PAGE_SIZE, _MAX_PAGE_SIZE = 10, 1000
_CREATOR_FIELDS = ("createdBy", "updatedBy")
_WINDOW = ("filters", "sort", "_q", "fields")
_POPULATED_RELATIONS: Mapping[str, Collection[str]] = {
    FILE_UID: ("folder", *_CREATOR_FIELDS),
    FOLDER_UID: ("parent", "children", *_CREATOR_FIELDS),
}
"""The relations that may be populated and queried."""


class MediaReads:
    """Lists of files and folders, and single ones."""

    def __init__(self, settings: Settings, reader: ReadService, library: MediaLibrary) -> None:
        """``reader`` is the read service of the content API."""
        schema = reader.schema
        self._database = library.rows.database
        self._store = library.rows.store
        self._signs_urls = library.links is not None
        self._filter_values = settings.limits.filter_values
        types = {
            uid: _unhide_attributes(schema.content_types[uid])
            for uid in (*_POPULATED_RELATIONS, ADMIN_USER_UID)
        }
        self._schema = replace(schema, content_types={**schema.content_types, **types})
        self._reader = reader.with_schema(
            self._schema,
            # Filters are limited before the creators of files are added to them: see `_window`.
            replace(list_limits(settings), max_limit=_MAX_PAGE_SIZE, filter_values=None),
            plans=settings.cache.plans,
            presented=NO_SERIALIZERS if library.links is None else present_files(library.links),
        )

    async def files(
        self, query: Query, allowed_creators: frozenset[int] | None, version: int | None
    ) -> MediaJson:
        """Return a page of the files of these administrators, of all files for ``None``.

        Raises ValidationError or PaginationError.
        """
        list_query = self._window(query, FILE_UID)
        if allowed_creators is not None:
            creator_filter = as_query({"createdBy": {"id": {"$in": sorted(allowed_creators)}}})
            filters = list_query.get("filters")
            list_query["filters"] = (
                creator_filter if filters is None else {"$and": [filters, creator_filter]}
            )
        list_query["pagination"] = {
            "page": parse_positive(query, "page", 1),
            "pageSize": parse_positive(query, "pageSize", _PAGE_SIZE),
        }
        list_query["populate"] = [
            *dict.fromkeys(("folder", *_requested_relations(query, FILE_UID)))
        ]
        prepared_read = self._prepare(FILE_UID, "list", list_query)
        items, total = await self._reader.rows(prepared_read, version)
        pagination = prepared_read.pagination
        return {
            "results": [self.with_signed_flag(members(item)) for item in items],
            "pagination": {} if pagination is None else pagination.meta(total),
        }

    def file(self, file_id: int) -> Program[MediaJson]:
        """Return a file with its folder and creator. Raises NotFoundError."""
        return (yield from self._file(file_id, ("createdBy", "folder")))

    def after_write(self, file_id: int) -> Program[MediaJson]:
        """Return a file in the form of the response to its write. Raises NotFoundError."""
        return (yield from self._file(file_id, ()))

    def stored(self, file_id: int) -> Program[MediaJson]:
        """Return a file in a list, without the fields about its URL."""
        file = yield from self._file(file_id, ())
        del file["isUrlSigned"]
        return file

    async def folders(
        self, query: Query, allowed_creators: frozenset[int] | None, version: int | None
    ) -> list[MediaJson]:
        """Return folders with the numbers of their folders and files, or with these themselves.

        Files are those of ``allowed_creators``, all files for ``None``. An object in ``populate``
        adds to the numbers; any other value replaces them.
        """
        list_query = self._window(query, FOLDER_UID)
        list_query |= {name: query[name] for name in ("start", "limit") if name in query}
        list_query["populate"] = [*_requested_relations(query, FOLDER_UID)]
        items, _ = await self._reader.rows(self._prepare(FOLDER_UID, "window", list_query), version)
        folder_rows = [members(item) for item in items]
        populate = query.get("populate")
        content_modes = _folder_content_mode(populate)
        if content_modes["files"] == "rows":
            by_folder = await self._files_by_folder(
                [folder["id"] for folder in folder_rows], allowed_creators
            )
            folder_rows = [
                {**folder, "files": by_folder.get(folder["id"], [])} for folder in folder_rows
            ]
        counted_names = [name for name, mode in content_modes.items() if mode == "count"]
        if counted_names:
            folder_rows = await self._database.read(
                lambda: self._add_counts(folder_rows, counted_names)
            )
        if populate == "*":
            folder_rows = [{**folder, "localizations": []} for folder in folder_rows]
        return folder_rows

    async def one_folder(
        self, folder_id: int, query: Query, allowed_creators: frozenset[int] | None
    ) -> MediaJson:
        """Return one folder as `folders` does. Raises NotFoundError."""
        id_filter: QueryValue = {"id": str(folder_id)}
        requested_filters = query.get("filters")
        filters: QueryValue = (
            {"$and": [requested_filters, id_filter]}
            if isinstance(requested_filters, dict)
            else id_filter
        )
        folder_query = {name: query[name] for name in query if name not in {"start", "limit"}}
        folders = await self.folders({**folder_query, "filters": filters}, allowed_creators, None)
        if not folders:
            raise NotFoundError(UNKNOWN)
        return folders[0]

    async def _files_by_folder(
        self, folders: Sequence[int], allowed_creators: frozenset[int] | None
    ) -> dict[int, list[MediaJson]]:
        """Return the files of folders, by folder."""
        if not folders:
            return {}
        conditions: list[QueryValue] = [as_query({"folder": {"id": {"$in": [*folders]}}})]
        if allowed_creators is not None:
            conditions.append(as_query({"createdBy": {"id": {"$in": sorted(allowed_creators)}}}))
        file_query: dict[str, QueryValue] = {
            "filters": {"$and": conditions},
            "sort": "id",
            "populate": ["folder"],
        }
        items, _ = await self._reader.rows(self._prepare(FILE_UID, "window", file_query), None)
        files_by_folder: dict[int, list[MediaJson]] = {}
        for item in items:
            file = members(item)
            folder = members(file.pop("folder"))
            files_by_folder.setdefault(folder["id"], []).append(file)
        return files_by_folder

    def folder(self, folder_id: int) -> Program[MediaJson]:
        """Return a folder without its content. Raises NotFoundError."""
        prepared_read = self._prepare(FOLDER_UID, "populated", {})
        items = yield from prepared_read.row(folder_id)
        if not items:
            raise NotFoundError(UNKNOWN)
        return members(items[0])

    def with_signed_flag(self, file: MediaJson) -> MediaJson:
        """Add, as Strapi does, whether the URL of a file is signed."""
        return {**file, "isUrlSigned": self._signs_urls}

    def _file(self, file_id: int, populate: Collection[str]) -> Program[MediaJson]:
        prepared_read = self._prepare(FILE_UID, "populated", {"populate": [*populate]})
        items = yield from prepared_read.row(file_id)
        if not items:
            raise NotFoundError(NO_SUCH_FILE)
        return self.with_signed_flag(members(items[0]))

    def _add_counts(
        self, folders: list[MediaJson], names: Collection[str]
    ) -> Program[list[MediaJson]]:
        """Add the numbers of subfolders and files to folders."""
        files = yield from files_in_folders(self._store)
        children: dict[int, int] = {}
        for folder in (yield from all_folders(self._store)):
            if folder.parent is not None:
                children[folder.parent] = children.get(folder.parent, 0) + 1
        counts = {"children": children, "files": files}
        return [
            {**row, **{name: {"count": counts[name].get(row["id"], 0)} for name in names}}
            for row in folders
        ]

    def _window(self, query: Query, uid: str) -> dict[str, QueryValue]:
        window = {name: query[name] for name in _WINDOW if name in query}
        if "filters" in window:
            if has_longer_list(window["filters"], self._filter_values):
                raise ValidationError(LONG_LIST.format(self._filter_values))
            content_type = self._schema.content_types[uid]
            window["filters"] = known_filters(window["filters"], content_type, self._schema)
        return window

    def _prepare(self, uid: str, mode: Mode, query: dict[str, QueryValue]) -> PreparedRead:
        try:
            return self._reader.prepare_small(
                self._schema.content_types[uid], mode, query, FullAccess()
            )
        except InvalidKeyError as error:
            raise ValidationError(error.message) from error


def _folder_content_mode(populate: QueryValue) -> dict[str, Literal["count", "rows"] | None]:
    """Return whether the files and folders of a folder are counted or shown."""
    if populate is None:
        return {"children": "count", "files": "count"}
    if isinstance(populate, dict):
        return {
            name: "count" if isinstance(populate.get(name, {}), dict) else "rows"
            for name in ("children", "files")
        }
    names = populate.split(",") if isinstance(populate, str) else populate
    return {
        name: "rows" if name in names or "*" in names else None for name in ("children", "files")
    }


def _requested_relations(query: Query, uid: str) -> list[str]:
    """Return the requested relations, of those that are allowed."""
    value = query.get("populate")
    names: Collection[str] = ()
    if isinstance(value, str):
        names = value.split(",")
    elif isinstance(value, dict | list):
        names = [name for name in value if isinstance(name, str)]
    return [name for name in _POPULATED_RELATIONS[uid] if name in names or "*" in names]


def _unhide_attributes(content_type: ContentType) -> ContentType:
    """Return a type with all attributes that administrators may read."""
    uid = content_type.uid
    attributes: dict[str, Attribute] = {}
    for name, attribute in content_type.attributes.items():
        is_hidden = attribute.private
        if uid == ADMIN_USER_UID:
            is_hidden = name not in CREATOR_FIELDS
        elif isinstance(attribute, ScalarAttribute):
            is_hidden = False
        elif isinstance(attribute, RelationAttribute):
            is_hidden = name not in _POPULATED_RELATIONS[uid]
        attributes[name] = replace(attribute, private=is_hidden)
    return replace(content_type, attributes=attributes)
