"""The list of a type with 25,000 entries: scrolled, paged, sorted, searched, filtered."""

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import Site, serve_many_entries

COUNT = 25_000
LIST = "/admin/content/api::wide.wide"


@pytest.fixture(scope="module")
def archive(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serve_many_entries(tmp_path_factory.mktemp("archive"), COUNT) as served:
        yield served


def test_a_list_of_25000_entries_is_scrolled_paged_sorted_searched_and_filtered(
    archive: Site, open_page: OpenPage
) -> None:
    page = open_page(archive.address, storage_state=archive.session(), own=True)
    page.goto("/admin")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("navigation", name="Main").get_by_role("link", name="wide").click()
    counted = page.get_by_role("status").filter(has_text="entries")
    expect(counted).to_have_text(re.compile("^25.000 entries$"))
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    # The list asks for its page once, although its code and its route both may begin with it.
    pages = [url for url in asked if re.search(r"collection-types/api\S+wide\?", url)]
    assert len(pages) == 1, pages

    go_on(page, f"{LIST}?pageSize=1000&sort=field000:ASC&columns=%5B%22field000%22%5D")
    expect(page.get_by_role("link", name="Entry 00001", exact=True)).to_be_visible()
    assert page.get_by_role("row").count() < 100
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.get_by_role("link", name="Entry 01000", exact=True)).to_be_visible()

    page.get_by_role("button", name="25", exact=True).click()
    expect(page.get_by_role("link", name="Entry 24001", exact=True)).to_be_visible()
    page.get_by_role("button", name=re.compile("^field000|^Field000", re.IGNORECASE)).first.click()
    expect(page).to_have_url(re.compile("field000(:|%3A)DESC"))
    expect(page.get_by_role("link", name="Entry 25000", exact=True)).to_be_visible()

    page.get_by_role("textbox", name="Search wide").fill("lighthouse")
    expect(counted).to_have_text(re.compile("^2[,.]?500 entries$"))
    rule = {"field": ["field000"], "op": "$endsWith", "value": "00"}
    filters = quote(json.dumps({"all": True, "items": [rule]}))
    go_on(page, f"{LIST}?filters={filters}")
    expect(counted).to_have_text("250 entries")
    expect(page.get_by_role("row").nth(1)).to_be_visible()
