"""``quire backup`` and ``quire restore``: the database and the uploaded files as one archive."""

import asyncio
import dataclasses
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from quire import __version__
from quire.cli.backup_encryption import ENCRYPTED_SUFFIX, decrypt_backup, require_recipient
from quire.cli.backup_tar_file import (
    RESTORE_FOLDER,
    Manifest,
    extract_database,
    extract_media,
    new_archive,
    read_manifest,
)
from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, print_message, print_result, print_warning
from quire.clock import now_ms
from quire.database.settings_target import target_of
from quire.database.target import DatabaseTarget
from quire.errors import ApplicationError
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema
from quire.temporary_folder import temporary_folder

_MOMENT = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"-\d{8}T\d{6}Z\.tar(\.age)?")
_SUFFIXES = (".tar", f".tar{ENCRYPTED_SUFFIX}")


def backup_project(
    project: Path, *, target: Path | None, keep: int | None, media: bool, recipient: str | None
) -> int:
    """Write an archive to a file, or to a folder under a name with the time; returns the exit code.

    ``keep`` is how many archives of the project stay in the folder, the newest ones. ``recipient``
    is the public key of age that the archive is encrypted for. ``None`` means the value of the
    settings. Raises ApplicationError when a file of this name exists, DatabaseOpenError and
    ConfigurationError.
    """
    settings = load_logged(project)
    require_project(settings)
    recipient = recipient or settings.backup.recipient
    if recipient is not None:
        require_recipient(recipient)
    now = datetime.fromtimestamp(now_ms() / 1000, UTC)
    target = target or settings.backup.folder
    is_folder = target.is_dir() or not target.name.endswith(_SUFFIXES)
    if is_folder and keep is None:
        keep = settings.backup.keep
    name = f"{settings.project.name}-{now:{_MOMENT}}{_SUFFIXES[recipient is not None]}"
    path = target / name if is_folder else target
    if path.name.endswith(ENCRYPTED_SUFFIX) != (recipient is not None):
        raise ApplicationError(
            f"A backup is encrypted if its name ends in {ENCRYPTED_SUFFIX}, and only then: "
            "say for whom with --encrypt-to."
        )
    if keep is not None and not is_folder:
        raise ApplicationError("--keep is about a folder of backups: name one with --to.")
    if path.exists():
        raise ApplicationError(f"{path} exists already.")
    path.parent.mkdir(parents=True, exist_ok=True)
    uploads = _uploads(settings) if media else None
    if media and uploads is None:
        print_warning(f"files are in {settings.uploads.storage}, which is not backed up here")
    _write(settings, path, uploads, now, recipient)
    print_result(str(path))
    for old_backup in _surplus(path, settings.project.name, keep):
        old_backup.unlink()
        print_message(f"{old_backup.name} was deleted; the newest {keep} stay.")
    return EXIT_OK


def _write(
    settings: Settings, path: Path, uploads: Path | None, now: datetime, recipient: str | None
) -> None:
    database = _direct_target(settings)
    name = f"{database.dump_name}.gz"
    with new_archive(path, recipient) as (archive, folder):
        dump = folder / database.dump_name
        if uploads is not None:
            # Before the database: then everything that it refers to at that moment is in the
            # archive, even if it is deleted meanwhile. Files that are uploaded meanwhile are added
            # after it.
            archive.add_media(uploads)
        asyncio.run(database.dump(dump))
        digest = archive.add_database(dump, name)
        files = None if uploads is None else archive.add_media(uploads)
        manifest = Manifest(
            created_at=now.isoformat(timespec="seconds"),
            quire=__version__,
            client=settings.database.client,
            database=name,
            sha256=digest,
            schema=load_project_schema(settings).version,
            media=files,
            media_sha256=archive.media_sha256,
        )
        archive.finish(manifest)
    print_message(f"{database.place}{_describe_file_count(files)} was backed up.")


def restore_project(project: Path, path: Path, *, replace: bool, identity: Path | None) -> int:
    """Replace the content of a project by that of an archive; returns the exit code.

    ``identity`` is a file with the secret key of an encrypted archive, which is decrypted into the
    project's folder meanwhile. Raises ApplicationError for an archive that does not match, and
    where there is content already, unless ``replace`` allows to delete it; DatabaseOpenError and
    ConfigurationError.
    """
    settings = load_logged(project)
    require_project(settings)
    if not path.is_file():
        raise ApplicationError(f"There is no backup {path}.")
    if not path.name.endswith(ENCRYPTED_SUFFIX):
        return _restore(settings, path, replace=replace)
    if identity is None:
        raise ApplicationError(f"{path} is encrypted: name the file of its key with --identity.")
    with temporary_folder(settings.project, RESTORE_FOLDER) as folder:
        plain = folder / path.stem
        decrypt_backup(path, identity, plain)
        return _restore(settings, plain, replace=replace)


def _restore(settings: Settings, path: Path, *, replace: bool) -> int:
    manifest = read_manifest(path)
    database = _direct_target(settings)
    if f"{database.dump_name}.gz" != manifest.database:
        raise ApplicationError(
            f"The backup is of a {manifest.client} database, and the project has another kind: "
            "restore it where DATABASE_CLIENT is the same, then use `quire copy`."
        )
    uploads = _uploads(settings) if manifest.media is not None else None
    if not replace:
        _require_empty(settings, uploads)
    with temporary_folder(settings.project, RESTORE_FOLDER) as folder:
        dump = folder / database.dump_name
        extract_database(path, manifest, dump)
        with _replace_media(path, uploads) if uploads is not None else nullcontext():
            asyncio.run(database.restore(dump))
    backup_name = f"the backup of {manifest.created_at}"
    print_message(
        f"{database.place}{_describe_file_count(manifest.media)} was restored from {backup_name}."
    )
    if manifest.media is not None and uploads is None:
        print_warning(
            f"files are kept in {settings.uploads.storage}: those of the backup were left"
        )
    if manifest.schema != load_project_schema(settings).version:
        print_warning("the content types differ from those of the backup: see `quire migrate`")
    return EXIT_OK


def _require_empty(settings: Settings, uploads: Path | None) -> None:
    database = _direct_target(settings)
    if asyncio.run(database.has_tables()):
        raise ApplicationError(
            f"{database.place} holds tables already: --replace puts the backup in their place."
        )
    content = _content(uploads) if uploads is not None and uploads.is_dir() else []
    # A clone of the project has files for Git there.
    if any(not path.name.startswith(".") for path in content):
        raise ApplicationError(
            f"{uploads} holds files already: --replace puts those of the backup in their place."
        )


@contextmanager
def _replace_media(archive: Path, uploads: Path) -> Iterator[None]:
    """Replace the uploaded files by those of an archive; restore them when the block raises.

    The folder itself stays, as it may be a mounted volume.
    """
    uploads.mkdir(parents=True, exist_ok=True)
    with temporary_folder(uploads, RESTORE_FOLDER) as folder:
        new_media, previous_media = folder / "new", folder / "before"
        extract_media(archive, new_media)
        previous_media.mkdir()
        try:
            _move_content(uploads, previous_media)
            _move_content(new_media, uploads)
            yield
        except BaseException:
            _move_content(uploads, new_media)
            _move_content(previous_media, uploads)
            raise


def _move_content(source: Path, target: Path) -> None:
    for path in _content(source):
        path.rename(target / path.name)


def _content(folder: Path) -> list[Path]:
    """List everything in a folder, except temporary folders of a restore."""
    return [path for path in folder.iterdir() if not path.name.startswith(RESTORE_FOLDER)]


def _uploads(settings: Settings) -> Path | None:
    """Return the folder of uploaded files, ``None`` if they are in a bucket."""
    if settings.uploads.storage != "local":
        return None
    return settings.project / settings.uploads.directory


def _surplus(path: Path, project: str, keep: int | None) -> list[Path]:
    """Return the oldest archives of a project that exceed the number to keep."""
    if keep is None:
        return []
    return backup_archives(path.parent, project)[:-keep]


def backup_archives(folder: Path, project: str) -> list[Path]:
    """Return the archives of a project in a folder, the oldest first; none without a folder."""
    if not folder.is_dir():
        return []
    archives = [
        path
        for path in folder.iterdir()
        if path.name.startswith(project) and _NAME.fullmatch(path.name.removeprefix(project))
    ]
    return sorted(archives, key=lambda path: path.name)


def _describe_file_count(count: int | None) -> str:
    return "" if count is None else f" with {count:,} files"


def _direct_target(settings: Settings) -> DatabaseTarget:
    """Return the target of the database without a pooler. Raises as `DatabaseSettings.direct`."""
    return target_of(dataclasses.replace(settings, database=settings.database.direct()))
