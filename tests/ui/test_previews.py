"""Previews: their settings, and the site next to the form of an entry."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.pictures import take_picture
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone
from tests.ui.test_settings import save

SITE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ margin: 0; font: 17px/1.6 Georgia, serif; color: #1d2733; background: #fffdf8; }}
header {{ padding: 14px 24px; font-variant: small-caps; border-bottom: 1px solid #e4dccb; }}
hr {{ height: 120px; margin: 0; border: 0; background: #2f6f8f; }}
main {{ padding: 8px 24px 40px; max-width: 640px; margin: auto; }}
h1 {{ line-height: 1.2; }}
</style>
<header>The harbour journal</header>
<hr>
<main><h1>{title}</h1><p>{summary}</p></main>
</html>
"""
ARTICLE, TAG = "api::article.article", "api::tag.tag"
PATH = f"/content-manager/collection-types/{ARTICLE}"


def published_article(site: Site) -> dict[str, Any]:
    listed = site.api("GET", f"{PATH}?locale=en&status=published&pageSize=1")
    found: dict[str, Any] = listed["results"][0]
    return found


def discard(site: Site, entry: dict[str, Any]) -> None:
    site.api("POST", f"{PATH}/{entry['documentId']}/actions/discard?locale=en", {})


@pytest.fixture(autouse=True)
def _no_previews_left(site: Site) -> Iterator[None]:
    yield
    site.api("PUT", "/admin/x/previews", {"previews": {}})


def test_a_preview_url_is_set_and_its_page_shown_beside_the_form(site: Site, page: Page) -> None:
    go_on(page, "/admin/settings/previews")
    url = page.get_by_label("Article", exact=True)
    url.fill("javascript:alert(1)")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("must be an http or https URL")).to_be_visible()
    # The content API of the same server takes the part of a site.
    url.fill("/api/articles/{documentId}?locale={locale}&status={status}&fields=title")
    save(page)

    entry = published_article(site)
    go_on(page, f"/admin/content/{ARTICLE}/{entry['documentId']}?locale=en")
    tab = page.get_by_role("link", name="Open preview in a tab")
    path = f"/api/articles/{entry['documentId']}?locale=en&status=draft&fields=title"
    expect(tab).to_have_attribute("href", path)
    page.get_by_role("button", name="Preview beside the form").click()
    preview = page.get_by_role("region", name="Preview")
    shown = preview.frame_locator("iframe")
    expect(shown.get_by_text(entry["title"])).to_be_visible()
    preview.get_by_text("Phone").or_(preview.get_by_role("img", name="Phone")).first.click()
    expect(preview.locator("iframe")).to_have_css("width", "390px")
    assert_accessible_in_both_schemes(page)

    # It shows what is saved, as soon as that is.
    page.get_by_role("textbox", name="Title").first.fill("Fog over the islands")
    expect(shown.get_by_text("Fog over the islands")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(preview).to_be_hidden()
    expect(page.get_by_role("button", name="Preview beside the form")).to_be_hidden()
    assert_fits_phone(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    preview.get_by_role("button", name="Close the preview").click()
    expect(preview).to_have_count(0)
    discard(site, entry)


def test_the_version_that_is_published_is_shown_too(site: Site, page: Page) -> None:
    urls = {ARTICLE: "/api/articles/{documentId}?locale={locale}&status={status}&fields=title"}
    site.api("PUT", "/admin/x/previews", {"previews": urls})
    entry = published_article(site)
    document = entry["documentId"]
    site.api("PUT", f"{PATH}/{document}?locale=en", {"title": "High tide"})
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, f"/admin/content/{ARTICLE}/{document}?locale=en")
    page.get_by_role("button", name="Preview beside the form").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview.frame_locator("iframe").get_by_text("High tide")).to_be_visible()
    preview.get_by_text("Published", exact=True).click()
    expect(preview.frame_locator("iframe").get_by_text(entry["title"])).to_be_visible()
    discard(site, entry)


def test_a_page_of_the_site_is_shown_as_wide_as_a_phone(site: Site, page: Page) -> None:
    site.api("PUT", "/admin/x/previews", {"previews": {ARTICLE: "/stories/{slug}"}})
    entry = published_article(site)
    html = SITE.format(title=entry["title"], summary=entry["summary"])
    page.route(
        f"**/stories/{entry['slug']}",
        lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"),
    )
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, f"/admin/content/{ARTICLE}/{entry['documentId']}?locale=en")
    page.get_by_role("button", name="Preview beside the form").click()
    preview = page.get_by_role("region", name="Preview")
    preview.get_by_text("Phone").or_(preview.get_by_role("img", name="Phone")).first.click()
    shown = preview.frame_locator("iframe")
    expect(shown.get_by_role("heading", name=entry["title"])).to_be_visible()
    expect(preview.locator("iframe")).to_have_css("width", "390px")
    take_picture(page, "preview")


def test_other_origins_are_framed_once_the_project_allows_them(site: Site, page: Page) -> None:
    urls = {ARTICLE: "https://site.example/{slug}", TAG: "https://site.example/{documentId}"}
    site.api("PUT", "/admin/x/previews", {"previews": urls})
    go_on(page, "/admin/settings/previews")
    needed = """frame-src = ["'self'", "https://site.example"]"""
    expect(page.get_by_text(needed)).to_be_visible()
    go_on(page, f"/admin/content/{TAG}")
    page.get_by_role("table").get_by_role("link").first.click()
    page.get_by_role("button", name="Preview beside the form").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_text(needed)).to_be_visible()
    expect(preview.locator("iframe")).to_have_count(0)
    page.mouse.move(0, 0)  # lets the tip of the button go
    expect(page.get_by_role("tooltip")).to_have_count(0)
    assert_accessible_in_both_schemes(page)


def test_entries_without_a_slug_say_that_the_url_needs_one(site: Site, page: Page) -> None:
    site.api("PUT", "/admin/x/previews", {"previews": {"api::sample.sample": "/lab/{slug}"}})
    path = "/content-manager/collection-types/api::sample.sample"
    made = site.api("POST", f"{path}?locale=en", {"name": "Beaker", "on": True})
    document = made["data"]["documentId"]
    go_on(page, f"/admin/content/api::sample.sample/{document}?locale=en")
    page.get_by_role("button", name="Preview beside the form").click()
    expect(page.get_by_text("The preview URL needs slug")).to_be_visible()
    expect(page.get_by_role("link", name="Open preview in a tab")).to_have_count(0)
    site.api("DELETE", f"{path}/{document}")
