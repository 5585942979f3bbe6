"""Puts the admin API together of its parts."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from quire import __version__
from quire.access.actions import all_actions
from quire.admin_api.api_tokens import ApiTokenApi
from quire.admin_api.attempts import Attempts
from quire.admin_api.audit import AuditApi, AuditedDatabase, AuditTrail
from quire.admin_api.content_api import ContentApiApi
from quire.admin_api.content_manager.assembly import content_manager_routes
from quire.admin_api.content_manager.keeping import KeptHistory
from quire.admin_api.cookies import RefreshCookie
from quire.admin_api.deliveries import DeliveryApi
from quire.admin_api.end_users import EndUserApi
from quire.admin_api.homepage import HomepageApi
from quire.admin_api.lists import Lists
from quire.admin_api.locales import DefaultChanged, LocalesApi
from quire.admin_api.media.assembly import media_routes
from quire.admin_api.model.assembly import model_routes
from quire.admin_api.own.assembly import own_routes
from quire.admin_api.own.description import AdminDescriptionApi
from quire.admin_api.permissions import PermissionApi
from quire.admin_api.profile import ProfileApi
from quire.admin_api.project import ProjectApi
from quire.admin_api.roles import AdminRoleApi
from quire.admin_api.router import AdminApi
from quire.admin_api.second_factor import SecondFactorApi
from quire.admin_api.sign_in import AdminSignInApi
from quire.admin_api.staff import StaffApi
from quire.admin_api.webhooks import WebhookApi
from quire.api.accounts import AccountApis, AccountServices
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.auth.admin.accounts import AdminAccounts
from quire.auth.admin.api_tokens import ApiTokens, TokenKeys
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.limits import Limits
from quire.auth.admin.people import People
from quire.auth.admin.recovery import AdminRecovery, Mailing
from quire.auth.admin.roles import AdminRoles
from quire.auth.admin.second_factor import SecondFactors
from quire.auth.admin.staff import Staff
from quire.auth.admin.stale_fields import StaleFields
from quire.auth.sessions import Sessions
from quire.builder.aside import KeptAside
from quire.builder.remodel import Project, Remodeller
from quire.clock import Clock
from quire.content_manager.history import History
from quire.content_manager.lists import ListSizes
from quire.content_manager.locales import Locales
from quire.database.audit import AuditLog
from quire.database.connection import Database
from quire.database.revisions import Revisions
from quire.database.system_rows import SystemRows
from quire.documents.service import DocumentService
from quire.events.webhooks import WebhookParts
from quire.settings import Settings
from quire.uploads.library import Library


class AdminParts(Struct, frozen=True, kw_only=True):
    """The admin API, and what those who start a server ask of it."""

    api: AdminApi
    accounts: AdminAccounts
    stale_fields: StaleFields


class AdminSources(Struct, frozen=True, kw_only=True):
    """What the admin API is made of that others use, too."""

    reader: Reader
    documents: DocumentService
    library: Library
    accounts: AccountApis
    webhooks: WebhookParts
    services: AccountServices
    attempts: Attempts
    audit: AuditLog
    project: Project


def assemble_admin(
    settings: Settings,
    sources: AdminSources,
    *,
    clock: Clock,
    default_changed: DefaultChanged,
) -> AdminParts:
    """Make the admin API of a project with a secret for it.

    ``default_changed`` is told when another locale becomes the default one.
    """
    secret = settings.secrets.admin_jwt_secret or ""
    database = AuditedDatabase(sources.reader.database, sources.audit)
    sources, engine = _audited(sources, database), sources.documents.engine
    rows = SystemRows(store=engine.store, new_id=engine.new_id)
    schema = engine.schema
    people, sessions = People(rows), Sessions(rows, secret)
    key = settings.secrets.encryption_key or secret
    factors = SecondFactors(engine.store.writes, key, clock)
    accounts = AdminAccounts(
        database,
        rows,
        people,
        sessions,
        factors,
        clock=clock,
        registration_key=secret if settings.admin.registration == "link" else None,
    )
    authenticator = AdminAuthenticator(
        database, schema, people, sessions, clock=clock, cache_size=settings.cache.tokens
    )
    mailing = _mailing(settings, sources.services)
    recovery = AdminRecovery(database, rows, people, sessions, factors, mailing, clock)
    staff = _Staff(settings, database, rows, people, sessions, clock)

    def routes() -> Iterator[Route]:
        cookie = RefreshCookie(settings.secrets.app_keys, secure=_over_tls(settings))
        attempts = sources.attempts
        yield from AdminSignInApi(accounts, recovery, cookie, attempts).routes()
        yield from SecondFactorApi(
            database,
            people,
            factors,
            Limits(schema, people),
            attempts,
            project=settings.project.resolve().name,
        ).routes()
        yield from ProfileApi(database, schema, people, sessions, clock).routes()
        yield from staff.routes()
        yield from PermissionApi(database, schema, people).routes()
        yield from ContentApiApi(schema, prefix=settings.api.prefix).routes()
        yield from _token_routes(settings, database, rows, clock)
        yield from LocalesApi(database, Locales(rows, clock), default_changed).routes()
        yield from _option_routes(settings, sources, database, clock)
        yield from AuditApi(sources.audit).routes()
        yield from HomepageApi(database, rows).routes()
        yield from ProjectApi(
            accounts, database, environment=settings.environment, version=__version__
        ).routes()
        remembered = ListSizes(plans=settings.cache.plans, counts=settings.cache.counts)
        history = _history(settings, sources)
        yield from content_manager_routes(database, sources.documents, remembered, history)
        yield from own_routes(
            database, sources.documents, history, sources.webhooks, people, authenticator, clock
        )
        yield from media_routes(settings, sources.library, engine)
        project = replace(sources.project, database=database)
        yield from model_routes(Remodeller(project), KeptAside(database, project.kind))
        yield from AdminDescriptionApi(lambda: api.routes.routes, schema).routes()

    trail = AuditTrail(sources.audit, clock)
    api = AdminApi(routes(), database, authenticator, trail.begin, trail.note)
    stale = StaleFields(database=database, rows=rows, clock=clock)
    return AdminParts(api=api, accounts=accounts, stale_fields=stale)


def _audited(sources: AdminSources, database: AuditedDatabase) -> AdminSources:
    """Let whatever administrators change be noted in the transaction of the change."""
    documents, library = sources.documents.through(database), sources.library.through(database)
    return replace(sources, documents=documents, library=library)


def _history(settings: Settings, sources: AdminSources) -> KeptHistory:
    revisions = Revisions(sources.documents.engine.store.writes)
    return KeptHistory(History(revisions, settings.admin.revisions), sources.webhooks.tables)


def _mailing(settings: Settings, services: AccountServices) -> Mailing:
    server = settings.server.url or f"http://localhost:{settings.server.port}"
    return Mailing(postbox=services.postbox, sender=services.sender, page=f"{server}/admin")


def _option_routes(
    settings: Settings, sources: AdminSources, database: Database, clock: Clock
) -> Iterator[Route]:
    """Yield the routes of what is set for end users, and of webhooks."""
    writes = sources.documents.engine.store.writes
    server, parts = settings.server.url or "", sources.webhooks
    yield from EndUserApi(database, writes, sources.accounts.roles, server=server).routes()
    yield from WebhookApi(
        database,
        parts.webhooks,
        clock,
        private=settings.webhooks.private_addresses,
        changed=parts.outbox.refresh,
    ).routes()
    yield from DeliveryApi(database, parts, clock).routes()


class _Staff:
    """The routes of administrators and their roles."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        rows: SystemRows,
        people: People,
        sessions: Sessions,
        clock: Clock,
    ) -> None:
        schema, tables = rows.store.schema, rows.store.tables
        limits = Limits(schema, people)
        staff = Staff(database, rows, people, sessions, limits, clock=clock)
        roles = AdminRoles(database, rows, people, limits, clock=clock)
        lists = Lists(settings, database, schema, tables)
        self._apis = (
            StaffApi(database, people, staff, lists),
            AdminRoleApi(database, schema, people, roles, lists),
        )

    def routes(self) -> Iterator[Route]:
        for api in self._apis:
            yield from api.routes()


def _token_routes(
    settings: Settings, database: Database, rows: SystemRows, clock: Clock
) -> Iterator[Route]:
    salt = settings.secrets.api_token_salt
    if salt is None:
        return
    schema = rows.store.schema
    tokens = ApiTokens(
        database,
        rows,
        TokenKeys(salt=salt, encryption=settings.secrets.encryption_key),
        clock=clock,
        known_actions=lambda: all_actions(schema),
    )
    yield from ApiTokenApi(tokens).routes()


def _over_tls(settings: Settings) -> bool:
    return (settings.server.url or "").startswith("https://")
