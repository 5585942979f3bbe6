"""Background work on the screens of Activity."""

import re
from collections.abc import Iterator
from subprocess import DEVNULL, run

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.pictures import take_picture
from tests.ui.site import EMAIL, HTTP, QUIRE, Site, serve
from tests.ui.steps import assert_fits_phone
from tests.unit.schema.trees import type_file, write_tree

CODE = """
from datetime import timedelta

from quire import Document, Shape, after_commit, job, now, route, schedule

healed: list[bool] = []


class Title(Shape[Document]):
    documentId: str


@job(retries=0)
async def send_mail(to: str) -> None:
    if not healed:
        raise LookupError("nobody there")


@schedule("0 3 * * *", tz="Europe/Berlin", retries=0)
async def delete_unused_tags() -> None:
    if not healed:
        raise LookupError("nothing to delete")


@after_commit("api::author.author", on=["create", "delete"], shape=Title, retries=0)
async def update_search(changes) -> None:
    if not healed:
        raise LookupError("nobody listens")


@route.post("/mails", public=True)
async def start(to: str, later: bool = False) -> dict[str, int]:
    if later:
        return {"id": await send_mail.enqueue_at(now() + timedelta(days=30), to)}
    return {"id": await send_mail.enqueue(to)}


@route.post("/heal", public=True)
async def heal(well: bool = True) -> None:
    healed[:] = [True] if well else []
"""
AUTHORS = "/content-manager/collection-types/api::author.author"


@pytest.fixture(scope="module")
def site_with_jobs(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A project with authors, and Python code that has a job, a schedule and a listener."""
    project = tmp_path_factory.mktemp("background") / "new"
    run([QUIRE, "new", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with (project / "quire.toml").open("a") as settings:
        settings.write("\n[admin.rate_limit]\nenabled = false\n")
    write_tree(
        project,
        type_file("author", {"name": {"type": "string"}}),
        {"src/extensions/background.py": CODE},
    )
    run([QUIRE, "migrate", "--apply", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with serve(project) as served:
        served.register()
        yield served


@pytest.fixture
def activity(site_with_jobs: Site, open_page: OpenPage) -> Page:
    """The page of a super admin, while all functions fail."""
    call(site_with_jobs, "/api/heal?well=false")
    return open_page(site_with_jobs, shown_to=EMAIL, viewport={"width": 1280, "height": 800})


def call(site: Site, path: str) -> None:
    HTTP.post(f"{site.address}{path}").raise_for_status()


def row_of(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


def choose(page: Page, row: Locator, action: str) -> None:
    row.get_by_role("button", name=re.compile("^Actions")).click()
    page.get_by_role("menuitem", name=action).click()


def test_jobs_are_filtered_retried_run_now_and_cancelled(
    site_with_jobs: Site, activity: Page
) -> None:
    page, site = activity, site_with_jobs
    for path in (
        "/api/mails?to=ada",
        "/api/mails?to=emmy&later=true",
        "/api/mails?to=max&later=true",
    ):
        call(site, path)
    go_on(page, "/admin/activity")
    page.get_by_role("tab", name="Jobs").click()
    failed = row_of(page, "LookupError: nobody there")
    expect(failed).to_contain_text("send_mail")
    expect(failed).to_contain_text("Failed")
    expect(row_of(page, "in a month")).to_have_count(2)
    take_picture(page, "jobs")
    assert_accessible_in_both_schemes(page)

    page.get_by_role("combobox", name="State").click()
    page.get_by_role("option", name="Failed (1)").click()
    expect(page).to_have_url(re.compile("state=failed"))
    expect(row_of(page, "send_mail")).to_have_count(1)
    choose(page, failed, "View")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text('"to": "ada"')
    expect(dialog).to_contain_text("LookupError: nobody there")
    assert_accessible_in_both_schemes(page)
    dialog.get_by_role("button", name="Close").click()

    call(site, "/api/heal")
    choose(page, failed, "Retry")
    expect(page.get_by_text("Nothing matches these filters")).to_be_visible()
    go_on(page, "/admin/activity?tab=jobs&name=src.extensions.background.send_mail")
    expect(row_of(page, "Done")).to_have_count(1)
    later = row_of(page, "in a month")
    choose(page, later.first, "Run now")
    expect(row_of(page, "Done")).to_have_count(2)
    choose(page, later, "Cancel")
    page.get_by_role("dialog").get_by_role("button", name="Cancel", exact=True).last.click()
    expect(row_of(page, "Cancelled")).to_have_count(1)
    assert_fits_phone(page)


def test_schedules_show_their_next_run_and_run_now(site_with_jobs: Site, activity: Page) -> None:
    page = activity
    go_on(page, "/admin")
    page.get_by_role("heading", level=1).filter(has_text="Hello").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("textbox", name="Search or jump to").fill("sched")
    page.get_by_role("button", name="Schedules").click()
    row = row_of(page, "delete_unused_tags")
    expect(row).to_contain_text("0 3 * * *")
    expect(row).to_contain_text("Europe/Berlin")
    expect(row.get_by_role("time")).not_to_have_count(0)
    page.get_by_role("button", name="Run now: delete_unused_tags").click()
    expect(row).to_contain_text("Failed")
    row.get_by_role("button", name=re.compile("^Failed")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("LookupError: nothing to delete")
    dialog.get_by_role("button", name="Close").click()
    call(site_with_jobs, "/api/heal")
    page.get_by_role("button", name="Run now: delete_unused_tags").click()
    expect(row).to_contain_text("Done")
    # The run that failed is among the jobs.
    name = "src.extensions.background.delete_unused_tags"
    go_on(page, f"/admin/activity?tab=jobs&state=failed&name={name}")
    choose(page, row_of(page, "delete_unused_tags"), "Retry")
    expect(page.get_by_text("Nothing matches these filters")).to_be_visible()
    page.go_back()
    expect(row).to_contain_text("Done")
    assert_accessible_in_both_schemes(page)
    assert_fits_phone(page)


def test_changes_that_were_given_up_are_delivered_again_or_discarded(
    site_with_jobs: Site, activity: Page
) -> None:
    page, site = activity, site_with_jobs
    ids = [site.api("POST", AUTHORS, {"name": name})["data"]["documentId"] for name in ("A", "B")]
    go_on(page, "/admin/activity?tab=outbox")
    first, second = (row_of(page, one) for one in ids)
    for row in (first, second):
        expect(row).to_contain_text("Failed")
        expect(row).to_contain_text("LookupError: nobody listens")
    assert_accessible_in_both_schemes(page)
    choose(page, first, "View")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text('"fields": [')
    dialog.get_by_role("button", name="Close").click()
    page.get_by_text("Waiting", exact=True).click()
    expect(page.get_by_text("Every change is delivered")).to_be_visible()
    page.get_by_role("radiogroup", name="State").get_by_text("All").click()

    choose(page, first, "Discard")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("update_search is never told of it.")
    dialog.get_by_role("button", name="Discard").click()
    expect(first).to_have_count(0)
    call(site, "/api/heal")
    choose(page, second, "Deliver now")
    expect(page.get_by_text("Every change is delivered")).to_be_visible()
    assert_fits_phone(page)


def test_who_is_no_super_admin_sees_nothing_of_it(
    site_with_jobs: Site, open_page: OpenPage
) -> None:
    site_with_jobs.add_person("quiet@example.org", "Emmy", 2)
    page = open_page(
        site_with_jobs.address, storage_state=site_with_jobs.session("quiet@example.org")
    )
    page.goto("/admin/activity?tab=jobs")
    expect(page.get_by_text("Your role may see neither the audit log")).to_be_visible()
    expect(page.get_by_role("tab", name="Jobs")).to_have_count(0)
