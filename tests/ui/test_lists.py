"""Lists: their content, and bulk actions."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.ui.accessibility import assert_accessible, assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.pictures import take_picture
from tests.ui.site import HTTP, Site
from tests.ui.steps import PHONE, assert_fits_phone, expect_saved

SAMPLE = "api::sample.sample"
SAMPLES = f"/content-manager/collection-types/{SAMPLE}"
LIST = f"/admin/content/{SAMPLE}"


def make_samples(site: Site, word: str, number: int, **values: object) -> list[str]:
    """Make entries of which each is valid, and return their document ids."""
    made = [
        site.api("POST", SAMPLES, {"name": f"{word} {at:03}", "on": True, **values})
        for at in range(number)
    ]
    return [one["data"]["documentId"] for one in made]


def test_a_list_that_was_on_its_way_before_a_change_is_not_shown_after_it(
    site: Site, page: Page
) -> None:
    [document] = make_samples(site, "Aaa", 1)
    go_on(page, f"{LIST}/{document}")
    name = page.get_by_role("textbox", name="Name").first
    held: list[Callable[[], None]] = []

    def hold(route: Route) -> None:
        if held:
            route.continue_()
            return
        response = route.fetch()
        held.append(lambda: route.fulfill(response=response))

    page.route(re.compile(r"sample\.sample\?.*columns="), hold)
    # Whoever points at the link lets the list be loaded.
    to_list = page.get_by_role("main").get_by_role("link", name="sample", exact=True)
    with page.expect_request(re.compile(r"sample\.sample\?.*columns=")):
        to_list.hover()
    name.fill("Aab")
    page.keyboard.press("Control+s")
    expect_saved(page)
    held[0]()
    to_list.click()
    expect(page.get_by_role("link", name="Aab", exact=True)).to_be_visible()
    site.api("DELETE", f"{SAMPLES}/{document}")


def test_a_list_is_as_it_was_left_after_looking_at_an_entry(site: Site, page: Page) -> None:
    [document] = make_samples(site, "Left", 1)
    go_on(page, f"{LIST}?q=Left&sort=name:DESC")
    page.get_by_role("link", name="Left 000").click()
    expect(page.get_by_role("textbox", name="Name").first).to_have_value("Left 000")
    page.get_by_role("main").get_by_role("link", name="sample", exact=True).click()
    expect(page.get_by_role("textbox", name="Search sample")).to_have_value("Left")
    expect(page).to_have_url(re.compile("sort=name"))
    site.api("DELETE", f"{SAMPLES}/{document}")


def test_several_entries_are_published_and_those_that_cannot_be_are_named(
    site: Site, page: Page
) -> None:
    make_samples(site, "Bulk", 2)
    site.api("POST", SAMPLES, {"name": "Bulk of none", "on": None})
    go_on(page, f"{LIST}?q=Bulk")
    expect(page.get_by_text("3 entries")).to_be_visible()
    page.get_by_role("checkbox", name="Select all on this page").check()
    selection = page.get_by_role("region", name="Selection")
    selection.get_by_role("button", name="Publish", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    jobs = page.get_by_role("region", name="Running work")
    expect(jobs).to_contain_text("3 of 3")
    expect(jobs.get_by_role("link", name="Bulk of none")).to_be_visible()
    # It is there on other screens, too, until it is closed.
    page.get_by_role("link", name="Home", exact=True).click()
    expect(jobs).to_contain_text("One failed")
    jobs.get_by_role("button", name="Close: Publish 3 entries").click()
    expect(jobs).to_be_hidden()
    published = site.api("GET", f"{SAMPLES}?_q=Bulk&status=published")["results"]
    assert {one["name"] for one in published} == {"Bulk 000", "Bulk 001"}


def test_entries_are_listed_by_their_status(site: Site, page: Page) -> None:
    draft, published, modified = make_samples(site, "Status", 3)
    for one in (published, modified):
        site.api("POST", f"{SAMPLES}/{one}/actions/publish", {})
    site.api("PUT", f"{SAMPLES}/{modified}", {"count": 7})
    go_on(page, f"{LIST}?q=Status")
    expect(page.get_by_text("3 entries")).to_be_visible()
    for name, number in (("Draft", "000"), ("Published", "001"), ("Modified", "002")):
        page.get_by_role("combobox", name="Status").or_(
            page.get_by_role("textbox", name="Status")
        ).first.click()
        page.get_by_role("option", name=name, exact=True).click()
        expect(page.get_by_text("One entry")).to_be_visible()
        expect(page.get_by_role("link", name=f"Status {number}")).to_be_visible()
    expect(page).to_have_url(re.compile("status=modified"))
    assert draft


def test_all_that_match_are_edited_after_a_preview(site: Site, page: Page) -> None:
    make_samples(site, "Edited", 12, count=1)
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, f"{LIST}?q=Edited&pageSize=10")
    page.get_by_role("checkbox", name="Select all on this page").check()
    page.get_by_role("button", name="Select all 12 that match").click()
    expect(page.get_by_text("12 selected")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog", name="Edit 12 entries")
    dialog.get_by_label("Add a field to change").first.click()
    page.get_by_role("option", name="Count", exact=True).click()
    dialog.get_by_role("textbox", name="Count").fill("500")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_role("alert").first).to_be_visible()
    dialog.get_by_role("textbox", name="Count").fill("42")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text("12 of 12 entries change.")).to_be_visible()
    assert_accessible(page)
    dialog.get_by_role("button", name="Change 12 entries").click()
    expect(page.get_by_role("region", name="Running work")).to_contain_text("12 of 12")
    found = site.api("GET", f"{SAMPLES}?_q=Edited&pageSize=100")["results"]
    assert {one["count"] for one in found} == {42}


def test_a_value_is_edited_in_its_cell(site: Site, page: Page) -> None:
    (made,) = make_samples(site, "Cell", 1, count=3)
    go_on(page, f'{LIST}?q=Cell&columns=["name","count"]')
    page.get_by_role("cell", name="3", exact=True).dblclick()
    field = page.get_by_role("textbox", name="Count")
    field.fill("101")
    page.keyboard.press("Enter")
    expect(page.get_by_text("At most 100.", exact=True)).to_be_visible()
    field.fill("8")
    page.keyboard.press("Enter")
    expect(page.get_by_role("cell", name="8", exact=True)).to_be_visible()
    assert site.api("GET", f"{SAMPLES}/{made}")["data"]["count"] == 8


def test_a_value_is_edited_in_its_card_on_a_phone(site: Site, page: Page) -> None:
    (made,) = make_samples(site, "Card", 1, count=3)
    page.set_viewport_size(PHONE)
    go_on(page, f'{LIST}?q=Card&columns=["name","count"]')
    card = page.get_by_role("listitem").filter(has_text="Card 000")
    card.get_by_role("button", name="Actions for").click()
    page.get_by_role("menuitem", name="Edit a value").click()
    page.get_by_role("menuitem", name="Count", exact=True).click()
    page.get_by_role("textbox", name="Count").fill("8")
    page.keyboard.press("Enter")
    expect(card).to_contain_text("Count8")
    assert site.api("GET", f"{SAMPLES}/{made}")["data"]["count"] == 8


def test_an_entry_is_duplicated_and_what_must_be_another_value_is_asked_for(
    site: Site, page: Page
) -> None:
    (made,) = make_samples(site, "Twin", 1, count=3)
    go_on(page, f"{LIST}?q=Twin")
    page.get_by_role("button", name="Actions for Twin 000").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    expect(page.get_by_role("textbox", name="Name").first).to_have_value("Twin 000")
    assert made not in page.url
    found = site.api("GET", f"{SAMPLES}?_q=Twin")["results"]
    assert [(one["name"], one["count"], one["status"]) for one in found] == [
        ("Twin 000", 3, "draft"),
        ("Twin 000", 3, "draft"),
    ]

    # Two tags may not have the same slug: the copy is a form that is not saved yet.
    go_on(page, "/admin/content/api::tag.tag?q=storms")
    page.get_by_role("button", name="Actions for Storms").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    expect(page.get_by_role("textbox", name="Label")).to_have_value("Storms")
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    tags = site.api("GET", "/content-manager/collection-types/api::tag.tag?_q=storms")["results"]
    assert len(tags) == 1


def test_locales_have_their_status_in_a_list(site: Site, page: Page) -> None:
    (made,) = make_samples(site, "Spoken", 1)
    site.api("POST", f"{SAMPLES}/{made}/actions/publish", {})
    site.api("PUT", f"{SAMPLES}/{made}?locale=de", {"name": "Gesprochen", "on": True})
    go_on(page, f"{LIST}?q=Spoken")
    row = page.get_by_role("row").filter(has_text="Spoken 000")
    expect(row.get_by_role("link", name="en Published")).to_be_visible()
    row.get_by_role("link", name="de Draft").click()
    expect(page.get_by_role("textbox", name="Name").first).to_have_value("Gesprochen")


def test_only_the_rows_that_can_be_seen_of_a_long_page_are_made(site: Site, page: Page) -> None:
    make_samples(site, "Long", 90)
    go_on(page, f"{LIST}?q=Long&pageSize=500&sort=name:ASC")
    expect(page.get_by_role("link", name="Long 000")).to_be_visible()
    expect(page.get_by_role("link", name="Long 089")).to_have_count(0)
    assert page.get_by_role("row").count() < 60
    page.keyboard.press("End")
    expect(page.get_by_role("link", name="Long 089")).to_be_visible()


def test_a_list_is_accessible_as_a_table_and_as_cards(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, "/admin/content/api::article.article")
    expect(page.get_by_role("table")).to_be_visible()
    assert_accessible_in_both_schemes(page)
    take_picture(page, "list")
    page.get_by_role("link", name="A Lens Made of Prisms").click()
    expect(page.get_by_role("textbox", name="Title").first).to_be_visible()
    take_picture(page, "entry")
    page.go_back()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("listitem").first).to_be_visible()
    assert_accessible_in_both_schemes(page)
    assert_fits_phone(page)


def test_a_list_is_copied_as_a_request_of_the_content_api(site: Site, own_page: Page) -> None:
    own_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    own_page.goto("/admin/content/api::article.article?q=the&sort=title:DESC&pageSize=5")
    expect(own_page.get_by_role("row")).not_to_have_count(1)
    own_page.get_by_role("button", name="More actions for this list").click()
    own_page.get_by_role("menuitem", name="Copy as API request").click()
    expect(own_page.get_by_text("Request copied")).to_be_visible()
    copied = own_page.evaluate("navigator.clipboard.readText()")
    address = re.fullmatch(r"curl -g '(.*)'", copied)
    assert address is not None, copied
    entries = HTTP.get(address[1]).raise_for_status().json()["data"]
    query = "status=published&locale=en&_q=the&sort=title:DESC&pageSize=5"
    listed = site.api("GET", f"/content-manager/collection-types/api::article.article?{query}")
    assert [one["title"] for one in entries] == [one["title"] for one in listed["results"]]
    assert len(entries) == 5

    # The menu names filters that the content API does not have.
    go_on(own_page, "/admin/content/api::article.article?missing=de")
    own_page.get_by_role("button", name="More actions for this list").click()
    item = own_page.get_by_role("menuitem", name="Copy as API request")
    expect(item).to_contain_text("The API has no filter for: Missing in")


def test_text_is_copied_at_an_address_without_tls(own_page: Page) -> None:
    own_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    # As browsers do, except at localhost.
    own_page.context.add_init_script("delete Navigator.prototype.clipboard")
    own_page.goto("/admin/content/api::article.article?q=lens")
    own_page.get_by_role("button", name="More actions for this list").click()
    own_page.get_by_role("menuitem", name="Copy as API request").click()
    expect(own_page.get_by_text("Request copied")).to_be_visible()
    search = own_page.get_by_role("textbox", name="Search Article")
    search.fill("")
    search.press("Control+v")
    expect(search).to_have_value(re.compile("^curl -g 'http.*_q=lens"))
