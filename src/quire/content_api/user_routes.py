"""Creates the routes for end users: accounts, roles, sessions, providers."""

from collections.abc import Iterator
from urllib.parse import urljoin

from msgspec import Struct

from quire.access.actions import RoutedActions
from quire.auth.account_mails import AccountPages, Recovery
from quire.auth.background_tasks import BackgroundTasks
from quire.auth.end_user_roles import Roles
from quire.auth.end_users import EndUsers
from quire.auth.oauth.state import StateCipher
from quire.auth.rate_limit import RateLimiter
from quire.auth.sessions import Sessions
from quire.auth.shared_counters import SharedCounters
from quire.auth.token_issuer import ORIGIN, TokenIssuer, lifetimes_of
from quire.clock import Clock
from quire.content_api.account_context import AccountResponses
from quire.content_api.account_rate_limits import CallLimits
from quire.content_api.email_confirmation import ConfirmationApi
from quire.content_api.end_user_roles import RoleApi
from quire.content_api.end_users import UserApi
from quire.content_api.mail_routes import MailApi
from quire.content_api.oauth_routes import ProviderApi
from quire.content_api.password_routes import PasswordApi
from quire.content_api.refresh_cookie import RefreshCookie
from quire.content_api.routes import Route
from quire.content_api.session_routes import SessionApi
from quire.content_api.sign_in import SignInApi
from quire.database.entries.entry_tables import EntryStore
from quire.database.stores.auth_rows import Accounts
from quire.database.stores.builtin_type_table import ContentTables
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.ids import new_document_id
from quire.mail.senders import Sender, choose_sender
from quire.settings import Settings


class AccountServices(Struct, frozen=True, kw_only=True):
    """Objects for the accounts of end users that all schema versions share."""

    sender: Sender
    background_tasks: BackgroundTasks
    calls: SharedCounters
    limiter: RateLimiter | None

    async def close(self, seconds: float) -> None:
        """Wait for pending mails, for a limited number of seconds."""
        await self.background_tasks.close(seconds)
        self.calls.close()


def account_services(settings: Settings, clock: Clock) -> AccountServices:
    """Create the mail sender, the request counters and the rate limiter of a process."""
    # The secret is the key by which names in the file are hashed.
    calls = SharedCounters(settings.secrets.jwt_secret or "", settings.server.calls_file)
    return AccountServices(
        sender=choose_sender(settings.mail, development=settings.is_development),
        background_tasks=BackgroundTasks(),
        calls=calls,
        limiter=_limiter(settings, calls, clock),
    )


class AccountApis:
    """The handlers of sign-in, registration, passwords, sessions, providers, users and roles.

    ``roles`` and ``recovery`` are also used by the admin API, ``sessions`` by the authenticator.
    """

    def __init__(
        self,
        settings: Settings,
        reader: ReadService,
        documents: DocumentService,
        accounts: Accounts,
        services: AccountServices,
        *,
        clock: Clock,
        routed: RoutedActions,
    ) -> None:
        self.sessions = sessions = user_sessions(settings, documents.engine.store)
        lifetime = settings.users.reset_expires_in
        users = EndUsers(documents, accounts, sessions, reset_lifetime=lifetime)
        self.recovery = recovery = Recovery(
            reader.database,
            documents,
            accounts,
            services.sender,
            services.background_tasks,
            pages=_account_pages(settings),
            clock=clock,
        )
        issuer = TokenIssuer(
            documents,
            accounts,
            sessions,
            clock=clock,
            secret=settings.secrets.jwt_secret,
            lifetime=settings.users.jwt_expires_in,
        )
        cookie = _cookie(settings)
        responses = AccountResponses(reader, issuer, cookie)
        limits = CallLimits(services.limiter)
        self.roles = RoleApi(reader, accounts, Roles(documents, accounts), routed=routed)
        self._apis = (
            UserApi(reader, responses, users, accounts),
            self.roles,
            SignInApi(
                responses,
                users,
                accounts,
                recovery,
                limits,
                more=settings.users.register_fields,
            ),
            PasswordApi(responses, users, accounts, recovery, limits),
            ConfirmationApi(responses, users, accounts, recovery, limits),
            SessionApi(responses, issuer, cookie),
            _provider_api(settings, responses, users, accounts, limits, clock),
            MailApi(services.sender),
        )

    def routes(self) -> Iterator[Route]:
        """Yield all routes of accounts."""
        for api in self._apis:
            yield from api.routes()


def user_sessions(settings: Settings, store: EntryStore) -> Sessions | None:
    """Return the sessions of end users, ``None`` if they have long-lived tokens."""
    secret = settings.secrets.jwt_secret
    if settings.users.jwt_management != "refresh" or secret is None:
        return None
    tables = ContentTables(store=store, new_id=new_document_id)
    return Sessions(tables, secret, lifetimes_of(settings.users.sessions), origin=ORIGIN)


def _provider_api(
    settings: Settings,
    responses: AccountResponses,
    users: EndUsers,
    accounts: Accounts,
    limits: CallLimits,
    clock: Clock,
) -> ProviderApi:
    server = _server_url(settings)
    return ProviderApi(
        responses,
        users,
        accounts,
        limits,
        _state_cipher(settings, clock),
        api=f"{server}{settings.api.prefix}",
        secure=server.startswith("https:"),
        clock=clock,
    )


def _cookie(settings: Settings) -> RefreshCookie:
    sessions = settings.users.sessions
    # Development servers have no TLS; browsers would drop a cookie with ``Secure``.
    secure = sessions.cookie_secure and not settings.is_development
    return RefreshCookie(sessions, settings.cors, secure=secure)


def _state_cipher(settings: Settings, clock: Clock) -> StateCipher | None:
    """Return the cipher for the state of a sign-in, ``None`` if tokens are disabled."""
    secret = settings.secrets.jwt_secret
    return None if secret is None else StateCipher(secret, clock)


def _server_url(settings: Settings) -> str:
    """Return the configured URL of the server."""
    return settings.server.url or f"http://localhost:{settings.server.port}"


def _limiter(settings: Settings, calls: SharedCounters, clock: Clock) -> RateLimiter | None:
    """Return the limiter of sign-in and registration, ``None`` if it is disabled."""
    limit = settings.users.rate_limit
    if not limit.enabled:
        return None
    interval = int(limit.interval.total_seconds() * 1000)
    return RateLimiter(calls, "users", limit=limit.max, interval_ms=interval, clock=clock)


def _account_pages(settings: Settings) -> AccountPages:
    """Return the URLs that e-mails link to."""
    server = _server_url(settings)
    return AccountPages(
        server=server,
        admin=urljoin(server, "/admin"),
        confirmation=f"{server}{settings.api.prefix}/auth/email-confirmation",
    )
