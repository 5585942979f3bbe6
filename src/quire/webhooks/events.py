"""Events of entries and files, for webhooks.

Events are collected in a unit of work, and written to the outbox in its transaction.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from quire.clock import iso_from_ms


class EventName(StrEnum):
    """The events of entries and files, by their names in webhooks."""

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
        """Whether it is an event of a file of the media library."""
        return self.value.startswith("media.")


class Event(Struct, frozen=True, kw_only=True):
    """An event of one entry of a document.

    ``uid`` is the content type, ``model`` its singular name. ``entry_id`` is the row, even if it
    was deleted. ``fields`` are the attributes that were written (empty if all of them were). ``at``
    is epoch milliseconds; ``origin`` says what caused it (``api``, a job, an administrator).
    ``entry`` is the row at that time, or before its deletion, without private attributes and
    passwords; unless it was deleted, it is populated as by `ReadPlanner.entry`. It is ``None`` if
    there was no subscriber.
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
        """Return the payload of the event as JSON data."""
        payload = {"event": self.name.value, "createdAt": iso_from_ms(self.at)}
        if self.name.is_media:
            return {**payload, "media": self.entry}
        return {
            **payload,
            "model": self.model,
            "uid": self.uid,
            "entry": self.entry,
        }
