"""The tables of a run: in the terminal with rich, and as Markdown in a page."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

from bench.compare import Effort, Result
from bench.growth import Footprint, Growth, contestant_name
from bench.measure import Summary, ratio
from bench.stage import Scale

_ROOT = Path(__file__).resolve().parents[1]
PAGE = _ROOT / "docs" / "performance.md"
"""The page that holds what was measured last."""

WRITES = "bench-writes"
RIGHTS = "bench-rights"
UPLOADS = "bench-uploads"
"""Names of the parts of the page, in its markers ``<!-- NAME:start -->`` and ``:end``."""

READING = "Quire without response cache"
"""Quire that reads, joins and writes out each answer anew."""

AS_LEFT = " as Strapi left it"
"""The end of the names of servers whose database has Strapi's indexes alone."""

_NOT_KNOWN = "n/a"


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of columns, and rows of text: the first column words, others numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """Everything one run measured, and what it was measured on."""

    machine: str
    effort: Effort
    scale: Scale
    results: tuple[Result, ...]
    servers: tuple[str, ...]
    footprints: tuple[Footprint, ...]
    by_documents: Growth | None = None
    by_types: Growth | None = None
    floor: str = "Bare driver"


def machine(database: str) -> str:
    """Return one line about this machine: processor, cores, Python, the database."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{database}"
    )


def tables(run: Run) -> tuple[Table, ...]:
    """Return all tables of a run in the order in which they are shown."""
    found = [*cpu_tables(run), *_database_tables(run), rate_table(run)]
    found.append(footprint_table("Footprint", run.footprints))
    for growth, title in ((run.by_documents, "documents"), (run.by_types, "content types")):
        if growth is not None:
            found.append(growth_table(f"CPU time per request by number of {title}", growth))
            found.append(footprint_table(f"Footprint by number of {title}", growth.footprints))
    return tuple(found)


def cpu_tables(run: Run) -> list[Table]:
    """Return CPU time per request: of content servers, and of what is below them.

    Servers whose databases have Strapi's indexes alone are compared with each other, in a table of
    their own.
    """
    servers = [name for name in run.servers if name.startswith(("Strapi", "Quire"))]
    left = [name for name in servers if name.endswith(AS_LEFT)]
    tables = [
        _servers_table("CPU time per request", run, [one for one in servers if one not in left])
    ]
    if left:
        tables.append(
            _servers_table("CPU time per request, databases as Strapi left them", run, left)
        )
    return [*tables, floor_table(run)]


def _servers_table(title: str, run: Run, names: Sequence[str]) -> Table:
    """Return CPU times of content servers, and how many times as much the first Strapi uses."""
    strapi = next((name for name in names if name.startswith("Strapi")), None)
    columns = ["Workload"]
    rows = [[_marked_title(result)] for result in run.results]
    for name in names:
        columns.append(name.removesuffix(AS_LEFT))
        compared = strapi is not None and name != strapi
        columns += [f"Strapi / {_kind(columns[-1])}"] if compared else []
        for row, result in zip(rows, run.results, strict=True):
            row.append(microseconds(_cpu(result, name)))
            if compared and strapi is not None:
                row.append(times(ratio(_cpu(result, strapi), _cpu(result, name))))
    return Table(title, tuple(columns), tuple(map(tuple, rows)))


def floor_table(run: Run) -> Table:
    """Return what statements alone and HTTP alone cost, beside the servers that need them."""
    # What runs statements is what can be compared with the statements alone.
    with_reading = READING in run.servers
    reading = READING if with_reading else "Quire"
    http = ("Quire", "Plain server") if with_reading else ("Plain server",)
    ratio_title = f"{_kind(reading)} / {run.floor.lower().removeprefix('bare ')}"
    rows = [
        (
            _marked_title(result),
            microseconds(_cpu(result, reading)),
            microseconds(_cpu(result, run.floor)),
            times(ratio(_cpu(result, reading), _cpu(result, run.floor))),
            *(microseconds(_cpu(result, name)) for name in http),
        )
        for result in run.results
    ]
    columns = ("Workload", reading, run.floor, ratio_title, *http)
    return Table("Statements alone, and HTTP alone", columns, tuple(rows))


def _database_tables(run: Run) -> list[Table]:
    """Return what the database's own processes used, where it has any."""
    names = [name for name in (*run.servers, run.floor) if name != "Plain server"]
    rows = [
        (
            _marked_title(result),
            *(microseconds(_database(result.summaries.get(name))) for name in names),
        )
        for result in run.results
    ]
    if all(_database(one.summaries.get("Quire")) is None for one in run.results):
        return []
    title = "CPU time of the database's processes per request"
    return [Table(title, ("Workload", *names), tuple(rows))]


def rate_table(run: Run) -> Table:
    """Return requests per second and latencies of every server with its indexes."""
    servers = [name for name in run.servers if not name.endswith(AS_LEFT)]
    columns = ["Workload", *(f"{name} {what}" for name in servers for what in _RATE_COLUMNS)]
    with_floor = any(_rate(one.summaries.get(run.floor)) != _NOT_KNOWN for one in run.results)
    columns += [f"{run.floor} req/s"] if with_floor else []
    rows = []
    for result in run.results:
        row = [_marked_title(result)]
        for name in servers:
            summary = result.summaries.get(name)
            row.append(_rate(summary))
            row.append(_latencies(summary))
        row += [_rate(result.summaries.get(run.floor))] if with_floor else []
        rows.append(tuple(row))
    title = f"Throughput and latency at {run.effort.concurrency} connections"
    return Table(title, tuple(columns), tuple(rows))


def growth_table(title: str, growth: Growth) -> Table:
    """Return CPU time per request with one column for each server and scale."""
    pairs = [(server, scale) for server in growth.servers for scale in growth.scales]
    by_types = len({scale.types for scale in growth.scales}) > 1
    columns = (
        "Workload",
        *(f"{server}, {_scale_words(scale, by_types=by_types)}" for server, scale in pairs),
    )
    rows = tuple(
        (
            result.title,
            *(microseconds(_cpu(result, contestant_name(*pair))) for pair in pairs),
        )
        for result in growth.results
    )
    return Table(title, columns, rows)


def footprint_table(title: str, footprints: Sequence[Footprint]) -> Table:
    """Return start times and memory, one row for each server and scale."""
    columns = ("Server", "Documents", "Content types", "Start to first answer", "Memory after load")
    rows = tuple(
        (
            one.server,
            f"{one.scale.documents:,}",
            f"{one.scale.types:,}",
            f"{one.start_seconds:.2f} s",
            _NOT_KNOWN if one.memory_mb is None else f"{one.memory_mb:.0f} MB",
        )
        for one in footprints
    )
    return Table(title, columns, rows)


def print_table(table: Table, console: Console) -> None:
    """Print one table."""
    shown = RichTable(title=table.title, title_justify="left")
    for index, column in enumerate(table.columns):
        shown.add_column(column, justify="right" if index else "left")
    for row in table.rows:
        shown.add_row(*row)
    console.print(shown)


def print_tables(run: Run, console: Console) -> None:
    """Print all tables of a run, and what their responses differed in, if they did."""
    console.print(run.machine)
    for table in tables(run):
        print_table(table, console)
    console.print(equality_sentence(run), highlight=False)


def markdown(run: Run) -> str:
    """Return the tables of a run as Markdown, with what was measured on and how often."""
    scale, effort = run.scale, run.effort
    introduction = (
        f"Measured on {run.machine}; {scale.documents:,} documents, {scale.types} content types; "
        f"medians of {effort.rounds} interleaved rounds of about {effort.seconds:g} s, "
        f"{effort.concurrency} connections. {equality_sentence(run)}"
    )
    return "\n\n".join([introduction, *(markdown_table(table) for table in tables(run))])


def equality_sentence(run: Run) -> str:
    """Return a sentence on whether the servers' responses were equal, and where they were not."""
    if "Strapi" not in run.servers:
        return "Strapi was not measured, so there were no responses to compare with."
    differences = [result.difference for result in run.results if result.difference is not None]
    if not differences:
        return "Before measuring, the JSON responses of all servers were compared: they are equal."
    return "The responses of workloads marked * are NOT equal: " + "; ".join(differences) + "."


def replace_between_markers(page: str, content: str, name: str) -> str:
    """Return ``page`` with what stands between the markers of a part replaced by ``content``.

    Raises ValueError when the markers are not both there, in order.
    """
    markers = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    before, start, rest = page.partition(markers[0])
    _, end, after = rest.partition(markers[1])
    if not start or not end:
        raise ValueError(f"the page has no {markers[0]} ... {markers[1]}")
    return f"{before}{start}\n\n{content}\n\n{end}{after}"


def write_page(content: str, name: str, page: Path = PAGE) -> str:
    """Put ``content`` into a part of a page, and return a sentence that says so.

    Raises ValueError when the page does not have the part's markers.
    """
    text = page.read_text(encoding="utf-8")
    page.write_text(replace_between_markers(text, content, name), encoding="utf-8")
    return f"Written to {page.relative_to(_ROOT) if page.is_relative_to(_ROOT) else page}."


def microseconds(value: float | None) -> str:
    """Return a duration in microseconds with three significant digits: 0.85 ms, 131 us, 9.4 us."""
    if value is None:
        return _NOT_KNOWN
    if value >= 1_000:
        return f"{value / 1_000:.1f} ms" if value < 100_000 else f"{value / 1_000:.0f} ms"
    return f"{value:.0f} µs" if value >= 10 else f"{value:.1f} µs"


def times(value: float | None) -> str:
    """Return a ratio with two digits that mean something: 0.9x, 4.2x, 57x."""
    if value is None:
        return _NOT_KNOWN
    return f"{value:.0f}x" if value >= 10 else f"{value:.1f}x"


def _kind(name: str) -> str:
    """Return what tells a Quire from the others, for the title of a column."""
    return name.removeprefix("Quire ")


_RATE_COLUMNS = ("req/s", "p50 / p99")


def _marked_title(result: Result) -> str:
    return f"{result.title} *" if result.difference is not None else result.title


def _database(summary: Summary | None) -> float | None:
    return None if summary is None else summary.database_us


def _cpu(result: Result, name: str) -> float | None:
    summary = result.summaries.get(name)
    return None if summary is None else summary.cpu_us


def _rate(summary: Summary | None) -> str:
    return _NOT_KNOWN if summary is None or summary.rate is None else f"{summary.rate:,.0f}"


def _latencies(summary: Summary | None) -> str:
    if summary is None or summary.p50_ms is None or summary.p99_ms is None:
        return _NOT_KNOWN
    return f"{summary.p50_ms:.1f} / {summary.p99_ms:.1f} ms"


def _scale_words(scale: Scale, *, by_types: bool) -> str:
    return f"{scale.types} types" if by_types else f"{scale.documents:,} docs"


def markdown_table(table: Table) -> str:
    """Return one table as Markdown, under its title."""
    rules = ["---"] + ["---:"] * (len(table.columns) - 1)
    rows = [table.columns, rules, *table.rows]
    lines = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return f"### {table.title}\n\n" + "\n".join(lines)


def _processor() -> str:
    """Return the processor's name as Linux tells it, else its architecture."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.machine()
