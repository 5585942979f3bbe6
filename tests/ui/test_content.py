import re

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.steps import PHONE, assert_fits_phone, expect_saved, move_with_keys

ARTICLES = "/content-manager/collection-types/api::article.article"
SAMPLES = "/content-manager/collection-types/api::sample.sample"
TAGS = "/content-manager/collection-types/api::tag.tag"


def count(site: Site, path: str) -> int:
    """Count the entries of a type in the default locale; tests may run in any order."""
    return int(site.api("GET", f"{path}?pageSize=1")["pagination"]["total"])


def test_entries_are_found_by_words_filters_and_relations(site: Site, page: Page) -> None:
    all_entries = f"{count(site, ARTICLES)} entries"
    go_on(page, "/admin/content/api::article.article")
    expect(page.get_by_text(all_entries)).to_be_visible()
    page.get_by_role("textbox", name="Search Article").fill("beaufort")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page).to_have_url(re.compile("q=beaufort"))
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(page.get_by_text(all_entries)).to_be_visible()

    page.get_by_role("button", name="Filter").click()
    builder = page.get_by_role("dialog")
    builder.get_by_role("combobox", name="Field").or_(
        builder.get_by_role("textbox", name="Field")
    ).first.click()
    page.get_by_role("option", name="Author", exact=True).click()
    builder.get_by_label("Value").click()
    page.get_by_role("option", name="Nádia Ferreira").click()
    expect(page.get_by_text("8 entries")).to_be_visible()
    page.keyboard.press("Escape")
    builder.get_by_role("button", name="Done").click()
    page.reload()
    expect(page.get_by_text("8 entries")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_text(all_entries)).to_be_visible()


def test_an_entry_is_changed_saved_and_published_with_the_keyboard_alone(
    site: Site, page: Page
) -> None:
    go_on(page, "/admin/content/api::article.article")
    page.get_by_role("table").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("dead reckoning")
    expect(page.get_by_role("row")).to_have_count(2)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    title = page.get_by_role("textbox", name="Title").first
    expect(title).to_have_value("Dead Reckoning")
    title.focus()
    page.keyboard.press("End")
    page.keyboard.type(", Again")
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Modified").first).to_be_visible()
    page.keyboard.press("Control+Shift+P")
    expect(page.get_by_role("alert").get_by_text("Published", exact=True).first).to_be_visible()
    found = site.api("GET", f"{ARTICLES}?_q=dead%20reckoning&status=published")["results"]
    assert [one["title"] for one in found] == ["Dead Reckoning, Again"]
    # Other tests look for it by its title.
    path = f"{ARTICLES}/{found[0]['documentId']}/actions/publish?locale=en"
    site.api("POST", path, {"title": "Dead Reckoning"})


def test_what_keeps_an_entry_from_being_published_is_listed_and_leads_to_its_field(
    site: Site, page: Page
) -> None:
    go_on(page, "/admin/content/api::sample.sample/create")
    page.get_by_role("textbox", name="Name").first.fill("ab")
    page.get_by_role("button", name="Add: Pairs").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    problems = page.get_by_role("alert").filter(has_text="problem")
    expect(problems.first).to_be_visible()
    page.get_by_role("textbox", name="Name").first.fill("abc")
    page.get_by_role("button", name="Publish", exact=True).click()
    page.get_by_role("button", name="On", exact=True).click()
    page.get_by_text("True", exact=True).first.click()
    page.get_by_role("button", name=re.compile("^Pairs . 1 . Label")).click()
    expect(page.get_by_role("textbox", name="Label").first).to_be_focused()
    page.keyboard.type("first")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Published", exact=True).first).to_be_visible()
    [entry] = site.api("GET", f"{SAMPLES}?_q=abc&status=published")["results"]
    assert (entry["name"], entry["on"]) == ("abc", True)


def test_publishing_an_empty_entry_marks_what_is_missing_and_stores_nothing(
    site: Site, page: Page
) -> None:
    before = site.api("GET", ARTICLES)["pagination"]["total"]
    go_on(page, "/admin/content/api::article.article/create")
    page.get_by_role("button", name="Publish", exact=True).click()
    title = page.get_by_role("textbox", name="Title").first
    expect(title).to_be_focused()
    expect(title).to_have_accessible_description("This field is required.")
    assert site.api("GET", ARTICLES)["pagination"]["total"] == before
    # A draft may lack what a publication needs, so nothing is said to prevent saving.
    page.keyboard.type("Tides")
    status = page.get_by_role("status")
    expect(status.get_by_text("Unsaved changes", exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="Slug")).to_have_value("tides")
    expect_saved(page)
    # Its address follows while nobody can know it.
    title.press("End")
    page.keyboard.type(" and Moons")
    expect(page.get_by_role("textbox", name="Slug")).to_have_value("tides-and-moons")
    page.get_by_role("textbox", name="Summary").fill("What pulls the water.")
    page.get_by_role("textbox", name="Body").click()
    page.keyboard.type("It is the moon.")
    expect_saved(page)
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("alert").get_by_text("Published", exact=True)).to_be_visible()
    title.fill("Moons")
    expect_saved(page)
    [made] = site.api("GET", f"{ARTICLES}?_q=tides-and-moons")["results"]
    # Other tests count the articles.
    site.api("DELETE", f"{ARTICLES}/{made['documentId']}")
    assert (made["title"], made["slug"]) == ("Moons", "tides-and-moons")


def test_a_new_entry_with_links_to_drafts_is_published_once_somebody_agrees(
    site: Site, page: Page
) -> None:
    draft = site.api("POST", ARTICLES, {"title": "Not out yet"})["data"]["documentId"]
    go_on(page, "/admin/content/api::sample.sample/create")
    page.get_by_role("textbox", name="Name").first.fill("Leads to one")
    page.get_by_text("True", exact=True).first.click()
    page.get_by_role("combobox", name="Search entries for Further").fill("Not out")
    page.get_by_role("option", name="Not out yet").click()
    page.keyboard.press("Control+Shift+P")
    dialog = page.get_by_role("dialog", name="One linked entry is not published")
    dialog.get_by_role("button", name="Publish anyway").click()
    expect(page.get_by_role("alert").get_by_text("Published", exact=True)).to_be_visible()
    [made] = site.api("GET", f"{SAMPLES}?_q=Leads%20to%20one")["results"]
    assert made["status"] == "published"
    assert made["documentId"] in page.url
    site.api("DELETE", f"{SAMPLES}/{made['documentId']}")
    site.api("DELETE", f"{ARTICLES}/{draft}")


def test_links_to_drafts_are_reported_before_an_entry_is_published(site: Site, page: Page) -> None:
    draft = site.api("POST", ARTICLES, {"title": "Still a draft"})["data"]["documentId"]
    further = {"connect": [{"documentId": draft}]}
    values = {"name": "Leads to a draft", "on": True, "further": further}
    made = site.api("POST", SAMPLES, values)["data"]["documentId"]
    go_on(page, f"/admin/content/api::sample.sample/{made}")
    name = page.get_by_role("textbox", name="Name").first
    name.fill("Leads on")
    page.keyboard.press("Control+Shift+P")
    dialog = page.get_by_role("dialog", name="One linked entry is not published")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    # What was typed is saved all the same, as a draft.
    entry = site.api("GET", f"{SAMPLES}/{made}")["data"]
    assert (entry["name"], entry["status"]) == ("Leads on", "draft")

    go_on(page, "/admin/content/api::sample.sample?q=Leads%20on")
    page.get_by_role("checkbox", name="Select Leads on").check()
    page.get_by_role("button", name="Publish", exact=True).click()
    asked = page.get_by_role("dialog", name="Publish this entry?")
    expect(asked.get_by_role("status")).to_contain_text("One linked entry is not published")
    asked.get_by_role("button", name="Cancel").click()

    page.get_by_role("link", name="Leads on").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    dialog.get_by_role("button", name="Publish anyway").click()
    expect(page.get_by_role("alert").get_by_text("Published", exact=True)).to_be_visible()
    assert site.api("GET", f"{SAMPLES}/{made}")["data"]["status"] == "published"
    # Other tests count the articles.
    site.api("DELETE", f"{ARTICLES}/{draft}")


def test_every_attribute_type_is_written_and_read_back(site: Site, page: Page) -> None:
    go_on(page, "/admin/content/api::sample.sample/create")
    page.get_by_role("textbox", name="Name").first.fill("Everything")
    page.get_by_text("True", exact=True).first.click()
    expect(page.get_by_role("textbox", name="Extra")).to_be_visible()
    for label, value in {
        "Text": "two\nlines",
        "Markdown": "# Heading",
        "Email": "a@example.org",
        "Secret": "Hush-hush-1",
        "Count": "42",
        "Big": "9007199254740991",
        "Ratio": "0.5",
        "Price": "1.25",
        "Clock": "23:10:05",
        "Extra": "shown",
    }.items():
        field = page.get_by_role("textbox", name=label).or_(page.get_by_label(label, exact=True))
        field.and_(page.locator("input, textarea")).first.fill(value)
    page.get_by_label("Day", exact=True).fill("2026-02-03")
    page.keyboard.press("Tab")
    page.get_by_label("Kind", exact=True).first.click()
    page.get_by_role("option", name="two").click()
    page.get_by_role("textbox", name="Data").click()
    page.keyboard.type('{"a": [1, 2')
    page.get_by_role("combobox", name="Search entries for Author").fill("Nádia")
    page.get_by_role("option", name="Nádia Ferreira").click()
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    expect(page.get_by_text("Nádia Ferreira")).to_be_visible()

    [found] = site.api("GET", f"{SAMPLES}?_q=Everything")["results"]
    entry = site.api("GET", f"{SAMPLES}/{found['documentId']}")["data"]
    assert {name: entry[name] for name in ("text", "markdown", "email", "count", "big")} == {
        "text": "two\nlines",
        "markdown": "# Heading",
        "email": "a@example.org",
        "count": 42,
        "big": "9007199254740991",
    }
    assert {name: entry[name] for name in ("ratio", "price", "day", "clock", "kind", "extra")} == {
        "ratio": 0.5,
        "price": 1.25,
        "day": "2026-02-03",
        "clock": "23:10:05.000",
        "kind": "two",
        "extra": "shown",
    }
    assert (entry["data"], entry["author"]) == ({"a": [1, 2]}, {"count": 1})
    assert "secret" not in entry


def test_sections_are_added_ordered_by_keys_duplicated_and_undone(site: Site, page: Page) -> None:
    made = site.api("POST", SAMPLES, {"name": "Sections", "on": True})["data"]
    go_on(page, f"/admin/content/api::sample.sample/{made['documentId']}")
    for name in ("pair", "Quote"):
        page.get_by_role("button", name="Add a section: Zone").click()
        page.get_by_role("textbox", name="Search components").fill(name)
        page.keyboard.press("Enter")
    zone = page.get_by_role("group", name="Zone")
    rows = zone.get_by_role("button", name=re.compile("^(pair|Quote)"))
    expect(rows).to_have_text(["pair", "Quote"])
    expect(zone.get_by_role("textbox", name="Text").last).to_be_focused()
    move_with_keys(page, page.get_by_role("button", name="Move Quote 2"), "ArrowUp", to=1)
    expect(rows).to_have_text(["Quote", "pair"])
    page.get_by_role("textbox", name="Text").last.fill("Said.")
    page.get_by_role("button", name="Actions for Quote 1").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    expect(page.get_by_role("button", name="Move Quote 2")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Move Quote 2")).to_have_count(0)
    page.get_by_role("button", name="Actions for pair 2").click()
    page.get_by_role("menuitem", name="Remove").click()
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    entry = site.api("GET", f"{SAMPLES}/{made['documentId']}")["data"]
    [part] = entry["zone"]
    assert (part["__component"], part["text"]) == ("blocks.quote", "Said.")


def test_blocks_are_written_with_marks_and_shortcuts(site: Site, page: Page) -> None:
    made = site.api("POST", ARTICLES, {"title": "Blocks"})["data"]
    go_on(page, f"/admin/content/api::article.article/{made['documentId']}")
    page.get_by_role("textbox", name="Body").click()
    page.keyboard.type("## Morning")
    page.keyboard.press("Enter")
    page.keyboard.type("It was ")
    page.keyboard.press("Control+b")
    page.keyboard.type("loud")
    page.keyboard.press("Control+b")
    page.keyboard.press("Enter")
    page.keyboard.type("- one")
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    assert site.api("GET", f"{ARTICLES}/{made['documentId']}")["data"]["body"] == [
        {"type": "heading", "level": 2, "children": [{"type": "text", "text": "Morning"}]},
        {
            "type": "paragraph",
            "children": [
                {"type": "text", "text": "It was "},
                {"type": "text", "text": "loud", "bold": True},
            ],
        },
        {
            "type": "list",
            "format": "unordered",
            "children": [{"type": "list-item", "children": [{"type": "text", "text": "one"}]}],
        },
    ]


def test_a_file_is_uploaded_placed_and_described(site: Site, page: Page) -> None:
    made = site.api("POST", SAMPLES, {"name": "Pictures", "on": True})["data"]
    go_on(page, f"/admin/content/api::sample.sample/{made['documentId']}")
    page.get_by_role("button", name="Choose files: Files").click()
    dialog = page.get_by_role("dialog")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Upload").click()
    chooser.value.set_files(
        {
            "name": "dot.svg",
            "mimeType": "image/svg+xml",
            "buffer": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        }
    )
    dialog.get_by_role("button", name="Use one file").click()
    page.get_by_role("button", name="Details of dot.svg").click()
    page.get_by_label("Alternative text").fill("A dot")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    [file] = site.api("GET", f"{SAMPLES}/{made['documentId']}")["data"]["files"]
    assert (file["name"], file["alternativeText"]) == ("dot.svg", "A dot")


def test_an_entry_that_somebody_else_has_changed_is_not_overwritten_unasked(
    site: Site, page: Page
) -> None:
    made = site.api("POST", ARTICLES, {"title": "Contested", "summary": "as it was"})["data"]
    path = f"{ARTICLES}/{made['documentId']}"
    go_on(page, f"/admin/content/api::article.article/{made['documentId']}")
    page.get_by_role("textbox", name="Title").first.fill("Mine")
    site.api("PUT", path, {"title": "Theirs", "summary": "improved"})
    page.get_by_role("button", name="Save draft").click()
    dialog = page.get_by_role("dialog", name="This entry has changed meanwhile")
    expect(dialog.get_by_text("Theirs", exact=True)).to_be_visible()
    # What only they have changed is no conflict.
    kept = dialog.get_by_text("They have changed this as well. It stays in either case.")
    expect(kept).to_be_visible()
    expect(dialog.get_by_text("improved", exact=True)).to_be_visible()
    assert site.api("GET", path)["data"]["title"] == "Theirs"
    dialog.get_by_role("button", name="Keep mine").click()
    expect(dialog).to_be_hidden()
    saved = site.api("GET", path)["data"]
    assert (saved["title"], saved["summary"]) == ("Mine", "improved")


def test_input_that_was_not_saved_is_offered_again_after_a_reload(page: Page) -> None:
    go_on(page, "/admin/content/api::tag.tag/create")
    page.get_by_role("textbox", name="Label").fill("Not saved")
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_text("Unsaved input")).to_be_visible()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("textbox", name="Label")).to_have_value("Not saved")
    page.get_by_role("link", name="Home", exact=True).click()
    page.get_by_role("alertdialog").get_by_role("button", name="Leave", exact=True).click()
    expect(page.get_by_role("heading", name="Hello")).to_be_visible()


def test_a_version_in_another_locale_is_made_from_what_all_locales_share(
    site: Site, page: Page
) -> None:
    made = site.api("POST", f"{ARTICLES}?locale=en", {"title": "English", "readingTime": 7})["data"]
    go_on(page, f"/admin/content/api::article.article/{made['documentId']}?locale=de")
    expect(page.get_by_text("There is no version in German (de) yet.")).to_be_visible()
    reading = page.get_by_label("Reading time")
    expect(reading).to_have_value("7")
    expect(reading).not_to_be_editable()
    page.get_by_role("textbox", name="Title").first.fill("Deutsch")
    page.get_by_role("button", name="Save draft").click()
    expect_saved(page)
    german = site.api("GET", f"{ARTICLES}/{made['documentId']}?locale=de")["data"]
    assert (german["title"], german["readingTime"]) == ("Deutsch", 7)
    assert (
        site.api("GET", f"{ARTICLES}/{made['documentId']}?locale=en")["data"]["title"] == "English"
    )


SCREENS = {
    "home": "/admin",
    "list": "/admin/content/api::article.article",
    "empty list": "/admin/content/api::article.article?q=nothing-has-this",
    "entry": "/admin/content/api::article.article/create",
    "all types": "/admin/content/api::sample.sample/create",
    "single": "/admin/content/api::homepage.homepage",
    "profile": "/admin/profile",
    "no page": "/admin/content/api::nothing.nothing",
}


def test_every_screen_is_accessible_in_both_schemes(home: Page) -> None:
    page = home
    for path in SCREENS.values():
        go_on(page, path)
        assert_accessible_in_both_schemes(page)


def test_a_phone_has_the_menu_in_a_drawer_and_nothing_beside_the_page(
    home: Page,
) -> None:
    page = home
    page.set_viewport_size(PHONE)
    for path in (SCREENS["home"], SCREENS["list"], SCREENS["all types"]):
        go_on(page, path)
        assert_fits_phone(page)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Home", exact=True).click()
    expect(page.get_by_role("heading", name="Hello")).to_be_visible()


def test_the_user_menu_says_which_scheme_is_chosen(home: Page) -> None:
    page = home
    page.get_by_role("button", name="Ada Lovelace").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.get_by_role("menuitemradio", name="Dark")).to_be_checked()
    expect(page.locator("[data-mantine-color-scheme=dark]").first).to_be_attached()
    page.get_by_role("menuitemradio", name="Light").click()
    expect(page.get_by_role("menuitemradio", name="Dark")).not_to_be_checked()


def test_a_file_that_is_dropped_beside_an_area_for_files_does_not_replace_the_page(
    page: Page,
) -> None:
    go_on(page, SCREENS["list"])
    page.get_by_role("table").wait_for()
    drop = """(type) => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'x.txt', { type: 'text/plain' }))
      const event = new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })
      document.querySelector('table').dispatchEvent(event)
      return event.defaultPrevented
    }"""
    assert page.evaluate(drop, "dragover")
    assert page.evaluate(drop, "drop")


def test_the_palette_finds_types_and_entries(home: Page) -> None:
    page = home
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_placeholder("Search or jump to")).to_be_focused()
    assert_accessible_in_both_schemes(page)
    page.keyboard.type("beaufort")
    page.get_by_role("dialog").get_by_text("Beaufort's Scale Has No Instrument").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Title").first).to_be_visible()


def test_a_view_of_a_list_is_saved_and_comes_back(site: Site, page: Page) -> None:
    go_on(page, "/admin/content/api::tag.tag?q=storms")
    expect(page.get_by_text("One entry")).to_be_visible()
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="Save as a new view").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Stormy")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Stormy")).to_be_visible()
    go_on(page, "/admin/content/api::tag.tag")
    expect(page.get_by_text(f"{count(site, TAGS)} entries")).to_be_visible()
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="Stormy").click()
    expect(page.get_by_text("One entry")).to_be_visible()
    expect(page.get_by_role("textbox", name="Search Tag")).to_have_value("storms")


def test_the_entries_of_a_list_are_exported_as_they_are_filtered(page: Page) -> None:
    go_on(page, "/admin/content/api::tag.tag?q=storms")
    expect(page.get_by_text("One entry")).to_be_visible()
    for name, mark in (("CSV", "slug"), ("JSON", '"slug"')):
        page.get_by_role("button", name="More actions for this list").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=f"Export as {name}").click()
        text = download.value.path().read_text()
        assert download.value.suggested_filename == f"tags.{name.lower()}"
        assert mark in text
        assert "storms" in text
        assert "history" not in text
