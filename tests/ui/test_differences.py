"""Differences between two versions of an entry, field by field."""

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible
from tests.ui.conftest import go_on
from tests.ui.site import Site

SAMPLE = "api::sample.sample"
SAMPLES = f"/content-manager/collection-types/{SAMPLE}"


def test_parts_are_reported_as_added_removed_moved_and_changed(site: Site, page: Page) -> None:
    def parts(*labels: str) -> list[dict[str, str]]:
        return [{"label": label} for label in labels]

    values = {
        "name": "Told apart",
        "on": True,
        "pairs": parts("high", "low water", "slack", "neap"),
    }
    made = site.api("POST", SAMPLES, values)["data"]
    path = f"{SAMPLES}/{made['documentId']}"
    site.api("POST", f"{path}/actions/publish", {})
    site.api(
        "PUT",
        path,
        {"pairs": parts("neap", "high", "low tide", "slack"), "name": "Told apart again"},
    )
    go_on(page, f"/admin/content/{SAMPLE}/{made['documentId']}")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Changes since publication").click()
    moved = page.get_by_role("listitem").filter(
        has=page.get_by_role("img", name="Moved", exact=True)
    )
    expect(moved).to_contain_text("neap")
    changed = page.get_by_role("listitem").filter(
        has=page.get_by_role("img", name="Changed", exact=True)
    )
    expect(changed.get_by_role("insertion")).to_have_text("tide")
    expect(changed.get_by_role("deletion")).to_have_text("water")
    assert_accessible(page)
