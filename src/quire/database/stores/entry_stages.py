"""The stages and assignees of entries in review: a table of Quire's own."""

from collections.abc import Collection, Mapping

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Row, Value
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

_NAME = "quire_entry_stages"
_COLUMNS: Mapping[str, StorageKind] = {
    "uid": StorageKind.STRING,
    "document_id": StorageKind.STRING,
    "locale": StorageKind.STRING,
    "stage_id": StorageKind.INTEGER,
    "assignee_id": StorageKind.INTEGER,
}
ENTRY_STAGES = OwnTable(
    name=_NAME,
    columns=_COLUMNS,
    indexes={
        "quire_entry_stages_entry": ("document_id", "uid", "locale"),
        "quire_entry_stages_type": ("uid", "locale", "stage_id"),
    },
    unique=("quire_entry_stages_entry",),
)
_NO_LOCALE, EVERY_LOCALE = "", "*"


class EntryStage(Struct, frozen=True, kw_only=True):
    """Where an entry is in review, and who looks after it.

    ``stage_id`` is ``None`` where nobody has moved it: then it is in the first stage.
    """

    uid: str
    document_id: str
    locale: str | None
    stage_id: int | None = None
    assignee_id: int | None = None


class EntryStages(Struct, frozen=True):
    """Programs that read and write the stages of entries."""

    writes: Writes

    def of(self, uid: str, document_id: str, locale: str | None) -> Program[EntryStage]:
        """Return where an entry is."""
        found = yield from self._at(uid, document_id, locale)
        nothing = EntryStage(uid=uid, document_id=document_id, locale=locale)
        return nothing if found is None else found[1]

    def save(self, stage: EntryStage) -> Program[None]:
        """Write where an entry is."""
        found = yield from self._at(stage.uid, stage.document_id, stage.locale)
        changed: dict[str, Value] = {"stage_id": stage.stage_id, "assignee_id": stage.assignee_id}
        if found is not None:
            yield from self.writes.update(_NAME, found[0], changed)
            return
        row: dict[str, Value] = {
            "uid": stage.uid,
            "document_id": stage.document_id,
            "locale": stage.locale or _NO_LOCALE,
        }
        yield from self.writes.insert(_NAME, row | changed)

    def of_type(self, uid: str, locale: str | None, most: int) -> Program[list[EntryStage]]:
        """Return the entries of a type that were moved or assigned, so many of them at most.

        ``*`` stands for every locale.
        """
        is_any = locale == EVERY_LOCALE

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = sa.select(*(table.c(name) for name in ("id", *_COLUMNS)))
            chosen = chosen.where(table.c("uid") == builder.plain_slot(0))
            if not is_any:
                chosen = chosen.where(table.c("locale") == builder.plain_slot(1))
            return chosen.order_by(table.c("id")).limit(builder.plain_slot(2))

        values = (uid, locale or _NO_LOCALE, most)
        rows = yield from self.writes.run((_NAME, "of type", is_any), build, values)
        return [_stage(row) for row in rows]

    def forget_stages(self, stage_ids: Collection[int]) -> Program[None]:
        """Let the entries in these stages be in the first stage again."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = sa.table(_NAME, sa.column("stage_id"))
            here = self.writes.dialect.member_of(table.c.stage_id, builder.parents())
            return sa.update(table).values(stage_id=sa.null()).where(here)

        if stage_ids:
            yield from self.writes.run_listed((_NAME, "forget"), build, sorted(stage_ids))

    def _at(
        self, uid: str, document_id: str, locale: str | None
    ) -> Program[tuple[int, EntryStage] | None]:
        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = sa.select(*(table.c(name) for name in ("id", *_COLUMNS)))
            return chosen.where(
                table.c("document_id") == builder.plain_slot(0),
                table.c("uid") == builder.plain_slot(1),
                table.c("locale") == builder.plain_slot(2),
            )

        values = (document_id, uid, locale or _NO_LOCALE)
        rows = yield from self.writes.run((_NAME, "at"), build, values)
        return (int(rows[0][0] or 0), _stage(rows[0])) if rows else None


def _stage(row: Row) -> EntryStage:
    _, uid, document_id, locale, stage_id, assignee_id = row
    return EntryStage(
        uid=str(uid),
        document_id=str(document_id),
        locale=str(locale) or None,
        stage_id=None if stage_id is None else int(stage_id),
        assignee_id=None if assignee_id is None else int(assignee_id),
    )
