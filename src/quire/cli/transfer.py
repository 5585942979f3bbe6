"""``quire transfer``: moves the content of one project into another."""

from pathlib import Path

from quire.cli.export_archive import write_archive
from quire.cli.import_archive import import_project
from quire.cli.project_settings import load_logged, require_project
from quire.database.settings_target import target_of
from quire.errors import TransferError
from quire.temporary_folder import temporary_folder

_TEMPORARY = ".quire-transfer-"


def transfer_content(
    source: Path, target: Path, *, replace: bool, without_hooks: bool, max_bytes: int
) -> int:
    """Export the content of a project and import it into another; returns the exit code.

    ``max_bytes`` is how much the content may take, files included. Raises what `import_project`
    raises; then the target is as it was. The source is only read.
    """
    source_settings, target_settings = load_logged(source), load_logged(target)
    require_project(source_settings)
    require_project(target_settings)
    database = target_of(target_settings).place
    if database == target_of(source_settings).place:
        raise TransferError(f"Both projects have the database {database}.")
    with temporary_folder(target_settings.project, _TEMPORARY) as folder:
        archive = folder / "content.tar"
        write_archive(source_settings, archive, key=None)
        return import_project(
            target,
            archive,
            key=None,
            replace=replace,
            without_hooks=without_hooks,
            max_bytes=max_bytes,
        )
