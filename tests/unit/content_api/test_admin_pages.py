"""The admin UI at ``/admin``: built files, and one HTML document for all pages."""

import gzip
import re
from base64 import b64encode
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest

from quire.app import build_app
from quire.content_api import admin_pages
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.unit.admin_api.office import SECRETS
from tests.unit.kiosk import make_kiosk

HTML = {"accept": "text/html,application/xhtml+xml"}
INLINE = "\n  document.title = 'Admin'\n"
INDEX = f"<!doctype html><script>{INLINE}</script><script src='a.js'></script><title>Admin</title>"
SCRIPT = "console.log(1)"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "admin"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "assets" / "main-1.js").write_text(SCRIPT)
    (folder / "assets" / "main-1.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    (folder / "notes.txt").write_text("not for anybody")
    monkeypatch.setattr(admin_pages, "BUILT", folder)
    return folder


@pytest.fixture
async def project(tmp_path: Path) -> Path:
    return (await make_kiosk(tmp_path / "kiosk")).project


@pytest.fixture
async def client(built: Path, project: Path) -> AsyncIterator[AsgiClient]:
    async with running(build_app(load_settings(project, environ=SECRETS))) as client:
        yield client


@pytest.mark.parametrize(
    "path",
    [
        "/admin",
        "/admin/",
        "/admin/auth/register-admin?registrationToken=abc",
        "/admin/auth/reset-password?code=abc",
        "/admin/content/api::paper.paper/abc?locale=en",
        "/admin/login",
        "/admin/profile",
    ],
)
async def test_every_page_of_the_ui_is_its_one_document(client: AsgiClient, path: str) -> None:
    page = await client.request("GET", path)

    assert (page.status, page.media_type) == (200, "text/html")
    assert page.content.decode() == INDEX
    assert page.headers["cache-control"] == "no-cache"


async def test_a_page_runs_its_own_scripts_and_talks_to_this_server_alone(
    client: AsgiClient,
) -> None:
    headers = (await client.request("GET", "/admin")).headers
    policy = dict(
        directive.split(" ", 1) for directive in headers["content-security-policy"].split("; ")
    )

    assert policy["default-src"] == "'self'"
    # Of the scripts in the page itself, what the build has put there and nothing else.
    digest = b64encode(sha256(INLINE.encode()).digest()).decode()
    assert policy["script-src"] == f"'self' 'sha256-{digest}'"
    assert policy["connect-src"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


async def test_images_may_come_from_where_the_project_says(built: Path, project: Path) -> None:
    overrides = {"security.content_security_policy": {"img-src": ["'self'", "https://cdn.example"]}}
    settings = load_settings(project, overrides=overrides, environ=SECRETS)
    async with running(build_app(settings)) as client:
        policy = (await client.request("GET", "/admin")).headers["content-security-policy"]

    assert "img-src 'self' https://cdn.example;" in policy
    assert "script-src 'self' 'sha256-" in policy


async def test_previews_may_be_framed_from_where_the_project_says(
    built: Path, project: Path
) -> None:
    site = "https://site.example"
    overrides = [
        {"security.content_security_policy": {"frame-src": one}}
        for one in ([site], ["'self'", site])
    ]
    for given, expected in (({}, "'self'"), *((one, f"'self' {site}") for one in overrides)):
        settings = load_settings(project, overrides=given, environ=SECRETS)
        async with running(build_app(settings)) as client:
            policy = (await client.request("GET", "/admin")).headers["content-security-policy"]
        assert f"frame-src {expected};" in policy


async def test_hashed_files_are_kept_for_good_and_sent_compressed(
    client: AsgiClient, built: Path
) -> None:
    plain = await client.request("GET", "/admin/assets/main-1.js")
    small = await client.request("GET", "/admin/assets/main-1.js", {"accept-encoding": "br, gzip"})

    assert (plain.status, plain.media_type) == (200, "text/javascript")
    assert plain.content.decode() == SCRIPT
    assert "content-encoding" not in plain.headers
    assert "immutable" in plain.headers["cache-control"]
    assert small.headers["content-encoding"] == "gzip"
    assert gzip.decompress(small.content).decode() == SCRIPT
    assert "Accept-Encoding" in small.headers["vary"]

    (built / "assets" / "main-1.js.br").write_bytes(b"smaller")
    for accepted, encoding in (("gzip, deflate, br", "br"), ("gzip, deflate", "gzip")):
        sent = await client.request("GET", "/admin/assets/main-1.js", {"accept-encoding": accepted})
        assert sent.headers["content-encoding"] == encoding
        assert (sent.content == b"smaller") == (encoding == "br")

    refused = await client.request(
        "GET", "/admin/assets/main-1.js", {"accept-encoding": "gzip;q=0, br;q=0"}
    )
    assert refused.content == plain.content


@pytest.mark.parametrize(
    "path",
    [
        "/admin/assets/main-2.js",
        "/admin/assets/main-1.js.gz",
        "/admin/assets/../index.html",
        "/admin/assets/%2e%2e/%2e%2e/%2e%2e/settings/model.py",
        "/admin/notes.txt",
        "/admin/nothing",
        "/admin/x/nothing",
    ],
)
async def test_what_is_no_page_and_no_file_of_the_ui_is_not_found(
    client: AsgiClient, path: str
) -> None:
    response = await client.request("GET", path)

    assert response.status in {403, 404}
    assert response.media_type == "application/json"


async def test_a_browser_gets_the_ui_for_addresses_that_nobody_knows_but_not_below_the_api(
    client: AsgiClient,
) -> None:
    page = await client.request("GET", "/admin/nothing", HTML)
    below = await client.request("GET", "/admin/x/nothing", HTML)
    asset = await client.request("GET", "/admin/assets/nothing.js", HTML)

    assert (page.status, page.content.decode()) == (200, INDEX)
    assert (below.status, asset.status) == (404, 404)


async def test_routes_of_the_admin_api_come_first(client: AsgiClient) -> None:
    response = await client.request("GET", "/admin/init", HTML)

    assert (response.status, response.media_type) == (200, "application/json")


@pytest.mark.parametrize("path", ["/admin", "/admin/auth/register-admin"])
async def test_a_ui_that_was_not_built_says_so_on_a_page_whose_links_work(
    built: Path, project: Path, path: str
) -> None:
    (built / "index.html").unlink()
    overrides = {"api.reference": "on", "api.prefix": "/content"}
    settings = load_settings(project, overrides=overrides, environ=SECRETS)
    async with running(build_app(settings)) as client:
        page = await client.request("GET", path)
        html = page.content.decode()
        links = set(re.findall(r'href="([^"]*)"', html))
        found = {link: (await client.request("GET", link)).status for link in links}

    assert (page.status, page.media_type) == (200, "text/html")
    assert "was not built" in html
    assert found == {"/content/openapi.json": 200, "/docs": 200}


async def test_a_project_without_an_admin_api_has_no_ui(built: Path, project: Path) -> None:
    async with running(build_app(load_settings(project, environ={}))) as client:
        page = await client.request("GET", "/admin")
        asset = await client.request("GET", "/admin/assets/main-1.js")

    assert "ADMIN_JWT_SECRET" in page.content.decode()
    assert asset.status == 404


async def test_the_root_redirects_to_the_ui(client: AsgiClient) -> None:
    root = await client.request("GET", "/")

    assert (root.status, root.headers["location"]) == (302, "/admin")


def test_every_screen_has_an_address_that_any_client_may_open() -> None:
    router = Path(__file__).parents[3] / "ui" / "src" / "router.tsx"
    paths = re.findall(
        r"""getParentRoute: \(\) => (?:root|shell),\s+path: '/([\w-]+)""", router.read_text()
    )
    assert "releases" in paths
    assert set(paths) <= admin_pages.PAGES
