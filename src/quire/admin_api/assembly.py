"""Puts the admin API together of its parts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quire import __version__
from quire.access.actions import all_actions
from quire.admin_api.api_tokens import ApiTokenApi
from quire.admin_api.attempts import Attempts
from quire.admin_api.content_api import ContentApiApi
from quire.admin_api.content_manager.assembly import content_manager_routes
from quire.admin_api.cookies import RefreshCookie
from quire.admin_api.lists import Lists
from quire.admin_api.permissions import PermissionApi
from quire.admin_api.profile import ProfileApi
from quire.admin_api.project import ProjectApi
from quire.admin_api.roles import AdminRoleApi
from quire.admin_api.router import AdminApi
from quire.admin_api.sign_in import AdminSignInApi
from quire.admin_api.staff import StaffApi
from quire.api.routes import Route
from quire.auth.admin.accounts import AdminAccounts
from quire.auth.admin.api_tokens import ApiTokens, TokenKeys
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.limits import Limits
from quire.auth.admin.people import People
from quire.auth.admin.roles import AdminRoles
from quire.auth.admin.sessions import Sessions
from quire.auth.admin.staff import Staff
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

    limits = Limits(store.schema, people)
    staff = Staff(database, rows, people, sessions, limits, clock=clock)
    roles = AdminRoles(database, rows, people, limits, clock=clock)
    lists = Lists(settings, database, store.schema, store.tables)

    def routes() -> Iterator[Route]:
        cookie = RefreshCookie(settings.secrets.app_keys, secure=_over_tls(settings))
        attempts = Attempts(settings.admin.rate_limit, clock)
        yield from AdminSignInApi(accounts, cookie, attempts).routes()
        yield from ProfileApi(database, store.schema, people, sessions, clock).routes()
        yield from StaffApi(database, people, staff, lists).routes()
        yield from AdminRoleApi(database, store.schema, people, roles, lists).routes()
        yield from PermissionApi(database, store.schema, people).routes()
        yield from ContentApiApi(store.schema, prefix=settings.api.prefix).routes()
        tokens = _tokens(settings, database, rows, clock)
        if tokens is not None:
            yield from ApiTokenApi(tokens).routes()
        yield from ProjectApi(
            accounts, database, environment=settings.environment, version=__version__
        ).routes()
        yield from content_manager_routes(database, documents)

    return AdminParts(api=AdminApi(routes(), database, authenticator), accounts=accounts)


def _tokens(
    settings: Settings, database: Database, rows: SystemRows, clock: Clock
) -> ApiTokens | None:
    salt = settings.secrets.api_token_salt
    if salt is None:
        return None
    keys = TokenKeys(salt=salt, encryption=settings.secrets.encryption_key)
    schema = rows.store.schema
    return ApiTokens(database, rows, keys, clock=clock, known_actions=lambda: all_actions(schema))


def _over_tls(settings: Settings) -> bool:
    return (settings.server.url or "").startswith("https://")
