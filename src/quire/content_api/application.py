"""The content API as an ASGI application with one route table.

A request passes these steps: read the body, find the route, authenticate, check the permission,
call the handler, send the response. Handlers raise errors; only this module converts them to
responses. Reads have a second entry point, `ContentApi.respond_now`, which never waits
(`quire.content_api.fast_path`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import structlog
from msgspec import Struct

from quire.access.principal import EndUser, Principal
from quire.auth.authenticator import Authenticator
from quire.content_api.cache_control import PrivateCaching, SharedCaching
from quire.content_api.customised_routes import EVERYBODY
from quire.content_api.draft_access import refuse_drafts
from quire.content_api.envelope import respond_error
from quire.content_api.headers import Header, ResponseHeaders, head_error
from quire.content_api.http_messages import (
    NO_CONTENT,
    REQUEST_ID,
    TEXT,
    AsgiApp,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    Request,
    Response,
    credential_of,
)
from quire.content_api.project_auth_strategies import Strategies
from quire.content_api.raw_body import METHODS_WITH_BODY, is_form, read_body
from quire.content_api.readiness import Readiness
from quire.content_api.request_observer import CountedResponse, RequestObserver
from quire.content_api.request_tracing import note_response
from quire.content_api.routes import METHODS, Authorizer, MatchedRoute, Route, RouteTable
from quire.content_manager.content_version import ContentVersion
from quire.database.interface import WouldBlockError, run_now
from quire.database.replica_reads import allow_replica_reads
from quire.database.retry_guard import watch_commits
from quire.document_service.project_rules import acting
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import (
    AccessDeniedError,
    AppError,
    InternalServerError,
    NotFoundError,
    ProjectCodeError,
    ProjectCodeTimeoutError,
    RejectedCredentialError,
    ServiceUnavailableError,
    StaleSchemaError,
    UnauthorizedError,
    UnimplementedError,
)
from quire.hooks.errors import FAILURES, is_cancelled
from quire.logging import request_id
from quire.settings import Settings

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing

_log = structlog.get_logger("quire.content_api")


class OtherApi(Protocol):
    """Handles requests for other APIs."""

    async def __call__(self, request: Request) -> Response | None:
        """Handle a request; ``None`` if it has no route there."""

    def streams(self, method: str, raw_path: bytes) -> bool:
        """Tell whether the handler of a request reads forms itself."""

    def methods(self, raw_path: bytes) -> frozenset[str]:
        """Return the methods of the routes at a path."""


Successor = Callable[["ContentApi"], Awaitable["ContentApi | None"]]
"""Returns the replacement of an API whose tables have changed, ``None`` if they have not.

Raises ServiceUnavailableError when there is no replacement in time.
"""

_PROJECT_PREFIX = "api::"
_FILE_METHODS = frozenset({"HEAD", "GET"})
_HEALTH_PATH = b"/_health"
_READY_PATH = b"/_ready"
_SERVER_ERROR = 500
_SHUTTING_DOWN = "The server is shutting down"
_MAX_ATTEMPTS = 4
"""How often a request is repeated after a change of the schema: another change may follow."""


async def no_successor(_: "ContentApi") -> None:
    """The successor of an API whose content types never change."""


class OtherResponders(Struct, frozen=True, kw_only=True):
    """Handlers of requests that are not for the content API.

    ``public`` serves files, ``api`` is the admin API, ``readiness`` handles ``/_ready``;
    ``successor`` returns the replacement of an outdated content API. With ``tracing``,
    sampled requests do not use the fast path.
    """

    readiness: Readiness
    public: AsgiApp
    api: OtherApi | None = None
    successor: Successor = no_successor
    observer: RequestObserver | None = None
    tracing: "Tracing | None" = None
    shared_caching: SharedCaching | None = None


class ContentApi:
    """Handles all requests: the API's routes, both probes, and others through ``others``."""

    def __init__(
        self,
        routes: RouteTable,
        content_version: ContentVersion,
        authenticator: Authenticator,
        *,
        settings: Settings,
        headers: ResponseHeaders,
        authorizer: Authorizer,
        engine: WriteEngine,
        responders: OtherResponders,
    ) -> None:
        self.successor = responders.successor
        self._routes = routes
        self.routes = routes.routes
        self._content_version = content_version
        self._authenticator = authenticator
        self._prefix = settings.api.prefix.rstrip("/").lower().encode()
        self._limits = settings.limits
        self.headers = headers
        self._authorizer = authorizer
        self._narrow = engine.rules.narrow
        self._policies = engine.policies
        self._is_development = settings.is_development
        self._drafts_need_token = settings.api.drafts_need_token
        self._readiness = responders.readiness
        self._public = responders.public
        self._other_api = responders.api
        self.observer = responders.observer
        self.tracing = responders.tracing
        self._shared_caching: SharedCaching | PrivateCaching | None = responders.shared_caching
        strategies = engine.extensions.strategies
        self._strategies = Strategies(strategies, authenticator) if strategies else None
        if strategies:
            # A strategy may take credentials from any header, or from the address of the client,
            # and `Vary` names none of them: a cache would serve the response of one to others.
            self._shared_caching = PrivateCaching()

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Handle one HTTP request."""
        headers = dict(scope["headers"])
        request = Request(
            scope["method"],
            scope["raw_path"],
            scope["query_string"],
            headers,
            scope.get("client"),
            credential_of(headers),
        )
        request_id.set(request.id.decode())
        observer = self.observer
        if observer is None and self.tracing is None:
            await self._respond(request, scope, receive, send)
            return
        start_time = perf_counter()
        counted_response = CountedResponse(send)
        if observer is not None:
            observer.in_flight += 1
        try:
            await self._respond(request, scope, receive, counted_response.send)
        finally:
            status = counted_response.status
            if observer is not None:
                observer.in_flight -= 1
                if status:
                    seconds = perf_counter() - start_time
                    observer.add(request, status, counted_response.size, seconds)
            if self.tracing is not None and status:
                note_response(self.tracing, request, status)

    async def _respond(
        self, request: Request, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend
    ) -> None:
        error = head_error(scope["headers"], request.headers, scope["http_version"])
        try:
            if error is None:
                response = await self.response(request, receive)
            else:
                response = respond_error(error)
        except asyncio.CancelledError:
            await self._send_response(respond_cancelled(request), request, scope, receive, send)
            raise
        await self._send_response(response, request, scope, receive, send)

    async def response(self, request: Request, receive: AsgiReceive) -> Response | None:
        """Return the response to a request, ``None`` if it is for the public folder.

        Only raises CancelledError: all other errors become responses.
        """
        response = await self._response(request, receive)
        if self._shared_caching is None or response is None:
            return response
        return self._shared_caching.add_headers(request, response)

    async def _response(self, request: Request, receive: AsgiReceive) -> Response | None:
        try:
            if request.method in METHODS_WITH_BODY:
                await self._read_body(request, receive)
            return await self.respond_to_read(request)
        except StaleSchemaError as error:
            return await self._respond_with_successor(request, error)
        except FAILURES as error:  # logged, and answered without its text
            if is_cancelled(error):
                raise
            return self._respond_exception(request, error)

    def respond_now(self, request: Request) -> Response | None:
        """Return the response to a GET of content, if no waiting is needed.

        ``None`` says that `response` has to be awaited, or that the request is for something else
        (see `reads_content`); then nothing has been done.
        """
        try:
            response = self._respond_now(request)
        except (WouldBlockError, StaleSchemaError):
            request.may_wait = True
            return None
        except FAILURES as error:  # as in `response`
            response = self._respond_exception(request, error)
        if self._shared_caching is None or response is None:
            return response
        return self._shared_caching.add_headers(request, response)

    def _respond_now(self, request: Request) -> Response | None:
        if request.path.removesuffix(b"/") == _HEALTH_PATH:
            return NO_CONTENT
        match = self._match_route(request)
        if self._strategies is not None:
            return None  # strategies are coroutines
        if match is None or not match[0].is_immediate:
            return None
        version = self._content_version.current_or_none()
        if version is None:
            return None
        principal = self._authenticator.cached_principal(request.credential, version)
        if principal is None:
            return None
        route, request.parameters = match
        request.version = version
        self._admit(principal, route, request)
        if self._drafts_need_token:
            refuse_drafts(principal, request)
        request.may_wait = False
        return run_now(route.handler(request))

    def _admit(self, principal: Principal, route: Route, request: Request) -> None:
        """Check the permission and the policies of a route. Raises ForbiddenError."""
        request.identify(principal, self._narrow)
        self._authorizer.require(principal, route.action, route.uid)
        if self._policies.guard_read(route.action):
            request.is_guarded = True
            self._policies.require_read(
                route.action,
                acting(principal),
                document_id=request.parameters.get("documentId"),
                query=request.query,
            )

    async def role_principal(self, role_id: int) -> Principal:
        """See `Authenticator.role_principal`."""
        return await self._authenticator.role_principal(role_id)

    async def user_principal(self, user_id: int) -> EndUser:
        """See `Authenticator.user_principal`."""
        return await self._authenticator.user_principal(user_id)

    async def response_as(self, request: Request, principal: Principal) -> Response:
        """Return the response to a GET of content for ``principal``.

        Routes of plugins are excluded: some of them do more than read. Raises StaleSchemaError.
        """
        match = self._match_route(request)
        if match is None or not (match[0].uid or "").startswith(_PROJECT_PREFIX):
            return respond_error(NotFoundError())
        route, request.parameters = match
        try:
            request.version = await self._content_version.current()
            self._admit(principal, route, request)
            if self._drafts_need_token:
                refuse_drafts(principal, request)
            return await route.handler(request)
        except StaleSchemaError:
            raise
        except FAILURES as error:  # as in `response`
            if is_cancelled(error):
                raise
            return self._respond_exception(request, error)

    def reads_content(self, request: Request) -> bool:
        """Tell whether a GET is for a route that needs no ASGI messages."""
        match = self._match_route(request)
        return match is not None and (match[0].is_immediate or match[0].runs_in_task)

    async def _respond_with_successor(
        self, request: Request, error: StaleSchemaError
    ) -> Response | None:
        """Repeat a request whose tables have changed meanwhile, with the replacement of this API.

        A request that has committed something is not repeated, because it would be written twice;
        nor is one whose body was streamed to its handler, because the body is gone: the client gets
        503 and has to send it again.
        """
        stale_error = error
        outdated = self
        for _ in range(_MAX_ATTEMPTS):
            try:
                successor = await outdated.successor(outdated)
                if successor is None or _has_committed(request):
                    break
                if hasattr(request, "receive"):
                    return respond_error(ServiceUnavailableError())
                outdated = successor
                return await successor.respond_to_read(request)
            except StaleSchemaError as repeated_error:
                stale_error = repeated_error
            except FAILURES as unexpected:  # as in `response`
                if is_cancelled(unexpected):
                    raise
                return self._respond_exception(request, unexpected)
        return self._respond_exception(request, stale_error)

    def _respond_exception(self, request: Request, error: BaseException) -> Response:
        """Respond to an error, and log it if it is an internal one.

        In development there is a line about denied access as well; otherwise the reason is in the
        line of the request, since anybody can send many such requests.
        """
        log_fields = _log_fields(request)
        if isinstance(error, ProjectCodeError | ProjectCodeTimeoutError):
            request.failure = error
        if isinstance(error, ServiceUnavailableError):
            # An outage hits many requests, whose tracebacks would be equal and fill the log.
            reason = repr(error.__cause__ or error)
            _log.warning("request put off", **log_fields, reason=reason)
            return respond_error(error)
        request.denial = _denial(error) or request.denial
        if request.denial is not None and self._is_development:
            event = "unauthorized" if isinstance(error, UnauthorizedError) else "forbidden"
            _log.info(event, **log_fields, reason=request.denial)
        if isinstance(error, AppError):
            if error.status >= _SERVER_ERROR and not isinstance(error, UnimplementedError):
                _log.error("request failed", **log_fields, exc_info=error)
            elif self._is_development and request.denial is None and hasattr(error, "__notes__"):
                _log.info(
                    "a function of the project rejects the request",
                    **log_fields,
                    reason=error.message,
                    code="; ".join(error.__notes__),
                )
            return respond_error(error)
        _log.error("request failed", **log_fields, exc_info=error)
        return respond_error(InternalServerError())

    async def _send_response(
        self,
        response: Response | None,
        request: Request,
        scope: AsgiScope,
        receive: AsgiReceive,
        send: AsgiSend,
    ) -> None:
        """Send a response with the headers that all responses have."""
        method, headers = request.method, request.headers
        id_header = (REQUEST_ID, request.id)
        if response is None:
            static_headers = self.headers.static(headers.get(b"origin"))
            scope["quire.headers"] = (*static_headers, id_header)
            await self._public(scope, receive, send)
            return
        response_headers = self._common_headers(response, method, headers)
        response_headers += [*response.described(), id_header]
        await send(
            {"type": "http.response.start", "status": response.status, "headers": response_headers}
        )
        body = b"" if method == "HEAD" else response.body
        await send({"type": "http.response.body", "body": body})

    def _common_headers(
        self, response: Response, method: str, headers: Mapping[bytes, bytes]
    ) -> list[Header]:
        origin = headers.get(b"origin")
        if method != "OPTIONS":
            return [*self.headers.api(origin)]
        preflight = _is_preflight(headers) and response is not NO_CONTENT
        return [*self.headers.options(origin if preflight else None)]

    async def _read_body(self, request: Request, receive: AsgiReceive) -> None:
        """Read the body of a request, or leave it to the handler."""
        if self._is_streamed(request):
            request.receive = receive
        else:
            request.body = await read_body(request.headers, receive, self._limits)

    async def respond_to_read(self, request: Request) -> Response | None:
        """Handle a request whose body has been read; raises its errors.

        Returns ``None`` if it is for the public folder.
        """
        method, headers = request.method, request.headers
        route_method = "GET" if method == "HEAD" else method
        allow_replica_reads(is_allowed=route_method == "GET")
        path = request.path.removesuffix(b"/")
        if path == _HEALTH_PATH:
            return NO_CONTENT
        if path == _READY_PATH:
            return await self._readiness.respond()
        if method == "OPTIONS" and b"origin" in headers and _is_preflight(headers):
            return Response(204, b"", None)
        match = self._match_route(request)
        if match is None:
            if route_method != "GET":
                request.commits = watch_commits()
            response = await self._other_api(request) if self._other_api is not None else None
            return response or self._respond_unrouted(method, request.path)
        route, request.parameters = match
        version = self._content_version.current_or_none()
        if version is None:
            version = await self._content_version.current()
        request.version = version
        principal = await self._principal(request, route, version)
        self._admit(principal, route, request)
        if route_method != "GET":
            request.commits = watch_commits()
        elif self._drafts_need_token:
            refuse_drafts(principal, request)
        return await route.handler(request)

    async def _principal(self, request: Request, route: Route, version: int | None) -> Principal:
        """Return the principal; a public route needs none."""
        if route.is_open:
            return EVERYBODY
        if self._strategies is not None:
            user = await self._strategies.identify(request)
            if user is not None:
                return user
        principal = self._authenticator.cached_principal(request.credential, version)
        if principal is not None:
            return principal
        header = request.headers.get(b"authorization")
        return await self._authenticator.principal(header, version)

    def _is_streamed(self, request: Request) -> bool:
        """Tell whether a form is for a handler that reads it itself."""
        if not is_form(request.headers):
            return False
        match = self._match_route(request)
        if match is not None:
            return match[0].streams
        return self._other_api is not None and self._other_api.streams(request.method, request.path)

    def _match_route(self, request: Request) -> MatchedRoute | None:
        """Return the route of a request, which is looked up once.

        Raises BadRequestError as `RouteTable.find` does.
        """
        if request.found is not None and request.found[0] is self._routes:
            return request.found[1]
        path = self._strip_prefix(request.path)
        method = "GET" if request.method == "HEAD" else request.method
        match = None if path is None else self._routes.find(method, path)
        request.found = self._routes, match
        return match

    def _strip_prefix(self, raw_path: bytes) -> bytes | None:
        prefix = self._prefix
        if raw_path.startswith(prefix) or raw_path[: len(prefix)].lower() == prefix:
            return raw_path[len(prefix) :]
        return None

    def _respond_unrouted(self, method: str, raw_path: bytes) -> Response | None:
        """Return the response for a path or method without a route."""
        headers = ((b"allow", self._allowed_methods(raw_path).encode()),)
        if method == "OPTIONS":
            return Response(200, b"", TEXT, headers)
        if method in {"GET", "HEAD"}:
            return None
        if method not in METHODS:
            return Response(501, b"Not Implemented", TEXT, headers)
        return Response(405, b"Method Not Allowed", TEXT, headers)

    def _allowed_methods(self, raw_path: bytes) -> str:
        """Return the methods of a path for ``Allow``.

        GET is always allowed: a path without a route may be a file.
        """
        path = self._strip_prefix(raw_path)
        methods = frozenset() if path is None else self._routes.methods(path)
        if self._other_api is not None:
            methods |= self._other_api.methods(raw_path)
        return ", ".join(method for method in METHODS if method in methods | _FILE_METHODS)


def _has_committed(request: Request) -> bool:
    return request.commits is not None and request.commits.count > 0


def respond_cancelled(request: Request) -> Response:
    """Respond to a request that exceeds the shutdown timeout and was cancelled."""
    _log.warning("request cut off: the server stops", **_log_fields(request))
    return respond_error(ServiceUnavailableError(_SHUTTING_DOWN))


def _denial(error: BaseException) -> str | None:
    """Return why access was denied, ``None`` for other errors."""
    match error:
        case AccessDeniedError() | RejectedCredentialError():
            return error.reason
        case UnauthorizedError():
            return error.message
        case _:
            return None


def _log_fields(request: Request) -> dict[str, str]:
    """Return the log fields of a request."""
    return {"path": request.path.decode("latin-1"), "request_id": request.id.decode()}


def _is_preflight(headers: Mapping[bytes, bytes]) -> bool:
    return b"access-control-request-method" in headers
