"""Sessions of administrators and end users: one row per refresh token.

A session begins with a sign-in. Its refresh token, which a browser stores in a cookie, is exchanged
for a new one with each new access token, so each can be used once. An access token is valid for
minutes, and only as long as its session exists.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec import Struct

from quire.auth.jwt_and_api_tokens import read_claims, sign_claims
from quire.clock import iso_from_ms
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.stores.row_conditions import eq

SESSION_UID = "admin::session"
ORIGIN = "admin"
ACCESS, REFRESH = "access", "refresh"
BROWSER_SESSION, PERSISTENT_SESSION = "session", "refresh"
"""Kinds of sessions: until the browser is closed, and until sign-out."""

_SESSION_BYTES = 16
_SECOND_MS = 1000
_OVERLAP_MS = 60 * _SECOND_MS


class Session(Struct, frozen=True, kw_only=True, rename="camel"):
    """A session as stored; times are epoch milliseconds."""

    id: int
    user_id: str | None = None
    session_id: str | None = None
    child_id: str | None = None
    device_id: str | None = None
    origin: str | None = None
    type: str | None = None
    status: str | None = None
    expires_at: int | None = None
    absolute_expires_at: int | None = None
    metadata: Mapping[str, object] | None = None
    created_at: int | None = None
    updated_at: int | None = None

    def is_valid(self, now: int) -> bool:
        """Tell whether it has not ended; a session without an end is invalid."""
        if self.expires_at is None or self.expires_at <= now:
            return False
        return self.absolute_expires_at is None or self.absolute_expires_at > now


class SessionLifetimes(Struct, frozen=True, kw_only=True):
    """The lifetimes of access tokens, and of both kinds of sessions."""

    access: timedelta = timedelta(minutes=30)
    idle: Mapping[str, timedelta]
    longest: Mapping[str, timedelta]


DEFAULT_LIFETIMES = SessionLifetimes(
    idle={BROWSER_SESSION: timedelta(hours=2), PERSISTENT_SESSION: timedelta(days=14)},
    longest={BROWSER_SESSION: timedelta(days=1), PERSISTENT_SESSION: timedelta(days=30)},
)


class Tokens(Struct, frozen=True, kw_only=True):
    """The tokens of a sign-in; times are epoch milliseconds.

    ``ends`` is the expiry of the refresh token, ``None`` for one that ends with the browser.
    """

    access: str
    refresh: str
    ends: int | None


class Sessions:
    """The programs of sessions; tokens are signed with ``secret``."""

    def __init__(
        self,
        tables: ContentTables,
        secret: str,
        lifetimes: SessionLifetimes = DEFAULT_LIFETIMES,
        *,
        origin: str = ORIGIN,
    ) -> None:
        self._rows = tables.table_for(SESSION_UID, Session)
        self._secret = secret
        self._lifetimes = lifetimes
        self._origin = origin

    @property
    def tables(self) -> frozenset[str]:
        """The tables that sessions are read from."""
        return self._rows.tables()

    def begin(
        self,
        user_id: int,
        *,
        device_id: str | None,
        remember: bool,
        now: int,
        device_name: str | None = None,
        is_login: bool = True,
    ) -> Program[Tokens]:
        """Start a session, and delete those of this user that have ended.

        Time and device of a login are stored with it, but not those of a session that continues
        after a password change.
        """
        kind = PERSISTENT_SESSION if remember else BROWSER_SESSION
        yield from self._forget_ended(user_id, now)
        row: dict[str, object] = {
            "userId": str(user_id),
            "deviceId": device_id,
            "origin": self._origin,
            "type": kind,
            "absoluteExpiresAt": now + _milliseconds(self._lifetimes.longest[kind]),
        }
        if is_login:
            device_metadata = {} if device_name is None else {"deviceName": device_name}
            row["metadata"] = {"loginAt": iso_from_ms(now), **device_metadata}
        return (yield from self._create_session(row, kind, now))

    def rotate(self, token: str, now: int) -> Program[Tokens | None]:
        """Exchange a refresh token; ``None`` when it is invalid.

        A token that is used again much later was stolen: its session ends with all its successors.
        Two windows of one browser may well send the same one at once.
        """
        claims = read_claims(token, self._secret, now)
        session = yield from self._lock_session(claims)
        if session is None or not session.is_valid(now):
            return None
        if session.status != "active":
            rotated_at = session.updated_at
            if rotated_at is None or now - rotated_at > _OVERLAP_MS:
                yield from self._end_with_device(session)
            return None
        kind = session.type or PERSISTENT_SESSION
        kind = kind if kind in self._lifetimes.idle else PERSISTENT_SESSION
        session_values = {
            "userId": session.user_id,
            "deviceId": session.device_id,
            "origin": session.origin,
            "type": session.type,
            "metadata": session.metadata,
            "absoluteExpiresAt": session.absolute_expires_at,
        }
        row = {name: value for name, value in session_values.items() if value is not None}
        session_id = secrets.token_hex(_SESSION_BYTES)
        tokens = yield from self._create_session(row, kind, now, session_id)
        changed_values = {"status": "rotated", "childId": session_id}
        yield from self._rows.change(session.id, changed_values, now=now)
        return tokens

    def user_of(self, token: str, now: int) -> Program[tuple[int, str, int] | None]:
        """Return the user and session of an access token, and its expiry.

        ``None`` for invalid tokens, and for ended sessions.
        """
        claims = read_claims(token, self._secret, now)
        session = yield from self._session_of(claims, ACCESS)
        if claims is None or session is None or not session.is_valid(now):
            return None
        user_id = session.user_id or ""
        if not user_id.isdecimal():
            return None
        expires_at = min(int(str(claims["exp"])) * _SECOND_MS, session.expires_at or 0)
        return int(user_id), str(session.session_id), expires_at

    def session_of_refresh_token(self, token: str, now: int) -> str | None:
        """Return the session id of a refresh token, ``None`` for an invalid token."""
        claims = read_claims(token, self._secret, now) or {}
        session_id = claims.get("sessionId")
        is_refresh = claims.get("type") == REFRESH and isinstance(session_id, str)
        return str(session_id) if is_refresh else None

    def active(self, user_id: int, now: int) -> Program[list[Session]]:
        """Return the active sessions of a user, oldest first."""
        sessions = yield from self._select_sessions(user_id)
        return [
            session for session in sessions if session.status == "active" and session.is_valid(now)
        ]

    def device_of(self, user_id: int, session_id: str) -> Program[str | None]:
        """Return the id of the device of a session; ``None`` if it is unknown."""
        sessions = yield from self._select_sessions(user_id)
        return next(
            (session.device_id for session in sessions if session.session_id == session_id), None
        )

    def end(self, user_id: int, session_id: str) -> Program[bool]:
        """End one session of a user with its successors; tell whether there was one."""
        family = _family((yield from self._select_sessions(user_id)), session_id)
        yield from self._rows.delete_ids([session.id for session in family])
        return bool(family)

    def end_all(
        self,
        user_id: int | str,
        *,
        device_id: str | None = None,
        except_session_id: str | None = None,
    ) -> Program[None]:
        """End all sessions of a user, those of one device, or all but one with its predecessors."""
        if except_session_id is not None:
            sessions = yield from self._select_sessions(int(user_id))
            kept_ids = {session.id for session in _family(sessions, except_session_id)}
            ended_ids = [session.id for session in sessions if session.id not in kept_ids]
            yield from self._rows.delete_ids(ended_ids)
            return
        conditions = [eq("userId", str(user_id)), eq("origin", self._origin)]
        if device_id is not None:
            conditions.append(eq("deviceId", device_id))
        yield from self._rows.delete(*conditions)

    def _end_with_device(self, session: Session) -> Program[None]:
        """End the sessions of the device of a session, or that session only."""
        user_id = str(session.user_id)
        if session.device_id is None:
            yield from self.end(int(user_id), str(session.session_id))
        else:
            yield from self.end_all(user_id, device_id=session.device_id)

    def _create_session(
        self,
        row: Mapping[str, object],
        kind: str,
        now: int,
        session_id: str | None = None,
    ) -> Program[Tokens]:
        session_id = session_id or secrets.token_hex(_SESSION_BYTES)
        idle_limit = now + _milliseconds(self._lifetimes.idle[kind])
        session_values = {
            **row,
            "sessionId": session_id,
            "status": "active",
            "expiresAt": idle_limit,
        }
        yield from self._rows.create(session_values, now=now)
        issued_at = now // _SECOND_MS
        common_claims = {"userId": str(row["userId"]), "sessionId": session_id}
        refresh_claims = {
            **common_claims,
            "type": REFRESH,
            "iat": issued_at,
            "exp": idle_limit // _SECOND_MS,
        }
        lifetime = int(self._lifetimes.access.total_seconds())
        access_claims = {
            **common_claims,
            "type": ACCESS,
            "iat": issued_at,
            "exp": issued_at + lifetime,
        }
        absolute_limit = row.get("absoluteExpiresAt")
        expires_at = (
            min(idle_limit, absolute_limit) if isinstance(absolute_limit, int) else idle_limit
        )
        return Tokens(
            access=sign_claims(access_claims, self._secret),
            refresh=sign_claims(refresh_claims, self._secret),
            ends=expires_at if kind == PERSISTENT_SESSION else None,
        )

    def _lock_session(self, claims: Mapping[str, object] | None) -> Program[Session | None]:
        """Return the session of a refresh token, locked against concurrent exchanges."""
        session = yield from self._session_of(claims, REFRESH)
        if session is None:
            return None
        yield from self._rows.update({"sessionId": session.session_id}, eq("id", session.id))
        return (yield from self._session_of(claims, REFRESH))

    def _session_of(
        self, claims: Mapping[str, object] | None, type_: str
    ) -> Program[Session | None]:
        if claims is None or claims.get("type") != type_:
            return None
        session_id = claims.get("sessionId")
        if not isinstance(session_id, str):
            return None
        rows = yield from self._rows.select(eq("sessionId", session_id))
        return next((row for row in rows if self._belongs_to_user(row, claims.get("userId"))), None)

    def _forget_ended(self, user_id: int, now: int) -> Program[None]:
        sessions = yield from self._select_sessions(user_id)
        yield from self._rows.delete_ids(
            [session.id for session in sessions if not session.is_valid(now)]
        )

    def _select_sessions(self, user_id: int) -> Program[list[Session]]:
        rows = yield from self._rows.select(eq("userId", str(user_id)))
        return [session for session in rows if session.origin == self._origin]

    def _belongs_to_user(self, session: Session, user_id: object) -> bool:
        return session.origin == self._origin and session.user_id == user_id


def _family(sessions: Sequence[Session], session_id: str) -> list[Session]:
    """Return a session, its predecessors and its successors."""
    sessions_by_id = {session.session_id: session for session in sessions}
    adjacent: dict[str | None, list[str | None]] = {}
    for session in sessions:
        if session.child_id is not None:
            adjacent.setdefault(session.session_id, []).append(session.child_id)
            adjacent.setdefault(session.child_id, []).append(session.session_id)
    family: dict[str | None, Session] = {}
    pending_ids: list[str | None] = [session_id]
    while pending_ids:
        current = pending_ids.pop()
        if current in sessions_by_id and current not in family:
            family[current] = sessions_by_id[current]
            pending_ids += adjacent.get(current, [])
    return list(family.values())


def _milliseconds(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)
