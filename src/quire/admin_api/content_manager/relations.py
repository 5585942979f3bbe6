"""Entries that a relation may lead to, and those that it leads to."""

from collections.abc import Callable, Iterator

from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Handler, Request, Response
from quire.content_api.routes import Route
from quire.content_manager.relation_query import relation_query
from quire.content_manager.relations import Relations, Result, field_of
from quire.content_manager.views import stored_view
from quire.database.connection import Database
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, view_key
from quire.document_service.unit_of_work import WriteEngine


class RelatedApi:
    """``/content-manager/relations``."""

    def __init__(self, database: Database, engine: WriteEngine) -> None:
        self._database = database
        self._engine = engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        listed: tuple[tuple[str, Handler], ...] = (
            ("relations/:model/:field", self.candidates),
            ("relations/:model/:id/:field", self.linked),
        )
        for path, handler in listed:
            yield Route(
                method="GET", path=f"content-manager/{path}", action=SIGNED_IN, handler=handler
            )

    async def candidates(self, request: Request) -> Response:
        """List the entries that a relation may lead to."""
        query = relation_query(request.query)
        return await self._response(request, lambda relations: relations.candidates(query))

    async def linked(self, request: Request) -> Response:
        """List the entries that the relation of one entry leads to."""
        query = relation_query(request.query, request.parameters["id"])
        return await self._response(request, lambda relations: relations.linked(query))

    async def _response(
        self, request: Request, read: Callable[[Relations], Program[Result]]
    ) -> Response:
        schema, store = self._engine.schema, self._engine.store
        field = field_of(schema, request.parameters["model"], request.parameters["field"])
        ability = request.administrator.ability

        def program() -> Program[Result]:
            stored = yield from read_setting(store.writes, view_key(field.target.uid))
            view = stored_view(schema, field.target, stored)
            return (yield from read(Relations(self._engine, ability, field, view)))

        return respond_bare(await self._database.read(program, snapshot=True))
