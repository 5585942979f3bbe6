"""The tasks in the admin panel of Strapi, each with the fewest clicks."""

import json
import re

from playwright.sync_api import Page, Response

from bench.project import ADMINISTRATOR
from bench.ui.cases import Case
from bench.ui.driver import Driver

NOT_POSSIBLE = {"rename": "The column is dropped with what is in it, and another one is made."}
"""Tasks that the free edition cannot do at all, and why."""

_LIST = "/admin/content-manager/collection-types"
_ENGLISH = "plugins[i18n][locale]=en"
_NOTE = "api::note.note"
_LARGE_PAGE = 50
"""A page of the media library that holds all files of a task; it has 10 at first."""
TOUR = {"tours": {}, "enabled": False, "hidden": True, "completedActions": []}


def sign_in(page: Page) -> None:
    """Sign the administrator in, and switch off the guided tour, which covers controls."""
    page.goto("/admin/auth/login")
    page.evaluate("tour => localStorage.setItem('STRAPI_GUIDED_TOUR', tour)", json.dumps(TOUR))
    page.get_by_label("Email").fill(ADMINISTRATOR["email"])
    page.get_by_label("Password").first.fill(ADMINISTRATOR["password"])
    page.get_by_role("button", name="Login").click()
    page.get_by_role("heading", level=1, name="Hello").wait_for()
    close = page.get_by_role("button", name="Close the banner.")
    if close.is_visible():
        close.click()


def _entry(ui: Driver, uid: str, document: str) -> None:
    ui.start(f"{_LIST}/{uid}/{document}?{_ENGLISH}", ui.page.get_by_role("textbox", name="title"))


def _save(ui: Driver) -> None:
    ui.click(ui.page.get_by_role("button", name="Save", exact=True))
    ui.see(ui.page.get_by_text("Saved document").first)


def _publish(ui: Driver) -> None:
    ui.click(ui.page.get_by_role("button", name="Publish", exact=True))
    ui.see(ui.page.get_by_text("Published document").first)


def open_list(ui: Driver, case: Case) -> None:
    """Article is the first type, which the link to the content manager opens."""
    ui.start("/admin", ui.page.get_by_text("Last edited entries"))
    ui.click(ui.page.get_by_role("link", name="Content Manager"))
    ui.see(ui.page.get_by_text(f"{case.entries:,} entries found"))
    ui.see(ui.page.get_by_role("checkbox", name=re.compile(r"Select \d+")))


def _article_list(ui: Driver) -> None:
    ui.start(
        f"{_LIST}/api::article.article?{_ENGLISH}",
        ui.page.get_by_role("checkbox", name=re.compile(r"Select \d+")),
    )


def find_by_words(ui: Driver, case: Case) -> None:
    """The field for words opens at a click, and searches at Enter."""
    _article_list(ui)
    ui.click(ui.page.get_by_role("main").get_by_role("button", name="Search"))
    ui.type(case.words)
    ui.press("Enter")
    ui.see(ui.page.get_by_role("gridcell", name=case.title, exact=True))
    ui.see(ui.page.get_by_text("1 entry found"))


def filter_list(ui: Driver, case: Case) -> None:
    """A filter has one condition, so that two of them are made."""
    _article_list(ui)
    page = ui.page
    dialog = page.get_by_role("dialog")
    ui.click(page.get_by_role("button", name="Filters"))
    ui.click(dialog.get_by_role("combobox", name="Select field"))
    ui.click(page.get_by_role("option", name="author", exact=True))
    ui.fill(dialog.get_by_role("textbox", name="author"), case.author)
    ui.press("Enter")
    ui.click(page.get_by_role("button", name="Filters"))
    ui.click(dialog.get_by_role("combobox", name="Select field"))
    ui.click(page.get_by_role("option", name="day", exact=True))
    ui.click(dialog.get_by_role("combobox", name="Select filter"))
    ui.click(page.get_by_role("option", name="is greater than or equal to"))
    year, month, day = case.day.split("-")
    ui.fill(dialog.get_by_role("combobox", name="day"), f"{month}/{day}/{year}")
    ui.press("Enter")
    ui.click(dialog.get_by_role("button", name="Add filter"))
    ui.see(page.get_by_text(f"{case.entries} entries found"))


def edit_and_publish(ui: Driver, case: Case) -> None:
    """Publishing saves too."""
    _entry(ui, "api::article.article", case.document)
    ui.replace(ui.page.get_by_role("textbox", name="title"), case.new_title)
    _publish(ui)


def add_component(ui: Driver, case: Case) -> None:
    """A new component is the last one; it is dragged to the top."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="Add an entry"))
    ui.fill(page.get_by_role("textbox", name="label"), "Third")
    ui.drop(page.get_by_role("button", name="Drag").last, page.get_by_role("heading", name="First"))
    _save(ui)


def add_section(ui: Driver, case: Case) -> None:
    """The menu of a section adds one below it."""
    _entry(ui, "api::page.page", case.document)
    page = ui.page
    second = page.get_by_role("listitem").filter(
        has=page.get_by_role("button", name="Teaser - Two")
    )
    ui.click(second.get_by_role("button", name="More actions"))
    ui.click(page.get_by_role("menuitem", name="Add component below"))
    ui.click(page.get_by_role("menuitem", name="Quote"))
    ui.fill(page.get_by_role("textbox", name="words"), "In the middle")
    _save(ui)


def set_relation(ui: Driver, case: Case) -> None:
    """The first option is the one that matches."""
    _entry(ui, "api::article.article", case.document)
    ui.fill(ui.page.get_by_role("combobox", name="author"), case.author)
    ui.click(ui.page.get_by_role("option", name=case.author))
    _save(ui)


def translate(ui: Driver, case: Case) -> None:
    """Everything is filled in from English, then the title is translated."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("combobox", name="Locales"))
    ui.click(page.get_by_role("option", name="French (fr)"))
    ui.click(page.get_by_role("button", name="Fill in from another locale"))
    dialog = page.get_by_role("alertdialog")
    ui.click(dialog.get_by_role("combobox", name="Locale"))
    ui.click(page.get_by_role("option", name="English (en)"))
    ui.click(dialog.get_by_role("button", name="Yes, fill in"))
    ui.replace(page.get_by_role("textbox", name="title"), case.new_title)
    _save(ui)


def revert_field(ui: Driver, case: Case) -> None:
    """What differs is found by eye between two tabs, and the old text is typed again."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("tab", name="published"))
    ui.see(page.get_by_text(case.published))
    ui.click(page.get_by_role("tab", name="draft"))
    ui.see(page.get_by_text(case.changed))
    ui.replace(page.get_by_role("textbox", name="summary"), case.published)
    _save(ui)


def publish_many(ui: Driver, case: Case) -> None:
    """Only what is on one page can be selected."""
    page = ui.page
    ui.start(
        f"{_LIST}/api::note.note", page.get_by_role("checkbox", name=re.compile(r"Select \d+"))
    )
    ui.click(page.get_by_role("combobox", name="Entries per page"))
    ui.click(page.get_by_role("option", name="100"))
    page.get_by_role("checkbox", name=re.compile(r"Select \d+")).nth(99).wait_for()
    ui.click(page.get_by_role("checkbox", name="Select all entries"))
    ui.click(page.get_by_role("button", name="Publish", exact=True))
    ui.click(page.get_by_role("dialog").get_by_role("button", name="Publish"))
    ui.click(page.get_by_role("alertdialog").get_by_role("button", name="Publish"))
    ui.see(page.get_by_role("status", name="published").nth(case.entries - 1))


def place_image(ui: Driver, case: Case) -> None:
    """The file goes into the library first, and from there into the field."""
    _entry(ui, "api::page.page", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="Click to add an asset"))
    dialog = page.get_by_role("dialog")
    ui.click(dialog.get_by_role("button", name="Add more assets"))
    ui.choose(page.get_by_role("button", name="Drag & Drop here or"), [case.file])
    ui.click(page.get_by_role("button", name="Upload 1 asset"))
    ui.click(dialog.get_by_role("button", name="Finish"))
    _save(ui)


def recover(ui: Driver, case: Case) -> None:
    """The field that is not valid is in a collapsed component at the end of the form."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="Publish", exact=True))
    ui.see(ui.page.get_by_text("validation").first)
    ui.fill(page.get_by_role("textbox", name="label"), case.label)
    _publish(ui)


_FIELDS = {
    "string": "Text",
    "richtext": "Rich text (Markdown)",
    "integer": "Number",
    "boolean": "Boolean",
    "email": "Email",
    "json": "JSON",
    "blocks": "Rich text (Blocks)",
}
_MODEL = "/admin/plugins/content-type-builder/content-types"


def _save_model(ui: Driver) -> None:
    """Wait until the server has started again: only then the panel lets anybody go on."""
    ui.click(ui.page.get_by_role("button", name="Save", exact=True))
    ui.see(ui.page.get_by_text("Waiting for restart").first)
    ui.see(ui.page.get_by_text("Waiting for restart").first, gone=True)


def make_type(ui: Driver, case: Case) -> None:
    """Every field has a dialog of its own; a number has a format to be chosen."""
    page = ui.page
    ui.start(f"{_MODEL}/{_NOTE}", page.get_by_role("button", name="Add another field", exact=True))
    ui.click(page.get_by_role("button", name="Create new collection type"))
    dialog = page.get_by_role("dialog")
    ui.fill(dialog.get_by_label("Display name"), case.name)
    ui.click(dialog.get_by_role("button", name="Continue"))
    ui.click(page.get_by_role("button", name="Add new field").first)
    for number, (name, kind) in enumerate(case.attributes, start=1):
        ui.click(dialog.get_by_role("button", name=re.compile(f"^{re.escape(_FIELDS[kind])} ")))
        ui.fill(dialog.get_by_label("Name", exact=True), name)
        if kind == "integer":
            ui.click(dialog.get_by_role("combobox", name="Number format"))
            ui.click(page.get_by_role("option", name="integer (ex: 10)"))
        last = number == len(case.attributes)
        ui.click(dialog.get_by_role("button", name="Finish" if last else "Add another field"))
    _save_model(ui)


def add_pair(ui: Driver, case: Case) -> None:
    """The target is chosen from a menu, the kind among six pictures."""
    page = ui.page
    ui.start(f"{_MODEL}/{_NOTE}", page.get_by_role("button", name="Add another field", exact=True))
    ui.click(page.get_by_role("button", name="Add another field", exact=True))
    dialog = page.get_by_role("dialog")
    ui.click(dialog.get_by_role("button", name="Relation "))
    ui.click(dialog.get_by_role("button", name="Article"))
    ui.click(page.get_by_role("menuitem", name="Author"))
    ui.click(dialog.get_by_role("button", name="has many", exact=True).first)
    ui.replace(dialog.get_by_label("Field name").first, case.attribute)
    ui.replace(dialog.get_by_label("Field name").last, case.inverse)
    ui.click(dialog.get_by_role("button", name="Finish"))
    _save_model(ui)


def _reads_a_file(response: Response) -> bool:
    return response.request.method == "GET" and bool(re.search(r"/upload/files/\d+$", response.url))


def fill_folder(ui: Driver, case: Case) -> None:
    """Files are uploaded together and described one by one, on a page that holds all of them."""
    page, size = ui.page, ui.page.viewport_size
    # All files are in sight: scrolling would take time that the UI needs no click for.
    page.set_viewport_size({"width": 1440, "height": 2400})
    ui.start(
        f"/admin/plugins/upload?page=1&pageSize={_LARGE_PAGE}&sort=createdAt:DESC",
        page.get_by_role("button", name=case.folder, exact=True),
    )
    ui.click(page.get_by_role("button", name=case.folder, exact=True))
    ui.choose(page.get_by_role("main").get_by_role("button", name="Add assets"), case.files)
    ui.see(page.get_by_text("Upload successful!").first)
    ui.click(page.get_by_role("dialog").get_by_role("button", name="Close"))
    for file in case.files:
        ui.click(page.get_by_role("main").get_by_role("button", name=file.name))
        drawer = page.get_by_role("dialog")
        ui.fill(drawer.get_by_role("textbox", name="Alternative text"), case.text)
        # The drawer stays open. Until it has read the file again, Escape asks about unsaved
        # changes.
        with page.expect_response(_reads_a_file):
            ui.click(drawer.get_by_role("button", name="Save"))
        ui.see(page.get_by_text("File updated"))
        ui.see(drawer.get_by_role("button", name="Save", disabled=True))
        ui.press("Escape")
        ui.see(drawer, gone=True)
    if size is not None:
        page.set_viewport_size(size)


def make_role(ui: Driver, case: Case) -> None:
    """Fields and locales are boxes below the type, once it is unfolded."""
    page = ui.page
    ui.start("/admin/settings/roles", page.get_by_role("button", name="Add new role").first)
    ui.click(page.get_by_role("button", name="Add new role").first)
    ui.fill(page.get_by_role("textbox", name="Name"), case.name)
    ui.click(page.get_by_role("button", name="Article", exact=True))
    for name in ("title Update", "summary Update", "fr Update"):
        ui.click(page.get_by_role("checkbox", name=f"Select {name} permission"))
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.see(page.get_by_role("heading", name="Edit a role"))


def make_token(ui: Driver, case: Case) -> None:
    """How long it is valid and its type are chosen; the token is then shown."""
    page = ui.page
    ui.start("/admin/settings/api-tokens", page.get_by_role("link", name="Create new API Token"))
    ui.click(page.get_by_role("link", name="Create new API Token"))
    ui.fill(page.get_by_role("textbox", name="Name"), case.name)
    ui.click(page.get_by_role("combobox", name="Token duration"))
    ui.click(page.get_by_role("option", name="Unlimited"))
    ui.click(page.get_by_role("combobox", name="Token type"))
    ui.click(page.get_by_role("option", name="Read-only"))
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.see(page.get_by_text("Copy your token").first)


def make_webhook(ui: Driver, case: Case) -> None:
    """Only a test says how the other side has answered; real deliveries are not listed."""
    page = ui.page
    ui.start("/admin/settings/webhooks", page.get_by_role("link", name="Create new webhook").first)
    ui.click(page.get_by_role("link", name="Create new webhook").first)
    ui.fill(page.get_by_role("textbox", name="Name"), case.name)
    ui.fill(page.get_by_role("textbox", name="Url"), case.url)
    ui.click(page.get_by_role("checkbox", name="entry.publish", exact=True))
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.click(page.get_by_role("button", name="Trigger"))
    ui.see(page.get_by_text("Trigger succeeded"))


def find_refusal(ui: Driver, _: Case) -> None:
    """Nothing says why; somebody who knows roles looks the action up."""
    page = ui.page
    ui.start("/admin", page.get_by_text("Last edited entries"))
    ui.click(page.get_by_role("link", name="Settings", exact=True))
    ui.click(page.get_by_role("link", name="Roles").last)
    ui.click(page.get_by_role("gridcell", name="Public", exact=True))
    ui.click(page.get_by_role("button", name=re.compile("^Note ")))
    ui.see(page.get_by_role("checkbox", name="find", exact=True))
