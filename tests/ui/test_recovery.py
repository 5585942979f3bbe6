"""Problems of signing in: a forgotten password, and too many attempts."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from subprocess import DEVNULL, run

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope
from aiosmtpd.smtp import Session as SmtpSession
from playwright.sync_api import Page, expect

from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage
from tests.ui.site import EMAIL, PASSWORD, QUIRE, Site, serve


class Inbox:
    """Takes mails over SMTP."""

    def __init__(self) -> None:
        self.mails = Queue[str]()

    async def handle_DATA(  # noqa: N802 - the name that the library calls
        self,
        server: SMTP,
        session: SmtpSession,
        envelope: Envelope,
    ) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        # Long lines are folded with "=" at their ends.
        self.mails.put(content.decode().replace("=\r\n", "").replace("=3D", "="))
        return "250 OK"


@contextmanager
def mail_server(inbox: Inbox) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    yield port
    controller.stop()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def limited(tmp_path: Path, inbox: Inbox) -> Iterator[Site]:
    """A project that sends mails, and bounds how often somebody may try to sign in."""
    project = tmp_path / "new"
    run([QUIRE, "new", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with mail_server(inbox) as port:
        with (project / "quire.toml").open("a") as settings:
            settings.write(f'\n[mail]\nhost = "127.0.0.1"\nport = {port}\nsecurity = "none"\n')
        with serve(project) as site:
            site.register()
            yield site


def _sign_in(page: Page, password: str) -> None:
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_a_forgotten_password_is_reset_by_the_link_of_the_mail(
    limited: Site, inbox: Inbox, open_page: OpenPage
) -> None:
    page = open_page(limited.address)
    page.goto("/admin/login")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail").fill(EMAIL)
    assert_accessible_in_both_schemes(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(EMAIL)).to_be_visible()
    mail = inbox.mails.get(timeout=60)
    link = re.search(r"/admin/auth/reset-password\?code=\w+", mail)
    assert link is not None, mail

    page.goto("/admin/auth/reset-password?code=0123")
    page.get_by_label("New password").fill("High-water-at-9")
    page.get_by_label("Repeat password").fill("High-water-at-8")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_text("The passwords differ.")).to_be_visible()
    page.goto(link[0])
    page.get_by_label("New password").fill("High-water-at-9")
    page.get_by_label("Repeat password").fill("High-water-at-9")
    assert_accessible_in_both_schemes(page)
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible()

    page.context.clear_cookies()
    page.goto("/admin/login")
    page.evaluate("localStorage.clear()")
    page.reload()
    _sign_in(page, PASSWORD)
    expect(page.get_by_text("E-mail or password is wrong.")).to_be_visible()
    _sign_in(page, "High-water-at-9")
    expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible()


def test_too_many_attempts_count_down(limited: Site, open_page: OpenPage) -> None:
    page = open_page(limited.address)
    page.goto("/admin/login")
    for _ in range(6):
        with page.expect_response("**/admin/login"):
            _sign_in(page, "Wrong-password-1")
    message = page.get_by_role("alert")
    expect(message).to_contain_text(re.compile(r"Try again in \d+ min \d+ s"))
    first = message.inner_text()
    expect(message).not_to_have_text(first)
    expect(message).to_contain_text("Try again in")
    assert_accessible_in_both_schemes(page)
