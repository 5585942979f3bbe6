"""Who administrators are: signing in, their profiles, those beside them, and their roles."""

from collections.abc import Iterator

from msgspec import Struct

from quire.admin_api.admin_users import StaffApi
from quire.admin_api.context import AdminContext
from quire.admin_api.cookies import RefreshCookie
from quire.admin_api.lists import AdminLists
from quire.admin_api.permissions import PermissionApi
from quire.admin_api.profile import ProfileApi
from quire.admin_api.roles import AdminRoleApi
from quire.admin_api.second_factor import SecondFactorApi
from quire.admin_api.sign_in import AdminSignInApi
from quire.auth.admin.accounts import AdminAccounts
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.grant_limits import GrantLimits
from quire.auth.admin.recovery import AdminRecovery, RecoveryMails
from quire.auth.admin.roles import AdminRoles
from quire.auth.admin.second_factor import SecondFactors
from quire.auth.admin.user_management import AdminUserManagement
from quire.content_api.routes import Route


class Identity(Struct, frozen=True, kw_only=True):
    """What tells administrators from others, and from each other."""

    accounts: AdminAccounts
    authenticator: AdminAuthenticator
    recovery: AdminRecovery
    factors: SecondFactors


def open_identity(ground: AdminContext) -> Identity:
    """Make what administrators sign in by."""
    settings, database, clock = ground.settings, ground.database, ground.clock
    rows, people, sessions = ground.rows, ground.people, ground.sessions
    key = settings.secrets.encryption_key or ground.secret
    factors = SecondFactors(ground.engine.store.writes, key, clock)
    return Identity(
        accounts=AdminAccounts(
            database,
            rows,
            people,
            sessions,
            factors,
            clock=clock,
            registration_key=ground.secret if settings.admin.registration == "link" else None,
        ),
        authenticator=AdminAuthenticator(
            database, ground.schema, people, sessions, clock=clock, cache_size=settings.cache.tokens
        ),
        recovery=AdminRecovery(database, rows, people, sessions, factors, _mailing(ground), clock),
        factors=factors,
    )


def identity_routes(ground: AdminContext, identity: Identity) -> Iterator[Route]:
    """Yield the routes of sessions, accounts and roles of administrators."""
    settings, database = ground.settings, ground.database
    schema, people, attempts = ground.schema, ground.people, ground.sources.attempts
    cookie = RefreshCookie(settings.secrets.app_keys, secure=_over_tls(ground))
    limits = GrantLimits(schema, people)
    yield from AdminSignInApi(identity.accounts, identity.recovery, cookie, attempts).routes()
    yield from SecondFactorApi(
        database,
        people,
        identity.factors,
        limits,
        attempts,
        project=settings.project.resolve().name,
    ).routes()
    yield from ProfileApi(database, schema, people, ground.sessions, ground.clock).routes()
    yield from _staff_routes(ground, limits)
    yield from PermissionApi(database, schema, people).routes()


def _staff_routes(ground: AdminContext, limits: GrantLimits) -> Iterator[Route]:
    database, rows, people, clock = ground.database, ground.rows, ground.people, ground.clock
    lists = AdminLists(ground.settings, database, ground.schema, rows.store.tables)
    staff = AdminUserManagement(database, rows, people, ground.sessions, limits, clock=clock)
    yield from StaffApi(database, people, staff, lists).routes()
    roles = AdminRoles(database, rows, people, limits, clock=clock)
    yield from AdminRoleApi(database, ground.schema, people, roles, lists).routes()


def _mailing(ground: AdminContext) -> RecoveryMails:
    settings, services = ground.settings.server, ground.sources.services
    server = settings.url or f"http://localhost:{settings.port}"
    return RecoveryMails(postbox=services.postbox, sender=services.sender, page=f"{server}/admin")


def _over_tls(ground: AdminContext) -> bool:
    return (ground.settings.server.url or "").startswith("https://")
