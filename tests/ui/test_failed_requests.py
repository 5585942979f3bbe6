"""Requests that fail or have no response: what is said about them, and how somebody goes on."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import EMAIL, PASSWORD, Site
from tests.ui.steps import expect_saved

ARTICLES = "/content-manager/collection-types/api::article.article"
TAGS = "/content-manager/collection-types/api::tag.tag"
FORM = "/admin/content/api::article.article"
GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
"""One pixel."""
NAMES = {500: "Internal Server Error", 503: "Service Unavailable"}


def fail(status: int, request_id: str = "3f9d2c1b") -> Callable[[Route], None]:
    error = {"status": status, "name": "Error", "message": NAMES[status], "details": {}}
    headers = {"x-request-id": request_id}

    def respond(route: Route) -> None:
        route.fulfill(status=status, json={"data": None, "error": error}, headers=headers)

    return respond


def article(site: Site, **values: Any) -> str:  # noqa: ANN401 - JSON
    return str(site.api("POST", ARTICLES, values)["data"]["documentId"])


def test_a_draft_is_saved_once_the_server_is_available_again(site: Site, page: Page) -> None:
    document = article(site, title="In the dock")
    go_on(page, f"{FORM}/{document}")
    writes = re.compile(rf"{document}\?")
    page.route(
        writes, lambda one: fail(503)(one) if one.request.method == "PUT" else one.fallback()
    )
    page.get_by_role("textbox", name="Title").first.fill("At sea again")
    expect(page.get_by_role("status").get_by_text("Unsaved (server not available)")).to_be_visible()
    # Nobody has asked for this save, so it interrupts nobody.
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Save draft").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The server is not available")
    expect(alert).to_contain_text("It may be restarting. Wait a moment, then try again.")
    page.unroute(writes)
    expect_saved(page)
    assert site.api("GET", f"{ARTICLES}/{document}")["data"]["title"] == "At sea again"


def test_linked_entries_that_cannot_be_loaded_are_asked_for_again(site: Site, page: Page) -> None:
    tags = site.api("GET", f"{TAGS}?pageSize=2&sort=id:ASC")["results"]
    connected = {"connect": [{"documentId": one["documentId"]} for one in tags]}
    document = article(site, title="Linked", tags=connected)
    linked = re.compile(rf"/relations/.+article\.article/{document}/tags")
    page.route(linked, fail(500))
    go_on(page, f"{FORM}/{document}")
    field = page.get_by_role("group", name="Tags")
    alert = field.get_by_role("alert")
    expect(alert).to_contain_text("Request ID: 3f9d2c1b")
    expect(field.get_by_role("combobox", name="Search entries for Tags")).to_be_disabled()
    assert_accessible_in_both_schemes(page)
    page.unroute(linked)
    field.get_by_role("button", name="Try again").click()
    expect(field.get_by_role("link")).to_have_text([one["label"] for one in tags])


def test_a_search_of_entries_that_fails_is_tried_again_with_the_keyboard(
    site: Site, page: Page
) -> None:
    go_on(page, f"{FORM}/{article(site, title='Searched')}")
    search = re.compile(r"/relations/.+article\.article/tags\?")
    page.route(search, fail(500))
    field = page.get_by_role("combobox", name="Search entries for Tags")
    field.focus()
    with page.expect_response(re.compile(r"/tags\?(.*&)?_q=storm&")):
        page.keyboard.type("storm")
    option = page.get_by_role("option", name="Try again")
    expect(option).to_contain_text("The server could not do this.")
    page.unroute(search)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("option", name="Storms")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Tags").get_by_role("link")).to_have_text(["Storms"])


def test_signing_in_says_that_the_server_is_not_available(site: Site, open_page: OpenPage) -> None:
    page = open_page(site.address)
    page.goto("/admin/login")
    page.route(
        "**/admin/login",
        lambda one: one.fallback() if one.request.method == "GET" else fail(503)(one),
    )
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(
        "The server is not available. It may be restarting. Wait a moment, then try again."
    )
    page.unroute("**/admin/login")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible()


def test_a_list_without_a_response_says_so_and_is_asked_for_again(
    site: Site, own_page: Page
) -> None:
    page = own_page
    page.clock.install()
    page.goto("/admin")
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()
    entries = re.compile(r"/collection-types/.+tag\.tag\?")
    page.route(entries, lambda route: None)
    with page.expect_request(entries):
        page.get_by_role("navigation", name="Main").get_by_role(
            "link", name=re.compile("^Tag")
        ).click()
    page.clock.fast_forward(31_000)
    alert = page.get_by_role("main").get_by_role("alert")
    expect(alert).to_contain_text("The server has not responded")
    expect(alert).to_contain_text("It may be busy. Wait a moment, then try again.")
    page.unroute(entries)
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("row").nth(1)).to_be_visible()


def paste_file(field: Locator, name: str, media_type: str, content: str) -> None:
    """Paste a file, whose content is encoded in base64, into a field."""
    field.get_by_role("button", name="Choose a file").evaluate(
        """(button, [name, type, content]) => {
            const files = new DataTransfer()
            const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0))
            files.items.add(new File([bytes], name, {type}))
            const options = {clipboardData: files, bubbles: true, cancelable: true}
            button.dispatchEvent(new ClipboardEvent('paste', options))
        }""",
        [name, media_type, content],
    )


def test_a_file_whose_upload_fails_stays_in_its_field_and_is_sent_again(
    site: Site, page: Page
) -> None:
    go_on(page, f"{FORM}/{article(site, title='With a cover')}")
    page.route("**/upload", fail(500), times=1)
    field = page.get_by_role("group", name="Cover")
    paste_file(field, "buoy.gif", "image/gif", GIF)
    expect(field.get_by_role("status")).to_contain_text(
        re.compile(r"^buoy.gif: The server could not do this\..+ Request ID: 3f9d2c1b$")
    )
    field.get_by_role("button", name="Try again").click()
    expect(field.get_by_text("buoy.gif", exact=True)).to_be_visible()
    expect_saved(page)


def test_a_file_that_a_field_does_not_take_is_refused_with_the_reason(
    site: Site, page: Page
) -> None:
    go_on(page, f"{FORM}/{article(site, title='Without a cover')}")
    paste_file(page.get_by_role("group", name="Cover"), "note.txt", "text/plain", "YSBub3Rl")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Only images fit here.")
    expect(alert).not_to_contain_text("Reload the page")
