"""Pages held against the rules of accessibility that axe knows, in the scheme that they are in."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """async () => {
  const found = await axe.run(document, { resultTypes: ['violations'] })
  return found.violations.map((one) =>
    `${one.id}: ${one.help}\\n` + one.nodes.slice(0, 5).map((node) => `  ${node.html}`).join('\\n'))
}"""
SETTLE = """async () => {
  await new Promise(requestAnimationFrame)
  await Promise.allSettled(document.getAnimations().map((one) => one.finished))
}"""
"""A script that waits until the colors of a scheme have faded in."""


def assert_accessible(page: Page) -> None:
    """Assert that axe finds nothing to object to."""
    if not AXE.is_file():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(
            "accessibility is not checked: `npm ci` in ui/ installs axe-core"
        )
    page.evaluate(AXE.read_text())
    found = page.evaluate(_RUN)
    assert not found, "\n".join(found)
