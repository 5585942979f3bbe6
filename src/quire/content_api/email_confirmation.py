"""Confirmation of the e-mail of a new end user."""

from collections.abc import Iterator

from msgspec import Struct

from quire.auth.end_user_settings import advanced_options
from quire.content_api.account_context import AccountApi
from quire.content_api.account_types import (
    ACCOUNTS,
    TOO_MANY_REQUESTS,
    AccountBody,
    FilledText,
    RequiredEmail,
)
from quire.content_api.body_decoding import read_body
from quire.content_api.envelope import respond_bare, respond_redirect
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_types import Redirect
from quire.content_api.routes import Route
from quire.errors import ApplicationError

ALREADY_CONFIRMED = "Already confirmed"
USER_BLOCKED = "User blocked"
_FRONT = "/"


class ConfirmationQuery(AccountBody):
    """The token that was sent."""

    confirmation: FilledText


class UnconfirmedEmail(AccountBody):
    """The e-mail that is to be confirmed."""

    email: RequiredEmail


class SentConfirmation(Struct):
    """Whom the mail was sent to."""

    email: str | None
    sent: bool


class ConfirmationApi(AccountApi):
    """``/auth/email-confirmation`` and ``/auth/send-email-confirmation``."""

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        path, action, query = "auth/email-confirmation", "emailConfirmation", ConfirmationQuery
        confirm = self.confirm_email
        yield ACCOUNTS("GET", path, action, confirm, query=query, response=Redirect, status=302)
        path, action = "auth/send-email-confirmation", "sendEmailConfirmation"
        send = self._limits.limited(self.send_email_confirmation, path, by_email=True)
        yield ACCOUNTS(
            "POST",
            path,
            action,
            send,
            body=UnconfirmedEmail,
            response=SentConfirmation,
            errors=TOO_MANY_REQUESTS,
        )

    async def send_email_confirmation(self, request: Request) -> Response:
        """Send the mail to confirm an e-mail once more."""
        email = read_body(request.body, UnconfirmedEmail).email
        user = await self._responses.read(lambda: self._accounts.user_by_email(email.lower()))
        if user is None:
            return respond_bare(SentConfirmation(email, sent=True))
        if user.confirmed:
            raise ApplicationError(ALREADY_CONFIRMED)
        if user.blocked:
            raise ApplicationError(USER_BLOCKED)
        self._recovery.confirm_later(user)
        return respond_bare(SentConfirmation(user.email, sent=True))

    async def confirm_email(self, request: Request) -> Response:
        """Confirm an e-mail by the token that was sent to it, and redirect to the page for this."""
        body = read_body(request.query, ConfirmationQuery)
        await self._users.confirm(body.confirmation)
        options = await self._responses.read(lambda: advanced_options(self._accounts))
        return respond_redirect(options.confirmed_page or _FRONT)
