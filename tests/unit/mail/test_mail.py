"""Mails: format, templates, and delivery."""

import logging

import pytest

from quire.errors import MailError
from quire.mail.message import Mail, address, compose, plain_text
from quire.mail.senders import NoSender, SmtpSender, TerminalSender, choose_sender
from quire.mail.templates import fill_in, is_valid_template
from quire.settings import MailSettings

MAIL = Mail(to=("ada@example.org",), subject="Hello\r\nBcc: eve@example.org", html="<p>Hi</p>")


def test_a_mail_has_both_forms_and_headers_of_one_line() -> None:
    message = compose(MAIL, '"The Newsroom" <news@example.org>')
    assert message["From"] == "The Newsroom <news@example.org>"
    assert message["Subject"] == "Hello Bcc: eve@example.org"
    assert message["Bcc"] is None
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == ["multipart/alternative", "text/plain", "text/html"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ada",
        "@",
        "ada@example.org\r\nBcc: x@y.org",
        "ada@example.org\0",
        "(" * 990,
        f"{'a' * 1_000}@example.org",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(MailError):
        address(text)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p>\n\n<p>Two &amp; <b>three</b></p>", "One\n\nTwo & three\n"),
        ("a<br>b", "a\nb\n"),
        ("plain", "plain\n"),
        ("<p>&lt;%= CODE %&gt;</p>", "<%= CODE %>\n"),
        ("<!doctype html><!-- a <b> --><DIV title='>'>x</DIV><br/>y", "x\ny\n"),
        ("1 < 2 <3 &gt; &#65; &#x42;", "1 < 2 <3 > A B\n"),
        (f"a&#{'1' * 5_000};b", "a\ufffdb\n"),
        ("<a " * 100_000, f"{('<a ' * 100_000).strip()}\n"),
        (f"<{'a' * 100_000}", f"<{'a' * 100_000}\n"),
        ("<a " + "b" * 100_000 + ">x<a " + '"c" ' * 50_000 + ">y", "xy\n"),
        ("a<!--" * 3, "a\n"),
    ],
)
def test_html_can_be_read_without_it(html: str, text: str) -> None:
    assert plain_text(html) == text


@pytest.mark.parametrize(
    ("template", "sound"),
    [
        ("<%= URL %>?code=<%= TOKEN %>", True),
        ("<%=USER.username%>", True),
        ("100 % sure, $5 {}", True),
        ("<%= USER.password %>", False),
        ("<%= URL + 1 %>", False),
        ("<%= URL %> <% evil() %>", False),
        ("<%- URL %>", False),
        ("${URL}", False),
        ("<%= URL", False),
        ("URL %>", False),
        ("<%= <%= URL %> %>", False),
    ],
)
def test_a_template_holds_text_and_known_places_alone(template: str, *, sound: bool) -> None:
    assert is_valid_template(template) is sound
    if not sound:
        with pytest.raises(MailError):
            fill_in(template, {})


def test_what_is_filled_in_is_escaped_and_not_looked_at_again() -> None:
    values = {"USER.username": "<%= CODE %>", "CODE": "secret"}
    assert fill_in("Hi <%= USER.username %>", values) == "Hi <%= CODE %>"
    assert fill_in("<%= CODE %><%= URL %>", values, str.upper) == "SECRET"


async def test_mails_are_printed_to_who_develops_and_refused_otherwise(
    caplog: pytest.LogCaptureFixture,
) -> None:
    printed: list[str] = []
    await TerminalSender("news@example.org", printed.append).send(MAIL)
    assert "To: ada@example.org" in printed[0]
    assert "\nHi\n" in printed[0]
    caplog.set_level(logging.WARNING)
    settings = MailSettings()
    assert isinstance(choose_sender(settings, development=True), TerminalSender)
    nobody = choose_sender(settings, development=False)
    assert isinstance(nobody, NoSender)
    with pytest.raises(MailError, match=r"mail\.host"):
        await nobody.send(MAIL)
    with_host = MailSettings(host="localhost", port=1, security="none")
    sender = choose_sender(with_host, development=True)
    assert isinstance(sender, SmtpSender)
    with pytest.raises(MailError) as raised:
        await sender.send(MAIL)
    assert "ada" not in str(raised.value)


def test_a_subject_is_not_too_long_for_a_header() -> None:
    with pytest.raises(MailError, match="1000"):
        compose(Mail(to=MAIL.to, subject="ä" * 1_001), "news@example.org")
