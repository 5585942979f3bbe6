"""Exports the content of a project to an archive."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from quire.clock import iso_from_ms, now_ms
from quire.database.entries.store import open_store
from quire.database.open import require_project_database
from quire.database.settings_target import target_of
from quire.database.tables.table_map import map_tables
from quire.schema.model import Schema
from quire.settings import Settings
from quire.transfer.archive_format import (
    ASSET_METADATA_FOLDER,
    METADATA,
    UPLOADS_FOLDER,
    Stage,
    is_asset_name,
)
from quire.transfer.export_lines import ExportLines, Write, export_program
from quire.transfer.exported_schema import schema_lines
from quire.transfer.importing import Progress
from quire.transfer.packing import ArchiveFile, LineWriter, packed_archive
from quire.uploads.storage import Storage
from quire.uploads.storage.open import open_storage

STRAPI_VERSION = "5.54.0"
"""The version of the reference whose format and tables this is."""


class ExportCounts(Struct, frozen=True, kw_only=True):
    """What was exported. ``missing_files`` are the names of files that the storage lacks."""

    entries: int
    links: int
    files: int
    missing_files: tuple[str, ...]


async def export_project(
    settings: Settings,
    schema: Schema,
    path: Path,
    *,
    key: str | None,
    compress: bool,
    progress: Progress,
) -> ExportCounts:
    """Write the content of a project, as it is in one moment, to a new archive.

    Raises DatabaseOpenError, StorageError and OSError; then there is no archive.
    """
    target = target_of(settings)
    await require_project_database(target)
    with packed_archive(path, key=key, compress=compress) as (archive, folder):
        stages = {stage: LineWriter(folder, stage) for stage in Stage}
        progress.begin("Reading rows", None)
        for line in schema_lines(schema):
            stages[Stage.SCHEMAS].write(line)
        lines = ExportLines(
            entities=_counted(stages[Stage.ENTITIES], progress),
            links=_counted(stages[Stage.LINKS], progress),
            configuration=stages[Stage.CONFIGURATION].write,
        )
        store = open_store(schema, map_tables(schema), target.kind.dialect())
        async with target.look() as looking:
            await looking.run(export_program(store, lines))
        for writer in stages.values():
            writer.close()
        _add(archive, stages[Stage.SCHEMAS], stages[Stage.ENTITIES])
        progress.begin("Reading files", len(lines.files))
        files = _Files(archive, open_storage(settings), folder)
        for row in lines.files:
            await files.add(row)
            progress.advance(1)
        _add(archive, stages[Stage.LINKS], stages[Stage.CONFIGURATION])
        metadata = {
            "createdAt": iso_from_ms(now_ms()),
            "strapi": {"version": STRAPI_VERSION},
        }
        archive.add_bytes(METADATA, msgspec.json.format(msgspec.json.encode(metadata)))
    return ExportCounts(
        entries=stages[Stage.ENTITIES].count,
        links=stages[Stage.LINKS].count,
        files=files.count,
        missing_files=tuple(files.missing),
    )


def _counted(writer: LineWriter, progress: Progress) -> Write:
    def write(line: object) -> None:
        writer.write(line)
        progress.advance(1)

    return write


def _add(archive: ArchiveFile, *writers: LineWriter) -> None:
    for writer in writers:
        for name, path in writer.parts:
            archive.add_file(name, path)


class _Files:
    """Adds files of the media library with what is known of them."""

    def __init__(self, archive: ArchiveFile, storage: Storage, folder: Path) -> None:
        self.count = 0
        self.missing: list[str] = []
        self._archive = archive
        self._storage = storage
        self._folder = folder

    async def add(self, row: Mapping[str, Any]) -> None:
        """Add the file of a row and its other sizes; those of other storages are left out."""
        if row.get("provider") != self._storage.provider:
            self.missing.append(_key(row))
            return
        await self._add(_key(row), row)
        formats = row.get("formats")
        for type_, made in formats.items() if isinstance(formats, Mapping) else ():
            if isinstance(made, Mapping):
                more = {"type": type_, "id": row["id"], "mainHash": row.get("hash")}
                await self._add(_key(made), {**made, **more})

    async def _add(self, name: str, metadata: Mapping[str, Any]) -> None:
        if not is_asset_name(name):
            self.missing.append(name)
            return
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            path = Path(folder) / "file"
            if not await self._storage.fetch(name, path):
                self.missing.append(name)
                return
            encoded = msgspec.json.encode(metadata)
            self._archive.add_bytes(f"{ASSET_METADATA_FOLDER}/{name}.json", encoded)
            self._archive.add_file(f"{UPLOADS_FOLDER}/{name}", path)
            self.count += 1


def _key(values: Mapping[str, Any]) -> str:
    return f"{values.get('hash')}{values.get('ext') or ''}"
