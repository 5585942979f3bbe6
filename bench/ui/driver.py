"""A browser driver that counts clicks, key presses, and seconds."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Position, sync_playwright

_INSTALLED = [Path("/usr/bin/chromium"), Path("/usr/bin/chromium-headless-shell")]
CHROMIUM = Path(
    os.environ.get("CHROMIUM") or next((one for one in _INSTALLED if one.exists()), _INSTALLED[0])
)
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
_TIMEOUT_MS = 20_000
_RESULT_TIMEOUT_MS = 60_000
_DRAG_STEPS = 8
_TEXT_START: Position = {"x": 14, "y": 12}


@dataclass(frozen=True, slots=True)
class Effort:
    """What one task took in one UI."""

    clicks: int
    keys: int
    seconds: float


class Driver:
    """A signed-in page, and what has been done on it since the task's first screen had settled.

    Only the methods that a person's hands stand for count: `click`, `press`, `type`, `drop` and
    `choose`. Each character that is typed is a key press; a drag is one click. Seconds run from
    the first of them to the last `see`.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._clicks = self._keys = 0
        self._first: float | None = None
        self._last = 0.0

    @property
    def effort(self) -> Effort:
        """What has been done since `start`."""
        return Effort(self._clicks, self._keys, self._last - (self._first or self._last))

    def start(self, path: str, settled: Locator) -> None:
        """Open the screen that a task begins on, wait until it has settled, and count from 0."""
        self.page.goto(path)
        settled.first.wait_for()
        self.page.wait_for_load_state("networkidle")
        self._clicks = self._keys = 0
        self._first = None

    def click(self, target: Locator, *, at_start: bool = False) -> None:
        """Click once, in the middle or where the text begins."""
        self._begin()
        self._clicks += 1
        if at_start:
            target.click(position=_TEXT_START)
        else:
            target.click()

    def press(self, key: str) -> None:
        """Press a key, or several at once such as ``Control+a``."""
        self._begin()
        self._keys += 1
        self.page.keyboard.press(key)

    def type(self, words: str) -> None:
        """Type into whatever has the focus."""
        self._begin()
        self._keys += len(words)
        self.page.keyboard.type(words)

    def fill(self, target: Locator, words: str) -> None:
        """Click an empty field and type into it."""
        self.click(target)
        self.type(words)

    def replace(self, target: Locator, words: str) -> None:
        """Click a field, select what is in it and type over it."""
        self.click(target)
        self.press("Control+a")
        self.type(words)

    def drop(self, source: Locator, target: Locator, *, below: bool = False) -> None:
        """Drag one thing onto the upper edge of another one, or onto its lower edge."""
        self._begin()
        self._clicks += 1
        source.scroll_into_view_if_needed()
        start, end = source.bounding_box(), target.bounding_box()
        if start is None or end is None:
            raise LookupError("what is dragged, or where to, is not on the page")
        mouse = self.page.mouse
        x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
        target_y = end["y"] + (end["height"] - 3 if below else 3)
        mouse.move(x, y)
        mouse.down()
        for step in range(1, _DRAG_STEPS + 1):
            mouse.move(x, y + (target_y - y) * step / _DRAG_STEPS)
        # Both UIs take notice of where the pointer is by the next frame.
        self.page.wait_for_timeout(50)
        mouse.up()
        # Libraries take a click that comes at once for a part of the drag; no hand is as fast.
        self.page.wait_for_timeout(100)

    def choose(self, target: Locator, files: Sequence[Path]) -> None:
        """Click what opens the dialog of the operating system, and choose files in it."""
        with self.page.expect_file_chooser() as chooser:
            self.click(target)
        chooser.value.set_files(list(files))

    def see(self, target: Locator, *, gone: bool = False) -> None:
        """Wait for a result, or until something is gone; the time of the last one counts."""
        target.first.wait_for(state="hidden" if gone else "visible", timeout=_RESULT_TIMEOUT_MS)
        self._last = time.perf_counter()

    def _begin(self) -> None:
        if self._first is None:
            self._first = time.perf_counter()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Debian's Chromium, and end it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def new_page(browser: Browser, address: str) -> Page:
    """Open a page of the size of a small laptop in a separate context."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": 1440, "height": 900},
        color_scheme="light",
        locale="en-US",
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(_TIMEOUT_MS)
    return page
