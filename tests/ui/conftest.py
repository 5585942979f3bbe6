"""Chromium and a server for it. Without Chromium these tests are skipped, but fail in CI."""

import asyncio
import os
from asyncio.events import _set_running_loop as set_running_loop
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import (
    Browser,
    Page,
    StorageState,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.ui.models import content_type, update
from tests.ui.site import EMAIL, PASSWORD, Site, serve_empty, serve_site
from tests.ui.tabs import ARRIVED, WIDE, Tab, Tabs

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
    # No page lives long enough for its scripts to be worth optimizing.
    "--js-flags=--no-opt --no-maglev",
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
    unlimited = "\n[admin.rate_limit]\nenabled = false\n"
    with serve_empty(tmp_path_factory.mktemp("studio"), unlimited) as served:
        served.register()
        name = {"action": "create", "name": "name", "properties": {"type": "string"}}
        update(served, content_type("author", name, action="create"))
        yield served


OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Tabs:
    """The pages of this run, which its tests use one after the other."""
    return Tabs(browser)


@pytest.fixture
def open_page(tabs: Tabs) -> Iterator[OpenPage]:
    """Open pages on which nothing may go wrong unnoticed, at the address of a server.

    A test that leaves something behind in the page, such as a listener or a clock, or that needs
    another locale, takes one of its ``own``. A page that is ``shown_to`` an administrator has the
    UI already, without any screen: tests go on to one.
    """
    taken: list[tuple[Tab, bool]] = []

    def opened(
        site: Site | str,
        *,
        shown_to: str | None = None,
        storage_state: StorageState | None = None,
        viewport: ViewportSize = WIDE,
        color_scheme: Literal["light", "dark"] = "light",
        locale: str | None = None,
        own: bool = False,
    ) -> Page:
        own = own or locale is not None
        address = site if isinstance(site, str) else site.address
        tab = tabs.take(address, own=own, locale=locale)
        taken.append((tab, own))
        if isinstance(site, Site) and shown_to is not None:
            return tab.begin_signed_in(site, shown_to, viewport)
        return tab.begin(storage_state, viewport, color_scheme)

    yield opened
    problems = [problem for tab, _ in taken for problem in tab.problems]
    for tab, own in taken:
        tabs.give_back(tab, own=own)
    assert problems == []


@pytest.fixture
def page(site: Site, open_page: OpenPage) -> Page:
    """A page that shows the UI to the administrator, for tests that go on to a screen."""
    return open_page(site, shown_to=EMAIL)


@pytest.fixture
def own_page(site: Site, open_page: OpenPage) -> Page:
    """An empty page of the administrator, for a test that leaves something behind in the page."""
    return open_page(site.address, storage_state=site.session(), own=True)


@pytest.fixture
def home(page: Page) -> Page:
    """The page that an administrator sees first."""
    go_on(page, "/admin")
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()
    return page


def sign_in(page: Page, email: str = EMAIL, password: str = PASSWORD) -> None:
    """Sign in by the form; where the form is not the subject, `Site.session` is faster."""
    page.goto("/admin/login")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()


def go_on(page: Page, path: str) -> None:
    """Go to another screen as by a link, for a third of what it takes to load the UI again.

    The screen is there with what it has asked the server for.
    """
    page.evaluate("(path) => history.pushState({}, '', path)", path)
    page.wait_for_function(ARRIVED)
    page.get_by_role("heading", level=1).first.wait_for()
    expect(page.locator("[aria-busy=true], .mantine-Loader-root")).to_have_count(0)


@pytest.fixture
def builder(studio: Site, open_page: OpenPage) -> Page:
    """An empty page of the administrator of the studio, who is signed in."""
    return open_page(
        studio.address, viewport={"width": 1280, "height": 800}, storage_state=studio.session()
    )
