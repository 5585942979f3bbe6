"""The command: ``python -m bench.ui --strapi DIR`` drives both admin UIs through equal tasks.

For each task and each UI it prints clicks, key presses and seconds from the first of them to the
last result on the screen: the median of some rounds, in which the UIs take turns. A task that has
not done its work, as HTTP tells, is not measured; the command then ends with 1.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Annotated

import cyclopts
import httpx
from cyclopts import Parameter
from playwright.sync_api import Browser
from playwright.sync_api import Error as BrowserError
from rich.console import Console

from bench.report import Table, machine, markdown_table, print_table, times, write_page
from bench.servers import ServerError
from bench.sqlite import SqliteBench
from bench.ui import quire_tasks, strapi_tasks
from bench.ui.cases import CONTENT_TASKS, NotDoneError, Task
from bench.ui.driver import Driver, Effort, chromium, new_page
from bench.ui.key_presses import measure_key_presses
from bench.ui.model_changes import measure_model_changes
from bench.ui.projects import PROJECT_TASKS
from bench.ui.site import DOCUMENTS, Site, sites

_FOLDER = Path(__file__).resolve().parents[2] / "build" / "bench-ui"
_TASKS = (*CONTENT_TASKS, *PROJECT_TASKS)
_MODULES = {"Strapi": strapi_tasks, "Quire": quire_tasks}
_PART = "bench-ui"
_NOT_DONE = "failed"
_NOT_POSSIBLE = "not possible"

app = cyclopts.App(name="bench.ui", help="Drive both admin UIs through the same tasks.")


@dataclass(slots=True)
class Row:
    """What a task took in each UI, or why it was not done there."""

    task: Task
    efforts: dict[str, list[Effort]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def middle(self, name: str) -> Effort | None:
        """Return the median of the rounds of one UI, unless one of them failed."""
        found = self.efforts.get(name)
        if not found or name in self.reasons:
            return None
        return Effort(
            max(one.clicks for one in found),
            max(one.keys for one in found),
            median(one.seconds for one in found),
        )


@app.default
def compare(
    *,
    strapi: Path | None = None,
    tasks: str = "",
    rounds: int = 3,
    write: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Drive both admin UIs through the same tasks, and print what each took.

    Parameters
    ----------
    strapi
        A folder with an installed Strapi whose admin panel is built (``npx strapi build``).
        Without it, Quire alone is driven.
    tasks
        Names of tasks, separated by commas; all of them when there are none.
    rounds
        How often each task is done in each UI.
    write
        Put the table into docs/performance.md.
    """
    console = Console()
    chosen = [task for task in _TASKS if not tasks or task.name in tasks.split(",")]
    rows = [Row(task) for task in chosen]
    try:
        with console.status("starting") as status, chromium() as browser:
            for develop in (False, True):
                part = [row for row in rows if row.task.develop is develop]
                if part:
                    with sites(_FOLDER, strapi, develop=develop, progress=status.update) as served:
                        _drive(browser, served, part, rounds, console.log)
    except (ServerError, BrowserError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    table = _table(rows)
    print_table(table, console)
    failures = list(_failures(rows))
    for failure in failures:
        console.print(failure, style="red", markup=False)
    if write:
        words = f"{DOCUMENTS:,} documents, {rounds} rounds. {machine(SqliteBench().version())}."
        console.print(write_page(f"{words}\n\n{markdown_table(table)}", _PART))
    return 1 if failures else 0


@app.command
def keys() -> int:
    """Print what a key press costs in a form of 200 fields, and in as many plain inputs."""
    console = Console()
    try:
        with console.status("measuring"), chromium() as browser:
            costs = measure_key_presses(browser, _FOLDER / "keys")
    except (ServerError, BrowserError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    rows = tuple((one.page, f"{one.total:.1f}", f"{one.script:.1f}") for one in costs)
    title = "A key press among 200 fields, CPU time of the main thread"
    print_table(Table(title, ("", "ms", "of them JavaScript"), rows), console)
    return 0


@app.command
def changes() -> int:
    """Print how long changes of a content type take to be in the API and in the content form."""
    console = Console()
    try:
        with console.status("measuring"), chromium() as browser:
            delays = measure_model_changes(browser)
    except (BrowserError, AssertionError, httpx.HTTPError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    rows = tuple(
        (where, f"{1000 * median(found):.0f}", f"{1000 * max(found):.0f}")
        for where, found in (
            ("API", [one.in_api for one in delays]),
            ("content form", [one.in_form for one in delays]),
        )
    )
    title = f"{len(delays)} changes of a content type, from applied to seen"
    print_table(Table(title, ("in the", "median ms", "longest ms"), rows), console)
    return 0


def _drive(
    browser: Browser,
    served: Sequence[Site],
    rows: Sequence[Row],
    rounds: int,
    progress: Callable[[str], None],
) -> None:
    drivers = {}
    for site in served:
        page = new_page(browser, site.address)
        _MODULES[site.name].sign_in(page)
        drivers[site.name] = Driver(page)
    for row in rows:
        for turn in range(1, rounds + 1):
            for site in served:
                module = _MODULES[site.name]
                if row.task.name in module.NOT_POSSIBLE or site.name in row.reasons:
                    continue
                progress(f"{row.task.title}, round {turn} of {rounds}: {site.name}")
                _attempt(row, site, drivers[site.name], module)
                progress(f"{row.task.name}, {site.name}: {row.middle(site.name) or 'failed'}")


def _attempt(row: Row, site: Site, driver: Driver, module: ModuleType) -> None:
    try:
        case = row.task.prepare(site)
        getattr(module, row.task.name)(driver, case)
        row.task.check(site, case)
    except (NotDoneError, BrowserError, LookupError, httpx.HTTPError) as error:
        row.reasons[site.name] = str(error).strip() or type(error).__name__
        return
    row.efforts.setdefault(site.name, []).append(driver.effort)


def _table(rows: Sequence[Row]) -> Table:
    columns = ("Task", *(f"{name} {unit}" for unit in ("clicks", "keys", "s") for name in _MODULES))
    return Table(
        "Tasks in the admin UI", (*columns, "Strapi / Quire"), tuple(_cells(row) for row in rows)
    )


def _cells(row: Row) -> tuple[str, ...]:
    found = {name: row.middle(name) for name in _MODULES}
    cells = [row.task.title]
    units: tuple[Callable[[Effort], str], ...] = (
        lambda one: str(one.clicks),
        lambda one: str(one.keys),
        lambda one: f"{one.seconds:.2f}",
    )
    for unit in units:
        cells += [unit(one) if one else _reason(row, name) for name, one in found.items()]
    strapi, quire = found["Strapi"], found["Quire"]
    cells.append(times(strapi.seconds / quire.seconds if strapi and quire else None))
    return tuple(cells)


def _reason(row: Row, name: str) -> str:
    if row.task.name in _MODULES[name].NOT_POSSIBLE:
        return _NOT_POSSIBLE
    return _NOT_DONE if name in row.reasons else "n/a"


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        for name, reason in row.reasons.items():
            yield f"{row.task.name} in {name}: {reason}"


if __name__ == "__main__":
    sys.exit(app())
