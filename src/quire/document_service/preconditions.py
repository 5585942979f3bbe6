"""``If-Match``: the state of a document that a change is meant for.

The tag of a version is the time of its last change. A published version has the time of its draft,
so it has the tag of the draft until the draft is changed.
"""

from quire.clock import iso_from_ms
from quire.database.entries.versions_query import EntryRow
from quire.errors import PreconditionFailedError

ANY = "*"


def tag_of(updated_at: int | None) -> str:
    """Return the tag of a version by the time of its last change (epoch milliseconds), unquoted.

    It is the time as shown in responses, so that ``updatedAt`` and ``ETag`` agree.
    """
    return "" if updated_at is None else iso_from_ms(updated_at)


def require_unchanged(entry: EntryRow | None, expected: frozenset[str] | None) -> None:
    """Check that the entry is one that the client expects.

    ``None`` accepts nothing in particular; ``*`` any existing entry. Raises
    PreconditionFailedError.
    """
    if expected is None:
        return
    if entry is None or (ANY not in expected and tag_of(entry.updated_at) not in expected):
        raise PreconditionFailedError
