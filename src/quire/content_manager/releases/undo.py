"""Undoes the publication of a release: restores the former public state."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import orjson
from msgspec import Struct

from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.releases.publication import ReleasePublication, published_moment
from quire.content_manager.releases.store import EntryKey
from quire.content_manager.revisions import revisions_as_requests
from quire.database.program import Program
from quire.database.stores.release_snapshots import ReleaseSnapshot
from quire.database.stores.revisions import Revision
from quire.document_service.commands import UpdateDocument
from quire.document_service.service import run_commands
from quire.errors import ConflictError, ValidationError
from quire.schema.model import PUBLISHED_STATUS

T = TypeVar("T")

_ENTRIES_AT_ONCE = 100
"""How many entries are read and written by the same statements."""
_ENTRIES_CHANGED = "{count} of {all} entries have been published or unpublished again since"


class ChangedSinceReleaseError(ConflictError):
    """Entries of a release were published or unpublished again since; ``entries`` names them."""

    def __init__(self, entries: Sequence[EntryKey], total: int) -> None:
        changed_entries = [
            {"contentType": entry.uid, "documentId": entry.document_id, "locale": entry.locale}
            for entry in entries
        ]
        super().__init__(
            _ENTRIES_CHANGED.format(count=len(entries), all=total), {"entries": changed_entries}
        )


class _BulkPublishError(Exception):
    """Rolls back what was restored so far: entries have to be restored one by one."""


class _Restoration(Struct, frozen=True):
    """An entry whose earlier published content is published again, and its present draft."""

    entry: EntryKey
    draft: EntryJson
    published_data: str


class ReleaseUndo(Struct, frozen=True):
    """Restores entries, with the permissions of the administrator who undoes the release."""

    publication: ReleasePublication

    def undo(
        self, snapshots: Sequence[ReleaseSnapshot], *, skip_changed: bool
    ) -> Program[list[EntryKey]]:
        """Restore the former public state; returns the entries that were left as they are.

        These are entries that were published or unpublished since, with ``skip_changed``, and those
        whose document was deleted. Drafts are unchanged. Raises ChangedSinceReleaseError without
        ``skip_changed``, and ForbiddenError for an entry that may not be published.
        """
        publication = self.publication
        entries = {_entry(snapshot): snapshot for snapshot in snapshots}
        versions = yield from publication.versions(entries)
        changed_entries = [
            entry
            for entry, snapshot in entries.items()
            if versions[entry]
            and published_moment(publication.live_version(versions, entry)) != snapshot.published_at
        ]
        if changed_entries and not skip_changed:
            raise ChangedSinceReleaseError(changed_entries, len(entries))
        skipped = set(changed_entries)
        restorations: list[_Restoration] = []
        unpublications: list[EntryKey] = []
        for entry, snapshot in reversed(entries.items()):
            if entry in skipped:
                continue
            permissions = publication.permissions(entry)
            draft = publication.draft_version(versions, entry) if versions[entry] else None
            published = publication.live_version(versions, entry) if versions[entry] else None
            version = draft or published
            if version is None or (draft is None and snapshot.data is not None):
                skipped.add(entry)
                continue
            publication.require_publish(permissions, version)
            if snapshot.data is not None and draft is not None:
                restorations.append(_Restoration(entry, draft, snapshot.data))
            elif published is not None:
                unpublications.append(entry)
        yield from self._unpublish(unpublications)
        yield from self._restore(restorations)
        return [entry for entry in entries if entry in skipped]

    def _unpublish(self, entries: Sequence[EntryKey]) -> Program[None]:
        publication = self.publication
        for group in _by_type(entries, lambda entry: entry):
            if not (yield from publication.unpublish_all(group)):
                for entry in group:
                    yield from publication.unpublish(entry)

    def _restore(self, restorations: Sequence["_Restoration"]) -> Program[None]:
        """Publish earlier content, and restore the present drafts.

        Only drafts can be published. So a draft gets the earlier content, is published, and gets
        its own content again. Entries of one type are published with the same statements, unless
        one of them needs that another one is published before.
        """
        publication, unit = self.publication, self.publication.unit
        for group in _by_type(restorations, lambda restoration: restoration.entry):
            permissions = publication.permissions(group[0].entry)
            contents = yield from publication.contents(
                permissions, [restoration.draft for restoration in group]
            )
            entries = [restoration.entry for restoration in group]
            changes = {
                restoration.entry: (restoration.published_data, contents[restoration.draft["id"]])
                for restoration in group
                if orjson.loads(contents[restoration.draft["id"]])
                != orjson.loads(restoration.published_data)
            }

            def restore_all(
                permissions: TypePermissions = permissions,
                entries: Sequence[EntryKey] = entries,
                changes: Mapping[EntryKey, tuple[str, str]] = changes,
            ) -> Program[None]:
                yield from self._write(
                    permissions, {entry: published for entry, (published, _) in changes.items()}
                )
                if not (yield from publication.publish_all(entries)):
                    raise _BulkPublishError
                yield from self._write(
                    permissions, {entry: draft for entry, (_, draft) in changes.items()}
                )

            try:
                yield from unit.nested(restore_all, as_system=unit.is_system, causes=unit.causes)
            except (_BulkPublishError, ValidationError):
                yield from self._restore_each(permissions, entries, changes)

    def _restore_each(
        self,
        permissions: TypePermissions,
        entries: Sequence[EntryKey],
        changes: Mapping[EntryKey, tuple[str, str]],
    ) -> Program[None]:
        """Restore entries one by one; ``changes`` are the earlier content and that of the draft."""
        for entry in entries:
            if entry in changes:
                yield from self._write(permissions, {entry: changes[entry][0]})
            yield from self.publication.publish(entry)
            if entry in changes:
                yield from self._write(permissions, {entry: changes[entry][1]})

    def _write(
        self, permissions: TypePermissions, contents: Mapping[EntryKey, str]
    ) -> Program[None]:
        """Write contents to the drafts of entries of one type.

        Those of one locale are written by the same statements.
        """
        by_locale: dict[str | None, list[EntryKey]] = {}
        for entry in contents:
            by_locale.setdefault(entry.locale, []).append(entry)
        for entries in by_locale.values():
            for start in range(0, len(entries), _ENTRIES_AT_ONCE):
                batch = {
                    entry: contents[entry] for entry in entries[start : start + _ENTRIES_AT_ONCE]
                }
                yield from self._write_in_locale(permissions, batch)

    def _write_in_locale(
        self, permissions: TypePermissions, contents: Mapping[EntryKey, str]
    ) -> Program[None]:
        unit = self.publication.unit
        revisions = [
            Revision(
                uid=entry.uid,
                document_id=entry.document_id,
                locale=entry.locale,
                status=PUBLISHED_STATUS,
                created_at=0,
                created_by=None,
                data=content,
            )
            for entry, content in contents.items()
        ]
        requests = yield from revisions_as_requests(
            unit.engine, permissions, revisions, complete=True
        )
        commands = [
            UpdateDocument(
                uid=entry.uid,
                document_id=entry.document_id,
                locale=entry.locale,
                data=request.data,
            )
            for entry, request in zip(contents, requests, strict=True)
        ]
        # What is written was there before, with relations that rules hide from the administrator.
        with unit.without_rules():
            yield from run_commands(unit, commands)


def _by_type(items: Iterable[T], entry_of: Callable[[T], EntryKey]) -> Iterator[list[T]]:
    """Divide items by their content types, in the order of the first one of each."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(entry_of(item).uid, []).append(item)
    yield from groups.values()


def _entry(snapshot: ReleaseSnapshot) -> EntryKey:
    return EntryKey(uid=snapshot.uid, document_id=snapshot.document_id, locale=snapshot.locale)
