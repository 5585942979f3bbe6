"""``/admin/x/revisions``: earlier states of entries, and restoring them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

import orjson
from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import GrantRule
from quire.access.admin_actions import UPDATE
from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.response_types import (
    EXTRAS,
    CreatorSummary,
    DataEnvelope,
    EntryMeta,
    FreeObject,
    LocaleQuery,
    ManagedEntry,
    Moment,
    NoEntry,
)
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.clock import iso_from_ms
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import path_id
from quire.content_api.write_requests import expected_tags
from quire.content_manager.entry_reads import EntryReader, find_version
from quire.content_manager.entry_writes import EntryWriter
from quire.content_manager.permissions import CREATOR_FIELDS, TypePermissions
from quire.content_manager.revision_content import Data as RevisionData
from quire.content_manager.revision_content import revision_data
from quire.content_manager.revisions import RevisionHistory, read_whole, revision_as_request
from quire.content_manager.sanitize import EntrySanitizer, entry_origin
from quire.content_manager.status_and_locale import RequestedVersion, locale_of
from quire.content_manager.version_differences import differences
from quire.content_manager.write_context import Result
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.revisions import Revision, RevisionKey, RevisionSummary
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import NotFoundError
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, PlanNode, ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.model import ADMIN_USER_UID

_ORIGIN = "admin"


class _VisibleEntry(Struct, frozen=True):
    """An entry as the caller may see it: its present draft in the form of revisions."""

    sanitizer: EntrySanitizer
    rules: tuple[GrantRule, ...]
    draft: RevisionData

    def visible(self, data: RevisionData) -> RevisionData:
        """Return the visible part of data of the entry."""
        return self.sanitizer.entry({**data}, self.rules)


class RevisionResponse(Struct, rename="camel"):
    """An earlier state of an entry."""

    schema_name: ClassVar[str] = "Revision"
    id: int
    created_at: Moment
    created_by: CreatorSummary | None
    status: Literal["draft", "published"]
    locale: str | None


class RevisionDetail(RevisionResponse):
    """An earlier state with its values, and the fields in which the present draft differs."""

    schema_name: ClassVar[str] = "RevisionDetail"
    data: FreeObject
    fields: FreeObject


class MissingReference(Struct, rename="camel"):
    """A missing target of an earlier state."""

    field: str
    document_id: str


class RestoredEntry(Struct):
    """A restored entry, with the targets that are missing."""

    data: ManagedEntry | NoEntry
    meta: EntryMeta
    missing: list[MissingReference]


class RevisionApi:
    """Lists, shows and restores revisions, with the caller's permissions on their entries."""

    def __init__(
        self, database: Database, documents: DocumentService, history: RevisionHistory
    ) -> None:
        self._database = database
        self._documents = documents
        self._engine = documents.engine
        self._reading = EntryReader(documents.engine)
        self._history = history

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        revision_routes: tuple[tuple[str, str, Handler, object], ...] = (
            ("GET", ":uid/:id", self.find, DataEnvelope[list[RevisionResponse]]),
            ("GET", ":uid/:id/:revision", self.find_one, DataEnvelope[RevisionDetail]),
            ("POST", ":uid/:id/:revision/restore", self.restore, RestoredEntry),
        )
        route, query = RouteGroup(EXTRAS, "admin/x/revisions/"), LocaleQuery
        for method, path, handler, response in revision_routes:
            yield route(method, path, SIGNED_IN, handler, query=query, response=response)

    async def find(self, request: Request) -> Response:
        """List the revisions of an entry in one locale, the latest first."""
        permissions, key = self._requested_key(request)
        history = await self._history.ready()

        def program() -> Program[list[dict[str, object]]]:
            yield from self._visible_entry(permissions, key)
            if not history.max_revisions:
                return []
            return (
                yield from self._serialize_missing(
                    (yield from history.revisions.list_for_entry(key))
                )
            )

        return respond_data(await self._database.read(program, snapshot=True))

    async def find_one(self, request: Request) -> Response:
        """Show a revision, and the fields in which the present draft differs from it."""
        permissions, key = self._requested_key(request)
        await self._history.ready()

        def program() -> Program[dict[str, object]]:
            visible_entry = yield from self._visible_entry(permissions, key)
            revision = yield from self._revision(request, key)
            data = visible_entry.visible(orjson.loads(revision.data))
            (description,) = yield from self._serialize_missing([revision])
            fields = differences(
                permissions.content_type, data, visible_entry.visible(visible_entry.draft), data
            )
            differing_fields = {
                name: {"revision": revision_value, "draft": draft_value}
                for name, (revision_value, draft_value) in fields.items()
            }
            return {**description, "data": data, "fields": differing_fields}

        return respond_data(await self._database.read(program, snapshot=True))

    async def restore(self, request: Request) -> Response:
        """Restore an earlier state as the draft; missing targets are left out and reported."""
        permissions, key = self._requested_key(request)
        permissions_of(self._engine.schema, request, UPDATE)
        history, expected_etags = await self._history.ready(), expected_tags(request)

        def program(unit: UnitOfWork) -> Program[Result]:
            visible_entry = yield from self._visible_entry(permissions, key)
            revision = yield from self._revision(request, key)
            body, missing_references = yield from revision_as_request(
                self._engine, permissions, revision
            )
            if missing_references:
                # Those of fields that the caller may not read are not reported.
                visible_data = visible_entry.visible(orjson.loads(revision.data))
                _, missing_references = yield from revision_as_request(
                    self._engine,
                    permissions,
                    replace(revision, data=orjson.dumps(visible_data).decode()),
                )
            writing = EntryWriter(unit, permissions, history)
            document_id, locale = key.document_id, key.locale
            response = yield from writing.update(document_id, body, locale, expected_etags)
            return {**response, "missing": missing_references}

        editor = request.administrator.id
        return respond_bare(await self._documents.run(program, editor=editor, origin=_ORIGIN))

    def _requested_key(self, request: Request) -> tuple[TypePermissions, RevisionKey]:
        permissions = permissions_of(self._engine.schema, request)
        content_type = permissions.content_type
        locale = locale_of(request.query, content_type, self._engine.default_locale)
        return permissions, RevisionKey(content_type.uid, request.parameters["id"], locale)

    def _visible_entry(
        self, permissions: TypePermissions, key: RevisionKey
    ) -> Program[_VisibleEntry]:
        """Return the entry for a caller who may read it.

        Raises NotFoundError if the document does not exist, and ForbiddenError.
        """
        versions = yield from self._reading.every_version(permissions, key.document_id)
        if not versions:
            raise NotFoundError
        content_type = permissions.content_type
        draft_version = RequestedVersion("draft", key.locale, "draft")
        draft_entry = find_version(content_type, versions, draft_version)
        rules = permissions.require_on(
            entry_origin(draft_entry or {**versions[0], "locale": key.locale})
        )
        draft: RevisionData = {}
        if draft_entry is not None:
            entry = yield from read_whole(self._reading, permissions, draft_entry["id"])
            draft = revision_data(self._engine.schema, content_type, entry)
        return _VisibleEntry(EntrySanitizer(self._engine.schema, permissions, ()), rules, draft)

    def _revision(self, request: Request, key: RevisionKey) -> Program[Revision]:
        revision_id = path_id(request, name="revision")
        revision = None
        if self._history.log.max_revisions:
            revision = yield from self._history.log.revisions.get(revision_id)
        if revision is None or revision.key != key:
            raise NotFoundError
        return revision

    def _serialize_missing(
        self, revisions: Sequence[RevisionSummary]
    ) -> Program[list[dict[str, object]]]:
        admin_users = yield from self._admin_users(
            {revision.created_by for revision in revisions} - {None}
        )
        return [
            {
                "id": revision.id,
                "createdAt": iso_from_ms(revision.created_at),
                "createdBy": admin_users.get(revision.created_by),
                "status": revision.status,
                "locale": revision.locale,
            }
            for revision in revisions
        ]

    def _admin_users(self, ids: set[int | None]) -> Program[dict[int | None, Mapping[str, object]]]:
        """Return summaries of administrators, by their ids."""
        if not ids:
            return {}
        id_filter = Comparison("id", Predicate.IN, (0,))
        node = PlanNode(uid=ADMIN_USER_UID, fields=CREATOR_FIELDS, filter=id_filter)
        resolved_read = ResolvedRead(plan=ReadPlan(root=node), values=([*ids],))
        rows, _ = yield from self._engine.reads.planned(resolved_read).entries()
        return {row["id"]: row for row in rows}
