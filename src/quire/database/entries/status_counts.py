"""Counts documents by status."""

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.store import EntryStore
from quire.database.program import Program


class StatusCounts(Struct, frozen=True, kw_only=True):
    """How many documents of a type are unpublished, published, and modified."""

    draft: int
    published: int
    modified: int


def count_standing(store: EntryStore, layout: EntryLayout) -> Program[StatusCounts]:
    """Count the documents of a type.

    A document is published when its drafts and its published versions were last modified at the
    same time, over all locales; without drafts all are published.
    """
    columns = layout.table.columns
    versioned = layout.is_versioned()

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        live, moment = table.c(columns["publishedAt"]).is_not(None), table.c(columns["updatedAt"])
        grouped = sa.select(
            sa.func.max(sa.case((live, 1), else_=0)).label("live"),
            sa.func.max(sa.case((sa.not_(live), moment))).label("drafted"),
            sa.func.max(sa.case((live, moment))).label("published"),
        ).group_by(table.c(columns["documentId"]))
        documents = grouped.subquery()
        never = documents.c.live == sa.literal_column("0")
        alike = documents.c.drafted == documents.c.published
        counted = sa.func.count()
        drafts = sa.func.count(sa.case((never, 1)))
        same = sa.func.count(sa.case((sa.and_(sa.not_(never), alike), 1)))
        return sa.select(counted, drafts, same).select_from(documents)

    rows = yield from store.writes.run(("standing", layout.model.uid), build)
    every, drafts, same = (int(value or 0) for value in rows[0])
    if not versioned:
        return StatusCounts(draft=0, published=every, modified=0)
    return StatusCounts(draft=drafts, published=same, modified=every - drafts - same)
