"""``If-Match``: the state of a document that a change is meant for.

The tag of a version is the moment of its last change. A published version carries the moment of the
draft that it was made of, so it has the tag of the draft as long as nobody has changed that.
"""

from quire.clock import iso_from_ms
from quire.database.entries.versions_query import EntryRow
from quire.errors import PreconditionFailedError

ANY = "*"


def tag_of(updated_at: int | None) -> str:
    """Return the tag of a version that was last changed then (epoch milliseconds), unquoted.

    It is the moment as answers show it, so that ``updatedAt`` and ``ETag`` say the same.
    """
    return "" if updated_at is None else iso_from_ms(updated_at)


def require_unchanged(entry: EntryRow | None, expected: frozenset[str] | None) -> None:
    """Refuse to go on when the entry is none of what the client expects.

    ``None`` expects nothing; ``*`` any entry at all. Raises PreconditionFailedError.
    """
    if expected is None:
        return
    if entry is None or (ANY not in expected and tag_of(entry.updated_at) not in expected):
        raise PreconditionFailedError
