"""The media library: files by folder, what they show, where they are used."""

import base64
import re
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.ui.accessibility import assert_accessible
from tests.ui.conftest import OpenPage
from tests.ui.pictures import take_picture
from tests.ui.site import Site

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def pictures(word: str, number: int) -> list[FilePayload]:
    return [
        FilePayload(name=f"{word}-{at:02}.png", mimeType="image/png", buffer=PIXEL)
        for at in range(number)
    ]


def find_files(site: Site, word: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.api("GET", f"/upload/files?_q={word}&pageSize=100")[
        "results"
    ]
    return found


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_twenty_images_are_uploaded_into_a_folder_described_and_moved(
    site: Site, page: Page
) -> None:
    page.goto("/admin/media")
    page.get_by_role("button", name="New folder").click()
    page.get_by_label("Folder name").fill("Harbour")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Harbour", exact=True).click()
    expect(page.get_by_text("This folder is empty")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(pictures("quayside", 20))
    expect(page.get_by_role("region", name="Running work")).to_contain_text("20 of 20")
    expect(page.get_by_text("20 files", exact=True)).to_be_visible()
    for at in (0, 1):
        page.get_by_role("checkbox", name=f"Select quayside-{at:02}.png").check()
    page.get_by_role("button", name="Alternative texts").click()
    dialog = page.get_by_role("dialog", name="Alternative texts")
    for at in (0, 1):
        dialog.get_by_label(f"quayside-{at:02}.png").fill(f"Pier {at}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    texts = {one["name"]: one["alternativeText"] for one in find_files(site, "quayside")}
    assert len(texts) == 20
    assert (texts["quayside-00.png"], texts["quayside-01.png"]) == ("Pier 0", "Pier 1")
    page.get_by_role("checkbox", name="Select quayside-19.png").check()
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Move").click()
    expect(page.get_by_text("19 files", exact=True)).to_be_visible()


def test_a_file_says_where_it_is_used_and_is_changed_replaced_and_deleted(
    site: Site, page: Page
) -> None:
    page.goto("/admin/media?q=lighthouse-at-dusk")
    page.get_by_role("button", name="Open lighthouse-at-dusk.jpg").click()
    drawer = page.get_by_role("dialog", name="lighthouse-at-dusk.jpg")
    used = drawer.get_by_role("region", name="Used in")
    expect(used.get_by_role("link").first).to_be_visible()
    drawer.get_by_alt_text(re.compile("^A lighthouse")).click(position={"x": 20, "y": 20})
    expect(drawer.get_by_text("Focal point at")).to_be_visible()
    drawer.get_by_label("Caption").fill("The lamp is lit")
    drawer.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved", exact=True).first).to_be_visible()
    (file,) = find_files(site, "lighthouse-at-dusk")
    assert file["caption"] == "The lamp is lit"
    assert file["focalPoint"]["x"] < 20
    drawer.get_by_role("button", name="Delete").click()
    question = page.get_by_role("dialog", name="Delete this from the library?")
    expect(question.get_by_role("region", name="Used in").get_by_role("link").first).to_be_visible()
    assert_accessible(page)
    question.get_by_role("button", name="Cancel").click()

    page.goto("/admin/media")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(pictures("single", 1))
    choose(page, "Missing", "Used nowhere")
    page.get_by_role("button", name="Open single-00.png").click()
    drawer = page.get_by_role("dialog", name="single-00.png")
    expect(drawer.get_by_text("Nothing uses this file.")).to_be_visible()
    picture = drawer.locator("img").first
    before = picture.get_attribute("src")
    with page.expect_file_chooser() as chooser:
        drawer.get_by_role("button", name="Replace file").click()
    chooser.value.set_files(pictures("another", 1))
    expect(page.get_by_text("File replaced")).to_be_visible()
    expect(picture).not_to_have_attribute("src", before or "")
    drawer.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this from the library?").get_by_role(
        "button", name="Delete"
    ).click()
    expect(page.get_by_role("button", name="Open single-00.png")).to_have_count(0)
    assert find_files(site, "single-00") == []


def test_an_upload_that_failed_is_tried_again(site: Site, page: Page) -> None:
    page.goto("/admin/media?page=999")
    expect(page.get_by_role("checkbox", name=re.compile("^Select ")).nth(1)).to_be_visible()
    page.route("**/upload", lambda route: route.abort(), times=1)
    with page.expect_response("**/upload"):  # of the other file
        page.evaluate("""() => {
            const files = new DataTransfer()
            for (const name of ['pasted-1.txt', 'pasted-2.txt'])
                files.items.add(new File(['a note'], name, {type: 'text/plain'}))
            const options = {clipboardData: files, bubbles: true, cancelable: true}
            document.body.dispatchEvent(new ClipboardEvent('paste', options))
        }""")
    jobs = page.get_by_role("region", name="Running work")
    expect(jobs).to_contain_text("The server cannot be reached.")
    expect(jobs).to_contain_text("2 of 2")
    assert len(find_files(site, "pasted")) == 1
    jobs.get_by_role("button", name="Try again").click()
    expect(jobs).to_contain_text("1 of 1")
    assert {one["name"] for one in find_files(site, "pasted")} == {"pasted-1.txt", "pasted-2.txt"}


def test_a_role_that_may_only_look_has_no_other_controls(site: Site, open_page: OpenPage) -> None:
    role = site.api("POST", "/admin/roles", {"name": "Viewer", "description": ""})["data"]
    seen: dict[str, object] = {
        "action": "plugin::upload.read",
        "subject": None,
        "properties": {},
        "conditions": [],
    }
    site.api("PUT", f"/admin/roles/{role['id']}/permissions", {"permissions": [seen]})
    site.add_person("viewer@example.org", "Vera", role["id"])
    page = open_page(site.address, storage_state=site.session("viewer@example.org"))
    page.goto("/admin")
    page.get_by_role("link", name="Media library").click()
    page.get_by_role("checkbox", name=re.compile("^Select ")).first.check()
    expect(page.get_by_text("Your role may not change files.")).to_be_visible()
    expect(page.get_by_role("button", name="Upload", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Open lighthouse-at-dusk.jpg").click()
    expect(page.get_by_text("which your role may not see")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_library_is_accessible_as_cards_and_as_a_table(
    site: Site, open_page: OpenPage, scheme: str
) -> None:
    page = open_page(site.address, color_scheme=scheme, storage_state=site.session())
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/admin/media?kind=images&sort=name:ASC")
    expect(page.get_by_role("button", name=re.compile("^Open ")).first).to_be_visible()
    assert_accessible(page)
    if scheme == "light":
        page.set_viewport_size({"width": 1280, "height": 380})
        take_picture(page, "media")
    page.goto("/admin/media?view=table")
    expect(page.get_by_role("table")).to_be_visible()
    assert_accessible(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
