"""Rows as statements: insert, update, delete, and whatever else is asked of one table at a time.

Nothing here knows documents, drafts or locales. Values are as the driver takes them (see
`Dialect.encoder`). A statement is compiled the first time its shape is asked for.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

import sqlalchemy as sa

from quire.database.cache import BoundedCache
from quire.database.dialect import Dialect, Scalar
from quire.database.program import Program, Rows, Statement, Value
from quire.database.statements import Query, StatementBuilder

_STATEMENTS = 5000


class Writes:
    """Makes the statements that content is written with, for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._queries: BoundedCache[Hashable, Query] = BoundedCache(_STATEMENTS)

    def query(self, key: Hashable, build: Callable[[StatementBuilder], sa.ClauseElement]) -> Query:
        """Return the statement of a shape; ``build`` makes it where ``key`` is new."""
        query = self._queries.get(key)
        if query is None:
            builder = StatementBuilder(self.dialect)
            query = self._queries[key] = builder.finish(build(builder))
        return query

    def run(
        self,
        key: Hashable,
        build: Callable[[StatementBuilder], sa.ClauseElement],
        values: Sequence[Scalar] = (),
    ) -> Program[Rows]:
        """Run a statement whose slots take ``values``; returns its rows."""
        query = self.query(key, build)
        rows = yield Statement(query.sql, query.bind(values))
        return rows

    def run_listed(
        self,
        key: Hashable,
        build: Callable[[StatementBuilder], sa.ClauseElement],
        listed: Collection[Value],
        values: Sequence[Scalar] = (),
    ) -> Program[Rows]:
        """Run a statement with one list (`StatementBuilder.parents`) beside its slots."""
        query = self.query(key, build)
        bound = query.bind(values)
        bound[query.parents] = self.dialect.encode_list(list(listed))
        rows = yield Statement(query.sql, bound)
        return rows

    def insert(self, table: str, row: Mapping[str, Scalar]) -> Program[int]:
        """Insert a row, given by columns; returns its ``id``."""
        columns = tuple(row)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column("id"), *(sa.column(name) for name in columns))
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(columns)}
            return sa.insert(described).values(values).returning(described.c.id)

        rows = yield from self.run(("insert", table, columns), build, tuple(row.values()))
        return int(rows[0][0] or 0)

    def update(self, table: str, row_id: int, row: Mapping[str, Scalar]) -> Program[None]:
        """Set columns of the row with this ``id``; without columns nothing is done."""
        if not row:
            return
        columns = tuple(row)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column("id"), *(sa.column(name) for name in columns))
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(columns)}
            here = described.c.id == builder.plain_slot(len(columns))
            return sa.update(described).values(values).where(here)

        yield from self.run(("update", table, columns), build, (*row.values(), row_id))

    def delete(self, table: str, ids: Collection[int], *, column: str = "id") -> Program[None]:
        """Delete the rows whose ``column`` is one of ``ids``; without any nothing is done."""
        if not ids:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column(column))
            here = self.dialect.member_of(described.c[column], builder.parents())
            return sa.delete(described).where(here)

        yield from self.run_listed(("delete", table, column), build, ids)
