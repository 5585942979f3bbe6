"""Checks pages by the accessibility rules of axe, in their color scheme."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """async (rules) => {
  const preload = { assets: ['media'] }  // no rule that is on looks at style sheets
  const found = await axe.run(document, { resultTypes: ['violations'], preload, ...rules })
  return found.violations.map((one) =>
    `${one.id}: ${one.help}\\n` + one.nodes.slice(0, 5).map((node) => `  ${node.html}`).join('\\n'))
}"""
# What opens beside its control needs no landmark, as axe has it for dialogs.
_CONFIGURE = """axe.configure({ checks: [{ id: 'region', options: {
  regionMatcher: 'dialog, [role=dialog], [role=alertdialog], svg, [role=menu], [role=listbox], '
    + '[role=tooltip]',
} }] })"""
SETTLE = """async () => {
  await new Promise(requestAnimationFrame)
  const running = document.getAnimations()
  const ending = running.filter((one) => one.effect?.getComputedTiming().endTime < Infinity)
  const late = new Promise((resolve) => setTimeout(resolve, 2000))
  await Promise.race([Promise.allSettled(ending.map((one) => one.finished)), late])
}"""
"""A script that waits until the colors of a scheme have faded in."""


def assert_accessible(page: Page) -> None:
    """Assert that axe finds nothing to object to."""
    _assert_no_violations(page, {})


def assert_accessible_in_both_schemes(page: Page) -> None:
    """Assert the same of the scheme that a page has, and of the colors of the other, which it gets.

    Nothing but colors differs between them, and their rules take a third of the time of all.
    """
    assert_accessible(page)
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    _emulate(page, "light" if is_dark else "dark")
    _assert_no_violations(page, {"runOnly": ["color-contrast", "link-in-text-block"]})


def _emulate(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Change the scheme that the browser prefers, and wait until the page has it."""
    page.emulate_media(color_scheme=scheme)
    if page.locator("[data-mantine-color-scheme]").count():
        page.locator(f"[data-mantine-color-scheme={scheme}]").wait_for(state="attached")


def _assert_no_violations(page: Page, rules: Mapping[str, Sequence[str]]) -> None:
    if not AXE.is_file():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(
            "accessibility is not checked: `npm ci` in ui/ installs axe-core"
        )
    found = violations(page, rules)
    assert not found, "\n".join(found)


def violations(page: Page, rules: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """Return what axe objects to in what the page shows, by all of its rules if not by some."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text())
        page.evaluate(_CONFIGURE)
    page.evaluate(SETTLE)  # colors that fade are in between
    found: list[str] = page.evaluate(_RUN, rules or {})
    return found
