"""Creates the parts of the media library from the settings."""

from quire.clock import Clock
from quire.database.stores.leases import Leases
from quire.errors import ConfigurationError
from quire.settings import Settings
from quire.uploads.allowed_types import AllowedTypes
from quire.uploads.context import UploadContext
from quire.uploads.image_workers import ImageWorkers
from quire.uploads.service import FileRowAccess, LibraryLimits, MediaLibrary
from quire.uploads.signed_links import SignedLinks
from quire.uploads.storage.local import LOCAL, LocalStorage
from quire.uploads.storage.open import UPLOADS_PATH, StorageBackends, open_storage
from quire.uploads.transform_cache import TransformCache, TransformCacheOptions

_NO_KEYS = "uploads.private needs APP_KEYS, which links are signed with."


def signed_links(settings: Settings, clock: Clock) -> SignedLinks | None:
    """Return the signer of links to private files, ``None`` if files are public.

    Raises ConfigurationError when there is no key to sign with.
    """
    if not settings.uploads.private:
        return None
    if not settings.secrets.app_keys:
        raise ConfigurationError(_NO_KEYS)
    return SignedLinks(
        settings.secrets.app_keys[0], lifetime=settings.uploads.link_lifetime, clock=clock
    )


def open_upload_context(
    settings: Settings, clock: Clock, leases: Leases, backends: StorageBackends
) -> UploadContext:
    """Create the context of the library; its storage is not accessed yet.

    With SQLite, all processes are on one machine and need no ``leases``. Raises ConfigurationError
    for an invalid storage, and as `signed_links` does.
    """
    uploads = settings.uploads
    folder = LocalStorage(settings.project / uploads.directory, base=UPLOADS_PATH)
    return UploadContext(
        storage=open_storage(settings, backends),
        former_storage=None if uploads.storage == LOCAL else folder,
        image_workers=ImageWorkers(
            settings.project / uploads.temporary_directory, threads=uploads.threads
        ),
        links=signed_links(settings, clock),
        leases=None if settings.database.client == "sqlite" else leases,
    )


def open_library(
    settings: Settings, rows: FileRowAccess, upload_context: UploadContext
) -> MediaLibrary:
    """Create the library of files with these rows."""
    uploads = settings.uploads
    types = AllowedTypes(allowed=uploads.allowed_types, denied=uploads.denied_types)
    limits = LibraryLimits(
        boxes=uploads.breakpoints,
        variants=tuple(dict.fromkeys(uploads.variants)),
        max_pixels=uploads.pixel_limit,
        types=types,
    )
    return MediaLibrary(rows, upload_context, limits)


def open_transform_cache(settings: Settings, library: MediaLibrary) -> TransformCache:
    """Create the cache of transformed images."""
    uploads = settings.uploads
    target = TransformCacheOptions(
        folder=settings.project / uploads.transform_directory,
        max_bytes=uploads.transform_cache,
        max_pixels=uploads.pixel_limit,
    )
    return TransformCache(library, target)
