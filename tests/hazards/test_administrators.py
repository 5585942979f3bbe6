"""Known vulnerabilities of administrators: sign-in, sessions, recovery, permissions."""

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import jwt
import pytest

from quire.auth.jwt_and_api_tokens import issue_jwt
from tests.unit.admin_api.office import BOSS, PASSWORD, SECRETS, Office, open_office
from tests.unit.admin_api.test_admin_users import clerk

ME, LOGIN, REFRESH = "/admin/users/me", "/admin/login", "/admin/access-token"
SECRET_KEYS = {
    "password",
    "resetPasswordToken",
    "registrationToken",
    "confirmationToken",
    "encryptedKey",
}


def keys_of(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


@pytest.mark.parametrize(
    "target",
    [
        "/admin/users?pageSize=100",
        "/admin/users/1",
        ME,
        "/admin/roles",
        "/admin/api-tokens",
        "/i18n/locales",
        "/users-permissions/roles",
    ],
)
async def test_h013_no_response_of_the_admin_api_contains_a_secret(
    tmp_path: Path, target: str
) -> None:
    async with open_office(tmp_path) as office:
        await clerk(office)
        reply = await office.ask("GET", target, token=office.boss)

    assert reply.status == 200
    assert not SECRET_KEYS.intersection(keys_of(reply.json))


@pytest.mark.parametrize("code", [{"$gt": 0}, ["x"], 0, None, "", True])
async def test_h054_a_reset_code_is_a_text_and_the_right_one(tmp_path: Path, code: object) -> None:
    async with open_office(tmp_path) as office:
        form = {"resetPasswordToken": code, "password": "Another1horse"}
        assert (await office.ask("POST", "/admin/reset-password", form)).status == 400
        assert (await office.sign_in(BOSS["email"])).status == 200


async def test_h058_unknown_accounts_get_the_same_response_as_known_ones(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        known = await office.sign_in(BOSS["email"], "wrong")
        unknown = await office.sign_in("nobody@example.com", "wrong")

    assert known.json == unknown.json


async def test_h060_a_session_that_ended_is_over_at_once(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        reply = await office.sign_in(BOSS["email"])
        await office.ask("POST", "/admin/logout", {}, token=reply.data["token"])

        assert (await office.ask("GET", ME, token=reply.data["token"])).status == 401
        cookie = {"cookie": reply.cookie}
        assert (await office.ask("POST", REFRESH, headers=cookie)).status == 401


@pytest.mark.parametrize("device", [None, "desk"])
async def test_h061_another_password_ends_all_older_sessions(
    tmp_path: Path, device: str | None
) -> None:
    async with open_office(tmp_path) as office:
        others = [await office.sign_in(BOSS["email"], deviceId=device) for _ in range(3)]
        change = {"password": "Another1horse", "currentPassword": PASSWORD}
        changed = await office.ask("PUT", ME, change, token=others[0].data["token"])
        assert changed.status == 200
        for reply in others:
            cookie = {"cookie": reply.cookie}
            assert (await office.ask("POST", REFRESH, headers=cookie)).status == 401


def forged(office: Office, algorithm: str, **header: str) -> str:
    """The claims of the boss's own token, signed otherwise."""
    claims = jwt.decode(office.boss, options={"verify_signature": False})
    key = "" if algorithm == "none" else SECRETS["ADMIN_JWT_SECRET"].ljust(64, "x")
    return jwt.encode(claims, key, algorithm=algorithm, headers=header or None)


@pytest.mark.parametrize("algorithm", ["none", "HS256", "HS384", "HS512"])
async def test_h062_a_token_that_is_signed_otherwise_is_none(
    tmp_path: Path, algorithm: str
) -> None:
    async with open_office(tmp_path) as office:
        token = forged(office, algorithm, kid="../../dev/null")

        assert (await office.ask("GET", ME, token=token)).status == 401


async def test_h068_h070_attempts_are_counted_however_they_are_written(tmp_path: Path) -> None:
    limit = {"admin.rate_limit.enabled": True}
    async with open_office(tmp_path, settings=limit) as office:
        paths = [LOGIN, "/ADMIN/login", f"{LOGIN}/", "/admin/LOGIN"] * 3
        statuses = []
        for number, path in enumerate(paths):
            body = {
                "email": BOSS["email"].upper() if number % 2 else BOSS["email"],
                "password": "x",
            }
            headers = {"x-forwarded-for": f"203.0.113.{number}"}
            statuses.append((await office.ask("POST", path, body, headers=headers)).status)

    # The office itself signed in once before.
    assert statuses == [400] * 4 + [429] * 8


async def test_h075_nobody_elses_credentials_open_the_admin(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        body = {"name": "Site", "type": "full-access"}
        token = (await office.ask("POST", "/admin/api-tokens", body, token=office.boss)).data
        end_user = issue_jwt(1, SECRETS["JWT_SECRET"], timedelta(days=1), office.clock())
        for credential in (token["accessKey"], end_user):
            assert (await office.ask("GET", ME, token=credential)).status == 401
        assert (await office.ask("GET", "/api/papers", token=office.boss)).status == 401


@pytest.mark.parametrize("body", [[], "x", {"email": {}}, {"email": ["a@b.cd"], "password": 5}])
async def test_h078_odd_bodies_make_no_first_administrator(tmp_path: Path, body: object) -> None:
    async with open_office(tmp_path, boss=False) as office:
        assert (await office.ask("POST", "/admin/register-admin", body)).status == 400
        assert (await office.ask("GET", "/admin/init")).data["hasAdmin"] is False


async def test_h078_of_many_first_administrators_there_is_one(tmp_path: Path) -> None:
    async with open_office(tmp_path, boss=False) as office:
        body = {**BOSS, "registrationToken": office.app.first_administrator}
        replies = await asyncio.gather(
            *(office.ask("POST", "/admin/register-admin", body) for _ in range(20))
        )

    assert sorted(reply.status for reply in replies) == [200, *([400] * 19)]


async def test_h081_the_cookie_is_no_good_from_another_site(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        cookie = (await office.sign_in(BOSS["email"])).cookie
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1337.evil.example"):
            headers = {"cookie": cookie, "origin": origin}
            assert (await office.ask("POST", REFRESH, headers=headers)).status == 403


async def test_h104_headers_of_webhooks_stay_in_their_lines(tmp_path: Path) -> None:
    hook = {"name": "h", "url": "https://example.com/h", "events": []}
    async with open_office(tmp_path) as office:
        for headers in ({"X": "1\r\nY: 2"}, {"X\nY": "1"}, {"X": "1\0"}):
            body = {**hook, "headers": headers}
            reply = await office.ask("POST", "/admin/webhooks", body, token=office.boss)
            assert reply.status == 400, json.dumps(headers)
