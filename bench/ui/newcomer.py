"""The command: ``python -m bench.ui.newcomer --strapi DIR`` times the first steps.

It begins with the first screen of a project without content types and administrators, and ends
with the JSON of a published entry: a type is made, public read access is granted, an entry is
published, and the browser shows what ``/api`` answers. Strapi runs as `strapi develop`, since
types cannot be changed otherwise, and without its guided tour, which covers controls.
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Annotated

import cyclopts
from cyclopts import Parameter
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as BrowserError
from rich.console import Console

from bench.project import ADMINISTRATOR, SECRETS
from bench.report import Table, machine, markdown_table, print_table, times, write_page
from bench.servers import Launch, ServerError, make_strapi_application, quire, running, strapi
from bench.sqlite import SqliteBench
from bench.subject import make_tables
from bench.ui.driver import Driver, Effort, chromium, new_page
from bench.ui.strapi_tasks import TOUR

_FOLDER = Path(__file__).resolve().parents[2] / "build" / "bench-newcomer"
_PART = "bench-newcomer"
_READY = "/admin/init"
_TITLE = "Low tide"
_ATTEMPTS = 3
_REGISTRATION = re.compile(r"(/admin/auth/register-admin\?\S+)")
_CONFIGURATION = Path(__file__).parent / "strapi"

app = cyclopts.App(name="bench.ui.newcomer", help="Time the way of a newcomer in both admin UIs.")


@app.default
def compare(
    *,
    strapi: Path | None = None,
    rounds: int = 2,
    write: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Time the way of a newcomer in both admin UIs.

    Parameters
    ----------
    strapi
        A folder with an installed Strapi whose admin panel is built. Without it, Quire alone.
    rounds
        How often each way is gone, each time in a new project.
    write
        Put the table into docs/performance.md.
    """
    console = Console()
    efforts: dict[str, list[Effort]] = {"Strapi": [], "Quire": []}
    try:
        with chromium() as browser:
            for turn in range(1, rounds + 1):
                for name in ("Strapi", "Quire") if strapi else ("Quire",):
                    console.log(f"round {turn} of {rounds}: {name}")
                    effort = _attempt(browser, name, strapi, console)
                    efforts[name].append(effort)
                    console.log(str(effort))
    except (ServerError, BrowserError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    table = _table(efforts)
    print_table(table, console)
    if write:
        words = f"{rounds} rounds, each in a new project. {machine(SqliteBench().version())}."
        console.print(write_page(f"{words}\n\n{markdown_table(table)}", _PART))
    return 0


def _attempt(browser: Browser, name: str, installed: Path | None, console: Console) -> Effort:
    """Go the way once. Strapi's panel sometimes never sees that its server has started again."""
    for left in reversed(range(_ATTEMPTS)):
        launch = _launch(name, installed)
        with running(launch, _READY):
            page = new_page(browser, f"http://127.0.0.1:{launch.port}")
            driver = Driver(page)
            try:
                _WAYS[name](driver, launch)
            except BrowserError as error:
                if left == 0:
                    raise
                console.log(f"once more: {str(error).splitlines()[0]}")
                continue
            finally:
                page.context.close()
        break
    return driver.effort


def _table(efforts: Mapping[str, list[Effort]]) -> Table:
    rows: list[tuple[str, ...]] = []
    seconds: dict[str, float] = {}
    for name, found in efforts.items():
        if found:
            seconds[name] = median(one.seconds for one in found)
            clicks, keys = max(one.clicks for one in found), max(one.keys for one in found)
            rows.append((name, str(clicks), str(keys), f"{seconds[name]:.1f}"))
    if len(seconds) == len(efforts):
        rows.append(("Strapi / Quire", "", "", times(seconds["Strapi"] / seconds["Quire"])))
    return Table("From the first screen to JSON", ("", "Clicks", "Keys", "s"), tuple(rows))


def _launch(name: str, installed: Path | None) -> Launch:
    """Make a project without types and administrators, and return how to start its server."""
    project = _FOLDER / "quire"
    shutil.rmtree(_FOLDER, ignore_errors=True)
    (project / "src" / "api").mkdir(parents=True)
    (project / ".tmp").mkdir()
    (project / "public" / "uploads").mkdir(parents=True)
    lines = {**SECRETS, "DATABASE_CLIENT": "sqlite", "DATABASE_FILENAME": ".tmp/data.db"}
    text = "".join(f"{key}={value}\n" for key, value in lines.items())
    (project / ".env").write_text(text, encoding="utf-8")
    if name == "Quire" or installed is None:
        make_tables(project)
        return quire(project)
    folder = _FOLDER / "strapi"
    make_strapi_application(folder, project, installed)
    shutil.copytree(_CONFIGURATION, folder, dirs_exist_ok=True)
    (folder / "build").symlink_to(installed.resolve() / "build")
    launch = strapi(folder)
    command = (*launch.command[:-1], "develop", "--no-watch-admin", "--no-build-admin")
    return replace(
        launch, command=command, environment={**launch.environment, "NODE_ENV": "development"}
    )


def _quire(ui: Driver, launch: Launch) -> None:
    """The log has the address at which the first administrator registers."""
    page = ui.page
    found = _REGISTRATION.search((launch.folder / "server.log").read_text(encoding="utf-8"))
    if found is None:
        raise ServerError("Quire has not printed where to register")
    ui.start(found[1], page.get_by_label("E-mail"))
    page.get_by_label("E-mail").and_(page.locator(":focus")).wait_for()
    ui.type(ADMINISTRATOR["email"])
    ui.fill(page.get_by_label("First name"), "Ada")
    ui.fill(page.get_by_label("New password"), ADMINISTRATOR["password"])
    ui.fill(page.get_by_label("Repeat password"), ADMINISTRATOR["password"])
    ui.click(page.get_by_role("button", name="Create administrator"))
    ui.click(page.get_by_role("button", name="New collection"))
    page.get_by_role("dialog").get_by_role("textbox", name="Display name").wait_for()
    ui.type("Story")
    ui.click(page.get_by_role("button", name="Continue"))
    ui.click(page.get_by_role("option", name="Text Titles"))
    ui.page.get_by_role("textbox", name="Name", exact=True).and_(
        page.locator("[value='']:focus")
    ).wait_for()
    ui.type("title")
    ui.click(page.get_by_role("button", name="Apply now"))
    ui.click(page.get_by_role("switch", name="Visitors may read it"))
    ui.click(page.get_by_role("link", name="Create entry"))
    page.get_by_role("textbox", name="Title").first.and_(page.locator(":focus")).wait_for()
    ui.type(_TITLE)
    ui.click(page.get_by_role("button", name="Publish", exact=True))
    ui.see(page.get_by_role("alert").get_by_text("Published", exact=True).first)
    ui.click(page.get_by_role("tab", name="API"))
    ui.click(page.get_by_role("button", name="Send", exact=True))
    ui.see(page.get_by_text(f'"title": "{_TITLE}"'))


def _strapi(ui: Driver, _: Launch) -> None:
    """Types, entries and roles are in three parts of the panel; JSON is had at its address."""
    page = ui.page
    page.goto("/admin/auth/register-admin")
    page.evaluate("tour => localStorage.setItem('STRAPI_GUIDED_TOUR', tour)", json.dumps(TOUR))
    ui.start("/admin/auth/register-admin", page.get_by_label("First name"))
    ui.fill(page.get_by_label("First name"), "Ada")
    ui.fill(page.get_by_label("Email"), ADMINISTRATOR["email"])
    ui.fill(page.get_by_label("Password", exact=False).first, ADMINISTRATOR["password"])
    ui.fill(page.get_by_label("Confirm Password"), ADMINISTRATOR["password"])
    ui.click(page.get_by_role("button", name="Let's start"))
    _make_type(ui)
    _publish_entry(ui)
    _grant_reading(ui, page)
    # The address is typed: nothing in the panel leads to it.
    path = "/api/stories"
    ui.type(path)
    page.goto(path)
    ui.see(page.get_by_text(_TITLE))


def _make_type(ui: Driver) -> None:
    page = ui.page
    ui.click(page.get_by_role("link", name="Content-Type Builder"))
    ui.click(page.get_by_role("button", name="Create new collection type"))
    dialog = page.get_by_role("dialog")
    ui.fill(dialog.get_by_label("Display name"), "Story")
    ui.click(dialog.get_by_role("button", name="Continue"))
    ui.click(page.get_by_role("button", name="Add new field").first)
    ui.click(dialog.get_by_role("button", name=re.compile("^Text ")))
    ui.fill(dialog.get_by_label("Name", exact=True), "title")
    ui.click(dialog.get_by_role("button", name="Finish"))
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.see(page.get_by_text("Waiting for restart").first)
    ui.see(page.get_by_text("Waiting for restart").first, gone=True)


def _publish_entry(ui: Driver) -> None:
    page = ui.page
    ui.click(page.get_by_role("link", name="Content Manager"))
    ui.click(page.get_by_role("link", name=re.compile("Create new entry")).first)
    ui.fill(page.get_by_role("textbox", name="title"), _TITLE)
    ui.click(page.get_by_role("button", name="Publish", exact=True))
    ui.see(page.get_by_text("Published document").first)


def _grant_reading(ui: Driver, page: Page) -> None:
    ui.click(page.get_by_role("link", name="Settings", exact=True))
    ui.click(page.get_by_role("link", name="Roles").last)
    ui.click(page.get_by_role("gridcell", name="Public", exact=True))
    ui.click(page.get_by_role("button", name=re.compile("^Story ")))
    for action in ("find", "findOne"):
        ui.click(page.get_by_role("checkbox", name=action, exact=True))
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.see(page.get_by_text("Role edited").first)


_WAYS: Mapping[str, Callable[[Driver, Launch], None]] = {"Strapi": _strapi, "Quire": _quire}

if __name__ == "__main__":
    sys.exit(app())
