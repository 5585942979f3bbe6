"""Typed input is stored, or offered again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import PASSWORD, Outage, Site, serve_with_outages
from tests.ui.steps import expect_saved

ARTICLES = "/content-manager/collection-types/api::article.article"
SAMPLES = "/content-manager/collection-types/api::sample.sample"


def article(site: Site, title: str) -> str:
    made = site.api("POST", ARTICLES, {"title": title, "summary": "as it was"})
    return f"{ARTICLES}/{made['data']['documentId']}"


def open_entry(page: Page, path: str) -> None:
    page.goto(path.replace("/content-manager/collection-types", "/admin/content"))
    page.get_by_role("textbox", name="Title").first.wait_for()


def test_a_draft_saves_itself_and_the_focus_stays(site: Site, page: Page) -> None:
    go_on(page, "/admin/content/api::article.article/create")
    title = page.get_by_role("textbox", name="Title").first
    title.press_sequentially("Soundings")
    page.wait_for_url(re.compile(r"article/(?!create)\w+"))
    expect_saved(page)
    expect(title).to_be_focused()
    page.keyboard.type(" by lead line")
    page.get_by_role("textbox", name="Summary").fill("Deep six")
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    expect_saved(page)
    path = f"{ARTICLES}/{page.url.partition('article.article/')[2].partition('?')[0]}"
    entry = site.api("GET", path)["data"]
    assert (entry["title"], entry["summary"]) == ("Soundings by lead line", "Deep six")

    # Undo goes back to before the save, and that is saved as well.
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name="Summary")).to_have_value("")
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    expect_saved(page)
    assert site.api("GET", path)["data"]["summary"] is None

    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitemcheckbox", name="Save drafts of Article automatically").click()
    page.keyboard.press("Escape")
    title.fill("Not by itself")
    page.wait_for_timeout(2200)
    assert site.api("GET", path)["data"]["title"] == "Soundings by lead line"
    page.reload()
    page.get_by_role("status").get_by_role("button", name="Restore").click()
    expect(title).to_have_value("Not by itself")


@pytest.fixture(scope="module")
def outage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outage]:
    del browser  # Without one there is nothing to test.
    with serve_with_outages(tmp_path_factory.mktemp("outage")) as served:
        yield served


def test_a_server_that_is_killed_during_a_save_costs_nothing(
    outage: Outage, open_page: OpenPage
) -> None:
    page = open_page(outage.site.address, storage_state=outage.site.session())
    path = article(outage.site, "Before")
    open_entry(page, path)

    # The first save reaches the server, but its response does not come back.
    def lose(route: Route) -> None:
        route.fetch()
        outage.kill()
        route.abort()

    page.route(re.compile(path.rpartition("/")[2]), lose, times=1)
    title = page.get_by_role("textbox", name="Title").first
    title.fill("Saved without a word")
    expect(page.get_by_text("Unsaved (offline)")).to_be_visible()
    page.get_by_role("textbox", name="Summary").fill("typed while it was down")
    outage.start()
    expect_saved(page)
    expect(page.get_by_role("dialog")).to_have_count(0)
    entry = outage.site.api("GET", path)["data"]
    assert entry["title"] == "Saved without a word"
    assert entry["summary"] == "typed while it was down"

    # The page is closed while the server is down.
    outage.kill()
    title.fill("Left behind")
    expect(page.get_by_text("Unsaved (offline)")).to_be_visible()
    page.goto("about:blank")
    outage.start()
    open_entry(page, path)
    page.get_by_role("status").get_by_role("button", name="Restore").click()
    expect_saved(page)
    assert outage.site.api("GET", path)["data"]["title"] == "Left behind"


def lose_response(page: Page, address: re.Pattern[str], method: str) -> None:
    """Let the next request of a method reach the server, and lose its response."""
    lost: list[str] = []

    def lose(route: Route) -> None:
        if lost or route.request.method != method:
            return route.fallback()
        lost.append(route.request.url)
        route.fetch()
        return route.abort()

    page.route(address, lose)


def fill_new_sample(page: Page, name: str) -> None:
    """Open the form of a new sample, fill in what it requires, and let drafts wait for Save."""
    go_on(page, "/admin/content/api::sample.sample/create")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitemcheckbox", name="Save drafts of sample automatically").click()
    page.keyboard.press("Escape")
    page.get_by_role("textbox", name="Name").first.fill(name)
    page.get_by_text("True", exact=True).first.click()


@pytest.mark.parametrize(("action", "status"), [("Save draft", "draft"), ("Publish", "published")])
def test_an_entry_whose_creation_has_no_response_is_created_once(
    site: Site, page: Page, action: str, status: str
) -> None:
    name = f"Created once: {action}"
    fill_new_sample(page, name)
    lose_response(page, re.compile(r"sample\.sample(/actions/publish)?\?locale=en$"), "POST")
    page.get_by_role("button", name=action, exact=True).click()
    expect(page.get_by_text("Unsaved (offline)")).to_be_visible()
    page.get_by_role("textbox", name="Text").fill("typed since then")
    page.get_by_role("button", name=action, exact=True).click()
    page.wait_for_url(re.compile(r"sample/(?!create)\w+"))
    expect(page.get_by_text(status.capitalize(), exact=True).first).to_be_visible()
    expect_saved(page)
    found = site.api("GET", f"{SAMPLES}?_q={name}")["results"]
    assert [(one["name"], one["text"], one["status"]) for one in found] == [
        (name, "typed since then", status)
    ]


@pytest.mark.parametrize(("action", "status"), [("Save draft", "draft"), ("Publish", "published")])
def test_an_entry_whose_creation_has_no_response_is_created_once_after_a_reload(
    site: Site, page: Page, action: str, status: str
) -> None:
    name = f"Created before the reload: {action}"
    fill_new_sample(page, name)
    page.get_by_role("button", name="Add: Pairs").click()
    page.get_by_role("textbox", name="Label").fill("first")
    lose_response(page, re.compile(r"sample\.sample(/actions/publish)?\?locale=en$"), "POST")
    page.get_by_role("button", name=action, exact=True).click()
    expect(page.get_by_text("Unsaved (offline)")).to_be_visible()
    page.get_by_role("textbox", name="Text").fill("typed since then")
    page.reload()
    page.get_by_role("status").get_by_role("button", name="Restore").click()
    expect(page.get_by_role("textbox", name="Name").first).to_have_value(name)
    page.get_by_role("button", name=action, exact=True).click()
    page.wait_for_url(re.compile(r"sample/(?!create)\w+"))
    expect(page.get_by_text(status.capitalize(), exact=True).first).to_be_visible()
    expect_saved(page)
    found = site.api("GET", f"{SAMPLES}?_q={name}")["results"]
    assert [(one["name"], one["text"], one["status"]) for one in found] == [
        (name, "typed since then", status)
    ]
    [part] = site.api("GET", f"{SAMPLES}/{found[0]['documentId']}")["data"]["pairs"]
    assert part["label"] == "first"


def test_an_entry_that_cannot_be_read_after_its_publication_is_shown_as_published(
    site: Site, page: Page
) -> None:
    made = site.api("POST", SAMPLES, {"name": "Published unseen", "on": True})["data"]
    path = f"{SAMPLES}/{made['documentId']}"
    go_on(page, path.replace("/content-manager/collection-types", "/admin/content"))
    lose_response(page, re.compile(r"sample\.sample/\w+\?locale=en$"), "GET")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Published", exact=True).first).to_be_visible()
    page.get_by_role("textbox", name="Text").fill("typed since then")
    expect_saved(page)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert site.api("GET", path)["data"]["status"] == "modified"


def test_a_new_entry_that_cannot_be_read_after_its_publication_is_created_once(
    site: Site, page: Page
) -> None:
    fill_new_sample(page, "Published once")
    lose_response(page, re.compile(r"sample\.sample/\w+\?locale=en$"), "GET")
    page.get_by_role("button", name="Publish", exact=True).click()
    page.wait_for_url(re.compile(r"sample/(?!create)\w+"))
    expect(page.get_by_text("Published", exact=True).first).to_be_visible()
    page.get_by_role("textbox", name="Text").fill("typed since then")
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    found = site.api("GET", f"{SAMPLES}?_q=Published%20once")["results"]
    assert [(one["text"], one["status"]) for one in found] == [("typed since then", "modified")]


def test_what_is_typed_offline_is_saved_when_the_network_is_back(site: Site, page: Page) -> None:
    path = article(site, "Ashore")
    open_entry(page, path)
    page.context.set_offline(True)
    page.get_by_role("textbox", name="Title").first.fill("At sea")
    expect(page.get_by_text("Unsaved (offline)")).to_be_visible()
    page.wait_for_timeout(1800)
    page.get_by_role("textbox", name="Summary").fill("No land in sight")
    page.context.set_offline(False)
    expect_saved(page)
    entry = site.api("GET", path)["data"]
    assert (entry["title"], entry["summary"]) == ("At sea", "No land in sight")


def test_a_session_that_ends_while_somebody_types_lets_the_save_go_on(
    site: Site, page: Page
) -> None:
    path = article(site, "Signed in")
    open_entry(page, path)
    site.api("POST", "/admin/logout", {})
    title = page.get_by_role("textbox", name="Title").first
    title.fill("Signed out")
    dialog = page.get_by_role("dialog", name="Your session has ended")
    dialog.wait_for()
    page.reload()
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("status").get_by_role("button", name="Restore").click()
    expect(title).to_have_value("Signed out")
    site.api("POST", "/admin/logout", {})
    title.fill("Signed out twice")
    dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    expect_saved(page)
    assert site.api("GET", path)["data"]["title"] == "Signed out twice"


def test_two_tabs_on_one_entry_lose_nothing(site: Site, page: Page) -> None:
    path = article(site, "Shared")
    open_entry(page, path)
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("textbox", name="Summary").fill("of the other tab")
    expect_saved(other)
    page.get_by_role("textbox", name="Title").first.fill("Of this tab")
    dialog = page.get_by_role("dialog", name="This entry has changed meanwhile")
    expect(dialog).to_be_visible()
    # Another tab is offered no input of a tab that is open, and leaves it alone.
    other.reload()
    expect(other.get_by_role("textbox", name="Summary")).to_have_value("of the other tab")
    expect(other.get_by_role("button", name="Restore")).to_have_count(0)
    other.close()
    dialog.get_by_role("button", name="Decide later").click()
    expect(page.get_by_text("Not saved: changed by somebody else")).to_be_visible()
    page.reload()
    page.get_by_role("status").get_by_role("button", name="Restore").click()
    expect_saved(page)
    entry = site.api("GET", path)["data"]
    assert (entry["title"], entry["summary"]) == ("Of this tab", "of the other tab")


def test_json_that_does_not_end_yet_is_offered_again(site: Site, page: Page) -> None:
    made = site.api("POST", SAMPLES, {"name": "Half"})["data"]
    go_on(page, f"/admin/content/api::sample.sample/{made['documentId']}")
    page.get_by_role("textbox", name="Data").click()
    page.keyboard.type('{"half": tr')
    expect(page.get_by_text("This is not valid JSON")).to_be_visible()
    page.reload()
    page.get_by_role("status").get_by_role("button", name="Restore").click()
    expect(page.get_by_role("textbox", name="Data")).to_contain_text('"half": tr')
