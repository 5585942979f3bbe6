"""Confirmation of the e-mail of a new end user."""

from collections.abc import Iterator

from quire.auth.user_settings import advanced_options
from quire.content_api.account_handlers import AccountApi
from quire.content_api.envelope import respond_bare, respond_redirect
from quire.content_api.forms import TextField, email_rule, read_form
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.errors import ApplicationError

CONFIRMED = "Already confirmed"
BLOCKED = "User blocked"
_CONFIRMATION = (TextField(name="confirmation"),)
_ADDRESS = (TextField(name="email", rules=(email_rule,)),)
_FRONT = "/"


class ConfirmationApi(AccountApi):
    """``/auth/email-confirmation`` and ``/auth/send-email-confirmation``."""

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = self._responses.route
        yield route("GET", "auth/email-confirmation", "emailConfirmation", self.confirm)
        path = "auth/send-email-confirmation"
        send = self._limits.limited(self.send, path, by_email=True)
        yield route("POST", path, "sendEmailConfirmation", send)

    async def send(self, request: Request) -> Response:
        """Send the mail again to an unconfirmed user."""
        email = read_form(request.body, _ADDRESS)["email"]
        user = await self._responses.read(lambda: self._accounts.user_by_email(email.lower()))
        if user is None:
            return respond_bare({"email": email, "sent": True})
        if user.confirmed:
            raise ApplicationError(CONFIRMED)
        if user.blocked:
            raise ApplicationError(BLOCKED)
        self._recovery.confirm_later(user)
        return respond_bare({"email": user.email, "sent": True})

    async def confirm(self, request: Request) -> Response:
        """Confirm an e-mail by its token, and redirect to the configured page."""
        given = read_form(request.query, _CONFIRMATION)
        await self._users.confirm(given["confirmation"])
        options = await self._responses.read(lambda: advanced_options(self._accounts))
        return respond_redirect(options.confirmed_page or _FRONT)
