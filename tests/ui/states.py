"""Screenshots of the screens of the admin UI in all states, for review.

`python -m tests.ui.states FOLDER` writes them in the light and the dark scheme and at the width of
a phone, and sheets with several of them each, and lists what axe objects to; `--only WORD ...`
takes those alone whose name has one of the words.
"""

import argparse
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from playwright.sync_api import (
    Browser,
    Page,
    Request,
    Route,
    StorageState,
    ViewportSize,
    sync_playwright,
)

from tests.ui.accessibility import AXE, SETTLE, violations
from tests.ui.conftest import CHROMIUM, FLAGS
from tests.ui.models import row
from tests.ui.site import Site, serve_empty, serve_site

WIDE: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
_SCHEMES = ("light", "dark", "phone")
_SHEET_WIDTH = 1900
ARTICLE, SAMPLE, WIDE_TYPE, TAG = (
    f"api::{name}.{name}" for name in ("article", "sample", "wide", "tag")
)
_LONG = "A title that is much longer than anybody has planned for, as editors will write it " * 3
_IMAGE = "lighthouse-at-dusk"
_ARABIC = "جداول المد والجزر في الميناء القديم"

# What the shell itself needs, which comes before the states of a screen.
_SHELL = (
    "/admin/users/me",
    "/admin/access-token",
    "/admin/init",
    "/i18n/locales",
    "/admin/x/views",
)
_SHELL_TYPES = (
    "/content-manager/init",
    "/content-manager/components",
    "/content-manager/content-types",
)


def _nothing(page: Page) -> None:
    del page


@dataclass(frozen=True)
class Scene:
    """A page in a state: what makes it so before it is opened, and what is done on it then."""

    name: str
    path: str
    before: Callable[[Page], object] = _nothing
    after: Callable[[Page], object] = _nothing
    user: str = "boss"


def _is_of_shell(request: Request) -> bool:
    path = "/" + request.url.split("/", 3)[3].split("?")[0]
    return path.startswith(_SHELL) or path in _SHELL_TYPES


def _requests(page: Page, response: Callable[[Route], object]) -> None:
    """Answer what the screen asks for, and leave the requests of the shell and all files alone."""

    def handle(route: Route) -> None:
        if route.request.resource_type in {"fetch", "xhr"} and not _is_of_shell(route.request):
            response(route)
        else:
            route.continue_()

    page.route("**/*", handle)


def _hold(page: Page) -> None:
    _requests(page, lambda route: None)


def _fail(status: int, message: str) -> Callable[[Page], None]:
    error = {"data": None, "error": {"status": status, "name": "Error", "message": message}}

    def fail(page: Page) -> None:
        headers = {"x-request-id": "01J9Z3V8E2KQ"}
        _requests(page, lambda route: route.fulfill(status=status, json=error, headers=headers))

    return fail


_STATES: dict[str, Callable[[Page], object]] = {
    "loading": _hold,
    "error-500": _fail(500, "Internal Server Error"),
    "error-503": _fail(503, "The server is stopping"),
    "offline": lambda page: _requests(page, lambda route: route.abort("internetdisconnected")),
}
_GIVEN_UP = {"error-503", "offline"}
_PATHS = {
    "home": "/admin",
    "list": f"/admin/content/{ARTICLE}",
    "editor": f"/admin/content/{ARTICLE}/{{article}}",
    "media": "/admin/media",
    "model": f"/admin/model/{ARTICLE}",
    "explorer": "/admin/explorer",
    "activity": "/admin/activity",
    "releases": "/admin/releases",
    "release": "/admin/releases/{release}",
    "locales": "/admin/settings/locales",
    "review": "/admin/settings/review-workflows",
    "roles": "/admin/settings/roles",
    "tokens": "/admin/settings/api-tokens",
    "webhooks": "/admin/settings/webhooks",
    "users": "/admin/settings/users",
    "profile": "/admin/profile",
}


def _scenes(ids: dict[str, str]) -> Iterator[Scene]:
    for name, path in _PATHS.items():
        at = path.format(**ids)
        yield Scene(f"{name}-full", at)
        for state, before in _STATES.items():
            # Until then a screen shows its loading state.
            after = _see_error if state in _GIVEN_UP and name != "profile" else _nothing
            yield Scene(f"{name}-{state}", at, before, after)
        yield Scene(f"{name}-no-permission", at, user="reader")
    yield from _content_scenes(ids)
    yield from _dialog_scenes(ids)
    yield from _model_scenes()
    yield from _media_scenes()
    yield from _settings_scenes(ids)
    yield from _project_scenes()


def _content_scenes(ids: dict[str, str]) -> Iterator[Scene]:
    yield Scene("list-filtered-empty", f"/admin/content/{ARTICLE}?q=zzzz")
    yield Scene("list-missing", f"/admin/content/{ARTICLE}?missing=ar")
    yield Scene("list-long-names", f"/admin/content/{SAMPLE}")
    yield Scene("list-rtl", f"/admin/content/{ARTICLE}?locale=ar")
    yield Scene("list-selection", f"/admin/content/{ARTICLE}", after=_select_rows)
    yield Scene("editor-rtl", f"/admin/content/{ARTICLE}/{ids['arabic']}?locale=ar")
    yield Scene(
        "editor-rtl-beside", f"/admin/content/{ARTICLE}/{ids['arabic']}?locale=ar&compare=en"
    )
    yield Scene("editor-new-locale", f"/admin/content/{ARTICLE}/{ids['article']}?locale=ar")
    yield Scene("editor-long-names", f"/admin/content/{SAMPLE}/{ids['long']}")
    yield Scene("editor-200-attributes", f"/admin/content/{WIDE_TYPE}/create")
    yield Scene("editor-100-sections", f"/admin/content/{SAMPLE}/{ids['zone']}", after=_to_zone)
    yield Scene("editor-problems", f"/admin/content/{SAMPLE}/create", after=_publish)
    yield Scene("editor-blocks", f"/admin/content/{ARTICLE}/{ids['article']}", after=_block_menu)
    yield Scene("media-filtered-empty", "/admin/media?q=zzzz")
    yield Scene("activity-filtered-empty", "/admin/activity?actor=zzzz")
    yield Scene("not-found", "/admin/content/api::nothing.nothing")
    yield Scene("entry-not-found", f"/admin/content/{ARTICLE}/zzzzzzzzzzzzzzzzzzzzzzzz")
    yield Scene("login", "/admin/login", user="nobody")
    yield Scene("forgot-password", "/admin/auth/forgot-password", user="nobody")


def _dialog_scenes(ids: dict[str, str]) -> Iterator[Scene]:
    article = f"/admin/content/{ARTICLE}/{ids['article']}"
    more = "More ways to publish"
    yield Scene("schedule-dialog", article, after=lambda page: _menu(page, more, "Schedule"))
    yield Scene("list-copy-request", f"/admin/content/{ARTICLE}?missing=de", after=_list_menu)
    yield Scene("bulk-publish-drafts", f"/admin/content/{SAMPLE}", after=_publish_all)
    yield Scene("editor-references", f"/admin/content/{TAG}/{ids['tag']}")
    yield Scene("release-dialog", article, after=lambda page: _menu(page, more, "Add to a release"))
    yield Scene(
        "locales-dialog",
        f"/admin/content/{ARTICLE}/{ids['arabic']}",
        after=lambda page: _menu(page, more, "Publish all ready"),
    )
    yield Scene("scheduled", "/admin/releases?tab=scheduled")
    yield Scene("palette", "/admin", after=lambda page: page.keyboard.press("Control+k"))
    yield Scene("shortcuts", "/admin", after=lambda page: page.keyboard.press("?"))
    yield Scene("filter", f"/admin/content/{ARTICLE}", after=_open_filter)


def _model_scenes() -> Iterator[Scene]:
    fields = f"/admin/model/{SAMPLE}"
    yield Scene("model-start", "/admin/model")
    yield Scene("model-new", "/admin/model?new=collectionType")
    yield Scene("model-add-field", fields, after=_press("Add field"))
    yield Scene("model-field", fields, after=_click("kind"))
    yield Scene("model-relation", f"/admin/model/{ARTICLE}", after=_click("author"))
    yield Scene("model-zone", fields, after=_click("zone"))
    yield Scene("model-pending", fields, after=_remove_field)
    yield Scene("model-review", fields, after=_review)
    yield Scene("model-layout", f"{fields}?tab=layout")
    yield Scene("model-settings", f"{fields}?tab=settings")
    yield Scene("model-json", f"{fields}?tab=json")
    yield Scene("model-component", "/admin/model/shared.link")
    yield Scene("model-200-attributes", f"/admin/model/{WIDE_TYPE}")
    yield Scene("model-diagram", "/admin/model/diagram")
    yield Scene("model-archive", "/admin/model/archive")


def _media_scenes() -> Iterator[Scene]:
    images = f"/admin/media?q={_IMAGE}"
    yield Scene("media-table", "/admin/media?view=table")
    yield Scene("media-selection", "/admin/media", after=_select_files)
    yield Scene("media-describe", "/admin/media", after=_describe_files)
    yield Scene("media-import", "/admin/media", after=_press("Import from a URL"))
    yield Scene("media-file", images, after=_open_file)
    yield Scene("media-crop", images, after=_crop_file)


def _settings_scenes(ids: dict[str, str]) -> Iterator[Scene]:
    for path in (
        "api-tokens/new",
        "webhooks/new",
        "media",
        "previews",
        "project",
        "roles/2",
        "users/1",
        "end-user-roles",
        "end-user-roles/2",
        "providers",
        "email-templates",
        "advanced",
    ):
        yield Scene(f"settings-{path.replace('/', '-')}", f"/admin/settings/{path}")
    yield Scene("settings-token", f"/admin/settings/api-tokens/{ids['token']}")
    yield Scene("settings-webhook", f"/admin/settings/webhooks/{ids['webhook']}")
    yield Scene("settings-add-locale", "/admin/settings/locales", after=_press("Add locale"))
    yield Scene("settings-no-permission", "/admin/settings", user="reader")


def _project_scenes() -> Iterator[Scene]:
    yield Scene("explorer-answer", f"/admin/explorer?type={TAG}", after=_send)
    yield Scene("explorer-refused", f"/admin/explorer?type={WIDE_TYPE}", after=_send)
    for tab in ("jobs", "schedules", "outbox", "deliveries"):
        yield Scene(f"activity-{tab}", f"/admin/activity?tab={tab}")
    yield Scene("releases-done", "/admin/releases?tab=done")


def _press(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=name, exact=True).first.click()


def _click(field: str) -> Callable[[Page], None]:
    return lambda page: row(page, field).get_by_role("button").last.click()


def _remove_field(page: Page) -> None:
    _click("email")(page)
    page.get_by_role("button", name="Remove field email").click()
    page.get_by_role("button", name="Apply now").wait_for()


def _review(page: Page) -> None:
    _remove_field(page)
    page.get_by_role("button", name="Review", exact=True).click()
    page.get_by_role("dialog").get_by_text("Database").wait_for()


def _select_files(page: Page) -> None:
    for at in range(2):
        page.get_by_role("checkbox", name="Select ").nth(at + 1).check()


def _describe_files(page: Page) -> None:
    _select_files(page)
    page.get_by_role("button", name="Alternative texts").click()
    page.get_by_role("dialog").wait_for()


def _open_file(page: Page) -> None:
    page.get_by_role("button", name=f"Open {_IMAGE}.jpg").click()
    page.get_by_role("dialog").wait_for()


def _crop_file(page: Page) -> None:
    _open_file(page)
    page.get_by_role("button", name="Crop").click()
    page.get_by_role("dialog", name="Crop").wait_for()


def _send(page: Page) -> None:
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_text("ms", exact=False).first.wait_for()


def _menu(page: Page, button: str, item: str) -> None:
    page.get_by_role("button", name=button).click()
    page.get_by_role("menuitem", name=item).first.click()
    page.get_by_role("dialog").wait_for()


def _see_error(page: Page) -> None:
    """Wait until the UI has given up to ask again."""
    page.get_by_role("main").get_by_role("alert").first.wait_for(timeout=20_000)


def _select_rows(page: Page) -> None:
    for at in range(2):
        page.get_by_role("checkbox").nth(at + 1).check()


def _list_menu(page: Page) -> None:
    page.get_by_role("button", name="More actions for this list").click()


def _publish_all(page: Page) -> None:
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Publish", exact=True).click()


def _to_zone(page: Page) -> None:
    page.get_by_role("group", name="Zone").scroll_into_view_if_needed()
    page.mouse.wheel(0, 500)


def _publish(page: Page) -> None:
    page.get_by_role("button", name="Publish", exact=True).click()


def _block_menu(page: Page) -> None:
    body = page.get_by_role("textbox", name="Body")
    body.scroll_into_view_if_needed()
    body.locator(".quire-block").first.hover()
    page.get_by_role("button", name="Move or change").first.click()


def _open_filter(page: Page) -> None:
    page.get_by_role("button", name="Filter", exact=True).click()


def _prepare(site: Site) -> dict[str, str]:
    """Fill a site with what the scenes show; returns the ids that their addresses have."""
    entries = "/content-manager/collection-types"
    site.api("POST", "/i18n/locales", {"name": "Arabic (ar)", "code": "ar", "isDefault": False})

    def make(uid: str, values: dict[str, Any], locale: str = "") -> str:
        path = f"{entries}/{uid}" + (f"?locale={locale}" if locale else "")
        return str(site.api("POST", path, values)["data"]["documentId"])

    blocks = [
        {"type": "heading", "level": 2, "children": [{"type": "text", "text": "Morning"}]},
        {"type": "paragraph", "children": [{"type": "text", "text": "Low water at six. " * 12}]},
        {"type": "quote", "children": [{"type": "text", "text": "Said."}]},
    ]
    article = make(
        ARTICLE, {"title": "Low water", "slug": "low-water", "summary": "At six.", "body": blocks}
    )
    site.api("POST", f"{entries}/{ARTICLE}/{article}/actions/publish", {})
    site.api("PUT", f"{entries}/{ARTICLE}/{article}", {"title": "Low water, again"})
    arabic = make(ARTICLE, {"title": "Tide tables of the old harbour", "body": blocks})
    text = [{"type": "paragraph", "children": [{"type": "text", "text": f"{_ARABIC}. " * 9}]}]
    values = {"title": _ARABIC, "body": [*text, *blocks[:1]]}
    site.api("PUT", f"{entries}/{ARTICLE}/{arabic}?locale=ar", values)
    long = make(SAMPLE, {"name": _LONG, "on": True})
    make(SAMPLE, {"name": "Unbreakable" * 20, "on": True})
    section = {"__component": "lab.pair", "label": "A pair"}
    further = {"connect": [{"documentId": arabic}]}
    sections = {"zone": [section] * 100, "further": further}
    zone = make(SAMPLE, {"name": "Many sections", "on": True, **sections})
    tag = site.api("GET", f"{entries}/{TAG}?_q=storms")["results"][0]["documentId"]
    release = site.api("POST", "/admin/x/releases", {"name": _LONG[:80]})["data"]["id"]
    for document in (article, arabic):
        entry = {"contentType": ARTICLE, "documentId": document, "locale": "en"}
        site.api("POST", f"/admin/x/releases/{release}/items", {"entries": [entry]})
    soon = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    path = f"/admin/x/schedule/{ARTICLE}/{arabic}?locale=en"
    site.api("PUT", path, {"publishAt": soon, "unpublishAt": None, "timezone": "UTC"})
    stages = [{"name": "Draft"}, {"name": "Approved by the editors", "requiredToPublish": True}]
    workflow = {"name": "Editorial", "contentTypes": [WIDE_TYPE], "stages": stages}
    site.api("POST", "/admin/x/review/workflows", workflow)
    token = site.api("POST", "/admin/api-tokens", {"name": "Site builder", "type": "read-only"})
    webhook = site.api(
        "POST",
        "/admin/webhooks",
        {
            "name": "Rebuild",
            "url": "http://127.0.0.1:9/",
            "events": ["entry.publish"],
            "headers": {},
        },
    )
    role = site.api("POST", "/admin/roles", {"name": "Reader"})["data"]["id"]
    read = {"action": "plugin::content-manager.explorer.read", "subject": TAG}
    read["properties"] = {"fields": ["label"]}  # type: ignore[assignment]
    site.api("PUT", f"/admin/roles/{role}/permissions", {"permissions": [read]})
    site.add_person("reader@example.org", "Rhea", role)
    return {
        "article": article,
        "arabic": arabic,
        "long": long,
        "zone": zone,
        "release": str(release),
        "token": str(token["data"]["id"]),
        "webhook": str(webhook["data"]["id"]),
        "tag": tag,
    }


class Camera:
    """Takes the pictures of scenes, and reports what could not be taken."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._folder = folder
        self.taken: list[str] = []
        self.failed: list[str] = []

    def take(self, address: str, scene: Scene, session: StorageState | None) -> None:
        """Open a page for a scene, and write its pictures."""
        with self._page(address, session) as page:
            try:
                scene.before(page)
                page.goto(scene.path, wait_until="domcontentloaded")
                page.locator("h1, [role=status], [role=alert]").first.wait_for()
                page.wait_for_timeout(900)
                scene.after(page)
                page.wait_for_timeout(300)
                self._shoot(page, scene.name)
            except Exception as error:  # noqa: BLE001 - the others are taken all the same
                self.failed.append(f"{scene.name}: {str(error).splitlines()[0]}")

    @contextmanager
    def _page(self, address: str, session: StorageState | None) -> Iterator[Page]:
        context = self._browser.new_context(
            base_url=address, reduced_motion="reduce", viewport=WIDE, storage_state=session
        )
        page = context.new_page()
        page.set_default_timeout(6000)
        yield page
        page.unroute_all(behavior="ignoreErrors")
        context.close()

    def _shoot(self, page: Page, name: str) -> None:
        for scheme in _SCHEMES:
            page.set_viewport_size(PHONE if scheme == "phone" else WIDE)
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.wait_for_timeout(120)
            page.evaluate(SETTLE)
            wider = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if wider > 0:
                self.failed.append(f"{name}, {scheme}: {wider} pixels wider than the window")
            if AXE.is_file():
                self.failed += [f"{name}, {scheme}: {one}" for one in violations(page)]
            page.screenshot(path=self._folder / f"{name}.{scheme}.png", caret="hide")
        self.taken.append(name)

    def sheets(self) -> None:
        """Put the pictures of each scheme on sheets, with their names."""
        page = self._browser.new_page(viewport={"width": _SHEET_WIDTH, "height": 800})
        for scheme in _SCHEMES:
            size = 6 if scheme == "phone" else 4
            columns = 6 if scheme == "phone" else 2
            for start in range(0, len(self.taken), size):
                figures = [self._figure(name, scheme) for name in self.taken[start : start + size]]
                grid = f"display:grid;grid-template-columns:repeat({columns},1fr);gap:6px"
                page.set_content(f"<div style='{grid}'>{''.join(figures)}</div>")
                file = self._folder / f"sheet-{scheme}-{start // size:02}.png"
                page.screenshot(path=file, full_page=True)
        page.close()

    def _figure(self, name: str, scheme: str) -> str:
        picture = b64encode((self._folder / f"{name}.{scheme}.png").read_bytes()).decode()
        image = f"<img style='width:100%' src='data:image/png;base64,{picture}'>"
        return f"<div style='font:12px sans-serif'>{name}{image}</div>"


def main() -> None:
    """Take the pictures of all scenes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--only", nargs="*", default=[""], help="those with one of these words in their name"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)

    def wanted(scene: Scene) -> bool:
        return any(word in scene.name for word in options.only)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        camera = Camera(browser, options.folder)
        with serve_site(Path(mkdtemp())) as site:
            site.register()
            ids = _prepare(site)
            users = {"boss": site.session, "reader": lambda: site.session("reader@example.org")}
            for scene in _scenes(ids):
                if wanted(scene):
                    session = users.get(scene.user)
                    camera.take(site.address, scene, session() if session else None)
        # Each picture begins a session.
        unlimited = "\n[admin.rate_limit]\nenabled = false\n"
        with serve_empty(Path(mkdtemp()), unlimited) as site:
            site.register()
            for name, path in _PATHS.items():
                scene = Scene(f"{name}-empty", path)
                if "{" not in path and ARTICLE not in path and wanted(scene):
                    camera.take(site.address, scene, site.session())
        camera.sheets()
        browser.close()
    lines = [f"{len(camera.taken)} scenes", *camera.failed]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
