"""The routes of the media library."""

from collections.abc import Iterator

from quire.admin_api.media.files import MediaFileApi
from quire.admin_api.media.folders import FolderApi
from quire.admin_api.media.image_tools import CropApi, TransformApi
from quire.admin_api.media.library_settings import MediaOptionApi
from quire.admin_api.media.reads import MediaReads
from quire.admin_api.media.remote_import import ImportApi
from quire.admin_api.media.usage import MediaToolsApi
from quire.content_api.routes import Route
from quire.document_service.read_service import ReadService
from quire.document_service.unit_of_work import WriteEngine
from quire.settings import Settings
from quire.uploads.service import MediaLibrary


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
    yield from MediaToolsApi(reads, library, engine).routes()
    yield from CropApi(reads, library).routes()
    yield from TransformApi(reads, library, settings.uploads).routes()
    yield from MediaOptionApi(rows.database, rows.store).routes()
