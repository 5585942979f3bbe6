"""What the benchmark has Quire itself do before measuring: make tables, tell its statements.

Statements are learnt by starting the server as anybody would and watching its driver, so that they
are what it runs and not what it is thought to run.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw

from bench.driver import Statement
from bench.project import DATABASE
from bench.servers import Launch, administered, fetch, quire
from quire.database.dialects.sqlite.ddl import COLUMN_TYPES, SqliteDdl
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.entries.entry_tables import open_store
from quire.database.initialize import FirstLocale, initial_rows
from quire.database.program import Program
from quire.database.tables.ddl import create_program
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import map_tables
from quire.ids import new_document_id
from quire.schema.load import load_schema

_TRACING = Path(__file__).parent / "tracing"
_CURRENT = "pg_current_snapshot"
_INSTANT_MS = 1_577_836_800_000  # 2020-01-01T00:00:00Z


def make_tables(project: Path) -> None:
    """Make the tables of the new project in ``project``, with a new database's first rows.

    Raises SchemaError when its content model has errors.
    """
    schema = load_schema(project)
    tables = map_tables(schema)
    metadata = build_metadata(schema, tables, COLUMN_TYPES)
    store = open_store(schema, tables, SqliteDialect())
    first_rows = initial_rows(
        store, clock=lambda: _INSTANT_MS, new_id=new_document_id, locale=FirstLocale()
    )
    with closing(apsw.Connection(str(project / DATABASE))) as connection, connection:
        run_program(connection, create_program(metadata, SqliteDdl()))
        run_program(connection, first_rows)


def run_program(connection: apsw.Connection, program: Program[None]) -> None:
    """Run a program's statements on ``connection``, sending it the rows of each."""
    try:
        statement = next(program)
        while True:
            rows = connection.execute(statement.sql, tuple(statement.values)).fetchall()
            statement = program.send(rows)
    except StopIteration:
        return


def explain(
    project: Path, targets: Mapping[str, Sequence[str]]
) -> dict[str, list[list[Statement]]]:
    """Return the statements that each request runs, by workload, as ``targets`` names requests.

    The project has its seeded database. Every request is sent twice, and the statements are those
    of the second one: what is kept between requests, such as counts and tokens, is kept by then.
    Raises ServerError when Quire does not start.
    """
    path = project / "statements.jsonl"
    path.unlink(missing_ok=True)
    launch = _traced(quire(project), path)
    with administered(launch) as server, path.open(encoding="utf-8") as trace:
        found: dict[str, list[list[Statement]]] = {}
        for workload, asked in targets.items():
            found[workload] = []
            for target in asked:
                fetch(server, target)
                trace.readlines()
                fetch(server, target)
                found[workload].append(read_statements(trace.readlines()))
    return found


def read_statements(lines: Sequence[str]) -> list[Statement]:
    """Return the reading statements of a trace.

    Left out is what begins and ends transactions, and the question whether anything has changed.
    """
    statements = (json.loads(line) for line in lines)
    return [(sql, values) for sql, values in statements if _reads(sql) and _CURRENT not in sql]


def _traced(launch: Launch, path: Path) -> Launch:
    environment = {"PYTHONPATH": str(_TRACING), "QUIRE_BENCH_TRACE": str(path)}
    return replace(launch, environment={**launch.environment, **environment})


def _reads(sql: str) -> bool:
    return sql.lstrip().upper().startswith(("SELECT", "WITH"))
