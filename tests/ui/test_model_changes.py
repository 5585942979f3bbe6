from playwright.sync_api import Dialog, Page, expect

from tests.ui.conftest import go_on
from tests.ui.models import (
    add_field,
    apply_changes,
    assert_accessible,
    attributes_of,
    content_type,
    row,
    update,
)
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone


def test_changes_that_a_closed_page_has_left_are_offered_on_the_present_model(
    studio: Site, builder: Page
) -> None:
    page = builder
    title = {"action": "create", "name": "title", "properties": {"type": "string"}}
    pages = {"action": "create", "name": "pages", "properties": {"type": "integer"}}
    update(studio, content_type("book", title, pages, action="create"))
    page.goto("/admin/model/api::book.book")
    page.get_by_role("button", name="Add field", exact=True).click()
    add_field(page, "", "isbn")
    page.get_by_role("button", name="Close").click()
    page.locator(".quire-field-row").filter(has_text="pages").get_by_role("button").last.click()
    page.get_by_role("button", name="Remove field pages").click()
    expect(page.get_by_text("2 changes")).to_be_visible()
    dialogs: list[str] = []

    def leave(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    page.remove_listener("dialog", leave)
    assert dialogs == ["beforeunload"]
    left = page.get_by_role("region", name="You left changes pending")
    expect(left.get_by_text("adds “isbn”")).to_be_visible()
    expect(left.get_by_text("removes “pages”")).to_be_visible()
    assert_accessible(page)
    isbn = {"action": "create", "name": "isbn", "properties": {"type": "text"}}
    update(studio, content_type("book", isbn))
    page.reload()
    expect(left.get_by_text("(the name is taken)")).to_be_visible()
    assert_fits_phone(page)
    left.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("1 change", exact=True)).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    page.reload()
    expect(page.get_by_role("heading", name="Book")).to_be_visible()
    expect(left).to_have_count(0)


def test_types_and_fields_are_copied_and_fields_move_into_a_component(  # noqa: PLR0915 - one journey
    studio: Site, builder: Page
) -> None:
    page = builder
    fields = [
        {"action": "create", "name": name, "properties": {"type": "string"}}
        for name in ("name", "street", "town")
    ]
    owner = {
        "action": "create",
        "name": "owner",
        "properties": {
            "type": "relation",
            "relation": "manyToOne",
            "target": "api::author.author",
            "targetAttribute": "shops",
        },
    }
    update(studio, content_type("shop", *fields, owner, action="create"))
    studio.api(
        "POST",
        "/content-manager/collection-types/api::shop.shop",
        {"name": "Corner", "street": "High Street"},
    )
    view = "/content-manager/content-types/api::{0}.{0}/configuration"
    layout = [[{"name": "town", "size": 8}], [{"name": "name", "size": 12}]]
    shop = studio.api("GET", view.format("shop"))["data"]["contentType"]
    for one in shop["metadatas"].values():
        one["list"].pop("mainField", None)
    shop["metadatas"]["town"]["edit"]["label"] = "City"
    body = {"settings": shop["settings"], "metadatas": shop["metadatas"]}
    layouts = {"edit": layout, "list": ["name", "town"]}
    studio.api("PUT", view.format("shop"), {**body, "layouts": layouts})

    page.goto("/admin/model/api::shop.shop?tab=settings")
    page.get_by_role("button", name="Copy Shop").click()
    dialog = page.get_by_role("dialog", name="Copy Shop")
    dialog.get_by_label("Display name").fill("Shop")
    expect(dialog.get_by_text("Another type uses the name shops.")).to_be_visible()
    dialog.get_by_label("Display name").fill("Kiosk")
    expect(dialog.get_by_text("owner leads the same way in the copy")).to_be_visible()
    assert_accessible(page)
    dialog.get_by_role("button", name="Continue").click()
    row(page, "town").get_by_role("button").last.click()
    page.get_by_role("button", name="Copy field town").click()
    copying = page.get_by_role("dialog", name="Copy field town")
    copying.get_by_role("combobox", name="Into").fill("author")
    page.get_by_role("option", name="Author", exact=True).click()
    assert_accessible(page)
    copying.get_by_role("button", name="Copy field").click()
    expect(page.get_by_role("heading", name="Author")).to_be_visible()
    apply_changes(page)
    kiosk = attributes_of(studio, "api::kiosk.kiosk")
    assert list(kiosk) == ["name", "street", "town", "owner"]
    assert kiosk["owner"]["targetAttribute"] is None
    assert attributes_of(studio, "api::author.author")["town"]["type"] == "string"
    copied = studio.api("GET", view.format("kiosk"))["data"]["contentType"]
    assert copied["layouts"]["edit"] == layout
    assert copied["metadatas"]["town"]["edit"]["label"] == "City"

    go_on(page, "/admin/model/api::kiosk.kiosk?tab=settings")
    page.get_by_role("button", name="Create 10 sample entries").click()
    expect(page.get_by_text("10 sample entries were created.")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Show the entries").click()
    expect(page.get_by_role("link", name="Name 10", exact=True)).to_be_visible()

    go_on(page, "/admin/model/api::shop.shop")
    page.get_by_role("checkbox", name="Select street").check()
    page.get_by_role("checkbox", name="Select town").check()
    page.emulate_media(color_scheme="dark")
    assert_accessible(page)
    page.get_by_role("button", name="Move into a component").click()
    moving = page.get_by_role("dialog", name="Move fields into a new component")
    moving.get_by_label("Display name").fill("Address")
    assert_accessible(page)
    moving.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("removes 1 value that somebody has written")).to_be_visible()
    page.get_by_role("button", name="Apply now").click()
    review = page.get_by_role("dialog", name="Review changes")
    review.get_by_label("Type Shop to confirm").fill("Shop")
    review.get_by_role("button", name="Apply and remove").click()
    expect(page.get_by_text("Applied.")).to_be_visible()
    assert list(attributes_of(studio, "api::shop.shop")) == ["name", "address", "owner"]
    assert list(attributes_of(studio, "shared.address")) == ["street", "town"]
