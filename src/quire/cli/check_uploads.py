"""Compares uploaded files with their rows for ``quire check``, and deletes orphans."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from typing import Any

from msgspec import Struct

from quire.clock import now_ms
from quire.database.entries.entry_tables import EntryStore, open_store
from quire.database.integrity.findings import MAX_IDS, count_noun
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.stores.files import FileRow, all_files
from quire.database.tables.table_map import map_tables
from quire.extension_loading import load_storage_backends
from quire.schema.model import Schema
from quire.settings import Settings
from quire.uploads.storage import Storage, UnlistedStorageError
from quire.uploads.storage.open import open_storage

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
        change_times = {
            stored_file.key: stored_file.changed_at async for stored_file in storage.listed()
        }
    except UnlistedStorageError as error:
        return OrphanedFiles(unlisted=str(error))
    stored_keys: set[str] = set()
    incomplete_rows: list[FileRow] = []
    last = 0
    while rows := await run(all_files(store, after=last, limit=_ROWS_AT_ONCE)):
        last = rows[-1].id
        provider_rows = [row for row in rows if row.provider == storage.provider]
        stored_keys.update(key for row in provider_rows for key in row.keys)
        incomplete_rows += [
            row for row in provider_rows if not change_times.keys() >= set(row.keys)
        ]
    surplus = [
        key
        for key, changed_at in change_times.items()
        if key not in stored_keys and changed_at < now - GRACE_MS
    ]
    return OrphanedFiles(
        without_row=tuple(sorted(surplus)),
        without_bytes=tuple(await _find_incomplete(incomplete_rows, storage)),
    )


async def _find_incomplete(rows: list[FileRow], storage: Storage) -> list[int]:
    """Check again: a file that was being uploaded may be complete by now."""
    if not rows:
        return []
    keys = {file.key async for file in storage.listed()}
    return [row.id for row in rows if not keys >= set(row.keys)]


DELETES = "deletes them"


def check_uploads(settings: Settings, schema: Schema) -> OrphanedFiles:
    """Find files without rows, and rows without files.

    Raises StorageError when the storage cannot be listed, ConfigurationError for an invalid one,
    DatabaseOpenError for a database that cannot be opened.
    """
    return asyncio.run(_find_and_delete(settings, schema))


def delete_uploads(settings: Settings, schema: Schema, keys: Collection[str]) -> None:
    """Delete files by their keys. Raises StorageError."""
    asyncio.run(_storage(settings, schema).remove(keys))


def describe_orphans(orphans: OrphanedFiles) -> Iterator[str]:
    """Describe the findings for a terminal."""
    if orphans.unlisted is not None:
        yield f"files are not compared with their rows: {orphans.unlisted}"
    if orphans.without_row:
        yield f"{describe_surplus(orphans)}; `quire check --repair` {DELETES}"
    if orphans.without_bytes:
        row_count = count_noun(len(orphans.without_bytes), "row")
        names = _join_names(orphans.without_bytes)
        yield f"files: {row_count} of files that are not there ({names})"


def describe_surplus(orphans: OrphanedFiles) -> str:
    """Report files that have no row."""
    surplus = count_noun(len(orphans.without_row), "file")
    return f"uploads: {surplus} without a row ({_join_names(orphans.without_row)})"


def _join_names(names: Collection[object]) -> str:
    texts = [str(name) for _, name in zip(range(MAX_IDS), names, strict=False)]
    return ", ".join([*texts, *(["..."] if len(names) > len(texts) else [])])


async def _find_and_delete(settings: Settings, schema: Schema) -> OrphanedFiles:
    target = target_of(settings)
    store = open_store(schema, map_tables(schema), target.kind.dialect())
    async with target.look() as connection:
        return await find_orphans(connection.run, store, _storage(settings, schema), now=now_ms())


def _storage(settings: Settings, schema: Schema) -> Storage:
    return open_storage(settings, load_storage_backends(settings.project, schema, settings))
