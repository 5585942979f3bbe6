"""Backup archives: a tar file with the database, uploaded files, and a manifest at its end.

The manifest has a checksum of the database and the number of files, so that a truncated or changed
archive is rejected before anything is restored from it.
"""

import gzip
import hashlib
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from errno import EDQUOT, ENOSPC
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

import msgspec
from msgspec import Struct

from quire.cli.backup_encryption import encrypted_into
from quire.clock import now_ms
from quire.errors import ApplicationError
from quire.temporary_folder import open_private

FORMAT = 1
_MANIFEST = "manifest.json"
_MEDIA = "media"
_CHUNK = 1 << 20
_UNFINISHED_SUFFIX = ".unfinished"
_TEMPORARY = ".quire-backup-"
_UNREADABLE = (
    tarfile.TarError,
    EOFError,
    msgspec.MsgspecError,
    UnicodeDecodeError,
    RecursionError,
)
RESTORE_FOLDER = ".quire-restore-"
"""Beginning of the names of temporary folders of a restore, also next to uploaded files."""
_REMAINS_MS = 24 * 3_600_000
"""No backup takes a day: older files were left by a killed one."""


class Manifest(Struct, frozen=True, kw_only=True):
    """The content of an archive.

    ``created_at`` is in the form of RFC 3339. ``client`` is the setting ``database.client`` of the
    project, ``database`` the name of the member with its dump, ``sha256`` the checksum of that
    member. ``schema`` is the version of the project's schema. ``media`` is the number of uploaded
    files, ``None`` if they are elsewhere; ``media_sha256`` is a checksum of their names and
    contents in the order of the archive.
    """

    created_at: str
    quire: str
    client: str
    database: str
    sha256: str
    schema: str
    media: int | None
    media_sha256: str
    format: int = FORMAT


class BackupWriter:
    """Writes one archive, with uploaded files before and after the dump of the database."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._files: set[str] = set()
        self._media = hashlib.sha256()

    @property
    def media_sha256(self) -> str:
        """See `Manifest`."""
        return self._media.hexdigest()

    def add_media(self, folder: Path) -> int:
        """Add the files of a folder that are not in the archive yet; returns the total number.

        Files that are deleted meanwhile are left out.
        """
        for path in files_below(folder):
            name = path.relative_to(folder).as_posix()
            if name in self._files:
                continue
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue
            with file:
                member = self._tar.gettarinfo(arcname=f"{_MEDIA}/{name}", fileobj=file)
                read = _HashingReader(file)
                self._tar.addfile(member, cast("IO[bytes]", read))
            self._media.update(f"{member.name}\0{read.digest.hexdigest()}\n".encode())
            self._files.add(name)
        return len(self._files)

    def add_database(self, dump: Path, name: str) -> str:
        """Add the dump of a database, compressed; returns the checksum of the member."""
        compressed_dump = dump.with_name(f"{dump.name}.gz")
        with dump.open("rb") as plain, gzip.open(compressed_dump, "wb", compresslevel=6) as output:
            shutil.copyfileobj(plain, output, _CHUNK)
        with compressed_dump.open("rb") as file:
            digest = _digest(file)
        self._tar.add(compressed_dump, arcname=name)
        return digest

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest, which completes the archive."""
        text = msgspec.json.format(msgspec.json.encode(manifest))
        member = tarfile.TarInfo(_MANIFEST)
        member.size = len(text)
        self._tar.addfile(member, BytesIO(text))


class _HashingReader:
    """A file that is read once, with a checksum of the read bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        return data


@contextmanager
def new_archive(path: Path, recipient: str | None) -> Iterator[tuple[BackupWriter, Path]]:
    """Write an archive, which exists when the block succeeds, and not otherwise.

    ``recipient`` is the public key that it is encrypted for. Also yields a folder for temporary
    files.
    """
    remove_remains(path.parent)
    temporary_path = path.with_name(f".{path.name}{_UNFINISHED_SUFFIX}")
    try:
        with (
            TemporaryDirectory(dir=path.parent, prefix=_TEMPORARY) as folder,
            open(temporary_path, "wb", opener=open_private) as file,
        ):
            output = nullcontext(file) if recipient is None else encrypted_into(file, recipient)
            with (
                output as target,
                tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as tar,
            ):
                yield BackupWriter(tar), Path(folder)
            file.flush()
            os.fsync(file.fileno())
        temporary_path.replace(path)
    except OSError as error:
        if error.filename is None and error.errno in {ENOSPC, EDQUOT}:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        temporary_path.unlink(missing_ok=True)


def remove_remains(folder: Path) -> None:
    """Delete what killed backups have left in a folder, a day ago or longer."""
    oldest = now_ms() - _REMAINS_MS
    for path in folder.iterdir():
        is_remains = path.name.startswith(_TEMPORARY) or (
            path.name.startswith(".")
            and path.name.endswith((f".tar{_UNFINISHED_SUFFIX}", f".age{_UNFINISHED_SUFFIX}"))
        )
        if is_remains and path.lstat().st_mtime_ns // 1_000_000 < oldest:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def files_below(folder: Path) -> list[Path]:
    """Return all files below a folder, except those of a restore; none if it does not exist."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not path.is_symlink()
        and not path.relative_to(folder).parts[0].startswith(RESTORE_FOLDER)
    )


def read_manifest(path: Path) -> Manifest:
    """Check an archive completely, and return its manifest.

    Raises ApplicationError for one that is damaged, truncated, or of a later version.
    """
    manifest: Manifest | None = None
    digests: dict[str, str] = {}
    media_count, media_hasher = 0, hashlib.sha256()
    try:
        with tarfile.open(path, mode="r:") as tar:
            for member in tar:
                file = tar.extractfile(member)
                if file is None:
                    raise ApplicationError(f"{path} holds {member.name}, which is no file.")
                if member.name == _MANIFEST:
                    manifest = msgspec.json.decode(file.read(), type=Manifest)
                elif member.name.startswith(f"{_MEDIA}/"):
                    media_count += 1
                    media_hasher.update(f"{member.name}\0{_digest(file)}\n".encode())
                else:
                    digests[member.name] = _digest(file)
    except (*_UNREADABLE, OSError) as error:
        raise ApplicationError(f"{path} is not a whole backup: {error}") from error
    if manifest is None:
        raise ApplicationError(f"{path} is not a whole backup: it has no manifest.")
    if manifest.format != FORMAT:
        raise ApplicationError(f"{path} is of a later version of Quire ({manifest.quire}).")
    expected_digests = (
        {manifest.database: manifest.sha256},
        manifest.media or 0,
        manifest.media_sha256,
    )
    if (digests, media_count, media_hasher.hexdigest()) != expected_digests:
        raise ApplicationError(f"{path} is damaged: it does not hold what its manifest says.")
    return manifest


def extract_database(path: Path, manifest: Manifest, target: Path) -> None:
    """Write the dump of the database to a file."""
    with (
        tarfile.open(path, mode="r:") as tar,
        _member(tar, manifest.database) as compressed_file,
        gzip.open(compressed_file) as plain,
        target.open("wb") as output,
    ):
        shutil.copyfileobj(plain, output, _CHUNK)


def extract_media(path: Path, folder: Path) -> None:
    """Write the uploaded files to a folder. Raises ApplicationError for one outside of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, mode="r:") as tar:
        for member in tar:
            if member.name.startswith(f"{_MEDIA}/"):
                member.name = member.name.removeprefix(f"{_MEDIA}/")
                try:
                    tar.extract(member, folder, filter="data")
                except tarfile.FilterError as error:
                    message = f"{path} holds a file that leads out of the folder: {member.name}"
                    raise ApplicationError(message) from error


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    file = tar.extractfile(name)
    if file is None:
        raise ApplicationError(f"{name} is no file.")
    return file


def _digest(file: IO[bytes]) -> str:
    """Read the rest of a file; returns its checksum."""
    hasher = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        hasher.update(chunk)
    return hasher.hexdigest()
