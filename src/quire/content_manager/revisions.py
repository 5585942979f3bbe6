"""The history of entries: records their state at each change by an administrator.

The result of other changes is recorded before the next change by an administrator.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec
import orjson
from msgspec import Struct

from quire.access.admin_ability import AdminAbility, GrantRule
from quire.clock import ms_from_iso
from quire.content_manager.entry_reads import EntryReader
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
from quire.database.stores.entry_stages import ENTRY_STAGES
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.revisions import REVISIONS, Revision, RevisionKey, Revisions
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import NotFoundError
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, PlanNode, ReadPlan
from quire.query.resolve.row_rules import FIND_ONE
from quire.query.resolve.scope import Slots
from quire.schema.model import DRAFT_STATUS, PUBLISHED_STATUS, ContentType, Schema

_ALL_FIELDS = (GrantRule(),)
_ENTRIES_AT_ONCE = 100
"""How many whole entries are read, and stored as revisions, by the same statements."""


class RevisionLog(Struct, frozen=True):
    """Stores revisions, up to a number per entry; none of them for 0."""

    revisions: Revisions
    max_revisions: int

    def record_before(
        self, reading: EntryReader, permissions: TypePermissions, entry: EntryJson
    ) -> Program[None]:
        """Store the state of a draft before it is changed, unless it is stored already."""
        if not self.max_revisions:
            return
        key = RevisionKey(permissions.content_type.uid, entry["documentId"], entry["locale"])
        revisions = yield from self.revisions.list_for_entry(key)
        if revisions and revisions[0].created_at >= _moment(entry["updatedAt"]):
            return
        editor = entry.get("updatedBy")
        editor_id = editor["id"] if isinstance(editor, dict) else None
        yield from self._add_revisions(reading, permissions, [entry["id"]], editor_id)

    def record_after(
        self,
        reading: EntryReader,
        permissions: TypePermissions,
        entry_ids: Sequence[int],
        editor_id: int | None,
        *,
        published: bool = False,
    ) -> Program[None]:
        """Store the state of entries after their change."""
        if self.max_revisions:
            yield from self._add_revisions(
                reading, permissions, entry_ids, editor_id, published=published
            )

    def forget(self, content_type: ContentType, document_id: str) -> Program[None]:
        """Delete the revisions of a document that was deleted in all its locales."""
        if self.max_revisions:
            yield from self.revisions.forget(content_type.uid, document_id)

    def _add_revisions(
        self,
        reading: EntryReader,
        permissions: TypePermissions,
        entry_ids: Sequence[int],
        editor_id: int | None,
        *,
        published: bool = False,
    ) -> Program[None]:
        content_type = permissions.content_type
        is_live = published or not content_type.draft_and_publish
        for start in range(0, len(entry_ids), _ENTRIES_AT_ONCE):
            entries = yield from read_all_whole(
                reading,
                permissions,
                entry_ids[start : start + _ENTRIES_AT_ONCE],
                published=published,
                complete=True,
            )
            revisions = [
                Revision(
                    uid=content_type.uid,
                    document_id=entry["documentId"],
                    locale=entry["locale"],
                    status=PUBLISHED_STATUS if is_live else DRAFT_STATUS,
                    created_at=_moment(entry["publishedAt" if published else "updatedAt"]),
                    created_by=editor_id,
                    data=revision_text(reading.engine.schema, content_type, entry),
                )
                for entry in entries
            ]
            yield from self.revisions.add(revisions, limit=self.max_revisions)


def _moment(text: str | None) -> int:
    """Parse a time of an entry; rows that other programs have inserted may have none."""
    return 0 if text is None else ms_from_iso(text)


def revision_text(schema: Schema, content_type: ContentType, entry: EntryJson) -> str:
    """Return the whole content of an entry as JSON, in the form of revisions."""
    return msgspec.json.encode(revision_data(schema, content_type, entry)).decode()


def read_whole(
    reading: EntryReader, permissions: TypePermissions, entry_id: int
) -> Program[EntryJson]:
    """Return a draft as `read_all_whole` does. Raises NotFoundError if it does not exist."""
    entries = yield from read_all_whole(reading, permissions, [entry_id])
    if not entries:
        raise NotFoundError
    return entries[0]


def read_all_whole(
    reading: EntryReader,
    permissions: TypePermissions,
    entry_ids: Sequence[int],
    *,
    published: bool = False,
    complete: bool = False,
) -> Program[list[EntryJson]]:
    """Return rows with all their values, whatever may be read of them, relations as rows.

    ``published`` rows are the published versions of documents that have drafts: they are related to
    published versions. ``complete`` rows include what rules of the project hide. They are in the
    order of their ids in ``entry_ids``, without those that do not exist.
    """
    requested_version = RequestedVersion("draft", None, "published" if published else "draft")
    prepared_read = reading.planner.forms(
        permissions,
        requested_version,
        entry_ids,
        None,
        rules=_ALL_FIELDS,
        action=FIND_ONE,
        complete=complete,
    )
    entries, _ = yield from prepared_read.entries()
    entries_by_id = {entry["id"]: entry for entry in entries}
    return [entries_by_id[id_] for id_ in entry_ids if id_ in entries_by_id]


class RevisionRequest(NamedTuple):
    """A revision in the form of a request, and its missing targets."""

    data: Data
    missing: list[dict[str, object]]


def revision_as_request(
    engine: WriteEngine, permissions: TypePermissions, revision: Revision
) -> Program[RevisionRequest]:
    """Return a revision in the form of a request."""
    requests = yield from revisions_as_requests(engine, permissions, [revision])
    return requests[0]


def revisions_as_requests(
    engine: WriteEngine,
    permissions: TypePermissions,
    revisions: Sequence[Revision],
    *,
    complete: bool = False,
) -> Program[list[RevisionRequest]]:
    """Return revisions of entries of a type in the form of requests.

    ``complete`` requests have the targets of relations that rules of the project hide.
    """
    content_type = permissions.content_type
    contents = [orjson.loads(revision.data) for revision in revisions]
    targets = [ExistingTargets(locale=revision.locale) for revision in revisions]
    named_targets: set[Target] = set()
    for content, existing_targets in zip(contents, targets, strict=True):
        named_targets |= targets_in(engine.schema, content_type, content, existing_targets)
    ability = None if complete else permissions.ability
    existing = yield from _read_existing(engine, ability, named_targets)
    requests: list[RevisionRequest] = []
    for content, existing_targets in zip(contents, targets, strict=True):
        existing_targets.existing = existing
        body = request_data(engine.schema, content_type, content, existing_targets)
        requests.append(RevisionRequest(body, existing_targets.missing))
    return requests


def _read_existing(
    engine: WriteEngine, ability: AdminAbility | None, targets: Collection[Target]
) -> Program[frozenset[Target]]:
    by_uid: dict[str, dict[str, None]] = {}
    for uid, document_id, _ in targets:
        if uid in engine.schema.content_types:
            by_uid.setdefault(uid, {})[document_id] = None
    existing_targets: set[Target] = set()
    for uid, document_ids in by_uid.items():
        slots = Slots()
        condition = Comparison("documentId", Predicate.IN, (slots.add([*document_ids]),))
        node = PlanNode(uid=uid, fields=("documentId", "locale"), filter=condition)
        prepared_read = Planner(engine).planned(ReadPlan(root=node), slots, ability)
        rows, _ = yield from prepared_read.entries()
        localized = engine.schema.content_types[uid].localized
        existing_targets |= {
            (uid, row["documentId"], row["locale"] if localized else None) for row in rows
        }
    return frozenset(existing_targets)


class RevisionHistory(Struct, frozen=True):
    """A log of revisions, and the tables that it needs."""

    log: RevisionLog
    tables: QuireTables

    async def ready(self) -> RevisionLog:
        """Create missing tables, also those of review stages, and return the log.

        Raises ServiceUnavailableError.
        """
        if self.log.max_revisions:
            await self.tables.ensure(REVISIONS)
        await self.tables.ensure(ENTRY_STAGES)
        return self.log
