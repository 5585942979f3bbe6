"""The read and the response of an action of a project, instead of the core's.

The query is that of the content API: understood calls of the document service and of the query
engine are converted to it.
"""

from collections.abc import Mapping

from msgspec import Struct

from quire.customisations.evaluate_values import Evaluator, Query
from quire.customisations.query_changes import (
    QueryStep,
    apply_steps,
    defined_filters,
    without_undefined,
)
from quire.customisations.value_expressions import Value
from quire.javascript.scope import UNDEFINED
from quire.schema.model import Schema

_PARAMETERS = frozenset(
    {
        *("filters", "sort", "fields", "populate", "status", "locale", "start", "limit", "_q"),
        *("publicationFilter", "hasPublishedVersion"),
    }
)
"""Parameters of the document service; it ignores everything else."""
_DRAFT, _PUBLISHED = "draft", "published"


class EntryCount(Struct, frozen=True):
    """Stands for the number of entries of a list."""


ENTRY_COUNT = EntryCount()


class ResponseObject(Struct, frozen=True):
    """An object as the response: the entries under some names, and constants under others."""

    entries: tuple[str, ...]
    constants: Mapping[str, object]

    def around(self, entries: object, length: int) -> dict[str, object]:
        """Return the response for entries and their number."""
        return {**dict.fromkeys(self.entries, entries), **_insert_length(self.constants, length)}


def _insert_length(values: Mapping[str, object], length: int) -> dict[str, object]:
    return {
        name: length
        if value is ENTRY_COUNT
        else _insert_length(value, length)
        if isinstance(value, dict)
        else value
        for name, value in values.items()
    }


class DocumentRead(Struct, frozen=True, kw_only=True, eq=False):
    """One read of entries of a content type.

    ``is_list`` distinguishes a list from the first entry. The service of the core (``is_core``)
    reads published versions by default, and lists page by page, which ``shows_pages`` tells.
    ``of_any_version`` reads rows of every status and locale, as the query engine does. A
    ``sanitized`` read shows what the caller may read; otherwise everything stored is shown,
    including private attributes. Entries are plain unless they are ``enveloped`` or ``wrapped``.
    ``not_found_message`` is the message for a missing entry; ``validates`` says that the query of
    the request is checked as by the core. ``checks`` reject requests before anything is read.
    """

    uid: str
    query: Value
    is_list: bool
    of_any_version: bool = False
    is_core: bool = False
    shows_pages: bool = False
    sanitized: bool = False
    enveloped: bool = False
    wrapped: ResponseObject | None = None
    not_found_message: str | None = None
    validates: bool = False
    checks: tuple[QueryStep, ...] = ()

    def query_of(
        self, query: Mapping[str, object], path: Mapping[str, str], schema: Schema
    ) -> Query:
        """Return the query of the read for a request.

        Raises ValidationError where the code fails, and the errors that it responds with.
        """
        apply_steps(self.checks, query, path)
        result = Evaluator(dict(query), path).value(self.query)
        parameters = result if isinstance(result, dict) else {}
        if "filters" in parameters:
            model = schema.content_types[self.uid]
            filters = defined_filters(parameters["filters"], model, schema)
            parameters = {**parameters, "filters": filters}
        defined_parameters = without_undefined(parameters)
        if self.is_core:
            return defined_parameters
        query_parameters = {
            name: value for name, value in defined_parameters.items() if name in _PARAMETERS
        }
        if self.of_any_version:
            query_parameters["locale"] = "*"
        elif query_parameters.get("status", UNDEFINED) != _PUBLISHED:
            query_parameters["status"] = _DRAFT
        return query_parameters
