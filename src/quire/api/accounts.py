"""Puts together what end users, and those who look after them, talk to."""

from collections.abc import Iterator
from urllib.parse import urljoin

from quire.api.account import AccountAnswers
from quire.api.confirmation import ConfirmationApi
from quire.api.limits import CallLimits
from quire.api.mail import MailApi
from quire.api.passwords import PasswordApi
from quire.api.providers import ProviderApi
from quire.api.reader import Reader
from quire.api.roles import RoleApi
from quire.api.routes import Route
from quire.api.sessions import SessionApi
from quire.api.sign_in import SignInApi
from quire.api.users import UserApi
from quire.auth.end_users import EndUsers
from quire.auth.issuer import Issuer
from quire.auth.rate_limit import RateLimiter
from quire.auth.recovery import Pages, Recovery
from quire.auth.roles import Roles
from quire.clock import Clock
from quire.database.accounts import Accounts
from quire.documents.service import DocumentService
from quire.mail.senders import choose_sender
from quire.settings import Settings


class AccountApis:
    """Everything about accounts that has routes, and the work that it leaves for later."""

    def __init__(
        self,
        settings: Settings,
        reader: Reader,
        documents: DocumentService,
        accounts: Accounts,
        *,
        clock: Clock,
    ) -> None:
        self._patience = settings.server.shutdown_timeout.total_seconds()
        sender = choose_sender(settings.mail, development=settings.is_development)
        users = EndUsers(documents, accounts, reset_lifetime=settings.users.reset_expires_in)
        self._recovery = Recovery(
            reader.database, documents, accounts, sender, pages=_pages(settings), clock=clock
        )
        answers = AccountAnswers(reader, _issuer(settings, clock))
        limits = CallLimits(_limiter(settings, clock))
        self._apis = (
            UserApi(reader, users, accounts),
            RoleApi(reader, accounts, Roles(documents, accounts)),
            SignInApi(answers, users, accounts, self._recovery, limits),
            PasswordApi(answers, users, accounts, self._recovery, limits),
            ConfirmationApi(answers, users, accounts, self._recovery, limits),
            SessionApi(answers),
            ProviderApi(answers, accounts, limits),
            MailApi(sender),
        )

    def routes(self) -> Iterator[Route]:
        """Yield all routes of accounts."""
        for api in self._apis:
            yield from api.routes()

    async def close(self) -> None:
        """Wait for the mails that are still to be sent."""
        await self._recovery.postbox.close(self._patience)


def _issuer(settings: Settings, clock: Clock) -> Issuer:
    return Issuer(
        clock=clock,
        secret=settings.secrets.jwt_secret,
        lifetime=settings.users.jwt_expires_in,
    )


def _limiter(settings: Settings, clock: Clock) -> RateLimiter | None:
    limit = settings.users.rate_limit
    if not limit.enabled:
        return None
    interval = int(limit.interval.total_seconds() * 1000)
    return RateLimiter(limit=limit.max, interval_ms=interval, clock=clock)


def _pages(settings: Settings) -> Pages:
    server = settings.server.url or f"http://localhost:{settings.server.port}"
    return Pages(
        server=server,
        admin=urljoin(server, "/admin"),
        confirmation=f"{server}{settings.api.prefix}/auth/email-confirmation",
    )
