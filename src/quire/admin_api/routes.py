"""Creates the admin API from its parts."""

from collections.abc import Iterator

from msgspec import Struct

from quire import __version__
from quire.access.actions import all_actions
from quire.admin_api.api_tokens import ApiTokenApi
from quire.admin_api.audit import AuditApi, AuditTrail
from quire.admin_api.content_api import ContentApiApi
from quire.admin_api.content_manager.revision_table import RevisionHistory
from quire.admin_api.content_manager.routes import content_manager_routes
from quire.admin_api.context import AdminContext, AdminSources, make_admin_context
from quire.admin_api.end_user_requests import EndUserRequestApi
from quire.admin_api.end_users import EndUserApi
from quire.admin_api.extras.description import AdminDescriptionApi
from quire.admin_api.extras.jobs import JobApi
from quire.admin_api.extras.outbox import OutboxApi
from quire.admin_api.extras.previews import FRAME_SOURCES, PreviewApi
from quire.admin_api.extras.release_parts import ReleaseParts
from quire.admin_api.extras.routes import own_routes
from quire.admin_api.extras.scheduled_jobs import ScheduledJobs
from quire.admin_api.homepage import HomepageApi
from quire.admin_api.identity import Identity, identity_routes, open_identity
from quire.admin_api.locales import LocalesApi
from quire.admin_api.media.routes import media_routes
from quire.admin_api.model.routes import model_routes
from quire.admin_api.project import ProjectApi
from quire.admin_api.router import AdminApi
from quire.admin_api.webhook_deliveries import DeliveryApi
from quire.admin_api.webhooks import WebhookApi
from quire.auth.admin.accounts import AdminAccounts
from quire.auth.admin.api_tokens import ApiTokenManager, TokenKeys
from quire.auth.admin.stale_permissions import StalePermissions
from quire.builder.apply import ModelEditor
from quire.clock import Clock
from quire.content_api.routes import Route
from quire.content_manager.entry_lists import EntryLists
from quire.content_manager.locales import LocaleStore
from quire.content_manager.read_service import ContentReading
from quire.content_manager.releases.store import ReleaseStore
from quire.content_manager.revisions import RevisionLog
from quire.database.migration.archive import ModelArchive
from quire.database.stores.revisions import Revisions
from quire.document_service.read_service import ReadService
from quire.hooks.jobs import JobDefinition
from quire.settings import Settings


class AdminParts(Struct, frozen=True, kw_only=True):
    """The admin API, the parts that a server needs of it, and its jobs."""

    api: AdminApi
    end_user_requests: EndUserRequestApi
    accounts: AdminAccounts
    stale_fields: StalePermissions
    jobs: tuple[JobDefinition, ...]


def assemble_admin(settings: Settings, sources: AdminSources, *, clock: Clock) -> AdminParts:
    """Create the admin API of a project with a secret for it."""
    context = make_admin_context(settings, sources, clock)
    identity = open_identity(context)
    end_user_requests = EndUserRequestApi()
    scheduled = _scheduled_jobs(context, identity)

    def routes() -> Iterator[Route]:
        yield from identity_routes(context, identity)
        yield from _project_routes(context, identity)
        yield from end_user_requests.routes()
        yield from _content_routes(context, identity, scheduled)
        yield from AdminDescriptionApi(lambda: api.routes.routes, context.schema).routes()

    trail = AuditTrail(sources.audit, clock)
    api = AdminApi(
        routes(),
        sources.content_version,
        identity.authenticator,
        context.engine,
        trail.begin,
        trail.note,
    )
    stale = StalePermissions(database=context.database, tables=context.tables, clock=clock)
    return AdminParts(
        api=api,
        end_user_requests=end_user_requests,
        accounts=identity.accounts,
        stale_fields=stale,
        jobs=(scheduled.entry, scheduled.release),
    )


def _project_routes(context: AdminContext, identity: Identity) -> Iterator[Route]:
    """Yield the routes of settings of the whole project."""
    settings, database, clock = context.settings, context.database, context.clock
    yield from ContentApiApi(
        context.schema,
        context.sources.customisations,
        context.engine.extensions.routes,
        prefix=settings.api.prefix,
    ).routes()
    yield from _token_routes(context)
    yield from LocalesApi(database, LocaleStore(context.tables, clock)).routes()
    yield from _option_routes(context)
    yield from AuditApi(context.sources.audit).routes()
    engine = context.engine
    if engine.jobs is not None and engine.changes is not None:
        writes, schedules = engine.store.writes, engine.extensions.schedules
        yield from JobApi(database, engine.jobs, writes, schedules, clock).routes()
        yield from OutboxApi(database, engine.changes, clock).routes()
    yield from HomepageApi(database, context.tables).routes()
    yield from ProjectApi(
        identity.accounts,
        database,
        environment=settings.environment,
        version=__version__,
        docs_url=settings.admin.docs_url,
    ).routes()


def _scheduled_jobs(context: AdminContext, identity: Identity) -> ScheduledJobs:
    """Create the jobs of scheduled actions, which run as the administrators who scheduled them."""
    sources = context.sources
    revisions = Revisions(context.engine.store.writes)
    parts = ReleaseParts(
        database=context.database,
        documents=sources.documents,
        history=RevisionHistory(
            RevisionLog(revisions, context.settings.admin.revisions), sources.webhooks.tables
        ),
        releases=ReleaseStore(context.tables),
        tables=sources.webhooks.tables,
        clock=context.clock,
    )
    return ScheduledJobs(
        parts=parts,
        admin_users=context.admin_users,
        authenticator=identity.authenticator,
        audit=sources.audit,
    )


def _content_routes(
    context: AdminContext, identity: Identity, scheduled: ScheduledJobs
) -> Iterator[Route]:
    """Yield the routes of content, of files, and of the model."""
    settings, sources, database = context.settings, context.sources, context.database
    engine = context.engine
    reads = ReadService(database, engine.reads, sources.reader.lists)
    lists = EntryLists(ContentReading(engine), reads, settings.cache.plans)
    history = scheduled.parts.history
    yield from content_manager_routes(database, sources.documents, lists, history)
    yield from own_routes(
        database,
        sources.documents,
        history,
        sources.webhooks,
        context.admin_users,
        identity.authenticator,
        context.clock,
        scheduled,
    )
    policy = settings.security.content_security_policy
    yield from PreviewApi(
        database,
        context.schema,
        context.engine.store.writes,
        policy.get("frame-src", FRAME_SOURCES),
    ).routes()
    yield from media_routes(settings, sources.reader, sources.library, engine)
    project = sources.project
    yield from model_routes(ModelEditor(project), ModelArchive(database, project.kind))


def _option_routes(context: AdminContext) -> Iterator[Route]:
    """Yield the routes of settings of end users, and of webhooks."""
    settings, database, clock = context.settings, context.database, context.clock
    writes, parts = context.engine.store.writes, context.sources.webhooks
    server, accounts = settings.server.url or "", context.sources.accounts
    yield from EndUserApi(
        database,
        writes,
        accounts.roles,
        accounts.recovery,
        context.sources.attempts,
        server=server,
    ).routes()
    yield from WebhookApi(
        database,
        parts.webhooks,
        clock,
        private=settings.webhooks.private_addresses,
        changed=parts.outbox.refresh,
    ).routes()
    yield from DeliveryApi(database, parts, clock).routes()


def _token_routes(context: AdminContext) -> Iterator[Route]:
    secrets, schema = context.settings.secrets, context.schema
    routed = context.sources.customisations.routed_actions(schema)
    if secrets.api_token_salt is None:
        return
    tokens = ApiTokenManager(
        context.database,
        context.tables,
        TokenKeys(salt=secrets.api_token_salt, encryption=secrets.encryption_key),
        clock=context.clock,
        known_actions=lambda: all_actions(schema, routed),
        custom_actions=context.engine.extensions.granted_actions,
    )
    yield from ApiTokenApi(tokens).routes()
