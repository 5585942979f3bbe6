"""Creates and changes models, over HTTP and in the model builder."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.ui import accessibility
from tests.ui.site import Site

Entry = dict[str, Any]


def content_type(name: str, *attributes: Entry, action: str = "update", **more: Any) -> Entry:  # noqa: ANN401 - JSON
    """The part of an update about a content type."""
    return {
        "action": action,
        "uid": f"api::{name}.{name}",
        "displayName": name.capitalize(),
        "singularName": name,
        "pluralName": f"{name}s",
        "kind": "collectionType",
        "draftAndPublish": False,
        "attributes": attributes,
        **more,
    }


def update(site: Site, *types: Entry, components: tuple[Entry, ...] = ()) -> None:
    body = {"data": {"contentTypes": types, "components": components}}
    site.api("POST", "/content-type-builder/update-schema", body)


def attributes_of(site: Site, uid: str) -> dict[str, Any]:
    kind = "content-types" if "::" in uid else "components"
    described = site.api("GET", f"/content-type-builder/{kind}/{uid}")["data"]
    found: dict[str, Any] = described["schema"]["attributes"]
    return found


def add_field(page: Page, search: str, name: str) -> None:
    """Choose a type in the open popover and name the field, by keys alone."""
    field = page.get_by_role("textbox", name="Search types of fields, or name a content type")
    field.fill(search)
    page.locator(".quire-choice[data-combobox-selected]").wait_for()
    field.press("Enter")
    named = page.get_by_role("textbox", name="Name", exact=True)
    expect(named).to_be_focused()
    named.fill(name)


def apply_changes(page: Page) -> None:
    page.get_by_role("button", name="Apply now").click()
    expect(page.get_by_text("Applied.")).to_be_visible()


def assert_accessible(page: Page) -> None:
    page.evaluate(accessibility.SETTLE)
    accessibility.assert_accessible(page)


def row(page: Page, name: str) -> Locator:
    return page.locator(".quire-field-row").filter(has=page.get_by_text(name, exact=True))
