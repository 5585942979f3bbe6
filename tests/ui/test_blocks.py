"""Blocks: their handles, and pasted content."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.steps import expect_lifted_over, move_with_keys

ARTICLES = "/content-manager/collection-types/api::article.article"


def _block(kind: str, text: str, **options: object) -> dict[str, Any]:
    return {"type": kind, **options, "children": [{"type": "text", "text": text}]}


@pytest.fixture(autouse=True)
def _no_more_articles(site: Site) -> Iterator[None]:
    """Other tests count the articles."""
    yield
    for title in ("Handles", "Menus", "Pasted"):
        for one in site.api("GET", f"{ARTICLES}?filters[title]={title}")["results"]:
            site.api("DELETE", f"{ARTICLES}/{one['documentId']}")


def _open(site: Site, page: Page, title: str, *body: dict[str, Any]) -> str:
    made = site.api("POST", ARTICLES, {"title": title, "body": body})["data"]
    go_on(page, f"/admin/content/api::article.article/{made['documentId']}")
    page.get_by_role("textbox", name="Body").wait_for()
    return str(made["documentId"])


def _save(page: Page) -> None:
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.keyboard.press("Control+s")


def _saved(site: Site, page: Page, document_id: str) -> list[Any]:
    _save(page)
    body = site.api("GET", f"{ARTICLES}/{document_id}")["data"]["body"]
    return [
        (one["type"], "".join(part.get("text", "") for part in one["children"])) for one in body
    ]


def test_blocks_are_ordered_with_their_handles_by_mouse_and_keys(site: Site, page: Page) -> None:
    texts = [_block("paragraph", word) for word in ("Ebb", "Flood", "Slack")]
    document_id = _open(site, page, "Handles", *texts)
    handles = page.get_by_role("button", name="Move or change")
    expect(handles).to_have_count(3)
    assert_accessible(page)

    page.get_by_role("textbox", name="Body").get_by_text("Ebb").hover()
    first, last = handles.nth(0).bounding_box(), handles.nth(2).bounding_box()
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 5, first["y"] + 5)
    page.mouse.down()
    page.mouse.move(first["x"] + 5, first["y"] + 20, steps=4)
    page.mouse.move(last["x"] + 5, last["y"] + last["height"], steps=8)
    expect_lifted_over(page, 3)
    page.mouse.up()
    expect(handles.nth(2)).to_have_accessible_name("Move or change Text: Ebb")

    page.get_by_role("textbox", name="Body").get_by_text("Slack").click()
    page.keyboard.press("Tab")
    expect(handles.nth(1)).to_be_focused()
    move_with_keys(page, handles.nth(1), "ArrowUp", to=1)
    expect(handles.nth(0)).to_have_accessible_name("Move or change Text: Slack")
    expect(handles.nth(0)).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect(handles.nth(1)).to_have_accessible_name("Move or change Text: Slack")
    expect(handles.nth(1)).to_be_focused()

    page.get_by_role("textbox", name="Body").get_by_text("Ebb").click()
    page.keyboard.press("Alt+ArrowUp")
    assert _saved(site, page, document_id) == [
        ("paragraph", "Flood"),
        ("paragraph", "Ebb"),
        ("paragraph", "Slack"),
    ]


def test_the_menu_of_a_block_changes_it_with_the_keyboard_alone(site: Site, page: Page) -> None:
    document_id = _open(site, page, "Menus", _block("heading", "Tides", level=2))
    page.get_by_role("textbox", name="Body").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Alt+F10")
    handle = page.get_by_role("button", name="Move or change Heading 2: Tides")
    expect(handle).to_be_focused()
    page.keyboard.press("Enter")
    menu = page.get_by_role("menu")
    expect(menu.get_by_role("menuitem", name="Move up")).to_be_disabled()
    _choose(page, "Duplicate")
    expect(handle).to_have_count(2)
    expect(handle.first).to_be_focused()
    page.keyboard.press("Enter")
    _choose(page, "Quote")
    quote = page.get_by_role("button", name="Move or change Quote: Tides")
    expect(page.get_by_role("textbox", name="Body")).to_be_focused()
    page.keyboard.press("Alt+F10")
    expect(quote).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Body")).to_be_focused()
    page.keyboard.press("Alt+F10")
    page.keyboard.press("Enter")
    _choose(page, "Move down")
    expect(quote).to_be_focused()
    assert _saved(site, page, document_id) == [("heading", "Tides"), ("quote", "Tides")]
    quote.focus()
    page.keyboard.press("Enter")
    _choose(page, "Delete")
    expect(quote).to_be_hidden()
    assert _saved(site, page, document_id) == [("heading", "Tides")]


def _choose(page: Page, name: str) -> None:
    item = page.get_by_role("menuitem", name=name, exact=True)
    expect(item).to_be_visible()
    for _ in range(20):
        page.keyboard.press("ArrowDown")
        if item.evaluate("one => one === document.activeElement"):
            break
    expect(item).to_be_focused()
    page.keyboard.press("Enter")


_WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office"><head>
<style><!-- p.MsoNormal {font-size: 11pt} --></style></head><body><!--StartFragment-->
<h1 style='mso-list:none'>Harbour<o:p></o:p></h1>
<p class=MsoNormal><span style='font-weight:bold'>Low</span> water <a href="https://example.org/x">here</a><o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><!--[if !supportLists]--><span
style='mso-list:Ignore'>·<span>&nbsp;&nbsp; </span></span><!--[endif]-->ropes<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><!--[if !supportLists]--><span
style='mso-list:Ignore'>·<span>&nbsp;&nbsp; </span></span><!--[endif]-->fenders<o:p></o:p></p>
<!--EndFragment--></body></html>"""

_DOCS = """<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1">
<h2 dir="ltr"><span style="font-weight:400">Harbour</span></h2>
<p dir="ltr"><span style="font-weight:700">Low</span><span style="font-weight:400"> water</span></p>
<ol><li dir="ltr"><p dir="ltr"><span style="font-weight:400">ropes</span></p></li>
<li dir="ltr"><p dir="ltr"><span style="font-weight:400">fenders</span></p></li></ol></b>"""

_PASTE = """(element, html) => {
  const data = new DataTransfer()
  data.setData('text/html', html)
  data.setData('text/plain', 'plain')
  const options = { clipboardData: data, bubbles: true, cancelable: true }
  element.dispatchEvent(new ClipboardEvent('paste', options))
}"""


def _text(text: str, **marks: bool) -> dict[str, Any]:
    return {"type": "text", "text": text, **marks}


def _items(*words: str) -> list[dict[str, Any]]:
    return [_block("list-item", word) for word in words]


def test_text_of_word_processors_is_pasted_as_blocks(site: Site, page: Page) -> None:
    for html, expected in (
        (
            _WORD,
            [
                _block("heading", "Harbour", level=1),
                {
                    "type": "paragraph",
                    "children": [
                        _text("Low", bold=True),
                        _text(" water "),
                        {
                            "type": "link",
                            "url": "https://example.org/x",
                            "children": [_text("here")],
                        },
                        _text(""),
                    ],
                },
                {"type": "list", "format": "unordered", "children": _items("ropes", "fenders")},
            ],
        ),
        (
            _DOCS,
            [
                _block("heading", "Harbour", level=2),
                {"type": "paragraph", "children": [_text("Low", bold=True), _text(" water")]},
                {"type": "list", "format": "ordered", "children": _items("ropes", "fenders")},
            ],
        ),
    ):
        document_id = _open(site, page, "Pasted")
        body = page.get_by_role("textbox", name="Body")
        body.click()
        body.evaluate(_PASTE, html)
        expect(body.get_by_text("fenders")).to_be_visible()
        _save(page)
        assert site.api("GET", f"{ARTICLES}/{document_id}")["data"]["body"] == expected


_TABLE = """<p>Tides</p><table><caption>Today</caption>
<thead><tr><th>Port</th><th>High water</th></tr></thead>
<tbody><tr><td><p>Dover</p></td><td> 06:12<br>18:40</td></tr><tr><td>Brest</td><td></td></tr>
</tbody></table>
<table><tr><td><p>Laid out</p><p>by a mail program</p></td></tr></table>"""


def test_a_table_is_pasted_as_a_line_for_each_row(site: Site, page: Page) -> None:
    document_id = _open(site, page, "Pasted")
    body = page.get_by_role("textbox", name="Body")
    body.click()
    body.evaluate(_PASTE, _TABLE)
    expect(body.get_by_text("by a mail program")).to_be_visible()
    _save(page)
    stored = site.api("GET", f"{ARTICLES}/{document_id}")["data"]["body"]
    lines = ["".join(leaf["text"] for leaf in block["children"]) for block in stored]
    rows = ["Port | High water", "Dover | 06:12 18:40", "Brest | "]
    assert lines == ["Tides", "Today", *rows, "Laid out", "by a mail program"]
    assert {block["type"] for block in stored} == {"paragraph"}
    assert stored[2]["children"][0] == _text("Port", bold=True)
