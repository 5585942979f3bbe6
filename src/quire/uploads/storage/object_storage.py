"""Files in object storage: S3, Google Cloud Storage, Azure Blob Storage."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import obstore
from msgspec import Struct
from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url

from quire.errors import ConfigurationError, StorageError
from quire.uploads.storage import StoredObject

_open: Any = from_url  # its types distinguish the options of the services
_sign: Any = obstore.sign_async  # its types omit that stores of any service can sign

T = TypeVar("T")

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {"s3": "aws-s3", "gs": "google-cloud-storage", "az": "azure-storage"}
)
"""The names of these storages in rows, by URL scheme."""

_CHUNK_BYTES = 5 * 1024 * 1024
_AT_ONCE = 4
"""Concurrent parts of a large upload; times their size, this is its memory use."""
_ASK_AGAIN = 2
_GIVE_UP = timedelta(seconds=10)
_CONNECT_TIMEOUT = timedelta(seconds=5)
_RESPONSE_TIMEOUT = timedelta(seconds=60)


class Bucket(Struct, frozen=True, kw_only=True):
    """A bucket and its credentials.

    ``address`` is ``s3://bucket/prefix`` or the like. Missing credentials are found as the
    service's tools do, in the environment or from the machine.
    """

    address: str
    endpoint: str | None = None
    region: str | None = None
    access_key: str | None = None
    secret_key: str | None = None


class ObjectStorage:
    """A bucket. Objects are written atomically."""

    def __init__(self, store: ObjectStore, *, provider: str, base: str) -> None:
        """``base`` is the prefix of the URLs of files."""
        self._store = store
        self.provider = provider
        self._base = base.rstrip("/")

    def url(self, key: str) -> str:
        """Return the URL of a file."""
        return f"{self._base}/{key}"

    async def put(self, key: str, source: Path, *, type_: str) -> None:
        """Upload a file, in parts when it is large."""
        sending = obstore.put_async(
            self._store,
            key,
            source,
            attributes={"Content-Type": type_},
            chunk_size=_CHUNK_BYTES,
            max_concurrency=_AT_ONCE,
        )
        try:
            await _await_operation(sending)
        except FileNotFoundError as error:  # there is no such bucket
            raise StorageError from error

    async def version(self, key: str) -> str | None:
        """Return the tag of an object."""
        try:
            metadata = await _await_operation(obstore.head_async(self._store, key))
        except FileNotFoundError:
            return None
        return f"{metadata['e_tag']}-{metadata['size']}"

    async def fetch(self, key: str, target: Path) -> bool:
        """Download a file."""
        try:
            response = await obstore.get_async(self._store, key)
            stream = response.stream(_CHUNK_BYTES)
            with await asyncio.to_thread(target.open, "wb") as file:
                async for piece in stream:
                    await asyncio.to_thread(file.write, piece)
        except FileNotFoundError:
            return False
        except (BaseError, OSError) as error:
            raise StorageError from error
        return True

    async def remove(self, keys: Collection[str]) -> None:
        """Delete objects."""
        for key in keys:
            with suppress(FileNotFoundError):
                await _await_operation(obstore.delete_async(self._store, key))

    async def listed(self) -> AsyncIterator[StoredObject]:
        """Iterate over all objects of the bucket below its prefix."""
        try:
            async for chunk in obstore.list(self._store):
                for metadata in chunk:
                    moment = int(metadata["last_modified"].timestamp() * 1000)
                    yield StoredObject(
                        key=metadata["path"], size=metadata["size"], changed_at=moment
                    )
        except BaseError as error:
            raise StorageError from error

    async def link(self, key: str, lifetime: timedelta) -> str | None:
        """Return a URL that anybody can read a file from, for a while."""
        signed: Awaitable[str] = _sign(self._store, "GET", key, lifetime)
        return await _await_operation(signed)


def open_bucket(bucket: Bucket, *, base: str) -> ObjectStorage:
    """Create the storage of a bucket; it is not accessed yet.

    Raises ConfigurationError for an invalid address or invalid keys.
    """
    scheme = bucket.address.partition("://")[0]
    config: dict[str, Any] = {}
    if scheme == "s3":
        options = {
            "endpoint": bucket.endpoint,
            "region": bucket.region,
            "access_key_id": bucket.access_key,
            "secret_access_key": bucket.secret_key,
        }
        config = {name: value for name, value in options.items() if value is not None}
    elif bucket.endpoint is not None:
        config = {"base_url" if scheme == "gs" else "endpoint": bucket.endpoint}
    insecure = (bucket.endpoint or "").startswith("http://")
    try:
        store = _open(
            bucket.address,
            config=config or None,
            client_options={
                "allow_http": insecure,
                "connect_timeout": _CONNECT_TIMEOUT,
                "timeout": _RESPONSE_TIMEOUT,
            },
            retry_config={"max_retries": _ASK_AGAIN, "retry_timeout": _GIVE_UP},
        )
    except (BaseError, ValueError) as error:
        message = f"uploads.storage: {bucket.address} cannot be used: {error}"
        raise ConfigurationError(message) from error
    return ObjectStorage(store, provider=PROVIDERS[scheme], base=base)


async def _await_operation(work: Awaitable[T]) -> T:
    """Await an operation. Raises FileNotFoundError for a missing file, StorageError otherwise."""
    try:
        return await work
    except FileNotFoundError:
        raise
    except (BaseError, OSError) as error:
        raise StorageError from error
