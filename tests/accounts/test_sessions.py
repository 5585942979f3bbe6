"""Sessions of end users: short access tokens and refresh tokens."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from quire.auth.jwt_and_api_tokens import read_claims
from quire.auth.passwords import verify_password
from tests.accounts.site import (
    DAY,
    MINUTE,
    PASSWORD,
    Inbox,
    JsonObject,
    SharedSites,
    Site,
    code_in,
    message,
    open_site,
)
from tests.hazards.newsroom import ENVIRONMENT

FIREFOX = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"}
COOKIE = {"X-Strapi-Refresh-Cookie": "httpOnly"}


@pytest.fixture
async def site(written: Path, shared_sites: SharedSites) -> AsyncIterator[Site]:
    async with shared_sites.lend(written, users__jwt_management="refresh") as site:
        await site.make_user("ada")
        yield site


async def sign_in(site: Site, device: str | None = None) -> JsonObject:
    body = {"identifier": "ada", "password": PASSWORD}
    if device is not None:
        body["deviceId"] = device
    response = await site.ask("POST", "auth/local", body, headers=FIREFOX)
    assert response.status == 200, response.content
    found: JsonObject = json.loads(response.content)
    return found


async def refresh(site: Site, token: str) -> JsonObject:
    response = await site.post("auth/refresh", {"refreshToken": token})
    assert response.status == 200, response.content
    found: JsonObject = json.loads(response.content)
    return found


async def status(site: Site, token: str) -> int:
    return (await site.ask("GET", "users/me", token=token)).status


async def refused(site: Site, token: str) -> str:
    response = await site.post("auth/refresh", {"refreshToken": token})
    assert response.status == 401
    return message(response)


async def test_a_token_holds_for_minutes_and_its_refresh_token_is_good_once(site: Site) -> None:
    first = await sign_in(site)
    assert list(first) == ["jwt", "refreshToken", "user"]
    claims = read_claims(first["jwt"], ENVIRONMENT["JWT_SECRET"], site.clock.now)
    assert claims is not None
    user_id = str(first["user"]["id"])
    assert (claims["userId"], claims["type"]) == (user_id, "access")
    assert await status(site, first["jwt"]) == 200
    assert await status(site, first["refreshToken"]) == 401

    site.clock.now += 10 * MINUTE
    assert await status(site, first["jwt"]) == 401
    second = await refresh(site, first["refreshToken"])
    assert list(second) == ["jwt", "refreshToken"]
    assert await status(site, second["jwt"]) == 200
    assert await refused(site, first["refreshToken"]) == "Invalid refresh token"
    await refresh(site, second["refreshToken"])


async def test_a_refresh_token_that_comes_again_later_ends_its_session(site: Site) -> None:
    stolen, other = await sign_in(site), await sign_in(site)
    fresh = await refresh(site, stolen["refreshToken"])
    site.clock.now += 2 * MINUTE
    await refused(site, stolen["refreshToken"])
    assert await status(site, fresh["jwt"]) == 401
    await refused(site, fresh["refreshToken"])
    assert await status(site, other["jwt"]) == 200


async def test_sessions_end_when_idle_and_at_the_latest_after_a_month(site: Site) -> None:
    idle, busy = await sign_in(site), await sign_in(site)
    for _ in range(2):
        site.clock.now += 14 * DAY - MINUTE
        busy = await refresh(site, busy["refreshToken"])
    await refused(site, idle["refreshToken"])
    site.clock.now += 2 * DAY + 2 * MINUTE
    await refused(site, busy["refreshToken"])


async def test_sessions_are_rows_as_the_reference_has_them(site: Site) -> None:
    tokens = await sign_in(site, "phone")
    await refresh(site, tokens["refreshToken"])
    columns = "user_id, device_id, origin, type, status, expires_at, child_id, session_id"
    sql = f"SELECT {columns} FROM strapi_sessions ORDER BY id"
    first, second = site.sql(sql)
    user_id = str(tokens["user"]["id"])
    assert first[:5] == (user_id, "phone", "users-permissions", "refresh", "rotated")
    assert second[:5] == (user_id, "phone", "users-permissions", "refresh", "active")
    assert (first[6], second[6]) == (second[7], None)
    assert len(second[7]) == 32


async def test_h060_signing_out_ends_the_session_and_its_tokens_at_once(site: Site) -> None:
    first, other = await sign_in(site), await sign_in(site)
    second = await refresh(site, first["refreshToken"])
    response = await site.post("auth/logout", {}, token=second["jwt"])
    assert (response.status, json.loads(response.content)) == (200, {"ok": True})
    for token in (first["jwt"], second["jwt"]):
        assert await status(site, token) == 401
    await refused(site, second["refreshToken"])
    assert await status(site, other["jwt"]) == 200


async def test_signing_out_everywhere_or_of_one_device(site: Site) -> None:
    phone, desk, here = await sign_in(site, "p"), await sign_in(site, "d"), await sign_in(site)
    await site.post("auth/logout", {"deviceId": "p"}, token=here["jwt"])
    assert [await status(site, s["jwt"]) for s in (phone, desk, here)] == [401, 200, 200]
    await site.post("auth/logout", {"scope": "all"}, token=here["jwt"])
    assert [await status(site, s["jwt"]) for s in (phone, desk, here)] == [401, 401, 401]


async def test_sessions_are_listed_and_revoked_by_their_own_user_alone(site: Site) -> None:
    await site.make_user("eve")
    site.clock.now += MINUTE
    old = await sign_in(site, "phone")
    site.clock.now += MINUTE
    new = await sign_in(site)
    listed = await site.ask("GET", "auth/sessions", token=old["jwt"])
    found = json.loads(listed.content)["data"]
    assert [s["current"] for s in found] == [True, False]
    assert found[0]["deviceName"] == "Firefox on Linux"
    assert found[0]["deviceId"] == "phone"
    assert set(found[1]) == {
        "id",
        "deviceId",
        "deviceName",
        "current",
        "loginAt",
        "lastActiveAt",
    }
    target = f"auth/sessions/{found[1]['id']}"
    body = {"identifier": "eve", "password": PASSWORD}
    eve = json.loads((await site.post("auth/local", body)).content)
    foreign = await site.ask("DELETE", target, token=eve["jwt"])
    assert (foreign.status, message(foreign)) == (404, "Session not found")
    assert await status(site, new["jwt"]) == 200
    own = await site.ask("DELETE", target, token=old["jwt"])
    assert (own.status, json.loads(own.content)) == (200, {"data": {}})
    assert await status(site, new["jwt"]) == 401


async def test_sessions_of_registrations_and_password_changes_have_a_device_id(
    site: Site,
) -> None:
    """What is stored of a login is that of sign-ins and registrations only."""

    async def session(token: str) -> JsonObject:
        listed = await site.ask("GET", "auth/sessions", token=token)
        (only,) = json.loads(listed.content)["data"]
        found: JsonObject = only
        return found

    body = {"username": "eve", "email": "eve@example.org", "password": PASSWORD}
    registered = await site.ask("POST", "auth/local/register", body, headers=FIREFOX)
    eve = await session(json.loads(registered.content)["jwt"])
    assert UUID(eve["deviceId"]).version == 4
    assert eve["deviceName"] == "Firefox on Linux"
    assert "loginAt" in eve

    new = {"password": "another-Pass-1", "passwordConfirmation": "another-Pass-1"}
    changed = await site.ask(
        "POST",
        "auth/change-password",
        {**new, "currentPassword": PASSWORD},
        token=(await sign_in(site))["jwt"],
        headers=FIREFOX,
    )
    ada = await session(json.loads(changed.content)["jwt"])
    assert set(ada) == {"id", "deviceId", "current", "lastActiveAt"}
    assert UUID(ada["deviceId"]).version == 4


async def test_h061_another_password_ends_all_sessions(site: Site) -> None:
    new = {"password": "another-Pass-1", "passwordConfirmation": "another-Pass-1"}
    sessions = [await sign_in(site, device) for device in ("a", "b", None)]
    body = {**new, "currentPassword": PASSWORD}
    response = await site.post("auth/change-password", body, token=sessions[0]["jwt"])
    fresh = json.loads(response.content)
    assert list(fresh) == ["jwt", "refreshToken", "user"]
    for session in sessions:
        assert await status(site, session["jwt"]) == 401
        await refused(site, session["refreshToken"])
    assert await status(site, fresh["jwt"]) == 200

    await site.post("auth/forgot-password", {"email": "ada@example.org"})
    (mail,) = await site.mails()
    response = await site.post("auth/reset-password", {**new, "code": code_in(mail)})
    assert response.status == 200
    await refused(site, fresh["refreshToken"])


@pytest.mark.parametrize(
    "change", [{"password": "another-Pass-1"}, {"blocked": True}], ids=["password", "blocked"]
)
async def test_no_session_begins_with_a_password_that_was_checked_before_it_changed(
    site: Site, monkeypatch: pytest.MonkeyPatch, change: JsonObject
) -> None:
    """The change ends all sessions: none may begin with the former state afterwards."""
    session = await sign_in(site)

    async def verify_slowly(password: str, hashed: str | None) -> bool:
        monkeypatch.undo()
        assert await verify_password(password, hashed)
        target = f"users/{session['user']['id']}"
        assert (await site.ask("PUT", target, change, token="full")).status == 200
        return True

    monkeypatch.setattr("quire.content_api.sign_in.verify_password", verify_slowly)
    body = {"identifier": "ada", "password": PASSWORD}
    response = await site.post("auth/local", body)
    assert (response.status, message(response)) == (400, "Invalid identifier or password")
    assert not site.sql("SELECT id FROM strapi_sessions")


@pytest.mark.parametrize("how", ["blocked", "deleted"])
async def test_h060_who_is_blocked_or_gone_is_signed_out_everywhere(site: Site, how: str) -> None:
    session = await sign_in(site)
    target = f"users/{session['user']['id']}"
    if how == "blocked":
        await site.ask("PUT", target, {"blocked": True}, token="full")
    else:
        await site.ask("DELETE", target, token="full")
    assert await status(site, session["jwt"]) == 401
    await refused(site, session["refreshToken"])
    assert not site.sql("SELECT id FROM strapi_sessions")


async def test_a_refresh_token_goes_into_a_cookie_on_request(site: Site) -> None:
    body = {"identifier": "ada", "password": PASSWORD}
    response = await site.ask("POST", "auth/local", body, headers=COOKIE)
    assert list(json.loads(response.content)) == ["jwt", "user"]
    cookie, *attributes = response.headers["set-cookie"].split("; ")
    assert cookie.startswith("strapi_up_refresh=")
    assert attributes == ["path=/", "secure", "httponly", "samesite=lax"]

    sent = {**COOKIE, "Cookie": f"other=1; {cookie}", "Origin": "https://127.0.0.1"}
    again = await site.ask("POST", "auth/refresh", {}, headers=sent)
    assert list(json.loads(again.content)) == ["jwt"]
    fresh = again.headers["set-cookie"].split("; ")[0]
    token = json.loads(again.content)["jwt"]
    out = await site.ask("POST", "auth/logout", {}, token=token, headers={**sent, "Cookie": fresh})
    assert out.headers["set-cookie"].startswith("strapi_up_refresh=; expires=Thu, 01 Jan 1970")
    gone = await site.ask("POST", "auth/refresh", {}, headers={**sent, "Cookie": fresh})
    assert gone.status == 401


async def test_a_browser_keeps_the_cookie_for_its_age(
    written: Path, shared_sites: SharedSites
) -> None:
    settings = {"users__jwt_management": "refresh", "users__sessions__cookie_max_age": "30d"}
    async with shared_sites.lend(written, **settings) as site:
        await site.make_user("ada")
        body = {"identifier": "ada", "password": PASSWORD}
        response = await site.ask("POST", "auth/local", body, headers=COOKIE)
        _, age, *_ = response.headers["set-cookie"].split("; ")
        assert age == "max-age=2592000"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://127.0.0.1.evil.org"])
async def test_h081_pages_of_others_cannot_use_the_cookie(site: Site, origin: str) -> None:
    token = (await sign_in(site))["refreshToken"]
    headers = {"Cookie": f"strapi_up_refresh={token}", "Origin": origin}
    response = await site.ask("POST", "auth/refresh", {}, headers=headers)
    assert response.status == 403
    await refresh(site, token)


async def test_a_refresh_token_must_be_there(site: Site) -> None:
    bodies: list[object] = [{}, {"refreshToken": ""}, {"refreshToken": {"$ne": None}}, []]
    for body in bodies:
        response = await site.post("auth/refresh", body)
        assert json.loads(response.content)["error"] == {
            "status": 400,
            "name": "BadRequestError",
            "message": "Missing refresh token",
            "details": {},
        }


async def test_long_lived_tokens_are_of_no_use_where_there_are_sessions(
    project: Path, inbox: Inbox
) -> None:
    async with open_site(project, inbox) as site:
        await site.make_user("ada")
        long_lived = await site.sign_in("ada")
    async with open_site(project, inbox, users__jwt_management="refresh") as site:
        assert await status(site, long_lived) == 401
        short = (await sign_in(site))["jwt"]
    async with open_site(project, inbox) as site:
        assert await status(site, short) == 401
        assert (await site.post("auth/refresh", {"refreshToken": "x"})).status == 404


@pytest.mark.parametrize("management", ["refresh", "legacy-support"])
async def test_routes_of_sessions_are_described_where_there_are_sessions(
    project: Path, inbox: Inbox, management: str
) -> None:
    async with open_site(project, inbox, users__jwt_management=management) as site:
        response = await site.ask("GET", "openapi.json", token="full")

    paths = json.loads(response.content)["paths"]
    assert "/auth/local" in paths
    sessions = {"/auth/refresh", "/auth/logout", "/auth/sessions", "/auth/sessions/{sessionId}"}
    assert paths.keys() & sessions == (sessions if management == "refresh" else set())
