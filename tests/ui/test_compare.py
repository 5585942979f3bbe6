"""Comparing a draft with another version: translating, and copying values."""

import re

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible, assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.pictures import take_picture
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone, expect_saved

ARTICLES = "/content-manager/collection-types/api::article.article"
ENTRY = "/admin/content/api::article.article"


def find_article(site: Site, title: str) -> dict[str, object]:
    found = site.api("GET", f"{ARTICLES}?locale=en&_q={title.replace(' ', '%20')}")["results"]
    return next(one for one in found if one["title"] == title)


def test_an_entry_is_translated_beside_its_source(site: Site, page: Page) -> None:
    article = find_article(site, "After the Keepers Left")
    go_on(page, f"{ENTRY}/{article['documentId']}?locale=de")
    page.get_by_role("button", name="Copy from English").click()
    title = page.get_by_role("textbox", name="Title").first
    expect(title).to_have_value("After the Keepers Left")
    # The button of the message above the form goes with the first save, which begins by itself.
    page.get_by_role("button", name="Side by side (Ctrl \\)").click()
    bar = page.get_by_role("region", name="Side by side")
    expect(bar).to_contain_text("fields translated")
    expect(page).to_have_url(re.compile("locale=de&compare=en"))
    title.fill("Als die Wärter gingen")
    expect(page.get_by_role("textbox", name="Title").nth(1)).to_have_value("After the Keepers Left")
    bar.get_by_role("switch", name="Differences").click()
    expect(page.get_by_role("deletion").first).to_be_visible()
    page.get_by_role("button", name="Copy Title").click()
    expect(title).to_have_value("After the Keepers Left")
    page.keyboard.press("Control+z")
    expect(title).to_have_value("Als die Wärter gingen")
    bar.get_by_role("switch", name="Differences").click()
    page.get_by_role("textbox", name="Slug").first.fill("als-die-waerter-gingen")
    page.keyboard.press("Control+s")
    expect_saved(page)
    path = f"{ARTICLES}/{article['documentId']}"
    german = site.api("GET", f"{path}?locale=de")["data"]
    english = site.api("GET", f"{path}?locale=en")["data"]
    assert german["title"] == "Als die Wärter gingen"
    assert german["body"] == english["body"]
    assert german["tags"]["count"] == english["tags"]["count"] > 0


def test_what_has_changed_since_publication_is_put_back_field_by_field(
    site: Site, page: Page
) -> None:
    article = find_article(site, "Dead Reckoning")
    path = f"{ARTICLES}/{article['documentId']}"
    published = site.api("GET", f"{path}?locale=en&status=published")["data"]
    body = {"title": "Dead Reckoning, Twice", "readingTime": 77, "tags": {"set": []}}
    site.api("PUT", f"{path}?locale=en", body)
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, f"{ENTRY}/{article['documentId']}?locale=en")
    page.get_by_role("textbox", name="Title").first.wait_for()
    page.keyboard.press("Control+\\")
    bar = page.get_by_role("region", name="Side by side")
    expect(bar).to_be_visible()
    expect(page.get_by_role("insertion").first).to_be_visible()
    take_picture(page, "compare")
    for field in ("Title", "Reading time", "Tags"):
        page.get_by_role("button", name=f"Use the published value of {field}").click()
    page.keyboard.press("Control+s")
    expect_saved(page)
    again = site.api("GET", f"{path}?locale=en")["data"]
    for name in ("title", "readingTime", "tags"):
        assert again[name] == published[name], name
    page.get_by_role("button", name="Close the comparison").click()
    expect(bar).to_be_hidden()


def test_two_versions_are_accessible_on_wide_and_narrow_screens(site: Site, page: Page) -> None:
    article = find_article(site, "A Lens Made of Prisms")
    go_on(page, f"{ENTRY}/{article['documentId']}?locale=en&compare=de")
    expect(page.get_by_role("textbox", name="Title").nth(1)).to_be_visible()
    assert_accessible_in_both_schemes(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert_accessible(page)
    assert_fits_phone(page)
