"""The history of entries: records their state at each change by an administrator.

The result of other changes is recorded before the next change by an administrator.
"""

import msgspec
import orjson
from msgspec import Struct

from quire.access.admin_ability import GrantRule
from quire.clock import iso_from_ms, ms_from_iso
from quire.content_manager.entry_reads import ContentReading
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.read_plans import Planner
from quire.content_manager.revision_content import (
    Data,
    ExistingTargets,
    Target,
    request_data,
    revision_data,
    targets_in,
)
from quire.content_manager.status_and_locale import RequestedVersion
from quire.database.program import Program
from quire.database.stores.revisions import Revision, RevisionKey, Revisions
from quire.document_service.unit_of_work import WriteEngine
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, PlanNode, ReadPlan
from quire.query.resolve.scope import Slots
from quire.schema.model import DRAFT_STATUS, PUBLISHED_STATUS, ContentType

_ALL_FIELDS = (GrantRule(),)


class RevisionLog(Struct, frozen=True):
    """Stores revisions, up to a number per entry; none of them for 0."""

    revisions: Revisions
    max_revisions: int

    def record_before(
        self, reading: ContentReading, permissions: TypePermissions, entry: EntryJson
    ) -> Program[None]:
        """Store the state of a draft before it is changed, unless it is stored already."""
        if not self.max_revisions:
            return
        key = RevisionKey(permissions.content_type.uid, entry["documentId"], entry["locale"])
        revisions = yield from self.revisions.list_for_entry(key)
        if revisions and iso_from_ms(revisions[0].created_at) >= entry["updatedAt"]:
            return
        editor = entry.get("updatedBy")
        editor_id = editor["id"] if isinstance(editor, dict) else None
        yield from self._add_revision(reading, permissions, entry["id"], editor_id)

    def record_after(
        self,
        reading: ContentReading,
        permissions: TypePermissions,
        entry_id: int,
        editor_id: int | None,
        *,
        published: bool = False,
    ) -> Program[None]:
        """Store the state of an entry after a change."""
        if self.max_revisions:
            yield from self._add_revision(
                reading, permissions, entry_id, editor_id, published=published
            )

    def forget(self, content_type: ContentType, document_id: str) -> Program[None]:
        """Delete the revisions of a document that was deleted in all its locales."""
        if self.max_revisions:
            yield from self.revisions.forget(content_type.uid, document_id)

    def _add_revision(
        self,
        reading: ContentReading,
        permissions: TypePermissions,
        entry_id: int,
        editor_id: int | None,
        *,
        published: bool = False,
    ) -> Program[None]:
        entry = yield from read_whole(
            reading, permissions, entry_id, published=published, complete=True
        )
        content_type = permissions.content_type
        is_live = published or not content_type.draft_and_publish
        moment = entry["publishedAt"] if published else entry["updatedAt"]
        revision = Revision(
            uid=content_type.uid,
            document_id=entry["documentId"],
            locale=entry["locale"],
            status=PUBLISHED_STATUS if is_live else DRAFT_STATUS,
            created_at=ms_from_iso(moment),
            created_by=editor_id,
            data=msgspec.json.encode(
                revision_data(reading.engine.schema, content_type, entry)
            ).decode(),
        )
        yield from self.revisions.add(revision, limit=self.max_revisions)


def read_whole(
    reading: ContentReading,
    permissions: TypePermissions,
    entry_id: int,
    *,
    published: bool = False,
    complete: bool = False,
) -> Program[EntryJson]:
    """Return a row with all its values, whatever may be read of it, relations as rows.

    A ``published`` row is the published version of a document that has drafts: it is related to
    published versions. A ``complete`` row includes what rules of the project hide.
    """
    requested_version = RequestedVersion("draft", None, "published" if published else "draft")
    entry = reading.entry(
        permissions, entry_id, requested_version, None, rules=_ALL_FIELDS, complete=complete
    )
    return (yield from entry)


def revision_as_request(
    engine: WriteEngine, permissions: TypePermissions, revision: Revision
) -> Program[tuple[Data, list[dict[str, object]]]]:
    """Return a revision in the form of a request, and its missing targets."""
    content_type, data = permissions.content_type, orjson.loads(revision.data)
    existing_targets = ExistingTargets(locale=revision.locale)
    targets = targets_in(engine.schema, content_type, data, existing_targets)
    existing_targets.existing = yield from _read_existing(engine, permissions, targets)
    body = request_data(engine.schema, content_type, data, existing_targets)
    return body, existing_targets.missing


def _read_existing(
    engine: WriteEngine, permissions: TypePermissions, targets: frozenset[Target]
) -> Program[frozenset[Target]]:
    by_uid: dict[str, list[str]] = {}
    for uid, document_id, _ in targets:
        if uid in engine.schema.content_types:
            by_uid.setdefault(uid, []).append(document_id)
    existing_targets: set[Target] = set()
    for uid, document_ids in by_uid.items():
        slots = Slots()
        condition = Comparison("documentId", Predicate.IN, (slots.add([*document_ids]),))
        node = PlanNode(uid=uid, fields=("documentId", "locale"), filter=condition)
        prepared_read = Planner(engine).planned(ReadPlan(root=node), slots, permissions.ability)
        rows, _ = yield from prepared_read.entries()
        localized = engine.schema.content_types[uid].localized
        existing_targets |= {
            (uid, row["documentId"], row["locale"] if localized else None) for row in rows
        }
    return frozenset(existing_targets)
