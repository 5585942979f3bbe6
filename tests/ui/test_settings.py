import json
import re
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

import pytest
from playwright.sync_api import Page, Route, expect

from tests.ui.accessibility import assert_accessible, assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.pictures import take_picture
from tests.ui.site import HTTP, Site
from tests.ui.steps import assert_fits_phone

TAG = "api::tag.tag"


class Receiver:
    """A server that is called by webhooks, and keeps what it was sent."""

    def __init__(self, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.calls: list[dict[str, Any]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.calls.append(json.loads(body))
                self.send_response(status)
                self.send_header("X-Build", "41")
                self.end_headers()
                self.wfile.write(b"The build has begun")

            log_message: Callable[..., None] = lambda *_: None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/build"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def save(page: Page) -> None:
    """Save the form of the settings, and wait until the server has."""
    page.mouse.move(0, 0)  # a message stays for as long as the pointer is over it
    expect(page.get_by_text("Saved", exact=True)).to_have_count(0)  # that of an earlier save
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert").or_(page.get_by_text("Saved", exact=True)).first).to_have_text(
        "Saved"
    )


def test_a_custom_token_may_do_what_its_matrix_says_until_it_is_regenerated(
    site: Site, home: Page
) -> None:
    page = home
    page.keyboard.type("gs")
    settings = page.get_by_role("navigation", name="Settings")
    settings.get_by_role("link", name="API tokens").click()
    page.get_by_role("link", name="Create API token").click()
    page.get_by_label("Name").fill("Website")
    expect(page.get_by_role("checkbox", name="find: Article")).to_be_checked()
    page.get_by_role("radio", name="Custom").check()
    page.get_by_role("checkbox", name="All: find", exact=True).check()
    page.get_by_role("checkbox", name="find: Tag").uncheck()
    expect(page.get_by_role("checkbox", name="All of Article")).to_be_checked(indeterminate=True)
    page.get_by_label("Name").hover()  # lets the tip of the box go
    expect(page.get_by_role("tooltip")).to_have_count(0)
    assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    take_picture(page, "settings-token")
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog")
    key = dialog.locator("pre").first.inner_text()
    expect(dialog.locator("pre").last).to_contain_text("/api/articles")
    bearer = {"authorization": f"Bearer {key}"}
    assert HTTP.get(f"{site.address}/api/articles", headers=bearer).status_code == 200
    assert HTTP.get(f"{site.address}/api/tags", headers=bearer).status_code == 403
    assert HTTP.post(f"{site.address}/api/articles", headers=bearer, json={}).status_code == 403
    dialog.get_by_role("button", name="Done").click()

    expect(page.get_by_role("row", name="Website")).to_contain_text("Custom")
    page.get_by_role("link", name="Website").click()
    page.get_by_label("Description").fill("For the site")
    settings.get_by_role("link", name="API tokens").click()
    page.get_by_role("dialog", name="There are unsaved changes").get_by_role(
        "button", name="Stay"
    ).click()
    save(page)
    page.get_by_role("button", name="Regenerate").click()
    page.get_by_role("dialog").get_by_role("button", name="Regenerate").click()
    dialog = page.get_by_role("dialog", name="Token")
    expect(dialog.locator("pre").first).not_to_have_text(key)
    assert HTTP.get(f"{site.address}/api/articles", headers=bearer).status_code == 401
    dialog.get_by_role("button", name="Done").click()


def test_visitors_read_what_the_public_role_is_granted(site: Site, page: Page) -> None:
    samples = f"{site.address}/api/samples"
    assert HTTP.get(samples).status_code == 403
    go_on(page, "/admin/settings/end-user-roles")
    page.get_by_role("link", name="Public").click()
    page.get_by_role("checkbox", name="find: sample").check()
    save(page)
    assert HTTP.get(samples).status_code == 200
    accounts = page.get_by_role("region", name="Accounts of end users")
    sign_in = accounts.get_by_role("checkbox", name="Sign in", exact=True)
    expect(sign_in).to_be_checked()
    expect(sign_in).to_have_accessible_description(
        "POST /api/auth/local GET /api/auth/:provider/callback"
    )
    page.get_by_role("checkbox", name="create: sample").check()
    expect(page.get_by_text("Visitors may write")).to_be_visible()
    page.get_by_role("button", name="Row rules of Article").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("find", exact=True).fill("{ not json")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog.get_by_text("Enter filters as a JSON object.")).to_be_visible()
    dialog.get_by_label("find", exact=True).fill('{ "slug": "nothing-is-called-this" }')
    dialog.get_by_role("button", name="Apply").click()
    page.get_by_role("checkbox", name="create: sample").uncheck()
    save(page)
    assert HTTP.get(f"{site.address}/api/articles").json()["data"] == []
    page.get_by_role("button", name="Row rules of Article").click()
    page.get_by_role("dialog").get_by_label("find", exact=True).fill("")
    page.get_by_role("dialog").get_by_role("button", name="Apply").click()
    page.get_by_role("checkbox", name="find: sample").uncheck()
    save(page)
    assert HTTP.get(f"{site.address}/api/articles").json()["data"] != []
    assert HTTP.get(samples).status_code == 403


def test_settings_of_end_users_are_kept(site: Site, page: Page) -> None:
    go_on(page, "/admin/settings/providers")
    page.get_by_role("button", name="Edit GitHub").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("pre")).to_have_text(f"{site.address}/api/connect/github/callback")
    dialog.get_by_label("Enabled").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("This field is required.")).to_be_visible()
    dialog.get_by_label("Client id").fill("id-1")
    dialog.get_by_label("Client secret").fill("hush")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row", name="GitHub")).to_contain_text("On")
    page.get_by_role("button", name="Add OpenID Connect provider").click()
    dialog.get_by_label("Name in addresses").fill("company")
    dialog.get_by_label("Client id").fill("id-2")
    dialog.get_by_label("Issuer").fill("https://login.example.org")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row", name="Company")).to_contain_text("id-2")

    go_on(page, "/admin/settings/email-templates")
    page.get_by_label("Message (HTML)").fill("<p>For <%= USER.username %></p>")
    preview = page.frame_locator("iframe")
    expect(preview.get_by_text("For ada")).to_be_visible()
    save(page)
    page.get_by_role("button", name="Send test mail").click()
    expect(page.get_by_text("mail.host (SMTP_HOST) names no SMTP server")).to_be_visible()
    go_on(page, "/admin/settings/advanced")
    page.get_by_label("Page for a new password").fill("https://www.example.org/new")
    save(page)
    stored = site.api("GET", "/users-permissions/advanced")["settings"]
    assert stored["email_reset_password"] == "https://www.example.org/new"


def test_somebody_who_is_invited_may_edit_two_fields_in_one_locale(
    site: Site, page: Page, open_page: OpenPage
) -> None:
    go_on(page, "/admin/settings/roles")
    page.get_by_role("button", name="Create role").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Translator")
    page.get_by_role("dialog").get_by_role("button", name="Create role").click()
    expect(page.get_by_role("heading", name="Translator")).to_be_visible()
    page.get_by_role("button", name="Parts of Article").click()
    for action in ("Read", "Update"):
        for part in ("title", "summary"):
            page.get_by_role("checkbox", name=f"{action}: {part}", exact=True).check()
        page.get_by_role("checkbox", name=f"{action}: English (en)").uncheck()
    whole = page.get_by_role("checkbox", name="Update: Article")
    expect(whole).to_be_checked(indeterminate=True)
    assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    take_picture(page, "settings-role")
    save(page)
    page.get_by_role("combobox", name="Compare with a role").click()
    page.get_by_role("option", name="Editor").click()
    differences = page.get_by_role("region", name="Differences from Editor")
    expect(differences.get_by_role("row", name="Article: Update")).to_contain_text("title, summary")

    go_on(page, "/admin/settings/users")
    page.get_by_role("button", name="Invite").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("First name").fill("Tara")
    dialog.get_by_label("E-mail").fill("tara@example.org")
    dialog.get_by_role("combobox", name="Roles").click()
    page.get_by_role("option", name="Translator").click()
    page.keyboard.press("Tab")
    dialog.get_by_role("button", name="Create invitation link").click()
    # It is shown only now: a click beside it does not take it away.
    page.mouse.click(5, 5)
    page.keyboard.press("Escape")
    link = dialog.locator("pre").inner_text()
    dialog.get_by_role("button", name="Done").click()
    page.get_by_role("link", name="Tara").click()
    page.get_by_placeholder("Content type").click()
    page.get_by_role("option", name="Article").click()
    expect(page.get_by_text("This person is not active.")).to_be_visible()

    other = open_page(site.address)
    other.goto(link)
    other.get_by_label("New password").fill("High-water-at-9")
    other.get_by_label("Repeat password").fill("High-water-at-9")
    other.get_by_role("button", name="Create account").click()
    other.get_by_role("heading", name="Hello, Tara").wait_for()
    german = site.api(
        "GET", "/content-manager/collection-types/api::article.article?locale=de&pageSize=1"
    )["results"][0]
    entry = f"/admin/content/api::article.article/{german['documentId']}?locale=de"
    go_on(other, entry)
    expect(other.get_by_role("textbox", name="Title")).to_be_enabled()
    expect(other.get_by_role("textbox", name="Slug")).to_have_count(0)
    expect(other.get_by_role("link", name="Settings")).to_have_count(0)


def test_a_condition_of_a_role_holds_and_permissions_are_explained(site: Site, page: Page) -> None:
    role = site.api("POST", "/admin/roles", {"name": "Taggers", "description": ""})["data"]
    explorer = "plugin::content-manager.explorer"
    granted: list[dict[str, Any]] = [
        {"action": f"{explorer}.{verb}", "subject": TAG, "properties": {}, "conditions": []}
        for verb in ("create", "read", "update")
    ]
    for one in granted:
        one["properties"] = {"fields": ["label", "slug"]}
    path = f"/admin/roles/{role['id']}/permissions"
    site.api("PUT", path, {"permissions": granted})
    go_on(page, f"/admin/settings/roles/{role['id']}")
    page.get_by_role("button", name="Conditions of Tag").click()
    dialog = page.get_by_role("dialog", name="Conditions of Tag")
    dialog.get_by_role("combobox", name="Update").click()
    page.get_by_role("option", name="Is creator", exact=True).click()
    page.keyboard.press("Escape")
    assert_accessible_in_both_schemes(page)
    dialog.get_by_role("button", name="Done").click()
    save(page)
    stored = {one["action"]: one["conditions"] for one in site.api("GET", path)["data"]}
    assert stored == {
        f"{explorer}.create": [],
        f"{explorer}.read": [],
        f"{explorer}.update": ["admin::is-creator"],
    }

    site.add_person("tess@example.org", "Tess", role["id"])
    go_on(page, "/admin/settings/users")
    page.get_by_role("link", name="Tess").click()
    explain = page.get_by_role("region", name="Explain permissions")
    explain.get_by_role("combobox", name="Content type").click()
    page.get_by_role("option", name="Tag", exact=True).click()
    expect(explain.get_by_role("status")).to_contain_text("Taggers: grants it")
    explain.get_by_role("combobox", name="Field").click()
    page.get_by_role("option", name="articles", exact=True).click()
    expect(explain.get_by_role("status")).to_contain_text("Roles grant it, but not for this.")
    expect(explain.get_by_role("status")).to_contain_text("Taggers: lacks")
    explain.get_by_role("combobox", name="Action").click()
    page.get_by_role("option", name="Delete", exact=True).click()
    expect(explain.get_by_role("status")).to_contain_text("No role grants it.")
    assert_accessible_in_both_schemes(page)


def test_conditions_of_the_media_library_are_shown_compared_and_set(site: Site, page: Page) -> None:
    names = ("Own files", "All files")
    own, other = (
        site.api("POST", "/admin/roles", {"name": name, "description": ""})["data"]["id"]
        for name in names
    )
    read, update = "plugin::upload.read", "plugin::upload.assets.update"
    for role, conditions in ((own, ["admin::is-creator"]), (other, [])):
        granted: list[dict[str, Any]] = [
            {"action": action, "subject": None, "properties": {}, "conditions": conditions}
            for action in (read, update)
        ]
        site.api("PUT", f"/admin/roles/{role}/permissions", {"permissions": granted})
    go_on(page, f"/admin/settings/roles/{own}")
    page.get_by_role("combobox", name="Compare with a role").click()
    page.get_by_role("option", name="All files").click()
    differences = page.get_by_role("region", name="Differences from All files")
    expect(differences.get_by_role("row")).to_have_count(3)
    expect(differences).to_contain_text("Yes · Is creator")
    page.get_by_role("tab", name="Plugins").click()
    files = page.get_by_role("region", name="Media library")
    expect(files.get_by_text("Assets · Is creator")).to_be_visible()
    files.get_by_role("button", name="Conditions of Media library").click()
    dialog = page.get_by_role("dialog", name="Conditions of Media library")
    updating = dialog.get_by_role("combobox", name="Assets: Update (crop")
    updating.press("Backspace")
    updating.press("ArrowDown")
    page.get_by_role("option", name="Has same role as creator").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    dialog.get_by_role("button", name="Done").click()
    save(page)
    stored = site.api("GET", f"/admin/roles/{own}/permissions")["data"]
    assert {one["action"]: one["conditions"] for one in stored} == {
        read: ["admin::is-creator"],
        update: ["admin::has-same-role-as-creator"],
    }
    for role in (own, other):
        site.api("DELETE", f"/admin/roles/{role}")


def test_a_webhook_is_tested_called_and_called_again(site: Site, page: Page) -> None:
    with Receiver() as receiver:
        go_on(page, "/admin/settings/webhooks")
        page.get_by_role("link", name="Create webhook").click()
        page.get_by_role("textbox", name="Name").fill("Build")
        page.get_by_label("URL").fill(receiver.address)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Choose an event.")).to_be_visible()
        page.get_by_role("checkbox", name="All of Entries").check()
        page.get_by_role("button", name="Add header").click()
        page.get_by_label("Name of header 1").fill("X-Key")
        page.get_by_label("Value of header 1").fill("hush")
        save(page)
        page.get_by_role("button", name="Send test").click()
        expect(page.get_by_text("200 OK")).to_be_visible()
        response = page.get_by_label("Response")
        expect(response).to_contain_text("X-Build: 41")
        expect(response).to_contain_text("The build has begun")
        assert receiver.calls[-1]["event"] == "trigger-test"
        assert_accessible(page)
        body = {"label": "Called", "slug": "called"}
        site.api("POST", "/content-manager/collection-types/api::tag.tag", body)
        page.get_by_role("button", name="Refresh").click()
        row = page.get_by_role("row", name="entry.create")
        expect(row).to_contain_text("Delivered")
        row.get_by_role("button").click()
        page.get_by_role("dialog").get_by_role("button", name="Send again").click()
        expect(page.get_by_text("It is sent again")).to_be_visible()
        page.get_by_role("button", name="Show secret").click()
        expect(page.get_by_text("whsec_")).to_be_visible()
        go_on(page, "/admin/activity")
        page.get_by_role("tab", name="Webhook deliveries").click()
        row = page.get_by_role("row", name="Build entry.create").first
        expect(row).to_contain_text("Delivered")
        assert_accessible(page)
        row.get_by_role("button").click()
        page.get_by_role("dialog").get_by_role("button", name="Send again").click()
        expect(page.get_by_role("row", name="Build entry.create")).to_have_count(3)
        row.get_by_role("link", name="Build").click()
        expect(page.get_by_role("heading", name="Build")).to_be_visible()
        go_on(page, "/admin/settings/webhooks")
        page.get_by_role("switch", name="Enable Build").click()
        expect(page.get_by_role("switch", name="Enable Build")).not_to_be_checked()
    assert not site.api("GET", "/admin/webhooks")["data"][-1]["isEnabled"]


def test_a_delivery_that_waits_shows_when_it_is_tried_next(site: Site, page: Page) -> None:
    with Receiver(HTTPStatus.SERVICE_UNAVAILABLE) as receiver:
        webhook = {"name": "Closed", "url": receiver.address, "headers": {}}
        webhook_id = site.api("POST", "/admin/webhooks", {**webhook, "events": ["entry.create"]})[
            "data"
        ]["id"]
        body = {"label": "Refused", "slug": "refused"}
        site.api("POST", "/content-manager/collection-types/api::tag.tag", body)
        go_on(page, f"/admin/settings/webhooks/{webhook_id}")
        row = page.get_by_role("row", name="entry.create")
        expect(row).to_contain_text(re.compile(r"Waiting.*Next attempt in "))
        expect(row).to_contain_text("503")
        row.get_by_role("button").click()
        next_attempt = re.compile(r"Next attempt\w+ \d+, \d{4}")
        expect(page.get_by_role("dialog")).to_contain_text(next_attempt)
        assert_accessible(page)
    site.api("DELETE", f"/admin/webhooks/{webhook_id}")


def test_several_administrators_roles_and_webhooks_are_deleted_together(
    site: Site, home: Page
) -> None:
    page = home
    for number in (1, 2):
        site.add_person(f"gone{number}@example.org", f"Gone {number}", 3)
        site.api("POST", "/admin/roles", {"name": f"Gone {number}", "description": ""})
        hook = {"name": f"Gone {number}", "url": "https://example.org", "headers": {}}
        site.api("POST", "/admin/webhooks", {**hook, "events": ["entry.create"]})
    hints = {"users": "can no longer sign in", "roles": "", "webhooks": "no longer called"}
    for screen, hint in hints.items():
        go_on(page, f"/admin/settings/{screen}")
        for number in (1, 2):
            page.get_by_role("checkbox", name=f"Select Gone {number}").check()
        bar = page.get_by_role("region", name="Selection")
        expect(bar).to_contain_text("2 selected")
        if screen == "webhooks":  # the bar is the same on all, and their lists are checked below
            assert_accessible(page)
        bar.get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog", name="Delete 2 selected?")
        expect(dialog).to_contain_text("Gone 1, Gone 2")
        expect(dialog).to_contain_text(hint)
        dialog.get_by_role("button", name="Delete").click()
        expect(page.get_by_role("link", name="Gone")).to_have_count(0)
        expect(bar).to_have_count(0)
    # Nobody deletes their own account, nor a role that somebody has.
    for screen, title in (("users", "Ada Lovelace"), ("roles", "Super Admin")):
        go_on(page, f"/admin/settings/{screen}")
        expect(page.get_by_role("link", name=title)).to_be_visible()
        expect(page.get_by_role("checkbox", name=f"Select {title}")).to_have_count(0)


def test_locales_are_added_and_deleted_with_a_warning(site: Site, page: Page) -> None:
    go_on(page, "/admin/settings/locales")
    page.get_by_role("button", name="Add locale").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Locale").fill("Portuguese (pt)")
    page.get_by_role("option", name="Portuguese (pt)").click()
    dialog.get_by_label("Display name").fill("Português")
    dialog.get_by_role("button", name="Save").click()
    row = page.get_by_role("row", name="Português")
    hint = page.get_by_role("status").filter(has_text="Only super admins can use Português yet")
    expect(hint.get_by_role("link", name="Roles")).to_have_attribute(
        "href", "/admin/settings/roles"
    )
    row.get_by_role("button").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(dialog.get_by_text("0 entries in this locale")).to_be_visible()
    assert_accessible(page)
    expect(dialog.get_by_role("button", name="Delete")).to_be_disabled()
    dialog.get_by_label("Type pt to confirm").fill("pt")
    dialog.get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)
    expect(hint).to_have_count(0)
    assert "pt" not in [one["code"] for one in site.api("GET", "/i18n/locales")]


SCREENS = (
    *(
        "api-tokens",
        "webhooks/new",
        "locales",
        "media",
        "previews",
        "project",
        "users",
        "users/1",
        "roles",
    ),
    *("roles/2", "end-user-roles/2", "providers", "email-templates", "advanced"),
)


def test_a_form_asks_before_it_is_left_once_something_is_typed(page: Page) -> None:
    for screen, button, field in (
        ("api-tokens", "Create API token", "Name"),
        ("webhooks", "Create webhook", "URL"),
    ):
        go_on(page, f"/admin/settings/{screen}")
        page.get_by_role("link", name=button).click()
        page.get_by_role("textbox", name=field).wait_for()
        page.get_by_role("link", name="Locales").click()
        expect(page.get_by_role("heading", name="Locales", level=1)).to_be_visible()
        page.go_back()
        page.get_by_role("textbox", name=field).fill("http://localhost/build")
        page.get_by_role("link", name="Locales").click()
        question = page.get_by_role("dialog", name="There are unsaved changes")
        question.get_by_role("button", name="Leave without saving").click()
        expect(page.get_by_role("heading", name="Locales", level=1)).to_be_visible()


@pytest.mark.parametrize("kind", ["roles", "end-user-roles", "webhooks"])
def test_what_is_typed_during_a_save_is_still_to_be_saved(
    site: Site, page: Page, kind: str
) -> None:
    if kind == "webhooks":
        hook = {"name": "Typed", "url": "http://127.0.0.1:9/", "headers": {}}
        id_ = site.api("POST", "/admin/webhooks", {**hook, "events": ["entry.create"]})["data"][
            "id"
        ]
    else:
        id_ = 2
    field = page.get_by_role("textbox", name="Name")
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "PUT":
            waiting.append(route)
        else:
            route.fallback()

    go_on(page, f"/admin/settings/{kind}/{id_}")
    name = field.input_value()
    field.fill(f"{name}, sent")
    page.route(re.compile(rf"/(admin|users-permissions)/(roles|webhooks)/{id_}$"), hold)
    with page.expect_request(lambda request: request.method == "PUT"):
        page.get_by_role("button", name="Save", exact=True).click()
    field.fill(f"{name}, typed")
    waiting[0].fallback()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.unroute_all()
    save(page)
    page.reload()
    expect(field).to_have_value(f"{name}, typed")
    field.fill(name)
    save(page)
    if kind == "webhooks":
        site.api("DELETE", f"/admin/webhooks/{id_}")


def test_a_webhook_is_tested_as_it_is_saved(site: Site, page: Page) -> None:
    hook = {"name": "Moved", "url": "http://127.0.0.1:9/", "headers": {}}
    made = site.api("POST", "/admin/webhooks", {**hook, "events": ["entry.create"]})["data"]
    go_on(page, f"/admin/settings/webhooks/{made['id']}")
    send = page.get_by_role("button", name="Send test")
    page.get_by_label("URL").fill("http://127.0.0.1:10/")
    expect(send).to_be_disabled()
    send.hover()
    expect(page.get_by_role("tooltip")).to_have_text(re.compile("^Save your changes first"))
    save(page)
    expect(send).to_be_enabled()
    site.api("DELETE", f"/admin/webhooks/{made['id']}")


def test_all_settings_are_accessible_in_both_schemes_and_fit_a_phone(home: Page) -> None:
    page = home
    for screen in SCREENS:
        go_on(page, f"/admin/settings/{screen}")
        assert_accessible_in_both_schemes(page)
        assert_fits_phone(page)
        page.set_viewport_size({"width": 1440, "height": 900})


def test_whoever_may_see_no_settings_is_shown_none(site: Site, open_page: OpenPage) -> None:
    site.add_person("theo@example.org", "Theo", 2)
    page = open_page(site.address, storage_state=site.session("theo@example.org"))
    page.goto("/admin")
    expect(page.get_by_role("navigation", name="Main").get_by_role("link")).not_to_have_count(0)
    expect(page.get_by_role("link", name="Settings")).to_have_count(0)
    go_on(page, "/admin/settings")
    expect(page.get_by_role("alert")).to_contain_text("Your role may not see any settings.")
    go_on(page, "/admin/settings/roles/2")
    expect(page.get_by_role("heading", name="Roles", level=1)).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("the permission admin::roles.read")
    assert_accessible_in_both_schemes(page)


def test_a_role_sees_the_settings_that_it_may_read_without_what_changes_them(
    site: Site, open_page: OpenPage
) -> None:
    url = "https://example.org/"
    webhook = {"name": "Read only", "url": url, "events": ["entry.publish"], "headers": {}}
    made = site.api("POST", "/admin/webhooks", webhook)["data"]
    role = site.api("POST", "/admin/roles", {"name": "Auditor", "description": ""})["data"]
    seen: list[dict[str, Any]] = [
        {"action": action, "subject": None, "properties": {}, "conditions": []}
        for action in ("admin::webhooks.read", "admin::api-tokens.read")
    ]
    site.api("PUT", f"/admin/roles/{role['id']}/permissions", {"permissions": seen})
    site.add_person("audrey@example.org", "Audrey", role["id"])
    page = open_page(site.address, storage_state=site.session("audrey@example.org"))
    page.goto("/admin/settings")
    expect(page.get_by_role("heading", name="API tokens", level=1)).to_be_visible()
    sections = page.get_by_role("navigation", name="Settings").get_by_role("link")
    expect(sections).to_have_text(["API tokens", "Webhooks", "Project"])
    expect(page.get_by_role("link", name="Create API token")).to_have_count(0)
    sections.nth(1).click()
    row = page.get_by_role("row", name="Read only")
    expect(row.get_by_role("switch")).to_be_disabled()
    expect(row.get_by_role("checkbox")).to_have_count(0)
    expect(page.get_by_role("link", name="Create webhook")).to_have_count(0)
    row.get_by_role("link", name="Read only").click()
    expect(page.get_by_label("URL")).to_have_value(url)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    expect(page.get_by_role("button", name="Show secret")).to_have_count(0)
    assert_accessible_in_both_schemes(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    go_on(page, "/admin/settings/locales")
    expect(page.get_by_role("alert")).to_contain_text("the permission plugin::i18n.locale.read")
    site.api("DELETE", f"/admin/webhooks/{made['id']}")


def test_a_lost_invitation_is_replaced(site: Site, page: Page) -> None:
    [role] = [one for one in site.api("GET", "/admin/roles")["data"] if one["name"] == "Author"]
    person = {"email": "lost@example.org", "firstname": "Lena", "roles": [role["id"]]}
    invited = site.api("POST", "/admin/users", person)["data"]
    go_on(page, f"/admin/settings/users/{invited['id']}")
    page.get_by_role("button", name="New invitation link").press("Enter")
    expect(page.get_by_role("group", name="New invitation link")).to_be_focused()
    link = page.locator("pre").filter(has_text="/admin/auth/register?registrationToken=")
    expect(link).to_be_visible()
    assert invited["registrationToken"] not in link.inner_text()
    assert_accessible_in_both_schemes(page)
    site.api("DELETE", f"/admin/users/{invited['id']}")
