"""Steps that tests of several screens share; each waits for its result."""

import re

from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.ui.accessibility import SETTLE

PHONE: ViewportSize = {"width": 390, "height": 844}
_AFTER_TIMERS = "() => new Promise((done) => setTimeout(done))"


def expect_saved(form: Page | Locator) -> None:
    """Wait until all that was typed into the form of an entry is stored."""
    expect(form.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()


def assert_fits_phone(page: Page) -> None:
    """Assert that a screen is no wider than the window of a phone."""
    page.set_viewport_size(PHONE)
    page.evaluate(SETTLE)
    page.wait_for_function(f"document.documentElement.scrollWidth <= {PHONE['width']}")


def move_with_keys(page: Page, handle: Locator, key: str, to: int) -> None:
    """Lift an item of a list by its handle, move it by an arrow key, and drop it there."""
    handle.focus()
    page.keyboard.press("Space")
    expect_lifted_over(page, r"\d+")
    # The list listens to the arrow keys once the timers have run that it has set by then.
    page.evaluate(_AFTER_TIMERS)
    page.keyboard.press(key)
    expect_lifted_over(page, to)
    page.keyboard.press("Space")
    expect(_announcements(page, rf"^Dropped at {to}$")).not_to_have_count(0)


def expect_lifted_over(page: Page, place: int | str) -> None:
    """Wait until a lifted item is over a place of its list, where it can be dropped."""
    expect(_announcements(page, rf"^At {place} of \d+$")).not_to_have_count(0)


def _announcements(page: Page, pattern: str) -> Locator:
    return page.locator("[id^=DndLiveRegion]").filter(has_text=re.compile(pattern))
