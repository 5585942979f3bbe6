"""Deletes archives after a number of days."""

from quire.database.compile.writes import Writes
from quire.database.migration.archive import ARCHIVE_TABLE, Archive, forget, list_archives
from quire.database.program import Program
from quire.database.target import DatabaseKind

_DAY = 86_400_000


def expires_at(archive: Archive, days: int) -> int | None:
    """Return until when something is kept, in epoch milliseconds; ``None`` when for ever.

    It is for ever where ``days`` is 0.
    """
    return archive.made_at + days * _DAY if days else None


def all_archives(kind: DatabaseKind) -> Program[list[Archive]]:
    """List what is archived, the oldest first, if anything ever was."""
    if ARCHIVE_TABLE not in (yield from kind.inspector.table_names()):
        return []
    return (yield from list_archives(Writes(kind.dialect())))


def expired(kind: DatabaseKind, *, days: int, now: int) -> Program[list[Archive]]:
    """List what has been kept for long enough. ``now`` is epoch milliseconds."""
    if days == 0:
        return []
    latest = now - days * _DAY
    return [archive for archive in (yield from all_archives(kind)) if archive.made_at < latest]


def forget_expired(kind: DatabaseKind, *, days: int, now: int) -> Program[list[Archive]]:
    """Let go of what has been kept for long enough, for good; returns it."""
    found = yield from expired(kind, days=days, now=now)
    for archive in found:
        yield from forget(Writes(kind.dialect()), kind.ddl, archive)
    return found
