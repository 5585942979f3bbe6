"""Candidates of a relation, and its present targets."""

from collections.abc import Callable, Iterator

from msgspec import UNSET, Struct, UnsetType, field

from quire.admin_api.response_types import (
    CONTENT,
    LocaleQuery,
    PageEnvelope,
    PageQuery,
    StatusQuery,
)
from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.relation_query import relation_query
from quire.content_manager.relations import Relations, Result, field_of
from quire.content_manager.view_configuration import stored_main_field
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, view_key
from quire.document_service.unit_of_work import WriteEngine


class CandidateQuery(PageQuery, kw_only=True):
    """The filter of the candidates; present targets are left out."""

    search: str | UnsetType = field(name="_q", default=UNSET)
    id: str | UnsetType = UNSET
    ids_to_omit: list[str] | UnsetType = UNSET


class RelatedEntry(Struct, rename="camel", kw_only=True):
    """A target of a relation, or a candidate."""

    id: int
    document_id: str
    locale: str | UnsetType | None = UNSET
    status: str | UnsetType = UNSET


class LinkedEntries(Struct):
    """The targets of a relation."""

    results: list[RelatedEntry] | UnsetType = UNSET


class RelationApi:
    """``/content-manager/relations``."""

    def __init__(self, database: Database, engine: WriteEngine) -> None:
        self._database = database
        self._engine = engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(CONTENT, "content-manager/relations/:model/")
        yield route(
            "GET",
            ":field",
            SIGNED_IN,
            self.candidates,
            query=(CandidateQuery, LocaleQuery),
            response=PageEnvelope[RelatedEntry],
        )
        yield route(
            "GET",
            ":id/:field",
            SIGNED_IN,
            self.linked,
            query=(PageQuery, LocaleQuery, StatusQuery),
            response=LinkedEntries,
        )

    async def candidates(self, request: Request) -> Response:
        """List the candidates of a relation."""
        query = relation_query(request.query)
        return await self._response(request, lambda relations: relations.candidates(query))

    async def linked(self, request: Request) -> Response:
        """List the targets of the relation of one entry."""
        query = relation_query(request.query, request.parameters["id"])
        return await self._response(request, lambda relations: relations.linked(query))

    async def _response(
        self, request: Request, read: Callable[[Relations], Program[Result]]
    ) -> Response:
        schema, store = self._engine.schema, self._engine.store
        field = field_of(schema, request.parameters["model"], request.parameters["field"])
        ability = request.administrator.ability
        ability.project_rules.require_reads(field.target.uid)

        def program() -> Program[Result]:
            setting = yield from read_setting(store.writes, view_key(field.target.uid))
            main = stored_main_field(field.target, setting)
            return (yield from read(Relations(self._engine, ability, field, main)))

        return respond_bare(await self._database.read(program, snapshot=True))
