"""Objects that the handlers for accounts of end users share."""

from collections.abc import Callable
from typing import TypeVar
from uuid import uuid4

from msgspec import UNSET
from msgspec.structs import replace

from quire.auth.account_mails import Recovery
from quire.auth.end_users import EndUsers, Show
from quire.auth.token_issuer import ClientDevice, IssuedTokens, TokenIssuer
from quire.auth.user_agent import device_name
from quire.content_api.account_rate_limits import CallLimits
from quire.content_api.account_types import SignedInUser, TokenPair
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.refresh_cookie import RefreshCookie
from quire.database.execute.row_mappers import Item
from quire.database.program import Program
from quire.database.stores.auth_rows import Accounts
from quire.document_service.read_service import ReadService
from quire.errors import ValidationError
from quire.schema.model import USER_UID

T = TypeVar("T")

BAD_DEVICE = "deviceId must be a text of at most 255 characters"
_LONGEST_ID = 255


class AccountResponses:
    """Responds with the caller's user data and tokens."""

    def __init__(self, reader: ReadService, issuer: TokenIssuer, cookie: RefreshCookie) -> None:
        self._reader = reader
        self._cookie = cookie
        self._issuer = issuer
        self.schema = reader.schema
        self._type = reader.schema.content_types[USER_UID]

    async def read(self, make: Callable[[], Program[T]]) -> T:
        """Run a program that reads."""
        return await self._reader.database.read(make)

    def shower(self, request: Request, query: bytes = b"") -> Show[Item]:
        """Return a program that reads a user as the caller may see it."""
        prepared = self._reader.prepare_small(
            self._type, "written", query, request.principal.ability
        )

        def show(user_id: int) -> Program[Item]:
            items = yield from prepared.row(user_id)
            return items[0]

        return show

    async def signed_in(
        self, request: Request, user_id: int, password: str | None = None
    ) -> Response:
        """Respond with new tokens for an authenticated user; see `TokenIssuer.issue`."""
        show = self.shower(request)
        item = await self.read(lambda: show(user_id))
        issued = await self._issuer.issue(user_id, _device(request), password=password)
        return self.pair(request, issued, item)

    async def registered(self, request: Request, user_id: int, item: Item) -> Response:
        """Respond with the first tokens of a user; an unnamed device gets a new id."""
        device = _named_device(request)
        return self.pair(request, await self._issuer.issue(user_id, device), item)

    async def password_changed(self, request: Request, user_id: int, item: Item) -> Response:
        """Respond with tokens in place of those before; an unnamed device gets a new id."""
        device = _named_device(request)
        issued = await self._issuer.issue(user_id, device, is_login=False)
        return self.pair(request, issued, item)

    def pair(self, request: Request, issued: IssuedTokens, item: Item | None = None) -> Response:
        """Respond with tokens; the refresh token is set as a cookie if configured."""
        in_cookie = issued.refresh is not None and self._cookie.is_wanted(request)
        refresh = UNSET if in_cookie or issued.refresh is None else issued.refresh
        response = respond_bare(
            TokenPair(jwt=issued.jwt, refresh_token=refresh)
            if item is None
            else SignedInUser(jwt=issued.jwt, refresh_token=refresh, user=item)
        )
        if in_cookie and issued.refresh is not None:
            response.headers = self._cookie.set(issued.refresh)
        return response


def _device(request: Request) -> ClientDevice:
    """Return the device of a request. Raises ValidationError."""
    value = request.body_fields.get("deviceId")
    device_id = value if isinstance(value, str) and value else None
    if device_id is not None and (len(device_id) > _LONGEST_ID or "\0" in device_id):
        raise ValidationError(BAD_DEVICE)
    agent = request.headers.get(b"user-agent", b"").decode("latin-1")
    return ClientDevice(id=device_id, name=device_name(agent))


def _named_device(request: Request) -> ClientDevice:
    device = _device(request)
    return device if device.id is not None else replace(device, id=str(uuid4()))


class AccountApi:
    """Routes about the caller's account, and their parts."""

    def __init__(
        self,
        responses: AccountResponses,
        users: EndUsers,
        accounts: Accounts,
        recovery: Recovery,
        limits: CallLimits,
    ) -> None:
        self._responses = responses
        self._users = users
        self._accounts = accounts
        self._recovery = recovery
        self._limits = limits
