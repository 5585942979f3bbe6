"""Reads and writes releases and their items, in Strapi's tables for them."""

from collections.abc import Collection, Sequence
from typing import Literal

from msgspec import Struct, field

from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTable, ContentTables
from quire.database.stores.row_conditions import any_of, eq, is_null, one_of
from quire.errors import ConflictError, NotFoundError, ValidationError

RELEASE_UID = "plugin::content-releases.release"
ITEM_UID = "plugin::content-releases.release-action"
MAX_ITEMS = 1000
"""How many items a release may have: they are published in one transaction."""

MAX_OPEN = 100
"""How many releases may be open at once."""

ItemAction = Literal["publish", "unpublish"]
Status = Literal["empty", "ready", "blocked", "failed", "done"]

_IS_DONE = eq("status", "done")
_IS_OPEN = any_of(is_null("status"), one_of("status", "empty", "ready", "blocked", "failed"))
_TOO_MANY_ITEMS = f"A release may have {MAX_ITEMS} items at most"
_TOO_MANY = f"There may be {MAX_OPEN} open releases at most"
_ALREADY_PUBLISHED = "The release has been published; undo it before it is changed"
_NAME_IN_USE = 'There is an open release with the name "{}"'


class Release(Struct, frozen=True, kw_only=True, rename="camel"):
    """A release; timestamps are epoch milliseconds."""

    id: int
    name: str
    status: Status = "empty"
    scheduled_at: int | None = None
    timezone: str | None = None
    released_at: int | None = None
    created_at: int = 0
    updated_at: int = 0

    @property
    def is_done(self) -> bool:
        """Whether it has been published."""
        return self.status == "done"


class EntryKey(Struct, frozen=True, kw_only=True):
    """An entry: a document of a content type in a locale, ``None`` where there are no locales."""

    uid: str
    document_id: str
    locale: str | None


class ReleaseItem(Struct, frozen=True, kw_only=True, rename="camel"):
    """The action of a release on one entry."""

    id: int
    action: ItemAction = field(default="publish", name="type")
    content_type: str
    entry_document_id: str
    locale: str | None = None

    @property
    def entry(self) -> EntryKey:
        """The entry."""
        return EntryKey(
            uid=self.content_type, document_id=self.entry_document_id, locale=self.locale
        )


def item_of_entry(item_id: int, action: ItemAction, entry: EntryKey) -> ReleaseItem:
    """Return the item for an entry."""
    return ReleaseItem(
        id=item_id,
        action=action,
        content_type=entry.uid,
        entry_document_id=entry.document_id,
        locale=entry.locale,
    )


class ReleaseStore:
    """Programs that read and write releases."""

    def __init__(self, tables: ContentTables) -> None:
        self._releases: ContentTable[Release] = tables.table_for(RELEASE_UID, Release)
        self._items: ContentTable[ReleaseItem] = tables.table_for(ITEM_UID, ReleaseItem)

    def page(
        self, *, is_done: bool | None, start: int, limit: int
    ) -> Program[tuple[list[Release], int]]:
        """Return a page of releases, the newest first, and the number of all.

        With ``is_done`` only published ones, or only open ones.
        """
        conditions = () if is_done is None else (_IS_DONE if is_done else _IS_OPEN,)
        total = yield from self._releases.count(*conditions)
        releases = yield from self._releases.select(
            *conditions, order=("-id",), limit=limit, offset=start
        )
        return releases, total

    def by_ids(self, release_ids: Collection[int]) -> Program[dict[int, Release]]:
        """Return releases by their ids; unknown ones are left out."""
        releases = yield from self._releases.by_ids(release_ids)
        return {release.id: release for release in releases}

    def get(self, release_id: int) -> Program[Release]:
        """Return a release. Raises NotFoundError."""
        release = yield from self._releases.get(release_id)
        if release is None:
            raise NotFoundError
        return release

    def open(self, release_id: int) -> Program[Release]:
        """Return an unpublished release, which may be changed.

        Raises NotFoundError and ConflictError.
        """
        release = yield from self.get(release_id)
        if release.is_done:
            raise ConflictError(_ALREADY_PUBLISHED)
        return release

    def create(self, name: str, now: int) -> Program[Release]:
        """Create a release.

        Raises ValidationError where too many are open, and for a name in use.
        """
        if (yield from self._releases.count(_IS_OPEN)) >= MAX_OPEN:
            raise ValidationError(_TOO_MANY)
        yield from self._require_unused(name)
        values = {"name": name, "status": "empty"}
        release_id = yield from self._releases.create(values, now=now)
        return (yield from self.get(release_id))

    def rename(self, release: Release, name: str, now: int) -> Program[None]:
        """Rename a release. Raises ValidationError for a name in use."""
        yield from self._require_unused(name, except_id=release.id)
        yield from self._releases.change(release.id, {"name": name}, now=now)

    def schedule(
        self, release: Release, due_at: int | None, timezone: str | None, now: int
    ) -> Program[None]:
        """Set the publication time of a release, and the time zone that it was chosen in."""
        values = {"scheduledAt": due_at, "timezone": timezone}
        yield from self._releases.change(release.id, values, now=now)

    def finish(self, release: Release, now: int) -> Program[None]:
        """Record that a release has been published."""
        values = {"status": "done", "releasedAt": now}
        yield from self._releases.change(release.id, values, now=now)

    def reopen(self, release: Release, now: int) -> Program[None]:
        """Record that the publication of a release has been undone."""
        values = {"status": "ready", "releasedAt": None, "scheduledAt": None}
        yield from self._releases.change(release.id, values, now=now)

    def set_status(self, release: Release, status: Status) -> Program[None]:
        """Record the result of the last attempt or change."""
        if release.status != status:
            yield from self._releases.update({"status": status}, eq("id", release.id))

    def delete(self, release: Release) -> Program[None]:
        """Delete a release with its items."""
        items = yield from self.items(release.id)
        yield from self._items.delete_ids([item.id for item in items])
        yield from self._releases.delete_ids([release.id])

    def items(self, release_id: int) -> Program[list[ReleaseItem]]:
        """Return the items of a release, in the order in which they were added."""
        items_by_release = yield from self.items_of([release_id])
        return items_by_release[release_id]

    def items_of(self, release_ids: Collection[int]) -> Program[dict[int, list[ReleaseItem]]]:
        """Return the items of releases, by the ids of these."""
        linked = yield from self._releases.linked("actions", release_ids)
        ids = [item_id for items in linked.values() for item_id in items]
        items = {item.id: item for item in (yield from self._items.by_ids(ids))}
        return {
            release_id: [
                items[item_id] for item_id in sorted(linked.get(release_id, ())) if item_id in items
            ]
            for release_id in release_ids
        }

    def item_counts(self, release_ids: Collection[int]) -> Program[dict[int, int]]:
        """Return the numbers of items of releases, by the ids of these."""
        linked = yield from self._releases.linked("actions", release_ids)
        return {release_id: len(items) for release_id, items in linked.items()}

    def containing(self, entry: EntryKey) -> Program[list[tuple[Release, ReleaseItem]]]:
        """Return the open releases that contain an entry, with their actions on it."""
        of_document = eq("entryDocumentId", entry.document_id)
        document_items = yield from self._items.select(of_document)
        items = {item.id: item for item in document_items if item.entry == entry}
        linked = yield from self._items.linked("release", list(items))
        ids = {release_id for ids in linked.values() for release_id in ids}
        releases = yield from self.by_ids(ids)
        return [
            (releases[release_id], item)
            for item_id, item in items.items()
            for release_id in linked.get(item_id, ())
            if release_id in releases and not releases[release_id].is_done
        ]

    def add(
        self, release: Release, entries: Sequence[EntryKey], action: ItemAction, now: int
    ) -> Program[int]:
        """Add entries to a release; existing items get the action. Returns how many are new.

        Raises ValidationError for more items than a release may have.
        """
        items_by_entry = {item.entry: item for item in (yield from self.items(release.id))}
        new_entries = [entry for entry in dict.fromkeys(entries) if entry not in items_by_entry]
        if len(items_by_entry) + len(new_entries) > MAX_ITEMS:
            raise ValidationError(_TOO_MANY_ITEMS)
        for entry in entries:
            if entry in items_by_entry and items_by_entry[entry].action != action:
                yield from self.set_action(items_by_entry[entry], action, now)
        for entry in new_entries:
            values = {
                "type": action,
                "contentType": entry.uid,
                "entryDocumentId": entry.document_id,
                "locale": entry.locale,
            }
            item_id = yield from self._items.create(values, now=now)
            yield from self._items.link("release", item_id, [release.id], creating=True)
        yield from self.set_status(release, "ready")
        return len(new_entries)

    def set_action(self, item: ReleaseItem, action: ItemAction, now: int) -> Program[None]:
        """Set whether an item is published or unpublished."""
        yield from self._items.change(item.id, {"type": action}, now=now)

    def remove(self, release: Release, item_ids: Collection[int]) -> Program[None]:
        """Remove items from a release. Raises NotFoundError for an unknown one."""
        existing_ids = {item.id for item in (yield from self.items(release.id))}
        if not existing_ids.issuperset(item_ids):
            raise NotFoundError
        yield from self._items.delete_ids(item_ids)
        remaining_ids = existing_ids.difference(item_ids)
        yield from self.set_status(release, "ready" if remaining_ids else "empty")

    def _require_unused(self, name: str, *, except_id: int | None = None) -> Program[None]:
        """Check that no open release has a name, except for one. Raises ValidationError."""
        ids = yield from self._releases.ids(_IS_OPEN, eq("name", name))
        if any(release_id != except_id for release_id in ids):
            raise ValidationError(_NAME_IN_USE.format(name))
