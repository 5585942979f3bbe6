"""Sign-in through providers: redirect, callback, token.

A browser goes to ``/connect/NAME``, is redirected to the provider, comes back to
``/connect/NAME/callback``, and ends on a page of the project. That page requests the token from
``/auth/NAME/callback``. URLs never contain the identity of the user.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated
from unicodedata import is_normalized
from urllib.parse import urlencode, urlsplit

import structlog
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict

from quire.auth.end_users import EndUsers
from quire.auth.oauth.providers import GRANT_KEY, Provider, ProviderError, is_allowed, read_provider
from quire.auth.oauth.state import (
    AT_PROVIDER,
    RETURNED,
    SignInState,
    StateCipher,
    begin_sign_in,
    is_same,
)
from quire.clock import Clock
from quire.content_api.account_context import AccountResponses
from quire.content_api.account_rate_limits import CallLimits
from quire.content_api.account_types import ACCOUNTS, TOO_MANY_REQUESTS, SignedInUser
from quire.content_api.envelope import respond_redirect
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_types import Redirect
from quire.content_api.routes import Route
from quire.database.stores.auth_rows import Accounts
from quire.errors import ApplicationError, ValidationError

if TYPE_CHECKING:
    from quire.auth.oauth.oauth1 import OAuth1Client
    from quire.auth.oauth.oauth2 import OAuth2Client

PROVIDER_DISABLED = "This provider is disabled"
BAD_CALLBACK = "Invalid callback URL provided"
NO_SESSION = "OAuth authentication requires a completed provider session"
NO_EMAIL = "Email was not available."
NOT_DONE = "The provider did not say who signs in"
NO_CODE = "OAuth2 missing code parameter"
WRONG_STATE = "OAuth2 state mismatch"
OTHER_SIGN_IN = "OAuth1 token mismatch"
USER_BLOCKED = "Your account has been blocked by an administrator"
_COOKIE = "quire_connect"
_log = structlog.get_logger("quire.content_api")


class ConnectQuery(Struct):
    """Where signing in through a provider ends."""

    callback: Annotated[str | UnsetType, Meta(description="The page on which it ends.")] = UNSET


class CallbackQuery(Struct):
    """The query with which a provider redirects a browser back."""

    state: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    error: Annotated[str | UnsetType, Meta(description="Why nobody signs in.")] = UNSET
    error_description: str | UnsetType = UNSET


class ProviderApi:
    """``/connect/:provider``, ``/connect/:provider/callback`` and ``/auth/:provider/callback``."""

    def __init__(
        self,
        responses: AccountResponses,
        users: EndUsers,
        accounts: Accounts,
        limits: CallLimits,
        cipher: StateCipher | None,
        *,
        api: str,
        secure: bool,
        clock: Clock,
    ) -> None:
        self._responses = responses
        self._users = users
        self._accounts = accounts
        self._limits = limits
        self._cipher = cipher
        self._api = api
        self._attributes = f"; path=/; httponly; samesite=lax{'; secure' if secure else ''}"
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        connect = self._limits.limited(self.redirect_to_provider, "connect")
        handle_callback = self._limits.limited(self.handle_provider_callback, "connect/callback")
        for path, handler, query in (
            ("connect/:provider", connect, ConnectQuery),
            ("connect/:provider/callback", handle_callback, CallbackQuery),
        ):
            yield ACCOUNTS(
                "GET",
                path,
                "connect",
                handler,
                query=query,
                response=Redirect,
                status=302,
                errors=TOO_MANY_REQUESTS,
            )
        path = "auth/:provider/callback"
        handler = self.sign_in_with_provider
        yield ACCOUNTS("GET", path, "callback", handler, response=SignedInUser, errors=(400,))

    async def redirect_to_provider(self, request: Request) -> Response:
        """Redirect a browser to a provider, to sign in there."""
        provider, cipher = await self._provider(request)
        callback = request.query.get("callback", provider.callback)
        if not isinstance(callback, str) or not is_allowed(callback, provider):
            raise ValidationError(BAD_CALLBACK, {"callback": callback})
        sign_in_state = begin_sign_in(callback)
        try:
            sign_in_state, address = await self._exchange(provider).begin(sign_in_state)
        except ProviderError as error:
            _log_refusal(provider, error)
            raise ApplicationError(NOT_DONE) from error
        cookie_value = cipher.encrypt(AT_PROVIDER, provider.name, asdict(sign_in_state))
        return self._add_state_cookie(respond_redirect(address), cookie_value)

    async def handle_provider_callback(self, request: Request) -> Response:
        """Redirect a browser that comes from a provider to the page of the project.

        Errors are in the query of the page: nobody reads the response to a browser.
        """
        provider, cipher = await self._provider(request)
        cookie_state = cipher.decrypt(_cookie(request), AT_PROVIDER, provider.name)
        page = provider.callback if cookie_state is None else cookie_state["callback"]
        try:
            sign_in_state, code = _read_callback(request, provider, cookie_state)
            profile = await self._exchange(provider).profile(code, sign_in_state)
        except _FailedSignInError as error:
            return respond_redirect(_with_query(page, error.parameters))
        except ProviderError as error:
            _log_refusal(provider, error)
            return respond_redirect(_with_query(page, _oauth_error(NOT_DONE)))
        identity = {"email": profile.email or "", "username": profile.username or ""}
        return self._add_state_cookie(
            respond_redirect(page), cipher.encrypt(RETURNED, provider.name, identity)
        )

    async def sign_in_with_provider(self, request: Request) -> Response:
        """Return the token of whoever has signed in through a provider."""
        provider, cipher = await self._provider(request)
        identity = cipher.decrypt(_cookie(request), RETURNED, provider.name)
        if identity is None:
            raise ApplicationError(NO_SESSION)
        email = identity["email"]
        # The lower case of the Kelvin sign is k: such an address would become that of another user.
        if not email or not is_normalized("NFC", email):
            raise ApplicationError(NO_EMAIL)
        user_id = await self._users.connect(provider.name, email, identity["username"])
        user = await self._responses.read(lambda: self._accounts.user(user_id))
        if user is None or user.blocked:
            raise ApplicationError(USER_BLOCKED)
        response = await self._responses.signed_in(request, user_id)
        return self._add_state_cookie(response, None)

    async def _provider(self, request: Request) -> tuple[Provider, StateCipher]:
        grant = await self._responses.read(lambda: self._accounts.stored(GRANT_KEY))
        provider = read_provider(grant, request.parameters["provider"], self._api)
        if provider is None or self._cipher is None:
            raise ApplicationError(PROVIDER_DISABLED)
        return provider, self._cipher

    def _exchange(self, provider: Provider) -> "OAuth2Client | OAuth1Client":
        # The HTTP client is slow to import, and few projects have providers.
        from quire.auth.oauth.oauth1 import OAuth1Client  # noqa: PLC0415
        from quire.auth.oauth.oauth2 import OAuth2Client  # noqa: PLC0415

        if provider.preset.request_url:
            return OAuth1Client(provider)
        return OAuth2Client(provider, self._clock)

    def _add_state_cookie(self, response: Response, cookie_value: str | None) -> Response:
        """Return the header that stores the encrypted state; ``None`` deletes it."""
        expiry = "; max-age=0" if cookie_value is None else ""
        cookie = f"{_COOKIE}={cookie_value or ''}{expiry}{self._attributes}"
        headers = (*response.headers, (b"set-cookie", cookie.encode()))
        return Response(response.status, response.body, response.content_type, headers)


class _FailedSignInError(Exception):
    """A sign-in failed at the provider; ``parameters`` are the query of the page that is shown."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        super().__init__()
        self.parameters = parameters


def _read_callback(
    request: Request, provider: Provider, cookie_state: Mapping[str, str] | None
) -> tuple[SignInState, str]:
    """Return the state of a sign-in and the provider's code for it.

    Raises _FailedSignInError when the provider reports an error, and when another browser, or
    none, was sent to it. As in the reference, errors of the provider need no state: they sign
    nobody in.
    """
    state_name, code_name = provider.preset.callback_parameters
    is_oauth2 = not provider.preset.request_url
    if is_oauth2 and (error := _text(request, "error")):
        description = _text(request, "error_description")
        raise _FailedSignInError(
            {"error": error, **({"error_description": description} if description else {})}
        )
    state, code = _text(request, state_name), _text(request, code_name)
    if is_oauth2 and not code:
        raise _FailedSignInError(_oauth_error(NO_CODE))
    if cookie_state is None or not is_same(state, cookie_state["state"]):
        raise _FailedSignInError(_oauth_error(WRONG_STATE if is_oauth2 else OTHER_SIGN_IN))
    if not code:
        raise _FailedSignInError(_oauth_error(NOT_DONE))
    return SignInState(**cookie_state), code


def _text(request: Request, name: str) -> str:
    value = request.query.get(name)
    return value if isinstance(value, str) else ""


def _oauth_error(description: str) -> dict[str, str]:
    return {"error": "oauth_error", "error_description": description}


def _with_query(page: str, parameters: Mapping[str, str]) -> str:
    """Return the URL of a page with parameters after those that it has."""
    url = urlsplit(page)
    return url._replace(query="&".join(filter(None, (url.query, urlencode(parameters))))).geturl()


def _log_refusal(provider: Provider, error: ProviderError) -> None:
    _log.warning("no sign-in", provider=provider.name, reason=str(error))


def _cookie(request: Request) -> str | None:
    for part in request.headers.get(b"cookie", b"").decode("latin-1").split(";"):
        name, _, value = part.strip().partition("=")
        if name == _COOKIE:
            return value or None
    return None
