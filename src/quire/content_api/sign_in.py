"""Sign-in with identifier and password, and registration."""

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any

import structlog
from msgspec import UNSET, Struct

from quire.access.ability import FullAccess
from quire.access.declared_routes import ProjectFields
from quire.auth.account_mails import Recovery
from quire.auth.end_user_settings import advanced_options
from quire.auth.end_users import NO_REGISTRATION, EndUsers
from quire.auth.oauth.providers import GRANT_KEY, takes_passwords
from quire.auth.passwords import verify_password
from quire.auth.token_issuer import WRONG_CREDENTIALS
from quire.content_api.account_context import AccountApi, AccountResponses
from quire.content_api.account_rate_limits import CallLimits
from quire.content_api.account_types import (
    ACCOUNTS,
    TOO_MANY_REQUESTS,
    USERNAME,
    AccountBody,
    DeviceId,
    EndUserDocument,
    FilledText,
    RequiredEmail,
    RequiredPassword,
    SignedInUser,
    settable_attributes,
)
from quire.content_api.body_decoding import read_body, sent_values
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route
from quire.content_api.validators import required
from quire.database.stores.auth_rows import Accounts, UserRow
from quire.errors import ApplicationError, MailError, ValidationError
from quire.schema.model import USER_UID

_log = structlog.get_logger("quire.content_api")

NOT_SENT = "Error sending confirmation email"
PROVIDER_DISABLED = "This provider is disabled"
EMAIL_UNCONFIRMED = "Your account email is not confirmed"
USER_BLOCKED = "Your account has been blocked by an administrator"


class Credentials(AccountBody):
    """A name or an e-mail, and its password."""

    identifier: FilledText
    password: FilledText
    device_id: DeviceId = UNSET


class Registration(AccountBody, forbid_unknown_fields=True):
    """The account of somebody who registers."""

    email: RequiredEmail
    username: Annotated[str, required, USERNAME]
    password: RequiredPassword


class UnconfirmedUser(Struct):
    """The end user whose e-mail has to be confirmed before they sign in."""

    user: EndUserDocument


class SignInApi(AccountApi):
    """``/auth/local`` and ``/auth/local/register``.

    ``more`` are additional attributes that those who register may set.
    """

    def __init__(
        self,
        responses: AccountResponses,
        users: EndUsers,
        accounts: Accounts,
        recovery: Recovery,
        limits: CallLimits,
        *,
        more: Collection[str],
    ) -> None:
        super().__init__(responses, users, accounts, recovery, limits)
        self._additional_names = frozenset(more)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        path, response = "auth/local", SignedInUser | UnconfirmedUser
        sign_in = self._limits.limited(self.sign_in, path)
        yield ACCOUNTS(
            "POST",
            path,
            "callback",
            sign_in,
            body=Credentials,
            response=SignedInUser,
            errors=TOO_MANY_REQUESTS,
        )
        path = f"{path}/register"
        body = Annotated[Registration, ProjectFields(self._additional_fields)]
        register = self._limits.limited(self.register, path, by_email=True)
        yield ACCOUNTS(
            "POST",
            path,
            "register",
            register,
            body=body,
            response=response,
            errors=TOO_MANY_REQUESTS,
        )

    def _additional_fields(self, models: Any) -> Mapping[str, Any]:  # noqa: ANN401 - see `ProjectFields`
        attributes = models.writable(models.schema.content_types[USER_UID])
        return {name: attributes[name] for name in self._additional_names if name in attributes}

    async def sign_in(self, request: Request) -> Response:
        """Sign in with a name, or an e-mail, and its password."""
        if not takes_passwords(
            await self._responses.read(lambda: self._accounts.stored(GRANT_KEY))
        ):
            raise ApplicationError(PROVIDER_DISABLED)
        body = read_body(request.body, Credentials)
        identifier = body.identifier
        user = await self._responses.read(lambda: self._accounts.local_user(identifier))
        account = identifier.lower() if user is None else user.document_id
        self._limits.check_wrong_passwords(account)
        hashed = None if user is None else user.password
        if not await verify_password(body.password, hashed) or user is None:
            self._limits.count_wrong_password(account)
            raise ValidationError(WRONG_CREDENTIALS)
        await self._require_welcome(user)
        return await self._responses.signed_in(request, user.id, hashed)

    async def _require_welcome(self, user: UserRow) -> None:
        """Check that an authenticated user may sign in."""
        options = await self._responses.read(lambda: advanced_options(self._accounts))
        if not user.confirmed and options.email_confirmation:
            raise ApplicationError(EMAIL_UNCONFIRMED)
        if user.blocked:
            raise ApplicationError(USER_BLOCKED)

    async def register(self, request: Request) -> Response:
        """Make an account, with a token unless the e-mail has to be confirmed first."""
        options = await self._responses.read(lambda: advanced_options(self._accounts))
        if not options.allow_register:
            raise ApplicationError(NO_REGISTRATION)
        body = request.body_fields
        registration_fields = {
            name: body[name] for name in Registration.__struct_fields__ if name in body
        }
        unknown_names = [
            name
            for name in body
            if name not in registration_fields and name not in self._additional_names
        ]
        if unknown_names:
            raise ValidationError(f"Invalid parameters: {', '.join(unknown_names)}")
        data = {
            **self._additional_values(body),
            **sent_values(read_body(registration_fields, Registration)),
        }
        show = self._responses.shower(request, b"populate=role")
        user_id, item = await self._users.register(data, show)
        if options.email_confirmation:
            await self._ask_to_confirm(user_id)
            return respond_bare(UnconfirmedUser(item))
        return await self._responses.registered(request, user_id, item)

    def _additional_values(self, body: Mapping[str, object]) -> dict[str, object]:
        """Return the additional attributes in a body.

        A relation among them may have any target, although the caller can find nothing yet.
        """
        additional_values = {
            name: value for name, value in body.items() if name in self._additional_names
        }
        return settable_attributes(self._responses.schema, additional_values, FullAccess())

    async def _ask_to_confirm(self, user_id: int) -> None:
        user = await self._responses.read(lambda: self._accounts.user(user_id))
        try:
            if user is not None:
                await self._recovery.confirm(user)
        except MailError as error:
            _log.error("no mail to confirm an e-mail was sent", reason=str(error))
            raise ApplicationError(NOT_SENT) from error
