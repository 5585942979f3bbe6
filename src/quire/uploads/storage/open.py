"""Opens the storage that the settings name."""

from quire.settings import Settings
from quire.uploads.storage import Storage
from quire.uploads.storage.local import LOCAL, LocalStorage

SERVED = "/uploads"
"""The path under which this server serves files."""


def open_storage(settings: Settings) -> Storage:
    """Create the storage of a project. Raises ConfigurationError for an invalid one."""
    uploads = settings.uploads
    base = SERVED if uploads.private else uploads.public_url or SERVED
    if uploads.storage == LOCAL:
        return LocalStorage(settings.project / uploads.directory, base=base)
    from quire.uploads.storage.object_storage import Bucket, open_bucket  # noqa: PLC0415 - large, rare

    bucket = Bucket(
        address=uploads.storage,
        endpoint=uploads.endpoint,
        region=uploads.region,
        access_key=uploads.access_key,
        secret_key=uploads.secret_key,
    )
    return open_bucket(bucket, base=base)
