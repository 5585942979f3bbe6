import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import PASSWORD, Site

TEXTS = Path(__file__).parents[2] / "ui" / "src" / "i18n"
EMAIL = "claire@example.org"
# Whatever a page says or names to people: texts, labels, placeholders, and titles.
WORDS = """() => {
  const found = new Set()
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const around = walk.currentNode.parentElement
    if (!around.closest('script, style')) found.add(walk.currentNode.textContent.trim())
  }
  for (const one of document.querySelectorAll('[aria-label], [placeholder], [title]'))
    for (const name of ['aria-label', 'placeholder', 'title'])
      if (one.hasAttribute(name)) found.add(one.getAttribute(name).trim())
  return [...found]
}"""


def texts_of(language: str) -> dict[str, str]:
    """Return all texts of the UI in a language."""
    return {
        key: text
        for file in (TEXTS / language).glob("*.json")
        for key, text in json.loads(file.read_text()).items()
    }


def content_words(site: Site) -> set[str]:
    """Return what content is called and has: these may be texts of the UI as well."""
    model = site.api("GET", "/content-manager/init")["data"]
    words = set[str]()
    for one in ("article", "author", "sample", "tag"):
        path = f"/content-manager/collection-types/api::{one}.{one}"
        entries = site.api("GET", f"{path}?pageSize=100&sort=updatedAt:DESC")["results"]
        words.update(str(value) for entry in entries for value in entry.values())
    for one in (*model["contentTypes"], *model["components"]):
        words.add(one["info"]["displayName"])
        for name, attribute in one["attributes"].items():
            parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
            words |= {parts.capitalize(), *attribute.get("enum", ())}
    return words


def assert_translated(page: Page, language: str, content: set[str]) -> None:
    """Assert that no text on the page is one of the English ones, nor a key."""
    english, other = texts_of("en"), texts_of(language)
    foreign = {text for text in english.values() if "{{" not in text} - set(other.values())
    patterns = [
        re.compile(re.sub(r"\\{\\{\w+\\}\\}", ".+", re.escape(text)))
        for text in set(english.values()) - set(other.values())
        if "{{" in text and len(re.sub(r"\{\{\w+\}\}", "", text)) > 8
    ]
    shown = set(page.evaluate(WORDS))
    assert shown & (foreign | set(english)) - content == set()
    assert [one for one in shown if any(pattern.fullmatch(one) for pattern in patterns)] == []


def test_the_ui_speaks_the_language_of_the_browser_or_of_the_profile(
    site: Site, open_page: OpenPage
) -> None:
    roles = [one["id"] for one in site.api("GET", "/admin/roles")["data"]]
    site.add_person(EMAIL, "Claire", *roles[:1])
    content = content_words(site)
    page = open_page(site.address, locale="de-AT")
    page.goto("/admin/login")
    expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert_translated(page, "de", content)
    page.get_by_label("E-Mail").fill(EMAIL)
    page.get_by_label("Passwort", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Anmelden").click()
    expect(page.get_by_role("heading", name="Hallo, Claire")).to_be_visible()
    expect(page.get_by_text("Strg K", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Zuletzt bearbeitet")).to_be_visible()
    assert_translated(page, "de", content)

    go_on(page, "/admin/content/api::article.article")
    expect(page.get_by_role("status").filter(has_text="Einträge")).to_be_visible()
    page.get_by_role("button", name="Filter", exact=True).click()
    assert_translated(page, "de", content)
    page.keyboard.press("Escape")
    page.locator("table a").first.click()
    expect(page.get_by_role("button", name="Entwurf speichern")).to_be_visible()
    assert_translated(page, "de", content)
    assert_accessible(page)

    go_on(page, "/admin/profile")
    page.get_by_label("Sprache der Oberfläche").and_(page.get_by_role("combobox")).click()
    page.get_by_role("option", name="Français").click()
    expect(page.get_by_role("heading", name="À propos de vous")).to_be_visible()
    assert_translated(page, "fr", content)

    other = open_page(site.address)
    other.goto("/admin/login")
    other.get_by_label("E-mail").fill(EMAIL)
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("heading", name="Bonjour, Claire")).to_be_visible()
    go_on(other, "/admin/content/api::sample.sample/create")
    expect(other.get_by_role("button", name="Enregistrer le brouillon")).to_be_visible()
    assert_translated(other, "fr", content)
