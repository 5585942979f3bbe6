"""The API explorer sends requests as a role of end users, and as one of them."""

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone
from tests.ui.test_explorer import choose, send

USERS = "/content-manager/collection-types/plugin::users-permissions.user"
AUTHENTICATED = "authenticated"
SHOTS = os.environ.get("SHOTS")


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png")


def test_requests_are_sent_as_a_role_and_as_an_end_user(site: Site, page: Page) -> None:
    roles = site.api("GET", "/users-permissions/roles")["roles"]
    role = next(one for one in roles if one["type"] == AUTHENTICATED)
    user = {
        "username": "explorer-ada",
        "email": "explorer-ada@example.org",
        "password": "Secret-123-pass",
        "confirmed": True,
        "blocked": False,
        "role": {"connect": [{"id": role["id"]}]},
    }
    site.api("POST", USERS, user)
    go_on(page, "/admin/explorer?type=api::sample.sample")
    page.get_by_role("radiogroup", name="Run as").get_by_text("Role", exact=True).click()
    page.get_by_role("button", name="Send", exact=True).hover()
    expect(page.get_by_text("Choose a role first.")).to_be_visible()
    choose(page, "Role", role["name"])
    send(page, 403)
    refused = page.get_by_role("alert", name="The request was refused")
    expect(refused).to_contain_text(f"The role {role['name']} lacks api::sample.sample.find.")
    expect(page.get_by_text("lacks api::sample.sample.find")).to_have_count(1)
    assert_accessible_in_both_schemes(page)
    shot(page, "explorer-role")
    refused.get_by_role("button", name=f"Grant to the role {role['name']}").click()
    expect(page.get_by_role("status").filter(has_text="ms")).to_contain_text("200")

    page.get_by_role("radiogroup", name="Run as").get_by_text("End user", exact=True).click()
    page.get_by_role("combobox", name="End user").fill("explorer-a")
    page.get_by_role("option", name="explorer-ada").click()
    send(page, 200)
    assert_fits_phone(page)
    shot(page, "explorer-user-phone")
    choose(page, "Action", "Delete")
    expect(page.get_by_role("button", name="Send", exact=True)).to_have_attribute(
        "aria-disabled", "true"
    )
    asked = site.api("GET", "/admin/x/audit")["data"]
    assert sum(one["action"].endswith("/request") for one in asked) == 3
