"""``quire export``: writes the content of a project to an archive in the format of Strapi."""

import asyncio
from pathlib import Path

from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import (
    EXIT_OK,
    ask_key,
    print_message,
    print_result,
    print_warning,
    shown_progress,
)
from quire.errors import TransferError
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema
from quire.transfer.exporting import export_project
from quire.transfer.unpacking import ENCRYPTED_SUFFIX

_MAX_LISTED = 5


def export_content(project: Path, path: Path, *, key: str | None) -> int:
    """Write an archive; its name says whether it is compressed and encrypted.

    Raises TransferError for other names and for a file that exists already.
    """
    settings = load_logged(project)
    require_project(settings)
    suffixes = "".join(path.suffixes[-3:])
    is_encrypted = path.name.endswith(ENCRYPTED_SUFFIX)
    if not suffixes.endswith((".tar", ".tar.gz", ".tar.enc", ".tar.gz.enc")):
        raise TransferError("Name an archive that ends in .tar, .tar.gz, .tar.enc or .tar.gz.enc.")
    if path.exists():
        raise TransferError(f"{path} exists already.")
    if key is not None and not is_encrypted:
        raise TransferError("--key is for an archive whose name ends in .enc.")
    if is_encrypted and not key:
        key = ask_key()
        if not key:
            raise TransferError("An encrypted archive needs a key.")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_archive(settings, path, key=key)
    print_result(str(path))
    return EXIT_OK


def write_archive(settings: Settings, path: Path, *, key: str | None) -> None:
    """Write an archive, and print what it holds.

    Raises DatabaseOpenError, StorageError and OSError; then there is no archive.
    """
    schema = load_project_schema(settings)
    with shown_progress() as progress:
        counts = asyncio.run(
            export_project(
                settings,
                schema,
                path,
                key=key,
                compress=".gz" in path.suffixes[-2:],
                progress=progress,
            )
        )
    if counts.missing_files:
        names = ", ".join(counts.missing_files[:_MAX_LISTED])
        print_warning(f"{len(counts.missing_files):,} files are not in the storage: {names}")
    print_message(
        f"{counts.entries:,} entries, {counts.links:,} links and {counts.files:,} files "
        "were exported."
    )
