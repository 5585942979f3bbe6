"""What the benchmark has Quire itself do before measuring: make tables, tell its statements.

Both are done by starting the server as anybody would, and by watching it; nothing here knows how
Quire is built.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.driver import Statement
from bench.servers import Launch, fetch, quire, running

_TRACING = Path(__file__).parent / "tracing"
_DENIED = frozenset({401, 403})


def make_tables(project: Path) -> None:
    """Have Quire make the tables of the new project in ``project``, and its first rows.

    Raises ServerError when it does not start.
    """
    # There is no token in the database yet, so a request that is denied is answered well.
    with running(quire(project), ready=_DENIED):
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
    with running(launch) as server, path.open(encoding="utf-8") as trace:
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
    """Return the reading statements of a trace, without what begins and ends transactions."""
    statements = (json.loads(line) for line in lines)
    return [(sql, values) for sql, values in statements if _reads(sql)]


def _traced(launch: Launch, path: Path) -> Launch:
    environment = {"PYTHONPATH": str(_TRACING), "QUIRE_BENCH_TRACE": str(path)}
    return replace(launch, environment={**launch.environment, **environment})


def _reads(sql: str) -> bool:
    return sql.lstrip().upper().startswith(("SELECT", "WITH"))
