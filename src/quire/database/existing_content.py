"""Short queries about what a database already contains, for imports."""

from collections.abc import Iterable

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.dialect import Dialect
from quire.database.program import Program, Statement
from quire.database.tables.table_map import LinkEdge, TableMap
from quire.schema.model import LOCALE_UID


class ExistingContent:
    """The programs that look; none of them changes anything."""

    def __init__(self, tables: TableMap, dialect: Dialect) -> None:
        self._tables = tables
        self._dialect = dialect

    def with_rows(self, uids: Iterable[str]) -> Program[list[str]]:
        """Return those of the content types that have rows."""
        found: list[str] = []
        for uid in uids:
            builder = StatementBuilder(self._dialect)
            table = builder.table(self._tables[uid].name)
            query = builder.finish(sa.select(table.c("id")).limit(sa.literal_column("1")))
            rows = yield Statement(query.sql, query.bind(()))
            if rows:
                found.append(uid)
        return found

    def locale_codes(self) -> Program[frozenset[str]]:
        """Return the codes of the locales."""
        builder = StatementBuilder(self._dialect)
        table = builder.table(self._tables[LOCALE_UID].name)
        query = builder.finish(sa.select(table.c("code")))
        rows = yield Statement(query.sql, query.bind(()))
        return frozenset(str(code) for (code,) in rows)

    def last_position(self, edge: LinkEdge, far: int) -> Program[int]:
        """Return the greatest position of a near row within a far one; 0 when it has none.

        Raises ValueError when the link table does not sort its near rows.
        """
        if edge.inverse_order is None:
            raise ValueError(f"{edge.table} does not sort what leads to a row")
        builder = StatementBuilder(self._dialect)
        links = builder.table(edge.table)
        greatest = sa.func.max(links.c(edge.inverse_order))
        query = builder.finish(
            sa.select(greatest).where(links.c(edge.far) == builder.plain_slot(0))
        )
        rows = yield Statement(query.sql, query.bind((far,)))
        return int(rows[0][0] or 0)
