"""Accounts against attackers."""

import json
import logging
from collections.abc import AsyncIterator
from itertools import count

import bcrypt
import pytest

from quire.settings import Settings
from tests.accounts.site import ADVANCED, DAY, HOUR, PASSWORD, Site, code_in, message, plain
from tests.hazards.accounts import SECONDS, SECRET, contents, forged, newsroom_site

NEW = "high-Water-at-12"
NEW_PASSWORD = {"password": NEW, "passwordConfirmation": NEW}
NO_TEXTS: list[object] = [{"$gt": ""}, ["a"], 0, 1, True, None, {"$ne": None}]
WRONG = "Invalid identifier or password"


async def sign_in(site: Site, identifier: object, password: object = PASSWORD) -> tuple[int, str]:
    response = await site.post("auth/local", {"identifier": identifier, "password": password})
    return response.status, "" if response.status == 200 else message(response)


async def test_h035_registering_takes_three_values_and_names_all_others(site: Site) -> None:
    body = {"username": "ada", "email": "ada@example.org", "password": PASSWORD}
    more = {"role": 1, "confirmed": True, "blocked": False, "provider": "x", "id": 1}
    before = contents(site)
    response = await site.post("auth/local/register", {**body, **more, "resetPasswordToken": "x"})
    expected = "Invalid parameters: role, confirmed, blocked, provider, id, resetPasswordToken"
    assert (response.status, message(response)) == (400, expected)
    assert contents(site) == before


async def test_h039_a_token_says_nothing_but_what_the_server_says(site: Site) -> None:
    user = await site.make_user("ada", sub="root", iat=0, sessionId="x")
    token = await site.sign_in("ada")
    claims = {"id": user["id"], "iat": SECONDS, "exp": SECONDS + 30 * 86_400}
    assert token == forged(claims)


async def test_h049_a_password_is_not_changed_without_the_present_one(site: Site) -> None:
    await site.make_user("ada")
    token = await site.sign_in("ada")
    for wrong in ({}, {"currentPassword": "guessed"}, {"currentPassword": {"$ne": None}}):
        body = {**NEW_PASSWORD, **wrong}
        assert (await site.post("auth/change-password", body, token=token)).status == 400
    assert (await sign_in(site, "ada"))[0] == 200


@pytest.mark.parametrize("code", [*NO_TEXTS, "", "%", "f" * 128, "0" * 128])
async def test_h054_a_code_is_a_text_and_the_right_one(site: Site, code: object) -> None:
    await site.make_user("ada")
    await site.post("auth/forgot-password", {"email": "ada@example.org"})
    await site.idle()
    response = await site.post("auth/reset-password", {**NEW_PASSWORD, "code": code})
    assert response.status == 400
    assert (await sign_in(site, "ada"))[0] == 200


@pytest.mark.parametrize("value", NO_TEXTS)
async def test_h055_names_and_e_mails_are_texts(site: Site, value: object) -> None:
    await site.make_user("ada")
    assert (await sign_in(site, value))[0] == 400
    assert (await sign_in(site, "ada", value))[0] == 400
    for route in ("auth/forgot-password", "auth/send-email-confirmation"):
        assert (await site.post(route, {"email": value})).status == 400
    await site.mails(0)


async def test_h056_links_in_mails_begin_with_what_was_configured(site: Site) -> None:
    await site.make_user("ada", confirmed=False)
    site.set(ADVANCED, email_reset_password="https://news.example.org/reset")
    evil = {
        "Host": "evil.example",
        "X-Forwarded-Host": "evil.example",
        "Origin": "https://evil.example",
    }
    for route in ("auth/forgot-password", "auth/send-email-confirmation"):
        body = {"email": "ada@example.org"}
        assert (await site.ask("POST", route, body, headers=evil)).status == 200
    for mail in await site.mails(2):
        assert "https://news.example.org/" in plain(mail)
        assert "evil" not in mail.as_string()


@pytest.mark.parametrize(
    "email", ["àda@example.org", "ada@example.org.", "ada@exámple.org", "\u0430da@example.org"]
)
async def test_h057_mails_go_to_nobody_whose_address_only_looks_alike(
    site: Site, email: str
) -> None:
    await site.make_user("ada")
    await site.post("auth/forgot-password", {"email": email})
    assert await site.mails(0) == []


@pytest.mark.usefixtures("full_rounds")
async def test_h058_responses_and_work_do_not_reveal_whether_there_is_an_account(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.make_user("ada")
    user = await site.make_user("eve")
    await site.ask("PUT", f"users/{user['id']}", {"provider": "google"}, token="full")
    hashed: list[bytes] = []
    check = bcrypt.checkpw

    def note(password: bytes, stored: bytes) -> bool:
        hashed.append(stored[:7])
        return check(password, stored)

    monkeypatch.setattr(bcrypt, "checkpw", note)
    found = {await sign_in(site, name, "guessed") for name in ("ada", "eve", "nobody", "a@b.org")}
    assert found == {(400, WRONG)}
    # Each did the same work: one hash of one cost.
    assert [stored[4:] for stored in hashed] == [b"10$"] * 4
    body = {"email": "ada@example.org"}
    responses = [await site.post("auth/forgot-password", b) for b in (body, {"email": "x@y.org"})]
    assert len({(response.status, response.content) for response in responses}) == 1


async def test_h059_codes_are_good_once_and_for_an_hour(site: Site) -> None:
    await site.make_user("ada")
    codes = []
    for _ in range(2):
        await site.post("auth/forgot-password", {"email": "ada@example.org"})
        await site.idle()
        codes.append(code_in(site.inbox.mails[-1]))
        assert (
            await site.post("auth/reset-password", {**NEW_PASSWORD, "code": codes[-1]})
        ).status == 200
    await site.post("auth/forgot-password", {"email": "ada@example.org"})
    await site.idle()
    site.clock.now += HOUR
    for code in (*codes, code_in(site.inbox.mails[-1])):
        response = await site.post("auth/reset-password", {**NEW_PASSWORD, "code": code})
        assert (response.status, message(response)) == (400, "Incorrect code provided")


async def test_h062_no_other_algorithm_and_no_token_without_an_end(site: Site) -> None:
    user = await site.make_user("ada")
    claims: dict[str, object] = {"id": user["id"], "iat": SECONDS, "exp": SECONDS + 60}
    assert (await site.ask("GET", "users/me", token=forged(claims))).status == 200
    header = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0"
    unsigned = f"{header}.{forged(claims).split('.')[1]}."
    for token in (
        forged(claims, algorithm="HS384"),
        forged(claims, algorithm="HS512"),
        forged(claims, secret=f"{SECRET}x"),
        forged({**claims, "exp": SECONDS}),
        forged({**claims, "nbf": SECONDS + 1}),
        forged({name: claims[name] for name in ("id", "iat")}),
        forged({**claims, "id": str(user["id"])}),
        forged({**claims, "id": {"$gt": 0}}),
        unsigned,
    ):
        assert (await site.ask("GET", "users/me", token=token)).status == 401


@pytest.mark.parametrize("password", ["a" * 73, "ä" * 37, "🌊" * 19])
async def test_h072_what_bcrypt_would_pass_over_is_refused(site: Site, password: str) -> None:
    user = await site.make_user("ada")
    token = await site.sign_in("ada")
    said = "Password must be less than 73 bytes"
    both = {"password": password, "passwordConfirmation": password}
    body = {"username": "eve", "email": "eve@example.org", "password": password}
    for response in (
        await site.post("auth/local/register", body),
        await site.post("auth/change-password", {**both, "currentPassword": PASSWORD}, token=token),
        await site.post("auth/reset-password", {**both, "code": "x"}),
    ):
        assert (response.status, message(response)) == (400, said)
    for response in (
        await site.post("users", {**body, "role": 1}, token="full"),
        await site.ask("PUT", f"users/{user['id']}", {"password": password}, token="full"),
    ):
        assert response.status == 400


async def test_h073_the_token_of_somebody_who_is_gone_becomes_nobody_elses(site: Site) -> None:
    for number in range(3):
        user = await site.make_user(f"ada{number}")
        token = await site.sign_in(f"ada{number}")
        await site.ask("DELETE", f"users/{user['id']}", token="full")
        await site.make_user(f"eve{number}")
        assert (await site.ask("GET", "users/me", token=token)).status == 401


async def test_h074_another_secret_ends_all_tokens(own_newsroom: Settings) -> None:
    async with newsroom_site(own_newsroom) as site:
        await site.make_user("ada")
        token = await site.sign_in("ada")
    async with newsroom_site(own_newsroom, secrets__jwt_secret="another" * 8) as site:
        assert (await site.ask("GET", "users/me", token=token)).status == 401
        assert (await site.ask("GET", "users", token="full")).status == 200
    async with newsroom_site(own_newsroom, secrets__api_token_salt="another") as site:
        assert (await site.ask("GET", "users", token="full")).status == 401


async def test_h075_a_token_is_good_where_it_was_given_alone(site: Site) -> None:
    await site.make_user("ada")
    user, api = await site.sign_in("ada"), "2" * 256
    for token in (user, api):
        headers = {"Authorization": f"Bearer {token}"}
        response = await site.client.request("GET", "/admin/users/me", headers)
        assert response.status == 401
    admin = forged({"userId": "1", "sessionId": "x", "type": "access", "exp": SECONDS + 60})
    assert (await site.ask("GET", "users/me", token=admin)).status == 401


async def test_h077_a_token_in_an_address_is_no_token(site: Site) -> None:
    await site.make_user("ada")
    token = await site.sign_in("ada")
    for name in ("access_token", "token", "jwt"):
        assert (await site.ask("GET", f"users/me?{name}={token}")).status == 403


async def test_h080_who_is_blocked_is_out_at_once(site: Site) -> None:
    user = await site.make_user("ada")
    token = await site.sign_in("ada")
    await site.ask("PUT", f"users/{user['id']}", {"blocked": True}, token="full")
    assert (await site.ask("GET", "users/me", token=token)).status == 401
    status, said = await sign_in(site, "ada")
    assert (status, said) == (400, "Your account has been blocked by an administrator")
    assert await sign_in(site, "ada", "guessed") == (400, WRONG)


async def test_h083_providers_that_are_off_lead_nowhere(site: Site) -> None:
    for name in ("google", "nope", "constructor", "email"):
        for target in (f"connect/{name}", f"auth/{name}/callback"):
            response = await site.ask("GET", target)
            assert (response.status, message(response)) == (400, "This provider is disabled")


async def test_h106_no_secret_gets_into_the_log_or_into_an_error(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    user = await site.make_user("ada")
    token = await site.sign_in("ada")
    site.set(ADVANCED, email_confirmation=True)
    site.inbox.refusing = True
    seen = [
        await site.post("auth/local", {"identifier": "ada", "password": "guessed-7-times"}),
        await site.post("auth/forgot-password", {"email": "ada@example.org"}),
        await site.post(
            "auth/local/register",
            {"username": "eve", "email": "eve@example.org", "password": "unheard-Of-1"},
        ),
        await site.ask("GET", "articles?filters[x]=1", token=token),
        await site.ask("GET", "articles", token=token[:-1]),
        await site.ask("PUT", f"users/{user['id']}", {"username": 5}, token="full"),
    ]
    await site.idle()
    (code, hashed), *_ = site.sql(
        "SELECT reset_password_token, password FROM up_users WHERE username = 'ada'"
    )
    texts = [caplog.text, *(response.content.decode() for response in seen)]
    for secret in (
        PASSWORD,
        "guessed-7-times",
        "unheard-Of-1",
        token,
        code,
        hashed,
        SECRET,
        "2" * 256,
    ):
        assert secret
        assert not any(str(secret) in text for text in texts)


async def test_h108_no_header_of_a_mail_comes_from_outside(site: Site) -> None:
    injected = "ada@example.org\r\nBcc: eve@example.org"
    for email in (injected, "ada@example.org\n", "a@b.org,c@d.org"):
        for route in ("auth/forgot-password", "auth/send-email-confirmation"):
            assert (await site.post(route, {"email": email})).status == 400
    for name in ("to", "from", "replyTo"):
        mail = {"to": "a@b.org", "text": "x", name: injected}
        assert (await site.post("email", mail, token="full")).status == 400
    body = {"to": "ada@example.org", "subject": "x\r\nBcc: eve@example.org", "text": "x"}
    assert (await site.post("email", body, token="full")).status == 200
    assert site.inbox.recipients == [["ada@example.org"]]
    assert site.inbox.mails[0]["Bcc"] is None


class TestLimits:
    """How often may be tried."""

    @pytest.fixture
    async def site(self, own_newsroom: Settings) -> AsyncIterator[Site]:
        async with newsroom_site(own_newsroom, users__rate_limit__enabled=True) as site:
            await site.make_user("ada")
            yield site

    async def statuses(self, site: Site, targets: list[str], **more: object) -> list[int]:
        found = []
        for number, target in zip(count(), targets, strict=False):
            body = {"identifier": "ada", "password": "guessed", "email": f"{number}@x.org", **more}
            found.append((await site.post(target, body)).status)
        return found

    async def test_h068_case_and_slashes_are_not_counted_apart(self, site: Site) -> None:
        spellings = ["auth/local", "auth/local/", "AUTH/Local", "Auth/LOCAL/"] * 3
        assert await self.statuses(site, spellings) == [400] * 10 + [429] * 2

    async def test_h069_fields_that_are_none_are_not_counted_apart(self, site: Site) -> None:
        assert (await self.statuses(site, ["auth/local"] * 11))[-1] == 429
        reset = await self.statuses(site, ["auth/reset-password"] * 11)
        assert (set(reset[:10]), reset[10]) == ({400}, 429)

    async def test_h069_one_place_cannot_go_on_with_ever_other_addresses(self, site: Site) -> None:
        found = []
        for number in range(51):
            body = {"email": f"{number}@example.org"}
            found.append((await site.post("auth/forgot-password", body)).status)
        assert found == [200] * 50 + [429]

    async def test_h070_a_forwarded_address_counts_from_trusted_proxies_alone(
        self, site: Site
    ) -> None:
        found = []
        body = {"identifier": "ada", "password": "guessed"}
        for number in range(12):
            headers = {"X-Forwarded-For": f"192.0.2.{number}", "X-Real-IP": f"192.0.2.{number}"}
            found.append((await site.ask("POST", "auth/local", body, headers=headers)).status)
        assert found == [400] * 10 + [429] * 2

    async def test_h071_one_account_is_not_guessed_from_many_places(self, site: Site) -> None:
        found = []
        for number in range(101):
            site.client.address = f"192.0.2.{number}"
            response = await site.post("auth/local", {"identifier": "ada", "password": "guessed"})
            found.append(response.status)
        assert found == [400] * 100 + [429]
        assert (await sign_in(site, "nobody"))[0] == 400
        site.clock.now += DAY
        assert (await sign_in(site, "ada"))[0] == 200

    async def test_h071_a_place_that_is_locked_out_locks_nobody_out(self, site: Site) -> None:
        site.client.address = "192.0.2.1"
        for _ in range(150):
            await site.post("auth/local", {"identifier": "ada", "password": "guessed"})
        site.client.address = "192.0.2.2"
        assert (await sign_in(site, "ada"))[0] == 200

    async def test_a_refused_client_gets_retry_after(self, site: Site) -> None:
        site.clock.now += 500
        for _ in range(10):
            await sign_in(site, "ada", "guessed")
        site.clock.now += 20_000
        body = {"identifier": "ada", "password": PASSWORD}
        response = await site.post("auth/local", body)
        assert response.status == 429
        assert response.headers["retry-after"] == "40"
        site.clock.now += int(response.headers["retry-after"]) * 1000
        again = await site.post("auth/local", body)
        assert again.status == 200
        assert json.loads(again.content)["user"]["username"] == "ada"
        assert again.headers["x-ratelimit-remaining"] == "9"
