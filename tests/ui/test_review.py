"""Review workflows: created in the settings, and used for entries."""

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible, assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.test_lists import LIST, SAMPLE, SAMPLES, make_samples

WORKFLOWS = "/admin/x/review/workflows"


def test_an_entry_passes_a_workflow_before_it_is_published(site: Site, page: Page) -> None:
    first, _ = make_samples(site, "Reviewed", 2)
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, "/admin/settings/review-workflows")
    page.get_by_role("button", name="Create workflow").first.click()
    dialog = page.get_by_role("dialog", name="Create workflow")
    dialog.get_by_label("Name").first.fill("Editorial")
    dialog.get_by_label("Content types").first.click()
    page.get_by_role("option", name="sample", exact=True).click()
    dialog.get_by_label("Name").first.click()
    expect(dialog.get_by_role("radio", name="Approved")).to_be_checked()
    assert_accessible(page)
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row", name="Editorial")).to_contain_text("In review")
    assert_accessible_in_both_schemes(page)

    try:
        _pass(site, page, first)
    finally:
        for one in site.api("GET", WORKFLOWS)["data"]:
            site.api("DELETE", f"{WORKFLOWS}/{one['id']}")


def _pass(site: Site, page: Page, document_id: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    go_on(page, f"/admin/content/{SAMPLE}/{document_id}")
    review = page.get_by_role("region", name="Review")
    expect(review).to_contain_text("It is published in Approved only.")
    publish = page.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_be_disabled()
    publish.hover()
    expect(page.get_by_role("tooltip")).to_have_text("It is published in Approved only.")
    review.get_by_role("combobox", name="Stage").or_(
        review.get_by_role("textbox", name="Stage")
    ).first.click()
    page.get_by_role("option", name="Approved").click()
    expect(review).not_to_contain_text("It is published in Approved only.")
    review.get_by_role("combobox", name="Assignee").or_(
        review.get_by_role("textbox", name="Assignee")
    ).first.click()
    page.get_by_role("option", name="Ada Lovelace").click()
    expect(review.get_by_label("Assignee").first).to_have_value("Ada Lovelace")
    expect(page.get_by_role("listbox")).to_be_hidden()
    assert_accessible_in_both_schemes(page)
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Published", exact=True).first).to_be_visible()
    published = site.api("GET", f"{SAMPLES}?_q=Reviewed&status=published")["results"]
    assert [one["name"] for one in published] == ["Reviewed 000"]

    go_on(page, f"{LIST}?q=Reviewed")
    expect(page.get_by_text("2 entries")).to_be_visible()
    page.get_by_role("combobox", name="Stage").or_(
        page.get_by_role("textbox", name="Stage")
    ).first.click()
    page.get_by_role("option", name="Draft", exact=True).click()
    expect(page.get_by_text("One entry")).to_be_visible()
    expect(page.get_by_role("link", name="Reviewed 001")).to_be_visible()
