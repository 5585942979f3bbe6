"""Finds and counts the rows of documents, by status and locale."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program, Value


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
        is_published = table.c(columns["publishedAt"]).is_not(None)
        moment = table.c(columns["updatedAt"])
        grouped = sa.select(
            sa.func.max(sa.case((is_published, 1), else_=0)).label("live"),
            sa.func.max(sa.case((sa.not_(is_published), moment))).label("drafted"),
            sa.func.max(sa.case((is_published, moment))).label("published"),
        ).group_by(table.c(columns["documentId"]))
        documents = grouped.subquery()
        is_unpublished = documents.c.live == sa.literal_column("0")
        has_equal_times = documents.c.drafted == documents.c.published
        counted = sa.func.count()
        drafts = sa.func.count(sa.case((is_unpublished, 1)))
        unmodified = sa.func.count(sa.case((sa.and_(sa.not_(is_unpublished), has_equal_times), 1)))
        return sa.select(counted, drafts, unmodified).select_from(documents)

    rows = yield from store.writes.run(("standing", layout.model.uid), build)
    total, drafts, unmodified_count = (int(value or 0) for value in rows[0])
    if not versioned:
        return StatusCounts(draft=0, published=total, modified=0)
    return StatusCounts(
        draft=drafts, published=unmodified_count, modified=total - drafts - unmodified_count
    )


class EntryRow(Struct, frozen=True):
    """One row of a document. ``updated_at`` is epoch milliseconds, ``None`` if unknown."""

    id: int
    document_id: str
    locale: str | None
    updated_at: int | None
    published: bool


def entries_of(store: EntryStore, layout: EntryLayout, document_id: str) -> Program[list[EntryRow]]:
    """Return all rows of a document, in all locales and versions, in the order of their ids."""
    columns = layout.table.columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        condition = table.c(columns["documentId"]) == builder.plain_slot(0)
        selection = _entry_selection(layout, table)
        return sa.select(*selection).where(condition).order_by(table.c("id"))

    key = ("entries", layout.model.uid)
    rows = yield from store.writes.run(key, build, (document_id,))
    return [_entry_row(store, document_id, values) for values in rows]


def entries_of_documents(
    store: EntryStore, layout: EntryLayout, document_ids: Collection[str]
) -> Program[dict[str, list[EntryRow]]]:
    """Return the rows of each of some documents, as `entries_of` does, by one statement."""
    columns = layout.table.columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        document = table.c(columns["documentId"])
        condition = store.dialect.member_of(document, builder.parents())
        selection = _entry_selection(layout, table)
        return sa.select(document, *selection).where(condition).order_by(table.c("id"))

    key = ("entries of documents", layout.model.uid)
    rows = yield from store.writes.run_listed(key, build, document_ids)
    entries: dict[str, list[EntryRow]] = {document_id: [] for document_id in document_ids}
    for document_id, *values in rows:
        entries[str(document_id)].append(_entry_row(store, str(document_id), values))
    return entries


def _entry_selection(layout: EntryLayout, table: AliasedTable) -> tuple[ColumnElement[Any], ...]:
    columns = layout.table.columns
    return (
        table.c("id"),
        table.c(columns["locale"]),
        sa.case((table.c(columns["publishedAt"]).is_not(None), 1), else_=0),
        table.c(columns["updatedAt"]),
    )


def _entry_row(store: EntryStore, document_id: str, values: Sequence[Value]) -> EntryRow:
    id_, locale, published, updated_at = values
    return EntryRow(
        int(id_ or 0),
        document_id,
        None if locale is None else str(locale),
        store.dialect.epoch_ms(updated_at),
        bool(published),
    )


def lock_versions(store: EntryStore, layout: EntryLayout, document_id: str) -> Program[None]:
    """Lock all rows of a document until the end of the transaction.

    On SQLite a transaction that writes has locked the whole database.
    """
    columns = layout.table.columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        condition = table.c(columns["documentId"]) == builder.plain_slot(0)
        query = sa.select(table.c("id")).where(condition).order_by(table.c("id"))
        return query.with_for_update()

    yield from store.writes.run(("lock", layout.model.uid), build, (document_id,))


def first_document_id(
    store: EntryStore, layout: EntryLayout, *, by_name: bool = False
) -> Program[str | None]:
    """Return the document of a single type: that of its first row, whatever its version.

    With ``by_name``, the first document in the order of document ids.
    """
    columns = layout.table.columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        document = table.c(columns["documentId"])
        query = sa.select(document).order_by(document if by_name else table.c("id"))
        return query.limit(sa.literal_column("1"))

    key = ("first document", layout.model.uid, by_name)
    rows = yield from store.writes.run(key, build)
    return str(rows[0][0]) if rows else None


def counterparts(
    store: EntryStore,
    layout: EntryLayout,
    ids: Collection[int],
    *,
    published: bool | None,
    locale: str | None = None,
    excluded_ids: Collection[int] = (),
) -> Program[Mapping[int, int]]:
    """Map rows of any version to the rows of the same document with this status.

    They are in the ``locale``, or in that of the row; with ``None`` the status is that of the row,
    too. Rows ``excluded_ids`` are excluded from the results; the newest of several counts. Rows
    without a counterpart are left out.
    """
    columns = layout.table.columns
    versioned = layout.is_versioned()

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(layout.table.name)
        target = builder.table(layout.table.name)
        own_locale = target.c(columns["locale"])
        conditions = [
            target.c(columns["documentId"]) == source.c(columns["documentId"]),
            own_locale.is_not_distinct_from(source.c(columns["locale"]))
            if locale is None
            else own_locale == builder.constant(locale),
        ]
        published_at = target.c(columns["publishedAt"])
        if published is not None:
            conditions.append(published_at.is_not(None) if published else published_at.is_(None))
        elif versioned:
            own_status = source.c(columns["publishedAt"]).is_(None)
            conditions.append(published_at.is_(None) == own_status)
        join = source.source.join(target.source, sa.and_(*conditions))
        member = store.dialect.member_of(source.c("id"), builder.parents())
        query = sa.select(source.c("id"), target.c("id")).select_from(join)
        return query.where(member).order_by(target.c("id"))

    if not ids:
        return {}
    key = ("counterparts", layout.model.uid, published, locale)
    rows = yield from store.writes.run_listed(key, build, ids)
    return {
        int(source_id or 0): int(target_id or 0)
        for source_id, target_id in rows
        if target_id not in excluded_ids
    }
