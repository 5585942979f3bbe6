"""The media library: folders, file details, usage."""

import base64
import re
from typing import Any

from playwright.sync_api import FilePayload, Page, Route, expect

from tests.ui.accessibility import assert_accessible, assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.pictures import take_picture
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\n%%EOF"
)


def viewer_enabled(value: str) -> str:
    """Return the script that makes a browser say whether it has a viewer of PDFs."""
    rest = f"{{value: {value}, configurable: true}}"
    return f"Object.defineProperty(navigator, 'pdfViewerEnabled', {rest})"


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
    go_on(page, "/admin/media")
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
    assert_accessible_in_both_schemes(page)
    dialog.get_by_label("Alternative text of quayside-00.png").focus()
    for at in (0, 1):
        page.keyboard.type(f"Pier {at}")
        if at == 0:
            page.keyboard.press("Enter")
    expect(dialog.get_by_label("Alternative text of quayside-01.png")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("From the east")
    page.keyboard.press("Escape")  # what was typed is not lost
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    texts = {
        one["name"]: (one["alternativeText"], one["caption"])
        for one in find_files(site, "quayside")
    }
    assert len(texts) == 20
    assert texts["quayside-00.png"] == ("Pier 0", None)
    assert texts["quayside-01.png"] == ("Pier 1", "From the east")
    page.get_by_role("checkbox", name="Select quayside-19.png").check()
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Move").click()
    expect(page.get_by_text("19 files", exact=True)).to_be_visible()


def test_dialogs_about_many_files_ask_the_server_once(site: Site, page: Page) -> None:
    go_on(page, "/admin/media")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(pictures("breakwater", 30))
    expect(page.get_by_role("region", name="Running work")).to_contain_text("30 of 30")
    (used,) = find_files(site, "breakwater-07")
    path = "/content-manager/collection-types/api::article.article"
    article = site.api("POST", path, {"title": "On the breakwater", "cover": used["id"]})["data"]
    go_on(page, "/admin/media?q=breakwater")
    page.get_by_role("checkbox", name="Select all").check()
    asked: list[str] = []
    about_files = re.compile("/admin/x/media/|/upload/files")
    page.on("request", lambda one: asked.append(one.url) if about_files.search(one.url) else None)
    page.get_by_role("button", name="Alternative texts").click()
    dialog = page.get_by_role("dialog", name="Alternative texts")
    expect(dialog.get_by_role("textbox", name="Alternative text of")).to_have_count(30)
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog", name="Delete 30 files from the library?")
    expect(dialog.get_by_role("link", name="On the breakwater")).to_be_visible()
    expect(dialog.get_by_text("Nothing uses these 29 files: ")).to_be_visible()
    assert len(asked) == 2
    assert_accessible_in_both_schemes(page)
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No file matches")).to_be_visible()
    site.api("DELETE", f"{path}/{article['documentId']}")


def test_files_are_deleted_although_one_of_them_has_been_deleted_meanwhile(
    site: Site, page: Page
) -> None:
    go_on(page, "/admin/media")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(pictures("sluice", 4))
    expect(page.get_by_role("region", name="Running work")).to_contain_text("4 of 4")
    go_on(page, "/admin/media?q=sluice")
    page.get_by_role("checkbox", name="Select all").check()
    gone, later, *_ = sorted(find_files(site, "sluice"), key=lambda file: str(file["name"]))
    site.api("DELETE", f"/upload/files/{gone['id']}")
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog", name="Delete 4 files from the library?")
    expect(dialog.get_by_text("One was deleted already. sluice-00.png")).to_be_visible()
    expect(dialog.get_by_text("Nothing uses these 3 files: ")).to_be_visible()
    site.api("DELETE", f"/upload/files/{later['id']}")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("2 deleted. 2 were deleted already.")).to_be_visible()
    expect(page.get_by_text("No file matches")).to_be_visible()


def test_a_file_says_where_it_is_used_and_is_changed_replaced_and_deleted(
    site: Site, page: Page
) -> None:
    go_on(page, "/admin/media?q=lighthouse-at-dusk")
    page.get_by_role("button", name="Open lighthouse-at-dusk.jpg").click()
    drawer = page.get_by_role("dialog", name="lighthouse-at-dusk.jpg")
    used = drawer.get_by_role("region", name="Used in")
    expect(used.get_by_role("link").first).to_be_visible()
    drawer.get_by_alt_text(re.compile("^A lighthouse")).click(position={"x": 20, "y": 20})
    expect(drawer.get_by_text("Focal point at")).to_be_visible()
    drawer.get_by_label("Caption").fill("The lamp is lit")
    # Keys set the focal point as well as the pointer.
    drawer.get_by_label("From the top").fill("35")
    drawer.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved", exact=True).first).to_be_visible()
    (file,) = find_files(site, "lighthouse-at-dusk")
    assert file["caption"] == "The lamp is lit"
    assert file["focalPoint"]["x"] < 20
    assert file["focalPoint"]["y"] == 35
    drawer.get_by_role("button", name="Delete").click()
    question = page.get_by_role("dialog", name="Delete this from the library?")
    expect(question.get_by_role("region", name="Used in").get_by_role("link").first).to_be_visible()
    assert_accessible(page)
    question.get_by_role("button", name="Cancel").click()

    go_on(page, "/admin/media")
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


def test_an_image_is_cropped_to_a_copy_and_in_place(site: Site, page: Page) -> None:
    go_on(page, "/admin/media?q=lighthouse-at-dusk")
    page.get_by_role("button", name="Open lighthouse-at-dusk.jpg").click()
    drawer = page.get_by_role("dialog", name="lighthouse-at-dusk.jpg", exact=True)
    drawer.get_by_role("button", name="Crop").click()
    dialog = page.get_by_role("dialog", name="Crop lighthouse-at-dusk.jpg")
    expect(dialog.get_by_text("Choose an area first.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Save as a copy")).to_be_disabled()
    choose(page, "Shape", "1:1")
    dialog.get_by_label("Width").fill("400")
    expect(dialog.get_by_label("Height")).to_have_value("400 px")
    dialog.get_by_role("group", name="Area of the image").press("ArrowRight")
    assert_accessible_in_both_schemes(page)
    dialog.get_by_role("button", name="Save as a copy").click()
    copy = page.get_by_role("dialog", name="lighthouse-at-dusk-cropped.jpg", exact=True)
    expect(copy.get_by_text(re.compile("400 . 400"))).to_be_visible()

    copy.get_by_role("button", name="Crop").click()
    dialog = page.get_by_role("dialog", name="Crop lighthouse-at-dusk-cropped.jpg")
    choose(page, "Shape", "16:9")
    dialog.get_by_role("button", name="Replace the image").click()
    expect(dialog.get_by_role("alert")).to_contain_text("cannot be brought back")
    dialog.get_by_role("button", name="Replace the image").click()
    expect(copy.get_by_text(re.compile("400 . 225"))).to_be_visible()
    names = [one["name"] for one in find_files(site, "lighthouse-at-dusk")]
    assert sorted(names) == ["lighthouse-at-dusk-cropped.jpg", "lighthouse-at-dusk.jpg"]
    copy.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Open lighthouse-at-dusk-cropped.jpg")).to_have_count(0)


def test_the_address_of_another_size_is_shown_with_its_image(site: Site, page: Page) -> None:
    go_on(page, "/admin/media?q=lighthouse-at-dusk")
    page.get_by_role("button", name="Open lighthouse-at-dusk.jpg").click()
    sizes = page.get_by_role("region", name="Sizes on demand")
    address = sizes.get_by_label("Address", exact=True)
    expect(address).to_have_value(re.compile(r"/uploads/x/lighthouse_at_dusk_\w+\.jpg\?w=320$"))
    sizes.get_by_text("Fill", exact=True).click()
    expect(sizes.get_by_text("give its width and its height")).to_be_visible()
    choose(page, "Height", "320")
    choose(page, "Type", "WEBP")
    expect(address).to_have_value(re.compile(r"\?w=320&h=320&fit=cover&format=webp$"))
    expect(sizes.get_by_text(re.compile(r"^320 . 320 · \d+ kB$"))).to_be_visible()
    assert_accessible_in_both_schemes(page)


def test_files_are_dragged_onto_folders_and_filtered_by_date_and_size(
    site: Site, page: Page
) -> None:
    top = site.api("POST", "/upload/folders", {"name": "Archive of harbours", "parent": None})
    below = {"name": "Lamps", "parent": top["data"]["id"]}
    site.api("POST", "/upload/folders", below)
    go_on(page, "/admin/media")
    tree = page.get_by_role("tree", name="Folders")
    tree.get_by_text("Archive of harbours").click()
    expect(page.get_by_text("This folder is empty")).to_have_count(0)  # there is a folder in it
    expect(page.get_by_role("button", name="Lamps", exact=True)).to_be_visible()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(pictures("dragged", 2))
    for at in (0, 1):
        page.get_by_role("checkbox", name=f"Select dragged-{at:02}.png").check()
    page.get_by_role("button", name="Open dragged-00.png").drag_to(
        page.get_by_role("button", name="Lamps", exact=True)
    )
    expect(page.get_by_role("button", name="Open dragged-00.png")).to_have_count(0)
    page.get_by_role("button", name="Lamps", exact=True).click()
    page.get_by_role("button", name="Open dragged-01.png").drag_to(tree.get_by_text("Library"))
    expect(page.get_by_role("button", name="Open dragged-01.png")).to_have_count(0)
    expect(page.get_by_role("button", name="Open dragged-00.png")).to_be_visible()
    tree.get_by_role("treeitem", name="Library").focus()
    page.keyboard.press("Enter")

    page.get_by_role("button", name="Date and size").click()
    limits = page.get_by_role("dialog", name="Date and size")
    limits.get_by_role("button", name="Today").click()
    limits.get_by_label("At most").fill("0.001")
    assert_accessible_in_both_schemes(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Open dragged-00.png")).to_be_visible()
    expect(page.get_by_role("button", name="Open lighthouse-at-dusk.jpg")).to_have_count(0)
    page.get_by_role("button", name="Date and size: 2").click()
    limits.get_by_label("From").fill("2020-01-01")
    limits.get_by_label("To").fill("2020-12-31")
    expect(page.get_by_text("No file matches")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_role("button", name="Open lighthouse-at-dusk.jpg")).to_be_visible()


def test_several_addresses_are_imported_and_those_that_failed_are_named(
    site: Site, page: Page
) -> None:
    go_on(page, "/admin/media")
    page.get_by_role("button", name="Import from a URL").click()
    dialog = page.get_by_role("dialog", name="Import from a URL")
    dialog.get_by_label("Addresses of files").fill("ftp://example.org/a.png")
    dialog.get_by_role("button", name="Import from a URL").click()
    expect(dialog.get_by_text("begins with http:// or https://")).to_be_visible()
    assert_accessible_in_both_schemes(page)
    # Addresses inside the network of the server are rejected.
    inside = [f"{site.address}/uploads/{at}.png" for at in (1, 2)]
    dialog.get_by_label("Addresses of files").fill("\n".join(inside))
    page.keyboard.press("Control+Enter")
    expect(dialog).to_be_hidden()
    jobs = page.get_by_role("region", name="Running work")
    expect(jobs).to_contain_text("2 of 2")
    expect(jobs).to_contain_text("2 failed")
    expect(jobs).to_contain_text(f"{inside[0]}: ")


def test_an_upload_that_failed_is_tried_again(site: Site, page: Page) -> None:
    go_on(page, "/admin/media?page=999")
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


def test_an_upload_goes_on_with_a_new_token_when_its_own_has_expired(
    site: Site, own_page: Page
) -> None:
    page = own_page
    tokens: list[str] = []

    def refuse_the_first(route: Route) -> None:
        tokens.append(route.request.headers["authorization"])
        if len(tokens) > 1:
            route.continue_()
            return
        message = "Missing or invalid credentials"
        error = {"status": 401, "name": "UnauthorizedError", "message": message, "details": {}}
        route.fulfill(status=401, json={"data": None, "error": error})

    page.route("**/upload", refuse_the_first)
    page.goto("/admin/media")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(pictures("late", 1))
    expect(page.get_by_role("region", name="Running work")).to_contain_text("1 of 1")
    assert len(tokens) == 2
    assert [one["name"] for one in find_files(site, "late-00")] == ["late-00.png"]


def test_a_single_file_of_an_upload_is_cancelled(site: Site, own_page: Page) -> None:
    page = own_page
    page.goto("/admin/media")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/upload", hold)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(pictures("dropped", 5))
    jobs = page.get_by_role("region", name="Running work")
    expect(jobs.get_by_role("listitem")).to_have_count(5)
    # Three are sent at once: one of them is cancelled, and one that still waits.
    for at in (1, 4):
        jobs.get_by_role("button", name=f"Cancel: dropped-{at:02}.png").click()
        expect(jobs.get_by_text(f"dropped-{at:02}.png")).to_have_count(0)
    assert_accessible_in_both_schemes(page)
    assert len(held) == 4
    for route in (held[0], held[2], held[3]):
        route.continue_()
    expect(jobs).to_contain_text("3 of 3")
    names = {one["name"] for one in find_files(site, "dropped")}
    assert names == {f"dropped-{at:02}.png" for at in (0, 2, 3)}
    page.reload()


def test_a_pdf_is_shown_by_the_viewer_of_the_browser_or_linked(site: Site, own_page: Page) -> None:
    page = own_page
    viewer = (
        "Object.defineProperty(navigator, 'pdfViewerEnabled', {{value: {}, configurable: true}})"
    )
    page.add_init_script(viewer.format("false"))
    page.goto("/admin/media")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(
        FilePayload(name="soundings.pdf", mimeType="application/pdf", buffer=PDF)
    )
    expect(page.get_by_role("region", name="Running work")).to_contain_text("1 of 1")
    page.get_by_role("button", name="Open soundings.pdf").click()
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_text("This browser cannot show the PDF here.")).to_be_visible()
    address = find_files(site, "soundings")[0]["url"]
    link = drawer.get_by_role("link", name="Open file")
    expect(link).to_have_attribute("href", re.compile(re.escape(address)))
    assert_accessible_in_both_schemes(page)

    page.add_init_script(viewer_enabled("true"))
    page.goto("/admin/media?q=soundings")
    with page.expect_response(lambda one: address in one.url) as framed:
        page.get_by_role("button", name="Open soundings.pdf").click()
    expect(drawer.locator("iframe[title='soundings.pdf']")).to_be_visible()
    assert framed.value.headers["content-type"] == "application/pdf"
    policy = framed.value.headers["content-security-policy"]
    assert "object-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy


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


def test_a_role_without_read_permission_sees_a_message_and_no_controls(
    site: Site, open_page: OpenPage
) -> None:
    role = site.api("POST", "/admin/roles", {"name": "Outsider", "description": ""})["data"]
    site.add_person("outsider@example.org", "Otto", role["id"])
    page = open_page(site.address, storage_state=site.session("outsider@example.org"))
    page.goto("/admin/media")
    expect(page.get_by_role("alert")).to_contain_text(
        "Your role may not open “Media library”. It lacks the permission plugin::upload.read."
    )
    expect(page.get_by_role("textbox", name="Search files")).to_have_count(0)
    assert_accessible_in_both_schemes(page)


def test_the_library_is_accessible_as_cards_and_as_a_table(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    go_on(page, "/admin/media?kind=images&sort=name:ASC")
    expect(page.get_by_role("button", name=re.compile("^Open ")).first).to_be_visible()
    assert_accessible_in_both_schemes(page)
    page.set_viewport_size({"width": 1280, "height": 380})
    take_picture(page, "media")
    go_on(page, "/admin/media?view=table")
    expect(page.get_by_role("table")).to_be_visible()
    assert_accessible_in_both_schemes(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert_accessible(page)
    assert_fits_phone(page)
