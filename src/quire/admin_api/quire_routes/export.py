"""``POST /admin/x/export/:uid``: exports entries as JSON or CSV.

Pages of the list are read with all fields that the caller may read.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.content_manager.review_filter import ReviewFilter, ReviewQuery
from quire.admin_api.content_manager.write_routes import document_ids
from quire.admin_api.response_types import (
    EXTRAS,
    DocumentIdList,
    ListQuery,
    LocaleQuery,
    ManagedEntry,
    ResultList,
    StatusQuery,
)
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import envelope, respond_encoded
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import Range
from quire.content_manager.csv_export import columns_of, lines_of
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.read_plans import MAX_ROWS
from quire.content_manager.revisions import RevisionHistory
from quire.content_manager.status_and_locale import (
    Query,
    RequestedVersion,
    requested_version,
    split_status,
)
from quire.database.execute.json_encoding import encode
from quire.database.interface import Database
from quire.database.program import Program
from quire.query.python_parameters import as_query
from quire.query.querystring import QueryValue

_QUERY_PARAMETERS = (
    "filters",
    "publicationFilter",
    "publicationStatusFilter",
    "missingLocale",
    "_q",
    "sort",
    "page",
    "pageSize",
)


def export_page(
    reading: EntryReader,
    permissions: TypePermissions,
    query: Query,
    requested_version: RequestedVersion,
    document_ids: Sequence[str] | None,
) -> Program[tuple[list[EntryJson], dict[str, int]]]:
    """Return entries in the order of the list, relations as rows, and the page number.

    The query is that of lists; ``document_ids`` restrict it. Raises the first error of the query.
    """
    row_query: dict[str, QueryValue] = {
        name: query[name] for name in _QUERY_PARAMETERS if name in query
    }
    if document_ids is not None:
        id_filter = as_query({"documentId": {"$in": [*document_ids]}})
        row_query["filters"] = {
            "$and": [part for part in (id_filter, row_query.get("filters")) if part]
        }
    list_query: Query = {"pageSize": str(MAX_ROWS), **row_query, "columns": ["id"]}
    list_query, status = split_status(list_query, permissions.content_type)
    planned_page = reading.planner.page(permissions, list_query, requested_version, status)
    rows, total = yield from planned_page.entries()
    entries: list[EntryJson] = []
    if rows:
        ids = [row["id"] for row in rows]
        planned_forms = reading.planner.forms(permissions, requested_version, ids, rows=None)
        entries, _ = yield from planned_forms.entries(budget=reading.budget())
    sanitizer = reading.sanitizer(permissions, requested_version)
    by_id = {entry["id"]: sanitizer.entry(entry) for entry in entries}
    page = {} if planned_page.pagination is None else planned_page.pagination.meta(total)
    return [by_id[row["id"]] for row in rows], page


_CSV = b"text/csv; charset=utf-8"


class ExportOptions(RequestBody):
    """The format of an export, and its documents; without them the whole list."""

    format: Literal["json", "csv"] = "json"
    document_ids: Annotated[DocumentIdList, Range(1)] | UnsetType = UNSET


class ExportApi:
    """Exports entries page by page."""

    def __init__(self, database: Database, reading: EntryReader, history: RevisionHistory) -> None:
        self._database = database
        self._reading = reading
        self._review = ReviewFilter(database, reading.engine, history)

    def routes(self) -> Iterator[Route]:
        """Yield the route. A POST, since exports are recorded in the audit log."""
        yield RouteGroup(EXTRAS)(
            "POST",
            "admin/x/export/:uid",
            SIGNED_IN,
            self.export,
            body=ExportOptions,
            query=(ListQuery, ReviewQuery, LocaleQuery, StatusQuery),
            response=ResultList[ManagedEntry],
        )

    async def export(self, request: Request) -> Response:
        """Export the entries of a list, with all readable fields."""
        engine = self._reading.engine
        permissions = permissions_of(engine.schema, request)
        options = read_body(request.body or {}, ExportOptions)
        version_query, _ = split_status(request.query, permissions.content_type)
        version = requested_version(version_query, permissions.content_type, engine.default_locale)
        selected_ids = None
        if options.document_ids is not UNSET:
            selected_ids = document_ids({"documentIds": options.document_ids})
        query: Query = {**request.query, "filters": await self._review.of(request, permissions)}
        is_table = options.format == "csv"

        def body() -> Program[bytes]:
            entries, page = yield from export_page(
                self._reading, permissions, query, version, selected_ids
            )
            if not is_table:
                return encode(envelope(entries, {"pagination": page}))
            columns = columns_of(permissions, version.locales)
            return lines_of(permissions, columns, entries, with_header=page.get("page") == 1)

        content = await self._database.read(body, snapshot=True)
        if not is_table:
            return respond_encoded(content)
        name = permissions.content_type.plural_name.encode()
        attachment = b'attachment; filename="' + name + b'.csv"'
        return Response(200, content, _CSV, ((b"content-disposition", attachment),))
