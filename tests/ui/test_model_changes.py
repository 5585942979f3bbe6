from playwright.sync_api import Page, expect

from tests.ui.models import (
    add_field,
    assert_accessible,
    content_type,
    update,
)
from tests.ui.site import Site


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

    def leave(dialog) -> None:  # noqa: ANN001 - Playwright's Dialog
        dialogs.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    assert dialogs == ["beforeunload"]
    left = page.get_by_role("region", name="You left changes pending")
    expect(left.get_by_text("adds “isbn”")).to_be_visible()
    expect(left.get_by_text("removes “pages”")).to_be_visible()
    assert_accessible(page)
    isbn = {"action": "create", "name": "isbn", "properties": {"type": "text"}}
    update(studio, content_type("book", isbn))
    page.reload()
    expect(left.get_by_text("(the name is taken)")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    left.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("1 change", exact=True)).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    page.wait_for_timeout(400)
    page.reload()
    expect(page.get_by_role("heading", name="Book")).to_be_visible()
    expect(left).to_have_count(0)
