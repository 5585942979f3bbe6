"""The files of the media library, for reading."""

from collections.abc import Iterator
from typing import Any

from quire.api.envelope import respond, respond_bare
from quire.api.messages import Answer, Request
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.database.mappers import Item, members
from quire.errors import NotFoundError, UnimplementedError, ValidationError
from quire.schema.model import FILE_UID

NOT_FOUND = "file.notFound"
NO_FILES = "Files are empty"
NOT_WRITABLE = "Uploading and deleting files is not available yet"
_ACTION = "plugin::upload.content-api"
_MAX_ID = 2**53


class FileApi:
    """``/upload`` and ``/upload/files``."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._type = reader.schema.content_types[FILE_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        files = "upload/files"
        for method, path, action, handler in (
            ("GET", files, "find", self.find),
            ("GET", f"{files}/page", "findPage", self.find_page),
            ("GET", f"{files}/:id", "findOne", self.find_one),
            ("DELETE", f"{files}/:id", "destroy", self.destroy),
            ("POST", "upload", "upload", self.upload),
        ):
            yield Route(
                method=method,
                path=path,
                action=f"{_ACTION}.{action}",
                handler=handler,
                uid=FILE_UID,
            )

    async def find(self, request: Request) -> Answer:
        """List files; root ``start`` and ``limit`` cut the list, pages do not exist."""
        ability = request.principal.ability
        prepared = self._reader.prepare(self._type, "window", request.raw_query, ability)
        items, _ = await self._reader.rows(prepared, request.version)
        return respond_bare([_signed(item) for item in items])

    async def find_page(self, request: Request) -> Answer:
        """List files in pages."""
        ability = request.principal.ability
        prepared = self._reader.prepare(self._type, "list", request.raw_query, ability)
        items, total = await self._reader.rows(prepared, request.version)
        pagination = prepared.pagination
        meta = {} if pagination is None else {"pagination": pagination.meta(total)}
        return respond([_signed(item) for item in items], meta)

    async def find_one(self, request: Request) -> Answer:
        """Show a file; all of the query is checked, but only ``populate`` counts."""
        return respond_bare(_signed(await self._file(request)))

    async def _file(self, request: Request) -> Item:
        ability = request.principal.ability
        self._reader.prepare(self._type, "entry", request.raw_query, ability)
        prepared = self._reader.prepare(self._type, "populated", request.raw_query, ability)
        file_id = row_id(request.parameters["id"])
        item = None if file_id is None else await self._reader.row(prepared, file_id)
        if item is None:
            raise NotFoundError(NOT_FOUND)
        return item

    async def destroy(self, request: Request) -> Answer:
        """Answer for files that are not there; nothing can be deleted yet."""
        await self._file(request)
        raise UnimplementedError(NOT_WRITABLE)

    async def upload(self, request: Request) -> Answer:
        """Answer for uploads without files; nothing can be uploaded yet."""
        if not request.headers.get(b"content-type", b"").startswith(b"multipart/form-data"):
            raise ValidationError(NO_FILES)
        raise UnimplementedError(NOT_WRITABLE)


def row_id(text: str) -> int | None:
    """Read a row id of a path; ``None`` when it is none."""
    if not text.isascii() or not text.isdigit():
        return None
    number = int(text) if len(text) <= len(str(_MAX_ID)) else _MAX_ID
    return number if number < _MAX_ID else None


def _signed(item: Item) -> dict[str, Any]:
    """Say, as the format does, that addresses of files are not signed."""
    return {**members(item), "isUrlSigned": False}
