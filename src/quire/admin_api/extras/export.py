"""``POST /admin/x/export/:uid``: exports entries as JSON or CSV."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from quire.admin_api.content_manager.changes import document_ids
from quire.admin_api.content_manager.types import rights_of
from quire.admin_api.response_types import (
    EXTRAS,
    DocumentIdList,
    Listed,
    ListQuery,
    LocaleQuery,
    ManagedEntry,
    StatusQuery,
)
from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import envelope, respond_encoded
from quire.content_api.messages import Request, Response
from quire.content_api.request_bodies import RequestBody, read_body
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import Range
from quire.content_manager.export import export_page
from quire.content_manager.read_service import ContentReading
from quire.content_manager.requests import requested_version
from quire.content_manager.spreadsheet import columns_of, lines_of
from quire.database.connection import Database
from quire.database.execute.encoding import encode
from quire.database.program import Program

_CSV = b"text/csv; charset=utf-8"


class ExportOptions(RequestBody):
    """The format of an export, and the documents that it has; without them all of the list."""

    format: Literal["json", "csv"] = "json"
    document_ids: Annotated[DocumentIdList, Range(1)] | UnsetType = UNSET


class ExportApi:
    """Exports entries page by page."""

    def __init__(self, database: Database, reading: ContentReading) -> None:
        self._database = database
        self._reading = reading

    def routes(self) -> Iterator[Route]:
        """Yield the route. A POST, since exports are noted in the audit log."""
        yield RouteGroup(EXTRAS)(
            "POST",
            "admin/x/export/:uid",
            SIGNED_IN,
            self.export,
            body=ExportOptions,
            query=(ListQuery, LocaleQuery, StatusQuery),
            response=Listed[ManagedEntry],
        )

    async def export(self, request: Request) -> Response:
        """Export the entries that a list shows, with all of each that may be read."""
        engine = self._reading.engine
        rights = rights_of(engine.schema, request)
        options = read_body(request.body or {}, ExportOptions)
        version = requested_version(request.query, rights.content_type, engine.default_locale)
        chosen = None
        if options.document_ids is not UNSET:
            chosen = document_ids({"documentIds": options.document_ids})
        is_table = options.format == "csv"

        def body() -> Program[bytes]:
            entries, page = yield from export_page(
                self._reading, rights, request.query, version, chosen
            )
            if not is_table:
                return encode(envelope(entries, {"pagination": page}))
            columns = columns_of(rights, version.locales)
            return lines_of(rights, columns, entries, named=page.get("page") == 1)

        found = await self._database.read(body, snapshot=True)
        if not is_table:
            return respond_encoded(found)
        name = rights.content_type.plural_name.encode()
        attachment = b'attachment; filename="' + name + b'.csv"'
        return Response(200, found, _CSV, ((b"content-disposition", attachment),))
