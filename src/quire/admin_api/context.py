"""Objects that the handlers of the admin API share."""

from msgspec import Struct
from msgspec.structs import replace

from quire.admin_api.audit_log import AuditedDatabase
from quire.admin_api.login_throttle import LoginThrottle
from quire.auth.admin.user_rows import AdminUserRows
from quire.auth.sessions import Sessions
from quire.builder.apply import EditableProject
from quire.clock import Clock
from quire.content_api.user_routes import AccountApis, AccountServices
from quire.content_manager.content_version import ContentVersion
from quire.customisations import Customisations
from quire.database.stores.audit_log import AuditLog
from quire.database.stores.builtin_type_table import ContentTables
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import WriteEngine
from quire.schema.model import Schema
from quire.settings import Settings
from quire.uploads.service import MediaLibrary
from quire.webhooks.setup import WebhookParts


class AdminSources(Struct, frozen=True, kw_only=True):
    """The parts of the admin API that others use, too."""

    reader: ReadService
    documents: DocumentService
    library: MediaLibrary
    accounts: AccountApis
    webhooks: WebhookParts
    services: AccountServices
    attempts: LoginThrottle
    audit: AuditLog
    project: EditableProject
    content_version: ContentVersion
    customisations: Customisations


class AdminContext(Struct, frozen=True, kw_only=True):
    """The sources, and the admin API's own tables.

    Writes through ``database``, and through these ``sources``, are recorded in the audit log in
    their transaction.
    """

    settings: Settings
    clock: Clock
    sources: AdminSources
    database: AuditedDatabase
    tables: ContentTables
    admin_users: AdminUserRows
    sessions: Sessions

    @property
    def secret(self) -> str:
        """The signing secret of administrators' sessions."""
        return admin_secret(self.settings)

    @property
    def engine(self) -> WriteEngine:
        """The write engine of the content."""
        return self.sources.documents.engine

    @property
    def schema(self) -> Schema:
        """The schema of the content."""
        return self.engine.schema


def make_admin_context(settings: Settings, sources: AdminSources, clock: Clock) -> AdminContext:
    """Create the shared objects."""
    database = AuditedDatabase(sources.reader.database, sources.audit)
    engine = sources.documents.engine
    tables = ContentTables(store=engine.store, new_id=engine.new_id)
    return AdminContext(
        settings=settings,
        clock=clock,
        sources=_audit_writes(sources, database),
        database=database,
        tables=tables,
        admin_users=AdminUserRows(tables),
        sessions=Sessions(tables, admin_secret(settings)),
    )


def admin_secret(settings: Settings) -> str:
    """Return the secret of administrators, without which there is no admin API."""
    return settings.secrets.admin_jwt_secret or ""


def _audit_writes(sources: AdminSources, database: AuditedDatabase) -> AdminSources:
    """Record all changes of administrators in the transaction of the change."""
    documents = sources.documents.with_database(database)
    library = sources.library.with_database(database)
    project = replace(sources.project, database=database)
    return replace(sources, documents=documents, library=library, project=project)
