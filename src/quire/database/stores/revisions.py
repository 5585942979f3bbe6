"""Revisions of entries, a table of Quire's own.

The reference server has a table for that, too, and fills it for those who pay. It has no index by
document, without which each change would look at all revisions there are.
"""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Row, Value
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

_NAME = "quire_revisions"
_COLUMNS: Mapping[str, StorageKind] = {
    "uid": StorageKind.STRING,
    "document_id": StorageKind.STRING,
    "locale": StorageKind.STRING,
    "status": StorageKind.STRING,
    "created_at": StorageKind.BIGINTEGER,
    "created_by": StorageKind.INTEGER,
    "data": StorageKind.TEXT,
}
REVISIONS = OwnTable(
    name=_NAME, columns=_COLUMNS, indexes={"quire_revisions_document": ("document_id", "uid")}
)
_NO_LOCALE = ""
_IN_SHORT = tuple(name for name in ("id", *_COLUMNS) if name != "data")


class RevisionKey(Struct, frozen=True):
    """Whose revisions: a document of a type in a locale, ``None`` where there are no locales."""

    uid: str
    document_id: str
    locale: str | None

    @property
    def values(self) -> tuple[str, str, str]:
        """What the columns of the place hold."""
        return self.document_id, self.uid, self.locale or _NO_LOCALE


class Revision(Struct, frozen=True, kw_only=True):
    """What an entry was like at a moment (epoch milliseconds), by whom, and as JSON."""

    place: RevisionKey
    status: str
    created_at: int
    created_by: int | None
    data: str = ""
    id: int = 0


class Revisions:
    """Programs that read and write revisions."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def of(self, place: RevisionKey) -> Program[list[Revision]]:
        """Return all revisions of an entry without their data, the latest first."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            columns = (table.c(name) for name in _IN_SHORT)
            here = [
                table.c(name) == builder.plain_slot(slot)
                for slot, name in enumerate(("document_id", "uid", "locale"))
            ]
            return sa.select(*columns).where(*here).order_by(table.c("id").desc())

        rows = yield from self._writes.run((_NAME, "of"), build, place.values)
        return [_revision(_IN_SHORT, row) for row in rows]

    def one(self, revision_id: int) -> Program[Revision | None]:
        """Return a revision with its data."""
        names = ("id", *_COLUMNS)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = sa.select(*(table.c(name) for name in names))
            return chosen.where(table.c("id") == builder.plain_slot(0))

        rows = yield from self._writes.run((_NAME, "one"), build, (revision_id,))
        return _revision(names, rows[0]) if rows else None

    def add(self, revision: Revision, *, most: int) -> Program[None]:
        """Add a revision, and let the oldest ones of its entry go beyond so many."""
        document_id, uid, locale = revision.place.values
        row: dict[str, Value] = {
            "uid": uid,
            "document_id": document_id,
            "locale": locale,
            "status": revision.status,
            "created_at": revision.created_at,
            "created_by": revision.created_by,
            "data": revision.data,
        }
        yield from self._writes.insert(_NAME, row)
        every = yield from self.of(revision.place)
        yield from self._writes.delete(_NAME, [one.id for one in every[most:]])

    def forget(self, uid: str, document_id: str) -> Program[None]:
        """Forget all revisions of a document."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = sa.table(_NAME, sa.column("uid"), sa.column("document_id"))
            of_document = table.c.document_id == builder.plain_slot(0)
            return sa.delete(table).where(of_document, table.c.uid == builder.plain_slot(1))

        yield from self._writes.run((_NAME, "forget"), build, (document_id, uid))


def _revision(names: tuple[str, ...], row: Row) -> Revision:
    found: dict[str, Any] = dict(zip(names, row, strict=True))
    return Revision(
        id=int(found["id"]),
        place=RevisionKey(found["uid"], found["document_id"], found["locale"] or None),
        status=found["status"],
        created_at=int(found["created_at"]),
        created_by=found["created_by"],
        data=found.get("data", ""),
    )
