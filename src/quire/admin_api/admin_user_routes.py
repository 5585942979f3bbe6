"""Creates the routes for sign-in, profiles, administrators and roles."""

from collections.abc import Iterator

from msgspec import Struct

from quire.admin_api.admin_roles import AdminRoleApi
from quire.admin_api.admin_user_lists import AdminLists
from quire.admin_api.admin_users import AdminUserApi
from quire.admin_api.context import AdminContext
from quire.admin_api.permissions import PermissionApi
from quire.admin_api.profile import ProfileApi
from quire.admin_api.second_factor import SecondFactorApi
from quire.admin_api.sign_in import AdminRefreshCookie, AdminSignInApi
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.grant_limits import GrantLimits
from quire.auth.admin.password_reset import AdminRecovery, RecoveryMails
from quire.auth.admin.roles import AdminRoles
from quire.auth.admin.second_factor import SecondFactors
from quire.auth.admin.sign_in import AdminAccounts
from quire.auth.admin.user_management import AdminUserManagement
from quire.content_api.routes import Route


class AdminAuthentication(Struct, frozen=True, kw_only=True):
    """The parts that authenticate administrators."""

    accounts: AdminAccounts
    authenticator: AdminAuthenticator
    recovery: AdminRecovery
    factors: SecondFactors


def open_identity(context: AdminContext) -> AdminAuthentication:
    """Create the parts that authenticate administrators."""
    settings, database, clock = context.settings, context.database, context.clock
    tables, admin_users, sessions = context.tables, context.admin_users, context.sessions
    key = settings.secrets.encryption_key or context.secret
    factors = SecondFactors(context.engine.store.writes, key, clock)
    return AdminAuthentication(
        accounts=AdminAccounts(
            database,
            tables,
            admin_users,
            sessions,
            factors,
            clock=clock,
            registration_key=context.secret if settings.admin.registration == "link" else None,
        ),
        authenticator=AdminAuthenticator(
            database,
            context.schema,
            admin_users,
            sessions,
            clock=clock,
            cache_size=settings.cache.tokens,
        ),
        recovery=AdminRecovery(
            database, tables, admin_users, sessions, factors, _create_recovery_mails(context), clock
        ),
        factors=factors,
    )


def identity_routes(context: AdminContext, identity: AdminAuthentication) -> Iterator[Route]:
    """Yield the routes of sessions, accounts and roles of administrators."""
    settings, database = context.settings, context.database
    schema, admin_users, attempts = context.schema, context.admin_users, context.sources.attempts
    cookie = AdminRefreshCookie(settings.secrets.app_keys, secure=_uses_tls(context))
    limits = GrantLimits(schema, admin_users)
    yield from AdminSignInApi(identity.accounts, identity.recovery, cookie, attempts).routes()
    yield from SecondFactorApi(
        database,
        admin_users,
        identity.factors,
        limits,
        attempts,
        project=settings.project.resolve().name,
    ).routes()
    yield from ProfileApi(database, schema, admin_users, context.sessions, context.clock).routes()
    yield from _staff_routes(context, limits)
    yield from PermissionApi(database, schema, admin_users).routes()


def _staff_routes(context: AdminContext, limits: GrantLimits) -> Iterator[Route]:
    database = context.database
    tables = context.tables
    admin_users = context.admin_users
    clock = context.clock
    lists = AdminLists(context.settings, context.sources.reader)
    management = AdminUserManagement(
        database, tables, admin_users, context.sessions, limits, clock=clock
    )
    yield from AdminUserApi(database, admin_users, management, lists).routes()
    roles = AdminRoles(database, tables, admin_users, limits, clock=clock)
    yield from AdminRoleApi(database, context.schema, admin_users, roles, lists).routes()


def _create_recovery_mails(context: AdminContext) -> RecoveryMails:
    settings, services = context.settings.server, context.sources.services
    server = settings.url or f"http://localhost:{settings.port}"
    return RecoveryMails(
        background_tasks=services.background_tasks, sender=services.sender, page=f"{server}/admin"
    )


def _uses_tls(context: AdminContext) -> bool:
    return (context.settings.server.url or "").startswith("https://")
