"""Text of entries in the direction of their locale."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.site import Site

ARTICLE = "api::article.article"
ARTICLES = f"/content-manager/collection-types/{ARTICLE}"
SAMPLE = "api::sample.sample"


@pytest.fixture(scope="module", autouse=True)
def _arabic(site: Site) -> Iterator[None]:
    made = site.api("POST", "/i18n/locales", {"name": "Arabic", "code": "ar", "isDefault": False})
    yield
    site.api("DELETE", f"/i18n/locales/{made['id']}")


def direction(element: Locator) -> str:
    return str(element.evaluate("one => getComputedStyle(one).direction"))


def test_inputs_and_cells_follow_the_locale_of_the_entry(site: Site, page: Page) -> None:
    body = [{"type": "paragraph", "children": [{"type": "text", "text": "مد وجزر"}]}]
    values = {"title": "جداول المد والجزر", "body": body}
    made = site.api("POST", f"{ARTICLES}?locale=ar", values)["data"]
    go_on(page, f"/admin/content/{ARTICLE}/{made['documentId']}?locale=ar")
    title = page.get_by_role("textbox", name="Title").first
    expect(title).to_have_attribute("lang", "ar")
    blocks = page.get_by_role("textbox", name="Body")
    assert (direction(title), direction(blocks)) == ("rtl", "rtl")
    handle = page.get_by_role("button", name="Move or change")
    handle.focus()
    checkbox_box, text = handle.bounding_box(), blocks.get_by_text("مد وجزر").bounding_box()
    assert checkbox_box is not None
    assert text is not None
    assert checkbox_box["x"] >= text["x"] + text["width"]
    # Of the UI nothing is turned round.
    assert direction(page.get_by_role("main")) == "ltr"
    assert_accessible_in_both_schemes(page)

    go_on(page, f"/admin/content/{ARTICLE}?locale=ar")
    cell = page.get_by_role("cell").filter(has_text="جداول").locator(".quire-ellipsis")
    assert direction(cell) == "rtl"


def test_other_text_has_the_direction_of_its_letters(site: Site, page: Page) -> None:
    go_on(page, f"/admin/content/{SAMPLE}/create?locale=en")
    name = page.get_by_role("textbox", name="Name")
    expect(name).to_have_attribute("lang", "en")
    # Each paragraph has the direction of its first letter.
    for field in (name, page.get_by_role("textbox", name="Markdown")):
        assert field.evaluate("one => getComputedStyle(one).unicodeBidi") == "plaintext"
    sample = {"name": "שפל Shefel", "on": True}
    site.api("POST", f"/content-manager/collection-types/{SAMPLE}?locale=en", sample)
    go_on(page, f"/admin/content/{SAMPLE}?locale=en&q=Shefel")
    cell = page.get_by_role("cell").filter(has_text="Shefel").locator(".quire-ellipsis")
    assert direction(cell) == "rtl"
    assert cell.evaluate("one => getComputedStyle(one).textAlign") == "left"
