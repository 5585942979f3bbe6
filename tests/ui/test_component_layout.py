"""The Layout tab of components."""

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.models import update
from tests.ui.site import Site

SHOTS = os.environ.get("SHOTS")
VIEW = "/content-manager/components/shared.card/configuration"


def test_the_form_of_a_component_is_laid_out(studio: Site, builder: Page) -> None:
    page = builder
    names = ("head", "text")
    attributes = [
        {"action": "create", "name": name, "properties": {"type": "string"}} for name in names
    ]
    component = {
        "action": "create",
        "uid": "shared.card",
        "category": "shared",
        "displayName": "Card",
        "attributes": attributes,
    }
    update(studio, components=(component,))
    page.goto("/admin/model/shared.card?tab=layout")
    page.get_by_role("button", name="Width of text").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Field text", exact=True).click()
    page.get_by_label("Label").fill("Words")
    page.get_by_role("combobox", name="Title of the component").click()
    page.get_by_role("option", name="text", exact=True).click()
    assert_accessible_in_both_schemes(page)
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / "component-layout.png")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Layout saved")).to_be_visible()
    view = studio.api("GET", VIEW)["data"]["component"]
    assert view["layouts"]["edit"][-1][-1] == {"name": "text", "size": 5}
    assert view["metadatas"]["text"]["edit"]["label"] == "Words"
    assert view["settings"]["mainField"] == "text"
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
