"""Checks before publishing and cloning: unpublished relations, validation, what forbids a clone.

As in Strapi, relations to entries of the same type do not count as unpublished.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct, UnsetType

from quire.access.admin_actions import CREATE
from quire.admin_api.content_manager.requested_type import rights_of
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
from quire.content_manager.entry_reads import ContentReading, chosen_of
from quire.content_manager.entry_status import EntryJson
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
from quire.schema.attributes.base import ComponentAttribute, Relation, RelationAttribute
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
    waiting: dict[str, list[int]] = {content_type.uid: [*rows]}
    seen: set[tuple[str, int]] = set()
    others = many = 0
    while waiting:
        uid, ids = waiting.popitem()
        layout = engine.store.layout(uid)
        counted = yield from _counted(engine, layout, ids)
        others, many = others + counted.other_relations, many + counted.many_to_many
        for link in (yield from component_links(engine.store, layout, ids)):
            if (link.uid, link.id) not in seen:
                seen.add((link.uid, link.id))
                waiting.setdefault(link.uid, []).append(link.id)
    return DraftRelations(others, many)


def _counted(
    engine: WriteEngine, layout: EntryLayout, ids: Sequence[int]
) -> Program[DraftRelations]:
    others = many = 0
    for attribute in layout.model.relations:
        target = _versioned(engine, attribute)
        if target is None or target.uid == layout.model.uid:
            continue
        links = yield from engine.store.links.read(layout.model.uid, attribute.name, ids)
        linked = [link.row for found in links.values() for link in found]
        targets = engine.store.layout(target.uid)
        live = yield from counterparts(engine.store, targets, [*set(linked)], published=True)
        count = sum(row not in live for row in linked)
        other_side = attribute.inversed_by or attribute.mapped_by
        if attribute.relation is Relation.MANY_TO_MANY and other_side:
            many += count
        else:
            others += count
    return DraftRelations(others, many)


def _versioned(engine: WriteEngine, attribute: RelationAttribute) -> ContentType | None:
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
    """Return the attributes whose values must be unique, including those in components."""
    return [[list(path), why] for path, why in _prohibited(schema, model, ())]


def _prohibited(
    schema: Schema, model: Model, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    if len(path) > _MAX_DEPTH:
        return
    for attribute in model.own_attributes:
        own = (*path, attribute.name)
        if attribute.name in model.unique_names:
            yield own, "unique"
        elif isinstance(attribute, RelationAttribute):
            both = attribute.inversed_by is not None or attribute.mapped_by is not None
            if both and attribute.relation in _EXCLUSIVE_RELATIONS:
                yield own, "relation"
        elif isinstance(attribute, ComponentAttribute):
            yield from _prohibited(schema, schema.components[attribute.component], own)


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


class CheckApi:
    """``countDraftRelations`` and related routes, ``bulkFindForValidation``."""

    def __init__(self, database: Database, engine: WriteEngine, clone: Handler) -> None:
        """``clone`` handles requests to clone without changes."""
        self._database = database
        self._engine = engine
        self._reading = ContentReading(engine)
        self._clone = clone

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        collection, single = "collection-types/:uid", "single-types/:uid"
        route, who, query = RouteGroup(CONTENT, "content-manager/"), SIGNED_IN, LocaleQuery
        counts = "actions/countDraftRelations"
        for path, handler in (
            (f"{collection}/:id/{counts}", self.count),
            (f"{single}/{counts}", self.count_single),
        ):
            yield route("GET", path, who, handler, query=query, response=DataEnvelope[FreeObject])
        yield route(
            "GET",
            f"{collection}/actions/countManyEntriesDraftRelations",
            who,
            self.count_many,
            query=(SelectedDocuments, LocaleQuery),
            response=DataEnvelope[int],
        )
        yield route(
            "POST",
            f"{collection}/actions/bulkFindForValidation",
            who,
            self.find_many,
            body=DocumentIds,
            query=query,
            response=FoundEntries,
        )
        path, body = f"{collection}/auto-clone/:id", EntryInput
        yield route(
            "POST", path, who, self.auto_clone, body=body, query=query, response=EntryResponse
        )
        yield RouteGroup(CONTENT)(
            "POST",
            "i18n/content-manager/actions/get-non-localized-fields",
            who,
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
        rights = rights_of(self._engine.schema, request)
        content_type = rights.content_type
        locale = locale_of(request.query, content_type, self._engine.default_locale)

        def program() -> Program[dict[str, int]]:
            own = document_id
            if own is None:
                own = yield from self._reading.single(content_type)
            versions = yield from self._reading.every_version(rights, own or "")
            if not versions:
                raise NotFoundError
            here = self._draft_in_locale(rights, versions, locale)
            rows = [] if here is None else [here["id"]]
            return (yield from draft_relations(self._engine, content_type, rows)).json

        return respond_data(await self._database.read(program, snapshot=True))

    async def count_many(self, request: Request) -> Response:
        """Count the unpublished targets of entries, in one or several locales."""
        rights = rights_of(self._engine.schema, request)
        value = request.query.get("documentIds")
        ids = document_ids({"documentIds": [value] if isinstance(value, str) else value})
        locales = locales_of(request.query, rights.content_type, self._engine.default_locale)

        def program() -> Program[int]:
            versions = yield from self._reading.owned_versions(rights, ids)
            if not versions:
                raise NotFoundError
            rows = []
            for document_id in ids:
                own = [one for one in versions if one["documentId"] == document_id]
                results = (self._draft_in_locale(rights, own, locale) for locale in locales)
                rows += [one["id"] for one in results if one is not None]
            counted = yield from draft_relations(self._engine, rights.content_type, rows)
            return counted.other_relations + counted.many_to_many

        return respond_data(await self._database.read(program, snapshot=True))

    def _draft_in_locale(
        self, permissions: TypePermissions, versions: list[EntryJson], locale: str | None
    ) -> EntryJson | None:
        """Return the draft in a locale, if it exists. Raises ForbiddenError if it is hidden."""
        here = chosen_of(permissions.content_type, versions, RequestedVersion("draft", locale))
        if here is not None:
            permissions.require_on(entry_origin(here))
        return here

    async def find_many(self, request: Request) -> Response:
        """Return several entries with all that publishing will check.

        The body gives locales and order; the query may give a locale, too.
        """
        rights = rights_of(self._engine.schema, request)
        ids = document_ids(request.body)
        body = request.body_fields
        sort = body.get("sort")
        order = as_query(sort) if isinstance(sort, str | list | dict) else None
        asked = body.get("locale") or request.query.get("locale")

        def program() -> Program[list[EntryJson]]:
            locales = yield from self._locales(rights.content_type, asked)
            return (yield from self._reading.get_many(rights, ids, locales, order))

        return respond_bare({"results": await self._database.read(program, snapshot=True)})

    def _locales(self, content_type: ContentType, requested: object) -> Program[list[str | None]]:
        """Return the locales that a body names. Raises ApplicationError for unknown ones."""
        if not content_type.localized:
            return [None]
        named = (
            requested if isinstance(requested, list) else [requested or self._engine.default_locale]
        )
        codes = yield from locale_codes(self._engine)
        if not {self._engine.default_locale, *codes}.issuperset(map(str, named)):
            raise ApplicationError(UNKNOWN_LOCALE)
        return [*map(str, named)]

    async def shared(self, request: Request) -> Response:
        """Return the values that an entry shares with its other locales."""
        content_type = localized_type(self._engine.schema, request.body)
        ability = request.administrator.ability
        entry_id = request.body["id"] if isinstance(request.body, dict) else None
        result = await self._database.read(
            lambda: shared_fields(self._engine, ability, content_type, entry_id), snapshot=True
        )
        return respond_bare(result)

    async def auto_clone(self, request: Request) -> Response:
        """Clone an entry unchanged, if it has no unique values."""
        rights = rights_of(self._engine.schema, request, CREATE)
        prohibited = prohibited_fields(self._engine.schema, rights.content_type)
        if prohibited:
            raise BadInputError(NO_CLONE, {"prohibitedFields": prohibited})
        return await self._clone(request)
