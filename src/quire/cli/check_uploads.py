"""The part of ``quire check`` that compares uploaded files with their rows."""

import asyncio
from collections.abc import Collection, Iterator

from quire.clock import now_ms
from quire.database.entries.store import open_store
from quire.database.integrity.findings import SHOWN_IDS, count_noun
from quire.database.settings_target import target_of
from quire.database.tables.table_map import map_tables
from quire.extensions import load_storage_backends
from quire.schema.model import Schema
from quire.settings import Settings
from quire.uploads.orphan_cleanup import OrphanedFiles, find_orphans
from quire.uploads.storage import Storage
from quire.uploads.storage.open import open_storage

DELETES = "deletes them"


def check_uploads(settings: Settings, schema: Schema) -> OrphanedFiles:
    """Find files without rows, and rows without files.

    Raises StorageError when the storage cannot be listed, ConfigurationError for an invalid one,
    DatabaseOpenError for a database that cannot be opened.
    """
    return asyncio.run(_swept(settings, schema))


def delete_uploads(settings: Settings, schema: Schema, keys: Collection[str]) -> None:
    """Delete files by their keys. Raises StorageError."""
    asyncio.run(_storage(settings, schema).remove(keys))


def describe_orphans(found: OrphanedFiles) -> Iterator[str]:
    """Describe the findings for a terminal."""
    if found.unlisted is not None:
        yield f"files are not compared with their rows: {found.unlisted}"
    if found.without_row:
        yield f"{describe_surplus(found)}; `quire check --repair` {DELETES}"
    if found.without_bytes:
        lost = count_noun(len(found.without_bytes), "row")
        yield f"files: {lost} of files that are not there ({_listed(found.without_bytes)})"


def describe_surplus(found: OrphanedFiles) -> str:
    """Report files that have no row."""
    surplus = count_noun(len(found.without_row), "file")
    return f"uploads: {surplus} without a row ({_listed(found.without_row)})"


def _listed(found: Collection[object]) -> str:
    shown = [str(one) for _, one in zip(range(SHOWN_IDS), found, strict=False)]
    return ", ".join([*shown, *(["..."] if len(found) > len(shown) else [])])


async def _swept(settings: Settings, schema: Schema) -> OrphanedFiles:
    target = target_of(settings)
    store = open_store(schema, map_tables(schema), target.kind.dialect())
    async with target.look() as looking:
        return await find_orphans(looking.run, store, _storage(settings, schema), now=now_ms())


def _storage(settings: Settings, schema: Schema) -> Storage:
    return open_storage(settings, load_storage_backends(settings.project, schema, settings))
