"""``quire archive``: lists what migrations removed, restores or deletes it."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from quire.cli.terminal import EXIT_OK, print_message, print_result
from quire.database.migration.archive import Archive, expires_at
from quire.database.migration.model_archive import ModelArchive
from quire.database.open import require_project_database
from quire.database.settings_target import target_of
from quire.errors import ConfigurationError
from quire.settings import Settings


def show_archive(settings: Settings, *, restore: int | None, remove: int | None) -> int:
    """List what migrations have archived, restore one archive, or delete it.

    Raises ConfigurationError when there is no archive with that number, and ConflictError when it
    cannot be restored.
    """
    if restore is not None and remove is not None:
        raise ConfigurationError("--restore and --forget are not for one call.")
    return asyncio.run(_archive(settings, restore=restore, remove=remove))


async def _archive(settings: Settings, *, restore: int | None, remove: int | None) -> int:
    target = target_of(settings)
    await require_project_database(target)
    database = await target.open()
    try:
        archive = ModelArchive(database, target.kind)
        archives = await archive.all()
        if restore is not None:
            count = await archive.restore(_archive_by_number(archives, restore))
            print_message(f"{count} rows were restored.")
        elif remove is not None:
            await archive.delete(_archive_by_number(archives, remove))
            print_message("The archive was deleted.")
        else:
            _list(archives, settings.database.archive_days)
    finally:
        await database.close()
    return EXIT_OK


def _list(archives: Sequence[Archive], days: int) -> None:
    for archive in archives:
        tables = ", ".join(sorted({table.table for table in archive.tables}))
        expiry = expires_at(archive, days)
        retention = "for ever" if expiry is None else f"until {_moment(expiry):%Y-%m-%d}"
        made_at = f"{_moment(archive.made_at):%Y-%m-%d %H:%M} UTC"
        print_result(f"{archive.id}  {made_at}, kept {retention}  {archive.title}: {tables}")
    if not archives:
        print_message("Nothing is archived.")


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)


def _archive_by_number(archives: Sequence[Archive], number: int) -> Archive:
    for archive in archives:
        if archive.id == number:
            return archive
    raise ConfigurationError(f"Nothing is archived under the number {number}.")
