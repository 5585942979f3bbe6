import re

import httpx
from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.pictures import take_picture
from tests.ui.site import HTTP, Site
from tests.ui.steps import assert_fits_phone


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a list that is searched by typing or opened by a click."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")


def send(page: Page, status: int) -> None:
    """Send the request, and wait for the status of its response."""
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="ms")).to_contain_text(f"{status}")


def test_a_refused_request_is_granted_to_visitors(site: Site, home: Page) -> None:
    page = home
    page.keyboard.type("ge")
    choose(page, "Content type", "sample")
    choose(page, "Action", "Find one")
    page.get_by_role("button", name="Send", exact=True).hover()
    expect(page.get_by_text("Choose a document first.")).to_be_visible()
    choose(page, "Action", "Find")
    send(page, 403)
    refused = page.get_by_role("alert", name="The request was refused")
    expect(refused).to_contain_text("api::sample.sample.find")
    refused.get_by_role("button", name="Grant to the role Public").click()
    expect(page.get_by_role("status").filter(has_text="ms")).to_contain_text("200")
    assert HTTP.get(f"{site.address}/api/samples").status_code == 200
    role = next(
        one
        for one in site.api("GET", "/users-permissions/roles")["roles"]
        if one["type"] == "public"
    )
    granted = site.api("GET", f"/users-permissions/roles/{role['id']}")["role"]
    granted["permissions"]["api::sample"]["controllers"]["sample"]["find"]["enabled"] = False
    site.api("PUT", f"/users-permissions/roles/{role['id']}", granted)


def test_a_request_gives_what_the_api_gives(site: Site, page: Page) -> None:
    go_on(page, "/admin/explorer?type=api::article.article")
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("combobox", name="Operator").click()
    page.get_by_role("option", name="contains", exact=True).click()
    page.get_by_role("textbox", name="Value").fill("a")
    page.get_by_role("button", name="Done").click()
    choose(page, "Populate", "Author")
    choose(page, "Sort", "Title (descending)")
    page.get_by_label("Page size").fill("3")
    send(page, 200)
    page.get_by_role("tab", name="Text").click()
    shown = page.get_by_role("region", name="Text").inner_text()
    query = "filters[title][$contains]=a&populate=author&sort=title:desc&pagination[pageSize]=3"
    expected = HTTP.get(f"{site.address}/api/articles?{query}").json()
    assert expected["data"]
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", _indented(expected))
    page.get_by_role("tab", name="Python").click()
    expect(page.get_by_role("tabpanel", name="Python")).to_contain_text('"populate[0]": "author"')
    page.get_by_role("tab", name="JavaScript").click()
    expect(page.get_by_role("tabpanel", name="JavaScript")).to_contain_text("@strapi/client")
    page.get_by_role("tab", name="Tree").click()
    page.set_viewport_size({"width": 1280, "height": 800})
    take_picture(page, "explorer")

    page.get_by_role("button", name="Saved requests").click()
    page.get_by_role("menuitem", name="Save this request").click()
    page.get_by_label("Name").fill("Latest")
    page.get_by_role("button", name="Save", exact=True).click()
    page.reload()
    expect(page.get_by_label("Page size")).to_have_value("")
    page.get_by_role("button", name="Saved requests").click()
    page.get_by_role("menuitem", name="Latest").click()
    expect(page.get_by_label("Page size")).to_have_value("3")
    send(page, 200)
    assert_accessible_in_both_schemes(page)
    assert_fits_phone(page)


def test_a_token_is_sent_and_not_kept(site: Site, page: Page) -> None:
    token = {"name": "Explorer", "type": "full-access", "lifespan": None, "description": ""}
    key = site.api("POST", "/admin/api-tokens", token)["data"]["accessKey"]
    go_on(page, "/admin/explorer?type=api::tag.tag")
    page.get_by_text("API token", exact=True).click()
    page.get_by_label("API token").and_(page.get_by_placeholder("Paste a token")).fill(key)
    choose(page, "Action", "Create")
    page.get_by_label("Body").fill('{"data": {"label": "Explored", "slug": "explored"}}')
    send(page, 201)
    choose(page, "Action", "Delete")
    choose(page, "Document", "Explored")
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("The response has no body.")).to_be_visible()
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("menuitem")).to_have_count(3)
    assert key not in page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    page.keyboard.press("Escape")
    code = page.get_by_role("region", name="Code")
    expect(code).to_contain_text("Bearer API_TOKEN")
    expect(code).not_to_contain_text(key)


def test_who_may_not_change_roles_sees_what_is_missing(site: Site, open_page: OpenPage) -> None:
    site.add_person("explorer@example.org", "Emmy", 2)
    page = open_page(site.address, storage_state=site.session("explorer@example.org"))
    page.goto("/admin/explorer?type=api::tag.tag")
    choose(page, "Content type", "sample")
    expect(page).to_have_url(re.compile("type=api(::|%3A%3A)sample"))
    send(page, 403)
    refused = page.get_by_role("alert", name="The request was refused")
    expect(refused).to_contain_text("api::sample.sample.find")
    expect(refused).to_contain_text("An administrator who may change end-user roles can grant it.")
    expect(refused.get_by_role("button")).to_have_count(0)


def _indented(value: object) -> str:
    return httpx.Response(200, json=value).text
