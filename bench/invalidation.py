"""The value of cached responses under writes: ``python -m bench.invalidation``.

A site of ten content types is read, and one of them is written to: 95 % reads of 260 addresses, 5 %
writes. Quire keeps the responses of the other nine. It is measured with and without kept responses,
and next to the sources of another version of it (``--before DIR``), in turn and within one run.
"""

import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import cyclopts
from rich.console import Console

from bench.compare import Contestant, Effort, Result, compare
from bench.dataset import document_id
from bench.load import LoadError, Write
from bench.measure import ratio
from bench.project import DATABASE, OWN_TYPES, extra_type_names
from bench.report import Table, microseconds, print_table, times
from bench.servers import Launch, ServerError, administered
from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.workloads import Workload

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench-invalidation"
_SCALE = Scale(2_000, types=10)
_ROWS = 10_000
_WRITTEN = extra_type_names(1)[0]
_PAGES = 26
_OWN = {
    "articles": "populate[author]=true&populate[categories]=true&populate[tags]=true",
    "authors": "sort=name",
    "categories": "populate[parent]=true",
    "tags": "sort=name",
}
"""What is asked of the types of the model; none of them shows entries of the generated ones."""
_LISTED = "filters[textValue][$contains]=text&sort=integerValue&populate=tag"
NOW, WITHOUT, BEFORE = "Quire", "Quire without response cache", "Quire before"

app = cyclopts.App(name="bench.invalidation", help="Measure cached responses under writes.")


@app.default
def invalidation(
    *, before: Path | None = None, rounds: int = 5, seconds: float = 2.0, same: bool = False
) -> int:
    """Load the servers in turn and print requests per second and CPU time per request.

    Parameters
    ----------
    before
        A checkout of another version, whose sources are run by the same Python.
    rounds
        How many times each server takes its turn.
    seconds
        How long a turn takes.
    same
        Measure reads alone as well, and writes of the type that is read.
    """
    console = Console()
    try:
        with console.status("starting") as status, ExitStack() as stack:
            stage = Stage(_FOLDER, make_tables, status.update)
            launches = [
                replace(stage.quire(_SCALE), name=NOW),
                replace(stage.quire(_SCALE, without=["responses"]), name=WITHOUT),
            ]
            if before is not None:
                launches.append(_of_sources(stage, before.resolve()))
            for launch in launches:
                _fill(launch.folder)
            servers = [stack.enter_context(administered(one)) for one in launches]
            chosen = {one.name: one for one in _workloads(all_of_them=same)}
            contestants = [Contestant(one.name, one, chosen) for one in servers]
            results = compare(contestants, Effort(rounds, seconds), status.update)
    except (ServerError, LoadError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    for result in results:
        print_table(_table(result), console)
    return 0


def _of_sources(stage: Stage, sources: Path) -> Launch:
    """Return how to start Quire with the sources of a checkout, on a separate project."""
    launch = stage.quire(_SCALE, kind="before")
    return replace(launch, name=BEFORE, environment={"PYTHONPATH": str(sources / "src")})


def _workloads(*, all_of_them: bool) -> list[Workload]:
    names = extra_type_names(_SCALE.types - OWN_TYPES)
    kinds = _OWN | {f"{name}-entries": _LISTED for name in names}
    targets = tuple(
        f"/api/{kind}?{query}&pagination[pageSize]=100&pagination[page]={page}"
        for page in range(1, _PAGES + 1)
        for kind, query in kinds.items()
    )
    found = [
        Workload("ten-types", "95 % reads of ten types, 5 % writes to one", targets, _writes())
    ]
    if all_of_them:
        own = tuple(one for one in targets if f"/{_WRITTEN}-entries?" in one)
        found.append(Workload("reads", "reads of ten types", targets))
        found.append(Workload("one-type", "95 % reads and 5 % writes of one", own, _writes()))
    return found


def _writes() -> tuple[Write, ...]:
    return tuple(
        Write(
            "PUT",
            f"/api/{_WRITTEN}-entries/{document_id(_WRITTEN, number)}",
            json.dumps({"data": {"stringValue": f"Changed {number}"}}),
        )
        for number in range(200)
    )


def _fill(project: Path) -> None:
    """Give the generated types published entries, each with a tag and a component."""
    with closing(sqlite3.connect(project / DATABASE)) as connection, connection:
        for name in extra_type_names(_SCALE.types - OWN_TYPES):
            table = name.replace("-", "_")
            _insert_entries(connection, name, f"{table}_entries", f"{table}_id")


def _insert_entries(
    connection: sqlite3.Connection, name: str, table: str, link_column: str
) -> None:
    ids = range(1, _ROWS + 1)
    _insert_many(
        connection,
        f"INSERT INTO {table} (id, document_id, string_value, text_value, richtext_value,"
        " integer_value, created_at, updated_at, published_at)"
        " VALUES (?, ?, ?, ?, ?, ?, 1577836800000, 1577836800000, ?)",
        [
            (
                number,
                document_id(name, number // 2),
                f"{name} {number}",
                "text " * 20,
                "rich " * 40,
                number % 997,
                1577836800000 if number % 2 else None,
            )
            for number in ids
        ],
    )
    _insert_many(
        connection,
        f"INSERT INTO {table}_tag_lnk ({link_column}, tag_id) VALUES (?, ?)",
        [(number, 1 + number % 100) for number in ids],
    )
    first = connection.execute("SELECT coalesce(max(id), 0) FROM components_shared_seos").fetchone()
    _insert_many(
        connection,
        "INSERT INTO components_shared_seos (id, meta_title) VALUES (?, ?)",
        [(first[0] + number, f"Title {number}") for number in ids],
    )
    _insert_many(
        connection,
        f'INSERT INTO {table}_cmps (entity_id, cmp_id, component_type, field, "order")'
        " VALUES (?, ?, 'shared.seo', 'seo', 1)",
        [(number, first[0] + number) for number in ids],
    )


def _insert_many(
    connection: sqlite3.Connection, sql: str, rows: Sequence[tuple[object, ...]]
) -> None:
    connection.executemany(sql, rows)


def _table(result: Result) -> Table:
    now = result.summaries[NOW]
    rows = [
        (
            name,
            f"{one.rate or 0:,.0f}",
            microseconds(one.cpu_us),
            times(ratio(one.cpu_us, now.cpu_us)),
        )
        for name, one in result.summaries.items()
    ]
    columns = ("Server", "Requests per second", "CPU per request", "CPU, times that of Quire")
    return Table(result.title, columns, tuple(rows))


if __name__ == "__main__":
    sys.exit(app())
