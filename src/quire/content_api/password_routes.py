"""Changing a password, requesting a reset, and setting a new one."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from quire.access.principal import EndUser
from quire.auth.end_users import WRONG_PASSWORD
from quire.auth.passwords import verify_password
from quire.content_api.account_context import AccountApi
from quire.content_api.account_types import (
    ACCOUNTS,
    TOO_MANY_REQUESTS,
    AccountBody,
    FilledText,
    RequiredEmail,
    RequiredPassword,
    SignedInUser,
)
from quire.content_api.body_decoding import read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_types import OK_RESPONSE, OkResponse
from quire.content_api.routes import Route
from quire.content_api.validators import REQUIRED, FullMessage, ValuePath, problem_at, required
from quire.document_service.validate.problems import Problem
from quire.errors import ApplicationError, ValidationError
from quire.schema.attributes.validation import ABSENT, not_of_type

T = TypeVar("T", bound="NewPassword")

NOBODY = "You must be authenticated to reset your password"
SAME_PASSWORD = "Your new password must be different than your current password"  # noqa: S105
DIFFERENT = FullMessage("Passwords do not match")


class NewPassword(AccountBody, forbid_unknown_fields=True):
    """A password, twice."""

    password_confirmation: FilledText
    password: RequiredPassword


class PasswordChange(NewPassword):
    """The present password, and the next one twice."""

    current_password: FilledText


class PasswordReset(NewPassword):
    """A code from a mail, and the next password twice."""

    code: FilledText


class ForgottenPassword(AccountBody, forbid_unknown_fields=True):
    """The user who has forgotten the password."""

    email: RequiredEmail


class PasswordApi(AccountApi):
    """``/auth/change-password``, ``/auth/forgot-password`` and ``/auth/reset-password``."""

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for name, action, handler, body, response in (
            (
                "change-password",
                "changePassword",
                self.change_password,
                PasswordChange,
                SignedInUser,
            ),
            (
                "forgot-password",
                "forgotPassword",
                self.forgot_password,
                ForgottenPassword,
                OkResponse,
            ),
            ("reset-password", "resetPassword", self.reset_password, PasswordReset, SignedInUser),
        ):
            by_email = body is ForgottenPassword
            path = f"auth/{name}"
            limited_handler = self._limits.limited(handler, path, by_email=by_email)
            yield ACCOUNTS(
                "POST",
                path,
                action,
                limited_handler,
                body=body,
                response=response,
                errors=TOO_MANY_REQUESTS,
            )

    async def change_password(self, request: Request) -> Response:
        """Give oneself another password, for the present one."""
        principal = request.principal
        if not isinstance(principal, EndUser):
            raise ApplicationError(NOBODY)
        new_password = _read_new_password(request.body, PasswordChange)
        user = await self._responses.read(lambda: self._accounts.user(principal.id))
        current_hash = None if user is None else user.password
        is_right = await verify_password(new_password.current_password, current_hash)
        if current_hash is None or not is_right:
            raise ValidationError(WRONG_PASSWORD)
        if new_password.current_password == new_password.password:
            raise ValidationError(SAME_PASSWORD)
        show = self._responses.shower(request)
        item = await self._responses.read(lambda: show(principal.id))
        await self._users.change_password(principal.id, current_hash, new_password.password)
        return await self._responses.password_changed(request, principal.id, item)

    async def forgot_password(self, request: Request) -> Response:
        """Send a code to reset the password; the response is the same for unknown users."""
        body = read_body(request.body, ForgottenPassword)
        self._recovery.forgot_password(body.email)
        return respond_bare(OK_RESPONSE)

    async def reset_password(self, request: Request) -> Response:
        """Set another password with a code from a mail."""
        new_password = _read_new_password(request.body, PasswordReset)
        show = self._responses.shower(request)
        user_id, item = await self._users.reset_password(
            new_password.code, new_password.password, show
        )
        return await self._responses.password_changed(request, user_id, item)


class _Confirmation(Struct, frozen=True):
    """A password that is repeated."""

    password: object

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is not ABSENT and not isinstance(value, str):
            yield problem_at(path, not_of_type("string", value), value)
        if value is not ABSENT and value != self.password:
            yield problem_at(path, DIFFERENT, value)
        elif required(value):
            yield problem_at(path, REQUIRED, value)


def _read_new_password(body: object, kind: type[T]) -> T:
    """Return a body with a password that is repeated. Raises ValidationError."""
    password = body.get("password", ABSENT) if isinstance(body, Mapping) else ABSENT
    return read_body(body, kind, passwordConfirmation=_Confirmation(password))
