"""The audit log: what administrators change is noted, and super admins read it."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import structlog

from quire.admin_api.answers import respond_data
from quire.admin_api.forms import id_of
from quire.admin_api.router import SUPER_ADMINS
from quire.api.messages import Answer, Request
from quire.api.routes import Route
from quire.clock import Clock, iso_from_ms
from quire.database.audit import FILTERED, AuditLog, AuditQuery, AuditRow
from quire.errors import AppError, ForbiddenError, ValidationError

_log = structlog.get_logger("quire.audit")

NDJSON = b"application/x-ndjson; charset=utf-8"
_PAGE, _MOST = 50, 1000
_EXPORTED = 10_000
_LONGEST = 320
_TOLD = ("ids", "documentIds", "locale", "locales")
"""Members of bodies that say what was acted on; nothing else of a body is kept."""
_FAILED = 400
_SIGN_IN, _REFUSED_SIGN_INS = "admin/login", frozenset({400, 401})
_QUIET = frozenset({"admin/access-token", "admin/permissions/check"})
"""Routes that change nothing worth noting, although they are called with POST."""


class AuditTrail:
    """Notes what was done through the admin API, and what was tried at its open routes."""

    def __init__(self, log: AuditLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def note(self, request: Request, route: Route, status: int) -> None:
        """Note a request after it was answered. That it cannot be noted is told in the log."""
        if not _is_worth_it(request, route, status):
            return
        body = request.body if isinstance(request.body, Mapping) else {}
        actor_id, actor = None, body.get("email")
        if route.action is not None:
            actor_id, actor = request.administrator.id, request.administrator.email
        row = AuditRow(
            at=self._clock(),
            actor_id=actor_id,
            actor=actor.lower()[:_LONGEST] if isinstance(actor, str) else "",
            action=f"{request.method} /{route.path.strip('/')}",
            target="/".join(request.parameters.values())[:_LONGEST],
            details=_details(request, body),
            status=status,
            place=request.client[0] if request.client else "",
        )
        try:
            await self._log.add(row)
        except AppError as error:
            _log.error("not noted", action=row.action, actor=row.actor, exc_info=error)


def _is_worth_it(request: Request, route: Route, status: int) -> bool:
    """Tell whether a request is noted.

    Of what failed, that is refused rights and sign-ins: these are counted before they are looked
    at, so that nobody fills the log from outside.
    """
    path = route.path.strip("/")
    if request.method in {"GET", "HEAD"} or path in _QUIET:
        return False
    if status < _FAILED:
        return True
    return status in _REFUSED_SIGN_INS if path == _SIGN_IN else status == ForbiddenError.status


class AuditApi:
    """``/admin/x/audit``."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for path, handler in (("admin/x/audit", self.find), ("admin/x/audit/export", self.export)):
            yield Route(method="GET", path=path, action=SUPER_ADMINS, handler=handler)

    async def find(self, request: Request) -> Answer:
        """List what was done, the latest first; ``before`` is the last id that is known."""
        found = await self._log.find(_query(request, _PAGE, _MOST))
        return respond_data([_shown(row) for row in found])

    async def export(self, request: Request) -> Answer:
        """Return the same as lines of JSON, more of it at once."""
        found = await self._log.find(_query(request, _EXPORTED, _EXPORTED))
        lines = b"".join(orjson.dumps(_shown(row)) + b"\n" for row in found)
        attachment = b'attachment; filename="audit.ndjson"'
        return Answer(200, lines, NDJSON, ((b"content-disposition", attachment),))


def _details(request: Request, body: Mapping[str, object]) -> str:
    told: dict[str, object] = {name: body[name] for name in _TOLD if name in body}
    told |= {name: request.query[name] for name in _TOLD if name in request.query}
    text = orjson.dumps(told).decode() if told else ""
    return text[:_MOST]


def _query(request: Request, limit: int, most: int) -> AuditQuery:
    asked = request.query
    numbers = {name: _number(asked, name) for name in ("limit", "before", "since", "until")}
    wanted = numbers["limit"] if numbers["limit"] is not None else limit
    return AuditQuery(
        values={name: str(asked[name]) for name in FILTERED if isinstance(asked.get(name), str)},
        limit=min(wanted, most),
        before=numbers["before"],
        since=numbers["since"],
        until=numbers["until"],
    )


def _number(asked: Mapping[str, object], name: str) -> int | None:
    if name not in asked:
        return None
    number = id_of(asked[name])
    if number is None:
        raise ValidationError(f"{name} must be a whole number")
    return number


def _shown(row: AuditRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "at": iso_from_ms(row.at),
        "actorId": row.actor_id,
        "actor": row.actor,
        "action": row.action,
        "target": row.target,
        "details": orjson.loads(row.details) if row.details.endswith("}") else None,
        "status": row.status,
        "place": row.place,
    }
