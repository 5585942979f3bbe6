"""Signing in and out, registering, and the first administrator."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from quire.admin_api.bodies import (
    PASSWORD_RULES,
    Fields,
    Flag,
    Text,
    Validator,
    at_least,
    email,
    read_body,
    required,
)
from quire.admin_api.cookies import RefreshCookie
from quire.admin_api.login_throttle import LoginThrottle
from quire.admin_api.responses import respond_data, serialize_admin_user
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.accounts import AdminAccounts, AdminDevice, SignInResult, new_device_id
from quire.auth.admin.recovery import AdminRecovery
from quire.auth.admin.user_rows import AdminUser
from quire.content_api.messages import NO_CONTENT, Request, Response
from quire.content_api.routes import Route
from quire.errors import (
    ApplicationError,
    ForbiddenError,
    UnauthorizedError,
    ValidationError,
)

MISSING_CREDENTIALS = "Missing credentials"
NO_REFRESH_TOKEN = "Missing refresh token"  # noqa: S105 - a message
BAD_REFRESH_TOKEN = "Invalid refresh token"  # noqa: S105 - likewise
BAD_INVITATION = "Invalid registrationToken"
_LONGEST_DEVICE = 255

_DEVICE: Mapping[str, Validator] = {"deviceId": Text(longest=_LONGEST_DEVICE), "rememberMe": Flag()}
_PASSWORD = Text(rules=(*PASSWORD_RULES, required))
_NEW_PERSON: Mapping[str, Validator] = {
    "firstname": Text(rules=(at_least(1), required)),
    "lastname": Text(nullable=True),
    "password": _PASSWORD,
}
_REGISTRATION = Fields(
    fields={
        "registrationToken": Text(rules=(required,)),
        "userInfo": Fields(fields=_NEW_PERSON, rules=(required,)),
        **_DEVICE,
    }
)
_FIRST = Fields(
    fields={
        "email": Text(rules=(email, required)),
        **_NEW_PERSON,
        "registrationToken": Text(),
        **_DEVICE,
    }
)
_FORGOTTEN = Fields(fields={"email": Text(rules=(email, required))}, closed=False)
_RESET = Fields(
    fields={
        "resetPasswordToken": Text(rules=(required,)),
        "password": _PASSWORD,
        "code": Text(),
    }
)
_INVITATION = Fields(fields={"registrationToken": Text(rules=(required,))})


class AdminSignInApi:
    """``/admin/login``, ``/admin/access-token``, ``/admin/logout`` and ``/admin/register*``."""

    def __init__(
        self,
        accounts: AdminAccounts,
        recovery: AdminRecovery,
        cookie: RefreshCookie,
        attempts: LoginThrottle,
    ) -> None:
        self._accounts = accounts
        self._recovery = recovery
        self._cookie = cookie
        self._attempts = attempts

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, handler in (
            ("POST", "admin/login", self.sign_in),
            ("POST", "admin/access-token", self.refresh),
            ("POST", "admin/register-admin", self.register_first),
            ("GET", "admin/registration-info", self.invitation),
            ("POST", "admin/register", self.register),
            ("POST", "admin/forgot-password", self.forgot_password),
            ("POST", "admin/reset-password", self.reset_password),
        ):
            yield Route(method=method, path=path, action=None, handler=handler)
        yield Route(method="POST", path="admin/logout", action=SIGNED_IN, handler=self.sign_out)

    async def sign_in(self, request: Request) -> Response:
        """Sign in with e-mail and password."""
        body = request.body if isinstance(request.body, Mapping) else {}
        address, password = _text(body.get("email")), _text(body.get("password"))
        self._attempts.count("login", place_of(request), address)
        if not address or not password:
            raise ApplicationError(MISSING_CREDENTIALS)
        admin_user = await self._accounts.identified(address, password)
        code = self._counted_code(admin_user, body.get("code"))
        signed_in = await self._accounts.sign_in(admin_user, _device(body), code)
        return self._welcome(signed_in, roles=False)

    async def refresh(self, request: Request) -> Response:
        """Give out an access token for the refresh token of the cookie, which is exchanged."""
        require_same_origin(request)
        token = self._cookie.read(request.headers.get(b"cookie"))
        if token is None:
            raise UnauthorizedError(NO_REFRESH_TOKEN)
        tokens = await self._accounts.refresh(token)
        if tokens is None:
            raise UnauthorizedError(BAD_REFRESH_TOKEN)
        return _with(respond_data({"token": tokens.access}), self._cookie.set(tokens))

    async def sign_out(self, request: Request) -> Response:
        """End the sessions of whoever asks: of one device when it is named, else all."""
        body = request.body if isinstance(request.body, Mapping) else {}
        device = body.get("deviceId")
        device_id = device[:_LONGEST_DEVICE] if isinstance(device, str) and device else None
        await self._accounts.sign_out(request.administrator.id, device_id)
        return _with(respond_data({}), self._cookie.clear())

    async def invitation(self, request: Request) -> Response:
        """Tell whom an invitation is for."""
        query = read_body(request.query, _INVITATION)
        self._attempts.count("invitation", place_of(request))
        admin_user = await self._accounts.invited(str(query["registrationToken"]))
        if admin_user is None:
            raise ValidationError(BAD_INVITATION)
        told = ("email", "firstname", "lastname")
        return respond_data({name: admin_user.fields[name] for name in told})

    async def register(self, request: Request) -> Response:
        """Let somebody who was invited choose a password."""
        body = read_body(request.body, _REGISTRATION)
        self._attempts.count("register", place_of(request), body["registrationToken"])
        given = body["userInfo"]
        info = given if isinstance(given, Mapping) else {}
        names = {name: info[name] for name in ("firstname", "lastname") if name in info}
        signed_in = await self._accounts.register(
            str(body["registrationToken"]), names, str(info["password"]), _device(body)
        )
        return self._welcome(signed_in)

    async def register_first(self, request: Request) -> Response:
        """Make the first administrator, with the token of the link that the server printed."""
        body = read_body(request.body, _FIRST)
        self._attempts.count("register-admin", place_of(request), body["email"])
        asked = body.get("registrationToken", request.query.get("registrationToken"))
        info = {
            "email": str(body["email"]).lower(),
            "firstname": body["firstname"],
            "lastname": body.get("lastname"),
        }
        signed_in = await self._accounts.register_first(
            info, str(body["password"]), _device(body), asked if isinstance(asked, str) else None
        )
        return self._welcome(signed_in)

    async def forgot_password(self, request: Request) -> Response:
        """Send a link to choose another password; the answer is the same for everybody."""
        body = read_body(request.body, _FORGOTTEN)
        address = str(body["email"]).lower()
        self._attempts.count("forgot-password", place_of(request), address)
        self._recovery.forgot(address)
        return NO_CONTENT

    async def reset_password(self, request: Request) -> Response:
        """Let whoever has a link choose another password."""
        body = read_body(request.body, _RESET)
        self._attempts.count("reset-password", place_of(request))
        token = str(body["resetPasswordToken"])
        code = self._counted_code(await self._recovery.holder(token), body.get("code"))
        admin_user = await self._recovery.reset(token, str(body["password"]), code)
        return self._welcome(await self._accounts.begin(admin_user, _device({})))

    def _counted_code(self, admin_user: AdminUser, code: object) -> str | None:
        """Return a code of a second factor; it is counted by account, wherever it comes from."""
        if not isinstance(code, str):
            return None
        self._attempts.count_code(admin_user.email)
        return code

    def _welcome(self, signed_in: SignInResult, *, roles: bool = True) -> Response:
        token = signed_in.tokens.access
        user = serialize_admin_user(signed_in.admin_user, roles=roles)
        response = respond_data({"token": token, "accessToken": token, "user": user})
        return _with(response, self._cookie.set(signed_in.tokens))


def place_of(request: Request) -> str:
    """Return where a request comes from."""
    return request.client[0] if request.client else ""


def require_same_origin(request: Request) -> None:
    """Refuse what a page of another site sends with somebody's cookie.

    Raises ForbiddenError.
    """
    origin = request.headers.get(b"origin")
    if origin is None:
        return
    host = request.headers.get(b"host", b"").decode("latin-1").lower()
    if urlsplit(origin.decode("latin-1").lower()).netloc != host:
        raise ForbiddenError


def _text(value: object) -> str:
    """Read a credential: a text, or a number as text; anything else is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)


def _device(body: Mapping[str, object]) -> AdminDevice:
    named = body.get("deviceId")
    device_id = named[:_LONGEST_DEVICE] if isinstance(named, str) and named else new_device_id()
    return AdminDevice(id=device_id, remember=bool(body.get("rememberMe")))


def _with(response: Response, headers: tuple[tuple[bytes, bytes], ...]) -> Response:
    return Response(
        response.status, response.body, response.content_type, (*response.headers, *headers)
    )
