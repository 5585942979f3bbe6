"""Markdown fields: preview, full screen, and dropped images."""

import base64

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import Site
from tests.ui.steps import expect_saved

SAMPLES = "/content-manager/collection-types/api::sample.sample"
LINES = "\n\n".join(f"Paragraph {at} of the text" for at in range(80))
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DROP = """([area, bytes, name, kind]) => {
  const files = new DataTransfer()
  const content = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))
  files.items.add(new File([content], name, { type: 'image/png' }))
  const box = area.getBoundingClientRect()
  const place = { clientX: box.left + 14, clientY: box.top + 16 }
  const event = kind === 'drop'
    ? new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true, ...place })
    : new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true })
  area.dispatchEvent(event)
}"""
PASTE = """(area, html) => {
  area.focus()
  area.setSelectionRange(area.value.length, area.value.length)
  const data = new DataTransfer()
  data.setData('text/html', html)
  const options = { clipboardData: data, bubbles: true, cancelable: true }
  area.dispatchEvent(new ClipboardEvent('paste', options))
}"""
SHEET = """<html><head><style>td { color: red }</style></head><body><!--StartFragment-->
<table><tr><td>Time</td><td>Tide</td></tr><tr><td>06:00</td><td>low | slack</td></tr>
<tr><td>12:10</td></tr></table><!--EndFragment--></body></html>"""
TABLE = r"""| Time | Tide |
| --- | --- |
| 06:00 | low \| slack |
| 12:10 |  |"""


def give(page: Page, name: str, kind: str) -> None:
    area = page.get_by_role("textbox", name="Markdown").element_handle()
    page.evaluate(DROP, [area, base64.b64encode(PIXEL).decode(), name, kind])


def test_markdown_is_written_beside_its_preview_with_images_that_are_dropped(
    site: Site, page: Page, open_page: OpenPage
) -> None:
    made = site.api("POST", SAMPLES, {"name": "Tide tables", "markdown": LINES})["data"]
    address = f"/admin/content/api::sample.sample/{made['documentId']}"
    go_on(page, address)
    mode = page.get_by_role("radiogroup", name="Mode of Markdown")
    area = page.get_by_role("textbox", name="Markdown")
    mode.get_by_text("Side by side").click()
    preview = page.get_by_role("region", name="Preview of Markdown")
    expect(preview.get_by_text("Paragraph 79 of the text")).to_have_count(1)
    area.evaluate("area => area.scrollTo(0, area.scrollHeight)")
    expect(preview.get_by_text("Paragraph 79 of the text")).to_be_in_viewport()
    preview.evaluate("pane => pane.scrollTo(0, 0)")
    page.wait_for_function("area => area.scrollTop === 0", arg=area.element_handle())

    give(page, "lighthouse.png", "drop")
    expect(preview.get_by_role("img", name="lighthouse")).to_be_visible()
    assert area.input_value().startswith("![lighthouse](")
    area.evaluate(
        "area => { area.focus(); area.setSelectionRange(area.value.length, area.value.length) }"
    )
    give(page, "buoy.png", "paste")
    expect(preview.get_by_role("img", name="buoy")).to_have_count(1)
    area.press("End")
    page.keyboard.type("\n\n<iframe src='/'></iframe>")
    expect(preview.locator("iframe")).to_have_count(0)
    expect_saved(page)
    saved = site.api("GET", f"{SAMPLES}/{made['documentId']}")["data"]["markdown"]
    assert saved.startswith("![lighthouse](/uploads/")
    assert "![buoy](/uploads/" in saved.splitlines()[-3]

    area.fill("Today")
    area.evaluate(PASTE, SHEET)
    expect(area).to_have_value(f"Today\n\n{TABLE}\n")
    expect(preview.get_by_role("cell", name="low | slack")).to_be_visible()
    area.evaluate(PASTE, f"<p>Not a table alone</p>{SHEET}")
    expect(area).to_have_value(f"Today\n\n{TABLE}\n")

    page.get_by_role("group", name="Markdown").get_by_role("button", name="Full screen").click()
    dialog = page.get_by_role("dialog", name="Markdown")
    expect(dialog.get_by_role("region", name="Preview of Markdown")).to_be_visible()
    assert_accessible_in_both_schemes(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    phone = open_page(
        site.address, viewport={"width": 390, "height": 844}, storage_state=site.session()
    )
    phone.goto(address)
    phone.get_by_role("radiogroup", name="Mode of Markdown").get_by_text("Preview").click()
    expect(phone.get_by_role("region", name="Preview of Markdown")).to_be_visible()
    expect(phone.get_by_text("Side by side")).to_have_count(0)
