"""The endpoints that every content type gets: find and find one, of collections and singles."""

from collections.abc import Iterator

from quire.api.envelope import respond
from quire.api.format_v4 import HEADER, VALUE, nest
from quire.api.messages import NO_CONTENT, Answer, Handler, Request
from quire.api.reader import Mode, PreparedRead, Reader
from quire.api.routes import Route
from quire.errors import NotFoundError, UnimplementedError, ValidationError
from quire.schema.model import ContentType, Kind

MISSING_DATA = 'Missing "data" payload in the request body'
NOT_WRITABLE = "Writing documents is not available yet"


class DocumentApi:
    """The handlers of one content type."""

    def __init__(self, reader: Reader, content_type: ContentType) -> None:
        self._reader = reader
        self._type = content_type

    def routes(self) -> Iterator[Route]:
        """Yield the routes of the content type."""
        name = self._type.route_name
        if self._type.kind is Kind.SINGLE:
            yield self._route("GET", name, "find", self.find_single)
            yield self._route("PUT", name, "update", self.write)
            yield self._route("DELETE", name, "delete", self.delete_single)
            return
        one = f"{name}/:documentId"
        yield self._route("GET", name, "find", self.find)
        yield self._route("POST", name, "create", self.write)
        yield self._route("GET", one, "findOne", self.find_one)
        yield self._route("PUT", one, "update", self.write)
        yield self._route("DELETE", one, "delete", self.delete)

    def _route(self, method: str, path: str, action: str, handler: Handler) -> Route:
        uid = self._type.uid
        return Route(method=method, path=path, action=f"{uid}.{action}", handler=handler, uid=uid)

    def _prepare(self, request: Request, mode: Mode) -> PreparedRead:
        return self._reader.prepare(self._type, mode, request.raw_query, request.principal.ability)

    async def find(self, request: Request) -> Answer:
        """List documents of a collection type."""
        prepared = self._prepare(request, "list")
        items, total = await self._reader.rows(prepared, request.version)
        pagination = prepared.pagination
        meta = {} if pagination is None else {"pagination": pagination.meta(total)}
        if request.headers.get(HEADER) == VALUE:
            root, schema = prepared.plan.root, self._reader.schema
            return respond([nest(item, root, schema) for item in items], meta)
        return respond(items, meta)

    async def find_one(self, request: Request) -> Answer:
        """Show one document."""
        return await self._one(request, "document", request.parameters["documentId"])

    async def find_single(self, request: Request) -> Answer:
        """Show the document of a single type."""
        return await self._one(request, "single", None)

    async def _one(self, request: Request, mode: Mode, document_id: str | None) -> Answer:
        prepared = self._prepare(request, mode)
        item = await self._reader.row(prepared, document_id)
        if item is None:
            raise NotFoundError
        if request.headers.get(HEADER) == VALUE:
            return respond(nest(item, prepared.plan.root, self._reader.schema))
        return respond(item)

    async def write(self, request: Request) -> Answer:
        """Check what can be checked of a write."""
        self._reader.prepare(self._type, "single", request.raw_query, request.principal.ability)
        body = request.body
        data = body.get("data") if isinstance(body, dict) else None
        if not isinstance(data, dict | list):
            raise ValidationError(MISSING_DATA)
        raise UnimplementedError(NOT_WRITABLE)

    async def delete(self, request: Request) -> Answer:
        """Answer for documents that are not there; nothing can be deleted yet."""
        return await self._delete(request, "document", request.parameters["documentId"])

    async def delete_single(self, request: Request) -> Answer:
        """Answer for a single type that is empty; nothing can be deleted yet."""
        return await self._delete(request, "single", None)

    async def _delete(self, request: Request, mode: Mode, document_id: str | None) -> Answer:
        prepared = self._reader.prepare(
            self._type, mode, request.raw_query, request.principal.ability
        )
        if await self._reader.row(prepared, document_id) is None:
            return NO_CONTENT
        raise UnimplementedError(NOT_WRITABLE)
