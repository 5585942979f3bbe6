"""Changing a password, and resetting it by a mailed code."""

import json
from pathlib import Path

import pytest

from quire.auth.passwords import verify_password
from tests.accounts.site import (
    ADVANCED,
    HOUR,
    MAILS,
    PASSWORD,
    Inbox,
    Site,
    code_in,
    message,
    open_site,
    plain,
)

NEW = "high-Water-at-12"


def new(**more: object) -> dict[str, object]:
    return {"password": NEW, "passwordConfirmation": NEW, **more}


async def ask_for_code(site: Site, email: str = "ada@example.org") -> str:
    response = await site.post("auth/forgot-password", {"email": email})
    assert json.loads(response.content) == {"ok": True}
    await site.idle()
    return code_in(site.inbox.mails[-1])


async def test_a_password_is_changed_by_whoever_knows_it(site: Site) -> None:
    await site.make_user("ada")
    token = await site.sign_in("ada")
    body = new(currentPassword=PASSWORD)
    response = await site.post("auth/change-password", body, token=token)
    assert response.status == 200
    assert json.loads(response.content)["user"]["username"] == "ada"
    await site.sign_in("ada", NEW)
    old = await site.post("auth/local", {"identifier": "ada", "password": PASSWORD})
    assert message(old) == "Invalid identifier or password"


async def test_a_password_is_not_changed_with_one_that_is_not_the_present_one_any_more(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = await site.make_user("ada")
    token = await site.sign_in("ada")

    async def verify_slowly(password: str, hashed: str | None) -> bool:
        monkeypatch.undo()
        assert await verify_password(password, hashed)
        changed = await site.ask("PUT", f"users/{user['id']}", {"password": NEW}, token="full")
        assert changed.status == 200
        return True

    monkeypatch.setattr("quire.content_api.password_routes.verify_password", verify_slowly)
    body = new(currentPassword=PASSWORD, password="Late1horse", passwordConfirmation="Late1horse")
    response = await site.post("auth/change-password", body, token=token)
    assert (response.status, message(response)) == (
        400,
        "The provided current password is invalid",
    )
    await site.sign_in("ada", NEW)


async def test_a_code_from_a_mail_sets_a_new_password_once(site: Site) -> None:
    await site.make_user("ada")
    site.set(ADVANCED, email_reset_password="https://news.example.org/reset")
    code = await ask_for_code(site, "Ada@Example.org")
    assert f"https://news.example.org/reset?code={code}" in plain(site.inbox.mails[0])
    assert site.inbox.recipients == [["ada@example.org"]]
    assert len(code) == 128
    response = await site.post("auth/reset-password", new(code=code))
    assert response.status == 200
    me = await site.ask("GET", "users/me", token=json.loads(response.content)["jwt"])
    assert json.loads(me.content)["username"] == "ada"
    await site.sign_in("ada", NEW)
    again = await site.post("auth/reset-password", new(code=code))
    assert (again.status, message(again)) == (400, "Incorrect code provided")


async def test_without_a_page_the_link_leads_to_the_server(site: Site) -> None:
    await site.make_user("ada")
    code = await ask_for_code(site)
    assert f"https://news.example.org?code={code}" in plain(site.inbox.mails[0])


@pytest.mark.parametrize(
    ("stored", "sender"),
    [
        ("no-reply@example.com", "news@example.org"),
        ("no-reply@strapi.io", "news@example.org"),
        ("", "news@example.org"),
        ("desk@example.org", "Desk <desk@example.org>"),
    ],
)
async def test_the_configured_sender_counts_where_a_text_has_none_of_its_own(
    project: Path, inbox: Inbox, stored: str, sender: str
) -> None:
    async with open_site(project, inbox, mail__sender="news@example.org") as site:
        await site.make_user("ada")
        (text,) = site.sql("SELECT value FROM strapi_core_store_settings WHERE key = ?", MAILS)[0]
        template = json.loads(text)["reset_password"]
        options = {**template["options"], "from": {"name": "Desk", "email": stored}}
        site.set(MAILS, reset_password={**template, "options": options})
        await ask_for_code(site)
        assert site.inbox.mails[0]["From"] == sender


async def test_a_code_runs_out(site: Site) -> None:
    await site.make_user("ada")
    code = await ask_for_code(site)
    site.clock.now += HOUR
    late = await site.post("auth/reset-password", new(code=code))
    assert (late.status, message(late)) == (400, "Incorrect code provided")
    await site.sign_in("ada")


async def test_a_code_holds_until_it_runs_out(project: Path, inbox: Inbox) -> None:
    async with open_site(project, inbox, users__reset_expires_in="2h") as site:
        await site.make_user("ada")
        code = await ask_for_code(site)
        site.clock.now += 2 * HOUR - 1
        assert (await site.post("auth/reset-password", new(code=code))).status == 200


async def test_the_last_code_that_was_sent_counts(site: Site) -> None:
    await site.make_user("ada")
    first, second = await ask_for_code(site), await ask_for_code(site)
    assert message(await site.post("auth/reset-password", new(code=first))) == (
        "Incorrect code provided"
    )
    assert (await site.post("auth/reset-password", new(code=second))).status == 200


@pytest.mark.parametrize("how", ["by its owner", "by an administrator"])
async def test_a_code_is_void_when_the_password_was_changed(site: Site, how: str) -> None:
    user = await site.make_user("ada")
    code = await ask_for_code(site)
    if how == "by its owner":
        token = await site.sign_in("ada")
        body = new(currentPassword=PASSWORD)
        assert (await site.post("auth/change-password", body, token=token)).status == 200
    else:
        changed = await site.ask("PUT", f"users/{user['id']}", {"password": NEW}, token="full")
        assert changed.status == 200
    late = await site.post("auth/reset-password", new(code=code))
    assert (late.status, message(late)) == (400, "Incorrect code provided")


async def test_those_who_are_blocked_or_unknown_get_no_mail_and_the_same_response(
    site: Site,
) -> None:
    await site.make_user("ada", blocked=True)
    for email in ("ada@example.org", "nobody@example.org"):
        response = await site.post("auth/forgot-password", {"email": email})
        assert (response.status, json.loads(response.content)) == (200, {"ok": True})
    assert await site.mails(0) == []


async def test_an_undeliverable_mail_is_not_reported(site: Site) -> None:
    await site.make_user("ada")
    site.inbox.refusing = True
    response = await site.post("auth/forgot-password", {"email": "ada@example.org"})
    assert (response.status, json.loads(response.content)) == (200, {"ok": True})
    await site.idle()


async def test_unknown_fields_are_refused_where_a_password_is_set(site: Site) -> None:
    for target, body in (
        ("auth/forgot-password", {"email": "ada@example.org", "url": "https://evil.example"}),
        ("auth/reset-password", new(code="x", user=1)),
    ):
        response = await site.post(target, body)
        assert response.status == 400
        assert message(response).startswith("this field has unspecified keys: u")
        assert b"value" not in response.content, "the body may hold a password"
