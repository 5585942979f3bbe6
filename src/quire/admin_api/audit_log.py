"""The audit log: records changes by administrators, and lists them for super admins."""

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Annotated, ClassVar, TypeVar

import msgspec
import orjson
import structlog
from msgspec import UNSET, Meta, Struct, UnsetType

from quire.access.declared_routes import MediaType
from quire.admin_api.response_types import (
    BEFORE_ID_DESCRIPTION,
    PROJECT,
    DataEnvelope,
    FreeObject,
    Moment,
)
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.router import SUPER_ADMINS
from quire.clock import Clock
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import number_in
from quire.database.interface import Database, DatabaseWrapper
from quire.database.outage_log import describe_failure
from quire.database.program import Program
from quire.database.stores.audit_log import FILTER_COLUMNS, AuditLog, AuditQuery, AuditRow
from quire.errors import AppError, ForbiddenError

_log = structlog.get_logger("quire.audit")

T = TypeVar("T")

_Lines = Annotated[str, MediaType("application/x-ndjson")]
NDJSON = b"application/x-ndjson; charset=utf-8"
_PAGE_SIZE, _MAX_PAGE_SIZE = 50, 1000
_MAX_EXPORTED_ROWS = 10_000
_MAX_LENGTH = 320
_LOGGED_FIELDS = ("ids", "documentIds", "locale", "locales")
"""Keys of bodies with the target of an action; nothing else of a body is stored."""
_STATUS_OK, _STATUS_FAILED = 200, 400
_SIGN_IN, _REFUSED_SIGN_INS = "admin/login", frozenset({400, 401})
_NOTED_AFTERWARDS = frozenset({_SIGN_IN, "admin/forgot-password"})
_UNLOGGED_ROUTES = frozenset({"admin/access-token", "admin/permissions/check"})
"""POST routes without relevant changes."""


class _PendingRow(Struct):
    """A request that changes something: its audit row, and whether that is written."""

    row: AuditRow
    noted: bool = False


_pending: ContextVar[_PendingRow | None] = ContextVar("audited request", default=None)


class AuditedDatabase(DatabaseWrapper):
    """A database whose writes include the audit row of the request, in the same transaction.

    Writes outside of requests of administrators are passed on.
    """

    def __init__(self, database: Database, log: AuditLog) -> None:
        super().__init__(database)
        self._log = log

    async def write(self, program: Program[T]) -> T:
        """See `Database.write`; the first write of a request includes its audit row."""
        pending = _pending.get()
        if pending is None or pending.noted:
            return await self._database.write(program)
        result = await self._database.write(self._add_audit_row(program, pending.row))
        pending.noted = True
        return result

    def _add_audit_row(self, program: Program[T], row: AuditRow) -> Program[T]:
        result = yield from program
        yield from self._log.insert(row)
        return result


class AuditTrail:
    """Records actions of the admin API, and attempts at its open routes."""

    def __init__(self, log: AuditLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def record_request(self, request: Request, route: Route) -> None:
        """Record the request in the transaction of its change.

        A sign-in is recorded after the response, since it may write and be rejected all the same;
        so are routes that write after the response. Raises ServiceUnavailableError.
        """
        _pending.set(None)
        if (
            not _is_recorded(request, route, _STATUS_OK)
            or route.path.strip("/") in _NOTED_AFTERWARDS
        ):
            return
        await self._log.ready()
        _pending.set(_PendingRow(self._row(request, route, route.status)))

    async def record_response(self, request: Request, route: Route, status: int) -> None:
        """Record a request after the response, unless it was recorded with its change.

        Failures are logged.
        """
        pending = _pending.get()
        _pending.set(None)
        if not _is_recorded(request, route, status):
            return
        if status < _STATUS_FAILED and pending is not None and pending.noted:
            return
        row = self._row(request, route, status)
        try:
            await self._log.add(row)
        except AppError as error:
            fields = describe_failure(error)
            _log.error("not noted", action=row.action, actor=row.actor, **fields)

    def _row(self, request: Request, route: Route, status: int) -> AuditRow:
        body = request.body_fields
        actor_id, actor = None, body.get("email")
        if route.action is not None:
            actor_id, actor = request.administrator.id, request.administrator.email
        return AuditRow(
            at=self._clock(),
            actor_id=actor_id,
            actor=actor.lower()[:_MAX_LENGTH] if isinstance(actor, str) else "",
            action=f"{request.method} /{route.path.strip('/')}",
            target="/".join(request.parameters.values())[:_MAX_LENGTH],
            details=_details(request, body),
            status=status,
            place=request.client[0] if request.client else "",
        )


def _is_recorded(request: Request, route: Route, status: int) -> bool:
    """Tell whether a request is recorded.

    Of failed requests these are missing permissions and sign-ins: these are rate-limited before
    they are processed, so that nobody can fill the log from outside.
    """
    path = route.path.strip("/")
    if request.method in {"GET", "HEAD"} or path in _UNLOGGED_ROUTES:
        return False
    if status < _STATUS_FAILED:
        return True
    return status in _REFUSED_SIGN_INS if path == _SIGN_IN else status == ForbiddenError.status


class AuditFilter(Struct):
    """The filter of the listed rows."""

    actor: str | UnsetType = UNSET
    action: str | UnsetType = UNSET
    target: str | UnsetType = UNSET
    type: (
        Annotated[
            str, Meta(description="The uid of a content type: what was done to it and its entries.")
        ]
        | UnsetType
    ) = UNSET
    since: Annotated[int, Meta(description="Milliseconds since 1970.")] | UnsetType = UNSET
    until: Annotated[int, Meta(description="Milliseconds since 1970.")] | UnsetType = UNSET
    before: Annotated[int, Meta(description=BEFORE_ID_DESCRIPTION)] | UnsetType = UNSET
    limit: int | UnsetType = UNSET


class AuditRowResponse(Struct, rename="camel"):
    """An action of an administrator, and its time."""

    schema_name: ClassVar[str] = "AuditRow"
    id: int
    at: Moment
    actor_id: int | None
    actor: str
    action: str
    target: str
    details: FreeObject | None
    status: int
    place: str


class AuditApi:
    """``/admin/x/audit``."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, path = RouteGroup(PROJECT), "admin/x/audit"
        rows_response = DataEnvelope[list[AuditRowResponse]]
        yield route("GET", path, SUPER_ADMINS, self.find, query=AuditFilter, response=rows_response)
        path = f"{path}/export"
        yield route("GET", path, SUPER_ADMINS, self.export, query=AuditFilter, response=_Lines)

    async def find(self, request: Request) -> Response:
        """List actions, the latest first; ``before`` is the last known id."""
        rows = await self._log.find(_query(request, _PAGE_SIZE, _MAX_PAGE_SIZE))
        return respond_data([_serialize_row(row) for row in rows])

    async def export(self, request: Request) -> Response:
        """Return the same as lines of JSON, more at once."""
        rows = await self._log.find(_query(request, _MAX_EXPORTED_ROWS, _MAX_EXPORTED_ROWS))
        lines = b"".join(msgspec.json.encode(_serialize_row(row)) + b"\n" for row in rows)
        attachment = b'attachment; filename="audit.ndjson"'
        return Response(200, lines, NDJSON, ((b"content-disposition", attachment),))


def _details(request: Request, body: Mapping[str, object]) -> str:
    details: dict[str, object] = {name: body[name] for name in _LOGGED_FIELDS if name in body}
    details |= {name: request.query[name] for name in _LOGGED_FIELDS if name in request.query}
    text = orjson.dumps(details).decode() if details else ""
    return text[:_MAX_PAGE_SIZE]


def _query(request: Request, limit: int, max_rows: int) -> AuditQuery:
    query = request.query
    parsed_numbers = {
        name: number_in(query, name) for name in ("limit", "before", "since", "until")
    }
    requested_limit = parsed_numbers["limit"] if parsed_numbers["limit"] is not None else limit
    return AuditQuery(
        values={
            name: str(query[name]) for name in FILTER_COLUMNS if isinstance(query.get(name), str)
        },
        limit=min(requested_limit, max_rows),
        before=parsed_numbers["before"],
        since=parsed_numbers["since"],
        until=parsed_numbers["until"],
        type=str(query["type"]) if isinstance(query.get("type"), str) else None,
    )


def _serialize_row(row: AuditRow) -> AuditRowResponse:
    return build_response(AuditRowResponse, row, details=_parse_details(row.details))


def _parse_details(text: str) -> object:
    """Return stored details, ``None`` without any and for those that were too long to store."""
    try:
        details: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return details
