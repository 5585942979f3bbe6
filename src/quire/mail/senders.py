"""Who takes mails: an SMTP server, the terminal of a developer, or nobody."""

import sys
from collections.abc import Callable
from typing import Protocol

import aiosmtplib
import structlog

from quire.errors import MailError
from quire.mail.message import Mail, compose
from quire.settings import MailSettings

_log = structlog.get_logger("quire.mail")

NOT_CONFIGURED = "no mail can be sent: mail.host (SMTP_HOST) names no SMTP server"


class Sender(Protocol):
    """Hands mails over."""

    async def send(self, mail: Mail) -> None:
        """Hand a mail over. Raises MailError when nobody takes it."""


class SmtpSender:
    """Hands mails over to an SMTP server, each on a connection of its own."""

    def __init__(self, settings: MailSettings, host: str) -> None:
        self._settings = settings
        self._host = host

    async def send(self, mail: Mail) -> None:
        """Hand a mail over. Raises MailError."""
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
            # What a server answers may quote the mail, so only the kind of failure is told.
            raise MailError(f"the SMTP server took no mail: {type(error).__name__}") from None


class TerminalSender:
    """Shows mails to whoever develops the project; none leaves the machine."""

    def __init__(self, sender: str, write: Callable[[str], object] = sys.stderr.write) -> None:
        self._sender = sender
        self._write = write

    async def send(self, mail: Mail) -> None:
        """Print a mail. Raises MailError for what could not be sent either."""
        message = compose(mail, self._sender)
        content = message.get_body(("plain",))
        text = "" if content is None else content.get_content()
        heads = "".join(f"{name}: {message[name]}\n" for name in ("From", "To", "Subject"))
        self._write(f"--- mail, printed because mail.host is not set ---\n{heads}\n{text}---\n")


class NoSender:
    """Refuses every mail."""

    async def send(self, mail: Mail) -> None:  # noqa: ARG002 - refused whatever it says
        """Raise MailError."""
        raise MailError(NOT_CONFIGURED)


def choose_sender(settings: MailSettings, *, development: bool) -> Sender:
    """Return who takes the mails of a project; say so in the log when nobody does."""
    if settings.host is not None:
        return SmtpSender(settings, settings.host)
    if development:
        return TerminalSender(settings.sender)
    _log.warning(NOT_CONFIGURED)
    return NoSender()
