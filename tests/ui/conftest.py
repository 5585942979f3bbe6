"""Chromium and a server for it. Without Chromium these tests are skipped, but fail in CI."""

import asyncio
import os
from asyncio.events import _set_running_loop as set_running_loop
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import DEVNULL, run
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from tests.ui.models import content_type, update
from tests.ui.site import EMAIL, PASSWORD, QUIRE, Site, serve, serve_site

# A busy machine needs longer than the five seconds that Playwright waits by itself.
expect.set_options(timeout=15_000)

# Headless Chromium alone takes a fifth less CPU than the whole browser without its window.
_INSTALLED = [Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")]
CHROMIUM = Path(
    os.environ.get("CHROMIUM") or next((one for one in _INSTALLED if one.exists()), _INSTALLED[0])
)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
SCREENSHOTS = os.environ.get("SCREENSHOTS")
_BUILT = Path(__file__).parents[2] / "src" / "quire" / "static" / "admin" / "index.html"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    lacking = [str(one) for one in (CHROMIUM, _BUILT) if not one.exists()]
    if lacking:
        reason = f"the admin UI is not tested in a browser: there is no {' and no '.join(lacking)}"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    with sync_playwright() as playwright:
        loop = asyncio.get_running_loop()
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        set_running_loop(None)
        _loops.append(loop)
        yield chromium
        set_running_loop(loop)
        chromium.close()


_loops: list[asyncio.AbstractEventLoop] = []


@pytest.fixture(autouse=True)
def _playwright_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let Playwright's event loop be the running one during a test of the UI alone.

    It stays marked as running in its thread between calls, where other tests run loops of their
    own.
    """
    if "browser" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("browser")
    set_running_loop(_loops[0])
    yield
    set_running_loop(None)


@pytest.fixture(scope="session")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The blog with an administrator, who is signed in on each page."""
    with serve_site(tmp_path_factory.mktemp("ui")) as served:
        served.register()
        yield served


@pytest.fixture(scope="module")
def studio(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A new project with authors, whose administrator is signed in on each page."""
    project = tmp_path_factory.mktemp("studio") / "new"
    run([QUIRE, "new", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with (project / "quire.toml").open("a") as settings:
        settings.write("\n[admin.rate_limit]\nenabled = false\n")
    with serve(project) as served:
        served.register()
        name = {"action": "create", "name": "name", "properties": {"type": "string"}}
        update(served, content_type("author", name, action="create"))
        yield served


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open pages on which nothing may go wrong unnoticed, at the address of a server."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # The browser notes every refused request; tests that make some look at the page.
        if message.type == "error" and "Failed to load resource" not in message.text:
            problems.append(message.text)

    def opened(address: str, **options: Any) -> Page:  # noqa: ANN401 - as Playwright has them
        settings = {
            "viewport": {"width": 1440, "height": 900},
            "color_scheme": "light",
            # What fades out is still on the page, half of it hidden, when the next step looks.
            "reduced_motion": "reduce",
            **options,
        }
        context = browser.new_context(base_url=address, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", note)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(site: Site, open_page: OpenPage) -> Page:
    """An empty page of the administrator, who is signed in."""
    return open_page(site.address, storage_state=site.session())


@pytest.fixture
def home(page: Page) -> Page:
    """The page that an administrator sees first."""
    page.goto("/admin")
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()
    return page


def sign_in(page: Page, email: str = EMAIL, password: str = PASSWORD) -> None:
    """Sign in by the form; where the form is not the subject, `Site.session` is faster."""
    page.goto("/admin/login")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()


@pytest.fixture
def builder(studio: Site, open_page: OpenPage) -> Page:
    page = open_page(
        studio.address, viewport={"width": 1280, "height": 800}, storage_state=studio.session()
    )
    page.goto("/admin")
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()
    return page
