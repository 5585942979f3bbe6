from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.ui.conftest import OpenPage, go_on
from tests.ui.models import (
    add_field,
    apply_changes,
    assert_accessible,
    attributes_of,
    content_type,
    row,
    update,
)
from tests.ui.pictures import take_picture
from tests.ui.site import EMAIL, HTTP, PASSWORD, Site, serve_empty
from tests.ui.steps import assert_fits_phone, move_with_keys

LONGEST_CLICKS = 14
"""Clicks into fields of forms included: they get the focus by themselves, or by the tab key."""
EIGHT_FIELDS = (
    ("", "title"),
    ("long", "summary"),
    ("blocks", "body"),
    ("decimal", "price"),
    ("date and", "starts at"),
    ("boolean", "open"),
    ("media", "picture"),
    ("author", "host"),
)


def test_a_newcomer_gets_from_nothing_to_json_in_fourteen_clicks(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with serve_empty(tmp_path) as site:
        page = open_page(site.address)
        page.goto(site.registration)
        clicks: list[Locator] = []

        def click(target: Locator) -> None:
            clicks.append(target)
            target.click()

        def fill(target: Locator, words: str) -> None:
            click(target)
            page.keyboard.type(words)

        expect(page.get_by_label("E-mail")).to_be_focused()
        page.keyboard.type(EMAIL)
        fill(page.get_by_label("First name"), "Ada")
        fill(page.get_by_label("New password"), PASSWORD)
        fill(page.get_by_label("Repeat password"), PASSWORD)
        click(page.get_by_role("button", name="Create administrator"))
        click(page.get_by_role("button", name="New collection"))
        expect(page.get_by_label("Display name")).to_be_focused()
        page.keyboard.type("Story")
        click(page.get_by_role("button", name="Continue"))
        expect(page.get_by_role("textbox", name="Search types of fields")).to_be_focused()
        click(page.get_by_role("option", name="Text Titles"))
        expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_focused()
        page.keyboard.type("title")
        click(page.get_by_role("button", name="Apply now"))
        click(page.get_by_role("switch", name="Visitors may read it"))
        click(page.get_by_role("link", name="Create entry"))
        expect(page.get_by_role("textbox", name="Title").first).to_be_focused()
        page.keyboard.type("Low tide")
        click(page.get_by_role("button", name="Publish", exact=True))
        expect(page.get_by_text("Published", exact=True).first).to_be_visible()
        click(page.get_by_role("tab", name="API"))
        click(page.get_by_role("button", name="Send", exact=True))
        expect(page.get_by_text('"title": "Low tide"')).to_be_visible()
        assert len(clicks) <= LONGEST_CLICKS
        [entry] = HTTP.get(f"{site.address}/api/stories").json()["data"]
        assert entry["title"] == "Low tide"


def test_a_type_is_made_changed_and_undone_with_what_was_removed(  # noqa: PLR0915 - one journey
    studio: Site, builder: Page
) -> None:
    page = builder
    page.goto("/admin")
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()
    page.keyboard.type("gm")
    page.get_by_role("button", name="New collection").first.click()
    page.get_by_label("Display name").fill("Boolean")
    expect(page.get_by_text("The name boolean is reserved.")).to_be_visible()
    page.get_by_label("Display name").fill("Event")
    page.get_by_label("Display name").press("Enter")
    for search, name in EIGHT_FIELDS[:-1]:
        add_field(page, search, name)
        page.get_by_role("textbox", name="Name", exact=True).press("Enter")
    add_field(page, *EIGHT_FIELDS[-1])
    page.get_by_label("Name of the field in Author").fill("events")
    expect(page.get_by_text("Each Author has many Event entries, in “events”.")).to_be_visible()
    expect(page.get_by_text("No stored values are lost.")).to_be_visible()
    page.mouse.move(700, 600)  # lets the tip of the button go
    expect(page.get_by_role("tooltip")).to_have_count(0)
    assert_accessible(page)
    take_picture(page, "model")
    apply_changes(page)
    expect(
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Event")
    ).to_be_visible()
    made = attributes_of(studio, "api::event.event")
    assert list(made) == [
        "title", "summary", "body", "price", "startsAt", "open", "picture", "host",
    ]  # fmt: skip
    assert attributes_of(studio, "api::author.author")["events"]["mappedBy"] == "host"

    entries = "/content-manager/collection-types/api::event.event"
    studio.api("POST", entries, {"title": "Low tide", "price": 7.5})
    row(page, "title").get_by_role("button").last.click()
    typed = page.get_by_role("textbox", name="Name", exact=True)
    typed.fill("price")
    expect(page.get_by_role("alert").get_by_text("There is a field price already.")).to_be_visible()
    typed.fill("head line")
    expect(page.get_by_text("renames “title” to “headLine”")).to_be_visible()
    move_with_keys(page, page.get_by_role("button", name="Move headLine"), "ArrowDown", to=2)
    expect(page.get_by_text("reorders the fields of Event")).to_be_visible()
    apply_changes(page)
    assert list(attributes_of(studio, "api::event.event"))[:2] == ["summary", "headLine"]
    assert studio.api("GET", entries)["results"][0]["headLine"] == "Low tide"
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("The model is as it was before")).to_be_visible()
    assert next(iter(attributes_of(studio, "api::event.event"))) == "title"

    row(page, "price").get_by_role("button").last.click()
    page.get_by_role("button", name="Remove field price").click()
    expect(page.get_by_text("removes 1 value that somebody has written")).to_be_visible()
    page.get_by_role("button", name="Apply now").click()
    dialog = page.get_by_role("dialog", name="Review changes")
    expect(dialog.get_by_text("Drop the column price of events with 1 value")).to_be_visible()
    consent = dialog.get_by_role("button", name="Apply and remove")
    expect(consent).to_be_disabled()
    assert_accessible(page)
    dialog.get_by_label("Type Event to confirm").fill("Event")
    take_picture(page, "model-review")
    consent.click()
    expect(dialog).to_be_hidden()
    assert "price" not in studio.api("GET", entries)["results"][0]
    page.get_by_role("link", name="Removed data").click()
    expect(page.get_by_role("button", name="Restore")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("with 1 row restored")).to_be_visible()
    assert studio.api("GET", entries)["results"][0]["price"] == 7.5
    page.get_by_role("button", name="Delete for good").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Nothing was removed")).to_be_visible()


def test_components_zones_and_the_schema_file_are_edited(  # noqa: PLR0915 - one journey
    studio: Site, builder: Page
) -> None:
    page = builder
    update(studio, content_type("page", action="create"))
    page.goto("/admin/model/api::page.page")
    page.get_by_role("button", name="Add field", exact=True).click()
    add_field(page, "dynamic", "sections")
    page.get_by_role("button", name="New component").last.click()
    dialog = page.get_by_role("dialog", name="New component")
    dialog.get_by_label("Display name").fill("Quote")
    dialog.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Quote").click()
    add_field(page, "long", "words")
    apply_changes(page)
    assert attributes_of(studio, "api::page.page")["sections"]["components"] == ["shared.quote"]

    go_on(page, "/admin/model/api::page.page?tab=json")
    editor = page.get_by_role("textbox", name="Schema of Page")
    editor.click()
    page.keyboard.press("Control+End")
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    page.keyboard.type("x")
    expect(page.get_by_text("This is not valid JSON")).to_be_visible()
    page.keyboard.press("Backspace")
    expect(page.get_by_text("This is not valid JSON")).to_have_count(0)
    file = '{"info": {"displayName": "Sheet"}, "attributes": {"note": {"type": "text"}}}'
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import").click()
    chooser.value.set_files(
        {"name": "schema.json", "mimeType": "application/json", "buffer": file.encode()}
    )
    expect(page.get_by_role("heading", name="Sheet")).to_be_visible()
    expect(page.get_by_text("removes “sections”")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("heading", name="Page")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert '"shared.quote"' in download.value.path().read_text()
    page.get_by_text("Settings", exact=True).last.click()
    page.get_by_label("API id (singular)").fill("leaf")
    page.get_by_label("API id (plural)").fill("leaves")
    page.get_by_label("Localization").check(force=True)
    assert_accessible(page)
    apply_changes(page)
    assert studio.api("GET", "/content-type-builder/content-types/api::leaf.leaf")["data"]

    page.get_by_text("Layout", exact=True).click()
    resize = page.get_by_role("button", name="Width of sections")
    resize.focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Field sections").click()
    page.get_by_label("Label").fill("Parts of the page")
    assert_accessible(page)
    take_picture(page, "model-layout")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Layout saved")).to_be_visible()
    view = studio.api("GET", "/content-manager/content-types/api::leaf.leaf/configuration")["data"]
    assert view["contentType"]["layouts"]["edit"] == [[{"name": "sections", "size": 11}]]
    page.get_by_role("link", name="Diagram").click()
    expect(page.get_by_role("list", name="Relations of the model")).to_be_attached()
    assert_accessible(page)
    take_picture(page, "model-diagram")


def test_the_model_is_shown_where_it_cannot_be_changed_and_hidden_from_other_roles(
    studio: Site, builder: Page, open_page: OpenPage
) -> None:
    page = builder
    reason = {"writable": False, "reason": "The folder src/api cannot be written"}
    page.route("**/admin/x/model/state", lambda route: route.fulfill(json={"data": reason}))
    page.emulate_media(color_scheme="dark")
    page.goto("/admin/model/api::author.author")
    expect(page.get_by_text("The model cannot be changed here")).to_be_visible()
    expect(page.get_by_text("The folder src/api cannot be written")).to_be_visible()
    expect(page.get_by_role("button", name="Add field")).to_have_count(0)
    row(page, "name").get_by_role("button").click()
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_disabled()
    assert_accessible(page)

    roles = studio.api("GET", "/admin/roles")["data"]
    author = next(role["id"] for role in roles if role["code"] == "strapi-author")
    admin_user = {"email": "nina@example.org", "firstname": "Nina", "roles": [author]}
    invited = studio.api("POST", "/admin/users", admin_user)["data"]
    studio.api("PUT", f"/admin/users/{invited['id']}", {"password": PASSWORD, "isActive": True})
    other = open_page(studio.address, storage_state=studio.session("nina@example.org"))
    other.goto("/admin")
    expect(other.get_by_role("link", name="Model")).to_have_count(0)
    go_on(other, "/admin/model/api::author.author")
    expect(other.get_by_text("Your role may not open “Model”.")).to_be_visible()

    phone = open_page(
        studio.address, viewport={"width": 390, "height": 844}, storage_state=studio.session()
    )
    phone.goto("/admin/model")
    phone.get_by_role("button", name="Types and components").click()
    phone.get_by_role("dialog").get_by_role("link", name="Author").click()
    row(phone, "name").get_by_role("button").last.click()
    phone.get_by_label("Maximum length").fill("40")
    phone.get_by_role("button", name="Close").click()
    expect(phone.get_by_role("button", name="Apply now")).to_be_visible()
    assert_fits_phone(phone)
    assert_accessible(phone)


def test_a_type_and_a_component_are_renamed_past_the_names_of_others(
    studio: Site, builder: Page
) -> None:
    page = builder
    linked = {
        "action": "create",
        "name": "shoe",
        "properties": {"type": "relation", "relation": "manyToOne", "target": "api::shoe.shoe"},
    }
    components = tuple(
        {
            "action": "create",
            "uid": f"parts.{name}",
            "displayName": name.capitalize(),
            "category": "parts",
            "attributes": [],
        }
        for name in ("lace", "sole")
    )
    update(
        studio,
        content_type("shoe", action="create"),
        content_type("boot", linked, action="create"),
        components=components,
    )
    page.goto("/admin/model/api::boot.boot?tab=settings")
    singular = page.get_by_label("API id (singular)")
    singular.fill("")
    singular.press_sequentially("shoe")
    expect(page.get_by_text("Another type uses the name shoe.").first).to_be_visible()
    singular.press_sequentially("horn")
    expect(singular).to_have_value("shoehorn")
    page.get_by_label("API id (plural)").fill("shoehorns")
    apply_changes(page)
    assert attributes_of(studio, "api::shoehorn.shoehorn")["shoe"]["target"] == "api::shoe.shoe"

    page.goto("/admin/model/parts.sole?tab=settings")
    name = page.get_by_label("Id", exact=True)
    name.fill("")
    name.press_sequentially("laces")
    expect(name).to_have_value("laces")
    apply_changes(page)
    assert attributes_of(studio, "parts.laces") == {}
