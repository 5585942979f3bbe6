"""Signing in through somebody else."""

from collections.abc import Iterator

from quire.api.account import AccountAnswers
from quire.api.limits import CallLimits
from quire.api.messages import Answer, Request
from quire.api.routes import Route
from quire.database.accounts import Accounts
from quire.errors import ApplicationError, UnimplementedError

DISABLED = "This provider is disabled"
_LOCAL = "email"
"""Stands among the providers for signing in with a password."""
_GRANT_KEY = "plugin_users-permissions_grant"


class ProviderApi:
    """``/connect/:provider`` and ``/auth/:provider/callback``."""

    def __init__(self, answers: AccountAnswers, accounts: Accounts, limits: CallLimits) -> None:
        self._answers = answers
        self._accounts = accounts
        self._limits = limits

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = self._answers.route
        connect = self._limits.limited(self.provider, "connect")
        yield route("GET", "connect/:provider", "connect", connect)
        yield route("GET", "auth/:provider/callback", "callback", self.provider)

    async def provider(self, request: Request) -> Answer:
        """Refuse providers that are not enabled."""
        grant = await self._answers.read(lambda: self._accounts.stored(_GRANT_KEY))
        name = request.parameters["provider"]
        known = isinstance(grant, dict) and name != _LOCAL
        options = grant.get(name) if known else None
        if not isinstance(options, dict) or options.get("enabled") is not True:
            raise ApplicationError(DISABLED)
        message = "Signing in through a provider is not available yet"
        raise UnimplementedError(message)
