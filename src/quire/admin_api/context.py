"""What all parts of the admin API stand on."""

from msgspec import Struct
from msgspec.structs import replace

from quire.admin_api.audit import AuditedDatabase
from quire.admin_api.login_throttle import Attempts
from quire.auth.admin.user_rows import People
from quire.auth.sessions import Sessions
from quire.builder.apply import Project
from quire.clock import Clock
from quire.content_api.reader import Reader
from quire.content_api.user_routes import AccountApis, AccountServices
from quire.content_manager.content_version import ContentVersion
from quire.customisations import Customisations
from quire.database.stores.audit_log import AuditLog
from quire.database.stores.system_rows import SystemRows
from quire.documents.service import DocumentService
from quire.documents.unit_of_work import Engine
from quire.schema.model import Schema
from quire.settings import Settings
from quire.uploads.service import Library
from quire.webhooks.setup import WebhookParts


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
    content_version: ContentVersion
    customisations: Customisations


class Ground(Struct, frozen=True, kw_only=True):
    """The sources, with the rows that the admin API works on itself.

    What goes through ``database``, and through the ``sources`` as they are here, is noted in the
    transaction of the change.
    """

    settings: Settings
    clock: Clock
    sources: AdminSources
    database: AuditedDatabase
    rows: SystemRows
    people: People
    sessions: Sessions

    @property
    def secret(self) -> str:
        """What sessions of administrators are signed with."""
        return admin_secret(self.settings)

    @property
    def engine(self) -> Engine:
        """What content is written with."""
        return self.sources.documents.engine

    @property
    def schema(self) -> Schema:
        """The schema of the content."""
        return self.engine.schema


def lay_ground(settings: Settings, sources: AdminSources, clock: Clock) -> Ground:
    """Make what the parts share."""
    database = AuditedDatabase(sources.reader.database, sources.audit)
    engine = sources.documents.engine
    rows = SystemRows(store=engine.store, new_id=engine.new_id)
    return Ground(
        settings=settings,
        clock=clock,
        sources=_audited(sources, database),
        database=database,
        rows=rows,
        people=People(rows),
        sessions=Sessions(rows, admin_secret(settings)),
    )


def admin_secret(settings: Settings) -> str:
    """Return the secret without which there is no admin API."""
    return settings.secrets.admin_jwt_secret or ""


def _audited(sources: AdminSources, database: AuditedDatabase) -> AdminSources:
    """Let whatever administrators change be noted in the transaction of the change."""
    documents, library = sources.documents.through(database), sources.library.through(database)
    project = replace(sources.project, database=database)
    return replace(sources, documents=documents, library=library, project=project)
