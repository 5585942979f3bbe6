"""Sign-in through a provider, from the first redirect to the token, over sockets."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from quire.auth.oauth import providers
from quire.auth.oauth.provider_presets import PRESETS
from quire.content_api.fast_path import FastPathProtocol
from tests.accounts.conftest import issuer, project, written
from tests.accounts.oidc_provider import KEY, SECRET
from tests.accounts.site import set_stored
from tests.accounts.test_presets import moved, say
from tests.accounts.test_providers import ADA, GRANT, PAGE, be
from tests.unit.cli.processes import serving
from tests.unit.content_api.test_fast_path import served

__all__ = ["issuer", "project", "written"]

OPTIONS = {"enabled": True, "key": KEY, "secret": SECRET, "callback": PAGE}


@pytest.fixture
async def browser() -> AsyncIterator[httpx.AsyncClient]:
    """A browser that shows where it is sent instead of going there."""
    async with httpx.AsyncClient(timeout=20) as client:
        yield client


async def sign_in(browser: httpx.AsyncClient, server: str, provider: str) -> dict[str, object]:
    """Go to a provider, come back, and return the end user of the token."""
    redirect = await browser.get(f"{server}/api/connect/{provider}")
    assert redirect.status_code == 302, redirect.text
    back = urlsplit((await browser.get(redirect.headers["location"])).headers["location"])
    # The server believes that it is at another address, where a proxy would be.
    came_back = await browser.get(f"{server}{back.path}?{back.query}")
    assert (came_back.status_code, came_back.headers.get("location")) == (302, PAGE)
    done = await browser.get(f"{server}/api/auth/{provider}/callback")
    assert done.status_code == 200, done.text
    token = done.json()["jwt"]
    me = await browser.get(f"{server}/api/users/me", headers={"Authorization": f"Bearer {token}"})
    assert me.status_code == 200, me.text
    found: dict[str, object] = me.json()
    return found


async def test_somebody_signs_in_through_openid_connect(
    project: Path, issuer: str, browser: httpx.AsyncClient
) -> None:
    set_stored(project, GRANT, oidc={**OPTIONS, "issuer": issuer})
    be(issuer, ADA)
    with serving("start", project) as (server, _):
        user = await sign_in(browser, server, "oidc")
    assert (user["username"], user["email"]) == ("ada", "ada@example.org")


@pytest.mark.parametrize(
    "provider", ["github", "twitter"], ids=["oauth 2 (github)", "oauth 1 (twitter)"]
)
async def test_somebody_signs_in_through_oauth(
    project: Path,
    issuer: str,
    browser: httpx.AsyncClient,
    provider: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moved_here = {**PRESETS, provider: moved(PRESETS[provider], issuer)}
    monkeypatch.setattr(providers, "PRESETS", moved_here)
    set_stored(project, GRANT, **{provider: OPTIONS})
    say(issuer, provider)
    async with served(project, FastPathProtocol) as port:
        user = await sign_in(browser, f"http://127.0.0.1:{port}", provider)
    assert (user["username"], user["email"]) == ("ada", "ada@example.org")
