"""What happens to entries and files, as webhooks are told of it.

Events are collected while a unit of work runs, and written to the outbox in its transaction.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from quire.clock import iso_from_ms


class EventName(StrEnum):
    """What can happen to an entry or a file, by the names that webhooks know."""

    CREATE = "entry.create"
    UPDATE = "entry.update"
    DELETE = "entry.delete"
    PUBLISH = "entry.publish"
    UNPUBLISH = "entry.unpublish"
    DRAFT_DISCARD = "entry.draft-discard"
    MEDIA_CREATE = "media.create"
    MEDIA_UPDATE = "media.update"
    MEDIA_DELETE = "media.delete"

    @property
    def is_media(self) -> bool:
        """Whether it happens to a file of the media library."""
        return self.value.startswith("media.")


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened to one entry of a document.

    ``uid`` is the content type, ``model`` its singular name. ``entry_id`` is the row it happened
    to; a row that was deleted is named all the same. ``fields`` are the attributes that were
    written (empty where all of them were). ``at`` is epoch milliseconds; ``origin`` says what
    caused it (``api``, a job, an administrator). ``entry`` is the row as it was then, or as it was
    before it went, without private attributes and passwords; unless it was deleted, with what lies
    one level below it. It is ``None`` when nobody listened.
    """

    name: EventName
    uid: str
    model: str
    document_id: str
    locale: str | None
    entry_id: int
    published: bool
    fields: tuple[str, ...]
    at: int
    origin: str
    entry: Mapping[str, Any] | None = None

    def payload(self) -> dict[str, Any]:
        """Return what is told of the event outside, as JSON has it."""
        told = {"event": self.name.value, "createdAt": iso_from_ms(self.at)}
        if self.name.is_media:
            return {**told, "media": self.entry}
        return {
            **told,
            "model": self.model,
            "uid": self.uid,
            "entry": self.entry,
        }
