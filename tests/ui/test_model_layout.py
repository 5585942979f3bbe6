"""The Layout tab of types and components."""

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.models import content_type, update
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone, expect_lifted_over

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
    assert_fits_phone(page)


def test_fields_are_ordered_and_resized_with_the_mouse(studio: Site, builder: Page) -> None:
    page = builder
    fields = [
        {"action": "create", "name": name, "properties": {"type": "string"}}
        for name in ("bow", "mast", "stern")
    ]
    update(studio, content_type("ship", *fields, action="create"))
    page.goto("/admin/model/api::ship.ship?tab=layout")
    form = page.locator(".quire-grid")
    bow, stern = (form.get_by_role("button", name=f"Move {name}") for name in ("bow", "stern"))
    start, end = bow.bounding_box(), stern.bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(end["x"] + 5, end["y"] + 5)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] - 10, steps=4)
    page.mouse.move(start["x"] + 5, start["y"] + 5, steps=8)
    expect_lifted_over(page, 1)
    page.mouse.up()
    edge = page.get_by_role("button", name="Width of bow").bounding_box()
    grid = form.bounding_box()
    assert edge is not None
    assert grid is not None
    page.mouse.move(edge["x"] + 2, edge["y"] + 5)
    page.mouse.down()
    page.mouse.move(edge["x"] + 2 - grid["width"] / 6, edge["y"] + 5, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Layout saved")).to_be_visible()
    shown = studio.api("GET", "/content-manager/content-types/api::ship.ship/configuration")
    rows = shown["data"]["contentType"]["layouts"]["edit"]
    cells = [(one["name"], one["size"]) for row in rows for one in row]
    assert cells == [("stern", 6), ("bow", 4), ("mast", 6)]


def test_removed_values_are_restored_after_a_later_change(studio: Site, builder: Page) -> None:
    page = builder
    name = {"action": "create", "name": "name", "properties": {"type": "string"}}
    depth = {"action": "create", "name": "depth", "properties": {"type": "integer"}}
    update(studio, content_type("pond", name, depth, action="create"))
    entries = "/content-manager/collection-types/api::pond.pond"
    studio.api("POST", entries, {"name": "Mill pond", "depth": 3})
    update(studio, content_type("pond", {"action": "delete", "name": "depth"}))
    # A later change, after which nothing is undone any more; the field is there again.
    update(studio, content_type("pond", {**name, "name": "owner"}))
    update(studio, content_type("pond", depth))
    assert studio.api("GET", entries)["results"][0]["depth"] is None
    page.goto("/admin/model/archive")
    removed = page.get_by_role("row").filter(has_text="pond")
    removed.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("One row restored").or_(page.get_by_text("1 row"))).to_be_visible()
    assert studio.api("GET", entries)["results"][0]["depth"] == 3
