"""Several writes in one request, all of them or none: ``POST /api/_batch``.

The operations of a batch run one after the other in one transaction. Each is checked as the single
request for it would be: permissions first, then the query, then keys, then values. Where a document
id is expected, an operation may refer to the document of an earlier one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.api.authorization import Authorizer
from quire.api.envelope import respond
from quire.api.messages import Answer, Request
from quire.api.reader import PreparedRead, Reader
from quire.api.routes import Route
from quire.api.writing import data_of, is_published, one_locale, refuse_draft_deletion
from quire.database.mappers import Item
from quire.database.program import Program
from quire.database.read import read_program
from quire.documents.intents import (
    Create,
    Data,
    Delete,
    Every,
    Intent,
    Publish,
    Unpublish,
    Update,
    Written,
)
from quire.documents.service import DocumentService, act_on, passwords_of
from quire.documents.unit import UnitOfWork
from quire.errors import AppError, ValidationError
from quire.query.querystring import QueryValue
from quire.schema.model import ContentType, Kind

PATH = "_batch"
REFERENCE = "$ref"
_KEYS = frozenset(
    {"action", "type", "documentId", "data", "locale", "status", "populate", "fields", "as"}
)
_GRANTS = {
    "create": "create",
    "update": "update",
    "delete": "delete",
    "publish": "update",
    "unpublish": "update",
}
"""What each action needs the permission of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operation:
    """One operation, understood as far as it can be without its data."""

    action: str
    content_type: ContentType
    document_id: str | None
    raw: Mapping[str, object]
    query: dict[str, QueryValue]


class _Prepared(NamedTuple):
    operation: _Operation
    intent: Intent
    read: PreparedRead


class BatchApi:
    """The handler of batches; ``limit`` is how many operations one may have."""

    def __init__(
        self, reader: Reader, documents: DocumentService, authorizer: Authorizer, *, limit: int
    ) -> None:
        self._reader = reader
        self._documents = documents
        self._authorizer = authorizer
        self._limit = limit
        self._types: dict[str, ContentType] = {}
        for type_ in reader.schema.api_types:
            self._types[type_.uid] = self._types[type_.route_name] = type_

    def routes(self) -> Iterator[Route]:
        """Yield the one route; every operation has a permission of its own."""
        yield Route(method="POST", path=PATH, action=None, handler=self.run, uid=None)

    async def run(self, request: Request) -> Answer:
        """Run a batch; the answer lists the result of each operation."""
        listed = self._listed(request.body)
        known = _References()
        operations = []
        for index, raw in enumerate(listed):
            with _At(index):
                operations.append(self._understand(raw, known, index))
        for index, operation in enumerate(operations):
            with _At(index):
                uid = operation.content_type.uid
                action = f"{uid}.{_GRANTS[operation.action]}"
                self._authorizer.require(request.principal, action, uid)
        prepared = []
        for index, operation in enumerate(operations):
            with _At(index):
                prepared.append(self._prepare(request, operation, known))
        results = await self._perform(request, prepared)
        return respond(results)

    def _listed(self, body: object) -> Sequence[object]:
        operations = body.get("operations") if isinstance(body, Mapping) else None
        if not isinstance(operations, list) or not operations:
            message = 'A batch is an object with a list of "operations" that is not empty'
            raise ValidationError(message)
        if len(operations) > self._limit:
            message = (
                f"A batch has at most {self._limit} operations (limits.batch_operations), "
                f"this one has {len(operations)}"
            )
            raise ValidationError(message)
        return operations

    def _understand(self, raw: object, known: "_References", index: int) -> _Operation:
        if not isinstance(raw, Mapping):
            message = "An operation must be an object"
            raise ValidationError(message)
        for key in raw:
            if key not in _KEYS:
                message = f"Invalid key {key}: an operation has {', '.join(sorted(_KEYS))}"
                raise ValidationError(message)
        action = raw.get("action")
        if not isinstance(action, str) or action not in _GRANTS:
            message = f"action must be one of {', '.join(_GRANTS)}"
            raise ValidationError(message)
        name = raw.get("type")
        content_type = self._types.get(name) if isinstance(name, str) else None
        if content_type is None:
            message = "type must be the plural name, the singular name of a single type, or the uid"
            raise ValidationError(message)
        document_id = self._document_id(action, content_type, raw, known)
        known.remember(raw.get("as"), index, document_id)
        query = {
            key: _as_query(raw[key])
            for key in ("status", "locale", "populate", "fields")
            if key in raw
        }
        return _Operation(
            action=action,
            content_type=content_type,
            document_id=document_id,
            raw=raw,
            query=query,
        )

    def _document_id(
        self,
        action: str,
        content_type: ContentType,
        raw: Mapping[str, object],
        known: "_References",
    ) -> str | None:
        """Return the document of an operation; new documents get their ids here."""
        given = known.replace(raw.get("documentId"))
        if content_type.kind is Kind.SINGLE:
            if action == "create":
                message = "A single type is written by update"
                raise ValidationError(message)
            if given is not None and not isinstance(given, str):
                message = "documentId must be a string"
                raise ValidationError(message)
            if given is None and action in {"publish", "unpublish"}:
                message = "documentId must be defined"
                raise ValidationError(message)
            return given
        if action == "create":
            if given is not None:
                message = "documentId cannot be chosen"
                raise ValidationError(message)
            return self._documents.new_id()
        if not isinstance(given, str):
            message = "documentId must be a string"
            raise ValidationError(message)
        return given

    def _prepare(self, request: Request, operation: _Operation, known: "_References") -> _Prepared:
        ability = request.principal.ability
        shown = dict(operation.query)
        if operation.action in {"delete", "publish", "unpublish"}:
            shown.pop("locale", None)
            shown["status"] = "draft" if operation.action == "unpublish" else "published"
        read = self._reader.prepare_query(operation.content_type, "written", shown, ability)
        return _Prepared(operation, self._intent(request, operation, known), read)

    def _intent(self, request: Request, operation: _Operation, known: "_References") -> Intent:
        uid, document_id, query = operation.content_type.uid, operation.document_id, operation.query
        if operation.action in {"create", "update"}:
            data = self._data(request, operation, known)
            locale, publish = one_locale(query), is_published(query)
            if operation.action == "create":
                return Create(
                    uid=uid, data=data, locale=locale, publish=publish, document_id=document_id
                )
            return Update(
                uid=uid, document_id=document_id, data=data, locale=locale, publish=publish
            )
        if "data" in operation.raw:
            message = f"{operation.action} takes no data"
            raise ValidationError(message)
        wanted = query.get("locale")
        locales = Every.LOCALE if wanted == Every.LOCALE.value else one_locale(query)
        if operation.action == "delete":
            refuse_draft_deletion(operation.content_type, query)
            return Delete(uid=uid, document_id=document_id, locale=locales)
        if not operation.content_type.draft_and_publish:
            message = f"{uid} has no drafts"
            raise ValidationError(message)
        if operation.action == "publish":
            return Publish(uid=uid, document_id=document_id or "", locale=locales)
        return Unpublish(uid=uid, document_id=document_id or "", locale=locales)

    def _data(self, request: Request, operation: _Operation, known: "_References") -> Data:
        replaced = known.replace(operation.raw.get("data"))
        return data_of(
            self._reader.schema,
            operation.content_type,
            {"data": replaced},
            request.principal.ability,
        )

    async def _perform(
        self, request: Request, prepared: Sequence[_Prepared]
    ) -> list[dict[str, object]]:
        dialect = self._reader.database.dialect

        def act(unit: UnitOfWork) -> Program[list[dict[str, object]]]:
            results = []
            for index, (operation, intent, read) in enumerate(prepared):
                with _At(index):
                    written = yield from act_on(unit, intent)
                    shown = None
                    if operation.action != "delete" and written:
                        bound = read.for_id(written[0].entry_id)
                        items, _ = yield from read_program(bound, dialect, None)
                        shown = items[0] if items else None
                    yield from unit.settle()
                    results.append(_result(operation, written, shown))
            return results

        passwords = [
            password
            for _, intent, _ in prepared
            for password in passwords_of(self._documents.schema, intent)
        ]
        return await self._documents.run(act, passwords=passwords, principal=request.principal)


def _result(
    operation: _Operation, written: Sequence[Written], shown: Item | None
) -> dict[str, object]:
    document_id = written[0].document_id if written else operation.document_id
    return {
        "action": operation.action,
        "type": operation.content_type.uid,
        "documentId": document_id,
        "data": shown,
    }


class _References:
    """The documents of earlier operations, by the place of the operation and by its name."""

    def __init__(self) -> None:
        self._ids: dict[object, str | None] = {}

    def remember(self, name: object, index: int, document_id: str | None) -> None:
        """Note the document of an operation. Raises ValidationError for a bad or used name."""
        self._ids[index] = document_id
        if name is None:
            return
        if not isinstance(name, str) or not name:
            message = "as must be a name"
            raise ValidationError(message)
        if name in self._ids:
            message = f"as: {name} names an earlier operation already"
            raise ValidationError(message)
        self._ids[name] = document_id

    def replace(self, value: object) -> object:
        """Return a value with every reference in it replaced by the document id it stands for.

        Raises ValidationError for a reference to what is not an earlier operation.
        """
        if isinstance(value, Mapping):
            if set(value) == {REFERENCE}:
                return self._find(value[REFERENCE])
            return {key: self.replace(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.replace(inner) for inner in value]
        return value

    def _find(self, reference: object) -> str:
        known = isinstance(reference, str | int) and not isinstance(reference, bool)
        found = self._ids.get(reference) if known else None
        if found is None:
            message = f"{REFERENCE}: there is no document of an earlier operation {reference!r}"
            raise ValidationError(message)
        return found


class _At:
    """Says, in errors raised inside, which operation they are about."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __enter__(self) -> None:
        """Nothing is done until something fails."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Put the operation before the path of the error, and leave it on its way."""
        if isinstance(error, AppError):
            error.details = _placed(error.details or {}, self._index)


def _placed(details: Mapping[str, object], index: int) -> dict[str, object]:
    place = ["operations", str(index)]
    placed: dict[str, object] = {**details, "operation": index}
    errors = details.get("errors")
    if isinstance(errors, list):
        placed["errors"] = [{**e, "path": [*place, "data", *e.get("path", ())]} for e in errors]
    if "key" in details:
        path = details.get("path")
        inside = "data" if details.get("source") == "body" else None
        parts = [*place, inside, path if isinstance(path, str) else None]
        placed["path"] = ".".join(part for part in parts if part)
    return placed


def _as_query(value: object) -> QueryValue:
    """Return a JSON value as the query string would spell it."""
    if isinstance(value, Mapping):
        return {str(key): _as_query(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_query(inner) for inner in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or isinstance(value, str) else str(value)
