"""Each screen links to its documentation page, if the URL is configured."""

import os
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.ui.conftest import go_on
from tests.ui.site import Site

SHOTS = os.environ.get("SHOTS")
DOCS = "https://docs.example.org/quire"


def test_a_screen_links_to_its_page(site: Site, page: Page) -> None:
    menu = page.get_by_role("button", name="Ada Lovelace")
    go_on(page, "/admin/settings/webhooks")
    menu.click()
    expect(page.get_by_role("menuitem", name="Shortcuts")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Help on this screen")).to_have_count(0)

    def informed(route: Route) -> None:
        data = site.api("GET", "/admin/information")["data"]
        route.fulfill(json={"data": {**data, "docsUrl": DOCS}})

    page.route("**/admin/information", informed)
    page.goto("/admin/settings/webhooks")
    menu.click()
    link = page.get_by_role("menuitem", name="Help on this screen")
    expect(link).to_have_attribute("href", f"{DOCS}/admin-settings.md#webhooks")
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / "help.png")
