"""Sessions of administrators and end users: one row per refresh token.

A session begins with a sign-in. Its refresh token, which a browser keeps in a cookie, is exchanged
for a fresh one each time that an access token is asked for, so each is good for once. An access
token holds for minutes and only as long as its session is there.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec import Struct

from quire.auth.tokens import read_claims, sign_claims
from quire.clock import iso_from_ms
from quire.database.program import Program
from quire.database.stores.system_rows import Record, SystemRows

SESSION_UID = "admin::session"
ORIGIN = "admin"
ACCESS, REFRESH = "access", "refresh"
SHORT, LONG = "session", "refresh"
"""Kinds of sessions: until the browser is closed, and until somebody signs out."""

_SESSION_BYTES = 16
_SECOND_MS = 1000
_OVERLAP_MS = 60 * _SECOND_MS
_FIELDS = (
    "userId",
    "sessionId",
    "childId",
    "deviceId",
    "origin",
    "type",
    "status",
    "expiresAt",
    "absoluteExpiresAt",
    "metadata",
    "createdAt",
    "updatedAt",
)


class Lifetimes(Struct, frozen=True, kw_only=True):
    """How long things hold: access tokens, and sessions of both kinds."""

    access: timedelta = timedelta(minutes=30)
    idle: Mapping[str, timedelta]
    longest: Mapping[str, timedelta]


DEFAULT_LIFETIMES = Lifetimes(
    idle={SHORT: timedelta(hours=2), LONG: timedelta(days=14)},
    longest={SHORT: timedelta(days=1), LONG: timedelta(days=30)},
)


class Tokens(Struct, frozen=True, kw_only=True):
    """What somebody who signed in gets; times are epoch milliseconds.

    ``ends`` is when the refresh token ends, ``None`` for one that ends with the browser.
    """

    access: str
    refresh: str
    ends: int | None


class Sessions:
    """The programs of sessions; what they sign is signed with ``secret``."""

    def __init__(
        self,
        rows: SystemRows,
        secret: str,
        lifetimes: Lifetimes = DEFAULT_LIFETIMES,
        *,
        origin: str = ORIGIN,
    ) -> None:
        self._rows = rows
        self._secret = secret
        self._lifetimes = lifetimes
        self._origin = origin

    def begin(
        self,
        user_id: int,
        *,
        device_id: str | None,
        remember: bool,
        now: int,
        device_name: str | None = None,
    ) -> Program[Tokens]:
        """Begin a session, and forget those of this user that have ended."""
        kind = LONG if remember else SHORT
        yield from self._forget_ended(user_id, now)
        named = {} if device_name is None else {"deviceName": device_name}
        row = {
            "userId": str(user_id),
            "deviceId": device_id,
            "origin": self._origin,
            "type": kind,
            "metadata": {"loginAt": iso_from_ms(now), **named},
            "absoluteExpiresAt": now + _milliseconds(self._lifetimes.longest[kind]),
        }
        return (yield from self._open(row, kind, now))

    def rotate(self, token: str, now: int) -> Program[Tokens | None]:
        """Exchange a refresh token; ``None`` when it is not good (any more).

        A token that comes again much later is in wrong hands, or was: its session ends with all
        that came of it. Two windows of one browser may well send the same one at once.
        """
        claims = read_claims(token, self._secret, now)
        session = yield from self._locked(claims)
        if session is None or not _holds(session, now):
            return None
        if session["status"] != "active":
            rotated = session["updatedAt"]
            if not isinstance(rotated, int) or now - rotated > _OVERLAP_MS:
                yield from self._end_with_device(session)
            return None
        kind = str(session["type"]) if session["type"] in self._lifetimes.idle else LONG
        kept = ("userId", "deviceId", "origin", "type", "metadata", "absoluteExpiresAt")
        row = {name: session[name] for name in kept if session[name] is not None}
        session_id = secrets.token_hex(_SESSION_BYTES)
        tokens = yield from self._open(row, kind, now, session_id)
        changed = {"status": "rotated", "childId": session_id}
        yield from self._rows.update(SESSION_UID, int(str(session["id"])), changed, now=now)
        return tokens

    def user_of(self, token: str, now: int) -> Program[tuple[int, str, int] | None]:
        """Return whose access token it is, of which session, and when it ends.

        ``None`` for tokens that are not good, or whose session is no more.
        """
        claims = read_claims(token, self._secret, now)
        session = yield from self._session_of(claims, ACCESS)
        if claims is None or session is None or not _holds(session, now):
            return None
        user_id = str(session["userId"])
        if not user_id.isdecimal():
            return None
        ends = min(int(str(claims["exp"])) * _SECOND_MS, int(str(session["expiresAt"])))
        return int(user_id), str(session["sessionId"]), ends

    def refreshed_by(self, token: str, now: int) -> str | None:
        """Return the session that a refresh token is signed for, ``None`` for no such token."""
        claims = read_claims(token, self._secret, now) or {}
        session_id = claims.get("sessionId")
        is_refresh = claims.get("type") == REFRESH and isinstance(session_id, str)
        return str(session_id) if is_refresh else None

    def active(self, user_id: int, now: int) -> Program[list[Record]]:
        """Return the sessions of a user that somebody can go on with, oldest first."""
        rows = yield from self._rows.by(SESSION_UID, _FIELDS, "userId", str(user_id))
        return [
            row
            for row in rows
            if row["origin"] == self._origin and row["status"] == "active" and _holds(row, now)
        ]

    def end(self, user_id: int, session_id: str) -> Program[bool]:
        """End one session of a user with all that it came of; tell whether there was such a one."""
        rows = yield from self._rows.by(SESSION_UID, _FIELDS, "userId", str(user_id))
        own = [row for row in rows if row["origin"] == self._origin]
        family = _family(own, session_id)
        yield from self._rows.delete(SESSION_UID, [int(str(row["id"])) for row in family])
        return bool(family)

    def end_all(self, user_id: int | str, *, device_id: str | None = None) -> Program[None]:
        """End all sessions of a user, or those of one device."""
        values = {"userId": str(user_id), "origin": self._origin}
        if device_id is not None:
            values["deviceId"] = device_id
        yield from self._rows.delete_by(SESSION_UID, values)

    def _end_with_device(self, session: Record) -> Program[None]:
        """End the sessions of the device that a session belongs to, or that alone."""
        user_id, device_id = str(session["userId"]), session["deviceId"]
        if device_id is None:
            yield from self.end(int(user_id), str(session["sessionId"]))
        else:
            yield from self.end_all(user_id, device_id=str(device_id))

    def _open(
        self,
        row: Mapping[str, object],
        kind: str,
        now: int,
        session_id: str | None = None,
    ) -> Program[Tokens]:
        session_id = session_id or secrets.token_hex(_SESSION_BYTES)
        until = now + _milliseconds(self._lifetimes.idle[kind])
        opened = {**row, "sessionId": session_id, "status": "active", "expiresAt": until}
        yield from self._rows.insert(SESSION_UID, opened, now=now)
        issued = now // _SECOND_MS
        named = {"userId": str(row["userId"]), "sessionId": session_id}
        refresh = {**named, "type": REFRESH, "iat": issued, "exp": until // _SECOND_MS}
        lifetime = int(self._lifetimes.access.total_seconds())
        access = {**named, "type": ACCESS, "iat": issued, "exp": issued + lifetime}
        longest = row.get("absoluteExpiresAt")
        ends = min(until, longest) if isinstance(longest, int) else until
        return Tokens(
            access=sign_claims(access, self._secret),
            refresh=sign_claims(refresh, self._secret),
            ends=ends if kind == LONG else None,
        )

    def _locked(self, claims: Mapping[str, object] | None) -> Program[Record | None]:
        """Return the session of a refresh token, which nobody else exchanges meanwhile."""
        session = yield from self._session_of(claims, REFRESH)
        if session is None:
            return None
        same = {"sessionId": session["sessionId"]}
        yield from self._rows.update(SESSION_UID, int(str(session["id"])), same, now=None)
        return (yield from self._session_of(claims, REFRESH))

    def _session_of(
        self, claims: Mapping[str, object] | None, type_: str
    ) -> Program[Record | None]:
        if claims is None or claims.get("type") != type_:
            return None
        session_id = claims.get("sessionId")
        if not isinstance(session_id, str):
            return None
        rows = yield from self._rows.by(SESSION_UID, _FIELDS, "sessionId", session_id)
        return next((row for row in rows if self._is_of(row, claims.get("userId"))), None)

    def _forget_ended(self, user_id: int, now: int) -> Program[None]:
        rows = yield from self._rows.by(SESSION_UID, _FIELDS, "userId", str(user_id))
        ended = [row for row in rows if row["origin"] == self._origin and not _holds(row, now)]
        yield from self._rows.delete(SESSION_UID, [int(str(row["id"])) for row in ended])

    def _is_of(self, session: Record, user_id: object) -> bool:
        return session["origin"] == self._origin and session["userId"] == user_id


def _family(rows: Sequence[Record], session_id: str) -> list[Record]:
    """Return a session, those that it came of by exchange, and those that came of it."""
    known = {row["sessionId"]: row for row in rows}
    near: dict[object, list[object]] = {}
    for row in rows:
        if row["childId"] is not None:
            near.setdefault(row["sessionId"], []).append(row["childId"])
            near.setdefault(row["childId"], []).append(row["sessionId"])
    family: dict[object, Record] = {}
    waiting: list[object] = [session_id]
    while waiting:
        one = waiting.pop()
        if one in known and one not in family:
            family[one] = known[one]
            waiting += near.get(one, [])
    return list(family.values())


def _holds(session: Record, now: int) -> bool:
    """Tell whether a session has not ended; one that says nothing of its end has."""
    until, longest = session["expiresAt"], session["absoluteExpiresAt"]
    if not isinstance(until, int) or until <= now:
        return False
    return not isinstance(longest, int) or longest > now


def _milliseconds(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)
