"""Tools beside and around the form of an entry, and the search of a list."""

import re

from playwright.sync_api import Page, expect

from tests.ui.site import Site

ARTICLES = "/content-manager/collection-types/api::article.article"
LIST = "/admin/content/api::article.article"
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde"
    b"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)


def test_enter_searches_at_once_and_an_uploaded_cover_is_placed(site: Site, page: Page) -> None:
    page.goto(f"{LIST}?locale=en")
    row = page.get_by_role("link", name="Dead Reckoning", exact=True)
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
    expect(page.get_by_text("Saved").first).to_be_visible()
