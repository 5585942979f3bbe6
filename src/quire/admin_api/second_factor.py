"""The caller's second factor: set up, confirm, renew, remove; and removal for others."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from quire.admin_api.login_throttle import LoginThrottle
from quire.admin_api.response_types import CREATED, SIGNING_IN, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.grant_limits import GrantLimits
from quire.auth.admin.second_factor import SecondFactors, provisioning_uri
from quire.auth.admin.user_management import NOT_FOUND
from quire.auth.admin.user_rows import AdminUser, AdminUserRows
from quire.auth.passwords import verify_password
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import id_of
from quire.database.interface import Database
from quire.database.program import Program
from quire.errors import ApplicationError, BadInputError, NotFoundError

CODE_REQUIRED_FOR_SELF = "One's own second factor is removed with a code of it"
WRONG_PASSWORD = "Invalid credentials"  # noqa: S105 - a message
_PATH = "admin/x/second-factor"


class CurrentPassword(RequestBody):
    """The caller's password."""

    password: str


class FactorCode(RequestBody):
    """A code of an app."""

    code: str


class FactorRemoval(RequestBody):
    """The caller's password, and a code of the second factor."""

    password: str
    code: str


class SecondFactorState(Struct, rename="camel"):
    """Whether there is a second factor, and how many recovery codes are left."""

    active: bool
    recovery_codes: int


class NewSecondFactor(Struct):
    """The secret for an app."""

    secret: str
    uri: str


class RecoveryCodes(Struct, rename="camel"):
    """Recovery codes for a lost app, shown once."""

    recovery_codes: list[str]


class SecondFactorApi:
    """``/admin/x/second-factor`` and ``/admin/x/users/:id/second-factor``."""

    def __init__(
        self,
        database: Database,
        admin_users: AdminUserRows,
        factors: SecondFactors,
        limits: GrantLimits,
        attempts: LoginThrottle,
        *,
        project: str,
    ) -> None:
        """``project`` is the name under which apps list their codes."""
        self._database = database
        self._admin_users = admin_users
        self._factors = factors
        self._limits = limits
        self._attempts = attempts
        self._project = project

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(SIGNING_IN)
        codes_response = DataEnvelope[RecoveryCodes]
        empty_response = DataEnvelope[FreeObject]
        yield route("GET", _PATH, SIGNED_IN, self.show, response=DataEnvelope[SecondFactorState])
        yield route(
            "POST",
            _PATH,
            SIGNED_IN,
            self.begin,
            body=CurrentPassword,
            response=DataEnvelope[NewSecondFactor],
            status=CREATED,
        )
        path = f"{_PATH}/confirm"
        yield route("POST", path, SIGNED_IN, self.confirm, body=FactorCode, response=codes_response)
        path = f"{_PATH}/recovery-codes"
        yield route(
            "POST", path, SIGNED_IN, self.renew_codes, body=FactorCode, response=codes_response
        )
        path = f"{_PATH}/remove"
        yield route(
            "POST", path, SIGNED_IN, self.remove, body=FactorRemoval, response=empty_response
        )
        path = "admin/x/users/:id/second-factor"
        yield route(
            "DELETE", path, "admin::users.update", self.remove_of_other, response=empty_response
        )

    async def show(self, request: Request) -> Response:
        """Tell whether the caller has a second factor, and how many recovery codes are left."""
        admin_user = await self._admin_user(request)
        factor = await self._database.read(lambda: self._factors.get(admin_user))
        active = factor is not None and factor.active
        recovery_codes = len(factor.recovery) if factor is not None else 0
        return respond_data({"active": active, "recoveryCodes": recovery_codes if active else 0})

    async def begin(self, request: Request) -> Response:
        """Set up a second factor: the secret is for an app, and shown once."""
        body = read_body(request.body, CurrentPassword)
        admin_user = await self._verify_password(request, body.password)
        secret = await self._database.write(self._factors.begin(admin_user))
        uri = provisioning_uri(secret, admin_user.email, self._project)
        return respond_data({"secret": secret, "uri": uri}, CREATED)

    async def confirm(self, request: Request) -> Response:
        """Enable it with a code of the app; the recovery codes are shown once."""
        code = read_body(request.body, FactorCode).code
        return await self._codes(
            request, lambda admin_user: self._factors.confirm(admin_user, code)
        )

    async def renew_codes(self, request: Request) -> Response:
        """Replace the recovery codes."""
        code = read_body(request.body, FactorCode).code
        return await self._codes(
            request, lambda admin_user: self._factors.renew_codes(admin_user, code)
        )

    async def remove(self, request: Request) -> Response:
        """Remove the own second factor, with the password and a code of it."""
        body = read_body(request.body, FactorRemoval)
        admin_user = await self._verify_password(request, body.password)
        self._attempts.count_code(admin_user.email)

        def program() -> Program[None]:
            yield from self._factors.require(admin_user, body.code)
            yield from self._factors.remove(admin_user)

        await self._database.write(program())
        return respond_data({})

    async def remove_of_other(self, request: Request) -> Response:
        """Remove the second factor of an administrator who lost it and has no more permissions."""
        administrator = request.administrator
        admin_user_id = id_of(request.parameters["id"])
        if admin_user_id == administrator.id:
            raise ApplicationError(CODE_REQUIRED_FOR_SELF)

        def program() -> Program[None]:
            admin_user = None
            if admin_user_id is not None:
                admin_user = yield from self._admin_users.admin_user(admin_user_id)
            if admin_user is None:
                raise NotFoundError(NOT_FOUND)
            yield from self._limits.require_admin_user(administrator.ability, admin_user)
            yield from self._factors.remove(admin_user)

        await self._database.write(program())
        return respond_data({})

    async def _codes(
        self, request: Request, make: Callable[[AdminUser], Program[tuple[str, ...]]]
    ) -> Response:
        admin_user = await self._admin_user(request)
        self._attempts.count_code(admin_user.email)
        codes = await self._database.write(make(admin_user))
        return respond_data({"recoveryCodes": list(codes)})

    async def _admin_user(self, request: Request) -> AdminUser:
        user_id = request.administrator.id
        return await self._database.read(lambda: self._admin_users.require(user_id))

    async def _verify_password(self, request: Request, password: str) -> AdminUser:
        admin_user = await self._admin_user(request)
        self._attempts.count_code(admin_user.email)
        if not await verify_password(password, admin_user.row.password):
            raise BadInputError(details={"password": [WRONG_PASSWORD]})
        return admin_user
