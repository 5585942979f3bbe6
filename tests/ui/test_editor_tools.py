"""Tools of the form of an entry, and the search of a list."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.ui.accessibility import SETTLE, assert_accessible, assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone, expect_saved

ARTICLES = "/content-manager/collection-types/api::article.article"
LIST = "/admin/content/api::article.article"
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde"
    b"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)


def make_article(site: Site, title: str) -> tuple[str, dict[str, Any]]:
    """Make a draft with a picture and two tags; return its path and what it was made of."""
    picture = site.api("GET", "/upload/files?pageSize=1")["results"][0]
    tags = site.api("GET", "/content-manager/collection-types/api::tag.tag?pageSize=2")["results"]
    values = {
        "title": title,
        "slug": title.lower().replace(" ", "-"),
        "readingTime": 4,
        "cover": picture["id"],
        "tags": [one["documentId"] for one in tags],
    }
    made = site.api("POST", f"{ARTICLES}?locale=en", values)["data"]
    return f"{ARTICLES}/{made['documentId']}", values


def test_enter_searches_at_once_and_an_uploaded_cover_is_placed(site: Site, own_page: Page) -> None:
    page = own_page
    page.goto(f"{LIST}?locale=en")
    row = page.get_by_role("link", name=re.compile("^Dead Reckoning"))
    row.wait_for()
    page.clock.install()
    search = page.get_by_role("textbox", name="Search Article")
    search.fill("reckoning")
    page.keyboard.press("Enter")
    # No time passes for the pause after the last key.
    expect(page).to_have_url(re.compile("q=reckoning"))
    expect(page.get_by_text("One entry")).to_be_visible()
    page.clock.resume()
    row.click()
    page.get_by_role("button", name=re.compile(": Cover$")).click()
    dialog = page.get_by_role("dialog", name="Choose a file")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Upload").click()
    chooser.value.set_files({"name": "placed.png", "mimeType": "image/png", "buffer": PIXEL})
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("placed.png")).to_be_visible()
    page.keyboard.press("Control+s")
    expect_saved(page)


def test_values_of_a_revision_are_restored_one_by_one_and_at_once(site: Site, page: Page) -> None:
    path, values = make_article(site, "Tide tables")
    before = site.api("GET", f"{path}?locale=en")["data"]
    change = {"title": "Tide tables, revised", "readingTime": 9, "cover": None, "tags": {"set": []}}
    site.api("PUT", f"{path}?locale=en", change)
    go_on(page, f"{LIST}/{path.rpartition('/')[2]}?locale=en")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Compare", exact=True).nth(1).click()
    bar = page.get_by_role("region", name="Side by side")
    expect(bar.get_by_role("combobox", name="Compare with")).to_have_value(re.compile("Lovelace"))
    expect(page).to_have_url(re.compile(r"compare=revision-\d+"))
    expect(page.get_by_role("deletion").first).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Restore Title").click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value("Tide tables")
    page.keyboard.press("Control+z")
    bar.get_by_role("button", name="Restore all fields").click()
    expect(page.get_by_text("The same", exact=True)).to_have_count(4)
    page.keyboard.press("Control+s")
    expect_saved(page)
    after = site.api("GET", f"{path}?locale=en")["data"]
    assert after["title"] == "Tide tables"
    assert after["readingTime"] == values["readingTime"]
    assert after["cover"]["id"] == before["cover"]["id"]
    assert after["tags"]["count"] == 2
    bar.get_by_role("combobox", name="Compare with").click()
    expect(page.get_by_role("option")).to_have_count(3)
    page.get_by_role("option").first.click()
    expect(page.get_by_text("fields are the same in both")).to_be_visible()
    expect(page.get_by_role("deletion")).to_have_count(0)


def test_the_api_tab_sends_what_is_chosen(site: Site, page: Page) -> None:
    found = site.api("GET", f"{ARTICLES}?locale=en&_q=A%20Lens%20Made%20of%20Prisms")["results"]
    token = {"name": "Inspector", "type": "full-access", "lifespan": None, "description": ""}
    key = site.api("POST", "/admin/api-tokens", token)["data"]["accessKey"]
    document = found[0]["documentId"]
    site.api("PUT", f"{ARTICLES}/{document}?locale=en", {"readingTime": 5})
    go_on(page, f"{LIST}/{document}?locale=en")
    page.get_by_role("tab", name="API").click()
    panel = page.get_by_role("tabpanel", name="API")
    for label, choice in (("Locale", "German"), ("Status", "Draft")):
        panel.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=re.compile(choice)).click()
    panel.get_by_text("API token", exact=True).click()
    expect(panel.get_by_role("button", name="Send")).to_be_disabled()
    panel.get_by_placeholder("Paste a token").fill(key)
    code = panel.get_by_role("tabpanel", name="cURL")
    expect(code).to_contain_text("locale=de")
    expect(code).to_contain_text("status=draft")
    expect(code).to_contain_text("Bearer API_TOKEN")
    panel.get_by_role("button", name="Send").click()
    expect(panel.get_by_role("status").filter(has_text="200")).to_be_visible()
    expect(panel.get_by_role("region", name="Response")).to_contain_text('"locale": "de"')
    expect(panel).not_to_contain_text(key)
    page.evaluate(SETTLE)
    assert_accessible(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Inspector").click()
    drawer = page.get_by_role("dialog", name="Inspector")
    drawer.get_by_role("tab", name="API").click()
    expect(drawer.get_by_role("combobox", name="Locale")).to_be_visible()
    page.emulate_media(color_scheme="dark")
    page.evaluate(SETTLE)
    assert_accessible(page)
    assert_fits_phone(page)
    drawer.get_by_role("tab", name="History").click()
    drawer.get_by_role("button", name="Compare", exact=True).first.click()
    expect(drawer).to_be_hidden()
    expect(page.get_by_role("region", name="Side by side")).to_be_visible()


def test_the_inspector_says_what_leads_to_an_entry(site: Site, page: Page) -> None:
    path, values = make_article(site, "Leading")
    tags = "/content-manager/collection-types/api::tag.tag"
    label = site.api("GET", f"{tags}/{values['tags'][0]}")["data"]["label"]
    go_on(page, f"/admin/content/api::tag.tag/{values['tags'][0]}")
    references = page.get_by_role("region", name=re.compile("refers? to this one$")).first
    expect(references.get_by_text("Article · tags")).to_be_visible()
    references.get_by_role("link", name="Leading").click()
    expect(page.get_by_role("textbox", name="Title").first).to_have_value("Leading")
    expect(page.get_by_role("link", name=label, exact=True)).to_be_visible()
    expect(page.get_by_text("No entry refers to this one")).to_be_visible()
    site.api("DELETE", path)


def test_saved_views_stand_below_their_type_in_the_sidebar(site: Site, page: Page) -> None:
    made = [
        site.api(
            "POST",
            "/admin/x/views",
            {"uid": "api::tag.tag", "name": f"View {at}", "state": {"q": "history"}},
        )["data"]["id"]
        for at in range(5)
    ]
    go_on(page, "/admin/content/api::article.article?locale=en")
    nav = page.get_by_role("navigation", name="Main")
    views = nav.get_by_role("group", name="Saved views of Tag")
    # Many stay folded until somebody unfolds them.
    expander = nav.get_by_role("button", name="Saved views of Tag")
    expect(expander).to_have_attribute("aria-expanded", "false")
    expander.click()
    views.get_by_role("link", name="View 3").click()
    expect(page).to_have_url(re.compile(rf"view={made[3]}.*q=history|q=history.*view={made[3]}"))
    expect(page.get_by_role("textbox", name="Search Tag")).to_have_value("history")
    assert_accessible_in_both_schemes(page)
    page.reload()
    expect(views.get_by_role("link", name=re.compile("^View "))).to_have_count(5)
    for view in made:
        site.api("DELETE", f"/admin/x/views/{view}")
