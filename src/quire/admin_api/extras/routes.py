"""The routes below ``/admin/x``."""

from collections.abc import Iterator

from quire.admin_api.content_manager.revision_table import RevisionHistory
from quire.admin_api.extras.content import OwnContentApi
from quire.admin_api.extras.explain import ExplainApi
from quire.admin_api.extras.export import ExportApi
from quire.admin_api.extras.home import OwnHomeApi
from quire.admin_api.extras.locale_coverage import LocaleCoverageApi
from quire.admin_api.extras.releases import ReleaseApi
from quire.admin_api.extras.review import ReviewApi
from quire.admin_api.extras.revisions import RevisionApi
from quire.admin_api.extras.samples import SampleApi
from quire.admin_api.extras.schedule import ScheduleApi
from quire.admin_api.extras.scheduled_jobs import ScheduledJobs
from quire.admin_api.extras.views import SavedViewApi
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.user_rows import AdminUserRows
from quire.clock import Clock
from quire.content_api.routes import Route
from quire.content_manager.locales import LocaleStore
from quire.content_manager.read_service import ContentReading
from quire.database.connection import Database
from quire.database.stores.content_table import ContentTables
from quire.database.stores.saved_views import SavedViews
from quire.document_service.service import DocumentService
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
    yield from OwnHomeApi(database, engine, webhooks).routes()
    locales = LocaleStore(ContentTables(store=engine.store, new_id=engine.new_id), clock)
    yield from LocaleCoverageApi(database, engine, locales).routes()
    yield from OwnContentApi(database, documents, history).routes()
    yield from RevisionApi(database, documents, history).routes()
    yield from SampleApi(documents, history, clock).routes()
    yield from ReleaseApi(scheduled.parts).routes()
    yield from ScheduleApi(scheduled.parts, scheduled).routes()
    yield from ReviewApi(database, engine, admin_users, webhooks.tables, clock).routes()
    views = SavedViews(engine.store.writes)
    yield from SavedViewApi(database, views, webhooks.tables, clock).routes()
    reading = ContentReading(engine)
    yield from ExportApi(database, reading).routes()
    yield from ExplainApi(database, reading, admin_users, authenticator).routes()
