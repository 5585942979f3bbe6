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
        fresh = sorted(set(ids) - self._copied[uid])
        if not fresh:
            return
        self._copied[uid].update(fresh)
        copies = yield from self._rows(uid, fresh, assigned or {})
        result = RowCopies(uid, fresh, copies)
        self.done.append(result)
        yield from self._components(result)
        yield from self._morphs(result)

    def pairs(self, builder: StatementBuilder, copies: RowCopies) -> sa.Subquery:
        """Select the ids of originals (``old``) with those of their copies (``new``)."""
        table = self.layout.tables[copies.uid].name
        old = self._numbered(builder, table, copies.originals)
        new = self._numbered(builder, table, copies.copies)
        joined = sa.select(old.c.id.label("old"), new.c.id.label("new"))
        return joined.where(old.c.place == new.c.place).subquery()

    def _numbered(self, builder: StatementBuilder, table: str, ids: list[int]) -> sa.Subquery:
        rows = builder.table(table)
        place = sa.func.row_number().over(order_by=rows.c("id"))
        numbered = sa.select(rows.c("id").label("id"), place.label("place"))
        return numbered.where(self._rows_with_ids(builder, rows, "id", ids)).subquery()

    def _rows_with_ids(
        self, builder: StatementBuilder, rows: AliasedTable, column: str, ids: list[int]
    ) -> sa.ColumnElement[Any]:
        return self.layout.dialect.member_of(rows.c(column), self.layout.listed(builder, ids))

    def _rows(self, uid: str, ids: list[int], assigned: Mapping[str, None]) -> Program[list[int]]:
        table = self.layout.tables[uid].name
        columns = [name for name in self.layout.existing_tables[table].columns if name != "id"]

        def insert(builder: StatementBuilder) -> sa.ClauseElement:
            rows = builder.table(table)
            values = [sa.null() if name in assigned else rows.c(name) for name in columns]
            source = sa.select(*values).where(self._rows_with_ids(builder, rows, "id", ids))
            target = plain_table(table, "id", *columns)
            copied = sa.insert(target).from_select(columns, source.order_by(rows.c("id")))
            return copied.returning(target.c.id)

        rows = yield from self.layout.run(insert)
        return sorted(int(id_ or 0) for (id_,) in rows)

    def _components(self, owners: RowCopies) -> Program[None]:
        """Copy the components of copied rows, then link the copies to each other."""
        mapped = self.layout.tables[owners.uid]
        if not self.layout.has(mapped.components_table, "id", *COMPONENT_COLUMNS):
            return
        rows = yield from self.layout.run(lambda builder: self._used(builder, mapped, owners))
        used: dict[str, list[int]] = defaultdict(list)
        for uid, id_ in rows:
            used[str(uid)].append(int(id_ or 0))
        for uid, ids in used.items():
            if uid in self.layout.schema.components and self.layout.has_table(uid):
                before = len(self.done)
                yield from self.copy(uid, ids)
                for parts in self.done[before : before + 1]:
                    yield from self._component_links(mapped, owners, parts)

    def _used(
        self, builder: StatementBuilder, mapped: ModelTable, owners: RowCopies
    ) -> sa.ClauseElement:
        links = builder.table(mapped.components_table)
        kind = links.c(COMPONENT_TYPE)
        fields = [
            (links.c(FIELD) == edge.field) & kind_fits(self.layout, mapped, edge, kind)
            for _, edge in mapped.edges_of(ComponentEdge)
        ]
        used = sa.select(kind, links.c(COMPONENT_ID)).distinct()
        among = self._rows_with_ids(builder, links, COMPONENT_ENTITY, owners.originals)
        return used.where(among, sa.or_(sa.false(), *fields))

    def _component_links(
        self, mapped: ModelTable, owners: RowCopies, parts: RowCopies
    ) -> Program[None]:
        _, _, *kept = COMPONENT_COLUMNS

        def insert(builder: StatementBuilder) -> sa.ClauseElement:
            links = builder.table(mapped.components_table)
            owner, part = self.pairs(builder, owners), self.pairs(builder, parts)
            copied = sa.select(owner.c.new, part.c.new, *(links.c(name) for name in kept))
            copied = copied.where(
                links.c(COMPONENT_ENTITY) == owner.c.old,
                links.c(COMPONENT_ID) == part.c.old,
                links.c(COMPONENT_TYPE) == parts.uid,
            )
            target = plain_table(mapped.components_table, *COMPONENT_COLUMNS)
            return sa.insert(target).from_select(COMPONENT_COLUMNS, copied.order_by(links.c("id")))

        yield from self.layout.run(insert)

    def _morphs(self, copies: RowCopies) -> Program[None]:
        """Copy polymorphic links: the media of a row, and its own targets."""
        mapped = self.layout.tables[copies.uid]
        for _, target in mapped.edges_of(MorphTargetEdge):
            only = {target.source_type_column: target.type_value, FIELD: target.field}
            yield from self._copy_links(
                copies, target.table, target.source_id_column, target.columns, only
            )
        for _, edge in mapped.edges_of(MorphListEdge):
            yield from self._copy_links(copies, edge.table, edge.source_column, edge.columns, {})

    def _copy_links(
        self,
        copies: RowCopies,
        table: str,
        source_column: str,
        columns: Sequence[str],
        only: Mapping[str, str],
    ) -> Program[None]:
        """Copy rows of a link table from the originals to the copies; ``only`` selects some."""
        if not self.layout.has(table, *columns):
            return
        kept = [name for name in columns if name != source_column]

        def insert(builder: StatementBuilder) -> sa.ClauseElement:
            links, pairs = builder.table(table), self.pairs(builder, copies)
            copied = sa.select(pairs.c.new, *(links.c(name) for name in kept))
            copied = copied.where(links.c(source_column) == pairs.c.old)
            copied = copied.where(*(links.c(name) == value for name, value in only.items()))
            target = plain_table(table, source_column, *kept)
            return sa.insert(target).from_select(
                [source_column, *kept], copied.order_by(links.c("id"))
            )

        yield from self.layout.run(insert)

    def copies_of(self, uid: str) -> Iterator[RowCopies]:
        """Iterate over the copied rows of a model."""
        return (made for made in self.done if made.uid == uid)
