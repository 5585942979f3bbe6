"""Signing in and out, registering, and the first administrator.

A cookie with the refresh token keeps an administrator signed in. The token is a signed JWT; Strapi
also requires a separate signature of its cookies, so that sessions remain valid there.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from email.utils import formatdate
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.login_throttle import LoginThrottle
from quire.admin_api.response_types import SIGNING_IN, DataEnvelope, FreeObject
from quire.admin_api.responses import AdministratorResponse, administrator_response, respond_data
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.password_reset import AdminRecovery
from quire.auth.admin.sign_in import AdminAccounts, AdminDevice, SignInResult, new_device_id
from quire.auth.admin.user_rows import AdminUser
from quire.auth.sessions import Tokens
from quire.auth.user_agent import device_name
from quire.content_api.body_decoding import RequestBody, read_body, sent_values
from quire.content_api.http_messages import NO_CONTENT, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import AdminPassword, Email, MinLength, Text
from quire.errors import (
    ApplicationError,
    ForbiddenError,
    UnauthorizedError,
    ValidationError,
)

COOKIE_NAME = "strapi_admin_refresh"
_SIGNATURE = f"{COOKIE_NAME}.sig"
_EXPIRED_COOKIE_DATE = "Thu, 01 Jan 1970 00:00:00 GMT"
_BASE64URL = str.maketrans({"/": "_", "+": "-", "=": None})

Header = tuple[bytes, bytes]


class AdminRefreshCookie:
    """Writes and reads the cookie; ``keys`` are the project's keys, ``secure`` means TLS only."""

    def __init__(self, keys: tuple[str, ...], *, secure: bool) -> None:
        self._key = keys[0].encode() if keys else None
        self._attributes = f"path=/admin; {'secure; ' if secure else ''}httponly; samesite=lax"

    def set(self, tokens: Tokens) -> tuple[Header, ...]:
        """Return the header fields that set the refresh token."""
        expiry_date = None if tokens.ends is None else formatdate(tokens.ends / 1000, usegmt=True)
        return self._set_cookie_headers(tokens.refresh, expiry_date)

    def clear(self) -> tuple[Header, ...]:
        """Return the header fields that delete it."""
        return self._set_cookie_headers("", _EXPIRED_COOKIE_DATE)

    def read(self, header: bytes | None) -> str | None:
        """Return the refresh token among the cookies of a request."""
        for part in (header or b"").decode("latin-1").split(";"):
            name, _, value = part.strip().partition("=")
            if name == COOKIE_NAME:
                return value or None
        return None

    def _set_cookie_headers(self, value: str, expiry_date: str | None) -> tuple[Header, ...]:
        cookies = [(COOKIE_NAME, value)]
        if self._key is not None:
            cookies.append((_SIGNATURE, self._signature(self._key, value)))
        expires = "" if expiry_date is None else f"expires={expiry_date}; "
        return tuple(
            (b"set-cookie", f"{name}={text}; {expires}{self._attributes}".encode())
            for name, text in cookies
        )

    def _signature(self, key: bytes, value: str) -> str:
        digest = hmac.new(key, f"{COOKIE_NAME}={value}".encode(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode().translate(_BASE64URL)


MISSING_CREDENTIALS = "Missing credentials"
NO_REFRESH_TOKEN = "Missing refresh token"  # noqa: S105 - a message
BAD_REFRESH_TOKEN = "Invalid refresh token"  # noqa: S105 - likewise
BAD_INVITATION = "Invalid registrationToken"
_MAX_DEVICE_LENGTH = 255

_DeviceId = Annotated[str, Text(longest=_MAX_DEVICE_LENGTH)]


class Credentials(RequestBody, forbid_unknown_fields=False):
    """The credentials of an administrator; ``code`` is one of the second factor."""

    email: str
    password: str
    code: str | UnsetType = UNSET
    device_id: str | UnsetType = UNSET
    remember_me: bool | UnsetType = UNSET


class SignedOutDevice(RequestBody, forbid_unknown_fields=False):
    """Signs out one device, that of the caller; without it all."""

    device_id: str | UnsetType = UNSET


class NewAdminUser(RequestBody, kw_only=True):
    """The name and the password of a new administrator."""

    firstname: Annotated[str, MinLength(1)]
    lastname: str | UnsetType | None = UNSET
    password: AdminPassword


class Registration(RequestBody):
    """The registration of an invited administrator."""

    registration_token: str
    user_info: NewAdminUser
    device_id: _DeviceId | UnsetType = UNSET
    remember_me: bool | UnsetType = UNSET


class FirstAdministrator(RequestBody, kw_only=True):
    """The first administrator."""

    email: Annotated[str, Email()]
    firstname: Annotated[str, MinLength(1)]
    lastname: str | None = None
    password: AdminPassword
    registration_token: str | UnsetType = UNSET
    device_id: _DeviceId | UnsetType = UNSET
    remember_me: bool | UnsetType = UNSET


class ForgottenPassword(RequestBody, forbid_unknown_fields=False):
    """The e-mail of a forgotten password."""

    email: Annotated[str, Email()]


class PasswordReset(RequestBody):
    """A new password; ``code`` is one of the second factor."""

    reset_password_token: str
    password: AdminPassword
    code: str | UnsetType = UNSET


class InvitationQuery(RequestBody):
    """The token of an invitation."""

    registration_token: str


class RegistrationQuery(Struct, rename="camel"):
    """The token of the link that the server prints, where the body has none."""

    registration_token: str | UnsetType = UNSET


class SignedIn(Struct, rename="camel"):
    """A signed-in administrator, and an access token."""

    token: str
    access_token: str
    user: AdministratorResponse


class AccessToken(Struct):
    """A fresh access token."""

    token: str


class InvitationRecipient(Struct):
    """The recipient of an invitation."""

    email: str | None
    firstname: str | None
    lastname: str | None


class AdminSignInApi:
    """``/admin/login``, ``/admin/access-token``, ``/admin/logout`` and ``/admin/register*``."""

    def __init__(
        self,
        accounts: AdminAccounts,
        recovery: AdminRecovery,
        cookie: AdminRefreshCookie,
        attempts: LoginThrottle,
    ) -> None:
        self._accounts = accounts
        self._recovery = recovery
        self._cookie = cookie
        self._throttle = attempts

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, response = RouteGroup(SIGNING_IN, "admin/"), DataEnvelope[SignedIn]
        yield route("POST", "login", None, self.sign_in, body=Credentials, response=response)
        yield route("POST", "access-token", None, self.refresh, response=DataEnvelope[AccessToken])
        yield route(
            "POST",
            "register-admin",
            None,
            self.register_first,
            body=FirstAdministrator,
            query=RegistrationQuery,
            response=response,
        )
        yield route(
            "GET",
            "registration-info",
            None,
            self.invitation,
            query=InvitationQuery,
            response=DataEnvelope[InvitationRecipient],
        )
        yield route("POST", "register", None, self.register, body=Registration, response=response)
        yield route(
            "POST",
            "forgot-password",
            None,
            self.forgot_password,
            body=ForgottenPassword,
            response=None,
            status=NO_CONTENT.status,
        )
        path = "reset-password"
        yield route("POST", path, None, self.reset_password, body=PasswordReset, response=response)
        yield route(
            "POST",
            "logout",
            SIGNED_IN,
            self.sign_out,
            body=SignedOutDevice,
            response=DataEnvelope[FreeObject],
        )

    async def sign_in(self, request: Request) -> Response:
        """Sign in with e-mail and password."""
        body = request.body_fields
        address, password = _text(body.get("email")), _text(body.get("password"))
        self._throttle.count("login", client_address_of(request), address)
        if not address or not password:
            raise ApplicationError(MISSING_CREDENTIALS)
        admin_user = await self._accounts.identified(address, password)
        code = self._count_code(admin_user, body.get("code"))
        device = _device(request, body.get("deviceId"), body.get("rememberMe"))
        signed_in = await self._accounts.sign_in(admin_user, device, code)
        return self._serialize_sign_in(signed_in, roles=False)

    async def refresh(self, request: Request) -> Response:
        """Return an access token for the refresh token of the cookie, which is exchanged."""
        require_same_origin(request)
        token = self._cookie.read(request.headers.get(b"cookie"))
        if token is None:
            raise UnauthorizedError(NO_REFRESH_TOKEN)
        tokens = await self._accounts.refresh(token)
        if tokens is None:
            raise UnauthorizedError(BAD_REFRESH_TOKEN)
        return _add_headers(respond_data({"token": tokens.access}), self._cookie.set(tokens))

    async def sign_out(self, request: Request) -> Response:
        """End the caller's sessions: of this device if one is named, else all."""
        body = request.body_fields
        device = body.get("deviceId")
        device_id = device[:_MAX_DEVICE_LENGTH] if isinstance(device, str) and device else None
        administrator = request.administrator
        await self._accounts.sign_out(administrator.id, administrator.session_id, device_id)
        return _add_headers(respond_data({}), self._cookie.clear())

    async def invitation(self, request: Request) -> Response:
        """Return the recipient of an invitation."""
        query = read_body(request.query, InvitationQuery)
        self._throttle.count("invitation", client_address_of(request))
        admin_user = await self._accounts.invited(query.registration_token)
        if admin_user is None:
            raise ValidationError(BAD_INVITATION)
        row = admin_user.row
        data = {"email": row.email, "firstname": row.firstname, "lastname": row.lastname}
        return respond_data(data)

    async def register(self, request: Request) -> Response:
        """Set the password of an invited administrator."""
        body = read_body(request.body, Registration)
        self._throttle.count("register", client_address_of(request), body.registration_token)
        names = sent_values(body.user_info)
        password = str(names.pop("password"))
        signed_in = await self._accounts.register(
            body.registration_token,
            names,
            password,
            _device(request, body.device_id, body.remember_me),
        )
        return self._serialize_sign_in(signed_in)

    async def register_first(self, request: Request) -> Response:
        """Create the first administrator, with the registration token that the server printed."""
        body = read_body(request.body, FirstAdministrator)
        self._throttle.count("register-admin", client_address_of(request), body.email)
        registration_token: object = body.registration_token
        if registration_token is UNSET:
            registration_token = request.query.get("registrationToken")
        signed_in = await self._accounts.register_first(
            {
                "email": body.email.lower(),
                "firstname": body.firstname,
                "lastname": body.lastname,
            },
            body.password,
            _device(request, body.device_id, body.remember_me),
            registration_token if isinstance(registration_token, str) else None,
        )
        return self._serialize_sign_in(signed_in)

    async def forgot_password(self, request: Request) -> Response:
        """Send a password reset link.

        The response does not tell whether there is an administrator with this e-mail.
        """
        address = read_body(request.body, ForgottenPassword).email.lower()
        self._throttle.count("forgot-password", client_address_of(request), address)
        self._recovery.forgot(address)
        return NO_CONTENT

    async def reset_password(self, request: Request) -> Response:
        """Set a new password with a password reset link."""
        body = read_body(request.body, PasswordReset)
        self._throttle.count("reset-password", client_address_of(request))
        token = body.reset_password_token
        code = self._count_code(await self._recovery.link_owner(token), body.code)
        admin_user = await self._recovery.reset(token, body.password, code)
        return self._serialize_sign_in(await self._accounts.begin(admin_user, _device(request)))

    def _count_code(self, admin_user: AdminUser, code: object) -> str | None:
        """Return a code of a second factor, and count the attempt.

        Attempts are counted by account alone: a code has six digits, and an attacker with many
        addresses could try all of them.
        """
        if not isinstance(code, str):
            return None
        self._throttle.count_code(admin_user.email)
        return code

    def _serialize_sign_in(self, signed_in: SignInResult, *, roles: bool = True) -> Response:
        token = signed_in.tokens.access
        user = administrator_response(signed_in.admin_user, roles=roles)
        response = respond_data({"token": token, "accessToken": token, "user": user})
        return _add_headers(response, self._cookie.set(signed_in.tokens))


def client_address_of(request: Request) -> str:
    """Return the client address of a request."""
    return request.client[0] if request.client else ""


def require_same_origin(request: Request) -> None:
    """Reject cross-origin requests, for routes with a cookie. Raises ForbiddenError.

    Browsers send ``Origin`` with every POST, so that no other site can use the cookie (CSRF). Other
    clients, which send none, have no cookies to be abused.
    """
    origin = request.headers.get(b"origin")
    if origin is None:
        return
    host = request.headers.get(b"host", b"").decode("latin-1").lower()
    try:
        origin_host = urlsplit(origin.decode("latin-1").lower()).netloc
    except ValueError:
        raise ForbiddenError from None
    if origin_host != host:
        raise ForbiddenError


def _text(value: object) -> str:
    """Parse a credential: a text, or a number as text; anything else is missing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)


def _device(request: Request, value: object = None, remember: object = None) -> AdminDevice:
    device_id = value[:_MAX_DEVICE_LENGTH] if isinstance(value, str) and value else new_device_id()
    agent = request.headers.get(b"user-agent", b"").decode("latin-1")
    return AdminDevice(id=device_id, name=device_name(agent), remember=bool(remember))


def _add_headers(response: Response, headers: tuple[tuple[bytes, bytes], ...]) -> Response:
    return Response(
        response.status, response.body, response.content_type, (*response.headers, *headers)
    )
