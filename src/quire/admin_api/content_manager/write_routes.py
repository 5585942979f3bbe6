"""Writes below ``/content-manager/collection-types`` and ``…/single-types``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from quire.access.admin_actions import CREATE, DELETE, PUBLISH, READ, UPDATE
from quire.admin_api.content_manager.requested_type import permissions_of, type_of
from quire.admin_api.response_types import (
    CONTENT,
    CREATED,
    OK,
    DocumentIds,
    EntryInput,
    EntryResponse,
    FreeObject,
    LocaleQuery,
    ManagedEntry,
)
from quire.admin_api.response_types import RowCount as DocumentCount
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import REQUIRED, Email, ValuePath, problem_at
from quire.content_api.write_requests import expected_tags
from quire.content_manager.bulk_actions import BulkActions
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.entry_writes import EntryWriter
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.publishing import EntryPublisher
from quire.content_manager.revisions import RevisionHistory
from quire.content_manager.status_and_locale import invalid_value, locale_of, locales_of
from quire.content_manager.writable_fields import body_of
from quire.content_manager.write_context import Result, WriteContext
from quire.database.program import Program
from quire.document_service.password_hashing import passwords_in
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate.problems import Problem
from quire.errors import NotFoundError
from quire.ids import document_id_of
from quire.schema.attributes.validation import ABSENT
from quire.schema.model import USER_UID


class _NotNull(Struct, frozen=True):
    """Anything but nothing."""

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        if value is ABSENT or value is None:
            yield problem_at(path, REQUIRED)


class EndUserInput(RequestBody, forbid_unknown_fields=False):
    """The required fields of a new end user."""

    email: Annotated[str, Email()]
    username: str
    password: str
    role: Annotated[object, _NotNull()]


def check_account(body: object) -> None:
    """Check the fields of an account. Raises ValidationError with all problems."""
    read_body(body, EndUserInput)


MAX_DOCUMENTS = 1000
_TOO_FEW = "Too small: expected array to have >=1 items"
_TOO_MANY = f"Too big: expected array to have <={MAX_DOCUMENTS} items"
_NO_LIST = "Invalid input: expected array, received {}"
_ORIGIN = "admin"
_IDEMPOTENCY_KEY = b"idempotency-key"

W = TypeVar("W", bound=WriteContext)
RowCount = Callable[[BulkActions], Program[int]]


class UnpublishOptions(RequestBody, forbid_unknown_fields=False):
    """Whether the draft is replaced by the published version."""

    discard_draft: bool | UnsetType = UNSET


class EntryWriteApi:
    """Creates, changes, publishes and deletes entries."""

    def __init__(
        self, documents: DocumentService, history: RevisionHistory, *, secret: str
    ) -> None:
        """``secret`` is that of document ids of requests with an ``Idempotency-Key``."""
        self._documents = documents
        self._history = history
        self._secret = secret
        self._schema = documents.schema
        self._engine = documents.engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        collection, single, entry = "collection-types/:uid", "single-types/:uid", EntryInput
        options, ids, count = UnpublishOptions, DocumentIds, DocumentCount
        entry_routes: tuple[tuple[str, str, Handler, object, object], ...] = (
            ("PUT", f"{collection}/:id", self.update, entry, EntryResponse),
            ("DELETE", f"{collection}/:id", self.delete, None, FreeObject),
            ("POST", f"{collection}/clone/:id", self.clone, entry, EntryResponse),
            ("POST", f"{collection}/actions/publish", self.publish_new, entry, EntryResponse),
            ("POST", f"{collection}/:id/actions/publish", self.publish, entry, EntryResponse),
            ("POST", f"{collection}/:id/actions/unpublish", self.unpublish, options, EntryResponse),
            ("POST", f"{collection}/:id/actions/discard", self.discard, entry, EntryResponse),
            ("POST", f"{collection}/actions/bulkPublish", self.publish_many, ids, count),
            ("POST", f"{collection}/actions/bulkUnpublish", self.unpublish_many, ids, count),
            ("POST", f"{collection}/actions/bulkDelete", self.delete_many, ids, count),
            ("PUT", single, self.update_single, entry, EntryResponse),
            ("DELETE", single, self.delete, None, FreeObject),
            ("POST", f"{single}/actions/publish", self.publish, entry, EntryResponse),
            ("POST", f"{single}/actions/unpublish", self.unpublish, options, EntryResponse),
            ("POST", f"{single}/actions/discard", self.discard, entry, EntryResponse),
        )
        route, query = RouteGroup(CONTENT, "content-manager/"), LocaleQuery
        yield route(
            "POST",
            collection,
            SIGNED_IN,
            self.create,
            body=EntryInput,
            query=query,
            response=EntryResponse | ManagedEntry,
            status=CREATED,
        )
        for method, path, handler, body, response in entry_routes:
            yield route(method, path, SIGNED_IN, handler, body=body, query=query, response=response)

    # One document ------------------------------------------------------------------------------

    async def create(self, request: Request) -> Response:
        """Create a document. The account of an end user is returned without an envelope."""
        self._require(request, CREATE)
        body, locale = body_of(request.body, creating=True), self._locale(request)
        account = request.parameters["uid"] == USER_UID
        if account:
            check_account(request.body)

        document_id = self._idempotent_document_id(request, locale)

        def act(writing: EntryWriter) -> Program[Result]:
            result = yield from writing.create(body, locale, document_id)
            return result["data"] if account else result

        return await self._run(request, EntryWriter, act, CREATED)

    async def update(self, request: Request) -> Response:
        """Update a document, or add a locale to it."""
        self._require(request, UPDATE)
        return await self._update(request)

    async def update_single(self, request: Request) -> Response:
        """Update the document of a single type; it is created if it is missing."""
        self._require(request, UPDATE, CREATE)
        return await self._update(request)

    async def _update(self, request: Request) -> Response:
        body, locale = body_of(request.body), self._locale(request)
        expected_etags = expected_tags(request)

        def act(writing: EntryWriter, document_id: str | None) -> Program[Result]:
            if document_id is None:
                return (yield from writing.create(body, locale))
            return (yield from writing.update(document_id, body, locale, expected_etags))

        return await self._run_on(request, EntryWriter, act, changed=True)

    async def delete(self, request: Request) -> Response:
        """Delete a document in one locale, or in all."""
        self._require(request, DELETE)
        locale = self._locale(request)

        def act(writing: EntryWriter, document_id: str | None) -> Program[Result]:
            yield from writing.delete(_require_document_id(document_id), locale)
            return {}

        return await self._run_on(request, EntryWriter, act)

    async def clone(self, request: Request) -> Response:
        """Clone a document."""
        self._require(request, CREATE)
        body, locale = body_of(request.body), self._locale(request)
        document_id = request.parameters["id"]
        return await self._run(
            request, EntryWriter, lambda writing: writing.clone(document_id, body, locale)
        )

    async def publish_new(self, request: Request) -> Response:
        """Create a document and publish it."""
        self._require(request, PUBLISH)
        body, locale = body_of(request.body, creating=True), self._locale(request)
        document_id = self._idempotent_document_id(request, locale)
        return await self._run(
            request,
            EntryPublisher,
            lambda writing: writing.publish_new(body, locale, document_id),
        )

    async def publish(self, request: Request) -> Response:
        """Publish a document, after the changes of the body.

        That of a single type is created if it is missing.
        """
        self._require(request, PUBLISH)
        body, locale = body_of(request.body), self._locale(request)

        def act(writing: EntryPublisher, document_id: str | None) -> Program[Result]:
            if document_id is None:
                return (yield from writing.publish_new(body, locale))
            return (yield from writing.publish(document_id, body, locale))

        return await self._run_on(request, EntryPublisher, act, changed=True)

    async def unpublish(self, request: Request) -> Response:
        """Unpublish a document."""
        self._require(request, PUBLISH)
        discard, locale = _discards(request.body), self._locale(request)

        def act(writing: EntryPublisher, document_id: str | None) -> Program[Result]:
            entry_id = _require_document_id(document_id)
            return (yield from writing.unpublish(entry_id, locale, discard=discard))

        return await self._run_on(request, EntryPublisher, act)

    async def discard(self, request: Request) -> Response:
        """Replace the draft of a document by the published version."""
        self._require(request, UPDATE)
        locale = self._locale(request)

        def act(writing: EntryPublisher, document_id: str | None) -> Program[Result]:
            return (yield from writing.discard(_require_document_id(document_id), locale))

        return await self._run_on(request, EntryPublisher, act)

    # Several documents -------------------------------------------------------------------------

    async def publish_many(self, request: Request) -> Response:
        """Publish several documents."""
        self._require(request, PUBLISH)
        ids, locales = document_ids(request.body), self._locales(request)
        return await self._count(request, lambda bulk_actions: bulk_actions.publish(ids, locales))

    async def unpublish_many(self, request: Request) -> Response:
        """Unpublish several documents."""
        self._require(request, PUBLISH)
        ids, locales = document_ids(request.body), self._locales(request)
        return await self._count(request, lambda bulk_actions: bulk_actions.unpublish(ids, locales))

    async def delete_many(self, request: Request) -> Response:
        """Delete several documents."""
        self._require(request, DELETE)
        ids, locale = document_ids(request.body), self._locale(request)
        return await self._count(request, lambda bulk_actions: bulk_actions.delete(ids, locale))

    # Shared helpers ----------------------------------------------------------------------------

    def _require(self, request: Request, *actions: str) -> None:
        """Check that one of the actions is granted. Raises as `permissions_of` does."""
        uid, ability = type_of(self._schema, request).uid, request.administrator.ability
        granted = (action for action in actions if ability.allows(action, uid))
        permissions_of(self._schema, request, next(granted, actions[0]))

    def _locale(self, request: Request) -> str | None:
        """Return the locale to write: that of the query, or else of the body."""
        content_type = type_of(self._schema, request)
        query, body = request.query, request.body
        body_locale = body.get("locale") if isinstance(body, Mapping) else None
        if isinstance(body_locale, str) and "locale" not in query:
            query = {**query, "locale": body_locale}
        return locale_of(query, content_type, self._engine.default_locale)

    def _idempotent_document_id(self, request: Request, locale: str | None) -> str | None:
        """Return the id of the document that a request creates, by its ``Idempotency-Key``.

        It is the same for equal requests of the administrator that have the key, so that a request
        whose response was lost can be repeated. ``None`` without the header, for a new id.
        """
        key = request.headers.get(_IDEMPOTENCY_KEY)
        if not key:
            return None
        parts = (request.administrator.id, request.parameters["uid"], locale, key, request.body)
        return document_id_of(msgspec.json.encode(parts, order="deterministic"), self._secret)

    def _locales(self, request: Request) -> tuple[str | None, ...]:
        content_type = type_of(self._schema, request)
        return locales_of(request.query, content_type, self._engine.default_locale)

    async def _run_on(
        self,
        request: Request,
        kind: type[W],
        act: Callable[[W, str | None], Program[Result]],
        *,
        changed: bool = False,
    ) -> Response:
        """Run an action on the document of the path, or on that of a single type if it exists."""

        def run(writing: W) -> Program[Result]:
            document_id = request.parameters.get("id")
            if document_id is None:
                reading = EntryReader(writing.unit.engine)
                document_id = yield from reading.single(
                    writing.permissions.content_type, changed=changed
                )
            return (yield from act(writing, document_id))

        return await self._run(request, kind, run)

    async def _count(self, request: Request, act: RowCount) -> Response:
        def run(bulk_actions: BulkActions) -> Program[Result]:
            return {"count": (yield from act(bulk_actions))}

        return await self._run(request, BulkActions, run)

    async def _run(
        self,
        request: Request,
        kind: type[W],
        act: Callable[[W], Program[Result]],
        status: int = OK,
    ) -> Response:
        """Run a program that writes, in one transaction; ``kind`` is that of the type."""
        administrator = request.administrator
        content_type = type_of(self._schema, request)
        permissions = TypePermissions(administrator.ability, READ, content_type)

        def program(unit: UnitOfWork) -> Program[Result]:
            return (yield from act(kind(unit, permissions, history)))

        history = await self._history.ready()
        passwords = list(passwords_in(self._schema, content_type, request.body))
        result = await self._documents.run(
            program, passwords=passwords, editor=administrator.id, origin=_ORIGIN
        )
        return respond_bare(result, status)


def document_ids(body: object) -> list[str]:
    """Return the ``documentIds`` of a body. Raises ValidationError for invalid ones."""
    ids = body.get("documentIds") if isinstance(body, Mapping) else None
    if isinstance(ids, list):
        if not ids:
            raise invalid_value("documentIds", _TOO_FEW)
        if len(ids) > MAX_DOCUMENTS:
            raise invalid_value("documentIds", _TOO_MANY)
        return list(
            dict.fromkeys(
                str(document_id) for document_id in ids if isinstance(document_id, str | int)
            )
        )
    is_present = isinstance(body, Mapping) and "documentIds" in body
    kind = "undefined" if not is_present else "string" if isinstance(ids, str) else "object"
    raise invalid_value("documentIds", _NO_LIST.format(kind))


def _discards(body: object) -> bool:
    return isinstance(body, Mapping) and body.get("discardDraft") is True


def _require_document_id(document_id: str | None) -> str:
    if document_id is None:
        raise NotFoundError
    return document_id
