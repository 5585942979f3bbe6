"""The data APIs that Strapi offers to JavaScript code, for the code of a project.

These are ``strapi.documents``, ``strapi.entityService``, ``strapi.db.query`` and the core services.
As in Strapi, code needs no permissions; row rules of the caller apply. A call that cannot be
translated to a command or a read exactly raises UnsupportedError: a wrong result would be worse.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from quire.content_api.project_javascript.data_access import DataReads
from quire.content_api.project_javascript.output import with_secrets
from quire.content_api.project_javascript.queries import (
    Query,
    as_query_value,
    content_parameters,
    content_query,
    document_query,
    of_document,
    parameters_of,
    remove_unselected_ids,
    rows_query,
)
from quire.customisations.evaluated_code.model import has_single_rows
from quire.customisations.query_changes import has_undefined
from quire.document_service.commands import (
    CreateDocument,
    DeleteDocument,
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
    UpdateDocument,
)
from quire.document_service.service import run_and_read, run_command
from quire.errors import AppError, NotFoundError
from quire.javascript.interpreter.values import (
    SECRET,
    ErrorValue,
    HostFunction,
    HostObject,
    ThrownError,
    UnsupportedError,
    as_json,
    is_nullish,
)
from quire.javascript.scope import UNDEFINED
from quire.schema.model import PUBLISHED_STATUS, ContentType, TypeKind

if TYPE_CHECKING:
    from quire.database.execute.prepared_read import EncodedEntry
    from quire.database.execute.row_mappers import Item
    from quire.database.program import Program
    from quire.document_service.unit_of_work import UnitOfWork

_CLIENT_ERRORS = range(400, 500)
_SYSTEM_ATTRIBUTES = ("id", "documentId", "createdAt", "updatedAt", "createdBy", "updatedBy")
CallArguments = list[object]


class DataAccess(DataReads):
    """Reads and writes for one request."""

    # What code calls

    def documents(self, uid: object) -> HostObject:
        """Return ``strapi.documents(uid)``."""
        content_type = self._type(uid)
        return _object(
            {
                "findMany": lambda arguments: self._find_window(
                    content_type, _first_argument(arguments)
                ),
                "findFirst": lambda arguments: self._find_first(
                    content_type, _first_argument(arguments)
                ),
                "findOne": lambda arguments: self._find_document(
                    content_type, _first_argument(arguments)
                ),
                "count": lambda arguments: self._count(content_type, _first_argument(arguments)),
                "create": lambda arguments: self._create(content_type, _first_argument(arguments)),
                "update": lambda arguments: self._update(content_type, _first_argument(arguments)),
                "delete": lambda arguments: self._delete(content_type, _first_argument(arguments)),
                "publish": lambda arguments: self._publish(
                    content_type, PublishDocument, _first_argument(arguments)
                ),
                "unpublish": lambda arguments: self._publish(
                    content_type, UnpublishDocument, _first_argument(arguments)
                ),
                "discardDraft": lambda arguments: self._publish(
                    content_type, DiscardDraft, _first_argument(arguments)
                ),
            }
        )

    def rows(self, uid: object) -> HostObject:
        """Return ``strapi.db.query(uid)``."""
        content_type = self._type(uid)

        async def count(arguments: CallArguments) -> object:
            parameters = self._parameters(content_type, _first_argument(arguments))
            query = rows_query({**parameters, "select": ["id", "documentId"]})
            return len(await self._find_entries(content_type, "rows", query))

        async def find_many(arguments: CallArguments) -> object:
            parameters = self._parameters(content_type, _first_argument(arguments))
            entries = await self._find_entries(content_type, "rows", rows_query(parameters))
            remove_unselected_ids(entries, parameters)
            return entries

        async def find_one(arguments: CallArguments) -> object:
            parameters = self._parameters(content_type, _first_argument(arguments))
            entry = await self._find_entry(content_type, "first row", rows_query(parameters))
            remove_unselected_ids(entry, parameters)
            return entry

        return _object(
            {
                "findMany": find_many,
                "findOne": find_one,
                "count": count,
                "delete": lambda arguments: self._delete_row(
                    content_type, _first_argument(arguments)
                ),
                "deleteMany": lambda arguments: self._delete_rows(
                    content_type, _first_argument(arguments)
                ),
            }
        )

    def entities(self) -> HostObject:
        """Return ``strapi.entityService``."""
        return _object(
            {
                "findMany": self._entities,
                "findOne": self._entity,
                "count": lambda arguments: self._count(
                    self._type(_first_argument(arguments)), _second_argument(arguments)
                ),
                "findPage": self._entity_page,
                "create": self._create_entity,
                "update": self._update_entity,
                "delete": self._delete_entity,
            }
        )

    def service(self, uid: str) -> Mapping[str, HostFunction]:
        """Return the methods of the core's service of a type."""
        content_type = self._type(uid)
        is_single = content_type.kind is TypeKind.SINGLE

        async def find(arguments: CallArguments) -> object:
            if is_single:
                raise UnsupportedError("finds a single type")
            query = content_query(self._parameters(content_type, _first_argument(arguments)))
            prepared = await self._prepare_read(content_type, "list", query)
            items, total = await self.session.page(prepared)
            if prepared.pagination is None:
                raise UnsupportedError("a list without pages")
            entries = [self._encode_entry(content_type, item, query) for item in items]
            return {"results": entries, "pagination": prepared.pagination.meta(total)}

        async def find_one(arguments: CallArguments) -> object:
            query = content_query(self._parameters(content_type, _second_argument(arguments)))
            return await self._find_entry(
                content_type, "first", of_document(query, _first_argument(arguments))
            )

        return _functions({"find": find, "findOne": find_one})

    # The entity service

    async def _entities(self, arguments: CallArguments) -> object:
        content_type = self._type(_first_argument(arguments))
        if content_type.kind is TypeKind.SINGLE:
            return await self._find_first(content_type, _second_argument(arguments))
        return await self._find_window(content_type, _second_argument(arguments))

    async def _entity_page(self, arguments: CallArguments) -> object:
        """Return a page of rows of every status and locale."""
        content_type = self._type(_first_argument(arguments))
        parameters = self._parameters(content_type, _second_argument(arguments))
        page = _page_integer(parameters.pop("page", 1))
        size = _page_integer(parameters.pop("pageSize", 10))
        if not {"filters", "sort", "fields", "populate", "pagination"}.issuperset(parameters):
            raise UnsupportedError("a page of something that is not known")
        parameters.pop("pagination", None)
        query: Query = {**content_query(parameters), "locale": "*"}
        window: Query = {**query, "start": (page - 1) * size, "limit": size}
        entries = await self._find_entries(content_type, "rows", window)
        filters: Query = {name: query[name] for name in ("filters", "locale") if name in query}
        rows = await self._find_entries(content_type, "rows", {**filters, "fields": ["id"]})
        pagination = {"page": page, "pageSize": size, "pageCount": -(-len(rows) // size)}
        return {"results": entries, "pagination": {**pagination, "total": len(rows)}}

    async def _row(self, content_type: ContentType, row_id: object) -> object:
        is_id = (isinstance(row_id, int) and not isinstance(row_id, bool)) or (
            isinstance(row_id, str) and row_id.isdigit()
        )
        dialect = self._reader.database.dialect
        if not is_id and _is_never_number(row_id) and dialect.compares_texts_with_numbers:
            return None
        if not is_id:
            raise UnsupportedError("an entry by something else than its number")
        query: Query = {"filters": {"id": row_id}, "locale": "*"}
        return await self._find_entry(content_type, "first row", query)

    async def _entity(self, arguments: CallArguments) -> object:
        content_type = self._type(_first_argument(arguments))
        row = await self._row(content_type, _second_argument(arguments))
        if not isinstance(row, dict):
            return None
        parameters = self._parameters(
            content_type, arguments[2] if len(arguments) > 2 else UNDEFINED
        )
        query = of_document(document_query(parameters), row["documentId"])
        return await self._find_entry(content_type, "first", query)

    async def _create_entity(self, arguments: CallArguments) -> object:
        parameters = parameters_of(_second_argument(arguments))
        data = parameters.get("data")
        if not isinstance(data, dict):
            raise ThrownError(ErrorValue("Error", "cannot create"))
        is_draft = "publishedAt" in data and data["publishedAt"] is None
        status = "draft" if is_draft else "published"
        return await self._create(
            self._type(_first_argument(arguments)), {**parameters, "status": status}
        )

    async def _update_entity(self, arguments: CallArguments) -> object:
        content_type = self._type(_first_argument(arguments))
        row = await self._row(content_type, _second_argument(arguments))
        if not isinstance(row, dict):
            return None
        parameters = parameters_of(arguments[2] if len(arguments) > 2 else UNDEFINED)
        is_draft = content_type.draft_and_publish and row.get("publishedAt") is None
        version_parameters = {
            "documentId": row["documentId"],
            "status": "draft" if is_draft else "published",
        }
        return await self._update(content_type, {**parameters, **version_parameters})

    async def _delete_entity(self, arguments: CallArguments) -> object:
        content_type = self._type(_first_argument(arguments))
        row = await self._row(content_type, _second_argument(arguments))
        if not isinstance(row, dict):
            return None
        await self._delete(content_type, {"documentId": row["documentId"]})
        return row

    # Writing

    async def _create(self, content_type: ContentType, value: object) -> object:
        parameters = parameters_of(value)
        command = CreateDocument(
            uid=content_type.uid,
            data=self._data(content_type, parameters.get("data")),
            locale=_locale(parameters),
            publish=parameters.get("status") == PUBLISHED_STATUS,
        )
        return await self._write(content_type, command, parameters)

    async def _update(self, content_type: ContentType, value: object) -> object:
        parameters = parameters_of(value)
        document_id = parameters.get("documentId")
        if not isinstance(document_id, str) or not document_id:
            raise UnsupportedError("changes a document without an id")
        command = UpdateDocument(
            uid=content_type.uid,
            document_id=document_id,
            data=self._data(content_type, parameters.get("data")),
            locale=_locale(parameters),
            publish=parameters.get("status") == PUBLISHED_STATUS,
        )
        try:
            return await self._write(content_type, command, parameters)
        except NotFoundError:
            return None

    async def _delete(self, content_type: ContentType, value: object) -> object:
        parameters = parameters_of(value)
        document_id = _document_id(parameters, "deletes by something else than an id")
        self._require_writable(content_type)
        locale = _locale(parameters)
        command = DeleteDocument(uid=content_type.uid, document_id=document_id, locale=locale)
        query = _rows_query(document_id, {"locale": locale} if locale else {}, parameters)
        if not self._shows_drafts(content_type):
            written_entries = await self.session.write(lambda unit: run_command(unit, command))
            return {"documentId": document_id, "entries": SECRET if written_entries else []}
        prepared = await self._prepare_read(content_type, "rows", query)

        def act(unit: UnitOfWork) -> Program[list[Item]]:
            items, _ = yield from prepared.rows()
            written_entries = yield from run_command(unit, command)
            return items if written_entries else []

        items = await self.session.write(act)
        entries = [self._encode_entry(content_type, item, query) for item in items]
        return {"documentId": document_id, "entries": entries}

    async def _publish(
        self,
        content_type: ContentType,
        command_type: type[PublishDocument | UnpublishDocument | DiscardDraft],
        value: object,
    ) -> object:
        """Publish or unpublish a document, or discard its draft; returns the entries."""
        parameters = parameters_of(value)
        document_id = _document_id(parameters, "publishes by something else than an id")
        if not content_type.draft_and_publish:
            raise ThrownError(ErrorValue("TypeError", "is not a function"))
        self._require_writable(content_type)
        locale = _locale(parameters)
        command = command_type(uid=content_type.uid, document_id=document_id, locale=locale)
        query = _rows_query(document_id, {"locale": locale} if locale else {}, parameters)
        query["filters"] = {
            "documentId": document_id,
            "publishedAt": {"$null" if command_type is DiscardDraft else "$notNull": True},
        }
        prepared = await self._prepare_read(content_type, "rows", query)

        def act(unit: UnitOfWork) -> Program[list[Item]]:
            items, _ = yield from prepared.rows()
            yield from run_command(unit, command)
            if command_type is UnpublishDocument:
                return items
            return (yield from prepared.rows())[0]

        try:
            items = await self.session.write(act)
        except NotFoundError:
            items = []
        entries = [self._encode_entry(content_type, item, query) for item in items]
        return {"documentId": document_id, "entries": entries}

    # Rows of types whose documents have one row each

    async def _delete_row(self, content_type: ContentType, value: object) -> object:
        """Delete the first matching row; returns it."""
        parameters = parameters_of(value)
        query: Query = {
            name: parameters[name] for name in ("where", "populate") if name in parameters
        }
        requested_columns = parameters.get("select")
        columns = requested_columns if isinstance(requested_columns, list) else [requested_columns]
        if requested_columns is not None:
            query["select"] = [*columns, "id", "documentId"]
        rows = await self._delete_matching(content_type, {**query, "limit": 1})
        if not rows:
            return None
        if requested_columns is not None and "documentId" not in columns:
            del rows[0]["documentId"]
        return rows[0]

    async def _delete_rows(self, content_type: ContentType, value: object) -> object:
        """Delete all matching rows; returns how many."""
        parameters = parameters_of(value)
        if "filters" in parameters or "_q" in parameters:
            raise UnsupportedError("deletes rows by something else than where")
        query = {"where": parameters.get("where", UNDEFINED), "select": ["id", "documentId"]}
        return {"count": len(await self._delete_matching(content_type, query))}

    async def _delete_matching(
        self, content_type: ContentType, parameters: Query
    ) -> list[dict[str, object]]:
        """Delete the documents of all matching rows; returns the rows.

        An undefined condition would match all of them, and is rejected.
        """
        self._require_writable(content_type)
        condition = parameters.get("where")
        if not has_single_rows(content_type):
            raise UnsupportedError("deletes rows of documents that have several")
        if condition in ({}, None, UNDEFINED) and "limit" in parameters:
            raise ThrownError(ErrorValue("Error", "Delete requires a where parameter"))
        if not isinstance(condition, dict) or not condition or has_undefined(condition):
            raise UnsupportedError("deletes rows without a condition")
        query = rows_query({**parameters, "where": condition})
        prepared = await self._prepare_read(content_type, "rows", query)

        def act(unit: UnitOfWork) -> Program[list[dict[str, object]]]:
            items, _ = yield from prepared.rows()
            rows: list[dict[str, object]] = []
            for item in items:
                row = self._encode_entry(content_type, item, query)
                document_id = row.get("documentId") if isinstance(row, dict) else None
                if not isinstance(row, dict) or not isinstance(document_id, str):
                    raise UnsupportedError("a row without a document")
                command = DeleteDocument(uid=content_type.uid, document_id=document_id)
                yield from run_command(unit, command)
                rows.append(row)
            return rows

        return await self.session.write(act)

    def _require_writable(self, content_type: ContentType) -> None:
        if not content_type.is_api:
            raise UnsupportedError("writes something else than content of the project")

    def _data(self, content_type: ContentType, data: object) -> dict[str, object]:
        """Return the attributes in data; other keys are ignored, as in Strapi."""
        self._require_writable(content_type)
        values = {} if is_nullish(data) else as_json(data)
        if not isinstance(values, dict):
            raise UnsupportedError("writes data that are no object")
        if any(name in values for name in _SYSTEM_ATTRIBUTES):
            raise UnsupportedError("writes what the server sets")
        attributes = {**content_type.attributes}
        return {
            name: value
            for name, value in values.items()
            if name in attributes and name not in {"publishedAt", "locale", "localizations"}
        }

    async def _write(
        self, content_type: ContentType, command: CreateDocument | UpdateDocument, parameters: Query
    ) -> object:
        """Write a document in its own transaction; returns the entry."""
        reader = self._reader
        query: Query = {
            name: as_query_value(parameters[name])
            for name in ("populate", "fields")
            if name in parameters
        }
        if content_type.draft_and_publish and not command.publish:
            query["status"] = "draft"
        prepared = await reader.prepare(
            content_type, "written", content_parameters(query), self._ability()
        )

        def act(unit: UnitOfWork) -> Program[EncodedEntry | None]:
            return run_and_read(
                unit, command, lambda written: prepared.encoded_row(written[0].entry_id)
            )

        entry = await self.session.write(act, [command])
        if entry is None:
            raise UnsupportedError("an entry that was just written is not there")
        document = msgspec.json.decode(entry.text)
        return with_secrets(document, content_type, reader.schema, query)


def _document_id(parameters: Mapping[str, object], refusal: str) -> str:
    """Return the id of the document to change. Raises UnsupportedError for other parameters."""
    document_id = parameters.get("documentId")
    supported_names = {"documentId", "locale", "populate", "fields"}
    if (
        not isinstance(document_id, str)
        or not document_id
        or not supported_names.issuperset(parameters)
    ):
        raise UnsupportedError(refusal)
    return document_id


def _rows_query(document_id: str, locale_query: Query, parameters: Query) -> Query:
    """Return the query of the rows of a document, with the shown fields."""
    selection: Query = {
        name: as_query_value(parameters[name])
        for name in ("populate", "fields")
        if name in parameters
    }
    return {"filters": {"documentId": document_id}, "sort": ["id"], **locale_query, **selection}


def _locale(parameters: Mapping[str, object]) -> str | None:
    locale = parameters.get("locale")
    if locale is None:
        return None
    if not isinstance(locale, str) or locale == "*" or "\0" in locale:
        raise UnsupportedError("writes more than one locale")
    return locale or None


def _page_integer(value: object) -> int:
    """Return an integer of a page. Raises UnsupportedError for other values."""
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UnsupportedError("a page that is no number")
    return value


def _is_never_number(value: object) -> bool:
    """Tell whether a text cannot be an integer, not even a hexadecimal one or ``1e5``."""
    return isinstance(value, str) and any(letter in value for letter in "ghijklmnopqrstuvwyz")


def _first_argument(arguments: CallArguments) -> object:
    return arguments[0] if arguments else UNDEFINED


def _second_argument(arguments: CallArguments) -> object:
    return arguments[1] if len(arguments) > 1 else UNDEFINED


Call = Callable[[CallArguments], Awaitable[object]]


def _functions(calls: Mapping[str, Call]) -> dict[str, HostFunction]:
    return {name: HostFunction(as_catchable(call), is_async=True) for name, call in calls.items()}


def _object(calls: Mapping[str, Call]) -> HostObject:
    return HostObject(_functions(calls))


def as_catchable(call: Call) -> Call:
    """Return a call whose client errors are JavaScript exceptions, which code may catch."""

    async def wrapper(arguments: CallArguments) -> object:
        try:
            return await call(arguments)
        except AppError as error:
            if error.status not in _CLIENT_ERRORS:
                raise
            raise ThrownError(error_value(error)) from None

    return wrapper


def error_value(error: AppError) -> ErrorValue:
    """Return an error of the server in its form for code."""
    details = UNDEFINED if error.details is None else msgspec.to_builtins(error.details)
    return ErrorValue(
        error.name, str(error.message), status=error.status, details=details, cause=error
    )
