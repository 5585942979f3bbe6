"""Opens the storage that the settings name."""

from collections.abc import Mapping

from quire.errors import ConfigurationError
from quire.hooks.errors import nearest
from quire.hooks.storage_backends import CustomStorageBackend
from quire.settings import Settings
from quire.uploads.storage import Storage
from quire.uploads.storage.custom import CustomStorage
from quire.uploads.storage.local import LOCAL, LocalStorage

UPLOADS_PATH = "/uploads"
"""The path under which this server serves files."""


StorageBackends = Mapping[str, CustomStorageBackend]
"""The storage backends of a project's Python code, by name."""


def open_storage(settings: Settings, backends: StorageBackends) -> Storage:
    """Create the storage of a project. Raises ConfigurationError for an invalid one."""
    uploads = settings.uploads
    base = UPLOADS_PATH if uploads.private else uploads.public_url or UPLOADS_PATH
    if uploads.storage == LOCAL:
        return LocalStorage(settings.project / uploads.directory, base=base)
    if uploads.storage_backend is not None:
        return _open_backend(uploads.storage_backend, backends, base)
    from quire.uploads.storage.object_storage import Bucket, open_bucket  # noqa: PLC0415 - large, rare

    bucket = Bucket(
        address=uploads.storage,
        endpoint=uploads.endpoint,
        region=uploads.region,
        access_key=uploads.access_key,
        secret_key=uploads.secret_key,
    )
    return open_bucket(bucket, base=base)


def _open_backend(name: str, backends: StorageBackends, base: str) -> Storage:
    custom = backends.get(name)
    if custom is None:
        similar = nearest(name, [LOCAL, *backends])
        message = f'uploads.storage: there is no storage backend "{name}"{similar}'
        raise ConfigurationError(message)
    try:
        return CustomStorage(custom, base=base)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        message = f'{custom.place}  storage_backend("{name}"): {reason}'
        raise ConfigurationError(message) from error
