"""Checks before publishing and cloning: unpublished relations, validation, what forbids a clone.

As in Strapi, relations to entries of the same type do not count as unpublished.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct, UnsetType

from quire.access.admin_actions import CREATE
from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.content_manager.write_routes import document_ids
from quire.admin_api.response_types import (
    CONTENT,
    DataEnvelope,
    DocumentIds,
    EntryInput,
    EntryResponse,
    FreeObject,
    LocaleQuery,
    ManagedEntry,
)
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.entry_reads import EntryReader, find_version
from quire.content_manager.entry_status import DocumentVersions, EntryJson
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.shared_field_prefill import localized_type, shared_fields
from quire.content_manager.status_and_locale import RequestedVersion, locale_of, locales_of
from quire.content_manager.write_context import UNKNOWN_LOCALE
from quire.database.entries.components import component_links
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import counterparts
from quire.database.interface import Database
from quire.database.program import Program
from quire.document_service.locale_selection import locale_codes
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ApplicationError, BadInputError, NotFoundError
from quire.query.python_parameters import as_query
from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    Relation,
    RelationAttribute,
)
from quire.schema.model import ContentType, Model, Schema


class DraftRelations(Struct, frozen=True):
    """How many related entries are only drafts: in bidirectional relations, and in all others."""

    other_relations: int = 0
    many_to_many: int = 0

    @property
    def json(self) -> dict[str, int]:
        """The counts in their response form."""
        return {"unpublishedRelations": self.other_relations, "draftM2mLinks": self.many_to_many}


def draft_relations(
    engine: WriteEngine, content_type: ContentType, rows: Sequence[int]
) -> Program[DraftRelations]:
    """Count for rows of a content type, including all their components."""
    pending_ids: dict[str, list[int]] = {content_type.uid: [*rows]}
    visited: set[tuple[str, int]] = set()
    other_relations = many_to_many = 0
    while pending_ids:
        uid, ids = pending_ids.popitem()
        layout = engine.store.layout(uid)
        counts = yield from _count_draft_targets(engine, layout, ids)
        other_relations += counts.other_relations
        many_to_many += counts.many_to_many
        for link in (yield from component_links(engine.store, layout, ids)):
            if (link.uid, link.id) not in visited:
                visited.add((link.uid, link.id))
                pending_ids.setdefault(link.uid, []).append(link.id)
    return DraftRelations(other_relations, many_to_many)


def _count_draft_targets(
    engine: WriteEngine, layout: EntryLayout, ids: Sequence[int]
) -> Program[DraftRelations]:
    other_relations = many_to_many = 0
    for attribute in layout.model.relations:
        target = _draft_target(engine, attribute)
        if target is None or target.uid == layout.model.uid:
            continue
        links = yield from engine.store.links.read(layout.model.uid, attribute.name, ids)
        target_rows = [link.row for row_links in links.values() for link in row_links]
        targets = engine.store.layout(target.uid)
        published_rows = yield from counterparts(
            engine.store, targets, [*set(target_rows)], published=True
        )
        count = sum(row not in published_rows for row in target_rows)
        other_side = attribute.inversed_by or attribute.mapped_by
        if attribute.relation is Relation.MANY_TO_MANY and other_side:
            many_to_many += count
        else:
            other_relations += count
    return DraftRelations(other_relations, many_to_many)


def _draft_target(engine: WriteEngine, attribute: RelationAttribute) -> ContentType | None:
    """Return the target of a relation that a form shows, if it has drafts."""
    if attribute.target is None or not attribute.visible:
        return None
    target = engine.schema.content_types[attribute.target]
    return target if target.draft_and_publish else None


NO_CLONE = (
    "Entity could not be cloned as it has unique and/or relational fields. "
    "Please edit those fields manually and save to complete the cloning."
)
_EXCLUSIVE_RELATIONS = frozenset({Relation.ONE_TO_ONE, Relation.ONE_TO_MANY})
_MAX_DEPTH = 20

ProhibitedField = list[object]
"""The path of an attribute, and the reason."""


def prohibited_fields(schema: Schema, model: Model) -> list[ProhibitedField]:
    """Return the attributes whose values must be unique, including those in components.

    A path in a dynamic zone has the display name of the component after that of the zone.
    """
    return [[list(path), reason] for path, reason in _find_prohibited(schema, model, ())]


def _find_prohibited(
    schema: Schema, model: Model, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    if len(path) > _MAX_DEPTH:
        return
    for attribute in model.own_attributes:
        attribute_path = (*path, attribute.name)
        if attribute.name in model.unique_names:
            yield attribute_path, "unique"
        elif isinstance(attribute, RelationAttribute):
            bidirectional = attribute.inversed_by is not None or attribute.mapped_by is not None
            if bidirectional and attribute.relation in _EXCLUSIVE_RELATIONS:
                yield attribute_path, "relation"
        elif isinstance(attribute, ComponentAttribute):
            yield from _find_prohibited(
                schema, schema.components[attribute.component], attribute_path
            )
        elif isinstance(attribute, DynamicZoneAttribute):
            for uid in attribute.components:
                component = schema.components[uid]
                zone_path = (*attribute_path, component.display_name)
                yield from _find_prohibited(schema, component, zone_path)


class SelectedDocuments(Struct, rename="camel"):
    """The ids of several documents."""

    document_ids: list[str] | UnsetType = UNSET


class FoundEntries(Struct):
    """The number of unpublished targets."""

    results: list[ManagedEntry]


class SharedFieldsInput(RequestBody, forbid_unknown_fields=False):
    """An entry in one locale."""

    model: str
    id: int | str
    locale: str


class SharedFields(Struct, rename="camel"):
    """The values that an entry shares with its other locales, and these locales."""

    non_localized_fields: FreeObject
    localizations: list[FreeObject]


class EntryCheckApi:
    """``countDraftRelations`` and related routes, ``bulkFindForValidation``."""

    def __init__(self, database: Database, engine: WriteEngine, clone: Handler) -> None:
        """``clone`` handles requests to clone without changes."""
        self._database = database
        self._engine = engine
        self._reading = EntryReader(engine)
        self._clone = clone

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        collection, single = "collection-types/:uid", "single-types/:uid"
        route, action, query = RouteGroup(CONTENT, "content-manager/"), SIGNED_IN, LocaleQuery
        counts = "actions/countDraftRelations"
        for path, handler in (
            (f"{collection}/:id/{counts}", self.count),
            (f"{single}/{counts}", self.count_single),
        ):
            yield route(
                "GET", path, action, handler, query=query, response=DataEnvelope[FreeObject]
            )
        yield route(
            "GET",
            f"{collection}/actions/countManyEntriesDraftRelations",
            action,
            self.count_many,
            query=(SelectedDocuments, LocaleQuery),
            response=DataEnvelope[int],
        )
        yield route(
            "POST",
            f"{collection}/actions/bulkFindForValidation",
            action,
            self.find_many,
            body=DocumentIds,
            query=query,
            response=FoundEntries,
        )
        path, body = f"{collection}/auto-clone/:id", EntryInput
        yield route(
            "POST", path, action, self.auto_clone, body=body, query=query, response=EntryResponse
        )
        yield RouteGroup(CONTENT)(
            "POST",
            "i18n/content-manager/actions/get-non-localized-fields",
            action,
            self.shared,
            body=SharedFieldsInput,
            response=SharedFields,
        )

    async def count(self, request: Request) -> Response:
        """Count the unpublished targets of an entry."""
        return await self._count(request, request.parameters["id"])

    async def count_single(self, request: Request) -> Response:
        """Count the unpublished targets of a single type."""
        return await self._count(request, None)

    async def _count(self, request: Request, document_id: str | None) -> Response:
        permissions = permissions_of(self._engine.schema, request)
        content_type = permissions.content_type
        locale = locale_of(request.query, content_type, self._engine.default_locale)

        def program() -> Program[dict[str, int]]:
            entry_id = document_id
            if entry_id is None:
                entry_id = yield from self._reading.single(content_type)
            versions = yield from self._reading.every_version(permissions, entry_id or "")
            if not versions:
                raise NotFoundError
            draft = self._draft_in_locale(permissions, versions, locale)
            rows = [] if draft is None else [draft["id"]]
            return (yield from draft_relations(self._engine, content_type, rows)).json

        return respond_data(await self._database.read(program, snapshot=True))

    async def count_many(self, request: Request) -> Response:
        """Count the unpublished targets of entries, in one or several locales."""
        permissions = permissions_of(self._engine.schema, request)
        requested_ids = request.query.get("documentIds")
        ids = document_ids(
            {"documentIds": [requested_ids] if isinstance(requested_ids, str) else requested_ids}
        )
        locales = locales_of(request.query, permissions.content_type, self._engine.default_locale)

        def program() -> Program[int]:
            versions = yield from self._reading.owned_versions(permissions, ids)
            if not versions:
                raise NotFoundError
            documents = DocumentVersions(permissions.content_type, versions)
            rows = []
            for document_id in ids:
                entry_versions = documents.all_versions(document_id)
                drafts = (
                    self._draft_in_locale(permissions, entry_versions, locale) for locale in locales
                )
                rows += [draft["id"] for draft in drafts if draft is not None]
            counts = yield from draft_relations(self._engine, permissions.content_type, rows)
            return counts.other_relations + counts.many_to_many

        return respond_data(await self._database.read(program, snapshot=True))

    def _draft_in_locale(
        self, permissions: TypePermissions, versions: Sequence[EntryJson], locale: str | None
    ) -> EntryJson | None:
        """Return the draft in a locale, if it exists. Raises ForbiddenError if it is hidden."""
        draft = find_version(permissions.content_type, versions, RequestedVersion("draft", locale))
        if draft is not None:
            permissions.require_on(entry_origin(draft))
        return draft

    async def find_many(self, request: Request) -> Response:
        """Return several entries with all that publishing will check.

        The body gives locales and order; the query may give a locale, too.
        """
        permissions = permissions_of(self._engine.schema, request)
        ids = document_ids(request.body)
        body = request.body_fields
        sort = body.get("sort")
        order = as_query(sort) if isinstance(sort, str | list | dict) else None
        requested_locales = body.get("locale") or request.query.get("locale")

        def program() -> Program[list[EntryJson]]:
            locales = yield from self._locales(permissions.content_type, requested_locales)
            return (yield from self._reading.get_many(permissions, ids, locales, order))

        return respond_bare({"results": await self._database.read(program, snapshot=True)})

    def _locales(self, content_type: ContentType, requested: object) -> Program[list[str | None]]:
        """Return the locales that a body names. Raises ApplicationError for unknown ones."""
        if not content_type.localized:
            return [None]
        requested_codes = (
            requested if isinstance(requested, list) else [requested or self._engine.default_locale]
        )
        unique_codes: list[str | None] = [*dict.fromkeys(map(str, requested_codes))]
        codes = yield from locale_codes(self._engine)
        if not {self._engine.default_locale, *codes}.issuperset(unique_codes):
            raise ApplicationError(UNKNOWN_LOCALE)
        return unique_codes

    async def shared(self, request: Request) -> Response:
        """Return the values that an entry shares with its other locales."""
        content_type = localized_type(self._engine.schema, request.body)
        ability = request.administrator.ability
        entry_id = request.body["id"] if isinstance(request.body, dict) else None
        values = await self._database.read(
            lambda: shared_fields(self._engine, ability, content_type, entry_id), snapshot=True
        )
        return respond_bare(values)

    async def auto_clone(self, request: Request) -> Response:
        """Clone an entry unchanged, if it has no unique values."""
        permissions = permissions_of(self._engine.schema, request, CREATE)
        prohibited_paths = prohibited_fields(self._engine.schema, permissions.content_type)
        if prohibited_paths:
            raise BadInputError(NO_CLONE, {"prohibitedFields": prohibited_paths})
        return await self._clone(request)
