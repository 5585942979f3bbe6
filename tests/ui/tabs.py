"""Browser pages that tests reuse, at half the cost of new pages.

The process of a page keeps the scripts of the UI compiled, and its context keeps the files. Nothing
else stays: storage, cookies, routes and emulation are those of a new page each time.
"""

from typing import Literal

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    StorageState,
    ViewportSize,
)

from tests.ui.site import Site

WIDE: ViewportSize = {"width": 1440, "height": 900}
ARRIVED = """() => {
  const { status, location, resolvedLocation } = __TSR_ROUTER__.state
  return status === 'idle' && location.href === resolvedLocation.href
}"""
"""Whether the UI is at the screen of its address."""

_NOWHERE = "/admin/nowhere"
"""An address of the UI without a screen, where it asks the server for nothing."""
_CLEAR = """(stored) => {
  sessionStorage.clear()
  localStorage.clear()
  for (const { name, value } of stored) localStorage.setItem(name, value)
}"""
_FORGET_RESPONSES = """() => {
  const find = (fiber) =>
    fiber && (fiber.memoizedProps?.client ?? find(fiber.child) ?? find(fiber.sibling))
  const root = document.getElementById('root')
  const container = Object.keys(root).find((key) => key.startsWith('__reactContainer'))
  find(root[container].stateNode.current).clear()
}"""
"""The query client of the UI is a property of a component."""
_WITHOUT_IDLE_CALLBACKS = "delete window.requestIdleCallback"
"""Lets the UI load the code of a screen when it is opened, as in Safari.

Elsewhere each page loads the code of most screens while it is idle; a test's own page does so.
"""


class Tab:
    """A page in a separate context, at the address of a server."""

    def __init__(
        self, browser: Browser, address: str, locale: str | None = None, *, own: bool = False
    ) -> None:
        self.address = address
        self.problems: list[str] = []
        """What went wrong on the page that its test would not notice otherwise."""
        # What fades out is still on the page, half of it hidden, when the next step looks; and what
        # pulses is drawn sixty times in a second.
        self.context = browser.new_context(
            base_url=address, locale=locale, reduced_motion="reduce", viewport=WIDE
        )
        if not own:
            self.context.add_init_script(_WITHOUT_IDLE_CALLBACKS)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._note)
        # A small document of the server, whose storage can be set before the UI starts.
        self.page.goto("/_ready")

    def begin(
        self,
        storage: StorageState | None,
        viewport: ViewportSize,
        color_scheme: Literal["light", "dark"],
    ) -> Page:
        """Let the page be as a new one with such a storage."""
        origins = storage.get("origins", []) if storage else []
        self.page.evaluate(_CLEAR, [item for one in origins for item in one["localStorage"]])
        if storage:
            self.context.add_cookies([{**cookie} for cookie in storage.get("cookies", [])])  # type: ignore[typeddict-item]
        # Where the pointer was left, a tip of what is shown there next would open.
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
        self.problems.clear()
        return self.page

    def begin_signed_in(self, site: Site, user: str, viewport: ViewportSize) -> Page:
        """Let the page show the UI to an administrator, without any screen."""
        self.begin(site.session(user), viewport, "light")
        self.page.goto(_NOWHERE)
        self.page.get_by_role("heading", level=1).wait_for()
        return self.page

    def end(self) -> bool:
        """Leave what the test has opened; returns whether another test can begin here."""
        try:
            for other in self.context.pages:
                if other != self.page:
                    other.close()
            self.context.set_offline(offline=False)
            self.page.unroute_all(behavior="ignoreErrors")
            self.page.goto("/_ready")
            self.context.clear_cookies()
        except Error:  # the test has closed the page, or its server has ended
            self.context.close()
            return False
        return True

    def _note(self, message: ConsoleMessage) -> None:
        # The browser notes every refused request; tests that make some look at the page.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(message.text)


def forget(page: Page) -> None:
    """Leave the screen, and forget all responses of the server, as when the UI is loaded again."""
    page.evaluate("(path) => history.pushState({}, '', path)", _NOWHERE)
    page.wait_for_function(ARRIVED)
    page.evaluate(_FORGET_RESPONSES)


class Tabs:
    """The pages of a browser, of which those that no test uses wait for the next one."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[str, list[Tab]] = {}

    def take(self, address: str, *, own: bool = False, locale: str | None = None) -> Tab:
        """Return a page at the address of a server: a new one if it shall be the test's own."""
        if own or locale is not None:
            return Tab(self._browser, address, locale, own=True)
        idle = self._idle.setdefault(address, [])
        return idle.pop() if idle else Tab(self._browser, address)

    def give_back(self, tab: Tab, *, own: bool) -> None:
        """Let the next test have a page, unless it was a test's own."""
        if own:
            tab.context.close()
        elif tab.end():
            self._idle[tab.address].append(tab)
