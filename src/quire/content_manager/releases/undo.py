"""Undoes the publication of a release: restores the former public state."""

from collections.abc import Sequence

import orjson
from msgspec import Struct

from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.releases.publication import ReleasePublication, published_moment
from quire.content_manager.releases.store import EntryKey
from quire.content_manager.revisions import revision_as_request
from quire.database.program import Program
from quire.database.stores.release_snapshots import ReleaseSnapshot
from quire.database.stores.revisions import Revision
from quire.document_service.commands import UpdateDocument
from quire.document_service.service import run_command
from quire.errors import ConflictError
from quire.schema.model import PUBLISHED_STATUS

_ENTRIES_CHANGED = "{count} of {all} entries have been published or unpublished again since"


class PublishedSinceError(ConflictError):
    """Entries of a release were published or unpublished again since; ``entries`` names them."""

    def __init__(self, entries: Sequence[EntryKey], total: int) -> None:
        changed_entries = [
            {"contentType": entry.uid, "documentId": entry.document_id, "locale": entry.locale}
            for entry in entries
        ]
        super().__init__(
            _ENTRIES_CHANGED.format(count=len(entries), all=total), {"entries": changed_entries}
        )


class ReleaseUndo(Struct, frozen=True):
    """Restores entries, with the permissions of the administrator who undoes the release."""

    publication: ReleasePublication

    def undo(
        self, snapshots: Sequence[ReleaseSnapshot], *, skip_changed: bool
    ) -> Program[list[EntryKey]]:
        """Restore the former public state; returns the entries that were left as they are.

        These are entries that were published or unpublished since, with ``skip_changed``, and those
        whose document was deleted. Drafts are unchanged. Raises PublishedSinceError without
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
            raise PublishedSinceError(changed_entries, len(entries))
        skipped = set(changed_entries)
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
                yield from self._restore(entry, permissions, draft, snapshot.data)
            elif published is not None:
                yield from publication.unpublish(entry)
        return [entry for entry in entries if entry in skipped]

    def _restore(
        self, entry: EntryKey, permissions: TypePermissions, draft: EntryJson, published_data: str
    ) -> Program[None]:
        """Publish earlier content, and restore the present draft.

        Only drafts can be published. So the draft gets the earlier content, is published, and gets
        its own content again.
        """
        publication = self.publication
        draft_data = yield from publication.content(permissions, draft)
        is_same = orjson.loads(draft_data) == orjson.loads(published_data)
        if not is_same:
            yield from self._write(entry, permissions, published_data)
        yield from publication.publish(entry)
        if not is_same:
            yield from self._write(entry, permissions, draft_data)

    def _write(self, entry: EntryKey, permissions: TypePermissions, content: str) -> Program[None]:
        unit = self.publication.unit
        revision = Revision(
            uid=entry.uid,
            document_id=entry.document_id,
            locale=entry.locale,
            status=PUBLISHED_STATUS,
            created_at=0,
            created_by=None,
            data=content,
        )
        data, _ = yield from revision_as_request(unit.engine, permissions, revision)
        command = UpdateDocument(
            uid=entry.uid, document_id=entry.document_id, locale=entry.locale, data=data
        )
        yield from run_command(unit, command)


def _entry(snapshot: ReleaseSnapshot) -> EntryKey:
    return EntryKey(uid=snapshot.uid, document_id=snapshot.document_id, locale=snapshot.locale)
