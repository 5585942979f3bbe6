"""The UI viewed as another role."""

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone

TAGS = "/content-manager/collection-types/api::tag.tag"


def test_a_role_is_viewed_without_changing_anything(site: Site, page: Page) -> None:
    tag = site.api("POST", TAGS, {"label": "Viewed", "slug": "viewed"})["data"]
    go_on(page, "/admin/settings/roles/2")
    page.get_by_label("Description").fill("Changed")
    view = page.get_by_role("button", name="View as this role")
    view.hover()
    expect(page.get_by_text("Save your changes first.")).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="Settings", exact=True)).to_be_visible()
    view.click()
    banner = page.get_by_role("status").filter(has_text="You view the UI as Editor.")
    expect(banner).to_contain_text("nothing can be changed")
    expect(page.get_by_role("link", name="Settings", exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name="Activity")).to_have_count(0)
    expect(page.get_by_role("link", name="Model", exact=True)).to_have_count(0)

    page.get_by_role("main").get_by_role("link", name="Viewed").first.click()
    page.get_by_role("textbox", name="Label").fill("Written")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(
        page.get_by_text("Nothing is changed while you view the UI as Editor").first
    ).to_be_visible()
    assert_accessible_in_both_schemes(page)
    assert_fits_phone(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert site.api("GET", f"{TAGS}/{tag['documentId']}")["data"]["label"] == "Viewed"

    banner.get_by_role("button", name="Stop").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Leave", exact=True).click()
    expect(page.get_by_role("heading", name="Editor")).to_be_visible()
    expect(banner).to_have_count(0)
    expect(page.get_by_role("link", name="Settings", exact=True)).to_be_visible()
    site.api("DELETE", f"{TAGS}/{tag['documentId']}")
