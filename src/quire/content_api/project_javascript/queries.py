"""Parameters of the reads and writes of code, in the form of the content API."""

from collections.abc import Mapping

from quire.customisations.reads.calls import row_query
from quire.customisations.statements import NotUnderstoodError
from quire.javascript.interpreter.values import DateValue, UnsupportedError, text_of
from quire.javascript.scope import UNDEFINED
from quire.query.python_parameters import as_query
from quire.query.querystring import QueryValue

Query = dict[str, object]

_PARAMETERS = frozenset(
    {"filters", "sort", "fields", "populate", "status", "locale", "start", "limit", "_q"}
)
"""Parameters of the document service; it ignores everything else."""
_NULLS = {"$eq": "$null", "$eqi": "$null", "$ne": "$notNull", "$nei": "$notNull"}
_IDS = ("id", "documentId")
_LONGEST_LIST = 100
"""A longer list is parsed as an object."""
_DRAFT, _PUBLISHED = "draft", "published"


def parameters_of(value: object) -> dict[str, object]:
    """Return parameters without undefined ones. Raises UnsupportedError for other values."""
    if value is UNDEFINED:
        return {}
    if not isinstance(value, dict):
        raise UnsupportedError("parameters that are no object")
    return {name: inner for name, inner in value.items() if inner is not UNDEFINED}


def document_query(parameters: Mapping[str, object]) -> Query:
    """Return the query of a read by the document service: drafts by default."""
    if "hasPublishedVersion" in parameters or "publicationFilter" in parameters:
        raise UnsupportedError("reads by what is published")
    query = content_query(
        {name: value for name, value in parameters.items() if name in _PARAMETERS}
    )
    if query.get("status") != _PUBLISHED:
        query["status"] = _DRAFT
    return query


def rows_query(parameters: Mapping[str, object]) -> Query:
    """Return the query of a read by the query engine: rows of every status and locale.

    The content API always shows ids; `remove_unselected_ids` removes those that are not selected.
    """
    try:
        query = row_query(_with_ids(parameters))
    except NotUnderstoodError as error:
        raise UnsupportedError(str(error)) from None
    return {**content_query(query), "locale": "*"}


def _with_ids(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return parameters of the query engine that select the ids, also of populated entries."""
    result = dict(parameters)
    select, populate = result.get("select"), result.get("populate")
    if isinstance(select, list):
        result["select"] = [*_IDS, *(name for name in select if name not in _IDS)]
    if isinstance(populate, dict):
        result["populate"] = {
            name: _with_ids(options) if isinstance(options, dict) else options
            for name, options in populate.items()
        }
    return result


def remove_unselected_ids(value: object, parameters: Mapping[str, object]) -> None:
    """Remove the ids from entries of which ``parameters`` of the query engine select others.

    As in Strapi, entries with populated ones keep their ``id``.
    """
    if isinstance(value, list):
        for item in value:
            remove_unselected_ids(item, parameters)
    if not isinstance(value, dict):
        return
    select, populate = parameters.get("select"), parameters.get("populate")
    if isinstance(populate, dict):
        for name, options in populate.items():
            if isinstance(options, dict):
                remove_unselected_ids(value.get(name), options)
    if isinstance(select, list):
        kept_ids = {"id"} if populate else set()
        for name in _IDS:
            if name not in select and name not in kept_ids:
                value.pop(name, None)


def content_query(parameters: Mapping[str, object]) -> Query:
    """Return parameters in the form of the content API. Raises UnsupportedError."""
    return {
        name: _condition(value) if name == "filters" else as_query_value(value)
        for name, value in parameters.items()
        if value is not UNDEFINED and not (name == "populate" and value in ({}, []))
    }


def content_parameters(query: Mapping[str, object]) -> dict[str, QueryValue]:
    """Return a query in parsed form."""
    return {name: as_query(value) for name, value in query.items()}


def of_document(query: Query, document_id: object) -> Query:
    """Return a query restricted to a document. Raises UnsupportedError for other ids."""
    if not isinstance(document_id, str) or not document_id:
        raise UnsupportedError("reads a document without an id")
    condition: Query = {"documentId": document_id}
    filters = query.get("filters")
    return {**query, "filters": condition if filters is None else {"$and": [condition, filters]}}


def as_query_value(value: object) -> object:
    """Return a value in the form of a query. Raises UnsupportedError for other values."""
    match value:
        case dict():
            return {name: as_query_value(inner) for name, inner in value.items()}
        case list():
            return [as_query_value(item) for item in value]
        case DateValue():
            return value.text()
        case str() | bool() | int() | float():
            return value
        case _:
            raise UnsupportedError("a query of something that is not known")


def sent_again(value: object) -> object:
    """Return an assigned query after serializing and parsing it.

    Empty and undefined values are lost. Raises UnsupportedError.
    """
    match value:
        case dict():
            members = {name: sent_again(inner) for name, inner in value.items()}
            result = {name: inner for name, inner in members.items() if inner is not UNDEFINED}
            return result or UNDEFINED
        case list():
            items = [sent_again(item) for item in value]
            if len(items) > _LONGEST_LIST or UNDEFINED in items:
                raise UnsupportedError("a query with a list that is not known")
            return items or UNDEFINED
        case DateValue():
            return value.text()
        case str() | bool() | int() | float():
            return text_of(value)
        case _ if value is UNDEFINED:
            return UNDEFINED
        case _:
            raise UnsupportedError("a query of something that is not known")


def _condition(value: object) -> object:
    """Return a filter: comparisons with null are made explicit."""
    if isinstance(value, list):
        return [_condition(item) for item in value]
    if not isinstance(value, dict):
        return as_query_value(value)
    condition: dict[str, object] = {}
    for name, inner in value.items():
        if inner is not None:
            condition[name] = _condition(inner)
        elif name in _NULLS:
            condition[_NULLS[name]] = True
        elif name.startswith("$"):
            raise UnsupportedError("compares with null")
        else:
            condition[name] = {"$null": True}
    return condition
