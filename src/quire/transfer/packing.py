"""Writes an export archive: a tar file, compressed and encrypted as its name says."""

import gzip
import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedWriter, BytesIO, RawIOBase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

import msgspec

from quire.transfer.archive_format import PART_CHARACTERS, Stage, part_name
from quire.transfer.cipher import EncryptingWriter

_BUFFER_BYTES = 1 << 16
_LEVEL = 6


class LineWriter:
    """Writes the lines of a stage into parts in a folder."""

    def __init__(self, folder: Path, stage: Stage) -> None:
        self.parts: list[tuple[str, Path]] = []
        self.count = 0
        self._folder = folder
        self._stage = stage
        self._encoder = msgspec.json.Encoder()
        self._file: IO[bytes] | None = None
        self._left = 0

    def write(self, line: object) -> None:
        """Write something as a line of JSON."""
        data = self._encoder.encode(line) + b"\n"
        if self._file is None or len(data) > self._left:
            self._begin()
        cast("IO[bytes]", self._file).write(data)
        self._left -= len(data)
        self.count += 1

    def close(self) -> None:
        """Write what is left to the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin(self) -> None:
        self.close()
        name = part_name(self._stage, len(self.parts) + 1)
        path = self._folder / Path(name).name
        self._file = path.open("xb")
        self.parts.append((name, path))
        self._left = PART_CHARACTERS


class ArchiveFile:
    """A tar file that members are added to."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar

    def add_bytes(self, name: str, data: bytes) -> None:
        """Add a member with some content."""
        member = tarfile.TarInfo(name)
        member.size = len(data)
        self._tar.addfile(member, BytesIO(data))

    def add_file(self, name: str, path: Path) -> None:
        """Add a file."""
        member = tarfile.TarInfo(name)
        with path.open("rb") as file:
            member.size = os.fstat(file.fileno()).st_size
            self._tar.addfile(member, file)


@contextmanager
def packed_archive(
    path: Path, *, key: str | None, compress: bool
) -> Iterator[tuple[ArchiveFile, Path]]:
    """Write an archive, which is there when the block ends well, and not at all otherwise.

    Only its owner may read it. Also yields a folder for temporary files.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with (
            TemporaryDirectory(dir=path.parent, prefix=".quire-export-") as folder,
            open(unfinished, "wb", opener=_for_owner) as file,
        ):
            with ExitStack() as layers:
                target: IO[bytes] = file
                if key is not None:
                    encrypting = layers.enter_context(EncryptingWriter(target, key))
                    buffered = BufferedWriter(cast("RawIOBase", encrypting), _BUFFER_BYTES)
                    target = layers.enter_context(buffered)
                if compress:
                    zipped = gzip.GzipFile("", "wb", _LEVEL, target)
                    target = cast("IO[bytes]", layers.enter_context(zipped))
                tar = layers.enter_context(
                    tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT)
                )
                yield ArchiveFile(tar), Path(folder)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _for_owner(path: str, flags: int) -> int:
    """Open a file that nobody else may read: it holds hashes of passwords."""
    return os.open(path, flags, 0o600)
