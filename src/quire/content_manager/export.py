"""Exports pages of lists, with all fields that the caller may read."""

from collections.abc import Sequence

from quire.content_manager.permissions import TypePermissions
from quire.content_manager.read_plans import MOST_ROWS
from quire.content_manager.read_service import ContentReading
from quire.content_manager.requests import Query, RequestedVersion
from quire.content_manager.status import Shown
from quire.database.program import Program
from quire.query.parameters import as_query
from quire.query.querystring import QueryValue

_ASKED = ("filters", "publicationFilter", "missingLocale", "_q", "sort", "page", "pageSize")


def export_page(
    reading: ContentReading,
    rights: TypePermissions,
    query: Query,
    wanted: RequestedVersion,
    document_ids: Sequence[str] | None,
) -> Program[tuple[list[Shown], dict[str, int]]]:
    """Return entries in the order of the list, relations as rows, and the page number.

    The query is that of lists; ``document_ids`` restrict it. Raises the first error of the query.
    """
    asked: dict[str, QueryValue] = {name: query[name] for name in _ASKED if name in query}
    if document_ids is not None:
        chosen = as_query({"documentId": {"$in": [*document_ids]}})
        asked["filters"] = {"$and": [part for part in (chosen, asked.get("filters")) if part]}
    listed: Query = {"pageSize": str(MOST_ROWS), **asked, "columns": ["id"]}
    planned = reading.planner.page(rights, listed, wanted)
    found, total = yield from planned.entries()
    entries: list[Shown] = []
    if found:
        ids = [row["id"] for row in found]
        planned_forms = reading.planner.forms(rights, wanted, ids, rows=None)
        entries, _ = yield from planned_forms.entries(budget=reading.budget())
    shaping = reading.shaping(rights, wanted)
    by_id = {entry["id"]: shaping.entry(entry) for entry in entries}
    page = {} if planned.pagination is None else planned.pagination.meta(total)
    return [by_id[row["id"]] for row in found], page
