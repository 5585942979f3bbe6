"""The command line of the benchmark: ``python -m bench``."""

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import cyclopts
from cyclopts import Parameter, Token
from rich.console import Console

from bench.compare import Effort
from bench.driver import DriverError
from bench.load import LoadError
from bench.postgresql import PostgresBench
from bench.report import Run, markdown, print_tables, write_page
from bench.run import COMPARED_DOCUMENTS, Plan, run
from bench.servers import ServerError
from bench.sqlite import SqliteBench
from bench.stage import Stage
from bench.subject import explain, make_tables

_ROOT = Path(__file__).resolve().parents[1]
_FOLDER = _ROOT / "build" / "bench"
_QUICK = Effort(rounds=2, seconds=0.8)
_FULL = Effort(rounds=5, seconds=2.0)
_GROWING = (1_000, 25_000, 250_000)
_TYPES = (10, 400)

app = cyclopts.App(name="bench", help="Measure Quire, its floors and its peer, in one run.")


def _parts(tokens: tuple[Token, ...]) -> list[str]:
    return [part for token in tokens for part in token.value.split(",") if part]


def _numbers(_: object, tokens: tuple[Token, ...]) -> tuple[int, ...]:
    """Read whole numbers separated by commas."""
    return tuple(int(part) for part in _parts(tokens))


def _names(_: object, tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Read names separated by commas."""
    return tuple(_parts(tokens))


Numbers = Annotated[tuple[int, ...], Parameter(converter=_numbers, n_tokens=1, negative=())]
Names = Annotated[tuple[str, ...], Parameter(converter=_names, n_tokens=1, negative=())]


@app.default
def bench(  # noqa: PLR0913 - each of these is an option
    *,
    quick: Annotated[bool, Parameter(negative=())] = False,
    documents: Numbers = (),
    types: Numbers = (),
    workloads: Names = (),
    rounds: int | None = None,
    strapi: Path | None = None,
    skip_strapi: Annotated[bool, Parameter(negative=())] = False,
    write: bool = True,
    database: Literal["sqlite", "postgresql"] = "sqlite",
) -> int:
    """Seed a database, start the servers, load them in turn, print the tables.

    Parameters
    ----------
    quick
        Two short rounds at 25,000 documents and nothing on growth: some minutes.
    documents
        Numbers of documents, such as 1000,25000,250000; more than one measures how cost grows.
    types
        Numbers of content types, such as 10,400, to measure how cost grows with.
    workloads
        Names of the workloads to measure; all of them when none is given.
    rounds
        How many rounds each server is measured for.
    strapi
        A folder with an installed Strapi, made as bench/strapi/README.md says;
        the environment variable QUIRE_BENCH_STRAPI names one too.
    skip_strapi
        Measure without the peer.
    write
        Put the tables of a whole run into docs/performance.md. A quick run, or one of some
        workloads, never writes.
    database
        What the servers keep content in. On PostgreSQL nothing is measured on growth unless it is
        requested, and Quire with two processes as well.
    """
    console = Console()
    database_kind = SqliteBench() if database == "sqlite" else PostgresBench()
    grows = not quick and database == "sqlite"
    plan = Plan(
        effort=_effort(quick=quick, rounds=rounds),
        documents=documents or (_GROWING if grows else (COMPARED_DOCUMENTS,)),
        types=types or (_TYPES if grows else ()),
        workloads=workloads,
        strapi=None if skip_strapi else strapi or _peer_of_environment(),
        workers=1 if database_kind.name == "sqlite" else 2,
    )
    if plan.strapi is None:
        console.print("Without the peer: see bench/strapi/README.md for how to have it measured.")
    measured: Run | None = None
    failed = False
    try:
        with console.status("starting") as status:
            stage = Stage(_FOLDER, make_tables, status.update, database_kind)
            for so_far in run(plan, stage, explain):
                measured = so_far
    except (ServerError, LoadError, DriverError, ValueError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        failed = True
    if measured is None:
        return 1
    print_tables(measured, console)
    if write and not (failed or quick or workloads):
        console.print(write_page(markdown(measured), database_kind.page_part))
    if failed:
        return 1
    return 0 if all(result.difference is None for result in measured.results) else 2


def _effort(*, quick: bool, rounds: int | None) -> Effort:
    chosen = _QUICK if quick else _FULL
    return Effort(rounds or chosen.rounds, chosen.seconds, chosen.concurrency)


def _peer_of_environment() -> Path | None:
    folder = os.environ.get("QUIRE_BENCH_STRAPI")
    return Path(folder) if folder else None


if __name__ == "__main__":
    sys.exit(app())
