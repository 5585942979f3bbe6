"""Sessions of end users: refresh, sign out, list."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from quire.access.principal import EndUser
from quire.auth.sessions import Session, Sessions
from quire.auth.token_issuer import TokenIssuer
from quire.clock import iso_from_ms
from quire.content_api.account_context import AccountResponses
from quire.content_api.account_types import ACCOUNTS, AccountBody, AnyText, DeviceId, TokenPair
from quire.content_api.body_decoding import read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.refresh_cookie import RefreshCookie
from quire.content_api.response_types import (
    OK_RESPONSE,
    DataEnvelope,
    FreeObject,
    Moment,
    OkResponse,
)
from quire.content_api.routes import Route
from quire.errors import BadRequestError, NotFoundError, UnauthorizedError

UNKNOWN_SESSION = "Session not found"


NO_TOKEN = "Missing refresh token"  # noqa: S105 - a message
NOBODY = "Missing authentication"
_ALL = "all"


class SessionSummary(Struct, rename="camel", kw_only=True):
    """A place where somebody is signed in."""

    id: int | str | None
    device_id: str | None
    device_name: str | UnsetType = UNSET
    current: bool
    login_at: Moment | UnsetType = UNSET
    last_active_at: Moment | UnsetType = UNSET


S = TypeVar("S", bound=SessionSummary)


def summarize_sessions(
    kind: type[S], sessions: Iterable[Session], current_session_id: str | None
) -> list[S]:
    """Return summaries of sessions, the present one first, then by last use."""
    summaries = [_summarize_session(kind, session, current_session_id) for session in sessions]
    summaries.sort(key=lambda session: str(session.last_active_at), reverse=True)
    summaries.sort(key=lambda session: not session.current)
    return summaries


def _summarize_session(kind: type[S], session: Session, current_session_id: str | None) -> S:
    metadata, created_at = session.metadata or {}, session.created_at
    return kind(
        id=session.session_id,
        device_id=session.device_id,
        device_name=_or_unset(metadata.get("deviceName")),
        current=session.session_id == current_session_id,
        login_at=_or_unset(metadata.get("loginAt")),
        last_active_at=UNSET if created_at is None else iso_from_ms(created_at),
    )


def _or_unset(value: Any) -> Any:  # noqa: ANN401 - what was stored
    return UNSET if value is None else value


class RefreshInput(AccountBody):
    """The token to refresh with, where no cookie holds it."""

    refresh_token: AnyText = UNSET


class SignOutInput(RefreshInput):
    """Which sessions end: without anything, that of the tokens."""

    scope: Annotated[object | UnsetType, Meta(extra_json_schema={"const": _ALL})] = UNSET
    device_id: DeviceId = UNSET


class EndUserSession(SessionSummary):
    """A place where an end user is signed in."""


class SessionApi:
    """``/auth/refresh``, ``/auth/logout`` and ``/auth/sessions``."""

    def __init__(
        self, responses: AccountResponses, issuer: TokenIssuer, cookie: RefreshCookie
    ) -> None:
        self._responses = responses
        self._issuer = issuer
        self._cookie = cookie

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        empty_response = DataEnvelope[FreeObject]
        route_arguments: tuple[tuple[str, str, str, Handler, object, object], ...] = (
            ("POST", "refresh", "refresh", self.refresh, RefreshInput | None, TokenPair),
            ("POST", "logout", "logout", self.sign_out, SignOutInput | None, OkResponse),
            (
                "GET",
                "sessions",
                "getSessions",
                self.list_sessions,
                None,
                DataEnvelope[list[EndUserSession]],
            ),
            (
                "DELETE",
                "sessions/:sessionId",
                "revokeSession",
                self.end_session,
                None,
                empty_response,
            ),
        )
        has_sessions = self._issuer.sessions is not None
        for method, path, action, handler, body, response in route_arguments:
            yield ACCOUNTS(
                method,
                f"auth/{path}",
                action,
                handler,
                body=body,
                response=response,
                is_described=has_sessions,
            )

    async def refresh(self, request: Request) -> Response:
        """Exchange a refresh token for new tokens."""
        sessions = self._sessions()
        token = self._cookie.read(request) or _refresh_token(request)
        if not isinstance(token, str) or not token:
            error = BadRequestError(NO_TOKEN)
            error.details = {}
            raise error
        return self._responses.pair(request, await self._issuer.refresh(sessions, token))

    async def sign_out(self, request: Request) -> Response:
        """End the session of the caller, those of one device, or all."""
        sessions, user = self._sessions(), _user(request)
        body = read_body(request.body_fields, SignOutInput)
        device = body.device_id
        if body.scope == _ALL:
            await self._issuer.end_all(sessions, user.id)
        elif isinstance(device, str) and device:
            await self._issuer.end_all(sessions, user.id, device)
        else:
            await self._end_current_session(sessions, user, request)
        response = respond_bare(OK_RESPONSE)
        if self._cookie.is_wanted(request):
            response.headers = self._cookie.clear()
        return response

    async def _end_current_session(
        self, sessions: Sessions, user: EndUser, request: Request
    ) -> None:
        token = self._cookie.read(request) or _refresh_token(request)
        cookie_session_id = None
        if isinstance(token, str):
            cookie_session_id = sessions.session_of_refresh_token(token, self._issuer.clock())
        session_id = cookie_session_id or user.session_id
        if session_id is not None:
            await self._issuer.end(sessions, user.id, session_id)

    async def list_sessions(self, request: Request) -> Response:
        """List the sessions of the caller, the present one first, then by last use."""
        sessions, user = self._sessions(), _user(request)
        now = self._issuer.clock()
        active_sessions = await self._responses.read(lambda: sessions.active(user.id, now))
        summaries = summarize_sessions(EndUserSession, active_sessions, user.session_id)
        return respond_bare(DataEnvelope(summaries))

    async def end_session(self, request: Request) -> Response:
        """End one of the sessions of the caller."""
        sessions, user = self._sessions(), _user(request)
        if not await self._issuer.end(sessions, user.id, request.parameters["sessionId"]):
            raise NotFoundError(UNKNOWN_SESSION)
        return respond_bare(DataEnvelope({}))

    def _sessions(self) -> Sessions:
        """Return the sessions, if end users have them. Raises NotFoundError."""
        if self._issuer.sessions is None:
            raise NotFoundError
        return self._issuer.sessions


def _user(request: Request) -> EndUser:
    if not isinstance(request.principal, EndUser):
        raise UnauthorizedError(NOBODY)
    return request.principal


def _refresh_token(request: Request) -> object:
    return read_body(request.body_fields, RefreshInput).refresh_token
