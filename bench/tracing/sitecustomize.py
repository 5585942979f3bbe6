"""Writes down every statement that a Python process runs on SQLite, when asked to.

Python imports this module by itself in every process that has its folder on PYTHONPATH. With
QUIRE_BENCH_TRACE naming a file, each statement becomes a line of it: JSON of its text and values.
"""

import json
import os
from pathlib import Path

import apsw


def _trace_to(path: Path) -> None:
    # Line by line: who reads the file after an answer finds everything that led to it.
    lines = path.open("a", encoding="utf-8", buffering=1)

    def trace(_cursor: apsw.Cursor, sql: str, values: "apsw.Bindings | None") -> bool:
        lines.write(json.dumps([sql, values or []], default=repr) + "\n")
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(watch)


if _path := os.environ.get("QUIRE_BENCH_TRACE"):
    _trace_to(Path(_path))
