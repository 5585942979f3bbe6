"""Rows of content and links as they are stored: paged reads and lookups.

Exports read them; imports check whether a database is empty.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.dialect import Dialect
from quire.database.program import Program, Row, Rows, Statement
from quire.database.tables.system_tables import CORE_STORE
from quire.database.tables.table_map import (
    ModelTable,
    TableMap,
)
from quire.schema.model import LOCALE_UID


class ExistingContent:
    """Programs that look for existing content; none of them changes anything."""

    def __init__(self, tables: TableMap, dialect: Dialect) -> None:
        self._tables = tables
        self._dialect = dialect

    def with_rows(self, uids: Iterable[str]) -> Program[list[str]]:
        """Return the content types that have rows."""
        uids_with_rows: list[str] = []
        for uid in uids:
            builder = StatementBuilder(self._dialect)
            table = builder.table(self._tables[uid].name)
            query = builder.finish(sa.select(table.c("id")).limit(sa.literal_column("1")))
            rows = yield Statement(query.sql, query.bind(()))
            if rows:
                uids_with_rows.append(uid)
        return uids_with_rows

    def locale_codes(self) -> Program[frozenset[str]]:
        """Return the codes of the locales."""
        builder = StatementBuilder(self._dialect)
        table = builder.table(self._tables[LOCALE_UID].name)
        query = builder.finish(sa.select(table.c("code")))
        rows = yield Statement(query.sql, query.bind(()))
        return frozenset(str(code) for (code,) in rows)


class ContentRows:
    """Programs that read rows; values are in the form that the driver returns."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def page(self, table: str, columns: Sequence[str], *, after: int, size: int) -> Program[Rows]:
        """Return rows of a table by their ids: the id, then the columns."""
        names = tuple(columns)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            aliased = builder.table(table)
            row_id = aliased.c("id")
            select = sa.select(row_id, *(aliased.c(name) for name in names))
            next_rows = select.where(row_id > builder.plain_slot(0))
            return next_rows.order_by(row_id).limit(builder.plain_slot(1))

        return (yield from self._writes.run(("page", table, names), build, (after, size)))

    def by_id(self, table: ModelTable, ids: Collection[int]) -> Program[Mapping[int, Row]]:
        """Return rows of a model by their ids: the id, then the columns of its scalars."""
        names = tuple(name for name in table.columns.values() if name != "id")

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            aliased = builder.table(table.name)
            row_id = aliased.c("id")
            select = sa.select(row_id, *(aliased.c(name) for name in names))
            return select.where(self._writes.dialect.member_of(row_id, builder.parents()))

        rows = yield from self._writes.run_listed(("rows", table.name, names), build, ids)
        return {int(row[0] or 0): row for row in rows}

    def settings(self) -> Program[Rows]:
        """Return the settings of the core store: id, key, value, type, environment, tag."""
        names = ("id", "key", "value", "type", "environment", "tag")

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(CORE_STORE)
            return sa.select(*(table.c(name) for name in names)).order_by(table.c("id"))

        return (yield from self._writes.run(("all settings",), build))
