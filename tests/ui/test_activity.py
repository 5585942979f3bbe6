import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone


def test_the_audit_log_is_filtered_and_exported(site: Site, home: Page) -> None:
    page = home
    tag = "/content-manager/collection-types/api::tag.tag"
    made = site.api("POST", tag, {"label": "Noted", "slug": "noted"})["data"]
    site.api("DELETE", f"{tag}/{made['documentId']}")
    page.get_by_role("link", name="Activity").click()
    page.get_by_role("combobox", name="Content type").click()
    page.get_by_role("option", name="Tag", exact=True).click()
    rows = page.get_by_role("table").get_by_role("row")
    page.get_by_role("button", name="View: DELETE").first.wait_for()
    expect(rows.filter(has_not_text="api::tag.tag")).to_have_count(1)  # the names of the columns
    page.get_by_role("combobox", name="Action").fill(
        "DELETE /content-manager/collection-types/:uid/:id"
    )
    page.get_by_role("combobox", name="Who").fill("ada@example.org")
    page.keyboard.press("Escape")
    expect(rows.filter(has_text="POST")).to_have_count(0)
    page.get_by_role("button", name="View: DELETE").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(made["documentId"])
    dialog.get_by_role("button", name="Close").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert all(json.loads(line)["target"].startswith("api::tag.tag/") for line in lines)
    assert lines
    page.get_by_role("combobox", name="From").fill("2999-01-01")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing matches these filters")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(rows.filter(has_text="POST /admin/login").first).to_be_visible()
    assert_accessible_in_both_schemes(page)
    assert_fits_phone(page)


def test_activity_is_for_super_admins(site: Site, open_page: OpenPage) -> None:
    site.add_person("quiet@example.org", "Emmy", 2)
    page = open_page(site.address, storage_state=site.session("quiet@example.org"))
    page.goto("/admin")
    expect(page.get_by_role("link", name="API explorer")).to_be_visible()
    expect(page.get_by_role("link", name="Activity")).to_have_count(0)
    go_on(page, "/admin/activity")
    expect(page.get_by_text("Your role may see neither the audit log")).to_be_visible()
