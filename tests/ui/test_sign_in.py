import base64
import hashlib
import hmac
import re
import struct
import time
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.ui.accessibility import assert_accessible
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import EMAIL, PASSWORD, Site, serve_empty
from tests.ui.slow_proxy import SlowProxy
from tests.ui.steps import expect_saved


def test_the_printed_link_makes_the_first_administrator_who_can_sign_out_and_in(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with serve_empty(tmp_path) as site:
        page = open_page(site.address)
        loaded: list[str] = []
        page.on("request", lambda request: loaded.append(request.url))
        page.goto("/admin")
        expect(page.get_by_role("heading", name="There is no administrator yet")).to_be_visible()
        page.goto(site.registration)
        page.get_by_label("E-mail").wait_for()
        page.wait_for_load_state("networkidle")
        screens = re.compile(r"/admin/assets/(shell|parts|controls|settings)-")
        assert [url for url in loaded if screens.search(url)] == []
        assert_accessible(page)
        page.get_by_label("E-mail").fill(EMAIL)
        page.get_by_label("First name").fill("Ada")
        page.get_by_label("New password").fill("short")
        page.get_by_role("button", name="Create administrator").click()
        expect(page.get_by_text("A password has at least 8 characters.")).to_be_visible()
        page.get_by_label("New password").fill(PASSWORD)
        page.get_by_label("Repeat password").fill(PASSWORD)
        page.get_by_role("combobox", name="Default locale").select_option("German (de)")
        page.get_by_role("button", name="Create administrator").click()
        expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible()
        locales = site.api("GET", "/i18n/locales")
        assert [one["code"] for one in locales if one["isDefault"]] == ["de"]

        page.get_by_role("button", name="Ada").click()
        page.get_by_role("menuitem", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        page.get_by_label("E-mail").fill(EMAIL)
        page.get_by_label("Password", exact=True).fill("Wrong-password-1")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("E-mail or password is wrong.")).to_be_visible()
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible()


def test_an_invited_administrator_chooses_a_password_and_may_do_what_the_role_allows(
    site: Site, open_page: OpenPage
) -> None:
    invited = site.api(
        "POST",
        "/admin/users",
        {"email": "nina@example.org", "firstname": "Nina", "roles": [role(site, "strapi-author")]},
    )["data"]
    page = open_page(site.address)
    page.goto(f"/admin/auth/register?registrationToken={invited['registrationToken']}")
    expect(page.get_by_text("Choose a password for nina@example.org.")).to_be_visible()
    page.get_by_label("New password").fill("High-water-at-9")
    page.get_by_label("Repeat password").fill("High-water-at-9")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Hello, Nina")).to_be_visible()

    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation.get_by_role("link", name="Article")).to_be_visible()
    expect(navigation.get_by_role("link", name="User")).to_have_count(0)
    go_on(page, "/admin/content/api::article.article/create")
    page.get_by_role("textbox", name="Title").fill("By Nina")
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    publish = page.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_have_attribute("aria-disabled", "true")
    publish.hover(force=True)
    expect(page.get_by_text("Your role may not publish entries of this type.")).to_be_visible()


def test_a_second_factor_is_set_up_and_asked_for(site: Site, open_page: OpenPage) -> None:
    email, password = "grace@example.org", "High-water-at-9"
    invited = site.api(
        "POST",
        "/admin/users",
        {"email": email, "firstname": "Grace", "roles": [role(site, "strapi-editor")]},
    )["data"]
    page = open_page(site.address)
    page.goto(f"/admin/auth/register?registrationToken={invited['registrationToken']}")
    page.get_by_label("New password").fill(password)
    page.get_by_label("Repeat password").fill(password)
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Hello, Grace").wait_for()

    go_on(page, "/admin/profile")
    page.get_by_role("button", name="Set up a second factor").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Current password").fill(password)
    dialog.get_by_role("button", name="Continue").click()
    secret = dialog.locator("pre").inner_text()
    dialog.get_by_label("Code").fill(code_of(secret))
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_text("Keep these recovery codes")).to_be_visible()
    recovery = dialog.locator("pre").inner_text().split()
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_text("10 recovery codes left")).to_be_visible()

    other = open_page(site.address)
    other.goto("/admin/login")
    other.get_by_label("E-mail").fill(email)
    other.get_by_label("Password", exact=True).fill(password)
    other.get_by_role("button", name="Sign in").click()
    other.get_by_text("Use a recovery code").click()
    other.get_by_label("Recovery code").fill(recovery[0])
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("heading", name="Hello, Grace")).to_be_visible()


def test_a_session_that_ends_while_somebody_writes_loses_nothing(site: Site, page: Page) -> None:
    go_on(page, "/admin/content/api::tag.tag/create")
    page.get_by_role("textbox", name="Label").fill("Undertow")
    # Its own request would meet the ended session, too.
    expect(page.get_by_role("textbox", name="Slug")).to_have_value("undertow")
    site.api("POST", "/admin/logout", {})
    page.get_by_role("button", name="Make Slug of the text").click()
    dialog = page.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("textbox", name="Slug")).to_have_value("undertow")
    expect(page.get_by_role("textbox", name="Label")).to_have_value("Undertow")
    page.get_by_role("button", name="Save", exact=True).click()
    expect_saved(page)


def test_a_link_to_a_page_leads_there_after_signing_in_and_a_reload_stays(
    site: Site, open_page: OpenPage
) -> None:
    page = open_page(site.address)
    page.goto("/admin/content/api::tag.tag?q=storms")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Tag")).to_be_visible()
    expect(page.get_by_text("One entry")).to_be_visible()
    page.reload()
    expect(page.get_by_text("One entry")).to_be_visible()


def test_who_asks_to_be_remembered_is_signed_in_after_the_browser_was_closed(
    site: Site, open_page: OpenPage
) -> None:
    for remembered in (False, True):
        page = open_page(site.address)
        page.goto("/admin/login")
        page.get_by_label("E-mail").fill(EMAIL)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("checkbox", name="Remember me").set_checked(remembered)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Hello").wait_for()
        # A browser that is closed forgets the cookies that do not say until when they are kept.
        assert any(cookie["expires"] > 0 for cookie in page.context.cookies()) is remembered
        page.reload()
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()


def test_a_server_that_does_not_respond_signs_nobody_out(page: Page) -> None:
    page.route("**/admin/access-token", lambda route: route.abort())
    page.goto("/admin/content/api::tag.tag?q=storms")
    page.get_by_role("status", name="Loading").or_(page.get_by_role("alert")).first.wait_for()
    page.unroute("**/admin/access-token")
    expect(page.get_by_role("heading", name="Tag")).to_be_visible()
    expect(page.get_by_text("One entry")).to_be_visible()


def test_a_page_that_is_reloaded_while_it_renews_its_session_stays_signed_in(
    site: Site, open_page: OpenPage
) -> None:
    proxy = SlowProxy(site.address, b"POST /admin/access-token")
    with proxy.serve() as address:
        session = replace(site, address=address).session()
        page = open_page(address, storage_state=session, own=True)
        page.goto("/admin/content/api::tag.tag?q=storms", wait_until="commit")
        while not proxy.is_answered.is_set():
            page.wait_for_timeout(10)
        # The server has replaced the refresh token, and the browser does not know the new one.
        page.reload(wait_until="commit")
        proxy.release()
        expect(page.get_by_text("One entry")).to_be_visible()


def test_a_screen_that_cannot_be_shown_names_the_request_and_is_tried_again(page: Page) -> None:
    configuration = re.compile("content-types/[^/]+/configuration$")
    error = {"status": 500, "name": "InternalServerError", "message": "Internal Server Error"}
    page.route(
        configuration,
        lambda route: route.fulfill(
            status=500,
            json={"data": None, "error": error},
            headers={"x-request-id": "3f9d2c1b"},
        ),
    )
    go_on(page, "/admin/content/api::tag.tag?q=storms")
    expect(page.get_by_role("heading", name="Tag", exact=True)).to_be_visible()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("give the request ID to whoever runs the server")
    expect(alert).to_contain_text("Status 500 · Internal Server Error · Request ID 3f9d2c1b")
    assert_accessible(page)
    page.unroute(configuration)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("One entry")).to_be_visible()


def test_the_profile_is_changed(site: Site, page: Page) -> None:
    go_on(page, "/admin/profile")
    page.get_by_label("Last name").fill("Byron")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Ada Byron")).to_be_visible()
    assert site.api("GET", "/admin/users/me")["data"]["lastname"] == "Byron"
    site.api("PUT", "/admin/users/me", {"lastname": "Lovelace"})  # other tests look for her name


def role(site: Site, code: str) -> int:
    return next(
        int(one["id"]) for one in site.api("GET", "/admin/roles")["data"] if one["code"] == code
    )


def code_of(secret: str) -> str:
    """Return the code that an authenticator app shows now (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    number = struct.unpack(">I", digest[offset : offset + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


@pytest.mark.parametrize("user", [EMAIL, None])
def test_places_of_the_ui_are_shown_before_its_stylesheets_are_there(
    site: Site, open_page: OpenPage, user: str | None
) -> None:
    session = site.session(user) if user else None
    page = open_page(site.address, storage_state=session, color_scheme="dark", own=True)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/admin/assets/.+\.css$"), hold)
    page.goto("/admin", wait_until="commit")
    expect(page.locator(".first-shell" if user else ".first-form")).to_be_visible()
    # A function: text would be evaluated in the page, whose policy does not allow it.
    page.wait_for_function("() => performance.getEntriesByName('first-paint').length > 0")
    expect(page.locator(".first-form" if user else ".first-shell")).to_be_hidden()
    expect(page.locator("body")).to_have_css("background-color", "rgb(23, 25, 31)")
    for one in held:
        one.continue_()
    name = "Hello" if user else "Sign in"
    heading = page.get_by_role("heading", level=1).filter(has_text=name)
    expect(heading).to_be_visible()
    expect(page.locator(".first")).to_have_count(0)
    # The theme comes after the stylesheets, whose values it replaces.
    expect(heading).to_have_css("font-size", "20px")


def test_the_sign_in_page_loads_nothing_of_the_screens_until_somebody_types(
    site: Site, open_page: OpenPage
) -> None:
    page = open_page(site.address, own=True)
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto("/admin/login")
    email = page.get_by_label("E-mail")
    expect(email).to_be_focused()
    page.wait_for_load_state("networkidle")
    screens = re.compile(r"/admin/assets/(?!index-|libraries-|frame-|rolldown-|inter-).+")
    assert [url for url in loaded if screens.search(url)] == []
    with page.expect_request("**/admin/assets/shell-*.js"):
        email.press("a")
