"""The routes of the content manager."""

from collections.abc import Iterator

from quire.admin_api.content_manager.changes import ChangeApi
from quire.admin_api.content_manager.checks import CheckApi
from quire.admin_api.content_manager.entries import EntryApi
from quire.admin_api.content_manager.home import HomeApi
from quire.admin_api.content_manager.locale_prefill import FillingApi
from quire.admin_api.content_manager.models import ManagedModelApi
from quire.admin_api.content_manager.relations import RelatedApi
from quire.admin_api.content_manager.revision_table import RevisionHistory
from quire.admin_api.content_manager.uid_values import IdentifierApi
from quire.content_api.routes import Route
from quire.content_manager.entry_lists import EntryLists
from quire.database.connection import Database
from quire.document_service.service import DocumentService


def content_manager_routes(
    database: Database, documents: DocumentService, lists: EntryLists, history: RevisionHistory
) -> Iterator[Route]:
    """Yield the routes of the content manager."""
    engine = documents.engine
    changes = ChangeApi(documents, history)
    yield from ManagedModelApi(database, engine.store, engine.extensions.attribute_types).routes()
    yield from EntryApi(database, engine, lists, history).routes()
    yield from changes.routes()
    yield from RelatedApi(database, engine).routes()
    yield from IdentifierApi(database, engine).routes()
    yield from CheckApi(database, engine, changes.clone).routes()
    yield from FillingApi(database, engine).routes()
    yield from HomeApi(database, engine).routes()
