"""Counts the rows that a migration affects."""

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.migration.value_conversion import ConversionError, Converter
from quire.database.program import Program, Rows, Value
from quire.schema.attributes.base import StorageKind

_PAGE = 2_000


class RowCounter:
    """Counts rows of tables by name; the statements are compiled for one plan."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def rows(
        self, table: str, *, having: str | None = None, lacking: str | None = None
    ) -> Program[int]:
        """Count rows: all, or those that have (or lack) a value in a column."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            source = builder.table(table)
            query = sa.select(sa.func.count()).select_from(source.source)
            if having is not None:
                query = query.where(source.c(having).is_not(None))
            return query if lacking is None else query.where(source.c(lacking).is_(None))

        count_rows = yield from self._writes.run(("count", table, having, lacking), build)
        return _number(count_rows)

    def rows_with(self, table: str, **values: Value) -> Program[int]:
        """Count the rows with these values in these columns."""
        columns = tuple(values)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            source = builder.table(table)
            conditions = [source.c(name) == builder.plain_slot(i) for i, name in enumerate(columns)]
            return sa.select(sa.func.count()).select_from(source.source).where(*conditions)

        count_rows = yield from self._writes.run(
            ("count", table, columns), build, tuple(values.values())
        )
        return _number(count_rows)

    def documents(self, table: str) -> Program[int]:
        """Count the documents that have rows in a table."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            source = builder.table(table)
            return sa.select(sa.func.count(sa.distinct(source.c("document_id"))))

        count_rows = yield from self._writes.run(("count documents", table), build)
        return _number(count_rows)

    def repeated(self, table: str, column: str, *, documents: bool) -> Program[int]:
        """Count rows whose value another row has, too.

        With ``documents``, a row of another document, in the same locale.
        """

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            source = builder.table(table)
            keys = [source.c(column), *([source.c("locale")] if documents else [])]
            owner = source.c("document_id" if documents else "id")
            groups = (
                sa.select(sa.func.count().label("members"))
                .select_from(source.source)
                .where(source.c(column).is_not(None))
                .group_by(*keys)
                .having(sa.func.count(sa.distinct(owner)) > sa.literal_column("1"))
                .subquery()
            )
            return sa.select(
                sa.func.coalesce(sa.func.sum(groups.c.members), sa.literal_column("0"))
            )

        count_rows = yield from self._writes.run(("repeated", table, column, documents), build)
        return _number(count_rows)

    def unfit(
        self, table: str, column: str, source_kind: StorageKind, target_kind: StorageKind
    ) -> Program[int]:
        """Count values of a column that cannot be converted to another kind."""
        convert = Converter(self._writes.dialect, source_kind, target_kind)
        count = 0
        rows: Rows | None = None
        while rows is None or len(rows) == _PAGE:
            rows = yield from self.page(table, column, int(rows[-1][0] or 0) if rows else 0)
            count += sum(1 for _, value in rows if not _fits(convert, value))
        return count

    def page(self, table: str, column: str, last_id: int) -> Program[Rows]:
        """Return ids and values of a column, if there are any, in the order of ids."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            source = builder.table(table)
            value = source.c(column)
            query = sa.select(source.c("id"), value).where(
                value.is_not(None), source.c("id") > builder.plain_slot(0)
            )
            return query.order_by(source.c("id")).limit(sa.literal_column(str(_PAGE)))

        return (yield from self._writes.run(("page", table, column), build, (last_id,)))


def _fits(convert: Converter, value: Value) -> bool:
    try:
        convert(value)
    except ConversionError:
        return False
    return True


def _number(rows: Rows) -> int:
    return int(rows[0][0] or 0)
