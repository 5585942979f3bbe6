"""Administrators reset a forgotten password by a link that is mailed to them."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.accounts.site import Inbox, receiving
from tests.unit.admin_api.office import BOSS, Office, open_office

FORGOT, RESET = "/admin/forgot-password", "/admin/reset-password"
OTHER = "Another1horse"


@asynccontextmanager
async def office_with_mail(folder: Path, **more: object) -> AsyncIterator[tuple[Office, Inbox]]:
    async with receiving() as inbox:
        settings = {
            "mail.host": "127.0.0.1",
            "mail.port": inbox.port,
            "mail.security": "none",
            "server.url": "https://cms.example.com",
            **more,
        }
        async with open_office(folder, settings=settings) as office:
            yield office, inbox


async def token_sent(office: Office, inbox: Inbox) -> str:
    """Ask for a link, wait for the mail, and return the token in it."""
    await office.ask("POST", FORGOT, {"email": "BOSS@example.com"})
    await office.mails_are_sent()
    body = inbox.mails[-1].get_body(("plain",))
    assert isinstance(body, EmailMessage)
    link = re.search(
        r"https://cms\.example\.com/admin/auth/reset-password\?code=([0-9a-f]+)",
        body.get_content(),
    )
    assert link is not None
    return link[1]


async def test_the_link_is_good_for_once_and_signs_out_everywhere(tmp_path: Path) -> None:
    async with office_with_mail(tmp_path) as (office, inbox):
        token = await token_sent(office, inbox)
        form = {"resetPasswordToken": token, "password": OTHER}
        reset = await office.ask("POST", RESET, form)
        again = await office.ask("POST", RESET, form)
        before = await office.ask("GET", "/admin/users/me", token=office.boss)
        after = await office.ask("GET", "/admin/users/me", token=reset.data["token"])

        assert inbox.recipients == [["boss@example.com"]]
        assert (reset.status, again.status) == (200, 400)
        assert (before.status, after.status) == (401, 200)
        assert (await office.sign_in(BOSS["email"], OTHER)).status == 200


async def test_the_link_ends_after_an_hour(tmp_path: Path) -> None:
    async with office_with_mail(tmp_path) as (office, inbox):
        token = await token_sent(office, inbox)
        office.clock.pass_by(minutes=61)
        reply = await office.ask("POST", RESET, {"resetPasswordToken": token, "password": OTHER})

        assert reply.status == 400
        assert (await office.sign_in(BOSS["email"])).status == 200


async def test_nobody_learns_whether_there_is_an_account(tmp_path: Path) -> None:
    async with office_with_mail(tmp_path) as (office, inbox):
        replies = [
            await office.ask("POST", FORGOT, {"email": email, "url": "https://evil.example"})
            for email in ("boss@example.com", "nobody@example.com", "b\u00f6ss@example.com")
        ]
        await office.mails_are_sent()

        assert {reply.status for reply in replies} == {204}
        assert len(inbox.mails) == 1
        assert "evil" not in inbox.mails[0].as_string()


@pytest.mark.parametrize("token", ["", "nope", None, 0, True, {"$gt": 0}, ["x"]])
async def test_no_other_token_resets_a_password(office: Office, token: object) -> None:
    reply = await office.ask("POST", RESET, {"resetPasswordToken": token, "password": OTHER})

    assert reply.status == 400
    assert (await office.sign_in(BOSS["email"])).status == 200
