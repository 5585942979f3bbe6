"""Looks up rows by document, by id, or by a unique value."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program, Value
from quire.database.tables.table_map import COMPONENT_ENTITY, COMPONENT_ID, COMPONENT_TYPE, FIELD
from quire.schema.attributes.base import StorageKind


class VersionRow(NamedTuple):
    """A row of a document, and whether it is a published one."""

    id: int
    published: bool


def rows_of_documents(
    store: EntryStore, uid: str, locale: str | None, document_ids: tuple[str, ...]
) -> Program[list[tuple[str, VersionRow]]]:
    """Return the rows of documents with their document ids, in one locale or in any."""
    layout = store.layout(uid)
    columns = layout.table.columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        published = table.c(columns["publishedAt"]).is_not(None)
        document = table.c(columns["documentId"])
        select = sa.select(table.c("id"), document, sa.case((published, 1), else_=0)).where(
            store.dialect.member_of(document, builder.parents())
        )
        if locale is not None:
            select = select.where(table.c(columns["locale"]) == builder.plain_slot(0))
        return select.order_by(table.c("id"))

    key = ("documents", uid, locale is None)
    values = () if locale is None else (locale,)
    rows = yield from store.writes.run_listed(key, build, document_ids, values)
    return [
        (str(document), VersionRow(int(id_ or 0), bool(published)))
        for id_, document, published in rows
    ]


def existing_ids(store: EntryStore, uid: str, ids: Collection[int]) -> Program[set[int]]:
    """Return the ids that exist in the table of a model."""
    name = store.layout(uid).table.name

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(name)
        member = store.dialect.member_of(table.c("id"), builder.parents())
        return sa.select(table.c("id")).where(member)

    rows = yield from store.writes.run_listed(("ids", uid), build, ids)
    return {int(row[0] or 0) for row in rows}


ComponentPath = Sequence[tuple[str, str]]
"""The path to a value through components: the attribute that contains each, and its uid."""


def is_taken(
    store: EntryStore,
    uid: str,
    path: ComponentPath,
    column: str,
    value: Value,
    *,
    except_document_id: str | None,
    locale: str | None,
    is_copy: bool = False,
) -> Program[bool]:
    """Tell whether a published entry has a value in a column, its own or that of a component.

    The document ``except_document_id`` may have it; with ``locale`` only entries of that locale
    count. If this document has published the value in the attribute itself, nothing else is
    searched, which without an index would read the whole table for every change. A document that
    ``is_copy`` has the values of another one, and none of its own yet.
    """
    lookup = _TakenLookup(store, uid, tuple(path), column)
    accepts_own_value = except_document_id is not None and not path and not is_copy
    key = (
        "taken",
        uid,
        tuple(path),
        column,
        except_document_id is None,
        locale is None,
        accepts_own_value,
    )
    values = [value, *(item for item in (except_document_id, locale) if item is not None)]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        return lookup.statement(
            builder,
            excludes_document=except_document_id is not None,
            locale=locale is not None,
            accepts_own_value=accepts_own_value,
        )

    rows = yield from store.writes.run(key, build, values)
    return bool(rows[0][0])


class OwnedValue(NamedTuple):
    """A value in the form of its column, and the document that has it."""

    value: Value
    document_id: str


def are_taken(
    store: EntryStore,
    uid: str,
    path: ComponentPath,
    column: tuple[str, StorageKind],
    values: Sequence[OwnedValue],
    *,
    locale: str | None,
) -> Program[bool]:
    """Tell whether published entries of other documents have one of several values in a column.

    It may also be true for values that `is_taken` accepts, because their documents have published
    them already; only that decides about each of them.
    """
    lookup = _TakenLookup(store, uid, tuple(path), column[0])

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        return lookup.statement_for_all(builder, column[1], locale=locale is not None)

    key = ("any taken", uid, tuple(path), column[0], locale is None)
    bound = [owned.value for owned in values]
    rows = yield from store.writes.run_listed(
        key, build, bound, () if locale is None else (locale,)
    )
    return any(values[int(position or 0)].document_id != document for position, document in rows)


class _TakenLookup:
    def __init__(self, store: EntryStore, uid: str, path: ComponentPath, column: str) -> None:
        self._store = store
        self._top: EntryLayout = store.layout(uid)
        self._path = path
        self._column = column

    def statement(
        self,
        builder: StatementBuilder,
        *,
        excludes_document: bool,
        locale: bool,
        accepts_own_value: bool,
    ) -> sa.ClauseElement:
        """Build the look-up; its slots are the value, the document and the locale."""
        root = builder.table(self._top.table.name)
        columns = self._top.table.columns
        source, holder = self._join(builder, root)
        conditions = [
            holder.c(self._column) == builder.plain_slot(0),
            self._version(root.c(columns["publishedAt"])).is_not(None),
        ]
        if excludes_document:
            conditions.append(root.c(columns["documentId"]) != builder.plain_slot(1))
        if locale:
            conditions.append(
                self._version(root.c(columns["locale"]))
                == builder.plain_slot(1 + excludes_document)
            )
        is_taken_elsewhere = sa.exists().select_from(source).where(*conditions)
        if not accepts_own_value:
            return sa.select(is_taken_elsewhere)
        is_own_value = self._is_own_value(builder, locale=locale)
        return sa.select(sa.case((is_own_value, sa.false()), else_=is_taken_elsewhere))

    def statement_for_all(
        self, builder: StatementBuilder, kind: StorageKind, *, locale: bool
    ) -> sa.ClauseElement:
        """Build the look-up of a list of values: the position of each, and who has published it."""
        root = builder.table(self._top.table.name)
        columns = self._top.table.columns
        source, holder = self._join(builder, root)
        listed = self._store.dialect.list_of(builder.parents(), kind)
        source = source.join(listed, holder.c(self._column) == listed.c.value)
        conditions: list[sa.ColumnElement[bool]] = [
            self._version(root.c(columns["publishedAt"])).is_not(None)
        ]
        if locale:
            is_in_locale = self._version(root.c(columns["locale"])) == builder.plain_slot(0)
            conditions.append(is_in_locale)
        document = root.c(columns["documentId"])
        return sa.select(listed.c.position, document).select_from(source).where(*conditions)

    def _is_own_value(self, builder: StatementBuilder, *, locale: bool) -> sa.ColumnElement[bool]:
        """Tell whether the document has published this value already."""
        table = builder.table(self._top.table.name)
        columns = self._top.table.columns
        conditions = [
            table.c(columns["documentId"]) == builder.plain_slot(1),
            table.c(columns["publishedAt"]).is_not(None),
            table.c(self._column) == builder.plain_slot(0),
        ]
        if locale:
            conditions.append(table.c(columns["locale"]) == builder.plain_slot(2))
        return sa.exists().select_from(table.source).where(*conditions)

    def _version(self, column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        """Return the column of status or locale.

        Most rows are alike in them: if the value has an index, the planner should use that one.
        """
        return column if self._path else self._store.dialect.unindexed(column)

    def _join(
        self, builder: StatementBuilder, top: AliasedTable
    ) -> tuple[sa.FromClause, AliasedTable]:
        """Join the components on the path from the entry to the value."""
        source: sa.FromClause = top.source
        layout, holder = self._top, top
        for field, uid in self._path:
            links = builder.table(layout.table.components_table)
            condition = sa.and_(
                links.c(COMPONENT_ENTITY) == holder.c("id"),
                links.c(FIELD) == builder.constant(field),
                links.c(COMPONENT_TYPE) == builder.constant(uid),
            )
            source = source.join(links.source, condition)
            layout = self._store.layout(uid)
            holder = builder.table(layout.table.name)
            source = source.join(holder.source, holder.c("id") == links.c(COMPONENT_ID))
        return source, holder
