"""Everything that depends on the schema, as one object.

When content types change, another generation is made beside the present one and takes its place.
Requests hold whatever they need of the one that they began with; it is gone when the last of them
is done. So nothing in it may have to be closed: such things belong to the `Foundation`.
"""

from msgspec import Struct

from quire.admin_api.assembly import AdminParts, assemble_admin
from quire.admin_api.ground import AdminSources
from quire.api.accounts import AccountApis
from quire.api.content import ContentApi
from quire.api.messages import AsgiApp
from quire.api.reader import Reader
from quire.api.timing import ServerTiming
from quire.assembly.content import ContentParts, assemble_content
from quire.assembly.foundation import Foundation
from quire.assembly.reading import inner_limits, make_reader
from quire.auth.passwords import hash_password
from quire.builder.remodel import Project
from quire.database.accounts import Accounts
from quire.database.announcement import (
    Requirement,
    require_nothing,
    require_present_schema,
    require_schema,
)
from quire.database.content.store import Store, open_store
from quire.database.mapping import map_tables
from quire.database.rooms import room_of
from quire.documents.service import DocumentService
from quire.documents.unit import Engine
from quire.ids import new_document_id
from quire.schema.model import Schema
from quire.uploads.assembly import open_library
from quire.uploads.library import Library, Rows


class Generation(Struct, frozen=True, kw_only=True, weakref=True):
    """An application for one schema.

    ``content`` is its content API, ``answering`` takes requests; ``direct`` is what a protocol may
    ask without the way around (`quire.api.protocol`), ``None`` where nobody may. ``admin`` is
    ``None`` in a project without a secret for administrators.
    """

    schema: Schema
    reader: Reader
    documents: DocumentService
    library: Library
    admin: AdminParts | None
    content: ContentApi
    answering: AsgiApp
    direct: ContentApi | None

    @property
    def default_locale(self) -> str | None:
        """The locale of content for which none is said."""
        return self.documents.engine.default_locale

    def adopt_default_locale(self, code: str | None) -> None:
        """Take another locale for the default one."""
        self.reader.adopt_default_locale(code)
        self.documents.engine.adopt_default_locale(code)


def make_generation(
    foundation: Foundation,
    schema: Schema,
    default_locale: str | None,
    *,
    disregarded: str | None = None,
) -> Generation:
    """Make the application for a schema. It asks the database for nothing.

    It writes while the database says that its tables have this schema, or the ``disregarded`` one.
    """
    tables = map_tables(schema)
    reader = make_reader(foundation, schema, tables, default_locale)
    store = open_store(schema, tables, foundation.database.dialect)
    require = require_schema(store.writes, schema.version, disregarded)
    engine = _engine(foundation, store, default_locale)
    documents = _document_service(foundation, engine, require)
    library = _library(foundation, engine)
    accounts = Accounts(tables, foundation.database.dialect)
    account_apis = AccountApis(
        foundation.settings,
        reader,
        documents,
        accounts,
        foundation.services,
        clock=foundation.clock,
    )
    present = require_present_schema(store.writes, schema.version, disregarded)
    project = _project(foundation, schema, present)
    admin = _admin_parts(foundation, reader, documents, library, account_apis, project)
    parts = ContentParts(
        accounts=accounts,
        reader=reader,
        documents=documents,
        library=library,
        account_apis=account_apis,
        beside=None if admin is None else admin.api,
    )
    content = assemble_content(foundation, parts)
    timed = foundation.settings.is_development
    return Generation(
        schema=schema,
        reader=reader,
        documents=documents,
        library=library,
        admin=admin,
        content=content,
        answering=ServerTiming(content) if timed else content,
        direct=None if timed else content,
    )


def _library(foundation: Foundation, engine: Engine) -> Library:
    """Open the media library, which writes whatever schema is announced.

    Uploads that arrive while types change cannot be begun again. What they write is of built-in
    types, whatever the schema.
    """
    files = _document_service(foundation, engine, require_nothing)
    rows = Rows(database=foundation.database, store=engine.store, documents=files)
    return open_library(foundation.settings, rows, foundation.premises)


def _project(foundation: Foundation, schema: Schema, require: Requirement) -> Project:
    return Project(
        settings=foundation.settings,
        database=foundation.database,
        kind=room_of(foundation.settings).kind,
        clock=foundation.clock,
        schema=schema,
        require=require,
        adopt=foundation.adopt,
    )


def _engine(foundation: Foundation, store: Store, default_locale: str | None) -> Engine:
    return Engine(
        store=store,
        new_id=new_document_id,
        default_locale=default_locale,
        limits=inner_limits(foundation.settings),
    )


def _document_service(
    foundation: Foundation, engine: Engine, require: Requirement
) -> DocumentService:
    return DocumentService(
        foundation.database,
        engine,
        foundation.events,
        clock=foundation.clock,
        hash_password=hash_password,
        outbox=foundation.webhooks.outbox,
        require=require,
    )


def _admin_parts(
    foundation: Foundation,
    reader: Reader,
    documents: DocumentService,
    library: Library,
    accounts: AccountApis,
    project: Project,
) -> AdminParts | None:
    if foundation.settings.secrets.admin_jwt_secret is None:
        return None
    sources = AdminSources(
        reader=reader,
        documents=documents,
        library=library,
        accounts=accounts,
        services=foundation.services,
        attempts=foundation.attempts,
        audit=foundation.audit,
        webhooks=foundation.webhooks,
        project=project,
    )
    return assemble_admin(
        foundation.settings,
        sources,
        clock=foundation.clock,
        default_changed=foundation.default_changed,
    )
