"""The API reference page: served from this server, if enabled."""

import gzip
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.unit.kiosk import make_kiosk

Serve = Callable[..., AbstractAsyncContextManager[AsgiClient]]
PARTS = ("start.js", "swagger-ui.css", "swagger-ui-bundle.js")


@pytest.fixture(scope="module")
async def serve(tmp_path_factory: pytest.TempPathFactory) -> Serve:
    folder = (await make_kiosk(tmp_path_factory.mktemp("reference") / "kiosk")).project

    @asynccontextmanager
    async def served(**overrides: object) -> AsyncIterator[AsgiClient]:
        given = {name.replace("__", "."): value for name, value in overrides.items()}
        async with running(build_app(load_settings(folder, overrides=given, environ={}))) as app:
            yield app

    return served


async def test_the_page_leads_to_nothing_but_this_server(serve: Serve) -> None:
    async with serve(api__reference="on", api__prefix="/content") as client:
        page = await client.request("GET", "/docs")
        html = page.content.decode()
        leads = re.findall(r'(?:src|href|data-document)="([^"]*)"', html)
        found = [await client.request("GET", target) for target in set(leads)]

    assert page.status == 200
    assert page.media_type == "text/html"
    assert "/content/openapi.json" in leads
    assert {response.status for response in found} == {200}
    assert all(target.startswith("/") and "//" not in target for target in leads)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy


async def test_h085_whoever_has_opened_the_page_gets_no_hold_of_it(serve: Serve) -> None:
    async with serve(api__reference="on") as client:
        page = await client.request("GET", "/docs")

    assert page.headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize("part", PARTS)
async def test_a_part_is_sent_as_it_is_kept_to_who_takes_that(serve: Serve, part: str) -> None:
    async with serve(api__reference="on") as client:
        plain = await client.request("GET", f"/docs/{part}")
        packed = await client.request("GET", f"/docs/{part}", {"Accept-Encoding": "gzip, br"})

    assert plain.status == packed.status == 200
    if "content-encoding" in packed.headers:
        assert gzip.decompress(packed.content) == plain.content
    else:
        assert packed.content == plain.content
    assert "content-encoding" not in plain.headers


async def test_there_is_no_other_part(serve: Serve) -> None:
    async with serve(api__reference="on") as client:
        responses = [
            await client.request("GET", f"/docs/{path}")
            for path in ("LICENSE", "README.md", "../swagger_page.py", "start.js/x")
        ]

    assert {response.status for response in responses} <= {403, 404}


@pytest.mark.parametrize(
    ("environment", "reference", "status"),
    [
        ("development", "auto", 200),
        ("production", "auto", 404),
        ("production", "on", 200),
        ("development", "off", 404),
    ],
)
async def test_it_is_there_when_it_is_wanted(
    serve: Serve, environment: str, reference: str, status: int
) -> None:
    async with serve(environment=environment, api__reference=reference) as client:
        responses = [await client.request("GET", path) for path in ("/docs", "/docs/start.js")]

    assert {response.status for response in responses} == {status}
