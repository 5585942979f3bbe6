"""Where files are used, and which files are unused."""

from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.media.reads import MediaReads, Shown
from quire.admin_api.response_types import MEDIA, FreeObject
from quire.content_api.envelope import respond
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import id_of, number_in
from quire.content_manager.usages import UsageLookup
from quire.database.program import Program
from quire.database.stores.files import creators_of
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import NotFoundError
from quire.uploads.file_rows import NO_SUCH_FILE
from quire.uploads.permissions import READ, FileRights
from quire.uploads.service import MediaLibrary
from quire.uploads.usage import UnusedFiles, unused_files, usage

_PAGE, _MOST = 25, 100


class UnusedQuery(Struct):
    """Which files are listed: so many after the one with this id."""

    after: int | UnsetType = UNSET
    limit: int | UnsetType = UNSET


class HiddenPlaces(Struct):
    """In how many places a file is used that the caller may not see."""

    hidden: int


class FileUsage(Struct):
    """Where a file is used."""

    data: list[FreeObject]
    meta: HiddenPlaces


class LastFile(Struct):
    """The id of the last file that was looked at, ``null`` where there are no more."""

    after: int | None


class UnusedFilePage(Struct):
    """Files that nothing uses."""

    data: list[FreeObject]
    meta: LastFile


class MediaToolsApi:
    """``/admin/x/media``."""

    def __init__(self, reads: MediaReads, library: MediaLibrary, engine: WriteEngine) -> None:
        self._reads = reads
        self._rows = library.rows
        self._engine = engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, query = RouteGroup(MEDIA, "admin/x/media/"), UnusedQuery
        yield route("GET", "unused", READ, self.unused, query=query, response=UnusedFilePage)
        yield route("GET", ":id/usage", READ, self.usage, response=FileUsage)

    async def usage(self, request: Request) -> Response:
        """Tell where a file is used, and in how many places beside those that one may see."""
        file_id = id_of(request.parameters["id"])
        if file_id is None:
            raise NotFoundError(NO_SUCH_FILE)
        ability, store = request.administrator.ability, self._rows.store

        def read() -> Program[tuple[list[Shown], int]]:
            found = yield from usage(store, file_id)
            yield from FileRights(ability, READ).check(store, [file_id])
            return (yield from UsageLookup(self._engine, ability).told(found))

        told, hidden = await self._rows.database.read(read, snapshot=True, key="usage of a file")
        return respond(told, {"hidden": hidden})

    async def unused(self, request: Request) -> Response:
        """List files that nothing uses, those after the id that the answer before ended with."""
        after, most = number_in(request.query, "after"), number_in(request.query, "limit")
        limit = _PAGE if most is None else min(max(most, 1), _MOST)
        store = self._rows.store
        rights = FileRights(request.administrator.ability, READ)

        def read() -> Program[tuple[list[Shown], UnusedFiles]]:
            found = yield from unused_files(store, after=after or 0, most=limit)
            makers = yield from rights.makers(store)
            creators = yield from creators_of(store, found.ids)
            ids = [one for one in found.ids if makers is None or creators.get(one) in makers]
            told: list[Shown] = []
            for file_id in ids:
                shown = yield from self._reads.file(file_id)
                told.append(shown)
            return told, found

        told, found = await self._rows.database.read(read, snapshot=True, key="unused files")
        return respond(told, {"after": found.after})
