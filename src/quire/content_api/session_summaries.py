"""Sessions as their owners see them: without tokens, the present one first."""

from collections.abc import Iterable
from typing import Any, TypeVar

from msgspec import UNSET, Struct, UnsetType

from quire.auth.sessions import Session
from quire.clock import iso_from_ms
from quire.content_api.response_types import Moment

UNKNOWN_SESSION = "Session not found"


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
