"""Reads and writes releases and their items, in Strapi's tables for them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeVar

from msgspec import Struct

from quire.database.program import Program
from quire.database.stores.system_rows import Record, SystemRows
from quire.errors import ConflictError, NotFoundError, ValidationError

RELEASE_UID = "plugin::content-releases.release"
ITEM_UID = "plugin::content-releases.release-action"
MOST_ITEMS = 1000
"""How many items a release may have: they are published in one transaction."""

MOST_OPEN = 100
"""How many releases may be open at once."""

ItemAction = Literal["publish", "unpublish"]
Status = Literal["empty", "ready", "blocked", "failed", "done"]

_RELEASE = (
    "name",
    "status",
    "scheduledAt",
    "timezone",
    "releasedAt",
    "createdAt",
    "updatedAt",
)
_ITEM = ("type", "contentType", "entryDocumentId", "locale")
_TOO_MANY_ITEMS = f"A release may have {MOST_ITEMS} items at most"
_TOO_MANY = f"There may be {MOST_OPEN} open releases at most"
_DONE = "The release has been published; undo it before it is changed"
_NAMED = 'There is an open release with the name "{}"'

T = TypeVar("T")


class Release(Struct, frozen=True, kw_only=True):
    """A release; moments are epoch milliseconds."""

    id: int
    name: str
    status: Status
    scheduled_at: int | None
    timezone: str | None
    released_at: int | None
    created_at: int
    updated_at: int

    @property
    def is_done(self) -> bool:
        """Whether it has been published."""
        return self.status == "done"


class EntryKey(Struct, frozen=True, kw_only=True):
    """An entry: a document of a content type in a locale, ``None`` where there are no locales."""

    uid: str
    document_id: str
    locale: str | None


class ReleaseItem(Struct, frozen=True, kw_only=True):
    """What a release does to one entry."""

    id: int
    action: ItemAction
    entry: EntryKey


class ReleaseStore(Struct, frozen=True):
    """Programs that read and write releases."""

    rows: SystemRows

    def all(self) -> Program[list[Release]]:
        """Return all releases, the newest first."""
        found = yield from self.rows.all(RELEASE_UID, _RELEASE)
        return [_release(row) for row in reversed(found)]

    def one(self, release_id: int) -> Program[Release]:
        """Return a release. Raises NotFoundError."""
        found = yield from self.rows.listed(RELEASE_UID, _RELEASE, [release_id])
        if not found:
            raise NotFoundError
        return _release(found[0])

    def open(self, release_id: int) -> Program[Release]:
        """Return a release that may be changed. Raises NotFoundError and ConflictError."""
        release = yield from self.one(release_id)
        if release.is_done:
            raise ConflictError(_DONE)
        return release

    def create(self, name: str, now: int) -> Program[Release]:
        """Make a release. Raises ValidationError where too many are open, and for a name in use."""
        opened = [one for one in (yield from self.all()) if not one.is_done]
        if len(opened) >= MOST_OPEN:
            raise ValidationError(_TOO_MANY)
        _require_unused(name, opened)
        values = {"name": name, "status": "empty"}
        release_id = yield from self.rows.insert(RELEASE_UID, values, now=now)
        return (yield from self.one(release_id))

    def rename(self, release: Release, name: str, now: int) -> Program[None]:
        """Give a release another name. Raises ValidationError for one in use."""
        every = yield from self.all()
        _require_unused(name, [r for r in every if not r.is_done and r.id != release.id])
        yield from self.rows.update(RELEASE_UID, release.id, {"name": name}, now=now)

    def schedule(
        self, release: Release, at: int | None, timezone: str | None, now: int
    ) -> Program[None]:
        """Say when a release is published, and the time zone that this was chosen in."""
        values = {"scheduledAt": at, "timezone": timezone}
        yield from self.rows.update(RELEASE_UID, release.id, values, now=now)

    def finish(self, release: Release, now: int) -> Program[None]:
        """Note that a release has been published."""
        values = {"status": "done", "releasedAt": now}
        yield from self.rows.update(RELEASE_UID, release.id, values, now=now)

    def reopen(self, release: Release, now: int) -> Program[None]:
        """Note that the publication of a release has been undone."""
        values = {"status": "ready", "releasedAt": None, "scheduledAt": None}
        yield from self.rows.update(RELEASE_UID, release.id, values, now=now)

    def set_status(self, release: Release, status: Status) -> Program[None]:
        """Note what the last attempt or change has shown."""
        if release.status != status:
            yield from self.rows.update(RELEASE_UID, release.id, {"status": status}, now=None)

    def delete(self, release: Release) -> Program[None]:
        """Delete a release with its items."""
        items = yield from self.items(release.id)
        yield from self.rows.delete(ITEM_UID, [item.id for item in items])
        yield from self.rows.delete(RELEASE_UID, [release.id])

    def items(self, release_id: int) -> Program[list[ReleaseItem]]:
        """Return the items of a release, in the order in which they were added."""
        found = yield from self.items_of([release_id])
        return found[release_id]

    def items_of(self, release_ids: Collection[int]) -> Program[dict[int, list[ReleaseItem]]]:
        """Return the items of releases, by the ids of these."""
        linked = yield from self.rows.linked(RELEASE_UID, "actions", release_ids)
        ids = [item_id for items in linked.values() for item_id in items]
        rows = yield from self.rows.listed(ITEM_UID, _ITEM, ids)
        items = {item.id: item for item in map(_item, rows)}
        return {
            release_id: [items[one] for one in sorted(linked.get(release_id, ())) if one in items]
            for release_id in release_ids
        }

    def containing(self, entry: EntryKey) -> Program[list[tuple[Release, ReleaseItem]]]:
        """Return the open releases that an entry is in, with what they do to it."""
        rows = yield from self.rows.by(ITEM_UID, _ITEM, "entryDocumentId", entry.document_id)
        items = {item.id: item for item in map(_item, rows) if item.entry == entry}
        linked = yield from self.rows.linked(ITEM_UID, "release", list(items))
        ids = {release_id for ids in linked.values() for release_id in ids}
        found = yield from self.rows.listed(RELEASE_UID, _RELEASE, ids)
        releases = {release.id: release for release in map(_release, found)}
        return [
            (releases[release_id], item)
            for item_id, item in items.items()
            for release_id in linked.get(item_id, ())
            if release_id in releases and not releases[release_id].is_done
        ]

    def add(
        self, release: Release, entries: Sequence[EntryKey], action: ItemAction, now: int
    ) -> Program[int]:
        """Add entries to a release; those that are in it get the action. Returns how many are new.

        Raises ValidationError for more items than a release may have.
        """
        present = {item.entry: item for item in (yield from self.items(release.id))}
        new = [entry for entry in dict.fromkeys(entries) if entry not in present]
        if len(present) + len(new) > MOST_ITEMS:
            raise ValidationError(_TOO_MANY_ITEMS)
        for entry in entries:
            if entry in present and present[entry].action != action:
                yield from self.set_action(present[entry], action, now)
        for entry in new:
            values = {
                "type": action,
                "contentType": entry.uid,
                "entryDocumentId": entry.document_id,
                "locale": entry.locale,
            }
            item_id = yield from self.rows.insert(ITEM_UID, values, now=now)
            yield from self.rows.link(ITEM_UID, "release", item_id, [release.id], creating=True)
        yield from self.set_status(release, "ready")
        return len(new)

    def set_action(self, item: ReleaseItem, action: ItemAction, now: int) -> Program[None]:
        """Publish what was to be unpublished, or the other way round."""
        yield from self.rows.update(ITEM_UID, item.id, {"type": action}, now=now)

    def remove(self, release: Release, item_ids: Collection[int]) -> Program[None]:
        """Remove items from a release. Raises NotFoundError for one that is not in it."""
        present = {item.id for item in (yield from self.items(release.id))}
        if not present.issuperset(item_ids):
            raise NotFoundError
        yield from self.rows.delete(ITEM_UID, item_ids)
        left = present.difference(item_ids)
        yield from self.set_status(release, "ready" if left else "empty")


def _require_unused(name: str, others: Sequence[Release]) -> None:
    if any(one.name == name for one in others):
        raise ValidationError(_NAMED.format(name))


def _release(row: Record) -> Release:
    return Release(
        id=_required(row, "id", int),
        name=_required(row, "name", str),
        status=_status(row["status"]),
        scheduled_at=_moment(row["scheduledAt"]),
        timezone=None if row["timezone"] is None else str(row["timezone"]),
        released_at=_moment(row["releasedAt"]),
        created_at=_moment(row["createdAt"]) or 0,
        updated_at=_moment(row["updatedAt"]) or 0,
    )


def _item(row: Record) -> ReleaseItem:
    locale = row["locale"]
    return ReleaseItem(
        id=_required(row, "id", int),
        action="unpublish" if row["type"] == "unpublish" else "publish",
        entry=EntryKey(
            uid=_required(row, "contentType", str),
            document_id=str(row["entryDocumentId"]),
            locale=None if locale is None else str(locale),
        ),
    )


def _required(row: Mapping[str, object], name: str, kind: type[T]) -> T:
    value = row[name]
    if not isinstance(value, kind):
        raise TypeError(f"{name} of row {row['id']} is {value!r}")
    return value


def _status(value: object) -> Status:
    match value:
        case "ready" | "blocked" | "failed" | "done":
            return value
        case _:
            return "empty"


def _moment(value: object) -> int | None:
    return value if isinstance(value, int) else None
