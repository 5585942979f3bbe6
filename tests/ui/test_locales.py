"""Entries in several locales: their status, and publishing them together."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import Site
from tests.ui.steps import assert_fits_phone

SAMPLE = "api::sample.sample"
SAMPLES = f"/content-manager/collection-types/{SAMPLE}"


@pytest.fixture(scope="module", autouse=True)
def _portuguese(site: Site) -> Iterator[None]:
    """One more locale than the blog has."""
    locale = {"name": "Portuguese (pt)", "code": "pt", "isDefault": False}
    made = site.api("POST", "/i18n/locales", locale)
    yield
    site.api("DELETE", f"/i18n/locales/{made['id']}")


def make_versions(site: Site, name: str) -> str:
    """Make an entry that is ready in English and German, but not in Portuguese."""
    made = site.api("POST", f"{SAMPLES}?locale=en", {"name": name, "on": True})["data"]
    document_id: str = made["documentId"]
    site.api("PUT", f"{SAMPLES}/{document_id}?locale=de", {"name": f"{name} auf Deutsch"})
    site.api("PUT", f"{SAMPLES}/{document_id}?locale=pt", {"name": None})
    return document_id


def statuses(site: Site, document_id: str) -> dict[str, str]:
    """Return the status of an entry in each locale."""
    found = site.api("GET", f"{SAMPLES}/{document_id}?locale=en")
    others = {one["locale"]: one["status"] for one in found["meta"]["availableLocales"]}
    return {"en": found["data"]["status"], **others}


def test_all_locales_that_are_ready_are_published_and_several_taken_back(
    site: Site, page: Page
) -> None:
    document_id = make_versions(site, "Tides")
    go_on(page, f"/admin/content/{SAMPLE}/{document_id}?locale=en")
    page.get_by_role("textbox", name="Name").fill("Tides at Brest")
    page.get_by_role("button", name="More ways to publish").click()
    page.get_by_role("menuitem", name="Publish all ready locales").click()
    dialog = page.get_by_role("dialog", name="Publish all ready locales")
    portuguese = dialog.get_by_role("row", name="Portuguese")
    expect(portuguese).to_contain_text("Name: This field is required.")
    expect(portuguese.get_by_role("checkbox")).to_be_disabled()
    expect(dialog.get_by_role("row", name="English")).to_contain_text("Ready")
    assert_accessible_in_both_schemes(page)
    dialog.get_by_role("button", name="Publish 2 locales").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("2 locales published")).to_be_visible()
    assert statuses(site, document_id) == {"en": "published", "de": "published", "pt": "draft"}

    page.get_by_role("button", name="More ways to publish").click()
    page.get_by_role("menuitem", name="Unpublish several locales").click()
    dialog = page.get_by_role("dialog", name="Unpublish several locales")
    expect(dialog.get_by_role("button", name="Unpublish 0 locales")).to_be_disabled()
    dialog.get_by_role("checkbox", name="German").check()
    dialog.get_by_role("button", name="Unpublish one locale").click()
    expect(dialog).to_be_hidden()
    assert statuses(site, document_id) == {"en": "published", "de": "draft", "pt": "draft"}


def test_an_editor_publishes_in_the_locales_of_the_role_alone_on_a_phone(
    site: Site, open_page: OpenPage
) -> None:
    document_id = make_versions(site, "Moorings")
    role = site.api("POST", "/admin/roles", {"name": "English desk"})["data"]["id"]
    explorer = "plugin::content-manager.explorer"
    granted = [
        {
            "action": f"{explorer}.{action}",
            "subject": SAMPLE,
            "properties": {
                "locales": ["en"] if action == "publish" else ["en", "de", "pt"],
                **({} if action == "publish" else {"fields": ["name", "on"]}),
            },
            "conditions": [],
        }
        for action in ("read", "update", "publish")
    ]
    site.api("PUT", f"/admin/roles/{role}/permissions", {"permissions": granted})
    site.add_person("english@example.org", "Emma", role)
    page = open_page(
        site.address,
        viewport={"width": 390, "height": 844},
        storage_state=site.session("english@example.org"),
    )
    page.goto(f"/admin/content/{SAMPLE}/{document_id}?locale=en")
    page.get_by_role("button", name="More ways to publish").click()
    page.get_by_role("menuitem", name="Publish all ready locales").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("row", name="German")).to_contain_text(
        "Your role may not publish in this locale."
    )
    assert_fits_phone(page)
    dialog.get_by_role("button", name="Publish one locale").click()
    expect(dialog).to_be_hidden()
    assert statuses(site, document_id) == {"en": "published", "de": "draft", "pt": "draft"}
    # A role that may not create the version of a locale is not offered to copy one.
    site.api("DELETE", f"{SAMPLES}/{document_id}?locale=de")
    page.goto(f"/admin/content/{SAMPLE}/{document_id}?locale=de")
    expect(page.get_by_text("your role may not create one")).to_be_visible()
    expect(page.get_by_role("button", name="Copy from")).to_have_count(0)


def test_what_is_missing_in_a_locale_is_found_and_translated_one_after_the_other(
    site: Site, page: Page
) -> None:
    made = [
        site.api("POST", f"{SAMPLES}?locale=en", {"name": name, "on": True})["data"]["documentId"]
        for name in ("Coverage one", "Coverage two")
    ]
    first, second = sorted(made)
    go_on(page, f"/admin/content/{SAMPLE}?locale=en&q=Coverage")
    page.get_by_role("combobox", name="Missing in").click()
    page.get_by_role("option", name="German").click()
    expect(page.get_by_text("2 entries", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Locale", exact=True).click()
    expect(page.get_by_role("option", name="English")).to_contain_text("published")
    page.keyboard.press("Escape")
    assert_accessible_in_both_schemes(page)

    go_on(page, f"/admin/content/{SAMPLE}/{first}?locale=de&compare=en")
    expect(page.get_by_role("link", name="Next entry without German")).to_be_visible()
    page.get_by_role("textbox", name="Name").first.fill("Abdeckung eins")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.get_by_role("button", name="Save draft").click()
    # Other tests leave samples without German behind; the next one is by document id.
    after = f"locale=en&missingLocale=de&sort=documentId&filters[documentId][$gt]={first}"
    [following, *_] = site.api("GET", f"{SAMPLES}?{after}")["results"]
    page.get_by_role("link", name=f"Next entry without German (de): {following['name']}").click()
    expect(page).to_have_url(re.compile(following["documentId"]))
    expect(page.get_by_text("There is no version in German (de) yet")).to_be_visible()
    site.api("PUT", f"{SAMPLES}/{second}?locale=de", {"name": "Abdeckung zwei"})

    page.goto(f"/admin/content/{SAMPLE}?locale=en&q=Coverage&missing=de")
    expect(page.get_by_text("No entry matches")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_role("combobox", name="Missing in")).to_have_value("")


def test_the_coverage_of_locales_leads_to_what_is_missing(site: Site, page: Page) -> None:
    site.api("POST", f"{SAMPLES}?locale=en", {"name": "Uncovered", "on": True})
    go_on(page, "/admin/settings/locales")
    coverage = page.get_by_role("region", name="Coverage")
    row = coverage.get_by_role("row", name="Sample")
    found = site.api("GET", f"/admin/x/locale-coverage/{SAMPLE}")["data"]
    missing = found["documents"] - next(
        one["documents"] for one in found["locales"] if one["locale"] == "pt"
    )
    link = row.get_by_role("link", name=f"{missing} missing" if missing > 1 else "One missing")
    expect(link.last).to_be_visible()
    assert_accessible_in_both_schemes(page)
    link.last.click()
    expect(page.get_by_role("combobox", name="Missing in")).to_have_value("Portuguese (pt)")
    page.get_by_role("textbox", name="Search Sample").fill("Uncovered")
    expect(page.get_by_role("link", name="Uncovered")).to_be_visible()
