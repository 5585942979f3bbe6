"""A role with few permissions sees only controls that the API permits, with reasons."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import Site

ARTICLE, TAG = "api::article.article", "api::tag.tag"
ARTICLES = f"/content-manager/collection-types/{ARTICLE}"
_REFUSAL = re.compile("permission|Your role")
EXPLORER = "plugin::content-manager.explorer"


def _grant(action: str, *fields: str, subject: str = ARTICLE) -> dict[str, Any]:
    properties: dict[str, list[str]] = {"locales": ["en"]} if subject == ARTICLE else {}
    if fields:
        properties["fields"] = list(fields)
    return {"action": f"{EXPLORER}.{action}", "subject": subject, "properties": properties}


@pytest.fixture(scope="session")
def writer(site: Site) -> str:
    """Somebody who writes two fields of English articles, and only looks at tags."""
    role = site.api("POST", "/admin/roles", {"name": "Writer of drafts"})["data"]["id"]
    fields = ("title", "summary")
    permissions = [
        _grant("read", *fields, "slug"),
        _grant("create", *fields),
        _grant("update", *fields),
        _grant("read", "label", subject=TAG),
    ]
    site.api("PUT", f"/admin/roles/{role}/permissions", {"permissions": permissions})
    site.add_person("wendy@example.org", "Wendy", role)
    return "wendy@example.org"


@pytest.fixture
def desk(site: Site, writer: str, open_page: OpenPage) -> Page:
    return open_page(site, shown_to=writer)


def test_an_entry_is_found_made_and_changed_but_not_published(site: Site, desk: Page) -> None:
    go_on(desk, f"/admin/content/{ARTICLE}")
    desk.get_by_role("table").wait_for()
    desk.keyboard.press("c")
    title = desk.get_by_role("textbox", name="Title").first
    title.fill("Written by Wendy")
    expect(desk.get_by_role("textbox", name="Slug")).to_have_attribute("readonly", "")
    expect(desk.get_by_label("Your role may not change this field.").first).to_be_visible()
    expect(desk.get_by_role("textbox", name="Body")).to_have_count(0)

    publish = desk.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_have_attribute("aria-disabled", "true")
    publish.hover()
    expect(desk.get_by_text("Your role may not publish entries of this type.")).to_be_visible()
    desk.mouse.move(0, 0)
    desk.keyboard.press("Control+Shift+P")
    desk.keyboard.press("Control+s")
    desk.wait_for_url(lambda url: "create" not in url)
    [found] = site.api("GET", f"{ARTICLES}?_q=Written%20by%20Wendy")["results"]
    assert (found["title"], found["status"]) == ("Written by Wendy", "draft")
    assert_accessible_in_both_schemes(desk)
    desk.get_by_role("button", name="More actions").click()
    expect(desk.get_by_role("menuitem", name="Delete")).to_have_count(0)
    # Other tests count the articles.
    site.api("DELETE", f"{ARTICLES}/{found['documentId']}")


def test_lists_offer_what_the_role_may_do_and_say_so(desk: Page) -> None:
    go_on(desk, f"/admin/content/{TAG}")
    desk.get_by_role("table").wait_for()
    expect(desk.get_by_role("button", name="Create entry")).to_have_count(0)
    desk.keyboard.press("c")
    assert desk.url.endswith(TAG)
    desk.get_by_role("checkbox").nth(1).check()
    expect(
        desk.get_by_text("Your role may neither publish nor delete these entries.")
    ).to_be_visible()
    for name in ("Publish", "Delete", "Edit fields"):
        expect(desk.get_by_role("button", name=name, exact=True)).to_have_count(0)
    desk.get_by_role("checkbox").nth(1).uncheck()
    desk.get_by_role("table").get_by_role("link").first.click()
    expect(desk.get_by_text("Your role may see this entry, but not change it.")).to_be_visible()
    save = desk.get_by_role("button", name="Save", exact=True)
    expect(save).to_have_attribute("aria-disabled", "true")
    save.hover()
    expect(desk.get_by_role("tooltip")).to_have_text("Your role may not change this entry.")


def test_times_of_a_schedule_are_read_without_permission_to_change_them(
    site: Site, desk: Page
) -> None:
    document = site.api("POST", ARTICLES, {"title": "Due in a week"})["data"]["documentId"]
    at = (datetime.now(UTC) + timedelta(days=7)).isoformat()
    schedule = f"/admin/x/schedule/{ARTICLE}/{document}?locale=en"
    site.api("PUT", schedule, {"publishAt": at})
    go_on(desk, f"/admin/content/{ARTICLE}/{document}")
    badge = desk.get_by_text("Scheduled", exact=True)
    expect(badge).to_be_visible()
    expect(desk.get_by_role("button", name="Scheduled", exact=True)).to_have_count(0)
    assert_accessible_in_both_schemes(desk)
    badge.hover()
    expect(desk.get_by_role("tooltip").filter(has_text="Publish at")).to_be_visible()
    desk.get_by_role("button", name="More ways to publish").click()
    expect(desk.get_by_role("menuitem")).to_have_text(["Add to a release"])
    site.api("DELETE", f"{ARTICLES}/{document}")


def test_first_steps_are_for_those_who_can_take_one(site: Site, open_page: OpenPage) -> None:
    role = site.api("POST", "/admin/roles", {"name": "Onlooker of nothing"})["data"]["id"]
    site.add_person("nell@example.org", "Nell", role)
    page = open_page(site, shown_to="nell@example.org")
    go_on(page, "/admin")
    expect(page.get_by_role("heading", name="Hello, Nell")).to_be_visible()
    expect(page.get_by_text("Nothing yet").first).to_be_visible()
    expect(page.get_by_role("heading", name="First steps")).to_have_count(0)


def test_nothing_else_can_be_reached(site: Site, desk: Page) -> None:
    for screen in ("/admin/model", "/admin/activity", "/admin/settings/roles", "/admin/media"):
        go_on(desk, screen)
        expect(desk.get_by_role("main").get_by_text(_REFUSAL).first).to_be_visible()
        for control in ("button", "textbox", "checkbox", "radio"):
            expect(desk.get_by_role("main").get_by_role(control)).to_have_count(0)
    go_on(desk, f"/admin/content/{ARTICLE}?locale=de")
    expect(desk.get_by_role("main").get_by_text(_REFUSAL).first).to_be_visible()
    german = site.api("GET", f"{ARTICLES}?locale=de&pageSize=1")["results"][0]
    go_on(desk, f"/admin/content/{ARTICLE}/{german['documentId']}?locale=de")
    expect(desk.get_by_role("textbox", name="Title")).to_have_count(0)


def test_why_there_is_nothing_to_publish_is_said(site: Site, page: Page) -> None:
    published = site.api("GET", f"{ARTICLES}?publicationFilter=unmodified&pageSize=1")["results"]
    go_on(page, f"/admin/content/{ARTICLE}/{published[0]['documentId']}")
    publish = page.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_have_attribute("aria-disabled", "true")
    publish.focus()
    expect(page.get_by_role("tooltip")).to_have_text("This is published as it is.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_list_without_own_entries_says_that_there_may_be_others(
    site: Site, open_page: OpenPage
) -> None:
    role = site.api("POST", "/admin/roles", {"name": "Only their own"})["data"]["id"]
    own = {**_grant("read", "label", subject=TAG), "conditions": ["admin::is-creator"]}
    site.api("PUT", f"/admin/roles/{role}/permissions", {"permissions": [own]})
    site.add_person("olive@example.org", "Olive", role)
    page = open_page(site, shown_to="olive@example.org")
    go_on(page, f"/admin/content/{TAG}")
    expect(page.get_by_text("There may be entries that your role does not show")).to_be_visible()


def test_history_review_and_preview_of_an_entry_that_may_only_be_read(
    site: Site, open_page: OpenPage
) -> None:
    role = site.api("POST", "/admin/roles", {"name": "Reader of titles"})["data"]["id"]
    permissions = {"permissions": [_grant("read", "title")]}
    site.api("PUT", f"/admin/roles/{role}/permissions", permissions)
    site.add_person("rhea@example.org", "Rhea", role)
    previews = "/admin/x/previews"
    urls = {ARTICLE: "/api/articles/{documentId}?status={status}&fields=title"}
    site.api("PUT", previews, {"previews": urls})
    stages = [{"name": "Written"}, {"name": "Checked", "requiredToPublish": True}]
    workflow = {"name": "Looked at", "contentTypes": [ARTICLE], "stages": stages}
    made = site.api("POST", "/admin/x/review/workflows", workflow)["data"]
    article = site.api("POST", ARTICLES, {"title": "First words", "summary": "Hidden"})["data"]
    path = f"{ARTICLES}/{article['documentId']}"
    site.api("PUT", path, {"title": "Second words"})
    try:
        page = open_page(site, shown_to="rhea@example.org")
        go_on(page, f"/admin/content/{ARTICLE}/{article['documentId']}")
        expect(page.get_by_text("Your role may see this entry, but not change it.")).to_be_visible()
        reason = "Your role may not change this entry."
        for name in ("Stage", "Assignee"):
            control = page.get_by_role("region", name="Review").get_by_label(name).first
            expect(control).to_be_disabled()
            expect(control).to_have_attribute("title", reason)
        expect(page.get_by_role("button", name="More actions")).to_be_hidden()

        page.get_by_role("tab", name="History").click()
        page.get_by_role("button", name="Compare").last.click()
        expect(page.get_by_role("main")).to_contain_text("FirstSecond words")
        expect(page.get_by_role("main")).not_to_contain_text("Hidden")
        expect(page.get_by_role("button", name="Restore")).to_have_count(0)
        assert_accessible_in_both_schemes(page)

        go_on(page, f"/admin/content/{ARTICLE}/{article['documentId']}")
        page.get_by_role("button", name="Preview beside the form").click()
        expect(page.get_by_role("region", name="Preview").locator("iframe")).to_be_visible()
        for screen in ("review-workflows", "previews"):
            go_on(page, f"/admin/settings/{screen}")
            expect(page.get_by_role("main").get_by_text(_REFUSAL).first).to_be_visible()
    finally:
        site.api("DELETE", path)
        site.api("DELETE", f"/admin/x/review/workflows/{made['id']}")
        site.api("PUT", previews, {"previews": {}})
