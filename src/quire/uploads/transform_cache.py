"""Creates transformed images on request, and caches them on disk.

Each result is a file in a cache folder, named after the content of the original, so that a replaced
image gets new results. The folder may be emptied at any time.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from quire.database.stores.files import FileRow, file_by_key
from quire.errors import NotFoundError, ServiceUnavailableError, ValidationError
from quire.uploads.file_types import HEAD, sniff
from quire.uploads.images import Crop, examine, is_picture, transform
from quire.uploads.service import MediaLibrary
from quire.uploads.storage import Storage
from quire.uploads.transforms import FORMATS, RequestedTransform

T = TypeVar("T")

NO_PICTURE = "The file is not an image that can be transformed"
_MAX_WAITING = 64
"""How many images may be waiting; further requests are rejected."""

_SPARED_SECONDS = 60.0
"""Files that were used so recently may still be being sent."""


class TransformedImage(Struct, frozen=True, kw_only=True):
    """A transformed image: its file, and its type."""

    path: Path
    type: str


class OriginalCopy(Struct, frozen=True, kw_only=True):
    """The copy of an original, whether it is there or has yet to be made.

    ``name`` differs for each content of the original.
    """

    name: str
    path: Path
    exists: bool


class TransformCacheOptions(Struct, frozen=True, kw_only=True):
    """The cache folder, its maximum size in bytes, and the maximum pixels of an original."""

    folder: Path
    max_bytes: int
    max_pixels: int


class TransformCache:
    """Images in other sizes, of the files that have a row."""

    def __init__(self, library: MediaLibrary, options: TransformCacheOptions) -> None:
        self._database = library.rows.database
        self._store = library.rows.store
        self._storage = library.storage
        self._former_storage = library.former_storage
        self._image_workers = library.image_workers
        self._options = options
        self._running_tasks: dict[str, asyncio.Task[Any]] = {}

    async def picture(self, key: str, transform: RequestedTransform) -> TransformedImage:
        """Return a file of the library as a transformed image.

        Raises NotFoundError for missing files, ValidationError for files that are not images,
        ApplicationError for damaged ones, ServiceUnavailableError when too many are requested.
        """
        row = await self._database.read(lambda: file_by_key(self._store, key))
        if row is None:
            raise NotFoundError
        storage, version = await self._find_original(key)
        name = hashlib.sha256(
            f"{key}\n{version}\n{transform.name()}\n{row.focus}".encode()
        ).hexdigest()
        cached_image = await asyncio.to_thread(self._cached_image, name)
        if cached_image is not None:
            return cached_image
        return await self._once(name, partial(self._make, row, storage, key, name, transform))

    async def _find_original(self, key: str) -> tuple[Storage, str]:
        """Return the storage of a file, and its version there. Raises NotFoundError."""
        former = () if self._former_storage is None else (self._former_storage,)
        for storage in (*former, self._storage):
            version = await storage.version(key)
            if version is not None:
                return storage, version
        raise NotFoundError

    async def original(self, key: str) -> OriginalCopy:
        """Return the copy of a file as it is, for a storage whose files have no addresses.

        Raises NotFoundError where there is no such file.
        """
        version = await self._storage.version(key)
        if version is None:
            raise NotFoundError
        name = hashlib.sha256(f"{key}\n{version}".encode()).hexdigest()
        path = self._options.folder / f"{name}{Path(key).suffix}"
        return OriginalCopy(name=name, path=path, exists=await asyncio.to_thread(_touch, path))

    async def copied(self, key: str, copy: OriginalCopy) -> Path:
        """Return the path of a copy, which is made if it is not there.

        Raises NotFoundError where there is no such file any more, and ServiceUnavailableError as
        `picture` does.
        """
        if not copy.exists:
            await self._once(copy.name, partial(self._copy, key, copy.path))
        return copy.path

    async def _once(self, name: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Make a file that is not cached, once for all who ask for it meanwhile."""
        task = self._running_tasks.get(name)
        if task is None:
            if len(self._running_tasks) >= _MAX_WAITING:
                raise ServiceUnavailableError
            task = self._running_tasks[name] = asyncio.create_task(make())
            task.add_done_callback(lambda _: self._running_tasks.pop(name, None))
        result: T = await asyncio.shield(task)
        return result

    async def _copy(self, key: str, target: Path) -> None:
        async with self._image_workers.bench() as bench:
            copy = bench / "original"
            if not await self._storage.fetch(key, copy):
                raise NotFoundError
            await asyncio.to_thread(self._keep, copy, target)

    def _keep(self, path: Path, target: Path) -> None:
        self._options.folder.mkdir(parents=True, exist_ok=True)
        path.replace(target)
        self._delete_least_recent(target)

    async def _make(
        self, row: FileRow, storage: Storage, key: str, name: str, transform: RequestedTransform
    ) -> TransformedImage:
        async with self._image_workers.bench() as bench:
            original = bench / "original"
            if not await storage.fetch(key, original):
                raise NotFoundError
            return await self._image_workers.run(self._create_image, row, original, name, transform)

    def _create_image(
        self, row: FileRow, original: Path, name: str, requested: RequestedTransform
    ) -> TransformedImage:
        with original.open("rb") as file:
            sniffed_type = sniff(file.read(HEAD))
        if sniffed_type is None or not is_picture(sniffed_type):
            raise ValidationError(NO_PICTURE)
        picture = examine(original, sniffed_type, self._options.max_pixels)
        format_ = requested.format or _format_of(sniffed_type)
        crop = Crop(
            width=requested.width,
            height=requested.height,
            cover=requested.fit == "cover",
            focus=row.focus,
        )
        target_path = original.with_name("made")
        transform(picture, target_path, crop, format_=format_, quality=requested.quality)
        target = self._options.folder / f"{name}.{format_}"
        self._keep(target_path, target)
        return TransformedImage(path=target, type=FORMATS[format_])

    def _cached_image(self, name: str) -> TransformedImage | None:
        for format_, type_ in FORMATS.items():
            path = self._options.folder / f"{name}.{format_}"
            if _touch(path):
                return TransformedImage(path=path, type=type_)
        return None

    def _delete_least_recent(self, newest: Path) -> None:
        """Delete the least recently used images, except those that were just made."""
        files = sorted(self._files())
        total = sum(size for _, size, _ in files)
        recent = _moment() - _SPARED_SECONDS
        for looked_at, size, path in files:
            if total <= self._options.max_bytes or looked_at > recent:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= size

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """Yield the time of last use, size and path of each file."""
        for path in self._options.folder.iterdir():
            # Another process may delete a file meanwhile.
            with suppress(FileNotFoundError):
                status = path.stat()
                yield status.st_atime, status.st_size, path


def _touch(path: Path) -> bool:
    """Note that a file is used; tells whether it is there."""
    try:
        made_at = path.stat().st_mtime
        os.utime(path, (_moment(), made_at))
    except OSError:
        return False
    return True


def _moment() -> float:
    """Return the present in the form of file timestamps."""
    return time.time()  # noqa: TID251 - compared with moments of files, which are real


def _format_of(type_: str) -> str:
    """Return the format of an image, or the default one."""
    return next((name for name, format_type in FORMATS.items() if format_type == type_), "webp")
