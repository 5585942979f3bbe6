"""The stages and assignees of entries in review: one of Quire's own tables."""

from collections.abc import Collection

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable
from quire.database.stores.row_conditions import eq, in_list
from quire.database.stores.row_types import EmptyText

_EVERY_LOCALE = "*"


class EntryStage(Struct, frozen=True, kw_only=True):
    """The review stage and the assignee of an entry.

    ``stage_id`` is ``None`` if it was never moved: then it is in the first stage.
    """

    uid: str
    document_id: str
    locale: EmptyText
    stage_id: int | None = None
    assignee_id: int | None = None


_ENTRY = "quire_entry_stages_entry"
ENTRY_STAGES = QuireTable(
    name="quire_entry_stages",
    row=EntryStage,
    indexes={
        _ENTRY: ("document_id", "uid", "locale"),
        "quire_entry_stages_type": ("uid", "locale", "stage_id"),
    },
    unique=(_ENTRY,),
)


class EntryStages:
    """Programs that read and write the stages of entries."""

    def __init__(self, writes: Writes) -> None:
        self._table = ENTRY_STAGES.open(writes)

    def get(self, uid: str, document_id: str, locale: str | None) -> Program[EntryStage]:
        """Return the stage of an entry."""
        conditions = (eq("document_id", document_id), eq("uid", uid), eq("locale", locale))
        entry_stage = yield from self._table.first(*conditions)
        return entry_stage or EntryStage(uid=uid, document_id=document_id, locale=locale)

    def of_documents(self, uid: str, document_ids: Collection[str]) -> Program[list[EntryStage]]:
        """Return the moved or assigned entries of documents of a type."""
        return (yield from self._table.select(eq("uid", uid), in_list("document_id", document_ids)))

    def save(self, stage: EntryStage) -> Program[None]:
        """Save the stage of an entry."""
        yield from self._table.upsert(stage, by=ENTRY_STAGES.indexes[_ENTRY])

    def of_type(self, uid: str, locale: str | None, limit: int) -> Program[list[EntryStage]]:
        """Return the moved or assigned entries of a type, up to a limit.

        ``*`` means every locale.
        """
        conditions = [eq("uid", uid)]
        if locale != _EVERY_LOCALE:
            conditions.append(eq("locale", locale))
        return (yield from self._table.select(*conditions, limit=limit))

    def forget_stages(self, stage_ids: Collection[int]) -> Program[None]:
        """Move the entries in these stages back to the first stage."""
        yield from self._table.update({"stage_id": None}, in_list("stage_id", stage_ids))
