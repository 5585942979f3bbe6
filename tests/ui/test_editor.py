"""The form of an entry: related entries, components, and many fields."""

import re

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.steps import expect_saved, move_with_keys

ARTICLES = "/content-manager/collection-types/api::article.article"
AUTHORS = "/content-manager/collection-types/api::author.author"
SAMPLES = "/content-manager/collection-types/api::sample.sample"
TAGS = "/content-manager/collection-types/api::tag.tag"


def article_with_tags(site: Site, title: str) -> tuple[str, list[dict[str, object]]]:
    """Make an article that has all tags. Return its document id, and the tags."""
    tags = site.api("GET", f"{TAGS}?pageSize=100&sort=id:ASC")["results"]
    connected = {"connect": [{"documentId": one["documentId"]} for one in tags]}
    made = site.api("POST", ARTICLES, {"title": title, "tags": connected})["data"]
    return made["documentId"], tags


def test_a_related_entry_is_created_from_the_text_of_the_search(site: Site, page: Page) -> None:
    document, _ = article_with_tags(site, "With an author")
    go_on(page, f"/admin/content/api::article.article/{document}")
    # The keyboard alone: search, create with the text of the search, save, link, close.
    page.get_by_role("combobox", name="Search entries for Author").focus()
    page.keyboard.type("Grace Newman")
    expect(page.get_by_role("option")).to_have_text(["Create “Grace Newman”"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="Create Author")
    expect(drawer.get_by_role("textbox", name="Name")).to_be_focused()
    expect(drawer.get_by_role("textbox", name="Slug")).to_have_value("grace-newman")
    assert_accessible(page)
    page.keyboard.press("Control+s")
    drawer = page.get_by_role("dialog", name="Edit Author")
    drawer.wait_for()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    author = page.get_by_role("group", name="Author", exact=True)
    expect(author.get_by_role("link", name="Grace Newman")).to_be_visible()

    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    relations = f"/content-manager/relations/api::article.article/{document}"
    [author_now] = site.api("GET", f"{relations}/author")["results"]
    assert author_now["name"] == "Grace Newman"


def test_related_entries_are_edited_in_drawers_above_each_other(site: Site, page: Page) -> None:
    author = site.api("POST", AUTHORS, {"name": "Hester", "slug": "hester"})["data"]
    go_on(page, f"/admin/content/api::author.author/{author['documentId']}")
    page.get_by_role("combobox", name="Search entries for Articles").click()
    page.get_by_role("option", name="Dead Reckoning").click()
    page.get_by_role("link", name="Dead Reckoning").click()
    drawer = page.get_by_role("dialog", name="Edit Article")
    first_tag = drawer.get_by_role("group", name="Tags", exact=True).get_by_role("link").first
    label = first_tag.inner_text()
    first_tag.click()
    upper = page.get_by_role("dialog", name="Edit Tag")
    upper.get_by_role("textbox", name="Label").fill("Edited above")
    page.keyboard.press("Escape")
    question = page.get_by_role("alertdialog", name="There are unsaved changes")
    question.get_by_role("button", name="Save and leave").click()
    expect(upper).to_have_count(0)
    expect(drawer.get_by_role("link", name="Edited above")).to_be_visible()
    drawer.get_by_role("textbox", name="Title").first.fill("Dead Reckoning, Edited Above")
    drawer.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("alert").get_by_text("Published", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("link", name="Dead Reckoning, Edited Above")).to_be_visible()
    # Other tests look for them by their names.
    [article] = site.api("GET", f"{ARTICLES}?_q=Edited%20Above")["results"]
    path = f"{ARTICLES}/{article['documentId']}/actions/publish?locale=en"
    site.api("POST", path, {"title": "Dead Reckoning"})
    [tag] = site.api("GET", f"{TAGS}?_q=Edited%20above")["results"]
    site.api("PUT", f"{TAGS}/{tag['documentId']}", {"label": label})


def test_the_question_about_unsaved_changes_is_answered_by_escape_or_by_saving(
    site: Site, page: Page
) -> None:
    author = site.api("POST", AUTHORS, {"name": "Iris", "slug": "iris"})["data"]
    path = f"/admin/content/api::author.author/{author['documentId']}"
    go_on(page, path)
    name = page.get_by_role("textbox", name="Name", exact=True)
    name.fill("Iris Newman")
    question = page.get_by_role("alertdialog", name="There are unsaved changes")
    home = page.get_by_role("link", name="Home", exact=True)
    home.click()
    expect(question).to_be_visible()
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    home.click()
    expect(question).to_be_visible()
    name.press("Control+s")
    expect(question).to_have_count(0)
    expect(name).to_have_value("Iris Newman")
    home.click()
    expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible()


def test_a_long_relation_shows_its_beginning_and_is_ordered_with_the_keyboard(
    site: Site, page: Page
) -> None:
    document, tags = article_with_tags(site, "With tags")
    go_on(page, f"/admin/content/api::article.article/{document}")
    group = page.get_by_role("group", name="Tags", exact=True)
    expect(group.get_by_role("listitem")).to_have_count(8)
    group.get_by_role("button", name=f"Show all {len(tags)}").click()
    assert_accessible(page)
    first, second = (group.get_by_role("link").nth(at).inner_text() for at in (0, 1))
    handle = group.get_by_role("button", name=f"Move {first}", exact=True)
    move_with_keys(page, handle, "ArrowDown", to=2)
    expect(group.get_by_role("link").first).to_have_text(second)
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    relations = f"/content-manager/relations/api::article.article/{document}"
    linked = site.api("GET", f"{relations}/tags?pageSize=100")["results"]
    assert [one["label"] for one in reversed(linked)][:2] == [second, first]


def test_a_part_is_copied_to_another_entry_where_its_component_is_allowed(
    site: Site, page: Page
) -> None:
    pair = {"label": "Copied", "links": [{"label": "Inner", "url": "/inner"}]}
    source = site.api("POST", SAMPLES, {"name": "Source", "pairs": [pair, {"label": "Other"}]})
    goal = site.api("POST", SAMPLES, {"name": "Goal", "zone": []})["data"]["documentId"]
    go_on(page, f"/admin/content/api::sample.sample/{source['data']['documentId']}")
    pairs = page.get_by_role("group", name="Pairs", exact=True)
    pairs.get_by_role("button", name="Expand all").click()
    expect(pairs.get_by_role("textbox", name="Label").first).to_have_value("Copied")
    pairs.get_by_role("button", name="Collapse all").click()
    pairs.get_by_role("button", name="Actions for pair 1").click()
    page.get_by_role("menuitem", name="Copy").click()
    expect(page.get_by_text("pair copied")).to_be_visible()

    go_on(page, f"/admin/content/api::sample.sample/{goal}")
    zone = page.get_by_role("group", name="Zone", exact=True)
    zone.get_by_role("button", name="Paste pair").click()
    expect(zone.get_by_role("textbox", name="Label").first).to_have_value("Copied")
    expect_saved(page)
    [part] = site.api("GET", f"{SAMPLES}/{goal}")["data"]["zone"]
    assert (part["__component"], part["label"]) == ("lab.pair", "Copied")
    assert [(one["label"], one["url"]) for one in part["links"]] == [("Inner", "/inner")]
    go_on(page, "/admin/content/api::article.article/create")
    page.get_by_role("button", name="Add a section: Sections").wait_for()
    expect(page.get_by_role("button", name="Paste pair")).to_have_count(0)


def test_a_form_of_200_fields_and_100_sections_stays_usable(site: Site, page: Page) -> None:
    quote = {"__component": "blocks.quote", "text": "מזג האוויר"}
    zone = [quote if at % 2 else {"__component": "lab.pair", "label": f"{at}"} for at in range(100)]
    made = site.api("POST", SAMPLES, {"name": "שלום עולם", "zone": zone})["data"]
    go_on(page, f"/admin/content/api::sample.sample/{made['documentId']}")
    group = page.get_by_role("group", name="Zone", exact=True)
    expect(group.get_by_role("button", name="Actions for Quote 100")).to_be_visible()
    expect(page.get_by_role("textbox", name="Name").first).to_have_css("unicode-bidi", "plaintext")
    group.get_by_role("button", name=re.compile("^Quote")).last.click()
    group.get_by_role("textbox", name="Text").last.fill("typed into the last one")
    expect_saved(page)
    saved = site.api("GET", f"{SAMPLES}/{made['documentId']}")["data"]["zone"]
    assert (len(saved), saved[99]["text"]) == (100, "typed into the last one")

    go_on(page, "/admin/content/api::wide.wide/create")
    fields = page.get_by_role("textbox", name="Field")
    expect(fields).to_have_count(200)
    expect(page.get_by_role("textbox", name="Extra")).to_have_count(0)
    fields.nth(0).fill("extra")
    expect(page.get_by_role("textbox", name="Extra")).to_be_visible()
    fields.nth(199).fill("the last one")
    expect_saved(page)
    [entry] = site.api("GET", "/content-manager/collection-types/api::wide.wide")["results"]
    assert (entry["field000"], entry["field199"]) == ("extra", "the last one")


def test_open_lists_calendars_and_tooltips_are_accessible(site: Site, page: Page) -> None:
    go_on(page, "/admin/content/api::sample.sample/create")
    page.get_by_role("combobox", name="Kind").click()
    page.get_by_role("option", name="two").wait_for()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Search entries for Further").click()
    page.get_by_role("option").first.wait_for()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Day").click()
    calendar = page.get_by_role("dialog", name="Day")
    assert_accessible(page)
    calendar.get_by_role("button", name=re.compile(r"^\w+ \d{4}$")).click()
    expect(calendar.get_by_role("button", name="Next year")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Moment").click()
    expect(page.get_by_role("dialog", name="Moment")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo").hover()
    page.get_by_role("tooltip").wait_for()
    assert_accessible(page)

    # A list that is longer than its place, and scrolls.
    go_on(page, "/admin/activity")
    page.get_by_role("combobox", name="Action").click()
    page.get_by_role("option").first.wait_for()
    assert_accessible(page)
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option").last).to_be_in_viewport()
