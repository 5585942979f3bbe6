"""Senders of mails: SMTP, terminal, or none."""

import sys
from collections.abc import Callable, Iterator
from typing import Protocol

import aiosmtplib

from quire.errors import MailError
from quire.mail.message import Mail, compose
from quire.settings import MailSettings, Settings

NOT_CONFIGURED = "no mail can be sent: mail.host (SMTP_HOST) names no SMTP server"
NO_ADDRESS = "links in mails lead to http://localhost:{}: set server.url (PUBLIC_URL)"
NO_SENDER = "mails come from {}, which many servers refuse: set mail.sender"


class Sender(Protocol):
    """Sends mails."""

    async def send(self, mail: Mail) -> None:
        """Send a mail. Raises MailError when no server accepts it."""


class SmtpSender:
    """Sends mails by SMTP, each on its own connection."""

    def __init__(self, settings: MailSettings, host: str) -> None:
        self._settings = settings
        self._host = host

    async def send(self, mail: Mail) -> None:
        """Send a mail. Raises MailError."""
        settings = self._settings
        message = compose(mail, settings.sender)
        try:
            await aiosmtplib.send(
                message,
                hostname=self._host,
                port=settings.port,
                username=settings.username,
                password=settings.password,
                use_tls=settings.security == "tls",
                start_tls=settings.security == "starttls",
                timeout=settings.timeout.total_seconds(),
            )
        except (aiosmtplib.SMTPException, OSError) as error:
            # A server's reply may quote the mail, so only the kind of error is reported.
            raise MailError(f"the SMTP server took no mail: {type(error).__name__}") from None


class TerminalSender:
    """Prints mails in development; none is sent."""

    def __init__(self, sender: str, write: Callable[[str], object] = sys.stderr.write) -> None:
        self._sender = sender
        self._write = write

    async def send(self, mail: Mail) -> None:
        """Print a mail. Raises MailError for a mail that could not be sent."""
        message = compose(mail, self._sender)
        content = message.get_body(("plain",))
        text = "" if content is None else content.get_content()
        header_lines = "".join(f"{name}: {message[name]}\n" for name in ("From", "To", "Subject"))
        self._write(
            f"--- mail, printed because mail.host is not set ---\n{header_lines}\n{text}---\n"
        )


class NoSender:
    """Rejects every mail."""

    async def send(self, mail: Mail) -> None:  # noqa: ARG002 - refused whatever it says
        """Raise MailError."""
        raise MailError(NOT_CONFIGURED)


def choose_sender(settings: MailSettings, *, development: bool) -> Sender:
    """Return the sender of a project."""
    if settings.host is not None:
        return SmtpSender(settings, settings.host)
    if development:
        return TerminalSender(settings.sender)
    return NoSender()


def missing_mail_settings(settings: Settings) -> Iterator[str]:
    """Yield a sentence for each missing setting without which mails are not sent, or useless."""
    if settings.mail.host is None:
        if not settings.is_development:
            yield NOT_CONFIGURED
        return
    if settings.server.url is None:
        yield NO_ADDRESS.format(settings.server.port)
    if settings.mail.sender == MailSettings().sender:
        yield NO_SENDER.format(settings.mail.sender)
