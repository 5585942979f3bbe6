"""Compares stored files with their rows, and deletes orphans."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from quire.database.entries.store import EntryStore
from quire.database.program import Program
from quire.database.stores.files import FileRow, all_files
from quire.uploads.storage import Storage, UnlistedStorageError

GRACE_MS = 3_600_000
"""Files of the last hour are ignored: their rows may not be written yet."""

_ROWS_AT_ONCE = 1000

Run = Callable[[Program[Any]], Awaitable[Any]]
"""Runs a program that only reads."""


class OrphanedFiles(Struct, frozen=True, kw_only=True):
    """Mismatches: keys of bytes ``without_row``, ids of rows ``without_bytes``, in order.

    ``unlisted`` says why the storage cannot be compared, if it cannot.
    """

    without_row: tuple[str, ...] = ()
    without_bytes: tuple[int, ...] = ()
    unlisted: str | None = None


async def find_orphans(run: Run, store: EntryStore, storage: Storage, *, now: int) -> OrphanedFiles:
    """Compare storage and rows; changes nothing.

    Files of other providers are ignored. Raises StorageError when the storage cannot be listed.
    """
    try:
        kept = {found.key: found.changed_at async for found in storage.listed()}
    except UnlistedStorageError as error:
        return OrphanedFiles(unlisted=str(error))
    told: set[str] = set()
    incomplete: list[FileRow] = []
    last = 0
    while rows := await run(all_files(store, after=last, most=_ROWS_AT_ONCE)):
        last = rows[-1].id
        here = [row for row in rows if row.provider == storage.provider]
        told.update(key for row in here for key in row.keys)
        incomplete += [row for row in here if not kept.keys() >= set(row.keys)]
    surplus = [key for key, at in kept.items() if key not in told and at < now - GRACE_MS]
    return OrphanedFiles(
        without_row=tuple(sorted(surplus)),
        without_bytes=tuple(await _still_incomplete(incomplete, storage)),
    )


async def _still_incomplete(rows: list[FileRow], storage: Storage) -> list[int]:
    """Check again: a file that was being uploaded may be complete by now."""
    if not rows:
        return []
    kept = {found.key async for found in storage.listed()}
    return [row.id for row in rows if not kept >= set(row.keys)]
