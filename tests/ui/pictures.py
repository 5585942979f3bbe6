"""Screenshots of the documentation, taken by the tests.

`make pictures` takes them again; without it, nothing is written.
"""

import os
from pathlib import Path

from playwright.sync_api import Page

IMAGES = Path(__file__).parents[2] / "docs" / "images"
_LARGEST = 150_000


def take_picture(page: Page, name: str) -> None:
    """Write what the page shows to ``docs/images/<name>.png``, if ``PICTURES`` is set.

    The page should be 1280 x 800 pixels, as all of them are.
    """
    if not os.environ.get("PICTURES"):
        return
    IMAGES.mkdir(exist_ok=True)
    file = IMAGES / f"{name}.png"
    page.evaluate("document.activeElement?.blur()")
    page.emulate_media(color_scheme="light")
    page.screenshot(path=file, animations="disabled", caret="hide")
    assert file.stat().st_size <= _LARGEST, f"{file.name} is too large for the documentation"
