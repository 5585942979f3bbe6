"""The cost of a key press in a form of 200 fields: CPU time of the page's main thread.

``python -m bench.ui keys`` prints the median of a round of key presses, from the press to the frame
that shows it, less what two frames cost in which nothing is typed. The browser's own share is
measured on a page of 200 plain inputs that runs no JavaScript.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, CDPSession, Page

from bench.project import DATABASE, add_administrator, make_project
from bench.servers import quire, running
from bench.subject import make_tables
from bench.ui.driver import new_page
from bench.ui.quire_tasks import sign_in

FIELDS = 200
PRESSES = 100
_TYPED_IN = FIELDS // 2
_TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_READY = "/admin/init"
_PLAIN = "".join(f"<label>Field {at}<input></label>" for at in range(FIELDS))


@dataclass(frozen=True, slots=True)
class KeyPressCost:
    """Milliseconds of the main thread for a key press, and those of them that run JavaScript."""

    page: str
    total: float
    script: float


def measure_key_presses(browser: Browser, folder: Path) -> list[KeyPressCost]:
    """Return what a key press costs in Quire's form, and in plain inputs.

    Raises ServerError when Quire does not start.
    """
    with _form(folder) as address:
        page = new_page(browser, address)
        sign_in(page)
        page.goto("/admin/content/api::form.form/create")
        fields = page.get_by_role("textbox", name="Field")
        fields.nth(_TYPED_IN).click()
        page.wait_for_load_state("networkidle")
        form = _cost("Quire's form", page)
        page.close()
    page = new_page(browser, "about:blank")
    page.set_content(_PLAIN)
    page.get_by_role("textbox").nth(_TYPED_IN).click()
    plain = _cost("plain inputs", page)
    page.close()
    return [form, plain]


def _cost(name: str, page: Page) -> KeyPressCost:
    session = page.context.new_cdp_session(page)
    # Other programs on the machine do not count: CPU time of the thread, not the clock's.
    session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
    session.send("Performance.enable")
    # The first press makes the form dirty, which shows in its header.
    page.keyboard.type("abc")
    idle = [_milliseconds(session, page, lambda: None) for _ in range(PRESSES // 4)]
    pressed = [
        _milliseconds(session, page, lambda: page.keyboard.press("a")) for _ in range(PRESSES)
    ]
    total, script = (
        median(one[part] for one in pressed) - median(one[part] for one in idle) for part in (0, 1)
    )
    return KeyPressCost(name, total, script)


def _milliseconds(session: CDPSession, page: Page, act: Callable[[], None]) -> tuple[float, float]:
    page.evaluate(_TWO_FRAMES)
    before = _metrics(session)
    act()
    page.evaluate(_TWO_FRAMES)
    after = _metrics(session)
    total, script = (
        1000 * (after[name] - before[name]) for name in ("TaskDuration", "ScriptDuration")
    )
    return total, script


def _metrics(session: CDPSession) -> dict[str, float]:
    found = session.send("Performance.getMetrics")["metrics"]
    return {one["name"]: one["value"] for one in found}


@contextmanager
def _form(folder: Path) -> Iterator[str]:
    """Serve a project with a type of 200 fields."""
    make_project(folder)
    path = folder / "src" / "api" / "form" / "content-types" / "form" / "schema.json"
    path.parent.mkdir(parents=True)
    schema = {
        "kind": "collectionType",
        "collectionName": "forms",
        "info": {"singularName": "form", "pluralName": "forms", "displayName": "Form"},
        "options": {"draftAndPublish": True},
        "attributes": {f"field{at:03}": {"type": "string"} for at in range(FIELDS)},
    }
    path.write_text(json.dumps(schema), encoding="utf-8")
    make_tables(folder)
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        add_administrator(connection)
    with running(quire(folder), _READY) as server:
        yield f"http://127.0.0.1:{server.port}"
