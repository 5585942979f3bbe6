"""Records every database statement of a Python process, if enabled.

Python imports this module by itself in every process that has its folder on PYTHONPATH. With
QUIRE_BENCH_TRACE naming a file, each statement becomes a line of it: JSON of its text and values.
"""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.program import Rows


def _trace_to(path: Path) -> None:
    # Line by line: who reads the file after a response finds everything that led to it.
    lines = path.open("a", encoding="utf-8", buffering=1)

    def note(sql: str, values: object) -> None:
        lines.write(json.dumps([sql, values or []], default=repr) + "\n")

    def trace(_cursor: apsw.Cursor, sql: str, values: "apsw.Bindings | None") -> bool:
        note(sql, values)
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(watch)
    _watch_postgresql(note)


def _watch_postgresql(note: Callable[[str, object], None]) -> None:
    # What every statement with values goes through; what begins and ends transactions does not.
    run = PostgresConnection.rows

    async def traced(
        self: PostgresConnection, sql: str, values: Sequence[object], max_rows: int | None
    ) -> Rows:
        note(sql, values)
        return await run(self, sql, values, max_rows)

    PostgresConnection.rows = traced  # type: ignore[method-assign]  # what tracing is


if _path := os.environ.get("QUIRE_BENCH_TRACE"):
    _trace_to(Path(_path))
