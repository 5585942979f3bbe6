"""Signing in, refreshing the session, and signing out."""

from pathlib import Path

import pytest

from quire.auth.jwt_and_api_tokens import sign_claims
from tests.unit.admin_api.office import BOSS, PASSWORD, SECRETS, Office, open_office

EMAIL = BOSS["email"]
ME = "/admin/users/me"
REFRESH = "/admin/access-token"


async def test_an_administrator_signs_in_and_is_known(office: Office) -> None:
    reply = await office.sign_in("BOSS@example.com")
    me = await office.ask("GET", ME, token=reply.data["token"])

    assert reply.status == 200
    assert me.data["email"] == EMAIL
    assert not {"password", "resetPasswordToken", "registrationToken"} & me.data.keys()


@pytest.mark.parametrize(
    ("email", "password", "message"),
    [
        (EMAIL, "wrong", "Invalid credentials"),
        ("nobody@example.com", PASSWORD, "Invalid credentials"),
        (EMAIL, "", "Missing credentials"),
        ({"$ne": ""}, PASSWORD, "Missing credentials"),
        ([EMAIL], PASSWORD, "Missing credentials"),
        (EMAIL, True, "Missing credentials"),
    ],
)
async def test_others_are_refused_without_saying_why(
    office: Office, email: object, password: object, message: str
) -> None:
    reply = await office.ask("POST", "/admin/login", {"email": email, "password": password})

    assert (reply.status, reply.error) == (400, message)


async def test_a_refresh_token_is_good_for_once(office: Office) -> None:
    cookie = {"cookie": (await office.sign_in(EMAIL)).cookie}
    first = await office.ask("POST", REFRESH, headers=cookie)
    second = await office.ask("POST", REFRESH, headers=cookie)
    third = await office.ask("POST", REFRESH, headers={"cookie": first.cookie})

    assert (await office.ask("GET", ME, token=first.data["token"])).status == 200
    assert (second.status, second.error) == (401, "Invalid refresh token")
    assert third.status == 200


async def test_a_refresh_token_that_comes_again_later_ends_what_came_of_it(office: Office) -> None:
    cookie = {"cookie": (await office.sign_in(EMAIL)).cookie}
    stolen = await office.ask("POST", REFRESH, headers=cookie)
    office.clock.pass_by(minutes=5)
    await office.ask("POST", REFRESH, headers=cookie)

    assert (await office.ask("POST", REFRESH, headers={"cookie": stolen.cookie})).status == 401
    assert (await office.ask("GET", ME, token=stolen.data["token"])).status == 401


async def test_a_page_of_another_site_gets_no_access_token(office: Office) -> None:
    cookie = (await office.sign_in(EMAIL)).cookie
    foreign = {"cookie": cookie, "origin": "https://evil.example"}
    own = {"cookie": cookie, "origin": "http://127.0.0.1:1337"}
    broken = {"cookie": cookie, "origin": "http://["}

    assert (await office.ask("POST", REFRESH, headers=foreign)).status == 403
    assert (await office.ask("POST", REFRESH, headers=broken)).status == 403
    assert (await office.ask("POST", REFRESH, headers=own)).status == 200


async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(office: Office) -> None:
    cookie = (await office.sign_in(EMAIL)).headers["set-cookie"]

    assert "path=/admin; httponly; samesite=lax" in cookie
    assert "expires" not in cookie


async def test_the_cookie_stays_when_the_browser_closes_if_one_wants_to(office: Office) -> None:
    cookie = (await office.sign_in(EMAIL, rememberMe=True)).headers["set-cookie"]

    assert "expires=" in cookie


async def test_over_tls_the_cookie_goes_nowhere_else(tmp_path: Path) -> None:
    address = {"server.url": "https://cms.example.com"}
    async with open_office(tmp_path, settings=address) as office:
        cookie = (await office.sign_in(EMAIL)).headers["set-cookie"]

    assert "; secure;" in cookie


async def test_signing_out_ends_every_session_at_once(office: Office) -> None:
    elsewhere, here = await office.sign_in(EMAIL), await office.sign_in(EMAIL)
    left = await office.ask("POST", "/admin/logout", {}, token=here.data["token"])

    assert left.status == 200
    assert left.cookie == "strapi_admin_refresh="
    for reply in (elsewhere, here):
        assert (await office.ask("GET", ME, token=reply.data["token"])).status == 401
        assert (await office.ask("POST", REFRESH, headers={"cookie": reply.cookie})).status == 401


@pytest.mark.parametrize("named", ["phone", "desk"])
async def test_signing_out_of_the_own_device_leaves_the_others(office: Office, named: str) -> None:
    desk = await office.sign_in(EMAIL, deviceId="desk")
    phone = await office.sign_in(EMAIL, deviceId="phone")
    # As in the reference, the session says which device the caller has.
    await office.ask("POST", "/admin/logout", {"deviceId": named}, token=phone.data["token"])

    assert (await office.ask("GET", ME, token=desk.data["token"])).status == 200
    assert (await office.ask("GET", ME, token=phone.data["token"])).status == 401


async def test_sessions_are_listed_and_ended_one_by_one(office: Office) -> None:
    other = await office.sign_in(EMAIL, deviceId="phone")
    listed = (await office.ask("GET", f"{ME}/sessions", token=office.boss)).data
    phone = next(session for session in listed if session["deviceId"] == "phone")
    reply = await office.ask("DELETE", f"{ME}/sessions/{phone['id']}", token=office.boss)

    # The keys and the order of the reference; "deviceName" needs a browser that names itself.
    assert [session["current"] for session in listed][:2] == [True, False]
    assert set(phone) == {"id", "deviceId", "current", "loginAt", "lastActiveAt"}
    assert not phone["current"]
    assert reply.status == 200
    assert (await office.ask("GET", ME, token=other.data["token"])).status == 401
    assert (await office.ask("DELETE", f"{ME}/sessions/x", token=office.boss)).status == 404


async def test_all_sessions_are_ended_or_all_others(office: Office) -> None:
    phone, path = await office.sign_in(EMAIL, deviceId="phone"), f"{ME}/sessions"
    kept = await office.ask("DELETE", f"{path}?keepCurrent=true", token=office.boss)

    assert (kept.status, kept.data) == (200, {})
    assert (await office.ask("GET", ME, token=phone.data["token"])).status == 401
    assert len((await office.ask("GET", path, token=office.boss)).data) == 1
    ended = await office.ask("DELETE", f"{path}?keepCurrent[]=true", token=office.boss)
    assert (ended.status, ended.data) == (200, {})
    assert (await office.ask("GET", ME, token=office.boss)).status == 401


async def test_the_browser_that_signs_in_names_its_session(office: Office) -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    body = {"email": EMAIL, "password": PASSWORD}
    reply = await office.ask("POST", "/admin/login", body, headers={"user-agent": agent})
    listed = await office.ask("GET", f"{ME}/sessions", token=reply.data["token"])

    assert listed.data[0]["deviceName"] == "Firefox on Linux"


async def test_a_token_ends_with_its_time(office: Office) -> None:
    office.clock.pass_by(minutes=29)
    assert (await office.ask("GET", ME, token=office.boss)).status == 200
    office.clock.pass_by(minutes=2)
    assert (await office.ask("GET", ME, token=office.boss)).status == 401


@pytest.mark.parametrize(
    "claims",
    [
        {"userId": "1", "type": "access", "exp": 9_999_999_999},
        {"userId": "1", "sessionId": "0", "type": "access", "exp": 9_999_999_999},
        {"userId": "1", "sessionId": {"$ne": ""}, "type": "access", "exp": 9_999_999_999},
        {"id": 1, "exp": 9_999_999_999},
        {},
    ],
)
async def test_a_token_without_a_session_is_no_good_however_well_it_is_signed(
    office: Office, claims: dict[str, object]
) -> None:
    token = sign_claims(claims, SECRETS["ADMIN_JWT_SECRET"])

    assert (await office.ask("GET", ME, token=token)).status == 401


async def test_a_refresh_token_is_no_access_token(office: Office) -> None:
    refresh = (await office.sign_in(EMAIL)).cookie.partition("=")[2]

    assert (await office.ask("GET", ME, token=refresh)).status == 401


async def test_a_token_of_the_admin_is_none_of_the_content_api(office: Office) -> None:
    assert (await office.ask("GET", "/api/papers", token=office.boss)).status == 401


async def test_wrong_passwords_are_counted_however_the_address_is_written(tmp_path: Path) -> None:
    limit = {"admin.rate_limit.enabled": True}
    async with open_office(tmp_path, settings=limit, boss=False) as office:
        statuses = [
            (await office.ask("POST", path, {"email": email, "password": "wrong"})).status
            for path, email in zip(
                ["/admin/login", "/ADMIN/login", "/admin/login/", "/admin/LOGIN"] * 2,
                ["a@example.com", "A@example.com", "a@EXAMPLE.com", "A@EXAMPLE.COM"] * 2,
                strict=True,
            )
        ]

    assert statuses == [400] * 5 + [429] * 3
