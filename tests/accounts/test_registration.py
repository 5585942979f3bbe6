"""Registration, and confirmation of e-mail addresses."""

import asyncio
import json
from pathlib import Path

import pytest

from quire.auth.oauth.providers import GRANT_KEY
from tests.accounts.site import (
    ADVANCED,
    MAILS,
    PASSWORD,
    Inbox,
    Site,
    code_in,
    message,
    open_site,
    plain,
)

ADA = {"username": "ada", "email": "Ada@Example.org", "password": PASSWORD}


async def test_whoever_registers_is_signed_in_with_the_default_role(site: Site) -> None:
    response = await site.post("auth/local/register", ADA)
    assert response.status == 200
    found = json.loads(response.content)
    assert found["user"]["email"] == "ada@example.org"
    assert found["user"]["confirmed"] is True
    me = await site.ask("GET", "users/me", token=found["jwt"])
    assert json.loads(me.content)["username"] == "ada"
    sql = "SELECT r.type FROM up_roles r JOIN up_users_role_lnk l ON l.role_id = r.id JOIN up_users"
    assert site.sql(f"{sql} u ON u.id = l.user_id WHERE u.username = 'ada'") == [("authenticated",)]


@pytest.mark.parametrize(
    "other",
    [
        {"username": "ada", "email": "new@example.org"},
        {"username": "new", "email": "ADA@example.org"},
        {"username": "ada@example.org", "email": "new@example.org"},
    ],
)
async def test_nobody_can_be_taken_for_somebody_else(site: Site, other: dict[str, str]) -> None:
    await site.post("auth/local/register", ADA)
    response = await site.post("auth/local/register", {**ADA, **other})
    assert (response.status, message(response)) == (400, "Email or Username are already taken")


async def test_registering_can_be_switched_off_and_on_while_the_server_runs(site: Site) -> None:
    site.set(ADVANCED, allow_register=False)
    response = await site.post("auth/local/register", ADA)
    assert (response.status, message(response)) == (400, "Register action is currently disabled")
    site.set(ADVANCED, allow_register=True)
    assert (await site.post("auth/local/register", ADA)).status == 200


async def test_signing_in_with_a_password_can_be_switched_off(site: Site) -> None:
    await site.post("auth/local/register", ADA)
    credentials = {"identifier": "ada", "password": PASSWORD}
    site.set(GRANT_KEY, email={"enabled": False})
    response = await site.post("auth/local", credentials)
    assert (response.status, message(response)) == (400, "This provider is disabled")
    site.set(GRANT_KEY, email={"enabled": True})
    assert (await site.post("auth/local", credentials)).status == 200


async def test_without_the_default_role_nobody_registers(site: Site) -> None:
    site.set(ADVANCED, default_role="gone")
    response = await site.post("auth/local/register", ADA)
    assert (response.status, message(response)) == (400, "Impossible to find the default role")
    assert not site.sql("SELECT id FROM up_users WHERE username = 'ada'")


async def test_an_e_mail_is_confirmed_by_the_link_in_a_mail_once(site: Site) -> None:
    site.set(ADVANCED, email_confirmation=True, email_confirmation_redirection="/welcome?a=b c")
    response = await site.post("auth/local/register", ADA)
    assert response.status == 200
    assert list(json.loads(response.content)) == ["user"]
    credentials = {"identifier": "ada", "password": PASSWORD}
    refused = await site.post("auth/local", credentials)
    assert (refused.status, message(refused)) == (400, "Your account email is not confirmed")

    (mail,) = await site.mails()
    assert site.inbox.recipients == [["ada@example.org"]]
    link = f"https://news.example.org/api/auth/email-confirmation?confirmation={code_in(mail)}"
    assert link in plain(mail)
    target = f"auth/email-confirmation?confirmation={code_in(mail)}"
    confirmed = await site.ask("GET", target)
    assert (confirmed.status, confirmed.headers["location"]) == (302, "/welcome?a=b%20c")
    assert (await site.post("auth/local", credentials)).status == 200
    again = await site.ask("GET", target)
    assert (again.status, message(again)) == (400, "Invalid token")


async def test_an_undeliverable_mail_is_reported_on_registration(site: Site) -> None:
    site.set(ADVANCED, email_confirmation=True)
    site.inbox.refusing = True
    response = await site.post("auth/local/register", ADA)
    assert (response.status, message(response)) == (400, "Error sending confirmation email")
    site.inbox.refusing = False
    again = await site.post("auth/send-email-confirmation", {"email": "ADA@example.org"})
    assert json.loads(again.content) == {"email": "ada@example.org", "sent": True}
    (mail,) = await site.mails()
    confirmed = await site.ask("GET", f"auth/email-confirmation?confirmation={code_in(mail)}")
    assert confirmed.headers["location"] == "/"


async def test_without_an_smtp_server_nothing_is_sent(project: Path, inbox: Inbox) -> None:
    async with open_site(project, inbox, mail__host="none") as site:
        site.set(ADVANCED, email_confirmation=True)
        response = await site.post("auth/local/register", ADA)
        assert (response.status, message(response)) == (400, "Error sending confirmation email")
        mail = await site.post("email", {"to": "a@example.org", "text": "x"}, token="full")
        assert mail.status == 400
        assert "mail.host" in message(mail)


async def test_h102_a_template_that_would_evaluate_something_is_not_sent(site: Site) -> None:
    site.set(ADVANCED, email_confirmation=True)
    (text,) = site.sql("SELECT value FROM strapi_core_store_settings WHERE key = ?", MAILS)[0]
    template = json.loads(text)["email_confirmation"]
    for bad in ("<% 7*7 %>", "${7*7}", "<%= USER.password %>", "<%= process.env %>", "<%= URL"):
        changed = {**template, "options": {**template["options"], "message": bad}}
        site.set(MAILS, email_confirmation=changed)
        other = {**ADA, "username": f"ada{len(bad)}", "email": f"a{len(bad)}@example.org"}
        response = await site.post("auth/local/register", other)
        assert message(response) == "Error sending confirmation email"
    assert site.inbox.mails == []


async def test_what_users_call_themselves_is_no_html_and_no_header_in_a_mail(site: Site) -> None:
    site.set(ADVANCED, email_confirmation=True)
    (text,) = site.sql("SELECT value FROM strapi_core_store_settings WHERE key = ?", MAILS)[0]
    template = json.loads(text)["email_confirmation"]
    options = {**template["options"], "object": "Hello <%= USER.username %>"}
    options["message"] = "<p>Hello <%= USER.username %> <%= CODE %></p>"
    site.set(MAILS, email_confirmation={**template, "options": options})
    name = "<b>x</b>\r\nBcc: everybody@example.org\r\n\r\n<%= CODE %>"
    await site.post("auth/local/register", ADA)
    # Rows of other programs may have such names; they are rejected where users are written.
    site.execute("UPDATE up_users SET username = ? WHERE username = 'ada'", name)
    await site.post("auth/send-email-confirmation", {"email": "ada@example.org"})
    _, mail = await site.mails(2)
    assert mail["Bcc"] is None
    assert str(mail["Subject"]).startswith("Hello <b>x</b> Bcc: everybody@example.org")
    html = mail.get_body(("html",))
    assert html is not None
    assert "&lt;b&gt;x&lt;/b&gt;" in html.get_content()
    assert "&lt;%= CODE %&gt;" in html.get_content()
    assert site.inbox.recipients == [["ada@example.org"]] * 2


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("name", ["username", "email"])
async def test_a_name_or_e_mail_with_a_line_break_is_refused(
    site: Site, name: str, line_break: str
) -> None:
    user = await site.make_user("bea")
    role = site.role("authenticated")
    wrong = {name: {"username": f"a{line_break}da", "email": f"ada@example.org{line_break}"}[name]}
    registered = await site.post("auth/local/register", {**ADA, **wrong})
    created = await site.ask("POST", "users", {**ADA, "role": role, **wrong}, token="full")
    updated = await site.ask("PUT", f"users/{user['id']}", wrong, token="full")
    assert [a.status for a in (registered, created, updated)] == [400, 400, 400]
    assert site.sql("SELECT username FROM up_users WHERE email LIKE 'ada%'") == []
    assert site.sql("SELECT username, email FROM up_users WHERE id = ?", user["id"]) == [
        (user["username"], user["email"])
    ]


async def test_of_many_who_want_the_same_name_or_e_mail_at_once_one_gets_it(site: Site) -> None:
    bodies = [{**ADA, "username": f"ada{number % 2}"} for number in range(8)]
    responses = await asyncio.gather(*(site.post("auth/local/register", body) for body in bodies))
    assert sorted(response.status for response in responses) == [200, *[400] * 7]
    taken = {message(response) for response in responses if response.status == 400}
    assert taken == {"Email or Username are already taken"}
    assert site.sql("SELECT count(*) FROM up_users WHERE email = 'ada@example.org'") == [(1,)]


async def test_a_code_that_is_used_twice_at_once_is_used_once(site: Site) -> None:
    await site.make_user("ada")
    await site.post("auth/forgot-password", {"email": "ada@example.org"})
    (mail,) = await site.mails()
    bodies = [
        {"code": code_in(mail), "password": f"another-{n}", "passwordConfirmation": f"another-{n}"}
        for n in range(5)
    ]
    responses = await asyncio.gather(*(site.post("auth/reset-password", body) for body in bodies))
    assert sorted(response.status for response in responses) == [200, *[400] * 4]
