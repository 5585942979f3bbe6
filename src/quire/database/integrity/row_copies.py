"""Copies rows with all their dependent rows, in sets.

Ids are assigned in the order in which rows are inserted. So when the ids of the originals and those
of the copies are both sorted, equal positions correspond.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, field

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.integrity.components import kind_fits
from quire.database.integrity.examined_tables import ExaminedTables, plain_table
from quire.database.program import Program
from quire.database.tables.table_map import (
    COMPONENT_COLUMNS,
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ComponentEdge,
    ModelTable,
    MorphListEdge,
    MorphTargetEdge,
)


class RowCopies(Struct, frozen=True):
    """Originals and copies of one table, each by ids in ascending order."""

    uid: str
    originals: list[int]
    copies: list[int]


class RowCopier(Struct, frozen=True):
    """Copies rows, and records the copies."""

    layout: ExaminedTables
    done: list[RowCopies] = field(default_factory=list)
    _copied: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def copy(
        self, uid: str, ids: Sequence[int], assigned: Mapping[str, None] | None = None
    ) -> Program[None]:
        """Copy rows of a model and their components, at every depth.

        ``assigned`` are columns that are NULL in the copies. What has been copied before is not
        copied again, so that components that contain themselves end.
        """
        new_ids = sorted(set(ids) - self._copied[uid])
        if not new_ids:
            return
        self._copied[uid].update(new_ids)
        copy_ids = yield from self._copy_rows(uid, new_ids, assigned or {})
        copies = RowCopies(uid, new_ids, copy_ids)
        self.done.append(copies)
        yield from self._copy_components(copies)
        yield from self._copy_morph_links(copies)

    def pairs(self, builder: StatementBuilder, copies: RowCopies) -> sa.Subquery:
        """Select the ids of originals (``old``) with those of their copies (``new``)."""
        table = self.layout.tables[copies.uid].name
        original_rows = self._number_rows(builder, table, copies.originals)
        copied_rows = self._number_rows(builder, table, copies.copies)
        select = sa.select(original_rows.c.id.label("old"), copied_rows.c.id.label("new"))
        return select.where(original_rows.c.place == copied_rows.c.place).subquery()

    def _number_rows(self, builder: StatementBuilder, table: str, ids: list[int]) -> sa.Subquery:
        rows = builder.table(table)
        row_number = sa.func.row_number().over(order_by=rows.c("id"))
        select = sa.select(rows.c("id").label("id"), row_number.label("place"))
        return select.where(self._rows_with_ids(builder, rows, "id", ids)).subquery()

    def _rows_with_ids(
        self, builder: StatementBuilder, rows: AliasedTable, column: str, ids: list[int]
    ) -> sa.ColumnElement[Any]:
        return self.layout.dialect.member_of(rows.c(column), self.layout.bind_ids(builder, ids))

    def _copy_rows(
        self, uid: str, ids: list[int], assigned: Mapping[str, None]
    ) -> Program[list[int]]:
        table = self.layout.tables[uid].name
        columns = [name for name in self.layout.existing_tables[table].columns if name != "id"]

        def insert(builder: StatementBuilder) -> sa.ClauseElement:
            rows = builder.table(table)
            values = [sa.null() if name in assigned else rows.c(name) for name in columns]
            source = sa.select(*values).where(self._rows_with_ids(builder, rows, "id", ids))
            target = plain_table(table, "id", *columns)
            statement = sa.insert(target).from_select(columns, source.order_by(rows.c("id")))
            return statement.returning(target.c.id)

        rows = yield from self.layout.run(insert)
        return sorted(int(id_ or 0) for (id_,) in rows)

    def _copy_components(self, owners: RowCopies) -> Program[None]:
        """Copy the components of copied rows, then link the copies to each other."""
        model_table = self.layout.tables[owners.uid]
        if not self.layout.has(model_table.components_table, "id", *COMPONENT_COLUMNS):
            return
        rows = yield from self.layout.run(
            lambda builder: self._select_used_components(builder, model_table, owners)
        )
        ids_by_uid: dict[str, list[int]] = defaultdict(list)
        for uid, id_ in rows:
            ids_by_uid[str(uid)].append(int(id_ or 0))
        for uid, ids in ids_by_uid.items():
            if uid in self.layout.schema.components and self.layout.has_table(uid):
                position = len(self.done)
                yield from self.copy(uid, ids)
                for parts in self.done[position : position + 1]:
                    yield from self._copy_component_links(model_table, owners, parts)

    def _select_used_components(
        self, builder: StatementBuilder, model_table: ModelTable, owners: RowCopies
    ) -> sa.ClauseElement:
        links = builder.table(model_table.components_table)
        kind = links.c(COMPONENT_TYPE)
        fields = [
            (links.c(FIELD) == edge.field) & kind_fits(self.layout, model_table, edge, kind)
            for _, edge in model_table.edges_of(ComponentEdge)
        ]
        select = sa.select(kind, links.c(COMPONENT_ID)).distinct()
        has_owner = self._rows_with_ids(builder, links, COMPONENT_ENTITY, owners.originals)
        return select.where(has_owner, sa.or_(sa.false(), *fields))

    def _copy_component_links(
        self, model_table: ModelTable, owners: RowCopies, parts: RowCopies
    ) -> Program[None]:
        _, _, *columns = COMPONENT_COLUMNS

        def insert(builder: StatementBuilder) -> sa.ClauseElement:
            links = builder.table(model_table.components_table)
            owner, part = self.pairs(builder, owners), self.pairs(builder, parts)
            select = sa.select(owner.c.new, part.c.new, *(links.c(name) for name in columns))
            select = select.where(
                links.c(COMPONENT_ENTITY) == owner.c.old,
                links.c(COMPONENT_ID) == part.c.old,
                links.c(COMPONENT_TYPE) == parts.uid,
            )
            target = plain_table(model_table.components_table, *COMPONENT_COLUMNS)
            return sa.insert(target).from_select(COMPONENT_COLUMNS, select.order_by(links.c("id")))

        yield from self.layout.run(insert)

    def _copy_morph_links(self, copies: RowCopies) -> Program[None]:
        """Copy polymorphic links: the media of a row, and its own targets."""
        model_table = self.layout.tables[copies.uid]
        for _, target in model_table.edges_of(MorphTargetEdge):
            constants = {target.source_type_column: target.type_value, FIELD: target.field}
            yield from self._copy_links(
                copies, target.table, target.source_id_column, target.columns, constants
            )
        for _, edge in model_table.edges_of(MorphListEdge):
            yield from self._copy_links(copies, edge.table, edge.source_column, edge.columns, {})

    def _copy_links(
        self,
        copies: RowCopies,
        table: str,
        source_column: str,
        columns: Sequence[str],
        constants: Mapping[str, str],
    ) -> Program[None]:
        """Copy rows of a link table from the originals to the copies.

        Only rows with the values of ``constants``, by column, are copied.
        """
        if not self.layout.has(table, *columns):
            return
        copied_columns = [name for name in columns if name != source_column]

        def insert(builder: StatementBuilder) -> sa.ClauseElement:
            links, pairs = builder.table(table), self.pairs(builder, copies)
            select = sa.select(pairs.c.new, *(links.c(name) for name in copied_columns))
            select = select.where(links.c(source_column) == pairs.c.old)
            select = select.where(*(links.c(name) == value for name, value in constants.items()))
            target = plain_table(table, source_column, *copied_columns)
            return sa.insert(target).from_select(
                [source_column, *copied_columns], select.order_by(links.c("id"))
            )

        yield from self.layout.run(insert)

    def copies_of(self, uid: str) -> Iterator[RowCopies]:
        """Iterate over the copied rows of a model."""
        return (copies for copies in self.done if copies.uid == uid)
