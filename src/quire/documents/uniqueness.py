"""Unique values: looked up inside the transaction that writes them.

There is one writer at a time, so two writes of the same value cannot both find it free. Only
published entries count, and only those of the same locale; drafts may repeat each other.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from quire.database.mapping import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
)
from quire.database.program import Program
from quire.database.statements import AliasedTable, StatementBuilder
from quire.documents.layout import Layout
from quire.documents.relations import Version
from quire.documents.unit import UnitOfWork
from quire.documents.validate import Problem, UniqueCheck


def find_taken(
    unit: UnitOfWork,
    checks: Sequence[UniqueCheck],
    version: Version,
    document_id: str | None,
) -> Program[list[Problem]]:
    """Return a problem for every value that another document has published in this locale.

    ``document_id`` is the document that is written, which may repeat itself; ``None`` for a new
    one.
    """
    problems: list[Problem] = []
    for check in checks:
        lookup = _Lookup(unit, check, version, document_id)
        if (yield from lookup.run()):
            problems.append(check.problem)
    return problems


class _Lookup:
    """Looks for one value: in the content type's table, or in that of a component below it."""

    def __init__(
        self, unit: UnitOfWork, check: UniqueCheck, version: Version, document_id: str | None
    ) -> None:
        self._unit = unit
        self._check = check
        self._top = unit.layout(version.content_type.uid)
        self._owner = unit.layout(check.way[-1][1]) if check.way else self._top
        self._document_id = document_id
        self._locale = version.locale if self._top.is_localized() else None

    def run(self) -> Program[bool]:
        check = self._check
        column = self._owner.table.columns[check.attribute]
        value = self._unit.encode(self._owner, {check.attribute: check.value})[column]
        bound = [value, *(v for v in (self._document_id, self._locale) if v is not None)]
        key = (
            "taken",
            self._top.model.uid,
            check.way,
            check.attribute,
            self._document_id is None,
            self._locale is None,
        )
        rows = yield from self._unit.engine.writes.run(key, self._build, bound)
        return bool(rows)

    def _build(self, builder: StatementBuilder) -> sa.ClauseElement:
        top = builder.table(self._top.table.name)
        columns = self._top.table.columns
        source, holder = self._join(builder, top)
        column = self._owner.table.columns[self._check.attribute]
        conditions = [
            holder.c(column) == builder.plain_slot(0),
            top.c(columns["publishedAt"]).is_not(None),
        ]
        slot = 1
        if self._document_id is not None:
            conditions.append(top.c(columns["documentId"]) != builder.plain_slot(slot))
            slot += 1
        if self._locale is not None:
            conditions.append(top.c(columns["locale"]) == builder.plain_slot(slot))
        found = sa.select(top.c("id")).select_from(source).where(*conditions)
        return found.limit(sa.literal_column("1"))

    def _join(
        self, builder: StatementBuilder, top: AliasedTable
    ) -> tuple[sa.FromClause, AliasedTable]:
        """Join the components on the way from the entry down to the one that has the value."""
        source: sa.FromClause = top.source
        above: Layout = self._top
        holder = top
        for field, uid in self._check.way:
            links = builder.table(above.table.components_table)
            here = sa.and_(
                links.c(COMPONENT_ENTITY) == holder.c("id"),
                links.c(FIELD) == builder.constant(field),
                links.c(COMPONENT_TYPE) == builder.constant(uid),
            )
            source = source.join(links.source, here)
            above = self._unit.layout(uid)
            holder = builder.table(above.table.name)
            source = source.join(holder.source, holder.c("id") == links.c(COMPONENT_ID))
        return source, holder
