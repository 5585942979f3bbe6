"""The tasks in the admin UI of Quire, each with the fewest clicks."""

import re

from playwright.sync_api import Locator, Page

from bench.project import ADMINISTRATOR
from bench.ui.cases import Case
from bench.ui.driver import Driver

NOT_POSSIBLE: dict[str, str] = {}
"""Tasks that Quire cannot do at all, and why."""

_LIST = "/admin/content"


def sign_in(page: Page) -> None:
    """Sign the administrator in."""
    page.goto("/admin/login")
    page.get_by_label("E-mail").fill(ADMINISTRATOR["email"])
    page.get_by_label("Password", exact=True).fill(ADMINISTRATOR["password"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1, name="Hello").wait_for()


def _entries(count: int) -> re.Pattern[str]:
    """Return the text of a number of entries, with or without a separator."""
    return re.compile(f"^{count:,} entries$".replace(",", "[,.\\s]?"))


def _entry(ui: Driver, uid: str, document: str) -> None:
    ui.start(f"{_LIST}/{uid}/{document}?locale=en", ui.page.get_by_role("textbox", name="Title"))


def _save(ui: Driver) -> None:
    ui.click(ui.page.get_by_role("button", name="Save draft"))
    ui.see(ui.page.get_by_text("Saved", exact=True).first)


def _publish(ui: Driver) -> None:
    ui.click(ui.page.get_by_role("button", name="Publish", exact=True))
    ui.see(ui.page.get_by_role("alert").get_by_text("Published", exact=True).first)


def open_list(ui: Driver, case: Case) -> None:
    """Every type has a link in the sidebar."""
    ui.start("/admin", ui.page.get_by_text("Last edited"))
    ui.click(ui.page.get_by_role("navigation", name="Main").get_by_role("link", name="Article"))
    ui.see(ui.page.get_by_role("status").filter(has_text=_entries(case.entries)))
    ui.see(ui.page.get_by_role("row").nth(1))


def _job(page: Page) -> Locator:
    """Return the list of work that goes on next to the screen."""
    return page.get_by_role("region", name="Running work")


def _article_list(ui: Driver) -> None:
    ui.start(f"{_LIST}/api::article.article", ui.page.get_by_role("row").nth(1))


def find_by_words(ui: Driver, case: Case) -> None:
    """The list is searched at Enter, or a moment after the last key."""
    _article_list(ui)
    ui.fill(ui.page.get_by_role("textbox", name="Search Article"), case.words)
    ui.press("Enter")
    ui.see(ui.page.get_by_text("One entry"))
    ui.see(ui.page.get_by_role("link", name=case.title, exact=True))


def filter_list(ui: Driver, case: Case) -> None:
    """Both rules are made in one dialog, and the list follows them."""
    _article_list(ui)
    page = ui.page
    dialog = page.get_by_role("dialog", name="Filter")
    ui.click(page.get_by_role("button", name="Filter"))
    ui.click(dialog.get_by_role("combobox", name="Field"))
    ui.click(page.get_by_role("option", name="Author", exact=True))
    ui.fill(dialog.get_by_label("Value"), case.author)
    ui.click(page.get_by_role("option", name=case.author))
    ui.click(dialog.get_by_role("button", name="Add rule", exact=True))
    ui.click(dialog.get_by_role("combobox", name="Field").last)
    ui.click(page.get_by_role("option", name="Day", exact=True))
    ui.click(dialog.get_by_role("combobox", name="Operator").last)
    ui.click(page.get_by_role("option", name="is at least"))
    ui.click(dialog.get_by_label("Value").last, at_start=True)
    year, month, day = case.day.split("-")
    ui.type(f"{month}{day}{year}")
    ui.see(page.get_by_role("status").filter(has_text=_entries(case.entries)))


def edit_and_publish(ui: Driver, case: Case) -> None:
    """Publishing saves too."""
    _entry(ui, "api::article.article", case.document)
    ui.replace(ui.page.get_by_role("textbox", name="Title"), case.new_title)
    _publish(ui)


def add_component(ui: Driver, case: Case) -> None:
    """A new component is the last one; it is dragged to the top."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="Add: Links"))
    page.get_by_role("textbox", name="Label").wait_for()
    ui.type("Third")
    group = page.get_by_role("group", name="Links")
    moving = group.get_by_role("button", name=re.compile("^Move"))
    ui.drop(moving.last, moving.first)
    _save(ui)


def add_section(ui: Driver, case: Case) -> None:
    """The menu of a section adds one above it."""
    _entry(ui, "api::page.page", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="Actions for Heading 3"))
    ui.click(page.get_by_role("menuitem", name="Add above"))
    ui.click(
        page.get_by_role("group", name="Choose a component").get_by_role("button", name="Quote")
    )
    page.get_by_role("textbox", name="Words").wait_for()
    ui.type("In the middle")
    _save(ui)


def set_relation(ui: Driver, case: Case) -> None:
    """The option that matches is clicked."""
    _entry(ui, "api::article.article", case.document)
    ui.fill(ui.page.get_by_role("textbox", name="Search entries for Author"), case.author)
    ui.click(ui.page.get_by_role("option", name=case.author).first)
    _save(ui)


def translate(ui: Driver, case: Case) -> None:
    """Everything is copied from English, then the title is translated."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("combobox", name="Locale", exact=True))
    ui.click(page.get_by_role("option", name="French"))
    ui.click(page.get_by_role("button", name="Copy from English"))
    title = page.get_by_role("textbox", name="Title")
    title.and_(page.locator(f"[value='{case.title}']")).wait_for()
    ui.replace(title, case.new_title)
    _save(ui)


def revert_field(ui: Driver, case: Case) -> None:
    """What has changed is listed, with a button for each field."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="More actions"))
    ui.click(page.get_by_role("menuitem", name="Changes since publication"))
    ui.click(page.get_by_role("button", name="Use the published value of Summary"))
    _save(ui)


def publish_many(ui: Driver, case: Case) -> None:
    """Everything that the list has found can be selected."""
    page = ui.page
    ui.start(f"{_LIST}/api::note.note", page.get_by_role("row").nth(1))
    ui.click(page.get_by_role("checkbox", name="Select all on this page"))
    ui.click(page.get_by_role("button", name=re.compile("^Select all .* that match")))
    ui.click(
        page.get_by_role("region", name="Selection").get_by_role(
            "button", name="Publish", exact=True
        )
    )
    ui.click(page.get_by_role("dialog").get_by_role("button", name="Publish"))
    ui.see(_job(page).get_by_text(f"{case.entries} of {case.entries}"))


def place_image(ui: Driver, case: Case) -> None:
    """A file that is uploaded for a field of one file is placed in it at once."""
    _entry(ui, "api::page.page", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="Choose a file: Cover"))
    dialog = page.get_by_role("dialog")
    ui.choose(dialog.get_by_role("button", name="Upload"), [case.file])
    ui.see(page.get_by_role("button", name="Choose another: Cover"))
    _save(ui)


def recover(ui: Driver, case: Case) -> None:
    """Each problem is a link to its field."""
    _entry(ui, "api::article.article", case.document)
    page = ui.page
    ui.click(page.get_by_role("button", name="Publish", exact=True))
    ui.click(page.get_by_role("alert").get_by_role("button", name=re.compile("^Links")))
    ui.type(case.label)
    _publish(ui)


_FIELDS = {
    "string": "Text",
    "richtext": "Rich text (Markdown)",
    "integer": "Integer",
    "boolean": "Boolean",
    "email": "Email",
    "json": "JSON",
    "blocks": "Rich text (blocks)",
}
_NOTE_MODEL = "/admin/model/api::note.note"


def _model(ui: Driver) -> None:
    ui.start(_NOTE_MODEL, ui.page.get_by_role("button", name="Add field"))


def _add_field(ui: Driver, kind: str, *, is_asked: bool = False) -> None:
    """Choose the type of a field, which a new content type asks for; its name is typed next."""
    if not is_asked:
        ui.click(ui.page.get_by_role("button", name="Add field"))
    ui.click(ui.page.get_by_role("option", name=re.compile(f"^{re.escape(kind)} ")))
    ui.page.get_by_role("textbox", name="Name", exact=True).and_(
        ui.page.locator("[value='']:focus")
    ).wait_for()


def _apply(ui: Driver) -> None:
    """The server has the new model at once, without a restart."""
    ui.click(ui.page.get_by_role("button", name="Apply now"))
    ui.see(ui.page.get_by_role("button", name="Apply now"), gone=True)


def make_type(ui: Driver, case: Case) -> None:
    """A field is chosen from a list, and named next to it."""
    page = ui.page
    _model(ui)
    ui.click(page.get_by_role("button", name="New collection"))
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Display name").wait_for()
    ui.type(case.name)
    ui.click(dialog.get_by_role("button", name="Continue"))
    for number, (name, kind) in enumerate(case.attributes):
        _add_field(ui, _FIELDS[kind], is_asked=number == 0)
        ui.type(name)
    _apply(ui)


def add_pair(ui: Driver, case: Case) -> None:
    """The other side is named in the same panel."""
    page = ui.page
    _model(ui)
    _add_field(ui, "Relation")
    ui.type(case.attribute)
    ui.click(page.get_by_role("combobox", name="Content type"))
    ui.click(page.get_by_role("option", name="Author"))
    ui.replace(page.get_by_role("textbox", name="Name of the field in Author"), case.inverse)
    _apply(ui)


def rename(ui: Driver, case: Case) -> None:
    """A name is written over; the column is renamed."""
    page = ui.page
    _model(ui)
    ui.click(page.get_by_role("button", name=re.compile(f"^{case.old} ")))
    ui.replace(page.get_by_role("textbox", name="Name", exact=True), case.new)
    _apply(ui)


def fill_folder(ui: Driver, case: Case) -> None:
    """All files are described in one table, where Enter goes to the next one."""
    page = ui.page
    ui.start("/admin/media", page.get_by_role("button", name=case.folder, exact=True))
    ui.click(page.get_by_role("button", name=case.folder, exact=True))
    page.get_by_text("This folder is empty").wait_for()
    ui.choose(page.get_by_role("button", name="Upload", exact=True), case.files)
    count = len(case.files)
    ui.see(_job(page).get_by_text(f"{count} of {count}"))
    ui.click(page.get_by_role("checkbox", name="Select all on this page"))
    ui.click(page.get_by_role("button", name="Alternative texts"))
    dialog = page.get_by_role("dialog", name="Alternative texts")
    ui.click(dialog.get_by_role("textbox").first)
    for file in case.files:
        ui.type(case.text)
        if file is not case.files[-1]:
            ui.press("Enter")
    ui.click(dialog.get_by_role("button", name="Save"))
    ui.see(dialog, gone=True)


def make_role(ui: Driver, case: Case) -> None:
    """Fields and locales are rows below the type; a first field brings all locales with it."""
    page = ui.page
    ui.start("/admin/settings/roles", page.get_by_role("button", name="Create role"))
    ui.click(page.get_by_role("button", name="Create role"))
    page.get_by_role("dialog").get_by_role("textbox", name="Name").wait_for()
    ui.type(case.name)
    ui.press("Enter")
    ui.click(page.get_by_role("button", name="Parts of Article"))
    for name in ("title", "summary", "English (en)"):
        ui.click(page.get_by_role("checkbox", name=f"Update: {name}", exact=True))
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.see(page.get_by_role("alert").get_by_text("Saved"))


def make_token(ui: Driver, case: Case) -> None:
    """A new token is valid without limit and may read, unless something else is chosen."""
    page = ui.page
    ui.start("/admin/settings/api-tokens", page.get_by_role("link", name="Create API token"))
    ui.click(page.get_by_role("link", name="Create API token"))
    ui.fill(page.get_by_role("textbox", name="Name"), case.name)
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.see(page.get_by_role("button", name=re.compile("Copy")).first)


def make_webhook(ui: Driver, case: Case) -> None:
    """A test shows the response of the other side, and the log lists it with all others."""
    page = ui.page
    ui.start("/admin/settings/webhooks", page.get_by_role("link", name="Create webhook").first)
    ui.click(page.get_by_role("link", name="Create webhook").first)
    ui.fill(page.get_by_role("textbox", name="Name", exact=True), case.name)
    ui.fill(page.get_by_role("textbox", name="URL"), case.url)
    ui.click(page.get_by_role("checkbox", name="Publish: Entries", exact=True))
    ui.click(page.get_by_role("button", name="Save", exact=True))
    ui.click(page.get_by_role("button", name="Send test"))
    ui.see(page.get_by_role("status").get_by_text("Arrived"))


def find_refusal(ui: Driver, _: Case) -> None:
    """The role of everybody shows what it may not do."""
    page = ui.page
    ui.start("/admin", page.get_by_text("Last edited"))
    ui.click(page.get_by_role("link", name="Settings", exact=True))
    ui.click(page.get_by_role("link", name="End-user roles"))
    ui.click(page.get_by_role("link", name="Public"))
    ui.see(page.get_by_role("checkbox", name="find: Note", exact=True))
