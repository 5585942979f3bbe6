"""Where files are used, and which files are unused.

Entries that use a file are limited to those that the caller may read.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.admin_actions import READ as READ_ENTRY
from quire.admin_api.media.reads import MediaJson, MediaReads
from quire.admin_api.response_types import MEDIA, FreeObject
from quire.content_api.envelope import respond
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import ids_of, number_in, path_id
from quire.content_manager.entry_titles import title_fields
from quire.content_manager.permissions import TypePermissions, covers, read_permissions
from quire.content_manager.read_plans import Planner
from quire.content_manager.sanitize import entry_origin
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.file_usage import FileUse, unlinked_files, uses_of_file
from quire.database.stores.files import creators_of, find_files
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import NotFoundError, ValidationError
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, ReadPlan
from quire.query.resolve.scope import Slots
from quire.schema.model import ContentType
from quire.uploads.file_rows import NO_SUCH_FILE
from quire.uploads.permissions import READ, FilePermissions
from quire.uploads.service import MediaLibrary

_FILES_PER_SEARCH = 50
"""How many files one search for unused ones checks."""


class UnusedFiles(Struct, frozen=True, kw_only=True):
    """Unused files; there may be more after ``after``, unless that is ``None``."""

    ids: tuple[int, ...]
    after: int | None


def usage(store: EntryStore, file_ids: Collection[int]) -> Program[dict[int, list[FileUse]]]:
    """Return where files are used, by id: in media attributes, and by URL in texts.

    Missing files are left out.
    """
    uses: dict[int, list[FileUse]] = {}
    for row in (yield from find_files(store, file_ids)):
        uses[row.id] = yield from uses_of_file(store, row)
    return uses


def unused_files(store: EntryStore, *, after: int = 0, limit: int = 100) -> Program[UnusedFiles]:
    """Find unused files, in the order of their ids, among those after an id.

    A search checks a bounded number of files, whatever it finds, and returns where to continue.
    """
    unused_ids: list[int] = []
    candidates = yield from unlinked_files(store, after=after, limit=_FILES_PER_SEARCH)
    for row in (yield from find_files(store, candidates)):
        uses = yield from uses_of_file(store, row)
        if not uses:
            unused_ids.append(row.id)
        if len(unused_ids) >= limit:
            return UnusedFiles(ids=tuple(unused_ids), after=row.id)
    last_id = candidates[-1] if len(candidates) == _FILES_PER_SEARCH else None
    return UnusedFiles(ids=tuple(unused_ids), after=last_id)


class FileUsageReader(Struct, frozen=True):
    """Finds uses, for one administrator."""

    engine: WriteEngine
    ability: AdminAbility

    def read_uses(self, file_uses: Sequence[FileUse]) -> Program[tuple[list[MediaJson], int]]:
        """Return the readable uses, and the number of the others."""
        types = [
            content_type
            for content_type in self._types(file_uses)
            if self.ability.allows(READ_ENTRY, content_type.uid)
        ]
        titles = yield from title_fields(self.engine.store, types)
        entries: list[MediaJson] = []
        for content_type in types:
            type_uses = [use for use in file_uses if use.uid == content_type.uid]
            permissions = read_permissions(self.ability, content_type)
            rows = yield from self._rows(permissions, type_uses, main := titles[content_type.uid])
            entries += [
                entry
                for use in type_uses
                if (entry := _serialize_use(permissions, use, rows.get(use.entry_id), main))
                is not None
            ]
        return entries, len(file_uses) - len(entries)

    def _types(self, file_uses: Iterable[FileUse]) -> list[ContentType]:
        content_types = self.engine.schema.content_types
        return [
            content_types[uid]
            for uid in dict.fromkeys(use.uid for use in file_uses)
            if uid in content_types
        ]

    def _rows(
        self, permissions: TypePermissions, file_uses: Iterable[FileUse], main: str
    ) -> Program[dict[int, MediaJson]]:
        planner, slots = Planner(self.engine), Slots()
        ids = slots.add([*dict.fromkeys(use.entry_id for use in file_uses)])
        node = planner.version_node(permissions)
        root = replace(
            node,
            fields=tuple(dict.fromkeys((*node.fields, main))),
            filter=Comparison("id", Predicate.IN, (ids,)),
        )
        planned_read = planner.planned(ReadPlan(root=root), slots, self.ability)
        rows, _ = yield from planned_read.entries()
        return {int(row["id"]): row for row in rows}


def _serialize_use(
    permissions: TypePermissions, file_use: FileUse, row: MediaJson | None, main: str
) -> MediaJson | None:
    rules = () if row is None else permissions.rules_for_entry(entry_origin(row))
    if row is None or not rules or not covers(rules, file_use.path):
        return None
    content_type = permissions.content_type
    return {
        "contentTypeUid": content_type.uid,
        "contentTypeDisplayName": content_type.display_name,
        "kind": content_type.kind.value,
        "documentId": file_use.document_id,
        "locale": file_use.locale,
        "status": "published" if file_use.published else "draft",
        "title": row[main] if covers(rules, main) else file_use.document_id,
        "field": file_use.path,
        "inText": file_use.in_text,
    }


_PAGE_SIZE, _MAX_PAGE_SIZE = 25, 100
_MAX_FILES = 100
"""How many files one request asks about; more do not fit in the list of a query string."""


class UnusedQuery(Struct):
    """Which files are listed: a number of files after an id."""

    after: int | UnsetType = UNSET
    limit: int | UnsetType = UNSET


class HiddenUsage(Struct):
    """In how many entries a file is used that the caller may not see."""

    hidden: int


class FileUsage(Struct):
    """Where a file is used."""

    data: list[FreeObject]
    meta: HiddenUsage


class MediaUsageQuery(Struct):
    """The files whose usage is listed."""

    ids: list[int]


class MediaFileUsage(Struct):
    """Where one of several files is used, and in how many entries that the caller may not see."""

    id: int
    entries: list[FreeObject]
    hidden: int


class MediaUsage(Struct):
    """Where several files are used."""

    data: list[MediaFileUsage]


class UnusedFileCursor(Struct):
    """The id of the last checked file, ``null`` if there are no more."""

    after: int | None


class UnusedFilePage(Struct):
    """Unused files."""

    data: list[FreeObject]
    meta: UnusedFileCursor


class FileUsageApi:
    """``/admin/x/media``."""

    def __init__(self, reads: MediaReads, library: MediaLibrary, engine: WriteEngine) -> None:
        self._reads = reads
        self._rows = library.rows
        self._engine = engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, query = RouteGroup(MEDIA, "admin/x/media/"), UnusedQuery
        yield route("GET", "unused", READ, self.unused, query=query, response=UnusedFilePage)
        yield route(
            "GET", "usage", READ, self.usage_of_files, query=MediaUsageQuery, response=MediaUsage
        )
        yield route("GET", ":id/usage", READ, self.usage, response=FileUsage)

    async def usage(self, request: Request) -> Response:
        """Return where a file is used, and the number of hidden uses."""
        files = await self._usage(request, [path_id(request, NO_SUCH_FILE)])
        if not files:
            raise NotFoundError(NO_SUCH_FILE)
        [file] = files
        return respond(file.entries, {"hidden": file.hidden})

    async def usage_of_files(self, request: Request) -> Response:
        """Return the same of several files, without those that are missing."""
        ids = ids_of(request.query.get("ids"))
        if not 1 <= len(ids) <= _MAX_FILES:
            raise ValidationError(f"ids must be a list of 1 to {_MAX_FILES} ids of files")
        return respond(await self._usage(request, ids))

    async def _usage(self, request: Request, ids: Sequence[int]) -> list[MediaFileUsage]:
        ability, store = request.administrator.ability, self._rows.store

        def read() -> Program[list[MediaFileUsage]]:
            uses = yield from usage(store, ids)
            yield from FilePermissions(ability, READ).check(store, uses)
            reader = FileUsageReader(self._engine, ability)
            files: list[MediaFileUsage] = []
            for file_id, file_uses in uses.items():
                entries, hidden = yield from reader.read_uses(file_uses)
                files.append(MediaFileUsage(file_id, entries, hidden))
            return files

        return await self._rows.database.read(read, snapshot=True, key="usage of files")

    async def unused(self, request: Request) -> Response:
        """List unused files, after the id that the previous response ended with."""
        after = number_in(request.query, "after")
        requested_limit = number_in(request.query, "limit")
        limit = (
            _PAGE_SIZE if requested_limit is None else min(max(requested_limit, 1), _MAX_PAGE_SIZE)
        )
        store = self._rows.store
        permissions = FilePermissions(request.administrator.ability, READ)

        def read() -> Program[tuple[list[MediaJson], UnusedFiles]]:
            page = yield from unused_files(store, after=after or 0, limit=limit)
            allowed_creators = yield from permissions.allowed_creators(store)
            creators = yield from creators_of(store, page.ids)
            ids = [
                file_id
                for file_id in page.ids
                if allowed_creators is None or creators.get(file_id) in allowed_creators
            ]
            files: list[MediaJson] = []
            for file_id in ids:
                file = yield from self._reads.file(file_id)
                files.append(file)
            return files, page

        file_rows, unused_page = await self._rows.database.read(
            read, snapshot=True, key="unused files"
        )
        return respond(file_rows, {"after": unused_page.after})
