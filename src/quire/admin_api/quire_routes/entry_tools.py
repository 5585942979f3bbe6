"""References to an entry, differences between versions, and bulk edits."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Struct

from quire.access.admin_actions import PUBLISH, READ, UPDATE
from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.content_manager.write_routes import document_ids
from quire.admin_api.response_types import (
    EXTRAS,
    DataEnvelope,
    DocumentIdList,
    EntryInput,
    EntryMeta,
    FreeObject,
    LocaleQuery,
    ManagedEntry,
    NoEntry,
)
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import Range
from quire.content_manager.bulk_edit import BulkEdit, BulkEditPreviewError, Changes
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.entry_writes import EntryWriter
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.publishing import EntryPublisher, PublishTrialError
from quire.content_manager.references import IncomingReferences
from quire.content_manager.revisions import RevisionHistory
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status_and_locale import RequestedVersion, locale_of
from quire.content_manager.version_differences import draft_and_published
from quire.content_manager.writable_fields import body_of
from quire.database.interface import Database
from quire.database.program import Program
from quire.document_service.password_hashing import passwords_in
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError, NotFoundError, ValidationError

MAX_EDITED = 500


class BulkEditInput(RequestBody):
    """The changes of several documents; a ``preview`` changes nothing."""

    document_ids: Annotated[DocumentIdList, Range(0, MAX_EDITED)]
    data: EntryInput
    preview: bool = False


class EntryDetail(Struct):
    """A document, its published version, and the number of references to it."""

    entry: ManagedEntry | NoEntry
    meta: EntryMeta
    published: ManagedEntry | None
    references: int


class References(Struct):
    """The entries that refer to a document by one attribute."""

    uid: str
    attribute: str
    count: int
    entries: list[FreeObject]


class Difference(Struct, rename="camel"):
    """The fields in which draft and published version differ."""

    document_id: str
    locale: str | None
    fields: FreeObject


class EntryProblem(Struct):
    """A problem of a value of an entry."""

    path: list[str]
    message: str


class PublishCheck(Struct, rename="camel"):
    """The problems that prevent a draft from being published."""

    document_id: str
    locale: str | None
    problems: list[EntryProblem]


class ChangedDocument(Struct, rename="camel"):
    """The changes of a document."""

    document_id: str
    fields: FreeObject


class BulkEditResult(Struct):
    """The changes of a bulk edit, or of its preview."""

    preview: bool
    count: int
    changes: list[ChangedDocument]


class EntryToolsApi:
    """``/admin/x/entry``, ``references``, ``difference``, ``publish-check`` and ``bulk-edit``."""

    def __init__(
        self, database: Database, documents: DocumentService, history: RevisionHistory
    ) -> None:
        self._database = database
        self._documents = documents
        self._history = history
        self._engine = documents.engine
        self._reading = EntryReader(documents.engine)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        entry_routes: tuple[tuple[str, str, Handler, object], ...] = (
            ("GET", "entry/:uid/:id", self.entry, DataEnvelope[EntryDetail]),
            ("GET", "difference/:uid/:id", self.difference, DataEnvelope[Difference]),
            ("POST", "publish-check/:uid/:id", self.publish_check, DataEnvelope[PublishCheck]),
        )
        route, query = RouteGroup(EXTRAS, "admin/x/"), LocaleQuery
        for method, path, handler, response in entry_routes:
            yield route(method, path, SIGNED_IN, handler, query=query, response=response)
        path, response_type = "references/:uid/:id", DataEnvelope[list[References]]
        yield route("GET", path, SIGNED_IN, self.references, response=response_type)
        yield route(
            "POST",
            "bulk-edit/:uid",
            SIGNED_IN,
            self.bulk_edit,
            body=BulkEditInput,
            query=query,
            response=DataEnvelope[BulkEditResult],
        )

    async def entry(self, request: Request) -> Response:
        """Show a document with its locales, its published version, and its references."""
        permissions = permissions_of(self._engine.schema, request)
        document_id = request.parameters["id"]
        locale, content_type = self._locale(request, permissions), permissions.content_type

        def program() -> Program[dict[str, object]]:
            reading = self._reading
            draft = yield from reading.get(
                permissions, document_id, RequestedVersion("draft", locale), rows=None
            )
            published: object = None
            if content_type.draft_and_publish:
                published_version = RequestedVersion("published", locale, "published")
                published = (
                    yield from reading.get(permissions, document_id, published_version, rows=None)
                )["data"]
            references = IncomingReferences(reading, permissions.ability)
            referring_types = yield from references.find_entries(content_type, document_id)
            count = sum(int(str(referring_type["count"])) for referring_type in referring_types)
            return {
                "entry": draft["data"],
                "meta": draft["meta"],
                "published": published or None,
                "references": count,
            }

        return respond_data(await self._database.read(program, snapshot=True))

    async def references(self, request: Request) -> Response:
        """List the entries that refer to a document."""
        permissions = permissions_of(self._engine.schema, request)
        document_id = request.parameters["id"]

        def program() -> Program[list[dict[str, object]]]:
            versions = yield from self._reading.every_version(permissions, document_id)
            if not any(permissions.rules_for_entry(entry_origin(version)) for version in versions):
                raise NotFoundError
            references = IncomingReferences(self._reading, permissions.ability)
            return (yield from references.find_entries(permissions.content_type, document_id))

        return respond_data(await self._database.read(program, snapshot=True))

    async def difference(self, request: Request) -> Response:
        """Show the fields in which a draft differs from the published version."""
        permissions = permissions_of(self._engine.schema, request)
        document_id = request.parameters["id"]
        locale = self._locale(request, permissions)
        comparison = await self._database.read(
            lambda: draft_and_published(self._reading, permissions, document_id, locale),
            snapshot=True,
        )
        return respond_data(comparison)

    async def publish_check(self, request: Request) -> Response:
        """Show what prevents the draft of a document from being published in a locale."""
        permissions_of(self._engine.schema, request, PUBLISH)
        permissions = permissions_of(self._engine.schema, request, READ)
        locale, document_id = self._locale(request, permissions), request.parameters["id"]
        history = await self._history.ready()
        problems: list[object] = []
        try:
            await self._documents.run(
                lambda unit: EntryPublisher(unit, permissions, history).check(document_id, locale),
                editor=request.administrator.id,
                origin="admin",
            )
        except PublishTrialError:
            pass
        except (ApplicationError, ValidationError) as error:
            error_list = (error.details or {}).get("errors")
            errors = (
                error_list
                if isinstance(error_list, list)
                else [{"path": [], "message": error.message}]
            )
            problems = [
                {"path": [str(step) for step in item["path"]], "message": item["message"]}
                for item in errors
            ]
        return respond_data({"documentId": document_id, "locale": locale, "problems": problems})

    async def bulk_edit(self, request: Request) -> Response:
        """Make the same change to many documents, or show its effect."""
        permissions_of(self._engine.schema, request, UPDATE)
        permissions = permissions_of(self._engine.schema, request, READ)
        options = read_body(request.body, BulkEditInput)
        data = body_of(options.data)
        edit = BulkEdit(
            document_ids=document_ids({"documentIds": options.document_ids}),
            body=data,
            locale=self._locale(request, permissions),
        )
        only_shown = options.preview
        history = await self._history.ready()

        def program(unit: UnitOfWork) -> Program[Changes]:
            writing = EntryWriter(unit, permissions, history)
            return (yield from edit.preview(writing) if only_shown else edit.program(writing))

        try:
            changes = await self._documents.run(
                program,
                passwords=list(passwords_in(self._engine.schema, permissions.content_type, data)),
                editor=request.administrator.id,
                origin="admin",
            )
        except BulkEditPreviewError as preview:
            changes = preview.changes
        return respond_data(_serialize_changes(changes, preview=only_shown))

    def _locale(self, request: Request, permissions: TypePermissions) -> str | None:
        return locale_of(request.query, permissions.content_type, self._engine.default_locale)


def _serialize_changes(changes: Changes, *, preview: bool) -> Mapping[str, object]:
    return {"preview": preview, "count": len(changes), "changes": changes}
