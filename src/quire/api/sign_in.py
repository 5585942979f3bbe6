"""Signing in with a name and a password, and what belongs to the ways of signing in."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from quire.access.ability import FullAccess
from quire.api.envelope import respond_bare
from quire.api.messages import Answer, Request
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.auth.authenticate import Authenticator
from quire.auth.passwords import verify_password
from quire.auth.rate_limit import RateLimiter
from quire.auth.tokens import issue_jwt
from quire.clock import Clock
from quire.database.accounts import Accounts
from quire.documents.validate import ABSENT, Problem, validation_error
from quire.errors import ApplicationError, UnimplementedError, ValidationError
from quire.schema.attributes.accept import not_of_type
from quire.schema.model import USER_UID

WRONG = "Invalid identifier or password"
UNCONFIRMED = "Your account email is not confirmed"
BLOCKED = "Your account has been blocked by an administrator"
DISABLED = "This provider is disabled"
UNKNOWN_CONFIRMATION = "Invalid token"
_ACTION = "plugin::users-permissions.auth"
_FIELDS = ("identifier", "password")
_GRANT_KEY = "plugin_users-permissions_grant"


class SignInApi:
    """``/auth`` and ``/connect``."""

    def __init__(
        self,
        reader: Reader,
        accounts: Accounts,
        authenticator: Authenticator,
        *,
        clock: Clock,
        jwt_secret: str | None,
        jwt_lifetime: timedelta,
        limiter: RateLimiter | None,
    ) -> None:
        self._reader = reader
        self._accounts = accounts
        self._authenticator = authenticator
        self._clock = clock
        self._jwt_secret = jwt_secret
        self._jwt_lifetime = jwt_lifetime
        self._limiter = limiter

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action, handler in (
            ("POST", "auth/local", "callback", self.local),
            ("GET", "auth/email-confirmation", "emailConfirmation", self.confirm_email),
            ("GET", "auth/:provider/callback", "callback", self.provider),
            ("GET", "connect/:provider", "connect", self.provider),
        ):
            yield Route(
                method=method,
                path=path,
                action=f"{_ACTION}.{action}",
                handler=handler,
                uid=USER_UID,
            )

    async def local(self, request: Request) -> Answer:
        """Answer a JWT and the user for a name (or e-mail) and its password."""
        headers = self._count(request)
        identifier, password = _credentials(request.body)
        user = await self._reader.database.read(lambda: self._accounts.local_user(identifier))
        hashed = None if user is None else user.password
        if not await verify_password(password, hashed) or user is None:
            raise ValidationError(WRONG)
        if not user.confirmed and await self._authenticator.confirmation_required():
            raise ApplicationError(UNCONFIRMED)
        if user.blocked:
            raise ApplicationError(BLOCKED)
        if self._jwt_secret is None:
            message = "JWT_SECRET is not set, so nobody can sign in"
            raise UnimplementedError(message)
        token = issue_jwt(user.id, self._jwt_secret, self._jwt_lifetime, self._clock())
        answer = respond_bare({"jwt": token, "user": await self._shown(request, user.id)})
        answer.headers = headers
        return answer

    def _count(self, request: Request) -> tuple[tuple[bytes, bytes], ...]:
        if self._limiter is None:
            return ()
        address = request.client[0] if request.client else ""
        allowance = self._limiter.count(f"auth/local:{address}")
        return tuple((k.lower().encode(), v.encode()) for k, v in allowance.headers.items())

    async def _shown(self, request: Request, user_id: int) -> object:
        """Show the user, with the role only to those who may find roles."""
        model = self._reader.schema.content_types[USER_UID]
        ability = request.principal.ability
        query = b"populate=role" if isinstance(ability, FullAccess) else b""
        prepared = self._reader.prepare(model, "entry", query, ability)
        return await self._reader.row(prepared, user_id)

    async def confirm_email(self, request: Request) -> Answer:
        """Check a confirmation token."""
        token = request.query.get("confirmation")
        if not isinstance(token, str) or not token:
            raise _required({"confirmation": ABSENT})
        found = await self._reader.database.read(
            lambda: self._accounts.confirmation_token_exists(token)
        )
        if not found:
            raise ValidationError(UNKNOWN_CONFIRMATION)
        message = "Confirming an e-mail is not available yet"
        raise UnimplementedError(message)

    async def provider(self, request: Request) -> Answer:
        """Refuse providers that are not enabled."""
        grant = await self._reader.database.read(lambda: self._accounts.stored(_GRANT_KEY))
        name = request.parameters["provider"]
        options = grant.get(name) if isinstance(grant, dict) else None
        if not isinstance(options, dict) or options.get("enabled") is not True:
            raise ApplicationError(DISABLED)
        message = "Signing in through a provider is not available yet"
        raise UnimplementedError(message)


def _credentials(body: object) -> tuple[str, str]:
    """Return identifier and password of a body. Raises ValidationError, all faults at once."""
    values = body if isinstance(body, dict) else {}
    missing = [name for name in _FIELDS if values.get(name) in (None, "")]
    if missing:
        raise _required({name: values.get(name, ABSENT) for name in missing})
    identifier, password = values["identifier"], values["password"]
    problems = [
        Problem((name,), f"{name} {not_of_type('string', value)}", value)
        for name, value in (("identifier", identifier), ("password", password))
        if not isinstance(value, str)
    ]
    if problems:
        raise validation_error(problems)
    return str(identifier), str(password)


def _required(given: Mapping[str, object]) -> ValidationError:
    return validation_error(
        [
            Problem((name,), f"{name} is a required field", ABSENT if value is None else value)
            for name, value in given.items()
        ]
    )
