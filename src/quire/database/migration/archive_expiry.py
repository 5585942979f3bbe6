"""What is kept aside is kept for so many days."""

from quire.database.compile.writes import Writes
from quire.database.migration.archive import ASIDE_TABLE, Archive, forget, list_aside
from quire.database.program import Program
from quire.database.target import DatabaseKind

_DAY = 86_400_000


def kept_until(aside: Archive, days: int) -> int | None:
    """Return until when something is kept, in epoch milliseconds; ``None`` when for ever.

    It is for ever where ``days`` is 0.
    """
    return aside.made_at + days * _DAY if days else None


def all_aside(kind: DatabaseKind) -> Program[list[Archive]]:
    """List what is kept aside, the oldest first, if anything ever was."""
    if ASIDE_TABLE not in (yield from kind.inspector.table_names()):
        return []
    return (yield from list_aside(Writes(kind.dialect())))


def over(kind: DatabaseKind, *, days: int, now: int) -> Program[list[Archive]]:
    """List what has been kept for long enough. ``now`` is epoch milliseconds."""
    if days == 0:
        return []
    latest = now - days * _DAY
    return [aside for aside in (yield from all_aside(kind)) if aside.made_at < latest]


def forget_over(kind: DatabaseKind, *, days: int, now: int) -> Program[list[Archive]]:
    """Let go of what has been kept for long enough, for good; returns it."""
    found = yield from over(kind, days=days, now=now)
    for aside in found:
        yield from forget(Writes(kind.dialect()), kind.ddl, aside)
    return found
