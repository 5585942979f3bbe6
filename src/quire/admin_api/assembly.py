"""Puts the admin API together of its parts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quire import __version__
from quire.admin_api.attempts import Attempts
from quire.admin_api.content_manager.assembly import content_manager_routes
from quire.admin_api.cookies import RefreshCookie
from quire.admin_api.profile import ProfileApi
from quire.admin_api.project import ProjectApi
from quire.admin_api.router import AdminApi
from quire.admin_api.sign_in import AdminSignInApi
from quire.api.routes import Route
from quire.auth.admin.accounts import AdminAccounts
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.people import People
from quire.auth.admin.sessions import Sessions
from quire.clock import Clock
from quire.database.connection import Database
from quire.database.content.store import Store
from quire.database.system_rows import SystemRows
from quire.documents.service import DocumentService
from quire.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminParts:
    """The admin API, and what those who start a server ask of it."""

    api: AdminApi
    accounts: AdminAccounts


def assemble_admin(
    settings: Settings,
    database: Database,
    store: Store,
    secret: str,
    *,
    documents: DocumentService,
    clock: Clock,
    new_id: Callable[[], str],
) -> AdminParts:
    """Make the admin API; ``secret`` signs the tokens of administrators."""
    rows = SystemRows(store=store, new_id=new_id)
    people, sessions = People(rows), Sessions(rows, secret)
    accounts = AdminAccounts(
        database,
        rows,
        people,
        sessions,
        clock=clock,
        registration_key=secret if settings.admin.registration == "link" else None,
    )
    authenticator = AdminAuthenticator(
        database, store.schema, people, sessions, clock=clock, cache_size=settings.cache.tokens
    )

    def routes() -> Iterator[Route]:
        cookie = RefreshCookie(settings.secrets.app_keys, secure=_over_tls(settings))
        attempts = Attempts(settings.admin.rate_limit, clock)
        yield from AdminSignInApi(accounts, cookie, attempts).routes()
        yield from ProfileApi(database, store.schema, people, sessions, clock).routes()
        yield from ProjectApi(
            accounts, database, environment=settings.environment, version=__version__
        ).routes()
        yield from content_manager_routes(database, documents)

    return AdminParts(api=AdminApi(routes(), database, authenticator), accounts=accounts)


def _over_tls(settings: Settings) -> bool:
    return (settings.server.url or "").startswith("https://")
