"""The application: created from settings, started, stopped, and switched to a new schema.

Only server start code imports this module. Dependencies are passed explicitly; there is no global
application object.
"""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import structlog

from quire.auth.end_user_settings import advanced_options
from quire.builder.file_transaction import recover
from quire.builder.schema_file_sync import follow_record
from quire.clock import Clock, now_ms
from quire.content_api.application import ContentApi
from quire.content_api.http_messages import AsgiReceive, AsgiScope, AsgiSend
from quire.content_api.routes import Route
from quire.content_api.server_timing import timed_database
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.migration.schema_record import recorded_schema
from quire.database.open import open_database, require_tables
from quire.database.schema_version import announced_schema
from quire.database.stores.auth_rows import Accounts
from quire.database.tables.table_map import map_tables
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.errors import (
    AppError,
    DatabaseOpenError,
    SchemaProblem,
    ServiceUnavailableError,
    StaleSchemaError,
)
from quire.extension_loading import (
    ExtensionError,
    ImportedModules,
    check_extensions,
    import_modules,
)
from quire.hooks.registry import Extensions
from quire.jobs.setup import run_start, run_stop
from quire.metrics.families import MetricFamily
from quire.runtime.code_follower import CodeFollower, RestartRequiredError
from quire.runtime.metrics_collector import Metrics
from quire.runtime.schema_follower import FollowerContext, SchemaFollower
from quire.runtime.schema_runtime import SchemaRuntime, make_schema_runtime
from quire.runtime.services import Services, open_services
from quire.runtime.startup_checks import clear_archives, log_notices, require_agreement
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_options, load_project_schema
from quire.tracing.setup import open_tracing
from quire.uploads.service import MediaLibrary
from quire.webhooks.setup import WebhookParts

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing

_log = structlog.get_logger("quire")


class Application:
    """A project as an ASGI application.

    `Services` live from the start to the end. A `SchemaRuntime` has the handlers for one schema and
    one version of the project's code; a change creates another one and replaces it with one
    assignment, so that each request uses one of the two throughout.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = now_ms,
        schema: Schema | None = None,
        modules: ImportedModules | None = None,
        is_timed: bool = False,
        tracing: "Tracing | None" = None,
        restart: Callable[[], None] | None = None,
    ) -> None:
        """Load the schema and the project's Python code, unless both are given.

        ``is_timed`` counts statements as in development; ``tracing`` is closed at the end. With
        ``restart``, changed Python code is adopted; it is called when that needs another start.
        Raises SchemaError and ExtensionError, each with everything that is wrong.
        """
        self.settings = settings
        self._clock = clock
        self._is_timed = is_timed or settings.is_development
        self._tracing = tracing
        self._schema = schema or load_project_schema(settings)
        # Before the import: otherwise a change during the import would not be noticed.
        follower = None if restart is None else CodeFollower(settings, self.adopt_code, restart)
        self._code: CodeFollower | None = follower
        self._modules = modules or import_modules(settings.project, settings)
        self._extensions = check_extensions(self._modules, self._schema)
        self.first_administrator: str | None = None
        """The registration token of the first administrator, while there is none."""
        self.lacks_reset_page = False
        """Whether mails can be sent, but mails for password resets have no page to link to."""
        self.services: Services | None = None
        """The objects with the lifetime of the server."""
        self.runtime: SchemaRuntime | None = None
        """The objects that handle new requests."""
        self._adoption_lock = asyncio.Lock()
        self._schemas: SchemaFollower | None = None

    @property
    def schema(self) -> Schema:
        """The schema of new requests."""
        return self._schema if self.runtime is None else self.runtime.schema

    @property
    def database(self) -> Database | None:
        """The database, from the start to the end."""
        return None if self.services is None else self.services.database

    @property
    def content(self) -> ContentApi | None:
        """The content reads of the fast path (`quire.content_api.fast_path`), if there is one."""
        return None if self.runtime is None else self.runtime.fast_path_api

    @property
    def webhooks(self) -> WebhookParts | None:
        """The webhook worker, from the start to the end."""
        return None if self.services is None else self.services.webhooks

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the content API."""
        return () if self.runtime is None else self.runtime.content.routes

    @property
    def reader(self) -> ReadService | None:
        """The read service of the content API."""
        return None if self.runtime is None else self.runtime.reader

    @property
    def documents(self) -> DocumentService | None:
        """The document service."""
        return None if self.runtime is None else self.runtime.documents

    @property
    def library(self) -> MediaLibrary | None:
        """The media library."""
        return None if self.runtime is None else self.runtime.library

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Handle one request, or the lifespan of the application."""
        if scope["type"] == "http" and self.runtime is not None:
            await self.runtime.asgi_app(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._run_lifespan(scope, receive, send)
        else:
            message = f"cannot serve {scope['type']} before the start or at all"
            raise RuntimeError(message)

    async def _run_lifespan(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await receive()
        await self.start()
        if "state" in scope:
            scope["state"]["collect_metrics"] = self.collect_metrics
            scope["state"]["begin_drain"] = self.begin_drain
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def start(self) -> None:
        """Open the database and create the handlers.

        Raises DatabaseOpenError when the database cannot be opened as it is, does not respond in
        time, or when its rows are those of another schema. Nothing is left open then.
        """
        try:
            database = await open_database(self.settings, map_tables(self._schema))
            try:
                await self._start(database)
            except BaseException:
                await self._close_after_failed_start(database)
                raise
        except ServiceUnavailableError as error:
            raise DatabaseOpenError(_no_response(error)) from error

    async def _close_after_failed_start(self, database: Database) -> None:
        """Close what was opened by a start that failed."""
        if self.services is None:
            await database.close()
        else:
            await self.services.close()
        self.services = self.runtime = None

    async def _start(self, database: Database) -> None:
        writes = Writes(database.dialect)
        disregarded = await self._servable_schema(database, writes)
        options = load_options(self.settings)
        await require_agreement(self.settings, database, self._schema, options)
        log_notices(self.settings, self._schema)
        await clear_archives(self.settings, database, self._clock)
        if self._is_timed:
            database = timed_database(database)
        metrics = Metrics(self.settings, self._clock, self._tracing)
        database = metrics.observed(database)
        services = self.services = open_services(
            self.settings,
            database,
            clock=self._clock,
            metrics=metrics,
            is_timed=self._is_timed,
            tracing=self._tracing,
            successor=self._successor,
            adopt=self.adopt,
            code_problems=self._code_problems,
            storage_backends=self._extensions.storage_backends,
        )
        if self.settings.secrets.admin_jwt_secret is None:
            _log.warning("there is no admin API, because ADMIN_JWT_SECRET is not set")
        runtime = make_schema_runtime(
            services, self._schema, self._extensions, disregarded=disregarded
        )
        await runtime.content_version.current()
        await runtime.library.recover()
        if runtime.admin is not None:
            await runtime.admin.stale_fields.forget()
            self.first_administrator = await runtime.admin.accounts.first_token()
        if self.settings.mail.host is not None:
            rows = Accounts(runtime.documents.engine.store)
            advanced = await database.read(lambda: advanced_options(rows))
            self.lacks_reset_page = advanced.reset_page is None
        await self._prepare_tables(services, self._extensions)
        services.jobs.adopt(runtime.jobs)
        await services.start()
        self.runtime = runtime
        self._follow(database, disregarded)

    async def _prepare_tables(self, services: Services, extensions: Extensions) -> None:
        """Create the tables that code writes to in its transactions."""
        await services.jobs.prepare(extensions)
        if extensions.version:
            await services.audit.ready()

    async def _servable_schema(self, database: Database, writes: Writes) -> str | None:
        """Return the version of the recorded schema if it is not that of the files.

        Another process may have changed types since the files were read: then they are read again,
        and ``None`` is returned. Otherwise files or tables were changed by hand or by Strapi.
        """
        announced = await database.read(lambda: announced_schema(writes))
        if announced in {None, self._schema.version}:
            return None
        schema = load_project_schema(self.settings)
        if schema.version != announced:
            return announced
        self._schema = schema
        return None

    def _follow(self, database: Database, disregarded: str | None) -> None:
        """Start to watch for changes of other processes."""
        context = FollowerContext(
            current_version=lambda: self.schema.version,
            load=self._load_recorded,
            adopt=self.adopt,
        )
        self._schemas = SchemaFollower(database, context, disregarded=disregarded)
        self._schemas.start()
        if self._code is not None:
            self._code.start()

    async def _load_recorded(self, announced: str) -> Schema:
        """Read the schema that is recorded for the tables, after finishing a change of files.

        If another server made the change in its own folder, the files are updated from the record,
        except in development.
        """
        schema = await asyncio.to_thread(self._load_files, announced)
        if schema.version == announced or self.services is None or self.settings.is_development:
            return schema
        database = self.services.database
        record = await database.read(lambda: recorded_schema(Writes(database.dialect)))
        if record is None or record.version != announced:
            return schema
        followed_schema = await asyncio.to_thread(follow_record, self.settings, self.schema, record)
        if followed_schema is not None:
            return followed_schema
        return await asyncio.to_thread(self._load_files, announced)

    def _load_files(self, announced: str) -> Schema:
        recover(self.settings.project, announced)
        return load_project_schema(self.settings)

    def _code_problems(self, schema: Schema) -> list[SchemaProblem]:
        """Return the problems of the project's Python code with a schema."""
        try:
            check_extensions(self._modules, schema)
        except ExtensionError as error:
            return [
                SchemaProblem(problem.file, f"line {problem.line}", problem.message)
                for problem in error.problems
            ]
        return []

    def begin_drain(self) -> float:
        """Report the process as not ready from now on; return for how many seconds it continues."""
        if self.services is not None:
            self.services.stop_notice.is_given = True
        return self.settings.server.drain_timeout.total_seconds()

    async def collect_metrics(self) -> list[MetricFamily]:
        """Return the metrics of this process; nothing before the start."""
        services = self.services
        if services is None:
            return []
        return await services.metrics.collect(services.database, services.webhooks, services.jobs)

    async def adopt(self, schema: Schema) -> None:
        """Handle new requests by another schema. Running ones finish by their own.

        A change of tables announces the schema in its transaction (`announce_schema`), then calls
        this; other processes follow by themselves. Raises DatabaseOpenError when tables are
        missing, ExtensionError when the project's Python code does not fit the schema,
        StaleSchemaError when yet another schema is recorded, and whatever prevents a runtime from
        being created; the present one stays then.
        """
        async with self._adoption_lock:
            services, present_runtime = self.services, self.runtime
            if services is None or present_runtime is None:
                message = "a schema cannot be adopted before the start"
                raise RuntimeError(message)
            if schema.version == present_runtime.schema.version:
                return
            database = services.database
            writes = Writes(database.dialect)
            announced = await database.read(lambda: announced_schema(writes))
            if announced not in {None, schema.version}:
                raise StaleSchemaError
            await require_tables(self.settings, database, map_tables(schema))
            extensions = check_extensions(self._modules, schema)
            # On a thread: requests go on meanwhile.
            runtime = await asyncio.to_thread(make_schema_runtime, services, schema, extensions)
            await runtime.content_version.current()
            self._schema, self.runtime = schema, runtime
            services.jobs.adopt(runtime.jobs)
            database.forget_statements()
        _log.info("content types have changed", version=schema.version)
        await _clean_permissions(runtime)

    async def adopt_code(self, modules: ImportedModules) -> None:
        """Handle new requests by other Python code of the project. Running ones finish by theirs.

        Its `on_start` functions are run before, the `on_stop` functions of the former code after.
        Raises ExtensionError with all mistakes of the code, ConfigurationError when an `on_start`
        function fails, and RestartRequiredError when the code of the storage backend in use
        has changed, which is opened once; the present code stays then.
        """
        async with self._adoption_lock:
            services, present_runtime, schemas = self.services, self.runtime, self._schemas
            if services is None or present_runtime is None or schemas is None:
                message = "code cannot be adopted before the start"
                raise RuntimeError(message)
            extensions = check_extensions(modules, self._schema)
            if _storage_sources(self.settings, modules, extensions) != _storage_sources(
                self.settings, self._modules, self._extensions
            ):
                raise RestartRequiredError("the code of its storage backend has changed")
            # Not on a thread: beside requests it would wait for the interpreter's lock after each
            # of its many reads of files, which takes several times longer.
            runtime = make_schema_runtime(
                services, self._schema, extensions, disregarded=schemas.disregarded
            )
            await runtime.content_version.current()
            await self._prepare_tables(services, extensions)
            await run_start(runtime.jobs)
            self._modules, self._extensions, self.runtime = modules, extensions, runtime
            services.jobs.adopt(runtime.jobs)
            services.database.forget_statements()
            await run_stop(
                present_runtime.jobs, self.settings.server.shutdown_timeout.total_seconds()
            )

    async def _successor(self, stale: ContentApi) -> ContentApi | None:
        """Return the handler that replaces an API (`quire.content_api.application.Successor`)."""
        if self._schemas is not None and self._is_current(stale):
            await self._schemas.catch_up()
        if self.runtime is None or self._is_current(stale):
            return None
        return self.runtime.content

    def _is_current(self, content: ContentApi) -> bool:
        return self.runtime is not None and self.runtime.content is content

    async def stop(self) -> None:
        """Finish running work, and close the database."""
        async with AsyncExitStack() as parts:  # closes the last one first
            if self.services is not None:
                parts.push_async_callback(self.services.close)
            for part in (self._schemas, self._code):
                if part is not None:
                    parts.push_async_callback(part.stop)
        self.runtime = None


def _storage_sources(
    settings: Settings, modules: ImportedModules, extensions: Extensions
) -> dict[str, bytes]:
    """Return the sources of the project that the storage backend in use consists of."""
    backend = extensions.storage_backends.get(settings.uploads.storage_backend or "")
    return {} if backend is None else modules.sources_used_by(backend.file)


def _no_response(error: AppError) -> str:
    """Explain what may keep a database from responding while a server starts."""
    reason = error.__cause__ or error
    return (
        f"The database does not answer in time, so nothing was started: {reason}.\n"
        "Somebody may have locked its tables: a migration, a dump or a console with an open "
        "transaction. Try again when they are done."
    )


async def _clean_permissions(runtime: SchemaRuntime) -> None:
    """Delete permissions on removed attributes; a failure is retried at the next start."""
    if runtime.admin is None:
        return
    try:
        await runtime.admin.stale_fields.forget()
    except AppError as error:
        _log.warning("permissions on fields that are gone are left", exc_info=error)


def build_app(
    settings: Settings, *, clock: Clock = now_ms, restart: Callable[[], None] | None = None
) -> Application:
    """Create the application of a project, see `Application`.

    Raises SchemaError or ExtensionError with all problems.
    """
    return Application(settings, clock=clock, tracing=open_tracing(settings), restart=restart)
