"""Planner statistics: gathered for large tables, renewed when outdated.

Statements are written so that they are quick without statistics as well as with them, but not with
wrong ones: with statistics from the time when a table had few rows, SQLite reads all of it. So none
are gathered for a small table, which may grow.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import structlog

from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.tables.inspection import Inspector
from quire.errors import AppError

LARGE_ROWS = 1000
"""Rows above which a table is large enough for its statistics and indexes to matter."""
_OUTDATED_FACTOR = 10
"""Statistics are outdated when a table has this many times as many rows."""

_log = structlog.get_logger("quire.database")


class Statistics(Protocol):
    """The statistics of one kind of database."""

    def row_counts(self) -> Program[Mapping[str, int]]:
        """Return the number of rows that each table had when its statistics were gathered.

        Tables whose statistics the database itself renews are left out.
        """

    def gather(self, table: str) -> Sequence[str]:
        """Return the statements that gather the statistics of a table."""


async def renew_statistics(
    database: Database, statistics: Statistics, inspector: Inspector
) -> None:
    """Gather statistics after indexes or tables have changed; a failure is logged."""
    try:
        await database.write(gather_program(statistics, inspector))
    except AppError as error:
        _log.warning("statistics of the database are not renewed", exc_info=error)


def gather_program(statistics: Statistics, inspector: Inspector) -> Program[None]:
    """Gather the statistics of large tables, and renew existing ones."""
    row_counts = yield from statistics.row_counts()
    for table in sorted((yield from inspector.table_names())):
        if table in row_counts or (yield from has_more_rows(table, LARGE_ROWS)):
            for sql in statistics.gather(table):
                yield Statement(sql)


def outdated_program(statistics: Statistics) -> Program[list[str]]:
    """List the tables that have grown large since their statistics were gathered."""
    row_counts = yield from statistics.row_counts()
    outdated_tables = []
    for table, rows in sorted(row_counts.items()):
        if rows <= LARGE_ROWS:
            row_limit = max(LARGE_ROWS, rows * _OUTDATED_FACTOR)
            if (yield from has_more_rows(table, row_limit)):
                outdated_tables.append(table)
    return outdated_tables


def has_more_rows(table: str, rows: int) -> Program[bool]:
    """Tell whether a table has more than this many rows, without counting them all."""
    name = table.replace('"', '""')
    limited_select = f'SELECT 1 FROM "{name}" LIMIT {rows + 1}'  # noqa: S608 - a table of the database
    count_rows = yield Statement(f"SELECT count(*) FROM ({limited_select}) AS found")  # noqa: S608 - the same
    return int(count_rows[0][0] or 0) > rows
