"""Keyboard operation, and the list of shortcuts."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import go_on
from tests.ui.site import Site
from tests.ui.steps import PHONE

ARTICLE = "api::article.article"
ARTICLES = f"/content-manager/collection-types/{ARTICLE}"
SAMPLES = "/content-manager/collection-types/api::sample.sample"


def tab_to(page: Page, field: Locator) -> None:
    """Press Tab until a field has the focus."""
    expect(field).to_be_visible()
    for _ in range(40):
        if field.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    expect(field).to_be_focused()


def test_an_entry_is_made_from_nothing_and_published(site: Site, home: Page) -> None:
    page = home
    main = page.get_by_role("navigation", name="Main")
    tab_to(page, main.get_by_role("link", name=re.compile("^Article")))
    page.keyboard.press("Enter")
    # Home has tables, too.
    expect(page.get_by_role("textbox", name="Search Article")).to_be_visible()
    page.keyboard.press("c")
    title = page.get_by_role("textbox", name="Title").first
    tab_to(page, title)
    page.keyboard.type("Made by keys")
    slug = page.get_by_role("textbox", name="Slug")
    tab_to(page, slug)
    expect(slug).to_have_value("made-by-keys")
    tab_to(page, page.get_by_role("textbox", name="Summary"))
    page.keyboard.type("Without a mouse.")
    tab_to(page, page.get_by_role("textbox", name="Body"))
    page.keyboard.type("# Keys")
    page.keyboard.press("Enter")
    page.keyboard.type("All of it was typed.")
    page.keyboard.press("Control+Shift+P")
    expect(page.get_by_role("alert").get_by_text("Published", exact=True)).to_be_visible()

    [made] = site.api("GET", f"{ARTICLES}?_q=made-by-keys&status=published")["results"]
    # Other tests count the articles.
    site.api("DELETE", f"{ARTICLES}/{made['documentId']}")
    assert (made["title"], made["summary"]) == ("Made by keys", "Without a mouse.")
    assert [one["type"] for one in made["body"]] == ["heading", "paragraph"]


def test_the_focus_returns_to_whatever_opened_a_menu_a_dialog_or_a_popover(
    site: Site, home: Page
) -> None:
    page = home
    go_on(page, f"/admin/content/{ARTICLE}")
    actions = page.get_by_role("button", name=re.compile("^Actions for ")).first
    actions.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    assert_accessible_in_both_schemes(page)
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("menuitem", name="Delete")).to_be_focused()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Delete this entry?")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(actions).to_be_focused()
    filter_button = page.get_by_role("button", name="Filter", exact=True)
    filter_button.press("Enter")
    expect(page.get_by_role("button", name="Add rule")).to_be_visible()
    page.keyboard.press("Escape")
    expect(filter_button).to_be_focused()


def test_the_sheet_lists_the_keys_and_they_lead_where_it_says(site: Site, home: Page) -> None:
    page = home
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    for area, label in (
        ("Everywhere", "Model"),
        ("In a list", "Delete the selected entries"),
        ("In an entry", "Change the locale"),
        ("In the model and the explorer", "Add a field to a type"),
    ):
        region = sheet.get_by_role("region", name=area)
        expect(region.get_by_role("term").filter(has_text=label)).to_be_visible()
    assert_accessible_in_both_schemes(page)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()

    page.keyboard.press("[")
    expect(page.get_by_role("button", name="Expand the sidebar")).to_be_visible()
    page.keyboard.press("[")
    for key, heading in (("m", "Model"), ("e", "API explorer"), ("p", "Profile"), ("h", "Hello")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page.get_by_role("heading", level=1).filter(has_text=heading)).to_be_visible()


def test_the_keys_of_an_entry_change_its_locale_and_go_to_the_inspector(
    site: Site, page: Page
) -> None:
    query = "locale=en&_q=A%20Lens%20Made%20of%20Prisms"
    document = site.api("GET", f"{ARTICLES}?{query}")["results"][0]["documentId"]
    go_on(page, f"/admin/content/{ARTICLE}/{document}?locale=en")
    title = page.get_by_role("textbox", name="Title").first
    expect(title).to_have_value("A Lens Made of Prisms")
    page.keyboard.press("Control+.")
    expect(page.get_by_role("tab", name="Info")).to_be_focused()
    codes = [one["code"] for one in site.api("GET", "/i18n/locales")]
    page.keyboard.press(f"Alt+{codes.index('de') + 1}")
    page.wait_for_url("**locale=de")
    expect(title).not_to_have_value("A Lens Made of Prisms")
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("Control+.")
    expect(page.get_by_role("dialog", name="Inspector")).to_be_visible()
    page.keyboard.press("Control+.")
    expect(page.get_by_role("dialog", name="Inspector")).to_be_hidden()


def test_keys_of_a_list_move_the_focus_and_do_nothing_behind_a_dialog(
    site: Site, home: Page
) -> None:
    page = home
    go_on(page, f"/admin/content/{ARTICLE}")
    titles = page.get_by_role("table", name="Article").locator(".quire-title-link")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(titles.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(titles.first).to_be_focused()
    title = titles.first.inner_text()
    page.keyboard.press("x")
    expect(page.get_by_role("checkbox", name=f"Select {title}")).to_be_checked()
    # Enter is for what has the focus, wherever the keys have moved to.
    actions = page.get_by_role("button", name=f"Actions for {title}")
    actions.press("Enter")
    delete = page.get_by_role("menuitem", name="Delete")
    expect(delete).to_be_visible()
    page.keyboard.press("c")
    delete.press("Enter")
    dialog = page.get_by_role("dialog", name="Delete this entry?")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    for key in ("c", "j", "[", "?"):
        page.keyboard.press(key)
    expect(dialog).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(actions).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Title").first).to_be_visible()


def test_the_focus_stays_in_a_field_whose_items_are_added_and_removed(
    site: Site, page: Page
) -> None:
    tags = site.api("GET", "/content-manager/collection-types/api::tag.tag?pageSize=3")["results"]
    connected = {"connect": [{"documentId": one["documentId"]} for one in tags]}
    document = site.api("POST", ARTICLES, {"title": "Kept in", "tags": connected})["data"]
    go_on(page, f"/admin/content/{ARTICLE}/{document['documentId']}")
    group = page.get_by_role("group", name="Tags")
    removing = group.get_by_role("button", name=re.compile("^Remove "))
    expect(removing).to_have_count(3)
    removing.nth(1).press("Enter")
    expect(removing).to_have_count(2)
    expect(removing.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(removing.first).to_be_focused()
    page.keyboard.press("Enter")
    expect(group).to_be_focused()
    page.keyboard.press("Tab")
    expect(group.get_by_role("combobox", name="Search entries for Tags")).to_be_focused()

    made = site.api("POST", SAMPLES, {"name": "Sections by keys", "on": True})["data"]
    go_on(page, f"/admin/content/api::sample.sample/{made['documentId']}")
    add = page.get_by_role("button", name="Add a section: Zone")
    add.press("Enter")
    expect(page.get_by_role("textbox", name="Search components")).to_be_focused()
    page.keyboard.press("Escape")
    expect(add).to_be_focused()
    zone = page.get_by_role("group", name="Zone")
    for count in (1, 2):
        add.press("Enter")
        page.keyboard.type("Quote")
        page.keyboard.press("Enter")
        expect(zone.get_by_role("textbox", name="Text")).to_have_count(count)
        expect(zone.get_by_role("textbox", name="Text").last).to_be_focused()
    zone.get_by_role("button", name="Actions for Quote 1").press("Enter")
    page.get_by_role("menuitem", name="Move down").press("Enter")
    expect(zone.get_by_role("button", name="Actions for Quote 2")).to_be_focused()
    zone.get_by_role("button", name="Actions for Quote 1").press("Enter")
    page.get_by_role("menuitem", name="Remove").press("Enter")
    expect(zone.get_by_role("button", name=re.compile("^Quote"))).to_be_focused()
    zone.get_by_role("button", name="Actions for Quote 1").press("Enter")
    page.get_by_role("menuitem", name="Add above").press("Enter")
    expect(page.get_by_role("textbox", name="Search components")).to_be_focused()


def test_a_toolbar_is_one_stop_for_tab_and_the_arrow_keys_go_through_it(
    site: Site, page: Page
) -> None:
    made = site.api("POST", SAMPLES, {"name": "Tools"})["data"]
    article = site.api("POST", ARTICLES, {"title": "Tools"})["data"]
    fields = ((SAMPLES, made, "Markdown"), (ARTICLES, article, "Body"))
    for path, document, name in fields:
        uid = path.rpartition("/")[2]
        go_on(page, f"/admin/content/{uid}/{document['documentId']}")
        text = page.get_by_role("textbox", name=name, exact=True)
        tools = page.get_by_role("toolbar", name=name)
        text.focus()
        while not tools.evaluate("one => one.contains(document.activeElement)"):
            page.keyboard.press("Shift+Tab")
        controls = tools.locator("button, input:not([type=hidden])")
        expect(controls.first).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(controls.nth(1)).to_be_focused()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(tools.get_by_role("button").last).to_be_focused()
        page.keyboard.press("Tab")
        assert not tools.evaluate("one => one.contains(document.activeElement)")
        page.keyboard.press("Shift+Tab")
        expect(tools.get_by_role("button").last).to_be_focused()
        site.api("DELETE", f"{path}/{document['documentId']}")


def test_more_entries_of_a_relation_are_reached_with_the_arrow_keys(site: Site, page: Page) -> None:
    tags = "/content-manager/collection-types/api::tag.tag"
    made = [
        site.api("POST", tags, {"label": f"Keys {at:02}", "slug": f"keys-{at}"})["data"]
        for at in range(25)
    ]
    document = site.api("POST", ARTICLES, {"title": "With many to choose from"})["data"]
    go_on(page, f"/admin/content/{ARTICLE}/{document['documentId']}")
    search = page.get_by_role("combobox", name="Search entries for Tags")
    search.focus()
    page.keyboard.type("Keys ")
    options = page.get_by_role("option", name=re.compile(r"^Keys \d\d"))
    expect(options).to_have_count(20)
    expect(page.get_by_role("option", name="Show more")).to_be_visible()
    for _ in range(21):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(options).to_have_count(25)
    chosen = options.nth(20)
    expect(chosen).to_have_attribute("data-combobox-selected", "true")
    label = chosen.inner_text().split("\n")[0]
    page.keyboard.press("Enter")
    group = page.get_by_role("group", name="Tags")
    expect(group.get_by_role("link")).to_have_text([label])
    for one in made:
        site.api("DELETE", f"{tags}/{one['documentId']}")


def is_reached(page: Page, part: Locator) -> bool:
    """Whether the focus comes to a part of the page within five presses of Tab."""
    for _ in range(5):
        page.keyboard.press("Tab")
        if part.evaluate("one => one.contains(document.activeElement)"):
            return True
    return False


def test_the_keys_reach_the_sidebar_only_where_it_is_in_sight(home: Page) -> None:
    page = home
    sidebar = page.locator(".mantine-AppShell-navbar")
    page.get_by_role("button", name="Collapse the sidebar").press("Enter")
    expand = page.get_by_role("button", name="Expand the sidebar")
    expect(expand).to_be_focused()
    page.get_by_role("link", name="Skip to content").focus()
    assert not is_reached(page, sidebar)
    expand.press("Enter")
    expect(page.get_by_role("button", name="Collapse the sidebar")).to_be_focused()

    page.set_viewport_size(PHONE)
    menu = page.get_by_role("button", name="Menu", exact=True)
    menu.focus()
    assert not is_reached(page, sidebar)
    menu.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    assert is_reached(page, sidebar)
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    assert is_reached(page, page.get_by_role("main"))

    menu.press("Enter")
    sidebar.get_by_role("button").last.press("Enter")
    expect(page.get_by_role("menuitem", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menuitem", name="Sign out")).to_have_count(0)
    expect(menu).to_have_attribute("aria-expanded", "true")
    sidebar.get_by_role("link", name="Media library").press("Enter")
    expect(page.get_by_role("heading", name="Media library", level=1)).to_be_focused()


def test_letters_act_from_a_checkbox_and_those_after_g_only_go_to_a_screen(
    site: Site, home: Page
) -> None:
    page = home
    made = [site.api("POST", SAMPLES, {"name": f"Lettered {at}"})["data"] for at in (1, 2)]
    go_on(page, "/admin/content/api::sample.sample?q=Lettered")
    page.get_by_role("checkbox", name="Select Lettered 1").press("Space")
    page.keyboard.press("e")
    expect(page.get_by_role("dialog", name="Edit one entry")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("checkbox", name="Select Lettered 2").press("Space")
    page.keyboard.press("g")
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name="API explorer", level=1)).to_be_focused()
    expect(page.get_by_role("dialog")).to_have_count(0)
    for one in made:
        site.api("DELETE", f"{SAMPLES}/{one['documentId']}")


def test_a_value_is_edited_in_the_list_from_the_menu_of_its_row(site: Site, page: Page) -> None:
    made = site.api("POST", SAMPLES, {"name": "Edited by keys"})["data"]
    go_on(page, "/admin/content/api::sample.sample?q=Edited%20by%20keys")
    page.get_by_role("button", name="Actions for Edited by keys").press("Enter")
    page.get_by_role("menuitem", name="Edit a value").press("ArrowRight")
    page.get_by_role("menuitem", name="Name", exact=True).press("Enter")
    field = page.get_by_role("dialog").get_by_role("textbox", name="Name")
    expect(field).to_be_focused()
    field.fill("Edited in place")
    field.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    path = f"{SAMPLES}/{made['documentId']}"
    assert site.api("GET", path)["data"]["name"] == "Edited in place"
    site.api("DELETE", path)


def test_tab_leaves_the_editor_of_json(site: Site, page: Page) -> None:
    made = site.api("POST", SAMPLES, {"name": "Left by Tab"})["data"]
    path = f"{SAMPLES}/{made['documentId']}"
    go_on(page, f"/admin/content/api::sample.sample/{made['documentId']}")
    data = page.get_by_role("textbox", name="Data", exact=True)
    data.focus()
    page.keyboard.type("[1]")
    page.keyboard.press("Tab")
    expect(data).not_to_be_focused()
    expect(data).to_have_text("[1]")
    site.api("DELETE", path)
