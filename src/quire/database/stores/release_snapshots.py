"""The public state before a release was published, to undo it: one of Quire's own tables."""

from collections.abc import Sequence

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable
from quire.database.stores.row_conditions import eq
from quire.database.stores.row_types import BigInt, EmptyText, LongText


class ReleaseSnapshot(Struct, frozen=True, kw_only=True):
    """One entry before and after the publication of a release.

    ``data`` is its published version before, as JSON in the form of revisions, ``None`` if there
    was none. ``published_at`` is the time (epoch milliseconds) at which the release published it,
    ``None`` if it was unpublished: while that is unchanged, the release can be undone.
    """

    release_id: int
    uid: str
    document_id: str
    locale: EmptyText
    published_at: BigInt | None
    data: LongText | None


RELEASE_SNAPSHOTS = QuireTable(
    name="quire_release_snapshots",
    row=ReleaseSnapshot,
    indexes={"quire_release_snapshots_release": ("release_id",)},
)


class ReleaseSnapshots:
    """Programs that read and write snapshots."""

    def __init__(self, writes: Writes) -> None:
        self._table = RELEASE_SNAPSHOTS.open(writes)

    def snapshots_of_release(self, release_id: int) -> Program[list[ReleaseSnapshot]]:
        """Return the snapshots of a release, in the order of publication."""
        return (yield from self._table.select(eq("release_id", release_id)))

    def add(self, snapshots: Sequence[ReleaseSnapshot]) -> Program[None]:
        """Write snapshots."""
        yield from self._table.insert_many(snapshots)

    def forget(self, release_id: int) -> Program[None]:
        """Delete the snapshots of a release."""
        yield from self._table.delete(eq("release_id", release_id))
