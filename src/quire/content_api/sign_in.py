"""Sign-in with identifier and password, and registration."""

from collections.abc import Collection, Iterator, Mapping

import structlog

from quire.access.ability import FullAccess
from quire.auth.end_users import NO_REGISTRATION, EndUsers
from quire.auth.oauth.providers import GRANT_KEY, takes_passwords
from quire.auth.passwords import verify_password
from quire.auth.recovery import Recovery
from quire.auth.user_settings import advanced_options
from quire.content_api.account_handlers import AccountApi, AccountResponses
from quire.content_api.call_limits import CallLimits
from quire.content_api.envelope import respond_bare
from quire.content_api.forms import TextField, email_rule, password_rule, read_form
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.content_api.user_body import settable_attributes
from quire.database.stores.accounts import Accounts, UserRow
from quire.errors import ApplicationError, MailError, ValidationError

_log = structlog.get_logger("quire.content_api")

NOT_SENT = "Error sending confirmation email"
WRONG = "Invalid identifier or password"
DISABLED = "This provider is disabled"
UNCONFIRMED = "Your account email is not confirmed"
BLOCKED = "Your account has been blocked by an administrator"
_CREDENTIALS = (TextField(name="identifier"), TextField(name="password"))
_REGISTRATION = (
    TextField(name="email", rules=(email_rule,)),
    TextField(name="username"),
    TextField(name="password", rules=(password_rule,)),
)


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
        self._more = frozenset(more)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, limited = self._responses.route, self._limits.limited
        yield route("POST", "auth/local", "callback", limited(self.local, "auth/local"))
        register = limited(self.register, "auth/local/register", by_email=True)
        yield route("POST", "auth/local/register", "register", register)

    async def local(self, request: Request) -> Response:
        """Respond with a token and the user for a name (or e-mail) and its password."""
        if not takes_passwords(
            await self._responses.read(lambda: self._accounts.stored(GRANT_KEY))
        ):
            raise ApplicationError(DISABLED)
        given = read_form(request.body, _CREDENTIALS)
        identifier = given["identifier"]
        user = await self._responses.read(lambda: self._accounts.local_user(identifier))
        account = identifier.lower() if user is None else user.document_id
        self._limits.require_open(account)
        hashed = None if user is None else user.password
        if not await verify_password(given["password"], hashed) or user is None:
            self._limits.note_wrong(account)
            raise ValidationError(WRONG)
        await self._require_welcome(user)
        return await self._responses.signed_in(request, user.id)

    async def _require_welcome(self, user: UserRow) -> None:
        """Check that an authenticated user may sign in."""
        options = await self._responses.read(lambda: advanced_options(self._accounts))
        if not user.confirmed and options.email_confirmation:
            raise ApplicationError(UNCONFIRMED)
        if user.blocked:
            raise ApplicationError(BLOCKED)

    async def register(self, request: Request) -> Response:
        """Create an account, and sign in or, if required, confirm the e-mail first."""
        options = await self._responses.read(lambda: advanced_options(self._accounts))
        if not options.allow_register:
            raise ApplicationError(NO_REGISTRATION)
        body = request.body if isinstance(request.body, Mapping) else {}
        allowed = self._more.union(field.name for field in _REGISTRATION)
        unknown = [name for name in body if name not in allowed]
        if unknown:
            raise ValidationError(f"Invalid parameters: {', '.join(unknown)}")
        data = {**self._more_of(body), **read_form(body, _REGISTRATION)}
        shown = self._responses.shower(request, b"populate=role")
        user_id, item = await self._users.register(data, shown)
        if options.email_confirmation:
            await self._ask_to_confirm(user_id)
            return respond_bare({"user": item})
        return await self._responses.tokens(request, user_id, item)

    def _more_of(self, body: Mapping[str, object]) -> dict[str, object]:
        """Return the additional attributes in a body.

        A relation among them may have any target, although the caller can find nothing yet.
        """
        given = {name: value for name, value in body.items() if name in self._more}
        return settable_attributes(self._responses.schema, given, FullAccess())

    async def _ask_to_confirm(self, user_id: int) -> None:
        user = await self._responses.read(lambda: self._accounts.user(user_id))
        try:
            if user is not None:
                await self._recovery.confirm(user)
        except MailError as error:
            _log.error("no mail to confirm an e-mail was sent", reason=str(error))
            raise ApplicationError(NOT_SENT) from error
