"""Creates the admin API from its parts."""

from collections.abc import Iterator
from functools import wraps
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from quire import __version__
from quire.access.actions import all_actions
from quire.admin_api.admin_user_routes import AdminAuthentication, identity_routes, open_identity
from quire.admin_api.api_tokens import ApiTokenApi
from quire.admin_api.audit_log import AuditApi, AuditTrail
from quire.admin_api.content_api_actions import ContentApiActionsApi
from quire.admin_api.content_manager.homepage import RecentEntriesApi
from quire.admin_api.content_manager.locale_prefill import LocalePrefillApi
from quire.admin_api.content_manager.publish_and_clone_checks import EntryCheckApi
from quire.admin_api.content_manager.read_routes import EntryApi
from quire.admin_api.content_manager.relations import RelationApi
from quire.admin_api.content_manager.type_routes import ManagedModelApi
from quire.admin_api.content_manager.uid_values import UidValueApi
from quire.admin_api.content_manager.write_routes import EntryWriteApi
from quire.admin_api.content_type_builder.change_plans import ModelPlanningApi
from quire.admin_api.content_type_builder.read_routes import ModelReadingApi
from quire.admin_api.content_type_builder.write_routes import STATUS_PATH, ModelWritingApi
from quire.admin_api.context import AdminContext, AdminSources, make_admin_context
from quire.admin_api.end_user_impersonation import EndUserImpersonationApi
from quire.admin_api.end_users import EndUserApi
from quire.admin_api.key_statistics import HomepageApi
from quire.admin_api.locales import LocalesApi
from quire.admin_api.mail_settings import MailSettingsApi
from quire.admin_api.media.files import MediaFileApi
from quire.admin_api.media.folders import FolderApi
from quire.admin_api.media.image_tools import CropApi, TransformApi
from quire.admin_api.media.library_settings import MediaSettingsApi
from quire.admin_api.media.reads import MediaReads
from quire.admin_api.media.remote_import import ImportApi
from quire.admin_api.media.usage import FileUsageApi
from quire.admin_api.project_info import ProjectApi
from quire.admin_api.quire_routes.entry_tools import EntryToolsApi
from quire.admin_api.quire_routes.explain_permissions import ExplainApi
from quire.admin_api.quire_routes.export import ExportApi
from quire.admin_api.quire_routes.homepage import OverviewApi
from quire.admin_api.quire_routes.jobs import JobApi
from quire.admin_api.quire_routes.locale_coverage import LocaleCoverageApi
from quire.admin_api.quire_routes.openapi import AdminDescriptionApi
from quire.admin_api.quire_routes.outbox import OutboxApi
from quire.admin_api.quire_routes.previews import FRAME_SOURCES, PreviewApi
from quire.admin_api.quire_routes.publishing_jobs import ScheduledJobs
from quire.admin_api.quire_routes.release_services import ReleaseParts
from quire.admin_api.quire_routes.releases import ReleaseApi
from quire.admin_api.quire_routes.review import ReviewApi
from quire.admin_api.quire_routes.revisions import RevisionApi
from quire.admin_api.quire_routes.sample_entries import SampleApi
from quire.admin_api.quire_routes.saved_views import SavedViewApi
from quire.admin_api.quire_routes.scheduled_publishing import ScheduleApi
from quire.admin_api.router import AdminApi
from quire.admin_api.webhook_deliveries import DeliveryApi
from quire.admin_api.webhooks import WebhookApi
from quire.auth.admin.api_tokens import ApiTokenManager, TokenKeys
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.sign_in import AdminAccounts
from quire.auth.admin.stale_permissions import StalePermissions
from quire.auth.admin.user_rows import AdminUserRows
from quire.builder.apply import ModelEditor
from quire.clock import Clock
from quire.content_api.around_reads import AroundReads
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.routes import Route
from quire.content_manager.entry_lists import EntryLists
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.locales import LocaleStore
from quire.content_manager.releases.store import ReleaseStore
from quire.content_manager.revisions import RevisionHistory, RevisionLog
from quire.database.interface import Database
from quire.database.migration.model_archive import ModelArchive
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.stores.revisions import Revisions
from quire.database.stores.saved_views import SavedViews
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import WriteEngine
from quire.hooks.jobs import JobDefinition
from quire.settings import Settings
from quire.uploads.service import MediaLibrary
from quire.webhooks.setup import WebhookParts


def own_routes(
    database: Database,
    documents: DocumentService,
    history: RevisionHistory,
    webhooks: WebhookParts,
    admin_users: AdminUserRows,
    authenticator: AdminAuthenticator,
    clock: Clock,
    scheduled: ScheduledJobs,
) -> Iterator[Route]:
    """Yield the routes below ``/admin/x`` about content and permissions."""
    engine = documents.engine
    yield from OverviewApi(database, engine, webhooks).routes()
    locales = LocaleStore(ContentTables(store=engine.store, new_id=engine.new_id), clock)
    yield from LocaleCoverageApi(database, engine, locales).routes()
    yield from EntryToolsApi(database, documents, history).routes()
    yield from RevisionApi(database, documents, history).routes()
    yield from SampleApi(documents, history, clock).routes()
    yield from ReleaseApi(scheduled.parts).routes()
    yield from ScheduleApi(scheduled.parts, scheduled).routes()
    yield from ReviewApi(database, engine, admin_users, webhooks.tables, clock).routes()
    views = SavedViews(engine.store.writes)
    yield from SavedViewApi(database, views, webhooks.tables, clock).routes()
    reading = EntryReader(engine)
    yield from ExportApi(database, reading, history).routes()
    yield from ExplainApi(database, reading, admin_users, authenticator).routes()


def model_routes(remodeller: ModelEditor, archive: ModelArchive) -> Iterator[Route]:
    """Yield the routes by which administrators see and change the model."""
    for route in chain(
        ModelReadingApi(remodeller.schema).routes(),
        ModelWritingApi(remodeller).routes(),
        ModelPlanningApi(remodeller, archive).routes(),
    ):
        if route.path == STATUS_PATH:
            yield route  # of this process only
        else:
            yield replace(route, handler=_require_current_model(remodeller, route.handler))


def _require_current_model(remodeller: ModelEditor, handler: Handler) -> Handler:
    """Call a handler only if no other process has changed the model.

    Otherwise the response is left to the new schema: a client that has just changed something sees
    the change in every process.
    """

    @wraps(handler)
    async def response(request: Request) -> Response:
        await remodeller.require_present()
        return await handler(request)

    return response


def media_routes(
    settings: Settings, reader: ReadService, library: MediaLibrary, engine: WriteEngine
) -> Iterator[Route]:
    """Yield the routes of the media library."""
    rows = library.rows
    reads = MediaReads(settings, reader, library)
    yield from MediaFileApi(
        reads, library, engine, limits=settings.limits, uploads=settings.uploads
    ).routes()
    yield from FolderApi(reads, library).routes()
    yield from ImportApi(reads, library, settings.uploads).routes()
    yield from FileUsageApi(reads, library, engine).routes()
    yield from CropApi(reads, library).routes()
    yield from TransformApi(reads, library, settings.uploads).routes()
    yield from MediaSettingsApi(rows.database, rows.store).routes()


def content_manager_routes(
    database: Database,
    documents: DocumentService,
    lists: EntryLists,
    history: RevisionHistory,
    *,
    secret: str,
) -> Iterator[Route]:
    """Yield the routes of the content manager."""
    engine = documents.engine
    changes = EntryWriteApi(documents, history, secret=secret)
    yield from ManagedModelApi(database, engine.store, engine.extensions.attribute_types).routes()
    around_reads = AroundReads(documents)
    yield from EntryApi(database, documents, lists, history, around_reads).routes()
    yield from changes.routes()
    yield from RelationApi(database, engine).routes()
    yield from UidValueApi(database, engine).routes()
    yield from EntryCheckApi(database, engine, changes.clone).routes()
    yield from LocalePrefillApi(database, engine).routes()
    yield from RecentEntriesApi(database, engine).routes()


class AdminParts(Struct, frozen=True, kw_only=True):
    """The admin API, the parts that a server needs of it, and its jobs."""

    api: AdminApi
    end_user_impersonation: EndUserImpersonationApi
    accounts: AdminAccounts
    stale_fields: StalePermissions
    jobs: tuple[JobDefinition, ...]


def assemble_admin(settings: Settings, sources: AdminSources, *, clock: Clock) -> AdminParts:
    """Create the admin API of a project with a secret for it."""
    context = make_admin_context(settings, sources, clock)
    identity = open_identity(context)
    end_user_impersonation = EndUserImpersonationApi()
    scheduled = _create_scheduled_jobs(context, identity)

    def routes() -> Iterator[Route]:
        yield from identity_routes(context, identity)
        yield from _project_routes(context, identity)
        yield from end_user_impersonation.routes()
        yield from _content_routes(context, identity, scheduled)
        yield from AdminDescriptionApi(lambda: api.routes.routes, context.schema).routes()

    trail = AuditTrail(sources.audit, clock)
    api = AdminApi(
        routes(),
        sources.content_version,
        identity.authenticator,
        context.engine,
        trail.record_request,
        trail.record_response,
    )
    stale_permissions = StalePermissions(
        database=context.database, tables=context.tables, clock=clock
    )
    return AdminParts(
        api=api,
        end_user_impersonation=end_user_impersonation,
        accounts=identity.accounts,
        stale_fields=stale_permissions,
        jobs=(scheduled.entry, scheduled.release),
    )


def _project_routes(context: AdminContext, identity: AdminAuthentication) -> Iterator[Route]:
    """Yield the routes of settings of the whole project."""
    settings, database, clock = context.settings, context.database, context.clock
    yield from ContentApiActionsApi(
        context.schema,
        context.sources.customisations,
        context.engine.extensions.routes,
        prefix=settings.api.prefix,
    ).routes()
    yield from _token_routes(context)
    locales = LocaleStore(context.tables, clock)
    yield from LocalesApi(
        database, context.sources.documents, locales, context.engine.store.writes
    ).routes()
    yield from _option_routes(context)
    yield from AuditApi(context.sources.audit).routes()
    engine = context.engine
    if engine.jobs is not None and engine.changes is not None:
        writes, schedules = engine.store.writes, engine.extensions.schedules
        yield from JobApi(database, engine.jobs, writes, schedules, clock).routes()
        yield from OutboxApi(database, engine.changes, clock).routes()
    yield from HomepageApi(database, context.tables, clock).routes()
    yield from ProjectApi(
        identity.accounts,
        database,
        context.engine.store.writes,
        environment=settings.environment,
        version=__version__,
        docs_url=settings.admin.docs_url,
    ).routes()


def _create_scheduled_jobs(context: AdminContext, identity: AdminAuthentication) -> ScheduledJobs:
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
    context: AdminContext, identity: AdminAuthentication, scheduled: ScheduledJobs
) -> Iterator[Route]:
    """Yield the routes of content, of files, and of the model."""
    settings, sources, database = context.settings, context.sources, context.database
    engine = context.engine
    reads = ReadService(database, engine.reads, sources.reader.lists)
    lists = EntryLists(EntryReader(engine), reads, settings.cache.plans)
    history = scheduled.parts.history
    yield from content_manager_routes(
        database, sources.documents, lists, history, secret=context.secret
    )
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
    accounts = context.sources.accounts
    yield from EndUserApi(
        database,
        writes,
        accounts.roles,
        accounts.recovery,
        context.sources.attempts,
        api_url=f"{settings.server.url or ''}{settings.api.prefix}",
    ).routes()
    sender, attempts = context.sources.services.sender, context.sources.attempts
    yield from MailSettingsApi(sender, settings.mail.sender, attempts).routes()
    private = settings.webhooks.private_addresses
    yield from WebhookApi(database, parts, clock, private=private).routes()
    yield from DeliveryApi(database, parts, clock).routes()


def _token_routes(context: AdminContext) -> Iterator[Route]:
    secrets, schema = context.settings.secrets, context.schema
    routed_actions = context.sources.customisations.routed_actions(schema)
    if secrets.api_token_salt is None:
        return
    tokens = ApiTokenManager(
        context.database,
        context.tables,
        TokenKeys(salt=secrets.api_token_salt, encryption=secrets.encryption_key),
        clock=context.clock,
        known_actions=lambda: all_actions(schema, routed_actions),
        custom_actions=context.engine.extensions.granted_actions,
    )
    yield from ApiTokenApi(tokens).routes()
