"""Puts the uploaded files of an archive into the storage of a project, and takes them back."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from quire.errors import TransferError
from quire.transfer.unpacking import UnpackedArchive
from quire.uploads.storage import Storage

_UNKNOWN_TYPE = "application/octet-stream"
_SHOWN = 5


class AssetFiles(Struct, frozen=True, kw_only=True):
    """The files of an archive on their way into a storage."""

    archive: UnpackedArchive
    storage: Storage

    def check(self) -> None:
        """Check that something is known of every file. Raises TransferError."""
        unknown = [
            name
            for name in sorted(self.archive.assets)
            if self.archive.asset_metadata(name) is None
        ]
        if unknown:
            raise TransferError(
                f"The archive says nothing of {len(unknown):,} of its files: {_some(unknown)}."
            )

    async def require_free(self) -> None:
        """Check that the storage has no files of these names. Raises TransferError."""
        taken = [
            name
            for name in sorted(self.archive.assets)
            if await self.storage.version(name) is not None
        ]
        if taken:
            raise TransferError(
                f"The media library has {len(taken):,} files of these names already: "
                f"{_some(taken)}. --replace puts those of the archive in their place."
            )

    def row_values(self, data: Mapping[str, object]) -> dict[str, object]:
        """Return the values of a file's row, with the addresses that it has in the storage."""
        key = _key(data)
        if key not in self.archive.assets:
            return dict(data)
        formats = data.get("formats")
        if isinstance(formats, Mapping):
            formats = {name: self._format(value) for name, value in formats.items()}
        return {
            **data,
            "url": self.storage.url(key),
            "formats": formats,
            "provider": self.storage.provider,
        }

    def _format(self, value: object) -> object:
        if not isinstance(value, Mapping) or _key(value) not in self.archive.assets:
            return value
        return {**value, "url": self.storage.url(_key(value))}

    @asynccontextmanager
    async def placed(self, advance: Callable[[int], None]) -> AsyncIterator[None]:
        """Put the files into the storage; when the block raises, everything is as before.

        ``advance`` is called with the number of files that were put there since the last call.
        Raises StorageError and OutOfSpaceError.
        """
        with TemporaryDirectory(dir=self.archive.folder) as former:
            done: list[str] = []
            try:
                for name in sorted(self.archive.assets):
                    await self.storage.fetch(name, Path(former) / name)
                    done.append(name)
                    metadata = self.archive.asset_metadata(name)
                    type_ = (metadata and metadata.mime) or _UNKNOWN_TYPE
                    await self.storage.put(name, self.archive.asset(name), type_=type_)
                    advance(1)
                yield
            except BaseException:
                await self._take_back(done, Path(former))
                raise

    async def _take_back(self, names: list[str], former: Path) -> None:
        """Put back the files that were there before, and remove the others."""
        await self.storage.remove([name for name in names if not (former / name).exists()])
        for name in names:
            if (former / name).exists():
                await self.storage.put(name, former / name, type_=_UNKNOWN_TYPE)


def _key(values: Mapping[str, object]) -> str:
    return f"{values.get('hash')}{values.get('ext') or ''}"


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
