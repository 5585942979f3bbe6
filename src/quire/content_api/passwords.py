"""Changing a password, requesting a reset, and setting a new one."""

from collections.abc import Iterator

from quire.access.principal import EndUser
from quire.auth.passwords import verify_password
from quire.content_api.account_handlers import AccountApi
from quire.content_api.envelope import respond_bare
from quire.content_api.forms import TextField, email_rule, password_rule, read_form
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.errors import ApplicationError, ValidationError

NOBODY = "You must be authenticated to reset your password"
WRONG_PASSWORD = "The provided current password is invalid"  # noqa: S105 - a message
SAME_PASSWORD = "Your new password must be different than your current password"  # noqa: S105
_NEW = (
    TextField(name="passwordConfirmation", same_as="password"),
    TextField(name="password", rules=(password_rule,)),
)
_CHANGE = (*_NEW, TextField(name="currentPassword"))
_RESET = (*_NEW, TextField(name="code"))
_FORGOTTEN = (TextField(name="email", rules=(email_rule,)),)


class PasswordApi(AccountApi):
    """``/auth/change-password``, ``/auth/forgot-password`` and ``/auth/reset-password``."""

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for path, action, handler, by_email in (
            ("auth/change-password", "changePassword", self.change, False),
            ("auth/forgot-password", "forgotPassword", self.forgot, True),
            ("auth/reset-password", "resetPassword", self.reset, False),
        ):
            limited = self._limits.limited(handler, path, by_email=by_email)
            yield self._responses.route("POST", path, action, limited)

    async def change(self, request: Request) -> Response:
        """Change the password of the caller, with the present one."""
        principal = request.principal
        if not isinstance(principal, EndUser):
            raise ApplicationError(NOBODY)
        given = read_form(request.body, _CHANGE, closed=True)
        user = await self._responses.read(lambda: self._accounts.user(principal.id))
        hashed = None if user is None else user.password
        if not await verify_password(given["currentPassword"], hashed):
            raise ValidationError(WRONG_PASSWORD)
        if given["currentPassword"] == given["password"]:
            raise ValidationError(SAME_PASSWORD)
        show = self._responses.shower(request)
        item = await self._responses.read(lambda: show(principal.id))
        await self._users.set_password(principal.id, given["password"])
        return await self._responses.tokens(request, principal.id, item)

    async def forgot(self, request: Request) -> Response:
        """Send a reset code to the owner of an address, without revealing whether there is one."""
        given = read_form(request.body, _FORGOTTEN, closed=True)
        self._recovery.forgot_password(given["email"])
        return respond_bare({"ok": True})

    async def reset(self, request: Request) -> Response:
        """Set the password of the user with a reset code."""
        given = read_form(request.body, _RESET, closed=True)
        show = self._responses.shower(request)
        user_id, item = await self._users.reset_password(given["code"], given["password"], show)
        return await self._responses.tokens(request, user_id, item)
