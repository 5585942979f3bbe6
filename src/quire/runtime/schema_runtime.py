"""Everything that is built for one version of the schema.

When content types change, another runtime is created, which replaces the present one. Requests keep
references to the runtime that they began with; it is garbage-collected after the last of them. So
nothing in it may have to be closed: such objects belong to the `Services`.
"""

from msgspec import Struct
from msgspec.structs import replace

from quire.admin_api.context import AdminSources
from quire.admin_api.routes import AdminParts, assemble_admin
from quire.auth.passwords import hash_password
from quire.builder.apply import EditableProject
from quire.content_api.application import ContentApi
from quire.content_api.http_messages import AsgiApp
from quire.content_api.project_middlewares import wrap_app
from quire.content_api.request_tracing import TracedApp
from quire.content_api.server_timing import ServerTiming, TimedPlanner
from quire.content_api.user_routes import AccountApis
from quire.content_manager.content_version import ContentVersion
from quire.customisations import Customisations, find_customisations, hook_policies
from quire.database.compile.compiler import NO_SERIALIZERS
from quire.database.entries.entry_tables import EntryStore, open_store
from quire.database.execute.cached_lists import ListCache
from quire.database.schema_version import (
    Requirement,
    WriteCheck,
    require_nothing,
    require_present_schema,
    require_schema,
)
from quire.database.settings_target import kind_of
from quire.database.stores.auth_rows import Accounts
from quire.database.tables.table_map import TableMap, map_tables
from quire.document_service.limits import code_limits, inner_limits
from quire.document_service.read_planner import ReadPlanner
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import WriteEngine
from quire.extension_loading import extend_schema
from quire.hooks.registry import NO_EXTENSIONS, Extensions
from quire.hooks.schedules import ScheduleDefinition
from quire.ids import new_document_id
from quire.jobs.job_worker import JobRuntime, make_job_runtime
from quire.query.resolve.scope import ReadLimits
from quire.runtime.audit_log_retention import audit_log_schedules
from quire.runtime.build_content_api import ContentParts, assemble_content
from quire.runtime.scheduled_backups import backup_schedules
from quire.runtime.services import Services
from quire.schema.model import Schema
from quire.uploads.service import FileRowAccess, MediaLibrary
from quire.uploads.setup import open_library
from quire.uploads.signed_links import present_files


def make_reader(services: Services, schema: Schema, tables: TableMap) -> ReadService:
    """Create the read service of the content API."""
    settings, links = services.settings, services.upload_context.links
    api = settings.api
    limits = ReadLimits(
        default_limit=api.default_limit,
        max_limit=api.max_limit,
        with_count=api.with_count,
        strict_params=api.strict_params,
        drafts_need_token=api.drafts_need_token,
        populate_depth=settings.limits.populate_depth,
        populate_nodes=settings.limits.populate_nodes,
        filter_values=settings.limits.filter_values,
        rows=settings.limits.rows,
        response_size=settings.limits.response_size,
        followed_relations=settings.limits.followed_relations,
    )
    planner = TimedPlanner if settings.is_development else ReadPlanner
    read_planner = planner(
        schema,
        tables,
        services.database.dialect,
        limits,
        default_locale=None,
        plans=settings.cache.plans,
        presented=NO_SERIALIZERS if links is None else present_files(links),
        counter=services.metrics.caches.plans,
    )
    lists = ListCache(
        services.database.versions,
        totals=settings.cache.counts,
        pages=settings.cache.pages,
        slow_lists=services.slow_lists,
        counters=services.metrics.caches,
    )
    return ReadService(services.database, read_planner, lists)


class SchemaRuntime(Struct, frozen=True, kw_only=True, weakref=True):
    """The application of one schema.

    ``content`` is its content API, ``asgi_app`` handles requests; ``fast_path_api`` handles the
    fast path of reads (`quire.content_api.fast_path`), ``None`` if there is none. ``admin`` is
    ``None`` in a project without a secret for administrators. The default locale is unknown until
    ``content_version`` was first read. ``jobs`` are the background functions: those of the project,
    and the server's own (`quire.jobs.job`).
    """

    schema: Schema
    reader: ReadService
    documents: DocumentService
    library: MediaLibrary
    admin: AdminParts | None
    content: ContentApi
    asgi_app: AsgiApp
    fast_path_api: ContentApi | None
    content_version: ContentVersion
    jobs: JobRuntime


def make_schema_runtime(
    services: Services,
    schema: Schema,
    extensions: Extensions = NO_EXTENSIONS,
    *,
    disregarded: str | None = None,
) -> SchemaRuntime:
    """Create the application for a schema and the project's code.

    It does not use the database. It writes while the announced schema of the tables is this one, or
    the ``disregarded`` one.
    """
    schema = extend_schema(schema, extensions)
    customisations, extensions = _customisations(services, schema, extensions)
    tables = map_tables(schema)
    reader = make_reader(services, schema, tables)
    store = open_store(schema, tables, services.database.dialect)
    require = require_schema(store.writes, schema.version, disregarded)
    engine = _engine(services, store, extensions)
    content_version = _content_version(services, reader, engine)
    documents = _document_service(services, engine, require)
    library = _library(services, engine)
    accounts = Accounts(store, extensions.granted_actions)
    account_apis = _account_apis(services, reader, documents, accounts, customisations)
    precondition = require_present_schema(store.writes, schema.version, disregarded)
    sources = AdminSources(
        reader=reader,
        documents=documents,
        library=library,
        accounts=account_apis,
        services=services.services,
        attempts=services.attempts,
        audit=services.audit,
        webhooks=services.webhooks,
        project=_project(services, schema, precondition),
        content_version=content_version,
        customisations=customisations,
    )
    admin = _admin_parts(services, sources)
    parts = ContentParts(
        accounts=accounts,
        reader=reader,
        documents=documents,
        library=library,
        account_apis=account_apis,
        content_version=content_version,
        require_schema=require,
        other_api=None if admin is None else admin.api,
        customisations=customisations,
    )
    content = assemble_content(services, parts)
    if admin is not None:
        admin.end_user_impersonation.attach(content)
    is_wrapped = services.settings.is_development or bool(extensions.middlewares)
    return SchemaRuntime(
        schema=schema,
        reader=reader,
        documents=documents,
        library=library,
        admin=admin,
        content=content,
        asgi_app=wrap_app(_asgi_app(services, content), extensions.middlewares),
        fast_path_api=None if is_wrapped else content,
        content_version=content_version,
        jobs=make_job_runtime(
            documents,
            () if admin is None else admin.jobs,
            _server_schedules(services),
            find_user=content.user_principal,
        ),
    )


def _customisations(
    services: Services, schema: Schema, extensions: Extensions
) -> tuple[Customisations, Extensions]:
    """Return the JavaScript of the project, and its Python code with the guards of the former."""
    customisations = replace(
        find_customisations(services.settings, schema, extensions.replaced),
        custom_actions=extensions.actions_by_uid,
    )
    policies = (*extensions.policies, *hook_policies(customisations.guards))
    return customisations, replace(extensions, policies=policies)


def _server_schedules(services: Services) -> tuple[ScheduleDefinition, ...]:
    """Return the schedules of the server's own jobs."""
    return (
        *backup_schedules(services.settings),
        *audit_log_schedules(services.settings.audit, services.audit, services.clock),
    )


def _asgi_app(services: Services, content: ContentApi) -> AsgiApp:
    app: AsgiApp = content
    if services.settings.is_development:
        app = ServerTiming(app)
    return app if services.tracing is None else TracedApp(app, services.tracing)


def _account_apis(
    services: Services,
    reader: ReadService,
    documents: DocumentService,
    accounts: Accounts,
    customisations: Customisations,
) -> AccountApis:
    return AccountApis(
        services.settings,
        reader,
        documents,
        accounts,
        services.services,
        clock=services.clock,
        routed=customisations.routed_actions(reader.schema),
    )


def _content_version(
    services: Services, reader: ReadService, engine: WriteEngine
) -> ContentVersion:
    def adopt(code: str | None) -> None:
        reader.planner.adopt_default_locale(code)
        engine.adopt_default_locale(code)

    return ContentVersion(services.database, engine.store.writes, adopt)


def _library(services: Services, engine: WriteEngine) -> MediaLibrary:
    """Open the media library, which writes under any announced schema.

    Uploads that arrive while types change cannot be repeated. They write only built-in types,
    whatever the schema.
    """
    files = _document_service(services, engine, require_nothing)
    rows = FileRowAccess(database=services.database, store=engine.store, documents=files)
    return open_library(services.settings, rows, services.upload_context)


def _project(services: Services, schema: Schema, require: Requirement) -> EditableProject:
    return EditableProject(
        settings=services.settings,
        database=services.database,
        kind=kind_of(services.settings),
        clock=services.clock,
        schema=schema,
        require=require,
        adopt=services.adopt,
        code_problems=services.code_problems,
    )


def _engine(services: Services, store: EntryStore, extensions: Extensions) -> WriteEngine:
    return WriteEngine(
        store=store,
        new_id=new_document_id,
        default_locale=None,
        limits=inner_limits(services.settings),
        extensions=extensions,
        jobs=services.jobs.queue,
        changes=services.jobs.change_queue,
        audit=services.audit,
        is_development=services.settings.is_development,
        clock=services.clock,
        mail=services.services.sender,
        code_limits=code_limits(services.settings),
    )


def _document_service(
    services: Services, engine: WriteEngine, require: WriteCheck
) -> DocumentService:
    return DocumentService(
        services.database,
        engine,
        clock=services.clock,
        hash_password=hash_password,
        outbox=services.webhooks.outbox,
        require=require,
    )


def _admin_parts(services: Services, sources: AdminSources) -> AdminParts | None:
    if services.settings.secrets.admin_jwt_secret is None:
        return None
    return assemble_admin(services.settings, sources, clock=services.clock)
