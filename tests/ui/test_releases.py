"""Releases: entries are collected, checked, published together and restored."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible, assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.pictures import take_picture
from tests.ui.site import Site
from tests.ui.steps import PHONE, assert_fits_phone
from tests.ui.test_lists import LIST, SAMPLE, SAMPLES, make_samples

RELEASES = "/admin/x/releases"


@pytest.fixture(autouse=True)
def _no_releases_left(site: Site) -> Iterator[None]:
    """Entries are offered to be added to each release that is there."""
    yield
    for one in site.api("GET", RELEASES)["data"]:
        site.api("DELETE", f"{RELEASES}/{one['id']}")


def published(site: Site, word: str) -> list[str]:
    found = site.api("GET", f"{SAMPLES}?_q={word}&status=published&sort=name:asc")["results"]
    return [one["name"] for one in found]


def test_entries_are_released_together_and_restored(site: Site, page: Page) -> None:
    make_samples(site, "Autumn", 2)
    (broken,) = make_samples(site, "Autumn broken", 1, on=None)
    page.set_viewport_size({"width": 1280, "height": 800})

    # Two from a list, into a new release.
    go_on(page, f"{LIST}?q=Autumn")
    for number in ("000", "001"):
        page.get_by_role("checkbox", name=f"Select Autumn {number}").check()
    page.get_by_role("button", name="Add to a release").click()
    dialog = page.get_by_role("dialog", name="Add to a release")
    expect(dialog.get_by_label("Name")).to_be_focused()
    dialog.get_by_label("Name").fill("Autumn issue")
    assert_accessible(page)
    dialog.get_by_role("button", name="Add 2 entries").click()
    expect(page.get_by_text("2 entries added to Autumn issue")).to_be_visible()

    # One from its form, into the same.
    go_on(page, f"/admin/content/{SAMPLE}/{broken}")
    page.get_by_role("button", name="More ways to publish").click()
    page.get_by_role("menuitem", name="Add to a release").click()
    dialog.get_by_role("button", name="Add", exact=True).click()
    # The toast of the two others, which says nearly the same, may still be there.
    expect(page.get_by_text("Added to Autumn issue", exact=True)).to_be_visible()

    page.get_by_role("link", name="Releases", exact=True).click()
    expect(page.get_by_role("heading", name="Releases", level=1)).to_be_visible()
    assert_accessible_in_both_schemes(page)
    page.get_by_role("link", name="Autumn issue").click()
    expect(page.get_by_text("3 entries", exact=True)).to_be_visible()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("1 of 3 entries cannot be published")).to_be_visible()
    row = page.get_by_role("row", name="Autumn broken")
    expect(row).to_contain_text("On: This field is required.")
    assert_accessible_in_both_schemes(page)
    take_picture(page, "release")
    assert published(site, "Autumn") == []

    row.get_by_role("button", name=re.compile("Actions")).click()
    page.get_by_role("menuitem", name="Remove from the release").click()
    expect(row).to_be_hidden()
    page.get_by_role("button", name="Publish", exact=True).click()
    confirm = page.get_by_role("dialog", name="Publish this release with 2 entries?")
    confirm.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Autumn issue: 2 entries done")).to_be_visible()
    assert published(site, "Autumn") == ["Autumn 000", "Autumn 001"]

    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Autumn issue was undone")).to_be_visible()
    assert published(site, "Autumn") == []


def test_a_release_without_entries_says_how_they_are_added(site: Site, page: Page) -> None:
    go_on(page, "/admin/releases")
    page.get_by_role("button", name="Create release").first.click()
    dialog = page.get_by_role("dialog", name="Create release")
    dialog.get_by_label("Name").fill("Nothing in it")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No entries yet")).to_be_visible()
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Actions on Nothing in it").or_(
        page.get_by_role("button", name=re.compile("Actions"))
    ).first.click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Nothing in it was deleted")).to_be_visible()
    expect(page.get_by_role("link", name="Nothing in it")).to_have_count(0)


def test_a_role_that_publishes_nothing_looks_at_releases_and_changes_none(
    site: Site, open_page: OpenPage
) -> None:
    (document_id,) = make_samples(site, "Looked at", 1)
    release_id = site.api("POST", "/admin/x/releases", {"name": "Looked at"})["data"]["id"]
    entry = {"contentType": SAMPLE, "documentId": document_id}
    site.api("POST", f"/admin/x/releases/{release_id}/items", {"entries": [entry]})
    role = site.api("POST", "/admin/roles", {"name": "Onlooker", "description": ""})["data"]
    read = {
        "action": "plugin::content-manager.explorer.read",
        "subject": SAMPLE,
        "properties": {"fields": ["name"], "locales": ["en"]},
        "conditions": [],
    }
    site.api("PUT", f"/admin/roles/{role['id']}/permissions", {"permissions": [read]})
    site.add_person("olga@example.org", "Olga", role["id"])
    page = open_page(site.address, storage_state=site.session("olga@example.org"))
    page.goto("/admin/releases")
    expect(page.get_by_role("link", name="Looked at")).to_be_visible()
    expect(page.get_by_role("button", name="Create release")).to_have_count(0)
    page.get_by_role("link", name="Looked at").click()
    expect(page.get_by_role("heading", name="Looked at", level=1)).to_be_visible()
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    assert_accessible_in_both_schemes(page)
    site.api("DELETE", f"/admin/x/releases/{release_id}")


def test_a_release_is_checked_published_and_undone_with_the_keyboard_alone(
    site: Site, page: Page
) -> None:
    entries = [
        {"contentType": SAMPLE, "documentId": one} for one in make_samples(site, "Pressed", 3)
    ]
    release_id = site.api("POST", RELEASES, {"name": "Pressed"})["data"]["id"]
    site.api("POST", f"{RELEASES}/{release_id}/items", {"entries": entries})
    go_on(page, f"/admin/releases/{release_id}")
    page.get_by_role("button", name="Actions for Pressed 001").press("Enter")
    page.get_by_role("menuitem", name="Remove from the release").press("Enter")
    # The row that has taken its place; no row follows the last one.
    expect(page.get_by_role("button", name="Actions for Pressed 002")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Remove from the release").press("Enter")
    expect(page.get_by_role("button", name="Actions for Pressed 000")).to_be_focused()

    check = page.get_by_role("button", name="Check")
    check.press("Enter")
    expect(page.get_by_text("Everything can be published")).to_be_visible()
    expect(check).to_be_focused()
    page.get_by_role("button", name="Publish", exact=True).press("Enter")
    dialog = page.get_by_role("dialog", name="Publish this release")
    expect(dialog.get_by_role("button", name="Publish")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Pressed", level=1)).to_be_focused()
    assert published(site, "Pressed") == ["Pressed 000"]
    undo = page.get_by_role("button", name="Undo", exact=True)
    undo.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Pressed", level=1)).to_be_focused()


def test_a_release_fits_a_phone(site: Site, open_page: OpenPage) -> None:
    (document_id,) = make_samples(site, "A sample with a rather long name for a phone", 1)
    made = site.api("POST", "/admin/x/releases", {"name": "Small screens and long names of things"})
    release_id = made["data"]["id"]
    entry = {"contentType": SAMPLE, "documentId": document_id}
    site.api("POST", f"/admin/x/releases/{release_id}/items", {"entries": [entry]})
    phone = open_page(
        site.address, viewport={"width": 390, "height": 780}, storage_state=site.session()
    )
    phone.goto(f"/admin/releases/{release_id}")
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Small screens")
    assert_fits_phone(phone)
    row = phone.get_by_role("row", name="A sample with")
    for control in (row.get_by_role("combobox"), row.get_by_role("button", name="Actions for")):
        box = control.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"]
    assert_accessible(phone)


def test_a_release_that_failed_at_its_time_says_so(site: Site, page: Page) -> None:
    (broken,) = make_samples(site, "Tardy", 1, on=None)
    release_id = site.api("POST", RELEASES, {"name": "Tardy"})["data"]["id"]
    path = f"{RELEASES}/{release_id}"
    entry = {"contentType": SAMPLE, "documentId": broken}
    site.api("POST", f"{path}/items", {"entries": [entry]})
    at = datetime.now(UTC) + timedelta(seconds=2)
    times = {"scheduledAt": at.isoformat(), "timezone": "UTC"}
    site.api("PUT", f"{path}/schedule", times)
    while site.api("GET", path)["data"]["status"] != "failed":
        page.wait_for_timeout(200)
    go_on(page, f"/admin/releases/{release_id}")
    alert = page.get_by_role("alert").filter(has_text="It could not be published at its time")
    expect(alert).to_be_visible()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("row", name="Tardy")).to_contain_text("On: This field is required.")
    expect(alert).to_have_count(0)


def test_an_entry_is_scheduled_and_taken_off_the_schedule(site: Site, page: Page) -> None:
    (document_id,) = make_samples(site, "Winter", 1)
    path = f"/admin/x/schedule/{SAMPLE}/{document_id}"
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, f"/admin/content/{SAMPLE}/{document_id}")
    page.get_by_role("button", name="More ways to publish").click()
    page.get_by_role("menuitem", name="Schedule…").click()
    dialog = page.get_by_role("dialog", name="Schedule")
    expect(dialog.get_by_role("button", name="Schedule", exact=True)).to_be_disabled()
    dialog.get_by_role("button", name="Publish at", exact=True).click()
    page.get_by_role("button", name="Next month").click()
    page.get_by_role("button", name=re.compile(r"^15 ")).click()
    page.get_by_role("button", name="Done").click()
    assert_accessible(page)
    dialog.get_by_role("button", name="Schedule", exact=True).click()
    expect(page.get_by_role("button", name="Scheduled", exact=True)).to_be_visible()
    assert_accessible_in_both_schemes(page)
    assert site.api("GET", path)["data"]["publishAt"] is not None

    go_on(page, "/admin/releases?tab=scheduled")
    expect(page.get_by_role("link", name="Winter 000")).to_be_visible()
    assert_accessible_in_both_schemes(page)
    page.get_by_role("link", name="Winter 000").click()
    page.get_by_role("button", name="Scheduled", exact=True).click()
    dialog.get_by_role("button", name="Remove from schedule").click()
    expect(page.get_by_role("button", name="Scheduled", exact=True)).to_have_count(0)
    assert site.api("GET", path)["data"]["publishAt"] is None


def test_a_time_is_chosen_by_the_keyboard_alone(site: Site, page: Page) -> None:
    (document_id,) = make_samples(site, "Keys", 1)
    go_on(page, f"/admin/content/{SAMPLE}/{document_id}")
    page.get_by_role("button", name="More ways to publish").press("Enter")
    page.get_by_role("menuitem", name="Schedule…").press("Enter")
    dialog = page.get_by_role("dialog", name="Schedule")
    chosen = dialog.get_by_role("button", name=re.compile("^Publish at"))
    expect(chosen).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Next month").press("Enter")
    page.get_by_role("button", name=re.compile(r"^15 ")).press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("spinbutton", name="Hours")).to_be_focused()
    assert_accessible(page)
    page.keyboard.type("14")
    expect(page.get_by_role("spinbutton", name="Minutes")).to_be_focused()
    page.keyboard.type("35")
    page.keyboard.press("Enter")
    expect(chosen).to_be_focused()
    expect(chosen).to_have_accessible_name(re.compile(r"^Publish at: \d{4}-\d\d-16 14:35 "))
    dialog.get_by_role("button", name="Schedule", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Scheduled", exact=True)).to_be_visible()
    assert site.api("GET", f"/admin/x/schedule/{SAMPLE}/{document_id}")["data"]["publishAt"]
    never = {"publishAt": None, "unpublishAt": None, "timezone": "UTC"}
    site.api("PUT", f"/admin/x/schedule/{SAMPLE}/{document_id}", never)
