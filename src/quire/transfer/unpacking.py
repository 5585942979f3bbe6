"""Unpacks an export archive into a folder, and rejects anything else.

Archives are untrusted: names, kinds and sizes of members are checked before anything is written,
and nothing is written outside of the folder. All errors are `TransferError`.
"""

import gzip
import os
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TypeVar

import msgspec
from msgspec import Struct

from quire.errors import TransferError
from quire.transfer.archive_format import (
    ASSET_METADATA_FOLDER,
    METADATA,
    PART_NAME,
    UPLOADS_FOLDER,
    ArchiveMetadata,
    ArchiveStage,
    AssetMetadata,
    is_asset_name,
)
from quire.transfer.cipher import DecryptingReader, WrongKeyError

T = TypeVar("T")

ENCRYPTED_SUFFIX = ".enc"
_GZIP_MAGIC = b"\x1f\x8b"
_TAR_MAGIC = b"ustar"
_TAR_MAGIC_OFFSET = 257
_BLOCK_BYTES = 512
_BUFFER_BYTES = 1 << 16

_DAMAGE_ERRORS = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError)

_MAX_HEADER_BYTES = 1 << 20
"""The maximum size of a header, including long names and other extensions."""
_MAX_METADATA_BYTES = 1 << 20
_MAX_LINE_BYTES = 64 << 20
_MAX_MEMBERS = 5_000_000


class UnpackedArchive(Struct, frozen=True):
    """A folder with the members of an archive, whose names and sizes are checked."""

    folder: Path
    metadata: ArchiveMetadata
    parts: frozenset[str]
    assets: frozenset[str]

    def lines(self, stage: ArchiveStage, type_: type[T]) -> Iterator[T]:
        """Decode the lines of a stage, in order. Raises TransferError for an invalid one."""
        decoder = msgspec.json.Decoder(type_)
        for name in sorted(part for part in self.parts if part.startswith(f"{stage}/")):
            with (self.folder / name).open("rb") as file:
                yield from _decode_lines(file, name, decoder)

    def raw_lines(self, stage: ArchiveStage) -> Iterator[dict[str, object]]:
        """Decode the lines of a stage as plain objects."""
        return self.lines(stage, dict[str, object])

    def asset(self, name: str) -> Path:
        """Return the file of an asset."""
        return self.folder / UPLOADS_FOLDER / name

    def asset_metadata(self, name: str) -> AssetMetadata | None:
        """Return the metadata of a file, ``None`` if the archive has none."""
        member = f"{ASSET_METADATA_FOLDER}/{name}.json"
        path = self.folder / member
        if not path.is_file():
            return None
        return _decode_metadata(path.read_bytes(), member, AssetMetadata)


def unpack_archive(
    path: Path,
    folder: Path,
    *,
    key: str | None,
    max_bytes: int,
    advance: Callable[[int], None] = lambda _: None,
) -> UnpackedArchive:
    """Unpack an archive into an empty folder.

    ``key`` decrypts one whose name ends in ``.enc``. ``max_bytes`` is the maximum unpacked size;
    ``advance`` is called with the number of bytes of the file that were read since the last call.
    Raises TransferError for an archive that is damaged, truncated or too large, that contains
    anything else than an export, and for a wrong key.
    """
    if path.name.endswith(ENCRYPTED_SUFFIX) and not key:
        raise TransferError(f"{path} is encrypted: give its key with --key.")
    try:
        with path.open("rb") as file:
            read = _CountingReader(file, advance)
            return _unpack(path, read, folder, key=key, max_bytes=max_bytes)
    except WrongKeyError as error:
        raise TransferError(_wrong_key(path)) from error
    # The module tarfile reads headers of headers recursively, and does not check all numbers.
    except (*_DAMAGE_ERRORS, RecursionError, ValueError) as error:
        raise TransferError(f"{path} is damaged or cut off: {error}.") from error


def _unpack(
    path: Path, file: "_CountingReader", folder: Path, *, key: str | None, max_bytes: int
) -> UnpackedArchive:
    is_encrypted = path.name.endswith(ENCRYPTED_SUFFIX)
    content: BufferedReader[RawIOBase] = BufferedReader(file, _BUFFER_BYTES)
    if is_encrypted:
        content = BufferedReader(DecryptingReader(content, key or ""), _BUFFER_BYTES)
    start = content.peek(_BLOCK_BYTES)
    if start.startswith(_GZIP_MAGIC):
        content = BufferedReader(_DecompressedStream(content), _BUFFER_BYTES)
        start = content.peek(_BLOCK_BYTES)
    if start[_TAR_MAGIC_OFFSET:].startswith(_TAR_MAGIC):
        stream = _TarStream(content)
        with tarfile.open(fileobj=stream, mode="r|") as tar:  # type: ignore[call-overload]  # it reads
            return _Unpacking(path, tar, stream, folder, max_bytes).run()
    if is_encrypted:
        raise TransferError(_wrong_key(path))
    raise TransferError(f"{path} is no export archive: it is neither a tar file nor compressed.")


def _wrong_key(path: Path) -> str:
    return f"{path} cannot be decrypted: the key is another one, or the file is damaged."


class _Unpacking:
    """The unpacking of one archive into a folder."""

    def __init__(
        self, path: Path, tar: tarfile.TarFile, stream: "_TarStream", folder: Path, max_bytes: int
    ) -> None:
        self._path = path
        self._tar = tar
        self._stream = stream
        self._folder = folder
        self._left = max_bytes
        self._max_bytes = max_bytes
        self._names: set[str] = set()

    def run(self) -> UnpackedArchive:
        """Unpack all members; returns the folder."""
        for part in (*ArchiveStage, UPLOADS_FOLDER, ASSET_METADATA_FOLDER):
            (self._folder / part).mkdir(parents=True)
        while (member := self._next_member()) is not None:
            self._member(member)
        self._finish()
        if METADATA not in self._names:
            raise TransferError(f"{self._path} is cut off, or no export: it has no {METADATA}.")
        metadata = _decode_metadata(
            (self._folder / METADATA).read_bytes(), METADATA, ArchiveMetadata
        )
        assets = f"{UPLOADS_FOLDER}/"
        return UnpackedArchive(
            folder=self._folder,
            metadata=metadata,
            parts=frozenset(name for name in self._names if PART_NAME.fullmatch(name)),
            assets=frozenset(
                name.removeprefix(assets) for name in self._names if name.startswith(assets)
            ),
        )

    def _next_member(self) -> tarfile.TarInfo | None:
        self._stream.allow(_MAX_HEADER_BYTES)
        return self._tar.next()

    def _member(self, member: tarfile.TarInfo) -> None:
        name = member.name.removeprefix("./").rstrip("/")
        if member.isdir() and (name in {"", "."} or _is_folder(name)):
            return
        if not member.isreg() or member.issparse():
            raise self._refusal(f"{member.name!r} is not a plain file")
        if not _is_known(name):
            raise self._refusal(f"{member.name!r} is no part of an export")
        if name in self._names:
            raise self._refusal(f"{name!r} is in it twice")
        if len(self._names) >= _MAX_MEMBERS:
            raise self._refusal(f"it has more than {_MAX_MEMBERS:,} files")
        self._names.add(name)
        self._check_size(name, member.size)
        self._extract(member, self._folder / name)

    def _check_size(self, name: str, size: int) -> None:
        if name.endswith(".json") and not name.startswith(UPLOADS_FOLDER):
            limit = _MAX_METADATA_BYTES
            if size > limit:
                raise self._refusal(f"{name!r} has {size:,} bytes; {limit:,} are allowed")
        if size > self._left:
            raise TransferError(
                f"{self._path} unpacks to more than {self._max_bytes:,} bytes: "
                "allow more with --max-size."
            )
        self._left -= size
        free_bytes = shutil.disk_usage(self._folder).free
        if size > free_bytes:
            raise TransferError(
                f"{self._path} does not fit here: {name!r} has {size:,} bytes, "
                f"and {free_bytes:,} are free."
            )

    def _extract(self, member: tarfile.TarInfo, target: Path) -> None:
        # Up to one buffer of the next member is read ahead.
        self._stream.allow(member.size + _MAX_HEADER_BYTES)
        source = self._tar.extractfile(member)
        if source is None:
            raise self._refusal(f"{member.name!r} is not a plain file")
        with source, target.open("xb") as file:
            shutil.copyfileobj(source, file, _BUFFER_BYTES)
        if target.stat().st_size != member.size:
            raise TransferError(f"{self._path} is cut off in {member.name}.")

    def _finish(self) -> None:
        """Read the rest after the last member, which checks sums and padding."""
        if self._stream.total <= self._tar.offset:
            raise TransferError(f"{self._path} is cut off: the end of the tar file is missing.")
        self._stream.allow(_MAX_HEADER_BYTES)
        while self._stream.read(_BUFFER_BYTES):
            pass

    def _refusal(self, reason: str) -> TransferError:
        return TransferError(f"{self._path} is not taken: {reason}.")


class _CountingReader(RawIOBase):
    """Reads a file and reports the progress."""

    def __init__(self, file: IO[bytes], advance: Callable[[int], None]) -> None:
        self._file = file
        self._advance = advance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer there
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._advance(len(data))
        return len(data)


class _DecompressedStream(RawIOBase):
    """The content of a compressed stream. Raises EOFError for a truncated one."""

    def __init__(self, source: IO[bytes]) -> None:
        self._file = gzip.GzipFile(fileobj=source)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer there
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _TarStream:
    """The input of tarfile; a header cannot make it read more than is allowed.

    A header may claim an extension of gigabytes, and tarfile reads it into memory.
    """

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._allowed = _MAX_HEADER_BYTES  # tarfile reads the first header when it opens
        self.total = 0

    def allow(self, size: int) -> None:
        """Allow to read so many bytes from now on."""
        self._allowed = size

    def read(self, size: int) -> bytes:
        """Read some bytes. Raises TarError for more than is allowed."""
        data = self._content.read(size)
        self.total += len(data)
        self._allowed -= len(data)
        if self._allowed < 0:
            raise tarfile.ReadError("a header is too large")
        return data


def _is_folder(name: str) -> bool:
    return name in {*ArchiveStage, "assets", UPLOADS_FOLDER, ASSET_METADATA_FOLDER}


def _is_known(name: str) -> bool:
    """Tell whether a name is that of a member of an export."""
    if name == METADATA or PART_NAME.fullmatch(name):
        return True
    folder, _, file = name.rpartition("/")
    if folder == UPLOADS_FOLDER:
        return is_asset_name(file)
    return (
        folder == ASSET_METADATA_FOLDER
        and file.endswith(".json")
        and is_asset_name(file.removesuffix(".json"))
    )


def _decode_lines(file: IO[bytes], name: str, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
    number = 0
    while line := file.readline(_MAX_LINE_BYTES):
        number += 1
        if len(line) == _MAX_LINE_BYTES:
            raise TransferError(f"{name}, line {number}: longer than {_MAX_LINE_BYTES:,} bytes.")
        if not line.strip():
            continue
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TransferError(f"{name}, line {number}: {error}.") from error


def _decode_metadata(raw: bytes, member: str, type_: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TransferError(f"{os.fspath(member)}: {error}.") from error
