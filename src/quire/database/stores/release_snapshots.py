"""What was public before a release was published, to undo it: a table of Quire's own."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Value
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

_NAME = "quire_release_snapshots"
_COLUMNS: Mapping[str, StorageKind] = {
    "release_id": StorageKind.INTEGER,
    "uid": StorageKind.STRING,
    "document_id": StorageKind.STRING,
    "locale": StorageKind.STRING,
    "published_at": StorageKind.BIGINTEGER,
    "data": StorageKind.TEXT,
}
RELEASE_SNAPSHOTS = OwnTable(
    name=_NAME, columns=_COLUMNS, indexes={"quire_release_snapshots_release": ("release_id",)}
)
_NO_LOCALE = ""


class ReleaseSnapshot(Struct, frozen=True, kw_only=True):
    """One entry before and after the publication of a release.

    ``data`` is what was public of it before, as JSON in the form of revisions, ``None`` where
    nothing was. ``published_at`` is the moment (epoch milliseconds) at which the release published
    it, ``None`` where the release left nothing public: as long as that is so, it can be undone.
    """

    release_id: int
    uid: str
    document_id: str
    locale: str | None
    published_at: int | None
    data: str | None


class ReleaseSnapshots(Struct, frozen=True):
    """Programs that read and write snapshots."""

    writes: Writes

    def of(self, release_id: int) -> Program[list[ReleaseSnapshot]]:
        """Return the snapshots of a release, in the order in which it was carried out."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = sa.select(*(table.c(name) for name in _COLUMNS))
            return chosen.where(table.c("release_id") == builder.plain_slot(0)).order_by(
                table.c("id")
            )

        rows = yield from self.writes.run((_NAME, "of"), build, (release_id,))
        return [_snapshot(dict(zip(_COLUMNS, row, strict=True))) for row in rows]

    def add(self, snapshot: ReleaseSnapshot) -> Program[None]:
        """Write a snapshot."""
        row: dict[str, Value] = {
            "release_id": snapshot.release_id,
            "uid": snapshot.uid,
            "document_id": snapshot.document_id,
            "locale": snapshot.locale or _NO_LOCALE,
            "published_at": snapshot.published_at,
            "data": snapshot.data,
        }
        yield from self.writes.insert(_NAME, row)

    def forget(self, release_id: int) -> Program[None]:
        """Delete the snapshots of a release."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = sa.table(_NAME, sa.column("release_id"))
            return sa.delete(table).where(table.c.release_id == builder.plain_slot(0))

        yield from self.writes.run((_NAME, "forget"), build, (release_id,))


def _snapshot(row: Mapping[str, Any]) -> ReleaseSnapshot:
    moment = row["published_at"]
    return ReleaseSnapshot(
        release_id=int(row["release_id"]),
        uid=row["uid"],
        document_id=row["document_id"],
        locale=row["locale"] or None,
        published_at=None if moment is None else int(moment),
        data=row["data"],
    )
