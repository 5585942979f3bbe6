"""Authenticates requests by the strategies of a project's code."""

import asyncio
from collections.abc import Mapping, Sequence

import structlog

from quire.access.principal import EndUser
from quire.auth.authenticator import Authenticator
from quire.content_api.http_messages import Request
from quire.errors import UnauthorizedError
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.strategies_and_middlewares import AuthStrategy, Credential
from quire.hooks.strategies_and_middlewares import Request as StrategyRequest

_TIMEOUT_SECONDS = 10.0
_log = structlog.get_logger("quire.extensions")


class Strategies:
    """The strategies, in the order in which they are called."""

    def __init__(self, strategies: Sequence[AuthStrategy], authenticator: Authenticator) -> None:
        self._strategies = strategies
        self._authenticator = authenticator

    async def identify(self, request: Request) -> EndUser | None:
        """Return the end user of the first strategy with a result.

        ``None`` if there is none. Raises UnauthorizedError for every exception of a strategy, and
        for an end user who does not exist or may not sign in.
        """
        strategy_request = _strategy_request(request)
        for strategy in self._strategies:
            credential = await self._ask(strategy, strategy_request)
            if credential is not None:
                return await self._end_user(credential)
        return None

    async def _ask(self, strategy: AuthStrategy, request: StrategyRequest) -> Credential | None:
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                credential: object = await strategy.function(request)
        except UnauthorizedError:
            raise
        except CODE_ERRORS as error:
            _log.exception("a strategy failed", strategy=strategy.name, place=strategy.place)
            raise UnauthorizedError from error
        if credential is None or isinstance(credential, Credential):
            return credential
        _log.error("a strategy must return a Credential", strategy=strategy.name)
        raise UnauthorizedError

    async def _end_user(self, credential: Credential) -> EndUser:
        if credential.user_id is not None:
            return await self._authenticator.user_principal(credential.user_id)
        if not credential.user_email:
            raise UnauthorizedError
        return await self._authenticator.user_principal_by_email(credential.user_email)


def _strategy_request(request: Request) -> StrategyRequest:
    return StrategyRequest(
        method=request.method,
        path=request.path.decode("latin-1"),
        query=request.raw_query.decode("latin-1"),
        headers=_headers(request.headers),
        client=None if request.client is None else request.client[0],
    )


def _headers(headers: Mapping[bytes, bytes]) -> Mapping[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()}
