"""The rule that published entries have a draft; creates missing drafts.

A missing draft is created as a copy of the published row, as by discarding the changes of a draft.
"""

from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.integrity.document_identity import (
    DOCUMENT_ID,
    LOCALE,
    PUBLISHED_AT,
    UPDATED_AT,
    newest_first,
    own_types,
)
from quire.database.integrity.examined_tables import ExaminedTables, is_same, plain_table
from quire.database.integrity.findings import Damage, DamageKind
from quire.database.integrity.integrity_rule import Repair, RowRule
from quire.database.integrity.links import link_edges
from quire.database.integrity.row_copies import RowCopier, RowCopies
from quire.database.program import Program
from quire.database.tables.table_map import LinkEdge
from quire.schema.model import ContentType

_CREATE_DRAFTS = Repair(text="creates their drafts, as copies with components, media and links")


class DraftRule(Struct, frozen=True):
    """Every published row has a draft of the same document and locale.

    One rule for all content types, because drafts link to drafts: all of them have to exist before
    the links of the first can be created.
    """

    layout: ExaminedTables

    def find(self) -> Program[list[Damage]]:
        """List the published rows without a draft, by content type."""
        findings: list[Damage] = []
        for content_type in _versioned_types(self.layout):
            findings += yield from self._rule(content_type).find()
        return findings

    def repair(self) -> Program[None]:
        """Create the drafts."""
        copier = RowCopier(self.layout)
        for content_type in _versioned_types(self.layout):
            rows = yield from self.layout.run(self._rule(content_type).damaged)
            ids = [int(id_ or 0) for (id_,) in rows]
            yield from copier.copy(content_type.uid, ids, {PUBLISHED_AT: None})
        yield from _DraftLinks(self.layout, copier).make()

    def _rule(self, content_type: ContentType) -> RowRule:
        table = self.layout.tables[content_type.uid].name

        def damaged(builder: StatementBuilder) -> sa.Select[Any]:
            return _select_without_draft(builder, content_type, table)

        return RowRule(
            layout=self.layout,
            kind=DamageKind.NO_DRAFT,
            table=table,
            damaged=damaged,
            noun="published row",
            phrase="without a draft",
            repair_action=_CREATE_DRAFTS,
        )


def _versioned_types(layout: ExaminedTables) -> Iterator[ContentType]:
    return (content_type for content_type in own_types(layout) if content_type.draft_and_publish)


def _same_version(
    content_type: ContentType, left: AliasedTable, right: AliasedTable
) -> ColumnElement[bool]:
    """Return the condition that two rows are of one document and, if localized, one locale."""
    document = left.c(DOCUMENT_ID) == right.c(DOCUMENT_ID)
    return (
        document & is_same(left.c(LOCALE), right.c(LOCALE)) if content_type.localized else document
    )


def _select_without_draft(
    builder: StatementBuilder, content_type: ContentType, table: str
) -> sa.Select[Any]:
    """Select published rows without a draft; of several for one version the last updated."""
    rows, draft = builder.table(table), builder.table(table)
    version = [DOCUMENT_ID, LOCALE] if content_type.localized else [DOCUMENT_ID]
    is_draft = _same_version(content_type, draft, rows) & draft.c(PUBLISHED_AT).is_(None)
    row_number = sa.func.row_number().over(
        partition_by=[rows.c(column) for column in version], order_by=newest_first(rows)
    )
    without_draft = sa.select(rows.c("id").label("id"), row_number.label("place")).where(
        rows.c(PUBLISHED_AT).is_not(None),
        rows.c(DOCUMENT_ID).is_not(None),
        ~sa.exists(sa.select(draft.c("id")).where(is_draft)),
    )
    ranked = without_draft.subquery()
    return sa.select(ranked.c.id).where(ranked.c.place == 1)


class _DraftLinks(Struct, frozen=True):
    """Creates the links of new drafts, from those of the published rows they were copied from.

    Links with draft & publish on both sides stay within a status: a link of the draft refers to the
    draft of the published row's target. Other content links to both versions. An existing draft
    gets a link to a new draft if it is unchanged since it was published.
    """

    layout: ExaminedTables
    copier: RowCopier

    def make(self) -> Program[None]:
        for edge in link_edges(self.layout):
            for copies in self.copier.copies_of(edge.owner):
                yield from self._copy_outgoing(edge, copies)
            for copies in self.copier.copies_of(edge.target):
                yield from self._copy_incoming(edge, copies)

    def _copy_outgoing(self, edge: LinkEdge, copies: RowCopies) -> Program[None]:
        target = self._versioned_type(edge.target)

        def source(builder: StatementBuilder) -> sa.Select[Any]:
            links, pairs = builder.table(edge.table), self.copier.pairs(builder, copies)
            target_id: ColumnElement[Any] = links.c(edge.target_column)
            conditions = [links.c(edge.source_column) == pairs.c.old]
            if target is not None:
                draft, is_draft = self._join_draft(builder, target, target_id)
                target_id = draft.c("id")
                conditions.append(is_draft)
            return _select_links(edge, links, pairs.c.new, target_id).where(*conditions)

        yield from self._insert(edge, source)

    def _copy_incoming(self, edge: LinkEdge, copies: RowCopies) -> Program[None]:
        if edge.owner in self.layout.schema.components:
            return
        owner = self._versioned_type(edge.owner)

        def source(builder: StatementBuilder) -> sa.Select[Any]:
            links, pairs = builder.table(edge.table), self.copier.pairs(builder, copies)
            source_id: ColumnElement[Any] = links.c(edge.source_column)
            conditions = [links.c(edge.target_column) == pairs.c.old]
            if owner is not None:
                draft, is_draft = self._join_draft(builder, owner, source_id, unchanged=True)
                source_id = draft.c("id")
                conditions += [
                    is_draft,
                    *self._existing_draft_conditions(builder, owner, source_id),
                ]
            return _select_links(edge, links, source_id, pairs.c.new).where(*conditions)

        yield from self._insert(edge, source)

    def _existing_draft_conditions(
        self, builder: StatementBuilder, owner: ContentType, draft: ColumnElement[Any]
    ) -> Iterator[ColumnElement[bool]]:
        """Exclude drafts that are new themselves; `_copy_outgoing` creates their links."""
        for copies in self.copier.copies_of(owner.uid):
            copy_ids = self.layout.bind_ids(builder, copies.copies)
            yield ~self.layout.dialect.member_of(draft, copy_ids)

    def _join_draft(
        self,
        builder: StatementBuilder,
        content_type: ContentType,
        id_: ColumnElement[Any],
        *,
        unchanged: bool = False,
    ) -> tuple[AliasedTable, ColumnElement[bool]]:
        """Join the draft of the version that the row with an id belongs to."""
        table = self.layout.tables[content_type.uid].name
        row, draft = builder.table(table), builder.table(table)
        is_draft = (
            (row.c("id") == id_)
            & _same_version(content_type, draft, row)
            & draft.c(PUBLISHED_AT).is_(None)
        )
        if unchanged:
            newer = sa.func.coalesce(draft.c(UPDATED_AT) > row.c(UPDATED_AT), sa.false())
            is_draft &= row.c(PUBLISHED_AT).is_not(None) & ~newer
        return draft, is_draft

    def _versioned_type(self, uid: str) -> ContentType | None:
        return next(
            (
                content_type
                for content_type in _versioned_types(self.layout)
                if content_type.uid == uid
            ),
            None,
        )

    def _insert(
        self, edge: LinkEdge, source: Callable[[StatementBuilder], sa.Select[Any]]
    ) -> Program[None]:
        columns = [edge.source_column, edge.target_column, *_order_columns(edge)]

        def insert(builder: StatementBuilder) -> sa.ClauseElement:
            target = plain_table(edge.table, *columns)
            return sa.insert(target).from_select(columns, source(builder))

        yield from self.layout.run(insert)


def _order_columns(edge: LinkEdge) -> list[str]:
    return [name for name in (edge.order, edge.inverse_order) if name is not None]


def _select_links(
    edge: LinkEdge,
    links: AliasedTable,
    source_id: ColumnElement[Any],
    target_id: ColumnElement[Any],
) -> sa.Select[Any]:
    """Select new links in the order of the old ones, each pair of rows once."""
    orders = [sa.func.min(links.c(name)) for name in _order_columns(edge)]
    oldest = sa.func.min(links.c("id"))
    return sa.select(source_id, target_id, *orders).group_by(source_id, target_id).order_by(oldest)
