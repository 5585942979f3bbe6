"""Revisions of entries, one of Quire's own tables.

Strapi has a table of revisions as well, in its paid edition. It has no index by document, without
which each change would read all revisions.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable
from quire.database.stores.row_conditions import Condition, eq, in_list
from quire.database.stores.row_types import BigInt, EmptyText, LongText
from quire.database.stores.table import open_table


class RevisionKey(Struct, frozen=True):
    """The entry of a revision: a document of a type in a locale, ``None`` without locales."""

    uid: str
    document_id: str
    locale: str | None

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The condition of its revisions."""
        return eq("document_id", self.document_id), eq("uid", self.uid), eq("locale", self.locale)


class RevisionSummary(Struct, frozen=True, kw_only=True):
    """When an entry was changed (epoch milliseconds), and by whom."""

    id: int = 0
    uid: str
    document_id: str
    locale: EmptyText
    status: str
    created_at: BigInt
    created_by: int | None

    @property
    def key(self) -> RevisionKey:
        """The entry of the revision."""
        return RevisionKey(self.uid, self.document_id, self.locale)


class Revision(RevisionSummary, frozen=True, kw_only=True):
    """The state of an entry at that time, as JSON."""

    data: LongText


REVISIONS = QuireTable(
    name="quire_revisions",
    row=Revision,
    indexes={"quire_revisions_document": ("document_id", "uid")},
)


class Revisions:
    """Programs that read and write revisions."""

    def __init__(self, writes: Writes) -> None:
        self._table = REVISIONS.open(writes)
        self._summaries = open_table(writes, REVISIONS.name, RevisionSummary)

    def list_for_entry(self, key: RevisionKey) -> Program[list[RevisionSummary]]:
        """Return all revisions of an entry without their data, the latest first."""
        return (yield from self._summaries.select(*key.conditions, order=("-id",)))

    def get(self, revision_id: int) -> Program[Revision | None]:
        """Return a revision with its data."""
        return (yield from self._table.get(revision_id))

    def add(self, revisions: Sequence[Revision], *, limit: int) -> Program[None]:
        """Add revisions of entries of one type, and delete their oldest ones beyond a limit."""
        if not revisions:
            return
        yield from self._table.insert_many(revisions)
        excess_ids: list[int] = []
        stored = yield from self._list_for_entries([revision.key for revision in revisions])
        times: Counter[RevisionKey] = Counter()
        for summary in stored:
            times[summary.key] += 1
            if times[summary.key] > limit:
                excess_ids.append(summary.id)
        yield from self._table.delete_ids(excess_ids)

    def _list_for_entries(self, keys: Sequence[RevisionKey]) -> Program[list[RevisionSummary]]:
        """Return all revisions of entries of one type, the latest first."""
        if len(keys) == 1:
            return (yield from self.list_for_entry(keys[0]))
        ids = list(dict.fromkeys(key.document_id for key in keys))
        of_documents = in_list("document_id", ids), eq("uid", keys[0].uid)
        summaries = yield from self._summaries.select(*of_documents, order=("-id",))
        wanted = set(keys)
        return [summary for summary in summaries if summary.key in wanted]

    def forget(self, uid: str, document_id: str) -> Program[None]:
        """Delete all revisions of a document."""
        yield from self._table.delete(eq("document_id", document_id), eq("uid", uid))
