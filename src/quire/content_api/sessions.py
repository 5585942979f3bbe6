"""Sessions of end users: refresh, sign out, list."""

from collections.abc import Iterator, Mapping

from quire.access.principal import EndUser
from quire.auth.sessions import Session, Sessions
from quire.auth.token_issuer import TokenIssuer
from quire.clock import iso_from_ms
from quire.content_api.account_handlers import AccountResponses
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.refresh_cookie import RefreshCookie
from quire.content_api.routes import Route
from quire.errors import BadRequestError, NotFoundError, UnauthorizedError

NO_TOKEN = "Missing refresh token"  # noqa: S105 - a message
NOBODY = "Missing authentication"
UNKNOWN = "Session not found"
_ALL = "all"


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
        for method, path, action, handler in (
            ("POST", "auth/refresh", "refresh", self.refresh),
            ("POST", "auth/logout", "logout", self.logout),
            ("GET", "auth/sessions", "getSessions", self.find),
            ("DELETE", "auth/sessions/:sessionId", "revokeSession", self.revoke),
        ):
            yield self._responses.route(method, path, action, handler)

    async def refresh(self, request: Request) -> Response:
        """Exchange a refresh token for new tokens."""
        sessions = self._sessions()
        token = self._cookie.read(request) or _body(request).get("refreshToken")
        if not isinstance(token, str) or not token:
            error = BadRequestError(NO_TOKEN)
            error.details = {}
            raise error
        return self._responses.pair(request, await self._issuer.refresh(sessions, token), {})

    async def logout(self, request: Request) -> Response:
        """End the session of the caller, those of one device, or all."""
        sessions, user = self._sessions(), _user(request)
        body = _body(request)
        device = body.get("deviceId")
        if body.get("scope") == _ALL:
            await self._issuer.end_all(sessions, user.id)
        elif isinstance(device, str) and device:
            await self._issuer.end_all(sessions, user.id, device)
        else:
            await self._end_this(sessions, user, request)
        response = respond_bare({"ok": True})
        if self._cookie.is_wanted(request):
            response.headers = self._cookie.clear()
        return response

    async def _end_this(self, sessions: Sessions, user: EndUser, request: Request) -> None:
        token = self._cookie.read(request) or _body(request).get("refreshToken")
        named = None
        if isinstance(token, str):
            named = sessions.refreshed_by(token, self._issuer.clock())
        session_id = named or user.session_id
        if session_id is not None:
            await self._issuer.end(sessions, user.id, session_id)

    async def find(self, request: Request) -> Response:
        """List the sessions of the caller, the present one first, then by last use."""
        sessions, user = self._sessions(), _user(request)
        now = self._issuer.clock()
        found = await self._responses.read(lambda: sessions.active(user.id, now))
        shown = [_shown(session, user.session_id) for session in found]
        shown.sort(key=lambda session: str(session["lastActiveAt"]), reverse=True)
        shown.sort(key=lambda session: session["current"] is not True)
        return respond_bare({"data": shown})

    async def revoke(self, request: Request) -> Response:
        """End one of the sessions of the caller."""
        sessions, user = self._sessions(), _user(request)
        if not await self._issuer.end(sessions, user.id, request.parameters["sessionId"]):
            raise NotFoundError(UNKNOWN)
        return respond_bare({"data": {}})

    def _sessions(self) -> Sessions:
        """Return the sessions, if end users have them. Raises NotFoundError."""
        if self._issuer.sessions is None:
            raise NotFoundError
        return self._issuer.sessions


def _user(request: Request) -> EndUser:
    if not isinstance(request.principal, EndUser):
        raise UnauthorizedError(NOBODY)
    return request.principal


def _body(request: Request) -> Mapping[str, object]:
    return request.body if isinstance(request.body, Mapping) else {}


def _shown(session: Session, current: str | None) -> dict[str, object]:
    about, created = session.metadata or {}, session.created_at
    shown = {
        "id": session.session_id,
        "deviceId": session.device_id,
        "deviceName": about.get("deviceName"),
        "current": session.session_id == current,
        "loginAt": about.get("loginAt"),
        "lastActiveAt": None if created is None else iso_from_ms(created),
    }
    optional = {"deviceName", "loginAt", "lastActiveAt"}
    return {name: v for name, v in shown.items() if v is not None or name not in optional}
