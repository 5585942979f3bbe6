"""``quire import``: replaces the content of a project by that of an export archive."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from quire.builder.file_changes import FileChange
from quire.cli.new_secrets import write_environment
from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, ask_key, print_message, print_warning, shown_progress
from quire.database.settings_target import target_of
from quire.errors import TransferError
from quire.extension_loading import extend_schema, load_extensions
from quire.hooks.registry import NO_EXTENSIONS
from quire.strapi_project.schema import load_project_schema
from quire.temporary_folder import temporary_folder
from quire.transfer.archived_schema import (
    missing_files,
    read_archived_schema,
    require_same_schema,
)
from quire.transfer.import_program import ImportCounts
from quire.transfer.importing import ImportTarget, import_archive
from quire.transfer.unpacking import ENCRYPTED_SUFFIX, unpack_archive

_TEMPORARY = ".quire-import-"


def import_project(
    project: Path,
    path: Path,
    *,
    key: str | None,
    replace: bool,
    without_hooks: bool,
    max_bytes: int,
) -> int:
    """Import an archive that Strapi or Quire has exported; returns the exit code.

    A project without content types gets those of the archive. ``max_bytes`` is the maximum unpacked
    size. The hooks of the project are called unless it is imported ``without_hooks``. Raises
    TransferError when it fails; ExtensionError for mistakes in the project's code. Then nothing was
    changed.
    """
    settings = load_logged(project)
    require_project(settings)
    if not path.is_file():
        raise TransferError(f"There is no archive {path}.")
    if key is None and path.name.endswith(ENCRYPTED_SUFFIX):
        key = ask_key()
    with (
        temporary_folder(settings.project, _TEMPORARY) as folder,
        shown_progress() as progress,
    ):
        progress.begin("Unpacking", path.stat().st_size)
        archive = unpack_archive(
            path, folder, key=key, max_bytes=max_bytes, advance=progress.advance
        )
        archived_schema = read_archived_schema(archive, settings)
        changes = missing_files(archived_schema, settings)
        with ExitStack() as undo:
            _write_files(settings.project, changes, undo)
            schema = load_project_schema(settings)
            require_same_schema(archived_schema.schema, schema)
            extensions = NO_EXTENSIONS
            if not without_hooks:
                extensions = load_extensions(settings.project, schema, settings)
            target = ImportTarget(
                settings=settings,
                schema=extend_schema(schema, extensions),
                replace=replace,
                extensions=extensions,
                without_hooks=without_hooks,
            )
            is_new = not asyncio.run(target_of(settings).has_tables())
            counts = asyncio.run(import_archive(archive, target, progress, committed=undo.pop_all))
    if is_new and write_environment(settings) is not None:
        print_message("New secrets are in .env.")
    _report(changes, counts)
    files = len(archive.assets)
    print_message(
        f"{target_of(settings).place} holds {counts.entries:,} entries, {counts.links:,} links, "
        f"{counts.settings:,} settings and {counts.webhooks:,} webhooks of the archive now; "
        f"{files:,} files were stored."
    )
    return EXIT_OK


def _report(changes: Sequence[FileChange], counts: ImportCounts) -> None:
    for change in changes:
        print_message(f"made {change.path}")
    for uid, count in sorted(counts.left_out.items()):
        print_warning(f"{count:,} rows of {uid} were left out: the project has no such type")
    if counts.dangling_links:
        print_warning(
            f"{counts.dangling_links:,} links to rows that the archive lacks were left out"
        )
    if counts.closed_stages:
        print_warning(
            f"only super admins may move entries out of {counts.closed_stages:,} review stages: "
            "the project has none of their roles"
        )
    if counts.copied_components:
        print_warning(
            f"{counts.copied_components:,} components that two entries had in common are two now"
        )


def _write_files(project: Path, changes: Sequence[FileChange], undo: ExitStack) -> None:
    """Write new files; ``undo`` removes them."""
    for change in changes:
        path = project / change.path
        for folder in reversed([path.parent, *path.parent.parents]):
            if not folder.exists():
                folder.mkdir()
                undo.callback(folder.rmdir)
        with path.open("x", encoding="utf-8") as file:
            undo.callback(path.unlink, missing_ok=True)
            file.write(change.after or "")
            file.flush()
            os.fsync(file.fileno())
