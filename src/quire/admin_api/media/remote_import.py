"""Imports files from URLs: one, or several with a result for each."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec
from msgspec import UNSET, Struct, UnsetType

from quire.access.declared_routes import MediaType
from quire.admin_api.media.reads import MediaJson, MediaReads
from quire.admin_api.media.request_bodies import MediaFile
from quire.admin_api.response_types import CREATED, MEDIA, FreeObject
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import id_of
from quire.errors import AppError, ApplicationError
from quire.settings import UploadSettings
from quire.uploads.file_info import NO_FILE_INFO, FileInfo, information_of_one
from quire.uploads.permissions import CREATE, FilePermissions
from quire.uploads.service import MediaLibrary

NO_ADDRESSES = "URLs are required"
TOO_MANY = "Maximum 20 URLs allowed per request"
_MAX_URLS, _MAX_PARALLEL_DOWNLOADS = 20, 4
_EVENTS = b"text/event-stream; charset=utf-8"
_EventStream = Annotated[str, MediaType("text/event-stream")]


class ImportedFile(RequestBody):
    """The URL of a file, and its metadata."""

    url: str
    file_info: FreeObject | UnsetType = UNSET


class ImportedFiles(RequestBody, forbid_unknown_fields=False):
    """The URLs of files, and their target folder."""

    urls: list[str]
    folder_id: int | UnsetType | None = UNSET


class _ImportResult(Struct, frozen=True, kw_only=True):
    """The result of a URL: a file, or an error message."""

    file: MediaJson | None = None
    problem: str = ""


class ImportApi:
    """``/admin/x/media/import`` and ``/upload/actions/upload-from-urls``."""

    def __init__(self, reads: MediaReads, library: MediaLibrary, uploads: UploadSettings) -> None:
        self._reads = reads
        self._library = library
        self._size_limit = uploads.size_limit
        self._semaphore = asyncio.Semaphore(_MAX_PARALLEL_DOWNLOADS)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(MEDIA)
        yield route(
            "POST",
            "admin/x/media/import",
            CREATE,
            self.import_one,
            body=ImportedFile,
            response=MediaFile,
            status=CREATED,
        )
        path, body = "upload/actions/upload-from-urls", ImportedFiles
        yield route("POST", path, SIGNED_IN, self.import_many, body=body, response=_EventStream)

    async def import_one(self, request: Request) -> Response:
        """Import a file."""
        payload = read_body(request.body, ImportedFile)
        file_info = payload.file_info
        information = (
            NO_FILE_INFO if file_info is UNSET else information_of_one(file_info, folders=True)
        )
        file = await self._import(payload.url, information, request.administrator.id)
        return respond_bare(file, CREATED)

    async def import_many(self, request: Request) -> Response:
        """Import files, and report each result in the events of Strapi."""
        FilePermissions(request.administrator.ability, CREATE).require()
        body = request.body_fields
        urls = body.get("urls")
        if not isinstance(urls, list) or not urls or not all(isinstance(url, str) for url in urls):
            raise ApplicationError(NO_ADDRESSES)
        if len(urls) > _MAX_URLS:
            raise ApplicationError(TOO_MANY)
        folder = id_of(body.get("folderId"))
        file_info = NO_FILE_INFO if folder is None else FileInfo({}, folder)
        editor = request.administrator.id
        results = await asyncio.gather(*(self._import_one(url, file_info, editor) for url in urls))
        return Response(200, b"".join(_events(urls, results)), _EVENTS)

    async def _import_one(self, url: str, file_info: FileInfo, editor: int) -> _ImportResult:
        try:
            return _ImportResult(file=await self._import(url, file_info, editor))
        except AppError as error:
            return _ImportResult(problem=error.message)

    async def _import(self, url: str, file_info: FileInfo, editor: int) -> MediaJson:
        # The HTTP client is slow to import, and most servers never need it.
        from quire.uploads.remote_import import import_file  # noqa: PLC0415

        async with self._semaphore, self._library.image_workers.bench() as bench:
            incoming_file = await import_file(url, bench, size_limit=self._size_limit)
            (file,) = await self._library.add(
                [incoming_file],
                lambda _: [file_info],
                read=self._reads.after_write,
                into_api_folder=False,
                by=editor,
            )
            return file


def _events(urls: list[str], results: list[_ImportResult]) -> Iterator[bytes]:
    files, problems = [], []
    for index, (url, outcome) in enumerate(zip(urls, results, strict=True)):
        yield _event("file:fetching", {"url": url, "index": index, "total": len(urls)})
        if outcome.file is None:
            problems.append({"name": url, "message": outcome.problem})
            yield _event("file:error", {"url": url, "index": index, "message": outcome.problem})
        else:
            files.append(outcome.file)
            name = outcome.file["name"]
            yield _event("file:complete", {"name": name, "index": index, "file": outcome.file})
    yield _event("stream:complete", {"data": files, "errors": problems})


def _event(name: str, data: Mapping[str, object]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(data))
