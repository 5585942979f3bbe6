"""Puts the house together: settings in, an ASGI application out.

Nobody imports this module but those who start a server. Everything is passed to whoever needs it;
there is no application object to reach for.
"""

import structlog

from quire.api.content import ContentApi
from quire.api.messages import AsgiReceive, AsgiScope, AsgiSend
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.api.timing import TimedDatabase
from quire.assembly.foundation import Foundation, lay_foundation
from quire.assembly.generation import Generation, make_generation
from quire.clock import Clock, now_ms
from quire.content_manager.following import DefaultLocaleFollower
from quire.content_manager.locales import DEFAULT_LOCALE_KEY
from quire.database.connection import Database
from quire.database.core_store import read_setting
from quire.database.mapping import map_tables
from quire.database.open import open_database
from quire.database.writes import Writes
from quire.documents.service import DocumentService
from quire.events.bus import EventBus
from quire.events.webhooks import WebhookParts
from quire.schema.load import LoadOptions, load_schema
from quire.schema.model import Schema
from quire.settings import Settings, load_settings_from_environment
from quire.uploads.library import Library

_log = structlog.get_logger("quire")


class Application:
    """A project as an ASGI application: opens its database at the start, lets go at the end."""

    def __init__(self, settings: Settings, *, clock: Clock = now_ms) -> None:
        """Load the schema. Raises SchemaError with all faults of the tree."""
        self.settings = settings
        self._clock = clock
        self._schema = load_project_schema(settings)
        self.events = EventBus()
        self.first_administrator: str | None = None
        """The token that makes the first administrator, as long as there is none."""
        self.foundation: Foundation | None = None
        """What lasts from the start to the end."""
        self._generation: Generation | None = None
        """What answers requests that come in now."""
        self._follower: DefaultLocaleFollower | None = None

    @property
    def schema(self) -> Schema:
        """The schema that requests which come in now are answered by."""
        return self._schema if self._generation is None else self._generation.schema

    @property
    def database(self) -> Database | None:
        """The database, from the start to the end."""
        return None if self.foundation is None else self.foundation.database

    @property
    def content(self) -> ContentApi | None:
        """What answers, where a protocol may ask it without the way around (api/protocol.py)."""
        return None if self._generation is None else self._generation.direct

    @property
    def webhooks(self) -> WebhookParts | None:
        """What tells webhooks, from the start to the end."""
        return None if self.foundation is None else self.foundation.webhooks

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the content API."""
        return () if self._generation is None else self._generation.content.routes

    @property
    def reader(self) -> Reader | None:
        """What reads for the content API."""
        return None if self._generation is None else self._generation.reader

    @property
    def documents(self) -> DocumentService | None:
        """What writes content."""
        return None if self._generation is None else self._generation.documents

    @property
    def library(self) -> Library | None:
        """The media library."""
        return None if self._generation is None else self._generation.library

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one request, or go through the life of the application."""
        if scope["type"] == "http" and self._generation is not None:
            await self._generation.answering(scope, receive, send)
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
        database = await open_database(self.settings, map_tables(self._schema))
        if self.settings.is_development:
            database = TimedDatabase(database)
        foundation = self.foundation = lay_foundation(
            self.settings,
            database,
            self.events,
            clock=self._clock,
            default_changed=self._adopt_default_locale,
        )
        if self.settings.secrets.admin_jwt_secret is None:
            _log.warning("there is no admin API, because ADMIN_JWT_SECRET is not set")
        writes = Writes(database.dialect)
        stored = await database.read(lambda: read_setting(writes, DEFAULT_LOCALE_KEY))
        default_locale = stored if isinstance(stored, str) else None
        generation = make_generation(foundation, self._schema, default_locale)
        await generation.library.recover()
        if generation.admin is not None:
            await generation.admin.stale_fields.forget()
            self.first_administrator = await generation.admin.accounts.first_token()
        await foundation.start()
        self._generation = generation
        if _is_one_of_several(self.settings):
            self._follower = self._started_follower(database, writes)

    def _started_follower(self, database: Database, writes: Writes) -> DefaultLocaleFollower:
        follower = DefaultLocaleFollower(
            database, writes, self._adopt_default_locale, present=self._default_locale
        )
        follower.start()
        return follower

    def _default_locale(self) -> str | None:
        return None if self._generation is None else self._generation.default_locale

    def _adopt_default_locale(self, code: str | None) -> None:
        """Take another locale for the default one, in this process."""
        if self._generation is not None:
            self._generation.adopt_default_locale(code)

    async def stop(self) -> None:
        """Finish what is under way and let go of the database."""
        if self._follower is not None:
            await self._follower.stop()
        if self.foundation is not None:
            await self.foundation.close()
        self._generation = None


def build_app(settings: Settings, *, clock: Clock = now_ms) -> Application:
    """Make the application of a project. Raises SchemaError with all faults of its schema."""
    return Application(settings, clock=clock)


def app_from_environment() -> Application:
    """Make the application in a process that was started for it."""
    return build_app(load_settings_from_environment())


def load_project_schema(settings: Settings) -> Schema:
    """Load the schema of a project as its settings say."""
    return load_schema(settings.project, load_options(settings))


def load_options(settings: Settings) -> LoadOptions:
    """Return what the settings have to say in what a schema is."""
    return LoadOptions(
        private_attributes=frozenset(settings.api.private_attributes),
        first_published=settings.features.first_published_at,
    )


def _is_one_of_several(settings: Settings) -> bool:
    """Whether other processes may work on the same database."""
    return settings.server.workers > 1 or settings.database.client != "sqlite"
