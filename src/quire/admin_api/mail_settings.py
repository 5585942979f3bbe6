"""How mails are sent, and a mail to test it. Responses have no envelope."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.login_throttle import LoginThrottle
from quire.admin_api.response_types import PROJECT, FreeObject
from quire.admin_api.sign_in import client_address_of
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.mail_routes import NOT_SENT
from quire.content_api.routes import Route, RouteGroup
from quire.errors import ApplicationError, MailError
from quire.mail.message import Mail
from quire.mail.senders import Sender

NO_RECIPIENT = "No recipient(s) are given"
PROVIDER = "smtp"
_READ = "plugin::email.settings.read"
_SUBJECT = "Test mail to: {}"
_TEXT = "This mail shows that the server can send mails.\n"


class MailSenderSettings(Struct, rename="camel"):
    """The default sender."""

    default_from: str


class MailProvider(Struct):
    """How mails are sent."""

    provider: str
    settings: MailSenderSettings


class MailConfiguration(Struct, rename="camel"):
    """How mails are sent, and whether the connection can be checked without a mail."""

    config: MailProvider
    supports_verify: bool


class TestMailRecipient(RequestBody, forbid_unknown_fields=False):
    """The recipient of a test mail."""

    __test__: ClassVar[bool] = False
    to: str | UnsetType = UNSET


class MailSettingsApi:
    """``/email/settings`` and ``/email/test``."""

    def __init__(self, sender: Sender, default_sender: str, attempts: LoginThrottle) -> None:
        self._sender = sender
        self._default_sender = default_sender
        self._attempts = attempts

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(PROJECT, "email/")
        yield route("GET", "settings", _READ, self.settings, response=MailConfiguration)
        body = TestMailRecipient
        yield route("POST", "test", _READ, self.send_test, body=body, response=FreeObject)

    async def settings(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Tell how mails are sent."""
        settings = MailSenderSettings(default_from=self._default_sender)
        provider = MailProvider(provider=PROVIDER, settings=settings)
        return respond_bare(MailConfiguration(config=provider, supports_verify=False))

    async def send_test(self, request: Request) -> Response:
        """Send a test mail.

        Raises ApplicationError without a recipient and with the error of the SMTP server, and
        RateLimitError after too many mails.
        """
        recipient = read_body(request.body_fields, TestMailRecipient).to
        if not isinstance(recipient, str) or not recipient:
            raise ApplicationError(NO_RECIPIENT)
        address = client_address_of(request)
        self._attempts.count("mail-test", address, request.administrator.email)
        mail = Mail(to=(recipient,), subject=_SUBJECT.format(recipient), text=_TEXT)
        try:
            await self._sender.send(mail)
        except MailError as error:
            raise ApplicationError(NOT_SENT.format(error)) from error
        return respond_bare({})
