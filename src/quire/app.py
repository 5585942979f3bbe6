"""Puts the house together: settings in, an ASGI application out.

Nobody imports this module but those who start a server. Everything is passed to whoever needs it;
there is no application object to reach for.
"""

import structlog

from quire.admin_api.assembly import AdminParts, AdminSources, assemble_admin
from quire.api.accounts import AccountApis
from quire.api.authorization import Authorizer
from quire.api.batch.handler import BatchApi
from quire.api.content import Beside, ContentApi, Elsewhere
from quire.api.description import DescriptionApi
from quire.api.documents import DocumentApi
from quire.api.files import FileApi
from quire.api.headers import AnswerHeaders, Cors, security_headers
from quire.api.locales import LocaleApi
from quire.api.messages import AsgiApp, AsgiReceive, AsgiScope, AsgiSend
from quire.api.model import ModelApi
from quire.api.public import PublicFiles
from quire.api.reader import Reader
from quire.api.routes import Route, RouteTable
from quire.api.timing import ServerTiming, TimedAuthenticator, TimedDatabase, TimedReader
from quire.api.uploaded import UploadedFiles
from quire.auth.authenticate import Authenticator
from quire.auth.passwords import hash_password
from quire.clock import Clock, now_ms
from quire.content_manager.following import DefaultLocaleFollower
from quire.customisations import Customisations, find_customisations
from quire.database.accounts import Accounts
from quire.database.compile import NOTHING_PRESENTED
from quire.database.connection import Database
from quire.database.content.store import Store, open_store
from quire.database.mapping import TableMap, map_tables
from quire.database.open import open_database
from quire.database.own_tables import OwnTables
from quire.database.rooms import room_of
from quire.documents.service import DocumentService
from quire.documents.unit import Engine
from quire.events.bus import EventBus
from quire.events.outbox import Outbox
from quire.events.webhooks import WebhookParts, open_webhooks
from quire.ids import new_document_id
from quire.query.resolve.scope import ReadLimits
from quire.schema.load import LoadOptions, load_schema
from quire.schema.model import Schema
from quire.settings import Settings, load_settings_from_environment
from quire.uploads.assembly import open_gallery, open_library, signed_links
from quire.uploads.library import Library, Rows
from quire.uploads.links import SignedLinks, presented_files
from quire.uploads.transforms import TransformRules

_log = structlog.get_logger("quire")
_DEFAULT_LOCALE_KEY = "plugin_i18n_default_locale"


class Application:
    """A project as an ASGI application: opens its database at the start, lets go at the end."""

    def __init__(self, settings: Settings, *, clock: Clock = now_ms) -> None:
        """Load the schema. Raises SchemaError with all faults of the tree."""
        self.settings = settings
        self._clock = clock
        self.schema = load_project_schema(settings)
        self.tables = map_tables(self.schema)
        self.database: Database | None = None
        self.content: ContentApi | None = None
        """What answers, where a protocol may ask it without the way around (api/protocol.py)."""
        self.routes: tuple[Route, ...] = ()
        """The routes of the content API."""
        self._answering: AsgiApp | None = None
        self.reader: Reader | None = None
        self.events = EventBus()
        self.documents: DocumentService | None = None
        self.webhooks: WebhookParts | None = None
        self.library: Library | None = None
        self.first_administrator: str | None = None
        """The token that makes the first administrator, as long as there is none."""
        self._account_apis: AccountApis | None = None
        self._follower: DefaultLocaleFollower | None = None

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one request, or go through the life of the application."""
        if scope["type"] == "http" and self._answering is not None:
            await self._answering(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            message = f"cannot serve {scope['type']} before the start or at all"
            raise RuntimeError(message)

    async def _live(self, receive: AsgiReceive, send: AsgiSend) -> None:
        await receive()
        await self.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def start(self) -> None:
        """Open the database and make the handlers.

        Raises DatabaseOpenError when the database cannot be opened as it is.
        """
        timed = self.settings.is_development
        self.database = await open_database(self.settings, self.tables)
        if timed:
            self.database = TimedDatabase(self.database)
        accounts = Accounts(self.tables, self.database.dialect)
        stored = await self.database.read(lambda: accounts.stored(_DEFAULT_LOCALE_KEY))
        default_locale = stored if isinstance(stored, str) else None
        links = signed_links(self.settings, self._clock)
        self.reader = _reader(
            self.settings, self.database, self.schema, self.tables, default_locale, links
        )
        store = open_store(self.schema, self.tables, self.database.dialect)
        own_tables = OwnTables(self.database, room_of(self.settings))
        self.webhooks = open_webhooks(
            self.settings, self.database, store.writes, own_tables, self._clock
        )
        await self.webhooks.outbox.refresh()
        self.documents = self._document_service(
            self.database, store, default_locale, self.webhooks.outbox
        )
        rows = Rows(database=self.database, store=store, documents=self.documents)
        self.library = open_library(self.settings, rows, links)
        self._account_apis = AccountApis(
            self.settings, self.reader, self.documents, accounts, clock=self._clock
        )
        admin = self._admin_parts(
            AdminSources(
                reader=self.reader,
                documents=self.documents,
                library=self.library,
                accounts=self._account_apis,
                webhooks=self.webhooks,
            )
        )
        content = _content_api(
            self.settings,
            accounts,
            self.reader,
            self.documents,
            self.library,
            self._account_apis,
            self._clock,
            beside=None if admin is None else admin.api,
        )
        if admin is not None:
            self.first_administrator = await admin.accounts.first_token()
        if _is_one_of_several(self.settings):
            self._follower = self._started_follower(self.database, self.documents.engine)
        self.webhooks.courier.start()
        self.routes = content.routes
        self._answering = ServerTiming(content) if timed else content
        self.content = None if timed else content

    def _admin_parts(self, sources: AdminSources) -> AdminParts | None:
        if self.settings.secrets.admin_jwt_secret is None:
            _log.warning("there is no admin API, because ADMIN_JWT_SECRET is not set")
            return None
        return assemble_admin(
            self.settings, sources, clock=self._clock, default_changed=self._adopt_default_locale
        )

    def _started_follower(self, database: Database, engine: Engine) -> DefaultLocaleFollower:
        follower = DefaultLocaleFollower(
            database,
            engine.store.writes,
            self._adopt_default_locale,
            present=lambda: engine.default_locale,
        )
        follower.start()
        return follower

    def _adopt_default_locale(self, code: str | None) -> None:
        """Take another locale for the default one, in this process."""
        if self.reader is not None:
            self.reader.adopt_default_locale(code)
        if self.documents is not None:
            self.documents.engine.adopt_default_locale(code)

    def _document_service(
        self, database: Database, store: Store, default_locale: str | None, outbox: Outbox
    ) -> DocumentService:
        engine = Engine(
            store=store,
            new_id=new_document_id,
            default_locale=default_locale,
            limits=_inner_limits(self.settings),
        )
        return DocumentService(
            database,
            engine,
            self.events,
            clock=self._clock,
            hash_password=hash_password,
            outbox=outbox,
        )

    async def stop(self) -> None:
        """Finish what is under way and let go of the database."""
        if self._follower is not None:
            await self._follower.stop()
        if self.webhooks is not None:
            await self.webhooks.courier.stop()
        if self._account_apis is not None:
            await self._account_apis.close()
            self._account_apis.calls.close()
        if self.library is not None:
            self.library.workshop.close()
        if self.database is not None:
            await self.database.close()
        self._answering = self.content = None


def build_app(settings: Settings, *, clock: Clock = now_ms) -> Application:
    """Make the application of a project. Raises SchemaError with all faults of its schema."""
    return Application(settings, clock=clock)


def app_from_environment() -> Application:
    """Make the application in a process that was started for it."""
    return build_app(load_settings_from_environment())


def load_project_schema(settings: Settings) -> Schema:
    """Load the schema of a project as its settings say."""
    options = LoadOptions(
        private_attributes=frozenset(settings.api.private_attributes),
        first_published=settings.features.first_published_at,
    )
    return load_schema(settings.project, options)


def _reader(
    settings: Settings,
    database: Database,
    schema: Schema,
    tables: TableMap,
    default_locale: str | None,
    links: SignedLinks | None,
) -> Reader:
    api = settings.api
    limits = ReadLimits(
        default_limit=api.default_limit,
        max_limit=api.max_limit,
        with_count=api.with_count,
        strict_params=api.strict_params,
        drafts_need_token=api.drafts_need_token,
        populate_depth=settings.limits.populate_depth,
        populate_nodes=settings.limits.populate_nodes,
        rows=settings.limits.rows,
    )
    reader = TimedReader if settings.is_development else Reader
    return reader(
        database,
        schema,
        tables,
        limits,
        default_locale=default_locale,
        plan_cache=settings.cache.plans,
        count_cache=settings.cache.counts,
        presented=NOTHING_PRESENTED if links is None else presented_files(links),
    )


def _is_one_of_several(settings: Settings) -> bool:
    """Whether other processes may work on the same database."""
    return settings.server.workers > 1 or settings.database.client != "sqlite"


def _inner_limits(settings: Settings) -> ReadLimits:
    """Return what bounds reads by the server itself: pages of any size, but not any work."""
    return ReadLimits(
        default_limit=settings.api.default_limit,
        max_limit=None,
        rows=settings.limits.rows,
    )


def _content_api(
    settings: Settings,
    accounts: Accounts,
    reader: Reader,
    documents: DocumentService,
    library: Library,
    account_apis: AccountApis,
    clock: Clock,
    *,
    beside: Beside | None,
) -> ContentApi:
    schema, database = reader.schema, reader.database
    authenticator = (TimedAuthenticator if settings.is_development else Authenticator)(
        database,
        accounts,
        clock=clock,
        api_token_salt=settings.secrets.api_token_salt,
        jwt_secret=settings.secrets.jwt_secret,
        cache_size=settings.cache.tokens,
        sessions=account_apis.sessions,
    )
    authorizer = Authorizer(_closed_types(settings, schema))
    routes: list[Route] = []
    for content_type in schema.api_types:
        routes += DocumentApi(reader, documents, content_type).routes()
    for api in (
        BatchApi(reader, documents, authorizer, limit=settings.limits.batch_operations),
        account_apis,
        FileApi(reader, library, authorizer, limits=settings.limits, uploads=settings.uploads),
        LocaleApi(reader),
        ModelApi(schema),
    ):
        routes += api.routes()
    routes += DescriptionApi(schema, authorizer, routes, settings).routes()
    return ContentApi(
        RouteTable(routes),
        database,
        authenticator,
        api=settings.api,
        limits=settings.limits,
        headers=AnswerHeaders(security_headers(settings.security), Cors(settings.cors)),
        authorizer=authorizer,
        elsewhere=Elsewhere(
            public=PublicFiles(
                project=settings.project,
                public=settings.project / settings.public.directory,
                uploads=_uploaded_files(settings, library),
            ),
            api=beside,
        ),
    )


def _uploaded_files(settings: Settings, library: Library) -> UploadedFiles:
    uploads = settings.uploads
    return UploadedFiles(
        library.storage,
        settings.project / uploads.directory,
        open_gallery(settings, library),
        TransformRules(sizes=frozenset(uploads.transform_sizes), key=uploads.transform_key),
        links=library.links,
        lifetime=uploads.link_lifetime,
    )


def _closed_types(settings: Settings, schema: Schema) -> frozenset[str]:
    """Return the content types whose own JavaScript guards them, and say so in the log."""
    found: Customisations = find_customisations(settings, schema.content_types.values())
    for uid, files in found.closed.items():
        _log.warning("content type is closed", uid=uid, files=", ".join(files))
    return frozenset(found.closed)
