"""Pages at the addresses of the admin UI: where visitors and the links of the server lead to."""

import base64
import hashlib
import re
from collections.abc import AsyncIterator

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.unit.admin_api.office import SECRETS
from tests.unit.kiosk import make_kiosk

FORMS = {
    "/admin/auth/register-admin": (
        "register-admin",
        {"email", "firstname", "lastname", "password"},
    ),
    "/admin/auth/register": ("register", {"firstname", "lastname", "password"}),
    "/admin/auth/reset-password": ("reset-password", {"password", "code"}),
}


@pytest.fixture(scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AsgiClient]:
    project = (await make_kiosk(tmp_path_factory.mktemp("pages") / "kiosk")).project
    overrides = {"api.reference": "on", "api.prefix": "/content"}
    settings = load_settings(project, overrides=overrides, environ=SECRETS)
    async with running(build_app(settings)) as client:
        yield client


async def test_the_root_redirects_to_a_page_whose_links_all_work(client: AsgiClient) -> None:
    root = await client.request("GET", "/")
    page = await client.request("GET", root.headers["location"])
    links = set(re.findall(r'href="([^"]*)"', page.content.decode()))
    found = {link: (await client.request("GET", link)).status for link in links}

    assert (root.status, page.status, page.media_type) == (302, 200, "text/html")
    assert found == {"/content/openapi.json": 200, "/docs": 200}
    assert "<code>/content</code>" in page.content.decode()


@pytest.mark.parametrize("path", FORMS)
async def test_a_form_names_a_route_and_the_fields_that_the_route_accepts(
    client: AsgiClient, path: str
) -> None:
    route, names = FORMS[path]
    page = await client.request("GET", f"{path}?registrationToken=abc&code=abc")
    html = page.content.decode()
    invalid = await client.request(
        "POST", f"/admin/{route}", {"Content-Type": "application/json"}, b"{}"
    )

    assert page.status == 200
    assert re.findall(r'data-route="([^"]*)"', html) == [route]
    assert set(re.findall(r'name="(\w+)"', html)) - {"viewport", "robots"} == names
    assert invalid.status == 400
    assert b'"name":"ValidationError"' in invalid.content


@pytest.mark.parametrize("path", ["/admin", *FORMS])
async def test_a_page_runs_its_own_script_and_talks_to_this_server_alone(
    client: AsgiClient, path: str
) -> None:
    page = await client.request("GET", path)
    html = page.content.decode()
    policy = page.headers["content-security-policy"]
    parts = re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", html, re.DOTALL)

    for part in parts:
        assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() in policy
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cache-control"] == "no-store"
    assert not re.search(r"\son\w+=|\sstyle=|https?://", html)


async def test_the_page_shows_nothing_of_an_admin_api_that_is_not_there(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    project = (await make_kiosk(tmp_path_factory.mktemp("pages") / "kiosk")).project
    async with running(build_app(load_settings(project, environ={}))) as client:
        page = await client.request("GET", "/admin")
        form = await client.request("GET", "/admin/auth/register-admin")

    assert "Admin API" not in page.content.decode()
    assert form.status == 404
