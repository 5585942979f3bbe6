"""The rule that a document has one row per locale and status."""

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.integrity.document_identity import (
    DOCUMENT_ID,
    LOCALE,
    PUBLISHED_AT,
    newest_first,
    own_types,
)
from quire.database.integrity.examined_tables import ExaminedTables, plain_table
from quire.database.integrity.findings import Damage, DamageKind, count_noun
from quire.database.integrity.integrity_rule import first_ids, ids_and_count
from quire.database.integrity.links import link_edges
from quire.database.program import Program, Row
from quire.database.tables.table_map import LinkEdge
from quire.schema.model import ContentType


def duplicate_rules(layout: ExaminedTables) -> Iterator["DuplicateRule"]:
    """Look at every content type of the project."""
    for content_type in own_types(layout):
        yield DuplicateRule(layout, content_type)


class DuplicateRule(Struct, frozen=True):
    """One row for each document, locale and status.

    Of several, the last updated one is kept, of these the one with the greatest id. Links from
    other content to the others are moved to it. Content without draft & publish has no drafts;
    former drafts give way to published rows.
    """

    layout: ExaminedTables
    content_type: ContentType

    @property
    def table(self) -> str:
        """The table of the content type."""
        return self.layout.tables[self.content_type.uid].name

    def find(self) -> Program[list[Damage]]:
        """List the surplus rows, and the columns in which the first of them differ."""
        rows = yield from self.layout.run(lambda builder: first_ids(self._surplus_ids(builder)))
        if not rows:
            return []
        ids, count = ids_and_count(rows)
        details = yield from self._differences(ids)
        return [
            Damage(
                kind=DamageKind.DUPLICATE,
                table=self.table,
                count=count,
                ids=ids,
                sentence=f"{count_noun(count, 'row')} too many for a document, locale and status",
                repair="deletes them, and moves links to them to the row that was updated last",
                needs_consent=True,
                details=details,
            )
        ]

    def repair(self) -> Program[None]:
        """Move links to the kept rows, and delete the others."""
        for edge in link_edges(self.layout):
            if edge.target == self.content_type.uid:
                yield from self._redirect(edge)
        table = plain_table(self.table, "id")
        yield from self.layout.run(
            lambda builder: sa.delete(table).where(table.c.id.in_(self._surplus_ids(builder)))
        )

    def _surplus_ids(self, builder: StatementBuilder) -> sa.Select[Any]:
        ranked = self._rank_rows(builder)
        return sa.select(ranked.c.id).where(ranked.c.id != ranked.c.kept)

    def _rank_rows(self, builder: StatementBuilder) -> sa.Subquery:
        """Select the rows of which there are several, each with the kept one."""
        rows, inner = builder.table(self.table), builder.table(self.table)
        version = [DOCUMENT_ID, LOCALE]
        groups: list[Any] = [inner.c(column) for column in version]
        windows: list[Any] = [rows.c(column) for column in version]
        if self.content_type.draft_and_publish:
            groups.append(inner.c(PUBLISHED_AT).is_(None))
            windows.append(rows.c(PUBLISHED_AT).is_(None))
        repeated_ids = sa.select(inner.c(DOCUMENT_ID)).group_by(*groups)
        repeated_ids = repeated_ids.having(sa.func.count() > sa.literal_column("1"))
        kept_id = sa.func.first_value(rows.c("id")).over(
            partition_by=windows, order_by=[rows.c(PUBLISHED_AT).is_(None), *newest_first(rows)]
        )
        ranked = sa.select(rows.c("id").label("id"), kept_id.label("kept"))
        return ranked.where(rows.c(DOCUMENT_ID).in_(repeated_ids)).subquery()

    def _differences(self, ids: tuple[int, ...]) -> Program[tuple[str, ...]]:
        columns = tuple(self.layout.existing_tables[self.table].columns)

        def pairs(builder: StatementBuilder) -> sa.ClauseElement:
            ranked = self._rank_rows(builder)
            surplus_row, kept_row = builder.table(self.table), builder.table(self.table)
            has_id = self.layout.dialect.member_of(
                ranked.c.id, self.layout.bind_ids(builder, list(ids))
            )
            expressions = [row.c(column) for row in (surplus_row, kept_row) for column in columns]
            select = sa.select(*expressions).where(surplus_row.c("id") == ranked.c.id)
            select = select.where(kept_row.c("id") == ranked.c.kept, has_id)
            return select.order_by(ranked.c.id)

        rows = yield from self.layout.run(pairs)
        return tuple(_difference(columns, row) for row in rows)

    def _redirect(self, edge: LinkEdge) -> Program[None]:
        """Move links to surplus rows to the kept ones, unless there is such a link already.

        The remaining links are deleted with their rows.
        """

        def change(builder: StatementBuilder) -> sa.ClauseElement:
            table = plain_table(edge.table, "id", edge.target_column)
            numbered_links = self._numbered_links(builder, edge)
            condition = (numbered_links.c.place == 1) & (numbered_links.c.astray == 1)
            values = {edge.target_column: numbered_links.c.kept}
            return (
                sa.update(table).values(values).where(table.c.id == numbered_links.c.id, condition)
            )

        yield from self.layout.run(change)

    def _numbered_links(self, builder: StatementBuilder, edge: LinkEdge) -> sa.Subquery:
        """Select links to rows of which there are several, numbered for each source and kept row.

        Number one is a link to the kept row itself, if there is one; the others are ``astray``.
        """
        links, ranked = builder.table(edge.table), self._rank_rows(builder)
        source_id, target_id = links.c(edge.source_column), links.c(edge.target_column)
        is_astray = sa.case((target_id == ranked.c.kept, 0), else_=1)
        row_number = sa.func.row_number().over(
            partition_by=(source_id, ranked.c.kept), order_by=(is_astray, links.c("id"))
        )
        select = sa.select(
            links.c("id").label("id"),
            ranked.c.kept.label("kept"),
            is_astray.label("astray"),
            row_number.label("place"),
        )
        return select.where(target_id == ranked.c.id).subquery()


def _difference(columns: tuple[str, ...], row: Row) -> str:
    """Name the columns in which a row differs from the kept one."""
    values: Mapping[str, Any] = dict(zip(columns, row[: len(columns)], strict=True))
    kept_values: Mapping[str, Any] = dict(zip(columns, row[len(columns) :], strict=True))
    names = [name for name in columns if name != "id" and values[name] != kept_values[name]]
    differs = f"differs in {', '.join(names)}" if names else "does not differ in its columns"
    place = "" if values[LOCALE] is None else f", locale {values[LOCALE]}"
    return (
        f"id {values['id']}, document {values[DOCUMENT_ID]}{place}: {differs} "
        f"from id {kept_values['id']}, which is kept"
    )
